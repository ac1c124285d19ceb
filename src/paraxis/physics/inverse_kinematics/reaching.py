"""One step of numerical inverse kinematics: frames of a robot towards their goals.

Closed loops are closed at the same time: their gaps count like errors of frames. Without any goals
this assembles the robot.
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
    """The rows of a frame's motions that count, and of its distances."""

    rows: slice
    distances: slice


AIMS = {
    "pose": Aim(slice(0, 6), slice(0, 2)),
    "position": Aim(slice(3, 6), slice(1, 2)),
    "rotation": Aim(slice(0, 3), slice(0, 1)),
}


class Reach(NamedTuple):
    """The frames that have goals, and the velocities that may be used to reach them.

    Lengths are compared with angles in units of `length`. `aim` selects parts of each frame's pose.
    """

    frames: list
    moving: list[int]
    length: float
    aim: Aim = AIMS["pose"]
    loops: tuple = ()


def reaching_step(robot, q, goals, reach, bounds, tolerance, per_length):
    """The next q, the errors of this one (as chord and way), and whether they are small enough.

    If they are, q stays: when neither an angle nor `per_length` times a way exceeds the tolerance.
    Chords and ways are returned frame by frame, only as far as the aim has them; then both for each
    loop. The resulting quaternions have unit length.
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
    """The poses of the frames, the gaps of loops, and the slopes of all relevant parts of these by
    each moving velocity."""
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
    """Whether each direction of a loop is a rotation."""
    return [any(direction[:3]) for direction in along(loop)]


def _size(x):
    return sqrt(dot(x, x)) if x else 0.0
