"""`px.forward_dynamics_with_friction`: accelerations behind the torques of lossy drives.

Directions of moving joints are known. A joint at rest sticks, or breaks away one way or the other,
and which it does depends on what the others do: a complementarity problem, solved by an active set.
At first all joints at rest stick; then those whose motor torque is outside what holds them are
freed, and freed ones that would accelerate the other way are held again, until nothing changes.
"""

from typing import NamedTuple

import numpy as np

from .. import api
from ..drivers.map import Signature, as_array, broadcast_batch
from ..errors import ArgumentError
from ..robot.robot import Robot
from .newton import kernels

STEPS = 40  # of Newton's method; three to six are usual, and a state that needs more has none
SOLVED = 1e-10  # the largest error of a solution
EDGE = 1e-12  # accelerations of a joint at rest, over the largest or 1, that rounding makes
TOGETHER = 4  # rounds in which all joints change at once; then one by one, which cannot go round


class ForwardDynamics(NamedTuple):
    """Accelerations, and how well motor_torques leads from them back to the given torques."""

    qdd: np.ndarray  # (..., n); NaN where there is no solution
    solved: np.ndarray  # (...)
    error: np.ndarray  # (...): of the motors' torques, max|Δ| / max(1, max|motor|)


def forward_dynamics_with_friction(robot, q, qd, motor):
    """The accelerations that the motors' torques give, losses included; each array is (..., n).

    The inverse of px.motor_torques: `motor` are torques on the motors' shafts, as its `input`. The
    result has `.qdd`, `.solved` and `.error`, the latter two one a state. The reactions that
    bearings feel depend on the accelerations, so this is solved by iteration, and what it found is
    put into motor_torques. Where that does not give `motor`, as there is no solution (a joint that
    jams under its own reaction) or none was found, `solved` is False and `qdd` is NaN.

    A joint at rest (qd == 0) stays, with qdd exactly 0, while its motor torque is within what holds
    it: friction at rest and transmission can take up the difference. Else it accelerates the way
    it is pushed. Losses that feed on themselves may leave several solutions; one is returned.
    """
    if not isinstance(robot, Robot):
        found = type(robot).__name__
        raise ArgumentError(f"robot: expected a Robot (px.load makes one), found {found}")
    given = {"q": q, "qd": qd, "motor": motor}
    signature = Signature(dict.fromkeys(given, (robot.nv,)), {})
    arrays = [as_array(value, name, (robot.nv,)) for name, value in given.items()]
    batch = broadcast_batch(signature, arrays)
    shape = (*batch, robot.nv)
    rows = [np.broadcast_to(each, shape).reshape(-1, robot.nv).astype(float) for each in arrays]
    solve = _active_set if robot.has_losses else _without_losses
    with np.errstate(invalid="ignore"):
        qdd, error = solve(robot, *rows)
    error[~np.isfinite(rows).all((0, -1))] = np.nan  # also where no acceleration depends on it
    solved = error <= SOLVED
    qdd[~solved] = np.nan
    return ForwardDynamics(qdd.reshape(shape), solved.reshape(batch), error.reshape(batch))


def _without_losses(robot, q, qd, motor):
    ratios = np.array([joint.transmission.ratio for joint in robot.joints])
    qdd = api.forward_dynamics(robot, q, qd, ratios * motor)
    return qdd, relative(api.inverse_dynamics(robot, q, qd, qdd) / ratios - motor, motor)


def _active_set(robot, q, qd, motor):
    """Accelerations (N, n), and errors (N,), which are infinite where no directions fit."""
    lossy = np.array([joint.has_losses for joint in robot.joints])
    at_rest = (qd == 0.0) & lossy
    direction = np.where(lossy, np.sign(qd), 1.0)  # any, where nothing depends on it
    qdd, error = np.empty_like(q), np.full(len(q), np.inf)
    left = np.arange(len(q))
    for attempt in range(TOGETHER + 4 * robot.n):
        now = q[left], qd[left], motor[left]
        qdd[left], error[left], pushed = _solve(robot, *now, direction[left])
        before = direction[left]
        hardly = EDGE * np.maximum(1.0, abs(qdd[left]).max(-1, keepdims=True))
        back = at_rest[left] & (before * qdd[left] <= hardly)
        after = np.where(before == 0.0, pushed, np.where(back, 0.0, before))
        if attempt >= TOGETHER:  # the first of them alone: Murty's rule
            changes = after != before
            first = np.cumsum(changes, axis=-1) == 1
            after = np.where(changes & first, after, before)
        direction[left] = after
        left = left[(after != before).any(-1) & ~np.isnan(error[left])]
        if not len(left):
            return qdd, error
    error[left] = np.inf
    return qdd, error


def _solve(robot, q, qd, motor, direction):
    """Accelerations and errors under these directions, and which way sticking joints are pushed.

    A joint that sticks has no error of its own: `pushed` is 0 while it is held.
    """
    known = kernels(robot)
    at_joint = known.at_joint(motor, direction)
    start = np.where(direction == 0.0, 0.0, api.forward_dynamics(robot, q, qd, at_joint))
    final, _ = known.solve(STEPS, q=q, qd=qd, qdd=start, at_joint=at_joint, direction=direction)
    qdd = final["qdd"]
    reached, least, largest = known.check(q, qd, qdd, direction)
    sticks = direction == 0.0
    error = relative(np.where(sticks, 0.0, reached - motor), motor)
    error[~np.isfinite(qdd).all(-1)] = np.nan
    slack = SOLVED * np.maximum(1.0, abs(motor).max(-1, keepdims=True))
    pushed = (motor > largest + slack).astype(float) - (motor < least - slack)
    ratios = np.array([joint.transmission.ratio for joint in robot.joints])
    return qdd, error, np.where(sticks, pushed * np.sign(ratios), 0.0)


def relative(difference, reference):
    """The one error measure, a state."""
    return abs(difference).max(-1) / np.maximum(1.0, abs(reference).max(-1))
