"""Straight lines of a frame, as motions of the joints."""

import math
from itertools import pairwise

import numpy as np

from ..api import bias_acceleration, forward_kinematics, jacobian
from ..drivers.map import in_main_memory
from ..errors import ArgumentError
from ..robots.pose import Pose
from ..robots.robot import a_robot
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
    robot, q0, target, *, duration=None, max_velocity=None, max_acceleration=None, frame=None
):
    """From the joint values q0 (n,), the frame's origin goes straight to `target`.

    The target is a Pose or a matrix (4, 4), to which the frame turns evenly on its way, about one
    axis; or a point (3,), and the orientation is left free. Over the distance in metres (over the
    angle where the frame only turns) the profile is a quintic of the given duration, or a trapezoid
    of the given greatest velocity and acceleration, which is checked on the finished motion and
    slowed down where the joints, on their way along the line, would make the frame pass them.
    `frame` is by default the tool.

    `px.inverse_kinematics` finds q0 for a pose. From there the joints go on without jumps, where
    there are more than needed with least motion; a line that they cannot follow is an error, and
    so is one that passes a singularity too closely for its accelerations to be computed.
    """
    timing = _timing(duration, max_velocity, max_acceleration)
    return _through(robot, q0, [target], 0.0, timing, frame, "cartesian_line")


def cartesian_via_points(
    robot,
    q0,
    targets,
    *,
    blend=0.0,
    duration=None,
    max_velocity=None,
    max_acceleration=None,
    frame=None,
):
    """From q0 along straight lines from target to target, all poses or all points.

    Without `blend` the frame stops at each target. With it, it does not stop: corners are rounded
    from that distance before a target to that distance after, with a continuous curvature, and pass
    the target within 3/8 of that distance. A duration is that of the whole, shared out by the
    lengths of the lines. Where limits are given the frame slows down around corners, so that its
    whole acceleration keeps within `max_acceleration`. Otherwise as
    `px.trajectories.cartesian_line`.
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
        f"expected a duration, or max_velocity and max_acceleration, found duration={duration}, "
        f"max_velocity={max_velocity}, max_acceleration={max_acceleration}"
    )


def _timed(robot, frame, line, path, timing, share):
    """The leg along a path that carries a frame along a line, which is a share of the whole."""
    if len(timing) == 1:
        return Leg(path, rest_to_rest(line.length, timing[0] * share))
    profile = rounded(line, *timing) if line.blend else trapezoid(line.length, *timing)
    return _within_frame_limits(robot, frame, line, Leg(path, profile), *timing)


def _through(robot, q0, targets, blend, timing, frame, name):
    q0 = given.vector("q0", q0, a_robot(robot).n)
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
    if angle < NOTHING:
        raise ArgumentError(
            f"target {k}: expected another pose than the one before, found the same"
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
