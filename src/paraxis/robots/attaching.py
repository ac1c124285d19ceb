"""Robots and tools attached to a frame of a robot, and subtrees removed from it."""

from dataclasses import replace

from ..checks import listing, quoted
from ..errors import RobotError
from .frame import Frame
from .inertia import NOTHING, Inertia, welded
from .joint import WORLD
from .loop import loops_and_independent
from .pose import Pose


def with_attached(robot, other, frame, pose, prefix):
    """`robot` with the robot `other` on a frame; see Robot.with_attached."""
    if not isinstance(other, type(robot)):
        found = type(other).__name__
        raise RobotError(f"attach: expected a Robot (for a tool: robot.with_tool), found {found}")
    stand = _stand(robot, frame)
    seat = stand.pose @ _a_pose(pose)
    names = _renamed(robot, other, prefix)

    def placed(body, there):
        """The body it is now part of, and its pose there."""
        return (stand.body, seat @ there) if body == WORLD else (robot.n + body, there)

    joints = []
    for joint in other.joints:
        body, place = placed(joint.parent, joint.placement)
        follows = joint.coupling and replace(joint.coupling, leader=names(joint.coupling.leader))
        named = replace(joint, name=names(joint.name), coupling=follows)
        joints.append(replace(named, parent=body, placement=place))

    def carried(frame):
        return Frame(names(frame.name), *placed(frame.body, frame.pose))

    loops = [replace(loop.carried(carried), name=names(loop.name)) for loop in other.loops]
    held = _with_part(robot, stand.body, other.root.seen_from(seat))
    return replace(
        held,
        joints=(*held.joints, *joints),
        inertias=(*held.inertias, *other.inertias),
        frames=(*held.frames, *map(carried, other.frames)),
        ignored=(*held.ignored, *other.ignored),
        loops=(*held.loops, *loops),
        independent=_independent_of_both(robot, other, names),
        warn=False,
    )


def with_tool(robot, name, inertia, tip, frame):
    """`robot` with a tool on a frame; see Robot.with_tool."""
    if not isinstance(inertia, Inertia):
        found = type(inertia).__name__
        raise RobotError(f"tool {quoted(name)} inertia: expected an Inertia, found {found}")
    stand = _stand(robot, frame)
    if name in robot.frame_names:
        raise RobotError(
            f"tool: robot {quoted(robot.name)} already has a frame {quoted(name)}; "
            "give the tool another name"
        )
    held = _with_part(robot, stand.body, inertia.seen_from(stand.pose))
    tool = Frame(name, stand.body, stand.pose @ _a_pose(tip))
    return replace(held, frames=(*held.frames, tool), warn=False)


def without(robot, names):
    """`robot` without joints and all they carry; see Robot.without."""
    gone = {robot.joint_index(name) for name in names}
    for i, joint in enumerate(robot.joints):
        if joint.parent in gone:
            gone.add(i)
    kept = [i for i in range(robot.n) if i not in gone]
    if not kept:
        raise RobotError(f"robot {quoted(robot.name)}: without {listing(names)} no joint is left")
    return only(robot, kept)


def only(robot, kept):
    """`robot` with the joints of some indices, which carry each other, and frames on them."""
    index = {old: new for new, old in enumerate(kept)} | {WORLD: WORLD}
    joints = [replace(robot.joints[i], parent=index[robot.joints[i].parent]) for i in kept]
    bodies = [robot.inertias[i] for i in kept]

    def carried(frame):
        return replace(frame, body=index[frame.body]) if frame.body in index else None

    frames = [frame for frame in map(carried, robot.frames) if frame is not None]
    closed = loops_and_independent(robot, carried, [joint.name for joint in joints])
    return replace(robot, joints=joints, inertias=bodies, frames=frames, **closed, warn=False)


def _independent_of_both(robot, other, names):
    """The joints that torques act on: where none are named, all of them."""
    if robot.independent is None and other.independent is None:
        return None
    own = [joint.name for joint in robot.joints if joint.coupling is None]
    others = [joint.name for joint in other.joints if joint.coupling is None]
    own = own if robot.independent is None else robot.independent
    others = others if other.independent is None else other.independent
    return (*own, *map(names, others))


def _stand(robot, frame):
    return robot.tool() if frame is None else robot.frame(frame)


def _a_pose(pose):
    return pose if isinstance(pose, Pose) else Pose.from_matrix(pose)


def _with_part(robot, body, part):
    """`robot` with a part welded onto a body."""
    if part == NOTHING:
        return robot
    if body == WORLD:
        return replace(robot, root=welded(robot.root, part), warn=False)
    inertias = list(robot.inertias)
    inertias[body] = welded(inertias[body], part)
    return replace(robot, inertias=inertias, warn=False)


def _renamed(robot, other, prefix):
    """The function that names joints and frames of `other`, none of which `robot` has."""
    if not isinstance(prefix, str):
        raise RobotError(f"prefix: expected a str, found {type(prefix).__name__}")
    for what, ours, theirs in (
        ("joints", robot.joint_names, other.joint_names),
        ("frames", robot.frame_names, other.frame_names),
        ("loops", [loop.name for loop in robot.loops], [loop.name for loop in other.loops]),
    ):
        known = {*ours}
        clash = [name for name in (prefix + each for each in theirs) if name in known]
        if clash:
            first = clash[0] if not prefix else clash[0][len(prefix) :]
            raise RobotError(
                f"robots {quoted(robot.name)} and {quoted(other.name)} both have the {what} "
                f"{listing(clash, 3)}; give those of {quoted(other.name)} a prefix of their own: "
                f"prefix='{prefix}hand_' makes {quoted(first)} {quoted(f'{prefix}hand_{first}')}"
            )
    return lambda name: prefix + name
