"""Orientations that are right angles but for the digits they were typed with, made right angles.

Descriptions write a right angle as 1.5708 or 1.57079632679. Taken literally, it costs operations in
every state, while an exact right angle costs none. Right angles are the quarter and half turns
among roll, pitch and yaw, as people write them: other orientations may have entries that are small
by accident, and a zero needs few digits, so that small angles alone are kept. No orientation or
axis is moved by more than a tolerance, in rad.
"""

import math
import operator
from dataclasses import replace

import numpy as np

from ..checks import quoted
from ..errors import RobotError
from .pose import Pose

SNAP = 1e-9  # rad, by default on reading: angles of ten digits, and no visible change
NOISE = 1e-12  # rad: what arithmetic leaves of an angle of zero


def snapped(robot, tolerance):
    """`robot` with its joints, axes and frames at right angles where they nearly are."""
    tolerance = checked_tolerance(tolerance)
    joints = [
        _changed(joint, tolerance, "placement", "axis", "second_axis") for joint in robot.joints
    ]
    frames = [_changed(frame, tolerance, "pose") for frame in robot.frames]
    loops = [_changed_loop(loop, tolerance) for loop in robot.loops]
    base = snapped_pose(robot.base, tolerance)
    before = (*robot.joints, *robot.frames, *robot.loops, robot.base)
    if all(map(operator.is_, (*joints, *frames, *loops, base), before)):
        return robot
    return replace(robot, joints=joints, frames=frames, loops=loops, base=base, warn=False)


def checked_tolerance(tolerance):
    """A number of rad, less than a tenth: beyond that, angles are meant as they are."""
    number = isinstance(tolerance, int | float | np.number) and not isinstance(tolerance, bool)
    if not number or not 0 <= tolerance <= 0.1:
        raise RobotError(f"snap: expected an angle from 0 to 0.1 rad, found {quoted(tolerance)}")
    return float(tolerance)


def _changed_loop(loop, tolerance):
    first, second = (_changed(each, tolerance, "pose") for each in (loop.first, loop.second))
    if first is loop.first and second is loop.second:
        return loop
    return replace(loop, first=first, second=second)


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


def snapped_rpy(xyz, rpy, tolerance, what="origin"):
    """`Pose.from_rpy` with angles that are nearly right ones exact."""
    given = Pose.from_rpy(xyz, rpy, what)
    right = _right_angles(rpy, tolerance)
    if right == [*rpy]:  # nearly always, and a million times for a long chain
        return given
    found = Pose.from_rpy(xyz, right, what)
    return given if _angle(given, found) > tolerance else found


def snapped_pose(pose, tolerance):
    """The pose with right angles among its roll, pitch and yaw exact; itself, if they are."""
    small = any(0.0 < abs(v) <= tolerance for row in pose.rotation for v in row)
    if not small:  # no right angle, or exact ones
        return pose
    roll, pitch, yaw = pose.rpy
    if abs(abs(pitch) - math.pi / 2) <= tolerance:  # then only a sum of roll and yaw is known
        (_, (_, c, s), _) = pose.rotation
        roll, yaw = math.atan2(-s, c), 0.0
    right = _right_angles((roll, pitch, yaw), tolerance)
    found = Pose.from_rpy(pose.translation, right)
    return pose if _zeros(found) <= _zeros(pose) or _angle(pose, found) > tolerance else found


def _right_angles(angles, tolerance):
    """The angles, right ones exact; where none is a quarter or half turn, small ones are kept."""
    quarters = [round(angle / (math.pi / 2)) for angle in angles]
    near = [abs(a - k * (math.pi / 2)) <= tolerance for a, k in zip(angles, quarters, strict=True)]
    if not any(k % 4 and close for k, close in zip(quarters, near, strict=True)):
        near = [abs(angle) <= min(tolerance, NOISE) for angle in angles]
    return [
        ((k + 1) % 4 - 1) * (math.pi / 2) if close else angle
        for angle, k, close in zip(angles, quarters, near, strict=True)
    ]


def _zeros(pose):
    return [v for row in pose.rotation for v in row].count(0.0)


def _angle(a, b):
    """Of the turn from one pose to another near it, rad."""
    turn = np.array(a.rotation).T @ np.array(b.rotation)
    return math.hypot(turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]) / 2
