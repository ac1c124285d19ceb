"""Errors about joints that move nothing with inertia, whose accelerations are undefined.

It may be one joint, or several that together can keep all inertia at rest in every posture, such as
the three of a ball joint that carries a point mass. The mass matrix then has no inverse, and an
algorithm would return rounding errors.
"""

import math
import random

from ...checks import listing, quoted
from ...errors import RobotError
from ...robots.joint import WORLD
from ...robots.model import Model
from ...robots.scales import some_position
from ...scalar import known
from .articulated_inertia import ArticulatedInertia

POSTURES = 3  # random ones; a robot that is singular in all of them is so everywhere
ROUNDING = 1e-12  # relative to the inertia at a joint while all others are locked
MOVES = 1e-6  # relative to the joint that moves most: others that count as moving


def require_inertia(robot, i, inertia):
    """The inertia at joint i, unless it is a number and zero: then it has no reciprocal."""
    if known(inertia) == 0.0:
        raise moves_nothing(robot.robot, [i])
    return inertia


def moves_nothing(robot, joints):
    """The error about joints, by index, that can move without moving anything with inertia."""
    names = [robot.joints[i].name for i in joints]
    if len(names) == 1:
        return RobotError(
            f"robot {quoted(robot.name)}: joint {quoted(names[0])} moves nothing that has inertia "
            "along its axis, so its acceleration is not defined; give a link beyond it mass away "
            "from the axis or inertia about it, or the joint a rotor inertia"
        )
    return RobotError(
        f"robot {quoted(robot.name)}: joints {listing(names)} can move together without moving "
        "anything that has inertia, so their accelerations are not defined; give a link beyond "
        "them inertia about its own axes, or one of these joints a rotor inertia"
    )


def require_mobile(robot):
    """Raise if the mass matrix of a robot is singular in every posture."""
    model, rng = Model(robot), random.Random(0)
    for _ in range(POSTURES):
        q = some_position(robot, rng)
        loose = _loose_joints(model, q)
        if loose is None:
            return
    raise moves_nothing(robot, loose)


def _loose_joints(robot, q):
    """The joints that can move in this posture without moving inertia; None if none can.

    The inertia at a joint while those beyond it are free is compared with that while they are
    locked: a ratio, which does not depend on units of mass and length.
    """
    X = {i: robot.transform(i, q) for i, _ in robot.outward}
    free = {i: ArticulatedInertia.of_body(robot.inertia[i]) for i, _ in robot.outward}
    held = dict(free)
    U, reciprocal, felt = {}, {}, {}
    for i, p in robot.inward:  # children first
        S, rotor = robot.subspace[i], robot.rotor_inertia[i]
        U[i] = free[i] @ S
        pivot, felt[i] = S @ U[i] + rotor, S @ (held[i] @ S) + rotor
        if not math.isfinite(pivot) or not math.isfinite(felt[i]):
            return None  # beyond float64, which the dynamics will show
        if abs(pivot) <= ROUNDING * abs(felt[i]):
            return _moving_with(robot, i, X, U, reciprocal, felt)
        reciprocal[i] = 1.0 / pivot
        if p != WORLD:
            free[p] = free[p] + free[i].freed(S, U[i], reciprocal[i], rotor).seen_from(X[i])
            held[p] = held[p] + held[i].seen_from(X[i])
    return None


def _moving_with(robot, first, X, U, reciprocal, felt):
    """The joints beyond a moving one that move too, so that nothing with inertia follows."""
    a, rate = {first: robot.subspace[first]}, {first: 1.0}
    for i, p in robot.outward:
        if p in a and i != first:
            follows = X[i] @ a[p]
            rate[i] = -reciprocal[i] * (U[i] @ follows)
            a[i] = follows + robot.subspace[i] * rate[i]
    size = {i: abs(rate[i]) * math.sqrt(max(felt[i], 0.0)) for i in rate}
    most = max(size.values())
    return [i for i in sorted(size) if i == first or size[i] > MOVES * most]
