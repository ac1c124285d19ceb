"""Orientations that are right angles but for the digits they were typed with, made right angles.

Descriptions write a right angle as 1.5708 or 1.57079632679. Taken literally, each of its sines and
cosines costs operations in every state; an exact right angle costs none. An orientation or axis
is moved only if a right angle is nearer than a tolerance, in rad, and never by more than that.
"""

import math
import operator
from dataclasses import replace
from itertools import product

import numpy as np

from ..checks import quoted
from ..errors import RobotError
from .pose import Pose, clean
from .seat import decompose, rx, rz

SNAP = (
    1e-9  # rad: by default on reading; far below what changes any result, above 10 or more digits
)


def snapped(robot, tolerance):
    """`robot` with its joints, axes and frames at right angles where they nearly are."""
    tolerance = checked_tolerance(tolerance)
    joints = [
        _changed(joint, tolerance, "placement", "axis", "second_axis") for joint in robot.joints
    ]
    frames = [_changed(frame, tolerance, "pose") for frame in robot.frames]
    base = snapped_pose(robot.base, tolerance)
    before = (*robot.joints, *robot.frames, robot.base)
    if all(map(operator.is_, (*joints, *frames, base), before)):
        return robot
    return replace(robot, joints=joints, frames=frames, base=base, warn=False)


def checked_tolerance(tolerance):
    """A number of rad, less than a tenth: beyond that, angles are meant as they are."""
    number = isinstance(tolerance, int | float | np.number) and not isinstance(tolerance, bool)
    if not number or not 0 <= tolerance <= 0.1:
        raise RobotError(f"snap: expected an angle from 0 to 0.1 rad, found {quoted(tolerance)}")
    return float(tolerance)


def _changed(thing, tolerance, *names):
    """A joint or frame with some of its poses and axes snapped; itself, if they all are."""
    changes = {}
    for name in names:
        given = getattr(thing, name)
        snap = snapped_pose if isinstance(given, Pose) else snapped_axis
        if given is not None and (found := snap(given, tolerance)) is not given:
            changes[name] = found
    return replace(thing, **changes) if changes else thing


def snapped_axis(axis, tolerance):
    """A unit vector without components that a turn by less than the tolerance removes."""
    kept = tuple(v if abs(v) > tolerance else 0.0 for v in axis)
    if kept == axis or math.dist(kept, axis) > tolerance:
        return axis
    length = math.hypot(*kept)
    return tuple(v / length for v in kept)


def snapped_pose(pose, tolerance):
    """The pose with its right angles exact; the pose itself, if they are."""
    small = any(0.0 < abs(v) <= tolerance for row in pose.rotation for v in row)
    if not small:  # nearly always, and a million times for a long chain
        return pose
    given = np.array(pose.rotation)
    found = _snapped_rotation(given, tolerance)
    return pose if _angle(given, found) > tolerance else Pose(found.tolist(), pose.translation)


def _angle(a, b):
    """Of the turn from one rotation to another near it, rad."""
    turn = a.T @ b
    return math.hypot(turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]) / 2


def _snapped_rotation(rotation, tolerance):
    """Rz(b) Rx(a) Rz(c) with right angles exact, of the coordinates in which a is nearest to one.

    If any of the roll, pitch and yaw of a rotation is a right angle, then one of its entries is 0
    or 1. That entry becomes cos(a) by renaming axes.
    """
    off = np.minimum(abs(rotation), _sines(rotation))  # of each entry as a cosine, from 0 or 1
    i, j = np.unravel_index(np.argmin(off), (3, 3))
    rows, columns = np.roll(np.arange(3), 2 - i), np.roll(np.arange(3), 2 - j)
    named = rotation[np.ix_(rows, columns)]
    if _sines(named)[2, 2] <= tolerance:  # only the sum of b and c is known
        flip = np.sign(named[2, 2])
        a, b = (flip, 0.0), (1.0, 0.0)
        c = _unit((named[0, 0] + flip * named[1, 1], flip * named[1, 0] - named[0, 1]))
    else:
        b, a, c = decompose(named)
    b, a, c = (_right(pair, tolerance) for pair in (b, a, c))
    back_rows, back_columns = np.argsort(rows), np.argsort(columns)
    return clean(rz(*b) @ rx(*a) @ rz(*c))[np.ix_(back_rows, back_columns)]


def _sines(rotation):
    """Of the angles whose cosines the entries are, from the other entries: precise near 0."""
    squares = rotation**2
    others = [squares[:, (j + 1) % 3] + squares[:, (j + 2) % 3] for j in range(3)]
    return np.sqrt(np.stack(others, axis=1))


def _unit(pair):
    length = math.hypot(*pair)
    return pair[0] / length, pair[1] / length


def _right(pair, tolerance):
    """A (cosine, sine), exact if the angle is nearly a right one."""
    for exact in product((0.0, 1.0, -1.0), repeat=2):
        if abs(exact[0]) + abs(exact[1]) == 1.0 and math.dist(pair, exact) <= tolerance:
            return exact
    return pair
