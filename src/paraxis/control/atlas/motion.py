"""The periodic motion followed by the loops of an atlas, at any speed."""

import math

import numpy as np

from ...checks import quoted
from ...errors import ArgumentError
from ...robots.joint import LIMITED
from ...robots.rows import rows_of
from ...robots.scales import joint_scales
from ...scalar import cos, sin
from ..reference import Reference
from ..returning import gaps_after

CYCLE = 2.0  # s
AMPLITUDE = 0.3  # rad, or times the robot's length
GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))  # phases that keep any two joints apart


def swaying(robot):
    """Sines about zero, or near it where joint limits exclude zero: a motion as a function of t."""
    for joint in robot.joints:
        if joint.kind not in LIMITED:
            raise ArgumentError(
                f"motion: give motion and cycle, because the default sines do not fit joint "
                f"{quoted(joint.name)} ({joint.kind})"
            )
    rows, rate = rows_of(robot), 2 * math.pi / CYCLE
    ways = []
    each = zip(joint_scales(rows), robot.lower.tolist(), robot.upper.tolist(), strict=True)
    for k, (scale, lower, upper) in enumerate(each):
        amplitude = min(AMPLITUDE * scale, (upper - lower) / 4)
        middle = min(max(0.0, lower + amplitude), upper - amplitude)
        ways.append((middle, amplitude, k * GOLDEN_ANGLE))

    def sway(t):
        angles = [t * rate + phase for *_, phase in ways]
        q = [sin(x) * a + middle for x, (middle, a, _) in zip(angles, ways, strict=True)]
        qd = [cos(x) * (a * rate) for x, (_, a, _) in zip(angles, ways, strict=True)]
        qdd = [sin(x) * (-a * rate**2) for x, (_, a, _) in zip(angles, ways, strict=True)]
        return q, qd, qdd

    return sway


def at_speed(motion):
    """The motion as a function of t and of a factor of its speed."""

    def scaled(t, speed):
        q, qd, qdd = motion(t * speed)
        return q, [each * speed for each in qd], [each * (speed * speed) for each in qdd]

    return scaled


def checked_motion(robot, motion, cycle):
    """The motion as a Reference, if it repeats after a cycle; full turns are ignored.

    It is evaluated at several times, because a motion may happen to pass through a state again.
    """
    reference = Reference(motion, robot)
    t = cycle * np.array([0.0, 0.3, 0.7])
    begin, end = (reference.sampled(times) for times in (t, t + cycle))
    gaps = gaps_after(robot, begin, end, cycle)
    if gaps.any():
        when, part, k = np.unravel_index(np.argmax(np.abs(gaps)), gaps.shape)
        raise ArgumentError(
            f"motion: it does not repeat after the cycle of {cycle:g} s: {('q', 'qd')[part]} of "
            f"joint {quoted(rows_of(robot).own_rows[k].name)} at {t[when] + cycle:g} s differs by "
            f"{gaps[when, part, k]:.3g} from its value at {t[when]:g} s"
        )
    return reference
