"""Limits of a robot as arrays: a number for each of q, or for each degree of freedom.

A joint that follows one other hands its limits on to that one: of positions, where they are a range
of it, and of velocities, where it follows linearly. A `px.RobotWarning` names those that may
leave their limits all the same.
"""

import math
import sys
from itertools import pairwise

import numpy as np
from numpy.polynomial.polynomial import polyroots

from ..checks import listing, quoted
from .check import warn_of
from .coupling import slope, value

ROUNDING = 1e-9  # by how much, relative, a limit may be passed


def position_limits(robot):
    """The lower and the upper position limits, each (nq,)."""
    lower, upper = _spread(robot, "lower", "nq"), _spread(robot, "upper", "nq")
    index, followers = _indices(robot, "nq"), _followers(robot)
    for joint in (*_of_one(followers),) * 2:  # a range may be the only one that others leave
        ((leader, own),) = joint.coupling.terms
        k = index[leader]
        ranges = _where_between(own, joint.lower, joint.upper, lower[k], upper[k])
        if len(ranges) == 1:  # none at all is no limit of a mechanism
            ((lower[k], upper[k]),) = ranges
    beyond = []
    for joint in followers:
        ends = [_extremes(own, lower[index[a]], upper[index[a]]) for a, own in joint.coupling.terms]
        least, most = map(sum, zip(*ends, strict=True))
        if _exceeds(joint.lower, least) or _exceeds(most, joint.upper):
            beyond.append(joint.name)
    _warn(robot, "position", beyond)
    return _unchanging(lower), _unchanging(upper)


def velocity_limit(robot):
    """The largest velocities, (nv,)."""
    fastest, followers = _spread(robot, "max_velocity", "nv"), _followers(robot)
    index, place = _indices(robot, "nv"), _indices(robot, "nq")
    for joint in _of_one(followers):
        ((leader, own),) = joint.coupling.terms
        if len(own) > 1 and own[1] and not any(own[2:]) and joint.max_velocity:
            k = index[leader]
            fastest[k] = min(fastest[k], joint.max_velocity / abs(own[1]))
    beyond = []
    for joint in followers:
        most = 0.0
        for leader, own in joint.coupling.terms:
            k = place[leader]
            steepest = max(map(abs, _extremes(slope(own), robot.lower[k], robot.upper[k])))
            if steepest and fastest[index[leader]]:
                most += steepest * fastest[index[leader]]
        if _exceeds(most, joint.max_velocity):
            beyond.append(joint.name)
    _warn(robot, "velocity", beyond)
    return _unchanging(fastest)


def effort_limit(robot):
    """The largest torques and forces, (nv,)."""
    return _unchanging(_spread(robot, "max_effort", "nv"))


def _spread(robot, name, size):
    """A limit of each joint, as often as the joint has numbers."""
    limits = [getattr(joint, name) for joint in robot.joints]
    return np.repeat(limits, [getattr(joint, size) for joint in robot.joints]).astype(float)


def _unchanging(limits):
    limits.setflags(write=False)  # of a robot, which does not change
    return limits


def _indices(robot, size):
    """Where the numbers of each joint begin, by its name."""
    sizes = [getattr(joint, size) for joint in robot.joints]
    return dict(zip(robot.joint_names, np.cumsum([0, *sizes]).tolist(), strict=False))


def _followers(robot):
    return [joint for joint in robot.joints if joint.coupling is not None]


def _of_one(followers):
    """Those that follow one other joint."""
    return [joint for joint in followers if len(joint.coupling.terms) == 1]


def _warn(robot, what, names):
    if names:
        sentence = (
            f"joints that may pass their {what} limits, because these are no limits of a single "
            f"joint that they follow: {listing(names, 5)}; limit the joints that they follow "
            "instead"
        )
        warn_of(f"robot {quoted(robot.name)}", [sentence])


# -- polynomials of a leader's position ------------------------------------------------------------


def _where_between(coefficients, least, most, low, high):
    """The ranges within `low` and `high` where a polynomial is between `least` and `most`."""
    points = {low, high}
    for bound in (least, most):
        if math.isfinite(bound):
            points |= _roots((coefficients[0] - bound, *coefficients[1:]), low, high)
    found = []
    for a, b in pairwise(sorted(points)):
        if least <= value(coefficients, _between(a, b)) <= most:
            begin = found.pop()[0] if found and found[-1][1] == a else a
            found.append((begin, b))
    return found


def _extremes(coefficients, low, high):
    """The least and the largest value of a polynomial between `low` and `high`."""
    inside = [value(coefficients, x) for x in _roots(slope(coefficients), low, high)]
    found = [_at(coefficients, low), _at(coefficients, high), *inside]
    return min(found), max(found)


def _roots(coefficients, low, high):
    """The roots of a polynomial between `low` and `high`.

    Highest powers that change it by less than a rounding error there are left out: divided by
    their coefficients, the others lose their digits.
    """
    reach = max((abs(x) for x in (low, high) if math.isfinite(x)), default=1.0)
    sizes = [abs(each) * reach**k for k, each in enumerate(coefficients)]
    count = len(sizes)
    while count > 1 and sizes[count - 1] <= sys.float_info.epsilon * max(sizes):
        count -= 1
    found = polyroots(coefficients[:count]) if any(coefficients) else []
    return {float(x.real) for x in found if np.isreal(x) and low < x.real < high}


def _at(coefficients, x):
    """The value of a polynomial, also where `x` is infinite."""
    if math.isfinite(x) or not any(coefficients[1:]):
        return value(coefficients, x if math.isfinite(x) else 0.0)
    degree = max(k for k, each in enumerate(coefficients) if each)
    return math.copysign(math.inf, coefficients[degree] * math.copysign(1.0, x) ** degree)


def _between(a, b):
    if math.isfinite(a) and math.isfinite(b):
        return (a + b) / 2
    if math.isfinite(a):
        return a + 1.0
    return b - 1.0 if math.isfinite(b) else 0.0


def _exceeds(a, b):
    return a > b + ROUNDING * max(1.0, abs(a), abs(b)) if math.isfinite(b) else a > b
