"""One step of numerical inverse kinematics: damped least squares (Levenberg-Marquardt).

The damping follows the squared error, so that far from the goal a singular Jacobian does no harm
and near it the steps are Gauss-Newton's, of quadratic convergence (Sugihara, IEEE Trans. Robotics
27, 2011). Lengths are measured in `length`, so that metres and radians can be weighed together.
"""

import math
from functools import reduce
from typing import NamedTuple

from ...scalar import less, less_equal, maximum, minimum, select
from ..kinematics import forward_kinematics, jacobian
from ..linear.dense import dot
from ..linear.factor import factor, solve
from .pose_error import pose_distance, pose_error

DAMPING = 0.03  # times the squared error; from 0.01 to 0.1 it matters little
FAR = 100.0  # a squared error beyond which more damping would only slow it down
LEAST_DAMPING = 1e-12  # keeps the equations regular at a singular goal


class Aim(NamedTuple):
    """What is to be reached: of a frame's motions the rows that count, of its distances those."""

    rows: slice
    distances: slice


AIMS = {
    "pose": Aim(slice(0, 6), slice(0, 2)),
    "position": Aim(slice(3, 6), slice(1, 2)),
    "rotation": Aim(slice(0, 3), slice(0, 1)),
}


def damped_step(robot, q, goal, frame, length, bounds, tolerance, per_length, aim=AIMS["pose"]):
    """The next q, how far this one is off (as chord and way), and whether that is near enough.

    If so, q stays: when neither the chord nor `per_length` times the way is beyond the tolerance.
    `bounds` are floats (lower, upper) for each joint, infinite where there is none. A joint that
    stands at a bound and is pushed against it takes no part in the step. Of chord and way only
    those that the aim has are given.
    """
    pose = forward_kinematics(robot, q, frame)
    turned, moved = pose_distance(pose, goal)
    distance = (turned, moved)[aim.distances]
    largest = reduce(maximum, (turned, moved * per_length)[aim.distances])
    near = less_equal(largest, tolerance)
    chord, way = pose_error(pose, goal)
    e = [*chord, *(way * (1.0 / length))][aim.rows]
    J = scaled_jacobian(robot, q, frame, length, aim)
    J = [_unless_stopped(j, dot(j, e), x, *stops) for j, x, stops in zip(J, q, bounds, strict=True)]
    damping = minimum(dot(e, e), FAR) * DAMPING + LEAST_DAMPING
    moved = []
    for i, (x, step, stops) in enumerate(zip(q, _damped(J, e, damping), bounds, strict=True)):
        there = x + (step if robot.is_revolute[i] else step * length)
        moved.append(select(near, x, _between(there, *stops)))
    return moved, distance, select(near, 1.0, 0.0)


def scaled_jacobian(robot, q, frame, length, aim=AIMS["pose"]):
    """J by columns, with lengths, also those of sliding joints, in units of `length`."""
    rows = jacobian(robot, q, frame, "world")
    angular, linear = zip(*rows[:3], strict=True), zip(*rows[3:], strict=True)
    return [
        [*turn, *(v * (1.0 / length) if revolute else v for v in slide)][aim.rows]
        for turn, slide, revolute in zip(angular, linear, robot.is_revolute, strict=True)
    ]


def _unless_stopped(column, push, q, lower, upper):
    """A joint's column of J, or zeros where the joint is pushed against a bound it stands at."""
    if lower > -math.inf:
        down = select(less(push, 0.0), less_equal(q, lower), 0.0)
        column = [select(down, 0.0, entry) for entry in column]
    if upper < math.inf:
        up = select(less(0.0, push), less_equal(upper, q), 0.0)
        column = [select(up, 0.0, entry) for entry in column]
    return column


def _between(x, lower, upper):
    x = x if lower == -math.inf else maximum(x, lower)
    return x if upper == math.inf else minimum(x, upper)


def _damped(J, e, damping):
    """(JᵀJ + λ)⁻¹ Jᵀe = Jᵀ (JJᵀ + λ)⁻¹ e, whichever has the smaller matrix."""
    if len(J) <= len(e):
        return _solved(J, [dot(j, e) for j in J], damping)
    rows = list(zip(*J, strict=True))
    force = _solved(rows, e, damping)
    return [dot(j, force) for j in J]


def _solved(vectors, right, damping):
    """x with (G + λ) x = right, where G are the scalar products of the vectors."""
    G = [
        [dot(a, b) + damping if i == j else dot(a, b) for j, b in enumerate(vectors)]
        for i, a in enumerate(vectors)
    ]
    everyone_before = [tuple(reversed(range(i))) for i in range(len(vectors))]
    return solve(factor(everyone_before, G), right)
