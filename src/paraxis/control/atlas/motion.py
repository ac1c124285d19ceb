"""The motion that loops of an atlas follow, and the same faster or slower."""

import math

import numpy as np

from ...checks import quoted
from ...errors import ArgumentError
from ...scalar import cos, sin
from ..reference import Reference

CYCLE = 2.0  # s
AMPLITUDE = 0.3  # rad or m
COMES_BACK = 1e-6  # rad or m, and a second
GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))  # phases so far apart that no two joints go together


def swaying(robot):
    """Sines about zero, or near it where a joint's limits forbid: a function of t, as a motion."""
    rate = 2 * math.pi / CYCLE
    ways = []
    for k, joint in enumerate(robot.joints):
        amplitude = min(AMPLITUDE, (joint.upper - joint.lower) / 4)
        middle = min(max(0.0, joint.lower + amplitude), joint.upper - amplitude)
        ways.append((middle, amplitude, k * GOLDEN_ANGLE))

    def sway(t):
        angles = [t * rate + phase for *_, phase in ways]
        q = [sin(x) * a + middle for x, (middle, a, _) in zip(angles, ways, strict=True)]
        qd = [cos(x) * (a * rate) for x, (_, a, _) in zip(angles, ways, strict=True)]
        qdd = [sin(x) * (-a * rate**2) for x, (_, a, _) in zip(angles, ways, strict=True)]
        return q, qd, qdd

    return sway


def at_speed(motion):
    """The motion as a function of t and of how many times faster than itself it goes."""

    def scaled(t, speed):
        q, qd, qdd = motion(t * speed)
        return q, [each * speed for each in qd], [each * (speed * speed) for each in qdd]

    return scaled


def checked_motion(robot, motion, cycle):
    """The motion as a Reference, if it comes back after a cycle; a whole turn makes no difference.

    It is asked for at some times, for one may be a place that the motion happens to meet again.
    """
    reference = Reference(motion, robot)
    t = cycle * np.array([0.0, 0.3, 0.7])
    change = reference.sampled(t + cycle)[:, :2] - reference.sampled(t)[:, :2]
    turns = [joint.is_revolute for joint in robot.joints]
    q = change[:, 0, turns]
    change[:, 0, turns] = q - 2 * math.pi * np.rint(q / (2 * math.pi))
    when, part, k = np.unravel_index(np.argmax(np.abs(change)), change.shape)
    if not abs(change[when, part, k]) <= COMES_BACK:
        raise ArgumentError(
            f"motion: expected one that repeats itself after the cycle of {cycle:g} s, found "
            f"{('q', 'qd')[part]} of joint {quoted(robot.joints[k].name)} at {t[when] + cycle:g} s "
            f"different by {change[when, part, k]:.3g} from that at {t[when]:g} s"
        )
    return reference
