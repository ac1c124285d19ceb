"""Joints held in place, as if they were fixed.

Properties of a moving joint are gone with it: friction, the transmission, the rotor's inertia,
limits.
"""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..checks import listing, quoted
from ..errors import RobotError
from .attaching import only
from .coupling import Coupling, coupled_position
from .joint_pose import NUMBERS, TURNING, neutral_position, pose_at
from .pose import HERE, floats
from .quaternions import OFF
from .welding import welded_parts


def locked(robot, positions):
    """`robot` without the joints that `positions`, {joint name: position}, holds in place."""
    return _locked(robot, _with_followers(robot, _checked(robot, positions)))


def _locked(robot, held):
    """The same of {index of a joint: the numbers of its position}."""
    if len(held) == robot.n:
        raise RobotError(f"robot {quoted(robot.name)}: locking all joints leaves none to move")
    still = {}
    for i, position in held.items():
        joint = robot.joints[i]
        there = position == neutral_position(joint)
        still[i] = HERE if there else pose_at(joint, position)
    parts = welded_parts(robot, still)
    at = {robot.joints[i].name: position[0] for i, position in held.items()}
    parts["joints"] = tuple(
        replace(joint, coupling=_led_by_the_rest(joint.coupling, at)) if joint.coupling else joint
        for joint in parts["joints"]
    )
    tendons = [over for tendon in robot.tendons if (over := tendon.held(at)) is not None]
    return replace(robot, **parts, tendons=tendons, warn=False)


def subchain(robot, tip, positions, drop_rest):
    """The joints between the root and the frame `tip`; see Robot.subchain."""
    last = robot.frame(tip)
    kept = robot.path(last.body)[::-1]
    if not kept:
        raise RobotError(f"tip {quoted(tip)} is fixed to the world; no joint moves it")
    moving = {robot.joints[i].name for i in kept}
    followed = [robot.joints[i].coupling for i in kept]
    moving |= {name for coupling in followed if coupling for name in coupling.leaders}
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
                at = {robot.joints[i].name: position[0] for i, position in held.items()}
                here = coupled_position(joint.coupling, lambda name, at=at: at.get(name, 0.0))
                held.setdefault(robot.joint_index(joint.name), (here,))
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
            several = len(joint.coupling.leaders) > 1
            leaders = f"joint{'s' * several} {listing(joint.coupling.leaders)}"
            that = "those" if several else "that one"
            raise RobotError(f"joint {quoted(name)} follows {leaders}: lock {that}")
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
    """The same with the joints that follow none but those that are held."""
    at = {robot.joints[i].name: position[0] for i, position in held.items()}
    for i, joint in enumerate(robot.joints):
        if joint.coupling is not None and {*joint.coupling.leaders} <= {*at}:
            held[i] = (coupled_position(joint.coupling, at.__getitem__),)
    return held


def _led_by_the_rest(coupling, at):
    """The coupling of a joint some of whose leaders are held, `at` a position by name."""
    if not {*at} & {*coupling.leaders}:
        return coupling
    offset = coupled_position(coupling, lambda name: at.get(name, 0.0))
    left = [(name, factor) for name, (_, factor) in coupling.terms if name not in at]
    names, factors = zip(*left, strict=True)
    return Coupling(names, (offset, *factors))


def _a_mapping(positions):
    if not isinstance(positions, Mapping):
        found = type(positions).__name__
        raise RobotError(f"locked: expected a mapping of joint names to positions, found {found}")
    return positions
