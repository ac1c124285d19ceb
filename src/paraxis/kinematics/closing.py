"""`px.kinematics.close`: positions at which the loops of a robot are closed, near given ones.

Steps are those of inverse kinematics without any goal: each is the shortest along which the loops
close, and what is redundant among their equations does no harm. A state from where that leads
nowhere begins anew, first near where it was, then farther away.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from ..api import difference, integrate, trace
from ..checks import quoted
from ..compiling import one_call
from ..errors import RobotError
from ..physics.inverse_kinematics.damped_least_squares import UNBOUNDED
from ..physics.inverse_kinematics.reaching import Reach, reaching_step
from ..robots.model import Model
from ..robots.quaternions import require_unit_quaternions
from ..robots.robot import Robot, a_robot
from ..robots.rows import rows_of
from ..robots.scales import reach
from ..targets.target import target_of
from .limits import Limits
from .moving import checked_joints, closers, places_of
from .search import Near, open_by
from .starts import kronecker

TOLERANCE = 1e-10  # of angles, and of distances as shares of the length of the loops
STEPS = 128
ATTEMPTS = 16


@dataclass(frozen=True, eq=False)
class Closing:
    """The result of `px.kinematics.close`, per state.

    - `q`: `(..., nq)`, rad or m: loops are closed there, or as nearly as was found.
    - `solved`: whether all loops are closed, `(...)`.
    - `error`: the largest opening of any loop, `(...)`, the larger of m and rad.
    - `open_by`: the opening of each loop, `(..., loops)`.
    - `loops`: their names.
    """

    q: np.ndarray
    solved: np.ndarray
    error: np.ndarray
    open_by: np.ndarray
    loops: tuple[str, ...]

    def __repr__(self):
        solved, total = int(self.solved.sum()), math.prod(self.solved.shape)
        worst = self.open_by[~self.solved & (self.error == self.error)].argmax(-1)
        counts = {name: int((worst == k).sum()) for k, name in enumerate(self.loops)}
        more = "".join(f", {quoted(name)} open in {n:,}" for name, n in counts.items() if n)
        return f"<Closing: {solved:,} of {total:,} closed{more}>"


def close(
    robot: Robot, q: ArrayLike, fixed: Sequence[str] = (), *, tolerance: float | None = None
) -> Closing:
    """Return positions near `q` at which all loops of a robot are closed: it is assembled.

    **Arguments:**

    - `robot`: a robot with loops: see `px.Robot.with_loops`.
    - `q`: where it begins, `(..., nq)`, rad or m, with quaternions of unit length.
    - `fixed`: names of joints that stay at `q`, such as those that are driven. Joints that close no
      loop stay there, too.
    - `tolerance`: by how much a loop may be open, in rad and m; by default 1e-10 rad, and 1e-10 of
      the length of the loops.

    **Returns:** a `Closing`:

    - `q`: joint positions within their limits, `(..., nq)`, or, where the loops were not closed,
      those at which they are open least; NaN where `q` is not finite.
    - `solved`: whether all loops are closed within the tolerance, `(...)`.
    - `error`: the largest opening of any loop, `(...)`, the larger of m and rad.
    - `open_by`: the opening of each loop, `(..., loops)`, in the order of `loops`, their names.

    It prints which loops are still open, and by how much.

    **Raises:** `px.RobotError` if the robot has no loops, or all joints that close them are fixed;
    `px.ArgumentError` if a shape is wrong or a quaternion is not of unit length.

    Every step is the shortest that leads towards closed loops, in radians and in units of their
    length. If that fails, other starts are tried, at growing distances from `q`; the same `q` gives
    the same bits in any batch.

    **Example:**

    >>> robot = px.robots.planar(4)  # its tip is tied to its base: a rhombus
    >>> tip, base = robot.frame("tip"), robot.frame("base")
    >>> linkage = robot.with_loops(px.robots.Loop.hinge("closed", tip, base, axis=(0, 1, 0)))
    >>> found = px.kinematics.close(linkage, [0.6, -1.0, -2.0, -1.0], fixed=["joint1"])
    >>> found.q
    array([ 0.6  , -1.047, -2.095, -1.047])
    >>> px.forward_kinematics(linkage, found.q)[:3, 3]  # the tip is at the base
    array([0., 0., 0.])
    """
    target = target_of({"q": q})
    with one_call(f"close of {quoted(a_robot(robot).name)}"), target.stream():
        assembly = _assembly(robot, checked_joints(robot, fixed), target)
        given = target.array(q, "q", (robot.nq,))
        require_unit_quaternions(robot, given, "q")
        near = Near.of(tolerance, TOLERANCE, assembly.length)
        batch = given.shape[:-1]
        results = assembly.closed(target.arrays.array(given, float).reshape(-1, robot.nq), near)
        shaped = (array.reshape(batch + array.shape[1:]) for array in results)
        found, solved, error, gaps = map(target.given_back, shaped)
        return Closing(found, solved, error, gaps, tuple(loop.name for loop in robot.loops))


@lru_cache(maxsize=64)
def _assembly(robot, fixed, target):
    if not robot.loops:
        raise RobotError(f"robot {quoted(robot.name)} has no loops, so there is nothing to close")
    moving = sorted({i for loop in robot.loops for i in closers(robot, loop)} - {*fixed})
    if not moving:
        raise RobotError(
            f"fixed: all joints that close the loops of robot {quoted(robot.name)} are fixed"
        )
    return Assembly(robot, moving, target)


class Assembly:
    """Closing the loops of a robot with the joints `moving`, on a target."""

    def __init__(self, robot, moving, target):
        self._robot, rows = robot, rows_of(robot)
        ends = [frame for loop in robot.loops for frame in (loop.first, loop.second)]
        self.length = max(reach(robot, frame) for frame in ends) / 2 or 1.0
        self._model = Model(rows)
        self._reach = Reach([], places_of(robot, moving, "nv"), self.length, loops=rows.loops)
        limits, places = Limits(robot, self.length), places_of(robot, moving, "nq")
        self._bounds = [each if k in places else UNBOUNDED for k, each in enumerate(limits.bounds)]
        self._target, self._arrays = target, target.arrays
        self._limits, self._moving = limits.at(target), target.put(np.array(places))
        self._elsewhere = target.put(limits.positions(kronecker(ATTEMPTS, robot.nv)))

    def closed(self, given, near):
        """q (N, nq), whether it is closed (N,), the largest gap (N,) and all gaps (N, loops)."""
        xp = self._arrays
        finite = xp.isfinite(given).all(-1)
        q, error = xp.where(finite[:, None], given, math.nan), xp.full(len(given), math.inf)
        left = xp.flatnonzero(finite)
        for attempt in range(ATTEMPTS):
            if not len(left):
                break
            moved, off = self._moved(self._start(given[left], attempt), STEPS, near)
            gap = open_by(xp, off, near.per_length).max(-1)
            less = gap < error[left]
            q[left[less]], error[left[less]] = moved[less], gap[less]
            left = left[~(gap <= near.tolerance)]
        _, off = self._moved(q, 1, near)  # of q as it is, as far as loops were not closed
        solved = open_by(xp, off, near.per_length).max(-1) <= near.tolerance
        kept = xp.array(given)
        kept[:, self._moving] = self._limits.unwound(q, given)[:, self._moving]
        gaps = xp.where(finite[:, None], open_by(xp, off), math.nan)
        return xp.where(finite[:, None], kept, math.nan), solved & finite, gaps.max(-1), gaps

    def _start(self, q, attempt):
        """Where an attempt begins: at q, later on the way from there to a posture elsewhere."""
        if attempt:
            way = difference(self._robot, q, self._elsewhere[attempt])
            q = self._kept(q, integrate(self._robot, q, way * (attempt / ATTEMPTS)))
        return self._kept(q, self._limits.within(q))

    def _kept(self, q, there):
        """q with the positions of moving joints as they are `there`."""
        q = self._arrays.array(q)
        q[:, self._moving] = there[:, self._moving]
        return q

    def _moved(self, q, steps, near):
        """q after some steps, and the chords and distances (N, loops, 2) of its loops."""
        off = self._arrays.zeros(2 * len(self._reach.loops))
        final, _ = self._steps(steps=steps, q=q, off=off, **near._asdict())
        return final["q"], final["off"].reshape(len(q), len(self._reach.loops), 2)

    @cached_property
    def _steps(self):
        """As in search.py: gaps are those of the last q but one, unless q stays as it is."""

        def step(q, tolerance, per_length, off):
            given = q, [], self._reach, self._bounds, tolerance, per_length
            moved, distances, done = reaching_step(self._model, *given)
            return {"q_next": moved, "off_next": distances, "done": done}

        shapes = {"tolerance": (), "per_length": (), "off": 2 * len(self._reach.loops)}
        program = trace(step, q=self._robot.nq, **shapes)
        carry = {"q": "q_next", "off": "off_next"}
        return program.compile_iterate(carry, until="done", target=self._target.name)
