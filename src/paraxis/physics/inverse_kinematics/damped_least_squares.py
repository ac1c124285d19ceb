"""One step of damped least squares (Levenberg-Marquardt) over the positions of a robot.

The damping follows the squared error, so that a singular Jacobian far from the goal does no harm,
and near it the steps are Gauss-Newton steps with quadratic convergence (Sugihara, IEEE Trans.
Robotics 27, 2011). Of all steps that reduce the error equally it is the shortest, so that joints
stay close to where they were. Lengths are measured in units of `length`, so that metres and radians
can be weighted together.
"""

import math

from ...scalar import less, less_equal, maximum, minimum, select
from ..configuration import integrate
from ..linear.dense import dot
from ..linear.factor import factor, solve

DAMPING = 0.03  # times the squared error; from 0.01 to 0.1 it matters little
FAR = 100.0  # a squared error above which more damping would only slow down convergence
LEAST_DAMPING = 1e-12  # keeps the equations regular at a singular goal
UNBOUNDED = (-math.inf, math.inf)


def damped_step(robot, q, J, e, length, bounds, moving):
    """The q after the step that makes J times the step like e, in the sense of least squares.

    J has a column for each velocity that is `moving`, sorted; sliding joints move in units of
    `length`. `bounds` are floats (lower, upper) for each entry of q, infinite if there is none. A
    joint that is at a bound and pushed against it does not take part in the step.
    """
    here, stops = _by_velocity(robot, q, 0.0), _by_velocity(robot, bounds, UNBOUNDED)
    J = [_unless_stopped(j, dot(j, e), here[k], *stops[k]) for k, j in zip(moving, J, strict=True)]
    damping = minimum(dot(e, e), FAR) * DAMPING + LEAST_DAMPING
    turns, steps = turning(robot), [0.0] * len(here)
    for k, step in zip(moving, _damped(J, e, damping), strict=True):
        steps[k] = step if turns[k] else step * length
    there = integrate(robot, q, steps)
    return [between(x, *stop) for x, stop in zip(there, bounds, strict=True)]


def scaled(J, angular, turns, length, moving):
    """Columns of J with all lengths in units of `length`; `angular` says which rows are angles."""
    per = {(True, True): 1.0, (False, False): 1.0, (False, True): 1.0 / length}
    per[True, False] = length
    return [
        [row[k] * per[angle, turns[k]] for row, angle in zip(J, angular, strict=True)]
        for k in moving
    ]


def turning(robot):
    """Whether each velocity of a robot is a rotation rather than a translation."""
    return [row.is_revolute for row in robot.robot.own_rows]


def _by_velocity(robot, numbers, otherwise):
    """Numbers of entries of q for each velocity; `otherwise` if the position has a quaternion."""
    found, first = [], 0
    for joint in robot.described.joints:
        own = numbers[first : first + joint.nq]
        found.extend(own if joint.nq == joint.nv else [otherwise] * joint.nv)
        first += joint.nq
    return found


def _unless_stopped(column, push, q, lower, upper):
    """A joint's column of J, or zeros if the joint is at a bound and pushed against it."""
    if lower > -math.inf:
        down = select(less(push, 0.0), less_equal(q, lower), 0.0)
        column = [select(down, 0.0, entry) for entry in column]
    if upper < math.inf:
        up = select(less(0.0, push), less_equal(upper, q), 0.0)
        column = [select(up, 0.0, entry) for entry in column]
    return column


def between(x, lower, upper):
    """x, or the bound that it exceeds."""
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
