"""One step of numerical inverse kinematics: frames of a robot towards their goals."""

from functools import reduce
from typing import NamedTuple

from ...robots.ties import Ties
from ...scalar import less_equal, maximum, select
from ..configuration import normalize
from ..kinematics import frame_poses, jacobian
from .damped_least_squares import damped_step, scaled, turning
from .pose_error import pose_distance, pose_error


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

    `length` is what makes an angle of it, `aim` what of each frame's pose matters.
    """

    frames: list
    moving: list[int]
    length: float
    aim: Aim


def reaching_step(robot, q, goals, reach, bounds, tolerance, per_length):
    """The next q, how far this one is off (as chord and way), and whether that is near enough.

    If so, q stays: when neither a chord nor `per_length` times a way is beyond the tolerance. Of
    chord and way only those that the aim has are given, frame by frame. Quaternions come out with
    unit length.
    """
    q = normalize(robot, q)
    poses, J = poses_and_jacobian(robot, q, reach)
    e, distances, measures = [], [], []
    for pose, goal in zip(poses, goals, strict=True):
        turned, moved = pose_distance(pose, goal)
        distances += (turned, moved)[reach.aim.distances]
        measures += (turned, moved * per_length)[reach.aim.distances]
        chord, way = pose_error(pose, goal)
        e += [*chord, *(way * (1.0 / reach.length))][reach.aim.rows]
    near = less_equal(reduce(maximum, measures), tolerance)
    there = damped_step(robot, q, J, e, reach.length, bounds, reach.moving)
    moved = [select(near, x, y) for x, y in zip(q, there, strict=True)]
    return moved, distances, select(near, 1.0, 0.0)


def poses_and_jacobian(robot, q, reach):
    """The poses of the frames, and how the rows that matter change with each moving velocity."""
    ties = Ties(robot.robot, q) if getattr(robot.robot, "followers", None) else None
    at = q if ties is None else ties.q
    columns = [[] for _ in reach.moving]
    for frame in reach.frames:
        J = jacobian(robot, at, frame, "world")
        J = J if ties is None else ties.columns(J)
        own = scaled(J, turning(robot), reach.length, reach.moving)
        columns = [a + b[reach.aim.rows] for a, b in zip(columns, own, strict=True)]
    return frame_poses(robot, at, reach.frames), columns
