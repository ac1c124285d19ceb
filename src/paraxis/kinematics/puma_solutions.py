"""Inverse kinematics in closed form: every way for an arm of the PUMA family to reach a pose.

Every solution is checked by the robot's own forward kinematics, in the same Program; those that do
not lead to the pose are not returned.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..body import Body
from ..errors import ArgumentError
from ..graph.trace import trace
from ..physics.inverse_kinematics.puma import arm_singularity, joint_angles
from ..physics.kinematics import forward_kinematics
from ..robots.model import Model
from ..robots.pose import Pose
from ..robots.puma_geometry import puma_geometry
from ..robots.refusals import single_joints
from ..robots.robot import Robot, check_frame_name
from ..robots.scales import SMALLEST
from ..scalar import cos, less, maximum, minimum, select, sign, sin
from ..targets.target import target_of
from .poses import nearest_poses

ARMS = [(arm, elbow) for arm in (1, -1) for elbow in (1, -1)]
WRISTS = [(arm, elbow, wrist) for arm, elbow in ARMS for wrist in (1, -1)]
SOLVED = 1e-8  # the largest error of a solution
SINGULAR = 1e-7  # above the sine of a stretched elbow, which is the root of a rounding error
UNDETERMINED = 1e-10  # sin θ5 below which rounding errors decide what θ4 is
TURN = 2 * math.pi


class NearestSolution(NamedTuple):
    """The nearest solution for each pose."""

    q: np.ndarray  # (..., 6), rad; NaN where no solution is within limits
    solved: np.ndarray  # (...) of bool
    error: np.ndarray  # (...)

    def __repr__(self):
        solved, total = int(self.solved.sum()), math.prod(self.solved.shape)
        return f"<NearestSolution: {solved:,} of {total:,} solved>"


@dataclass(frozen=True, eq=False)
class Solutions:
    """Eight solutions per pose: arm 1 and -1, with each elbow 1 and -1, with each wrist 1 and -1.

    - `q`: joint positions, rad, NaN where there is no solution. They are in (-π, π], or a turn away
      where only that is within limits.
    - `solved`: whether there is a solution.
    - `error`: how far a solution is from the pose, or how far the arm stays from a pose that is out
      of reach: the larger of max|Δ| over the entries of the rotation, and max|Δ| over those of the
      position, relative to the larger of the arm's length and max|position|. NaN for a matrix that
      is not a pose.
    - `singular`: solved, where the arm loses a freedom.
    - `within_limits`: solved, with every joint between its limits.
    """

    q: np.ndarray  # (..., 8, 6)
    solved: np.ndarray  # (..., 8) of bool
    error: np.ndarray  # (..., 8)
    singular: np.ndarray  # (..., 8) of bool
    within_limits: np.ndarray  # (..., 8) of bool

    def nearest(self, q0: ArrayLike | None = None) -> NearestSolution:
        """Return, of the solutions within limits, the one nearest to `q0`.

        The nearest is the one whose farthest joint is closest.

        **Arguments:**

        - `q0`: joint positions, `(..., 6)`, rad; by default zero.

        **Returns:** `.q` `(..., 6)`, `.solved` `(...)` and `.error` `(...)`. Where no solution is
        within limits, `q` is NaN and the error is the least of all eight.

        **Raises:** `px.ArgumentError` if the shape of `q0` does not broadcast.
        """
        target = target_of({"q": self.q})
        with target.stream():
            q, error = target.array(self.q, "q", (8, 6)), target.array(self.error, "error", (8,))
            within_limits = target.taken(self.within_limits, "within_limits")
            start = target.arrays.zeros(6) if q0 is None else target.array(q0, "q0", (6,))
            found = _nearest(target.arrays, q, error, within_limits, start)
            return NearestSolution(*map(target.given_back, found))


def _nearest(xp, q, error, within_limits, start):
    """q, solved and error."""
    wanted = (*error.shape[:-1], 6)
    try:
        start = xp.broadcast_to(start, wanted)
    except ValueError:
        raise ArgumentError(f"q0: expected shape {wanted}, found {start.shape}") from None
    way = abs(q - start[..., None, :]).max(-1)
    best = xp.where(within_limits, way, np.inf).argmin(-1)[..., None]
    solved = within_limits.any(-1)
    q = xp.take_along_axis(q, best[..., None], -2)[..., 0, :]
    chosen = xp.take_along_axis(error, best, -1)[..., 0]
    q = xp.where(solved[..., None], q, np.nan)
    return q, solved, xp.where(solved, chosen, error.min(-1))


def inverse_kinematics_solutions(
    robot: Robot, pose: ArrayLike | Pose | Sequence[Pose], frame: str | None = None
) -> Solutions:
    """Return all solutions, up to eight per pose, of the inverse kinematics of a PUMA-like arm.

    Such an arm has six revolute joints: axes 2 and 3 are parallel, at right angles to axes 1 and 4,
    and axes 4, 5 and 6 meet at right angles.

    **Arguments:**

    - `robot`: a PUMA-like arm.
    - `pose`: poses of the frame in the world, `(..., 4, 4)`, or Poses, as for
      `px.inverse_kinematics`: of matrices within 1e-3 of a pose, the nearest pose is the goal.
    - `frame`: name of the frame; by default the tool.

    **Returns:** `Solutions` with eight rows per pose; on a GPU if the poses are (CuPy, PyTorch or
    JAX).

    **Raises:** `px.RobotError` explains why a robot is not such an arm.

    **Example:**

    >>> robot = px.load("puma560")
    >>> pose = px.forward_kinematics(robot, [0.3, -0.5, 0.4, 0.2, 0.6, -0.1])
    >>> found = px.kinematics.inverse_kinematics_solutions(robot, pose)
    >>> found.q.shape, int(found.solved.sum())
    ((8, 6), 8)
    >>> np.allclose(px.forward_kinematics(robot, found.q[found.solved]), pose)
    True
    """
    target = target_of({"pose": pose})
    kernel = target.map(solutions_body(robot, frame))
    with target.stream():
        xp = target.arrays
        poses, sound = nearest_poses(pose, target)
        q, error, singular, beyond = kernel(poses)
        error = xp.where(sound[..., None], error, np.nan)
        solved = error <= SOLVED
        q = xp.where(solved[..., None], q, np.nan)
        found = q, solved, error, solved & (singular > 0), solved & (beyond <= 0)
        return Solutions(*map(target.given_back, found))


def solutions_body(robot, frame=None):
    """The Body of all solutions for one pose: q, error, singular, and how far beyond limits."""
    return body_of(_graph, robot, frame)


def _graph(robot, limits, frame):
    geometry, model = puma_geometry(robot, frame), Model(robot)

    def inverse_kinematics_solutions(pose):
        found = {"q": [], "error": [], "singular": [], "beyond": []}
        for choice in WRISTS:
            θ = _settled(geometry, joint_angles(geometry, pose, *choice))
            q = within_a_turn(geometry.positions(θ), limits)
            reached = forward_kinematics(model, q, frame)
            shoulder, elbow = arm_singularity(geometry, θ[1], θ[2])
            found["q"].append(q)
            found["error"].append(_pose_difference(reached, pose, geometry.length))
            least = minimum(minimum(shoulder, elbow), abs(sin(θ[4])))
            found["singular"].append(less(least, SINGULAR))
            found["beyond"].append(_beyond_limits(q, limits))
        return found

    return trace(inverse_kinematics_solutions, {"pose": (4, 4)}, "inverse_kinematics_solutions")


def _pose_difference(found, wanted, length):
    """The larger of that of rotations and that of places."""
    turned = [[entry for row in pose[:3] for entry in row[:3]] for pose in (found, wanted)]
    placed = [[row[3] for row in pose[:3]] for pose in (found, wanted)]
    return maximum(difference(*turned, 1.0), difference(*placed, length))


def _settled(geometry, θ):
    """θ with joint 4 at zero where it turns about the same line as joint 6, which then does all."""
    *arm, θ4, θ5, θ6 = θ
    in_line = less(abs(sin(θ5)), UNDETERMINED)
    zero = geometry.zeros[3]
    taken = wrapped(θ4 - zero) * sign(cos(θ5))
    return [*arm, select(in_line, zero, θ4), θ5, select(in_line, θ6 + taken, θ6)]


def _beyond_limits(q, limits):
    """How far the worst joint is beyond its limits; 0 where all are within."""
    beyond = 0.0
    for each, (lower, upper) in zip(q, limits, strict=True):
        if math.isfinite(lower):
            beyond = maximum(lower - each, beyond)
        if math.isfinite(upper):
            beyond = maximum(each - upper, beyond)
    return beyond


# -- for every closed form -----------------------------------------------------------------------


def body_of(make, robot, frame, *options):
    """The Body of make(robot, limits, frame, *options), of the frame of that name or the tool.

    Limits of joints decide which solutions count, and are no part of a robot's digest.
    """
    check_frame_name(frame)
    return _body_of(make, single_joints(robot, "the closed form"), frame, *options)


@lru_cache(maxsize=64)
def _body_of(make, robot, frame, *options):
    tip = robot.tool() if frame is None else robot.frame(frame)
    limits = tuple((float(joint.lower), float(joint.upper)) for joint in robot.joints)
    return Body(make, robot, limits, tip, *options)


def difference(found, wanted, least):
    """max|Δ| / max(least, max|wanted|) of two lists of scalars."""
    largest, scale = 0.0, least
    for a, b in zip(found, wanted, strict=True):
        largest, scale = maximum(abs(a - b), largest), maximum(abs(b), scale)
    return largest / maximum(scale, SMALLEST)


def within_a_turn(q, limits):
    """Joint positions in (-π, π], or a turn away where only that can be within a joint's limits."""
    result = []
    for each, (lower, upper) in zip(q, limits, strict=True):
        each = wrapped(each)
        if lower > -math.pi and upper > math.pi:
            each = select(less(each, lower), each + TURN, each)
        elif upper < math.pi and lower < -math.pi:
            each = select(less(upper, each), each - TURN, each)
        result.append(each)
    return result


def wrapped(angle):
    """An angle between -5π and 5π in (-π, π]."""
    for _ in range(2):
        angle = select(less(math.pi, angle), angle - TURN, angle)
        angle = select(less(-math.pi, angle), angle, angle + TURN)
    return angle
