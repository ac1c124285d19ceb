"""Smooth motion through points at given times: the spline of least jerk.

Among all curves through the points with the given rates and accelerations at both ends, the one
with the least integral of squared jerk is of fifth powers between the points, with four
continuous derivatives.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError
from ..robots.robot import Robot
from . import given
from .piecewise import PiecewisePolynomial
from .trajectory import Leg, Trajectory


def quintic(
    q0: ArrayLike,
    q1: ArrayLike,
    duration: float,
    qd0: ArrayLike = 0.0,
    qd1: ArrayLike = 0.0,
    qdd0: ArrayLike = 0.0,
    qdd1: ArrayLike = 0.0,
    *,
    robot: Robot | None = None,
) -> Trajectory:
    """Return the motion from `q0` to `q1` along polynomials of fifth degree.

    **Arguments:**

    - `q0`, `q1`: joint positions at the ends, `(n,)`, rad or m.
    - `duration`: seconds from end to end.
    - `qd0`, `qd1`, `qdd0`, `qdd1`: rates and accelerations at the ends, one number or `(n,)`.
    - `robot`: if given, its joint limits are checked.

    **Returns:** a `Trajectory`.

    **Raises:** `px.ArgumentError` if sizes differ or a joint leaves its range.

    **Example:**

    >>> move = px.trajectories.quintic([0.0, 0.0], [1.0, 0.5], duration=2.0)
    >>> q, qd, qdd = move([0.0, 1.0, 2.0])  # at the start, halfway, at the end
    >>> q
    array([[0.  , 0.  ],
           [0.5 , 0.25],
           [1.  , 0.5 ]])
    >>> qd
    array([[0.   , 0.   ],
           [0.938, 0.469],
           [0.   , 0.   ]])
    """
    q0 = given.vector("q0", q0, given.joint_count(robot))
    q1 = given.vector("q1", q1, q0.size)
    times = [0.0, given.positive("duration", duration)]
    ends = _ends(q0.size, qd0=qd0, qd1=qd1, qdd0=qdd0, qdd1=qdd1)
    if not np.any(ends):  # a line, which another profile may start along in another way
        leg = Leg(PiecewisePolynomial.line(q0, q1), rest_to_rest(1.0, times[1]))
    else:
        leg = Leg(_spline(times, np.stack([q0, q1]), *ends), _as_timed(times))
    return Trajectory([leg], robot)


def via_points(
    points: ArrayLike,
    times: ArrayLike,
    qd0: ArrayLike = 0.0,
    qd1: ArrayLike = 0.0,
    qdd0: ArrayLike = 0.0,
    qdd1: ArrayLike = 0.0,
    *,
    robot: Robot | None = None,
) -> Trajectory:
    """Return the motion through points at given times, without stopping between them.

    It is the spline of least jerk: fifth powers with four continuous derivatives.

    **Arguments:**

    - `points`: joint positions, `(k, n)`, rad or m, at least two.
    - `times`: when each is passed, `(k,)`, s, increasing from 0.
    - `qd0`, `qd1`, `qdd0`, `qdd1`: rates and accelerations at the first and last point, one number
      or `(n,)`.
    - `robot`: if given, its joint limits are checked.

    **Returns:** a `Trajectory`.

    **Raises:** `px.ArgumentError` if sizes differ, times do not increase from 0, or a joint leaves
    its range.

    **Example:**

    >>> move = px.trajectories.via_points([[0.0], [1.0], [0.5]], [0.0, 1.0, 2.0])
    >>> q, qd, qdd = move([0.0, 0.5, 1.0, 1.5, 2.0])
    >>> q[:, 0]
    array([0.   , 0.349, 1.   , 0.745, 0.5  ])
    >>> qd[:, 0]
    array([ 0.   ,  1.514,  0.469, -0.986,  0.   ])
    """
    points, times = given.array("points", points, 2), given.array("times", times, 1)
    if len(points) < 2 or len(points) != len(times):
        raise ArgumentError(
            f"points: expected at least 2, and as many times as points, found {len(points)} points "
            f"and {len(times)} times"
        )
    given.vector("points", points[0], given.joint_count(robot))
    if times[0] != 0:
        raise ArgumentError(f"times: expected the first to be 0, found {times[0]}")
    falling = np.flatnonzero(np.diff(times) <= 0)
    if falling.size:
        k = falling[0]
        raise ArgumentError(
            f"times: expected increasing times, found {times[k + 1]} after {times[k]}"
        )
    ends = _ends(points.shape[1], qd0=qd0, qd1=qd1, qdd0=qdd0, qdd1=qdd1)
    return Trajectory([Leg(_spline(times, points, *ends), _as_timed(times))], robot)


def rest_to_rest(length, duration):
    """A profile over `length` that begins and ends at rest, without a jump in acceleration."""
    still = np.zeros((2, 1))
    return PiecewisePolynomial.quintic([0.0, duration], [[0.0], [length]], still, still)


def _ends(n, **asked):
    return [given.each_joint(name, value, n) for name, value in asked.items()]


def _as_timed(times):
    """The profile of a path whose own variable is time."""
    return PiecewisePolynomial.line([0.0], [times[-1]], times[-1])


def _spline(times, points, qd0, qd1, qdd0, qdd1):
    """Rates and accelerations at inner points follow from continuous jerk and snap there.

    Each inner point has two equations in its own two unknowns and those of its neighbours: a block
    tridiagonal system, solved by elimination from the first to the last.
    """
    rates, accelerations = np.zeros_like(points), np.zeros_like(points)
    rates[0], rates[-1], accelerations[0], accelerations[-1] = qd0, qd1, qdd0, qdd1
    h, rise = np.diff(times), np.diff(points, axis=0)
    # the unknowns of a point are carried - ahead @ those of the next one
    ahead, carried = [np.zeros((2, 2))], [np.stack([qd0, qdd0])]
    for k in range(1, len(times) - 1):
        end, begin = _jerk_and_snap_at_end(h[k - 1]), _jerk_and_snap_at_start(h[k])
        before, own, after = end[:, :2], end[:, 2:4] - begin[:, :2], -begin[:, 2:4]
        known = np.outer(begin[:, 4], rise[k]) - np.outer(end[:, 4], rise[k - 1])
        pivot = own - before @ ahead[-1]
        solved = np.linalg.solve(pivot, np.hstack([after, known - before @ carried[-1]]))
        ahead.append(solved[:, :2])
        carried.append(solved[:, 2:])
    following = np.stack([qd1, qdd1])
    for k in reversed(range(1, len(times) - 1)):
        following = carried[k] - ahead[k] @ following
        rates[k], accelerations[k] = following
    return PiecewisePolynomial.quintic(times, points, rates, accelerations)


def _jerk_and_snap_at_start(h):
    """Rows of a quintic piece's third and fourth derivative in (v, a, end v, end a, rise)."""
    return np.array(
        [
            [-36 / h**2, -9 / h, -24 / h**2, 3 / h, 60 / h**3],
            [192 / h**3, 36 / h**2, 168 / h**3, -24 / h**2, -360 / h**4],
        ]
    )


def _jerk_and_snap_at_end(h):
    """The same at its end: seen backwards, rates and jerk change sign."""
    start = _jerk_and_snap_at_start(h)
    mirrored = start[:, [2, 3, 0, 1, 4]] * np.array([-1, 1, -1, 1, -1])
    return mirrored * np.array([[-1], [1]])
