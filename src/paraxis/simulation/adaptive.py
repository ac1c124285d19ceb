"""A step whose length is chosen by its own error: Dormand and Prince's fifth order with a fourth.

An attempt is a straight line, so it is a body like any other: whether it is accepted, and how long
the next one will be, are selected. The state then carries its time and its step.
"""

from ..errors import ArgumentError
from ..physics.configuration import integrate, single_positions, straight_rate
from ..scalar import less_equal, maximum, minimum, select, sqrt

# Dormand and Prince 1980: nodes, and the weights of earlier slopes; the last row is the result,
# whose slope is the first of the next step.
NODES = (0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1)
WEIGHTS = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
# The result less that of fourth order.
ERROR = (71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)

SAFETY, SHORTER, LONGER = 0.9, 0.2, 4.0
MOST_ATTEMPTS = 100_000  # in a dt, unless the caller sets another limit

# The first step under a controller, in seconds, as Hairer, Nørsett and Wanner begin at rest. Its
# torques may depend on time: a robot at rest gives no hint of a torque that begins later, and a
# first step over the whole interval could miss it. Each step is at most LONGER times the last.
FIRST_STEP = 1e-6
LEAST_STEP = 1e-13  # of an interval, or of a second if that is shorter: less gets nowhere


class Steps:
    """How long adaptive steps of one call may be, over intervals of `interval` seconds."""

    def __init__(self, interval, max_step, with_controller):
        careful = max(FIRST_STEP, interval * 1e-9) if with_controller else interval
        self.longest = max_step
        self.first = min(interval, max_step, careful)
        self.least = min(interval, 1.0) * LEAST_STEP


def require_enough_attempts(dt, max_step, max_attempts):
    """Raise where even the longest steps do not reach the end of a dt."""
    if dt / max_step > max_attempts:
        raise ArgumentError(
            f"max_step: {max_step:g} s needs at least {dt / max_step:.3g} steps in a dt of {dt:g} "
            f"s, but max_attempts is {max_attempts}; make one of them larger, or dt shorter"
        )


def dormand_prince(accelerations, robot, t, q, qd, h):
    """The state after a step of length h, and the errors of the way and of qd in it."""
    rates, slopes, joints = [], [], range(len(qd))
    for node, weights in zip(NODES, WEIGHTS, strict=True):
        way = [_sum(h, weights, rates, j) for j in joints]
        rate = [x + _sum(h, weights, slopes, j) for j, x in enumerate(qd)]
        at = integrate(robot, q, way)
        rates.append(straight_rate(robot, way, rate))
        slopes.append(accelerations(t + h * node, at, rate))
    wrong = [_sum(h, ERROR, rates, j) for j in joints]
    wrong += [_sum(h, ERROR, slopes, j) for j in joints]
    return at, rate, wrong


def _sum(h, weights, slopes, j):
    change = 0.0
    for weight, slope in zip(weights, slopes, strict=False):
        change = change + slope[j] * weight
    return h * change


def attempt(accelerations, robot, t, q, qd, h, end, longest, tolerance, units):
    """Try a step of length h, or to the end if that is nearer; returns the next (t, q, qd, h).

    Accepted when the error is within tolerance·(unit + |x|) for every coordinate and rate; else the
    state stays, and the next step is shorter. The next is at most as long as `longest`. `units` has
    one for each degree of freedom; positions of joints that have several count as 0.
    """
    left = end - t
    last = less_equal(left, h)
    length = select(last, left, h)
    new_q, new_qd, wrong = dormand_prince(accelerations, robot, t, q, qd, length)
    worst = 0.0
    was, is_now = (single_positions(robot, each) for each in (q, new_q))
    each = zip(wrong, [*was, *qd], [*is_now, *new_qd], [*units, *units], strict=True)
    for error, old, new, unit in each:
        scale = (maximum(abs(old), abs(new)) + unit) * tolerance
        worst = maximum(abs(error) / scale, worst)
    # The error goes as the fifth power of the length; the fourth root is a little more careful
    # and needs only square roots.
    factor = minimum(maximum(SAFETY / sqrt(sqrt(maximum(worst, 1e-12))), SHORTER), LONGER)
    # An error that is no number: much shorter, and where that does not help it is reported.
    factor = select(less_equal(worst, 1e300), factor, SHORTER)
    good = less_equal(worst, 1.0)
    next_t = select(good, select(last, end, t + length), t)
    # A last step is cut short by the end, which says nothing of how long the next may be.
    next_h = select(good, maximum(length * factor, select(last, h, 0.0)), length * factor)
    next_h = minimum(next_h, longest)
    keep = [select(good, new, old) for new, old in zip(new_q, q, strict=True)]
    keep_d = [select(good, new, old) for new, old in zip(new_qd, qd, strict=True)]
    return next_t, keep, keep_d, next_h
