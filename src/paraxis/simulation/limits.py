"""Joints that a simulation moves beyond their limits, which it does not enforce.

The recorded states are checked, all of them in an ordinary run. Of long runs of many robots a
sample is, evenly spread in time and over the batch, so that the check costs next to nothing.
"""

import math
from functools import lru_cache

import numpy as np

from ..checks import quoted
from ..errors import RobotWarning, warn
from ..robots.joint import SINGLE
from .run import robot_name

MOST = 1 << 16  # positions that are looked at
ROUNDING = 1e-6  # of a joint's range: so far beyond it may be a controller that holds it at the end
UNITS = {"prismatic": "m"}


def warn_of_limits(robot, run):
    """Warn once of the joint that is farthest beyond its limits."""
    limits = position_limits(robot)
    if limits is None:
        return
    lower, upper = limits
    t, q, robots = (run.t, run.q, 1) if run.q.size <= MOST else sample(run)
    # Counted, since `any` would take longer than the rest for a single state.
    if np.count_nonzero(q < lower) or np.count_nonzero(q > upper):
        warn(_words(robot, t, q, robots), RobotWarning)


@lru_cache(maxsize=64)
def position_limits(robot):
    """The least and largest positions that are no reason to warn; None where any is good.

    Equal limits are how URDF writes that none were given.
    """
    lower, upper = bounds(robot)
    free = ~(lower < upper)
    lower[free], upper[free] = -np.inf, np.inf
    if np.isinf(lower).all() and np.isinf(upper).all():
        return None
    span = upper - lower
    slack = ROUNDING * np.where(np.isfinite(span), span, np.minimum(abs(lower), abs(upper)))
    slack = np.where(np.isfinite(slack), slack, 0.0)
    return lower - slack, upper + slack


def bounds(robot):
    """The limits of every number of q; joints with a quaternion or in a plane have none."""
    limited = [joint.kind in SINGLE or joint.kind == "universal" for joint in robot.joints]
    sides = []
    for side, none in (("lower", -np.inf), ("upper", np.inf)):
        each = zip(robot.joints, limited, strict=True)
        values = [[float(getattr(j, side)) if has else none] * j.nq for j, has in each]
        sides.append(np.array([value for own in values for value in own]))
    return sides


def sample(run):
    """Times and positions of some records, the last among them, and every how many-th robot."""
    records, *batch, n = run.q.shape
    of_record = n * math.prod(batch)
    robots = -(-of_record // MOST) if batch else 1
    every = max(1, records * of_record // robots // MOST)
    q = run.q[::-every][::-1]
    return run.t[::-every][::-1], q[:, ::robots] if batch else q, robots


def _words(robot, t, q, robots):
    """The warning about positions q (records, ..., n) at times t, of every `robots`-th robot."""
    lower, upper = bounds(robot)
    lowest, highest = position_limits(robot)
    outside = (q < lowest) | (q > highest)
    beyond = np.where(outside, np.maximum(lower - q, q - upper), 0.0)
    when, *index, j = worst = np.unravel_index(np.argmax(beyond), beyond.shape)
    joint = [joint for joint in robot.joints for _ in range(joint.nq)][j]
    unit = UNITS.get(joint.kind, "rad")
    left = np.argmax(outside[(slice(None), *index, j)])
    others = int(outside.any(axis=tuple(range(q.ndim - 1))).sum()) - 1
    who = f"joint {quoted(joint.name)}"
    if index:
        index[0] *= robots
        who += f" of {robot_name(index)}"
    also = f" (other joints beyond theirs: {others})" if others else ""
    return (
        f"{who} leaves its range of {joint.lower:g} to {joint.upper:g} {unit} at {t[left]:g} s and "
        f"is {beyond[worst]:.3g} {unit} beyond it at {t[when]:g} s{also}: a simulation does not "
        f"stop joints at their limits. A controller can keep them there; if it does not matter, "
        f"warnings.simplefilter('ignore', px.RobotWarning) silences this"
    )
