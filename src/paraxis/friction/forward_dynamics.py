"""`px.forward_dynamics_with_friction`: accelerations behind the torques of lossy drives.

Directions of moving joints are known. A joint at rest sticks, or breaks away one way or the other,
and which it does depends on what the others do: a complementarity problem, solved by an active set.
At first all joints at rest stick; then those whose motor torque is outside what holds them are
freed, and freed ones that would accelerate the other way are held again, until nothing changes.

Where loads decide much, that may go round and round, as may Newton's method. What is left then is
tried again from other accelerations and directions, by steps that are at first cautious.
"""

from typing import NamedTuple

import numpy as np

from .. import api
from ..drivers.map import Signature, as_array, broadcast_batch
from ..errors import ArgumentError
from ..functions import check_parameters, input_shapes
from ..robot.robot import a_robot
from .newton import kernels

STEPS = 20  # of Newton's method; three to six are usual
SOLVED = 1e-10  # the largest error of a solution
EDGE = 1e-12  # accelerations of a joint at rest, over the largest or 1, that rounding makes
ROUNDS = 10  # of changed directions; up to four are usual
MORE_STARTS = 8  # of random sizes and signs; each finds half of what those before it have left


class ForwardDynamics(NamedTuple):
    """Accelerations, and how well motor_torques leads from them back to the given torques."""

    qdd: np.ndarray  # (..., n); NaN where no solution was found
    solved: np.ndarray  # (...)
    error: np.ndarray  # (...): of the motors' torques, max|Δ| / max(1, max|motor|)

    def __repr__(self):
        solved, total = np.count_nonzero(self.solved), np.size(self.solved)
        return f"<ForwardDynamics: {solved:,} of {total:,} solved>"


def forward_dynamics_with_friction(robot, q, qd, motor, **parameters):
    """The accelerations that the motors' torques give, losses included; each array is (..., n).

    The inverse of px.motor_torques: `motor` are torques on the motors' shafts, as its `input`. The
    result has `.qdd`, `.solved` and `.error`, the latter two one a state. The reactions that
    bearings feel depend on the accelerations, so this is solved by iteration, and what it found is
    put into motor_torques. Where none of several starts leads to what gives `motor`, `solved` is
    False and `qdd` is NaN: mostly there is no solution, as a joint jams under its own reaction,
    but that none was found does not prove it.

    A joint at rest (qd == 0) stays, with qdd exactly 0, while its motor torque is within what holds
    it: friction at rest and transmission can take up the difference. Else it accelerates the way
    it is pushed. Losses that feed on themselves may leave several solutions; one is returned.
    Keywords are parameters of the robot, as for px.inverse_dynamics. All is done in float64.
    """
    a_robot(robot)
    if "out" in parameters:
        raise ArgumentError("out: expected none, as results are new arrays, found one")
    check_parameters("motor_torques", tuple(parameters))
    state, batch = _flat(robot, {"q": q, "qd": qd, "motor": motor, **parameters})
    solve = _active_set if robot.has_losses else _without_losses
    with np.errstate(all="ignore"):
        qdd, error = solve(robot, state, tuple(parameters))
        for array in state.values():  # also where no acceleration depends on it
            error[~np.isfinite(array).all(tuple(range(1, array.ndim)))] = np.nan
        if robot.has_losses:
            _try_other_starts(robot, state, tuple(parameters), qdd, error)
    solved = error <= SOLVED
    qdd[~solved] = np.nan
    shaped = qdd.reshape(*batch, robot.nv)
    return ForwardDynamics(shaped, solved.reshape(batch)[()], error.reshape(batch)[()])


def _flat(robot, arrays):
    """Every array as (N, ...), and the batch shape that N stands for."""
    names = tuple(arrays)[3:]
    shapes = dict.fromkeys(("q", "qd", "motor"), (robot.nv,))
    shapes |= {name: input_shapes(robot, "motor_torques", names)[name] for name in names}
    arrays = {name: as_array(value, name, shapes[name]) for name, value in arrays.items()}
    batch = broadcast_batch(Signature(shapes, {}), arrays.values())
    count = int(np.prod(batch, dtype=int))
    flat = {
        name: np.broadcast_to(array, (*batch, *shapes[name])).reshape(count, *shapes[name])
        for name, array in arrays.items()
    }
    return {name: array.astype(float, copy=False) for name, array in flat.items()}, batch


