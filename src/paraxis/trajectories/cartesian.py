"""Straight lines of a frame, as motions of the joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ..api import bias_acceleration, forward_kinematics, jacobian
from ..drivers.map import in_main_memory
from ..errors import ArgumentError
from ..robots.pose import Pose
from ..robots.robot import Robot
from ..robots.scales import length_scale
from . import given
from .corners import rounded
from .follow import follow
from .joint_range import check_in_range
from .peaks import peaks
from .polyline import Polyline, rotation_vector
from .spline import rest_to_rest
from .trajectory import Leg, Trajectory
from .trapezoid import trapezoid

NOTHING = 1e-9  # of a radian, or of the robot's length: a line so short goes nowhere
ROUNDED = 1 + 1e-12  # half of a line may be given with a rounding error


def cartesian_line(
    robot: Robot,
    q0: ArrayLike,
    target: ArrayLike | Pose,
    *,
    duration: float | None = None,
    max_velocity: float | None = None,
    max_acceleration: float | None = None,
    frame: str | None = None,
) -> Trajectory:
    """Return the motion of the joints that moves a frame's origin straight to `target`.

    The joints move without jumps; if there are more than needed, they move as little as possible.
    Give either `duration`, for a quintic profile over the distance in m (over the angle where the
    frame only turns), or `max_velocity` and `max_acceleration`, for a trapezoidal one. Limits are
    checked on the finished motion, which is slowed down where the frame would exceed them.

    **Arguments:**

    - `robot`: the robot.
    - `q0`: joint positions at the start, `(n,)`, rad or m; `px.inverse_kinematics` finds them for a
      pose.
    - `target`: a `Pose` or a matrix `(4, 4)`, to which the frame turns evenly, about one axis; or a
      point `(3,)`, which leaves the orientation free. In the world, m.
    - `duration`: seconds from start to end.
    - `max_velocity`, `max_acceleration`: of the frame, m/s and m/s², or rad/s and rad/s² where it
      only turns.
    - `frame`: name of the frame; by default the tool.

    **Returns:** a `Trajectory`.

    **Raises:** `px.ArgumentError` if the joints cannot follow the line, or it passes a singularity
    too closely for accelerations to be computed.

    **Example:**

    >>> robot = px.load("ur5")
    >>> home = np.array([0.3, -1.2, 1.5, -1.8, -1.5, 0.0])
    >>> start = px.forward_kinematics(robot, home)[:3, 3]
    >>> end = start + [0.0, 0.1, 0.2]
    >>> line = px.trajectories.cartesian_line(robot, home, end, duration=1.0)
    >>> q = line([0.0, 0.5, 1.0])[0]
    >>> px.forward_kinematics(robot, q)[:, :3, 3] - start  # m
    array([[0.  , 0.  , 0.  ],
           [0.  , 0.05, 0.1 ],
           [0.  , 0.1 , 0.2 ]])
    """
    timing = _timing(duration, max_velocity, max_acceleration)
    return _through(robot, q0, [target], 0.0, timing, frame, "cartesian_line")


def cartesian_via_points(
    robot: Robot,
    q0: ArrayLike,
    targets: Sequence[ArrayLike | Pose] | np.ndarray,
    *,
    blend: float = 0.0,
    duration: float | None = None,
    max_velocity: float | None = None,
    max_acceleration: float | None = None,
    frame: str | None = None,
) -> Trajectory:
    """Return the motion that moves a frame along straight lines from target to target.

    **Arguments:**

    - `robot`: the robot.
    - `q0`: joint positions at the start, `(n,)`, rad or m.
    - `targets`: all poses or all points, one after another.
    - `blend`: by default 0, and the frame stops at each target. Otherwise it does not stop: corners
      are rounded from this distance before a target to this distance after it, with continuous
      curvature, and pass the target within 3/8 of it. At most half of the shortest line, m.
    - `duration`: of the whole motion, s, shared among the lines by their lengths.
    - `max_velocity`, `max_acceleration`: of the frame, as of `px.trajectories.cartesian_line`. It
      slows down around corners, so that the magnitude of its acceleration stays within the limit.
    - `frame`: name of the frame; by default the tool.

    **Returns:** a `Trajectory`.

    **Raises:** as `px.trajectories.cartesian_line`.

    **Example:**

    >>> robot = px.load("ur5")
    >>> home = np.array([0.3, -1.2, 1.5, -1.8, -1.5, 0.0])
    >>> corner = px.forward_kinematics(robot, home)[:3, 3] + [0.0, 0.1, 0.0]
    >>> path = px.trajectories.cartesian_via_points(
    ...     robot, home, [corner, corner + [0.0, 0.0, 0.1]], blend=0.02, duration=2.0
    ... )
    >>> q, qd, qdd = path(1.0)  # the frame rounds the corner without stopping
    >>> (px.jacobian(robot, q) @ qd)[3:]  # m/s
    array([0.   , 0.094, 0.094])
    """
    targets = _sequence(targets)
    timing = _timing(duration, max_velocity, max_acceleration)
    return _through(robot, q0, targets, blend, timing, frame, "cartesian_via_points")


def _timing(duration, max_velocity, max_acceleration):
    """The duration, or the greatest velocity and acceleration."""
    if duration is not None and max_velocity is None and max_acceleration is None:
        return (given.positive("duration", duration),)
    if duration is None and max_velocity is not None and max_acceleration is not None:
        velocity = given.positive("max_velocity", max_velocity)
        return velocity, given.positive("max_acceleration", max_acceleration)
    raise ArgumentError(
        f"give either duration, or max_velocity and max_acceleration; found duration={duration}, "
        f"max_velocity={max_velocity}, max_acceleration={max_acceleration}"
    )


def _timed(robot, frame, line, path, timing, share):
    """The leg along a path that carries a frame along a line, which is a share of the whole."""
    if len(timing) == 1:
        return Leg(path, rest_to_rest(line.length, timing[0] * share))
    profile = rounded(line, *timing) if line.blend else trapezoid(line.length, *timing)
    return _within_frame_limits(robot, frame, line, Leg(path, profile), *timing)


def _through(robot, q0, targets, blend, timing, frame, name):
    q0 = given.vector("q0", q0, given.joint_count(robot))
    check_in_range(robot, "q0", q0)
    start = forward_kinematics(robot, q0, frame)
    points = [not isinstance(target, Pose) and np.ndim(target) == 1 for target in targets]
    if any(points) and not all(points):
        raise ArgumentError("targets: expected all poses or all points, found both")
    turns = not points[0]
    poses = [start, *(_pose(target, start, turns) for target in targets)]
    moves = [after[:3, 3] - before[:3, 3] for before, after in pairwise(poses)]
    turned = [
        rotation_vector(before[:3, :3].T @ after[:3, :3]) for before, after in pairwise(poses)
    ]
    size = length_scale(robot)
    lengths = [_length(k, *each, size) for k, each in enumerate(zip(moves, turned, strict=True))]
    blend = float(given.array("blend", blend, 0))
    if blend < 0 or (len(lengths) > 1 and 2 * blend > min(lengths) * ROUNDED):
        raise ArgumentError(
            f"blend: expected a number from 0 to half of the shortest line, which is "
            f"{min(lengths) / 2:.6g}, found {blend}"
        )
    if blend > 0:
        lines = [Polyline(start, moves, turned, lengths, blend)]
    else:
        lines = [
            Polyline(pose, [move], [turn], [length])
            for pose, move, turn, length in zip(poses, moves, turned, lengths, strict=False)
        ]
    legs = []
    for line in lines:
        path = follow(robot, frame, line, q0, turns, name)
        share = line.length / sum(lengths)
        legs.append(_timed(robot, frame, line, path, timing, share))
        q0 = path(line.length)[0]
    return Trajectory(legs, robot)


def _sequence(targets):
    """Targets one after another; not one by itself."""
    found = repr(in_main_memory(targets, "targets"))
    if isinstance(targets, Pose):
        found = "one Pose"
    elif isinstance(targets, list | tuple | np.ndarray) and len(targets):
        first = targets[0]
        if np.ndim(first) == 0 and not isinstance(first, Pose):
            found = f"one with {len(targets)} entries"
        elif np.shape(first) == (4,):  # a row
            found = "one matrix"
        else:
            return targets
    raise ArgumentError(f"targets: expected a sequence of poses or of points, found {found}")


def _pose(target, start, turns):
    """A target as a matrix; a point with the orientation of the start."""
    if isinstance(target, Pose):
        return target.matrix
    if turns:
        return Pose.from_matrix(given.array("target", target, 2), "target").matrix
    pose = start.copy()
    pose[:3, 3] = given.vector("target", target, 3)
    return pose


def _length(k, move, turn, size):
    """Of one line in metres, for a robot of some size; in radians where it only turns."""
    length, angle = math.sqrt(move @ move), math.sqrt(turn @ turn)
    if length >= NOTHING * size:
        return length
    if angle < NOTHING and k == 0:
        raise ArgumentError("the frame is already at the target at q0: the line has no length")
    if angle < NOTHING:
        raise ArgumentError(
            f"target {k} is the same as the one before it: the line between them has no length"
        )
    return angle


def _within_frame_limits(robot, frame, line, leg, velocity, acceleration):
    """The leg, slower if the frame itself is found to pass a limit anywhere on it.

    The profile was made for the line; the joints follow that almost, and not evenly so.
    """
    fast, turned = line.limited_parts

    def ratios(motion):
        J = jacobian(robot, motion.q, frame)
        bias = bias_acceleration(robot, motion.q, motion.qd, frame)
        twist = np.einsum("...ij,...j->...i", J, motion.qd)
        rise = np.einsum("...ij,...j->...i", J, motion.qdd) + bias
        # what the duration must grow by
        speeds = [_size(twist, part) / velocity for part in fast]
        rises = [np.sqrt(_size(rise, part) / acceleration) for part in turned]
        return np.stack([*speeds, *rises], axis=-1)

    factor = max(1.0, peaks(ratios, Trajectory([leg])).value.max())
    return Leg(leg.path, leg.profile.stretched(factor))


def _size(twist, part):
    """Of the angular part, 0, or of the linear one, 1."""
    return np.linalg.norm(twist[..., 3 * part : 3 * part + 3], axis=-1)
