"""The motion that loops of an atlas follow, and the same faster or slower."""

import math

from ...scalar import cos, sin

CYCLE = 2.0  # s
AMPLITUDE = 0.3  # rad or m
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
