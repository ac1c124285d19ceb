"""`px.inverse_kinematics`: joint positions that bring a frame to a goal, for arrays of goals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from ..checks import quoted
from ..drivers.map import broadcast_shapes
from ..errors import ArgumentError, RobotError
from ..robots.joint import WORLD
from ..robots.pose import Pose
from ..robots.robot import Robot, check_frame_name, single_joints
from ..targets.compiling import one_call
from ..targets.target import target_of
from .limits import Limits
from .poses import nearest_poses
from .search import Near, Search

TOLERANCE = 1e-8  # of angles, and of distances as shares of the arm's length


@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """The result of `px.inverse_kinematics`, per goal."""

    q: np.ndarray  # (..., n), rad or m: a solution, or the nearest to one that was found
    solved: np.ndarray  # (...) of bool
    error: np.ndarray  # (...) of q: the larger of metres and radians; NaN for an invalid goal
    singular: np.ndarray  # (...) of bool: solved, where the frame loses a freedom of motion

    def __repr__(self):
        solved, total = int(self.solved.sum()), math.prod(self.solved.shape)
        more = {"singular": self.singular, "no pose": self.error != self.error}
        counts = {what: int(which.sum()) for what, which in more.items()}
        more = "".join(f", {count:,} {what}" for what, count in counts.items() if count)
        return f"<InverseKinematics: {solved:,} of {total:,} solved{more}>"


def inverse_kinematics(
    robot: Robot,
    pose: ArrayLike | Pose | Sequence[Pose] | None = None,
    frame: str | None = None,
    q0: ArrayLike | None = None,
    *,
    position: ArrayLike | None = None,
    rotation: ArrayLike | None = None,
    tolerance: float | None = None,
) -> InverseKinematics:
    """Return joint positions that bring a frame to poses, positions or rotations in the world.

    One goal is given: `pose`, `position` or `rotation`. The latter two leave the frame's
    orientation, or its origin, free, so that arms with fewer than six joints have goals that they
    can reach. The same goal and `q0` give the same bits in any batch.

    **Arguments:**

    - `robot`: the robot.
    - `pose`: a matrix `(..., 4, 4)`, a `Pose`, or a sequence of these. Of a matrix within 1e-3 of a
      pose, entry by entry, the nearest pose is the goal.
    - `frame`: name of the frame; by default the tool.
    - `q0`: where the search begins, `(..., n)`, rad or m. Other starts are tried only if it fails
      from there: along a path, give the last solution to get a neighbouring one. Joints that may
      turn more than once come within half a turn of `q0` (by default, of the middle of their
      limits) where limits permit. Joints that do not move the frame stay at `q0` (by default at
      zero, or at mid-range if zero is beyond their limits).
    - `position`: goal of the frame's origin, `(..., 3)`, m.
    - `rotation`: goal of its orientation, `(..., 3, 3)`; within 1e-3, as for `pose`.
    - `tolerance`: largest error of a solution, in rad and m; by default 1e-8 rad, and 1e-8 of the
      arm's length, which is half of how far the frame can get.

    **Returns:** an `InverseKinematics`:

    - `q`: joint positions within their limits, `(..., n)`: a solution or, where none was found, the
      best candidate; NaN for invalid goals.
    - `solved`: whether the error is within the tolerance, `(...)`.
    - `error`: distance of `q` from the goal, `(...)`, in m for a position, in rad for a rotation,
      and the larger of both for a pose; NaN for invalid goals, which are matrices farther from a
      pose, and numbers that are not finite.
    - `singular`: whether `q` is a solution in which the frame cannot move in some way in which it
      otherwise can, `(...)`: a singular value of its Jacobian (of the rows of the goal) is below
      about 1e-6 of the largest.

    **Raises:** `px.ArgumentError` if there is not exactly one goal or a shape is wrong;
    `px.RobotError` if no joint moves the frame.

    If goals are on a GPU (CuPy, PyTorch or JAX), `q0` must be too, and so are the results. The
    search waits for the GPU after every few steps, to see which goals are reached.
    """
    goals = {"pose": pose, "position": position, "rotation": rotation}
    given = {name: value for name, value in goals.items() if value is not None}
    if len(given) != 1:
        found = " and ".join(given) or "none"
        raise ArgumentError(
            f"inverse_kinematics: expected one of pose, position or rotation, found {found}"
        )
    target = target_of({**given, "q0": q0})
    with one_call(f"inverse_kinematics of {quoted(single_joints(robot).name)}"), target.stream():
        solution = _solved(robot, *given.popitem(), frame, q0, _checked(tolerance), target)
        return InverseKinematics(*map(target.given_back, solution))


def _solved(robot, kind, goal, frame, q0, tolerance, target):
    check_frame_name(frame)
    chain, search, neutral = _prepared(single_joints(robot), kind, frame, target)
    xp = target.arrays
    goals, sound = _as_poses(kind, goal, target)
    starts = None if q0 is None else target.array(q0, "q0", (robot.n,))
    start = () if starts is None else starts.shape[:-1]
    batch = broadcast_shapes({kind: goals.shape[:-2], "q0": start})
    goals = xp.ascontiguousarray(xp.broadcast_to(goals, batch + (4, 4))).reshape(-1, 4, 4)
    sound = xp.broadcast_to(sound, batch).reshape(-1)
    if starts is None:
        q, first, sought = xp.tile(neutral, (len(goals), 1)), None, sound
    else:
        q = xp.array(xp.broadcast_to(starts, batch + (robot.n,)), float).reshape(-1, robot.n)
        first, sought = q[:, chain], sound & xp.isfinite(q).all(-1)
    near = Near(TOLERANCE, 1 / search.length) if tolerance is None else Near(tolerance, 1.0)
    found, scaled, error = search.solve(goals, first, near, xp.flatnonzero(sought))
    error = xp.where(sound & ~sought, math.inf, error)  # a valid goal, but no finite start
    solved = scaled <= near.tolerance
    q[:, chain] = found
    q = xp.where(sought[:, None], q, math.nan)
    singular = search.singular(goals, xp.where(solved[:, None], found, math.nan), near.tolerance)
    each = (array.reshape(batch) for array in (solved, error, singular))
    return q.reshape(*batch, robot.n), *each


def _as_poses(kind, goal, target):
    """Goals as matrices (..., 4, 4), and whether each is valid (...)."""
    if kind == "pose":
        return nearest_poses(goal, target)
    xp = target.arrays
    wanted = target.array(goal, kind, {"position": (3,), "rotation": (3, 3)}[kind])
    batch = wanted.shape[: -1 if kind == "position" else -2]
    poses = xp.zeros((*batch, 4, 4))
    poses[..., 3, 3] = 1.0
    if kind == "rotation":
        poses[..., :3, :3] = wanted
        return nearest_poses(poses, target)
    poses[..., :3, :3], poses[..., :3, 3] = xp.eye(3), wanted
    return poses, xp.isfinite(wanted).all(-1)


@lru_cache(maxsize=64)
def _prepared(robot, kind, frame, target):
    """The joints that move a frame, the search over that chain, and where other joints stay."""
    tip = robot.tool() if frame is None else robot.frame(frame)
    if tip.body == WORLD:
        raise RobotError(f"frame {frame!r} is fixed to the world, so no joint can move it")
    chain = replace(robot, frames=(tip,), warn=False).subchain(tip.name, drop_rest=True)
    moving = np.array(robot.path(tip.body)[::-1])
    return target.put(moving), Search(chain, kind, target), target.put(Limits(robot).neutral)


def _checked(tolerance):
    if tolerance is None:
        return None
    number = isinstance(tolerance, Real) and not isinstance(tolerance, bool)
    if not number or not 0 < tolerance < np.inf:
        raise ArgumentError(f"tolerance: expected a number > 0, found {tolerance!r}")
    return float(tolerance)
