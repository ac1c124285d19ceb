"""`px.forward_dynamics_with_friction`: accelerations behind the torques of lossy drives.

Directions of moving joints are known. A joint at rest sticks, or breaks away in one of two
directions, and this depends on the others: a complementarity problem, solved by an active set. At
first all joints at rest stick; then those whose motor torque exceeds the holding torques are freed,
and freed ones that would accelerate the other way are held again, until nothing changes.

If friction depends strongly on loads, this may cycle, and so may Newton's method. Unsolved states
are tried again from other accelerations and directions, first with short steps.
"""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ... import api
from ...checks import quoted
from ...compiling import one_call
from ...drivers.map import Signature, broadcast_batch
from ...errors import ArgumentError
from ...physics.parts.torque_sizes import torque_sizes
from ...robot_functions import LONGEST_PROGRAM, check_parameters, input_shapes
from ...robots.model import AXES, Model
from ...robots.refusals import open_tree, unsprung
from ...robots.robot import Robot
from ...robots.rows import rows_of
from ...targets.blocks import is_lazy, takes_blocks
from ...targets.target import target_of
from .newton import kernels, lossless_check

STEPS = 20  # of Newton's method; typically three to six
SOLVED = 1e-10  # the largest error of a solution
EDGE = 1e-12  # relative accelerations of a joint at rest that are rounding errors
ROUNDS = 10  # of changed directions; typically up to four
SMALLEST = float(np.finfo(float).tiny)  # instead of a size of zero
MORE_STARTS = 8  # of random sizes and signs; each solves half of the remaining states


class ForwardDynamics(NamedTuple):
    """Accelerations, and how closely `px.motor_torques` reproduces the torques from them.

    - `qdd`: joint accelerations, `(..., nv)`, rad/s² or m/s²; NaN where no solution was found.
    - `solved`: whether a solution was found, `(...)`.
    - `error`: of the motor torques, `(...)`, relative to the sizes of their parts.
    """

    qdd: np.ndarray
    solved: np.ndarray
    error: np.ndarray

    def __repr__(self):
        if is_lazy(self.solved):
            return f"<ForwardDynamics: {math.prod(self.solved.shape)} states, not computed>"
        solved, total = int(self.solved.sum()), math.prod(self.solved.shape)
        return f"<ForwardDynamics: {solved:,} of {total:,} solved>"


@takes_blocks(q=1, qd=1, motor=1, **AXES)
def forward_dynamics_with_friction(
    robot: Robot, q: ArrayLike, qd: ArrayLike, motor: ArrayLike, **parameters: ArrayLike
) -> ForwardDynamics:
    """Return the accelerations under motor torques, losses included: inverts `px.motor_torques`.

    The reactions on bearings depend on the accelerations, so they are found by iteration, and the
    result is checked by `px.motor_torques`. If no start of the iteration leads to a solution,
    `solved` is False and `qdd` is NaN: usually there is none, as a joint jams under its own
    reaction, but this is not proven.

    A joint at rest (qd == 0) stays at rest, with qdd exactly 0, as long as friction at rest and the
    transmission can take up its motor torque. Otherwise it accelerates in the direction of the
    torque. Losses that depend on themselves may have several solutions; one of them is returned.

    The computation is in float64. Arrays may be on a GPU (CuPy, PyTorch or JAX), and then so are
    the results. For a robot with losses the call waits for the GPU after every few steps, to see
    which states are done.

    **Arguments:**

    - `robot`: the robot, with friction and transmissions.
    - `q`, `qd`: joint positions and rates, `(..., nq)` and `(..., nv)`, rad or m, and per second.
    - `motor`: torques on the motors' shafts, `(..., nv)`, like `input` of `px.motor_torques`.
    - `parameters`: parameters of the robot, as for `px.inverse_dynamics`.

    **Returns:** a `ForwardDynamics`:

    - `qdd`: joint accelerations, `(..., nv)`; NaN if unsolved.
    - `solved`: whether a solution was found, `(...)`.
    - `error`: the difference, `(...)`, between `motor` and the torques of `px.motor_torques` at the
      worst joint, relative to the sizes of the weights, inertia forces and loads beyond that joint
      regardless of cancellation, so that it does not depend on units.

    **Raises:** `px.ArgumentError` if a shape or a parameter's name is wrong.

    **Example:**

    >>> friction = {"friction": px.robots.Friction(viscous=0.5, coulomb=2.0)}
    >>> robot = px.robots.planar(1).with_gravity([0, 0, 0]).with_drives({"joint1": friction})
    >>> motion = px.forward_dynamics_with_friction(robot, [0.0], [0.0], [[1.0], [3.0]])
    >>> motion.qdd  # 1 N m does not move it
    array([[0.],
           [3.]])
    >>> motion.solved
    array([ True,  True])
    """
    open_tree(robot, "forward_dynamics_with_friction")
    unsprung(robot, "forward_dynamics_with_friction", losses=True)
    if rows_of(robot).followers:
        raise ArgumentError(
            f"forward_dynamics_with_friction: robot {quoted(robot.name)} has coupled or helical "
            "joints, which it does not support; px.simulate supports them with friction that has "
            "a constant ratio"
        )
    if "out" in parameters:
        raise ArgumentError("out: not supported; this function always returns new arrays")
    check_parameters("motor_torques", tuple(parameters))
    given = {"q": q, "qd": qd, "motor": motor, **parameters}
    target = target_of(given)
    about = f"forward_dynamics_with_friction of {quoted(robot.name)}"
    with one_call(about), target.stream(), np.errstate(all="ignore"):
        state, batch = _flat(robot, given, target)
        qdd, error = _solver(robot, tuple(parameters), target)(state)
        solved = error <= SOLVED
        qdd = target.arrays.where(solved[:, None], qdd, np.nan).reshape(*batch, robot.nv)
        each = (array.reshape(batch)[()] for array in (solved, error))
        return ForwardDynamics(*map(target.given_back, (qdd, *each)))