def _without_losses(robot, state, parameters):
    given = {name: state[name] for name in parameters}
    q, qd, motor = state["q"], state["qd"], state["motor"]
    qdd = _without_friction(robot, state, parameters, np.array(robot.ratios) * motor)
    torques = api.inverse_dynamics(robot, q, qd, qdd, **given)
    return qdd, relative(torques / np.array(robot.ratios) - motor, motor)


def _try_other_starts(robot, state, parameters, qdd, error):
    """Solve what is left, in place: what no start solves keeps the least error there was."""
    for share in _other_starts(robot.n):
        left = np.flatnonzero(error > SOLVED)
        if not len(left):
            return
        now = {name: array[left] for name, array in state.items()}
        found, missed = _active_set(robot, now, parameters, share)
        better = missed < error[left]
        qdd[left[better]], error[left[better]] = found[better], missed[better]


def _other_starts(n):
    """Shares of the accelerations without friction, the same ones for every state."""
    yield np.zeros(n)
    yield -np.ones(n)
    rng = np.random.default_rng(0)
    for _ in range(MORE_STARTS):
        yield rng.uniform(-1.0, 1.0, n)


def _active_set(robot, state, parameters, share=None):
    """Accelerations (N, n), and errors (N,), which are infinite where no directions fit.

    The usual start is from the accelerations without friction, and from joints at rest that stick.
    With `share` it is from this share of them, and joints at rest move the way it has them move.
    """
    lossy = np.array([joint.has_losses for joint in robot.joints])
    at_rest = (state["qd"] == 0.0) & lossy
    direction = np.where(lossy, np.sign(state["qd"]), 1.0)  # any, where nothing depends on it
    if share is not None:
        free = _without_friction(robot, state, parameters, np.array(robot.ratios) * state["motor"])
        direction = np.where(at_rest, np.sign(share * free), direction)
    qdd, error = np.empty_like(direction), np.full(len(direction), np.inf)
    left = np.arange(len(direction))
    for _ in range(ROUNDS):
        before = direction[left]
        now = {name: array[left] for name, array in state.items()}
        qdd[left], error[left], pushed = _solve(robot, now, parameters, before, share)
        hardly = EDGE * np.maximum(1.0, abs(qdd[left]).max(-1, keepdims=True))
        back = at_rest[left] & (before * qdd[left] <= hardly)
        after = np.where(before == 0.0, pushed, np.where(back, 0.0, before))
        direction[left] = after
        left = left[(after != before).any(-1)]
        if not len(left):
            return qdd, error
    error[left] = np.inf
    return qdd, error


def _solve(robot, state, parameters, direction, share):
    """Accelerations and errors under these directions, and which way sticking joints are pushed.

    A joint that sticks has no error of its own: `pushed` is 0 while it is held.
    """
    known = kernels(robot, parameters)
    motor, sticks = state["motor"], direction == 0.0
    motion = {name: array for name, array in state.items() if name != "motor"}
    at_joint = known.at_joint(motor, direction)
    free = _without_friction(robot, state, parameters, at_joint)
    start, fractions = (free, (1.0,)) if share is None else (share * free, (0.5, 1.0))
    qdd = np.where(sticks, 0.0, start)
    for fraction in fractions:
        given = {"at_joint": at_joint, "direction": direction, "fraction": fraction, **motion}
        qdd = known.solve(STEPS, qdd=qdd, **given)[0]["qdd"]
    reached, least, largest = known.check(qdd=qdd, direction=direction, **motion)
    error = relative(np.where(sticks, 0.0, reached - motor), motor)
    error[np.isnan(error)] = np.inf
    slack = SOLVED * np.maximum(1.0, abs(motor).max(-1, keepdims=True))
    pushed = (motor > largest + slack).astype(float) - (motor < least - slack)
    return qdd, error, np.where(sticks, pushed * np.sign(np.array(robot.ratios)), 0.0)


def _without_friction(robot, state, parameters, at_joint):
    given = {name: state[name] for name in parameters}
    return api.forward_dynamics(robot, state["q"], state["qd"], at_joint, **given)


def relative(difference, reference):
    """The one error measure, a state."""
    return abs(difference).max(-1) / np.maximum(1.0, abs(reference).max(-1))
