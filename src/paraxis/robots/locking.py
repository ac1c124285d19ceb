"""Joints held in place: the bodies they carry become parts of the bodies that carry them.

All mass stays, and so does every frame, on the body it is now part of. Properties of a moving joint
are gone with it: friction, the transmission, the rotor's inertia, limits.
"""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..checks import listing, quoted
from ..errors import RobotError
from .attaching import only
from .coupling import value
from .inertia import welded
from .joint import WORLD
from .joint_pose import NUMBERS, TURNING, neutral_position, pose_at
from .loop import loops_and_independent
from .pose import Pose, floats
from .quaternions import OFF

HERE = Pose()


def locked(robot, positions):
    """`robot` without the joints that `positions`, {joint name: position}, holds in place."""
    return _locked(robot, _with_followers(robot, _checked(robot, positions)))


def _locked(robot, held):
    """The same of {index of a joint: the numbers of its position}."""
    if len(held) == robot.n:
        raise RobotError(f"robot {quoted(robot.name)}: locking all joints leaves none to move")
    joints, bodies, root = [], [], robot.root
    stands = {WORLD: (WORLD, HERE)}  # of each old body: the new one it is part of, its pose there
    for i, joint in enumerate(robot.joints):
        body, pose = stands[joint.parent]
        seat = joint.placement if pose is HERE else pose @ joint.placement
        if i not in held:
            stands[i] = (len(joints), HERE)
            joints.append(replace(joint, parent=body, placement=seat))
            bodies.append(robot.inertias[i])
            continue
        still = held[i] == neutral_position(joint)
        stands[i] = (body, seat if still else seat @ pose_at(joint, held[i]))
        part = robot.inertias[i].seen_from(stands[i][1])
        if body == WORLD:
            root = welded(root, part)
        else:
            bodies[body] = welded(bodies[body], part)

    def carried(frame):
        body, pose = stands[frame.body]
        return replace(frame, body=body, pose=frame.pose if pose is HERE else pose @ frame.pose)

    frames, names = [carried(frame) for frame in robot.frames], [joint.name for joint in joints]
    closed = loops_and_independent(robot, carried, names)
    parts = {"joints": joints, "inertias": bodies, "frames": frames, "root": root}
    return replace(robot, **parts, **closed, warn=False)


def subchain(robot, tip, positions, drop_rest):
    """The joints between the root and the frame `tip`; see Robot.subchain."""
    last = robot.frame(tip)
    kept = robot.path(last.body)[::-1]
    if not kept:
        raise RobotError(f"tip {quoted(tip)} is fixed to the world; no joint moves it")
    moving = {robot.joints[i].name for i in kept}
    followed = [robot.joints[i].coupling for i in kept]
    moving |= {coupling.leader for coupling in followed if coupling is not None}
    positions = _a_mapping({} if positions is None else positions)
    if drop_rest and positions:
        raise RobotError("locked cannot be combined with drop_rest, which removes all other joints")
    on_the_way = [name for name in positions if name in moving]
    if on_the_way:
        raise RobotError(
            f"locked: expected joints that do not move {quoted(tip)}, found {listing(on_the_way)}; "
            "use robot.locked to lock any joint"
        )
    if drop_rest:
        chain = only(robot, kept)
    else:
        others = [joint for joint in robot.joints if joint.name not in moving]
        rest = [joint.name for joint in others if joint.coupling is None]
        at_zero = {name: neutral_position(robot.joint(name)) for name in rest}
        held = _with_followers(robot, _checked(robot, at_zero | dict(positions)))
        for joint in others:  # that follow a joint which moves: as it is at zero
            if joint.coupling is not None:
                here = (value(joint.coupling.coefficients, 0.0),)
                held.setdefault(robot.joint_index(joint.name), here)
        chain = _locked(robot, held)
    # the tip last: what the chain works with, unless another frame is named
    frames = [frame for frame in chain.frames if frame.name != tip] + [chain.frame(tip)]
    return replace(chain, frames=frames, warn=False)


def _checked(robot, positions):
    """{index of a joint: the numbers of its position}."""
    held = {}
    for name, position in _a_mapping(positions).items():
        i = robot.joint_index(name)
        joint, what = robot.joints[i], f"position of joint {quoted(name)}"
        if joint.coupling is not None:
            leader = quoted(joint.coupling.leader)
            raise RobotError(f"joint {quoted(name)} follows joint {leader}: lock that one")
        if joint.nq == 1 and np.ndim(position) == 0:
            position = (position,)
        if joint.nq > 1 and (isinstance(position, str) or np.ndim(position) != 1):
            raise RobotError(
                f"{what} ({joint.kind}): expected {joint.nq} numbers, {NUMBERS[joint.kind]}, found "
                f"{quoted(position)}"
            )
        held[i] = floats(tuple(position), joint.nq, what)
        if joint.kind in TURNING:
            length = math.hypot(*held[i][-4:])
            if abs(length - 1) > OFF:
                raise RobotError(
                    f"{what}: expected a unit quaternion x, y, z, w, found one of length "
                    f"{length:.10g}; divide it by its length"
                )
    return held


def _with_followers(robot, held):
    """The same with the joints that follow those that are held."""
    index = {joint.name: i for i, joint in enumerate(robot.joints)}
    for i, joint in enumerate(robot.joints):
        if joint.coupling is not None and index[joint.coupling.leader] in held:
            (position,) = held[index[joint.coupling.leader]]
            held[i] = (value(joint.coupling.coefficients, position),)
    return held


def _a_mapping(positions):
    if not isinstance(positions, Mapping):
        found = type(positions).__name__
        raise RobotError(f"locked: expected a mapping of joint names to positions, found {found}")
    return positions