def _flat(robot, arrays, target):
    """Every array as (N, ...) on the target, and the batch shape that N stands for."""
    names = tuple(arrays)[3:]
    shapes = {"q": (robot.nq,), "qd": (robot.nv,), "motor": (robot.nv,)}
    shapes |= {name: input_shapes(robot, "motor_torques", names)[name] for name in names}
    arrays = {name: target.array(value, name, shapes[name]) for name, value in arrays.items()}
    batch = broadcast_batch(Signature(shapes, {}), arrays.values())
    flat = {}
    for name, array in arrays.items():
        whole = target.arrays.broadcast_to(array, (*batch, *shapes[name]))
        flat[name] = whole.reshape(math.prod(batch), *shapes[name]).astype(float, copy=False)
    return flat, batch


class Solver:
    """Accelerations (N, nv) and their errors (N,) of states: arrays by name, on a target."""

    def __init__(self, robot, parameters, target):
        self._robot, self._parameters = robot, parameters
        self._target, self._arrays = target, target.arrays
        rows = rows_of(robot).joints
        self._ratios = target.put(np.array(rows_of(robot).ratios))
        revolute = np.array([joint.is_revolute for joint in rows])
        self._same_kind = target.put(revolute[:, None] == revolute)
        self._lossy = target.put(np.array([joint.has_losses for joint in rows]))
        self._kernels = kernels(robot, parameters, target) if robot.has_losses else None

    def __call__(self, state):
        xp, lossy = self._arrays, self._robot.has_losses
        qdd, error = self._active_set(state) if lossy else self._without_losses(state)
        for array in state.values():  # even if no acceleration depends on it
            finite = xp.isfinite(array).all(tuple(range(1, array.ndim)))
            error = xp.where(finite, error, np.nan)
        if lossy:
            self._try_other_starts(state, qdd, error)
        return qdd, error

    def _without_losses(self, state):
        motor = state["motor"]
        qdd = self._without_friction(state, self._ratios * motor)
        torques, sizes = self._lossless_check(state, qdd)
        sizes = sizes / abs(self._ratios) + abs(motor)
        return qdd, self._relative(torques / self._ratios - motor, sizes)

    def _try_other_starts(self, state, qdd, error):
        """Solve the remaining states in place; unsolved ones keep their least error so far."""
        for share in _other_starts(self._robot.nv):
            left = self._arrays.flatnonzero(error > SOLVED)
            if not len(left):
                return
            now = {name: array[left] for name, array in state.items()}
            found, missed = self._active_set(now, self._target.put(share))
            better = missed < error[left]
            qdd[left[better]], error[left[better]] = found[better], missed[better]

    def _active_set(self, state, share=None):
        """Accelerations, and errors, which are infinite where no directions fit.

        By default it starts from the accelerations without friction, and from joints at rest that
        stick. With `share` it starts from this share of them, with joints at rest moving in the
        resulting directions.
        """
        xp = self._arrays
        at_rest = (state["qd"] == 0.0) & self._lossy
        direction = xp.where(self._lossy, xp.sign(state["qd"]), 1.0)  # any where it has no effect
        if share is not None:
            free = self._without_friction(state, self._ratios * state["motor"])
            direction = xp.where(at_rest, xp.sign(share * free), direction)
        qdd, error = xp.empty_like(direction), xp.full(len(direction), np.inf)
        left = xp.arange(len(direction))
        for _ in range(ROUNDS):
            before = direction[left]
            now = {name: array[left] for name, array in state.items()}
            qdd[left], error[left], pushed, free = self._solve(now, before, share)
            size = xp.maximum(abs(qdd[left]), abs(free))
            hardly = EDGE * xp.where(self._same_kind, size[:, None, :], 0.0).max(-1)
            back = at_rest[left] & (before * qdd[left] <= hardly)
            after = xp.where(before == 0.0, pushed, xp.where(back, 0.0, before))
            direction[left] = after
            left = left[(after != before).any(-1)]
            if not len(left):
                return qdd, error
        error[left] = np.inf
        return qdd, error

    def _solve(self, state, direction, share):
        """Accelerations and errors under directions, and the directions in which sticking joints
        are pushed.

        A sticking joint has no error of its own: `pushed` is 0 while it is held. The last result is
        the accelerations without friction in the joints.
        """
        xp, known = self._arrays, self._kernels
        motor, sticks = state["motor"], direction == 0.0
        motion = {name: array for name, array in state.items() if name != "motor"}
        at_joint = known.at_joint(motor, direction)
        free = self._without_friction(state, at_joint)
        start, fractions = (free, (1.0,)) if share is None else (share * free, (0.5, 1.0))
        qdd = xp.where(sticks, 0.0, start)
        for fraction in fractions:
            given = {"at_joint": at_joint, "direction": direction, "fraction": fraction, **motion}
            qdd = known.solve(STEPS, qdd=qdd, **given)[0]["qdd"]
        reached, least, largest, sizes = known.check(qdd=qdd, direction=direction, **motion)
        sizes = sizes + abs(motor)
        error = self._relative(xp.where(sticks, 0.0, reached - motor), sizes)
        error = xp.where(xp.isnan(error), np.inf, error)
        slack = SOLVED * sizes
        pushed = (motor > largest + slack).astype(float) - (motor < least - slack)
        return qdd, error, xp.where(sticks, pushed * xp.sign(self._ratios), 0.0), free

    def _without_friction(self, state, at_joint):
        q, qd = state["q"], state["qd"]
        return api.forward_dynamics(self._robot, q, qd, at_joint, **self._given(state))

    def _lossless_check(self, state, qdd):
        """Torques at joints (N, nv), and the sizes of their parts."""
        motion, given = (state["q"], state["qd"], qdd), self._given(state)
        if self._robot.n <= LONGEST_PROGRAM:
            return self._lossless_kernel(*motion, *given.values())
        torques = api.inverse_dynamics(self._robot, *motion, **given)
        model = Model(
            rows_of(self._robot), {name: _columns(array) for name, array in given.items()}
        )
        return torques, self._arrays.stack(torque_sizes(model, *map(_columns, motion)), -1)

    @cached_property
    def _lossless_kernel(self):
        return lossless_check(self._robot, self._parameters, self._target)

    def _given(self, state):
        return {name: state[name] for name in self._parameters}

    def _relative(self, difference, sizes):
        """The relative error of the worst joint per state; a size of zero allows no difference."""
        xp = self._arrays
        return (abs(difference) / xp.where(sizes > 0.0, sizes, SMALLEST)).max(-1)


def _columns(array):
    """Entries of all states: nested lists, by the axes of an entry."""
    if array.ndim == 1:
        return array
    return [_columns(array[:, k]) for k in range(array.shape[1])]


def _other_starts(n):
    """Shares of the accelerations without friction, the same ones for every state."""
    yield np.zeros(n)
    yield -np.ones(n)
    rng = np.random.default_rng(0)
    for _ in range(MORE_STARTS):
        yield rng.uniform(-1.0, 1.0, n)


_solver = lru_cache(maxsize=64)(Solver)
