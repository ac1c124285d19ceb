"""One step of numerical inverse kinematics: frames of a robot towards their goals.

Closed loops are to be closed at the same time: how far they are open counts as frames do. Without
any goals that assembles the robot.
"""

from functools import reduce
from typing import NamedTuple

from ...scalar import asin, less_equal, maximum, minimum, select, sqrt
from ..configuration import normalize
from ..contact.loop_motion import along, closing
from ..kinematics import frame_poses, jacobian
from ..linear.dense import dot
from ..parts.pose_error import pose_distance, pose_error
from ..parts.ties import ties_of
from .damped_least_squares import damped_step, scaled, turning


class Aim(NamedTuple):
    """What is to be reached: of a frame's motions the rows that count, of its distances those."""

    rows: slice
    distances: slice


AIMS = {
    "pose": Aim(slice(0, 6), slice(0, 2)),
    "position": Aim(slice(3, 6), slice(1, 2)),
    "rotation": Aim(slice(0, 3), slice(0, 1)),
}


class Reach(NamedTuple):
    """The frames that are to be reached with, and the velocities that may be used for it.

    Lengths are compared with angles in units of `length`. Of each frame's pose `aim` matters.
    """

    frames: list
    moving: list[int]
    length: float
    aim: Aim = AIMS["pose"]
    loops: tuple = ()


def reaching_step(robot, q, goals, reach, bounds, tolerance, per_length):
    """The next q, how far this one is off (as chord and way), and whether that is near enough.

    If so, q stays: when neither an angle nor `per_length` times a way is beyond the tolerance. Of
    chord and way only those that the aim has are given, frame by frame; then both of each loop.
    Quaternions come out with unit length.
    """
    q = normalize(robot, q)
    poses, gaps, J = poses_gaps_and_jacobian(robot, q, reach)
    e, distances, measures = [], [], []
    for pose, goal in zip(poses, goals, strict=True):
        turned, moved = pose_distance(pose, goal)
        distances += (turned, moved)[reach.aim.distances]
        measures += (angle_of(turned), moved * per_length)[reach.aim.distances]
        chord, way = pose_error(pose, goal)
        e += [*chord, *(way * (1.0 / reach.length))][reach.aim.rows]
    for loop, gap in zip(reach.loops, gaps, strict=True):
        each = list(zip(gap, are_angles(loop), strict=True))
        turned, moved = (_size([x for x, angle in each if angle is part]) for part in (True, False))
        distances += (turned, moved)
        measures += (angle_of(turned), moved * per_length)
        e += [-x if angle else -x * (1.0 / reach.length) for x, angle in each]
    near = less_equal(reduce(maximum, measures), tolerance)
    there = damped_step(robot, q, J, e, reach.length, bounds, reach.moving)
    moved = [select(near, x, y) for x, y in zip(q, there, strict=True)]
    return moved, distances, select(near, 1.0, 0.0)


def angle_of(chord):
    """The angle of a rotation by the chord of the unit circle."""
    return 2.0 * asin(minimum(chord * 0.5, 1.0))


def poses_gaps_and_jacobian(robot, q, reach):
    """The poses of the frames, how far loops are open, and the slopes of all that matters of these
    by each moving velocity."""
    ties, gaps, rows, angular = ties_of(robot, q), [], [], []
    for frame in reach.frames:
        rows += jacobian(robot, ties.q, frame, "world")[reach.aim.rows]
        angular += ([True] * 3 + [False] * 3)[reach.aim.rows]
    for loop in reach.loops:
        gap, slopes = closing(robot, ties.q, loop)
        gaps.append(gap)
        rows += slopes
        angular += are_angles(loop)
    J = scaled(ties.columns(rows), angular, turning(robot), reach.length, reach.moving)
    return frame_poses(robot, ties.q, reach.frames), gaps, J


def are_angles(loop):
    """Of each direction of a loop: whether it is a rotation."""
    return [any(direction[:3]) for direction in along(loop)]


def _size(x):
    return sqrt(dot(x, x)) if x else 0.0
