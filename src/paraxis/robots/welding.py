"""Joints that do not move: the bodies they carry become parts of the bodies that carry them.

All mass stays, and so does everything on a body, on the body that it is now part of.
"""

from dataclasses import replace

from ..checks import quoted
from ..errors import RobotError
from .frame import Frame
from .inertia import welded
from .joint import WORLD
from .loop import loops_and_independent
from .pose import HERE
from .text import naming


def weld(joints, inertias, root, still):
    """A tree without the joints `still`, {index: the pose of its body on its seat}.

    Returns the joints, inertias and root that are left, and of each body of before, and of WORLD,
    the one that it is now part of and its pose there: what `carrier` takes.
    """
    moving, bodies = [], []
    stands = {WORLD: (WORLD, HERE)}
    for i, (joint, inertia) in enumerate(zip(joints, inertias, strict=True)):
        with naming(f"joint {quoted(joint.name)}"):
            body, pose = stands[joint.parent]
            seat = joint.placement if pose is HERE else pose @ joint.placement
            if i not in still:
                stands[i] = (len(moving), HERE)
                there = (joint.parent, joint.placement) == (body, seat)
                moving.append(joint if there else replace(joint, parent=body, placement=seat))
                bodies.append(inertia)
                continue
            stands[i] = (body, seat if still[i] is HERE else seat @ still[i])
            part = inertia.seen_from(stands[i][1])
            if body == WORLD:
                root = welded(root, part)
            else:
                bodies[body] = welded(bodies[body], part)
    return moving, bodies, root, stands


def carrier(stands):
    """The function that puts a frame or shape on the body that its body is now part of."""

    def place(thing):
        body, pose = stands[thing.body]
        if pose is HERE:
            return thing if thing.body == body else replace(thing, body=body)
        return replace(thing, body=body, pose=pose if thing.pose is HERE else pose @ thing.pose)

    return place


def welded_parts(robot, still, further=()):
    """The fields of a robot without the joints `still`, as `weld` takes them.

    `further` are frames on its bodies as they were, which are put before all others.
    """
    joints, inertias, root, stands = weld(robot.joints, robot.inertias, robot.root, still)
    place = carrier(stands)
    return {
        "joints": tuple(joints),
        "inertias": tuple(inertias),
        "root": root,
        "frames": tuple(map(place, (*further, *robot.frames))),
        "shapes": tuple(map(place, robot.shapes)),
        **loops_and_independent(robot, place, {joint.name for joint in joints}),
    }


def without_fixed_joints(robot):
    """The fields of a robot with its fixed joints welded: each leaves a frame of its name."""
    still = {i: HERE for i, joint in enumerate(robot.joints) if joint.kind == "fixed"}
    given = {frame.name: frame for frame in robot.frames}
    further = []
    for i in still:
        own = Frame(robot.joints[i].name, i)
        if own.name not in given:
            further.append(own)
        elif given[own.name] != own:
            raise RobotError(
                f"joint {quoted(own.name)} is fixed, and leaves a frame of its name, but another "
                "frame has that name; rename one of them"
            )
    return welded_parts(robot, still, further)
