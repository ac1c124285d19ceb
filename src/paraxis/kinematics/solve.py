"""`px.inverse_kinematics`: joint positions that bring a frame to a goal, for arrays of goals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import quoted
from ..compiling import one_call
from ..drivers.map import broadcast_shapes
from ..errors import ArgumentError, RobotError
from ..robots.attaching import only
from ..robots.coupling import movers
from ..robots.joint import WORLD
from ..robots.pose import Pose
from ..robots.quaternions import require_unit_quaternions
from ..robots.robot import Robot, a_robot, check_frame_name
from ..targets.blocks import Place, is_lazy, results_over_blocks
from ..targets.target import target_of
from .limits import Limits
from .moving import checked_joints, places_of, with_loops
from .poses import matrices, nearest_poses
from .search import Near, Search

TOLERANCE = 1e-8  # of angles, and of distances as shares of the arm's length


@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """The result of `px.inverse_kinematics`, per goal.

    - `q`: `(..., nq)`, rad or m: a solution, or the nearest to one that was found.
    - `solved`: whether the error is within the tolerance, `(...)`.
    - `error`: the distance from the goal, `(...)`, the larger of m and rad; NaN for an invalid
      goal.
    - `singular`: whether it is a solution in which the frame loses a freedom of motion, `(...)`.
    """

    q: np.ndarray
    solved: np.ndarray
    error: np.ndarray
    singular: np.ndarray

    def __repr__(self):
        if is_lazy(self.solved):
            return f"<InverseKinematics: {math.prod(self.solved.shape)} goals, not computed>"
        solved, total = int(self.solved.sum()), math.prod(self.solved.shape)
        more = {"singular": self.singular, "no pose": self.error != self.error}
        counts = {what: int(which.sum()) for what, which in more.items()}
        more = "".join(f", {count:,} {what}" for what, count in counts.items() if count)
        return f"<InverseKinematics: {solved:,} of {total:,} solved{more}>"


def inverse_kinematics(
    robot: Robot,
    pose: ArrayLike | Pose | Sequence[Pose] | None = None,
    frame: str | Sequence[str] | None = None,
    q0: ArrayLike | None = None,
    *,
    position: ArrayLike | None = None,
    rotation: ArrayLike | None = None,
    fixed: Sequence[str] = (),
    tolerance: float | None = None,
) -> InverseKinematics:
    """Return joint positions that bring a frame to poses, positions or rotations in the world.

    One goal is given: `pose`, `position` or `rotation`. The latter two leave the frame's
    orientation, or its origin, free, so that arms with fewer than six joints have goals that they
    can reach. The same goal and `q0` give the same bits in any batch. Closed loops of the robot are
    closed at the same time: a loop that is open counts as a frame that is off.

    **Arguments:**

    - `robot`: the robot.
    - `pose`: a matrix `(..., 4, 4)`, a `Pose`, or a sequence of these. Of a matrix within 1e-3 of a
      pose, entry by entry, the nearest pose is the goal.
    - `frame`: name of the frame; by default the tool. With a list of k names all these frames have
      goals at the same time, `(..., k, 4, 4)`.
    - `q0`: where the search begins, `(..., nq)`, rad or m, with quaternions of unit length. Other
      starts are tried only if it fails from there: along a path, give the last solution to get a
      neighbouring one. Joints that may turn more than once come within half a turn of `q0` (by
      default, of the middle of their limits) where limits permit. Joints that do not move the frame
      stay at `q0` (by default at zero, or at mid-range if zero is beyond their limits). If a free
      joint moves the frame, the search begins there by default, because every posture can reach
      the goal.
    - `position`: goal of the frame's origin, `(..., 3)`, m.
    - `rotation`: goal of its orientation, `(..., 3, 3)`; within 1e-3, as for `pose`.
    - `fixed`: names of joints that stay at `q0`, such as the floating base of a robot that stands.
    - `tolerance`: largest error of a solution, in rad and m; by default 1e-8 rad, and 1e-8 of the
      arm's length, which is half of how far the frame can get.

    **Returns:** an `InverseKinematics`:

    - `q`: joint positions within their limits, `(..., nq)`: a solution or, where none was found,
      the best candidate; NaN for invalid goals. Joints that follow others have no limits of their
      own here: only those of their leaders count.
    - `solved`: whether the error is within the tolerance, `(...)`.
    - `error`: distance of `q` from the goal, `(...)`, in m for a position, in rad for a rotation,
      and the larger of both for a pose, of the worst frame if there are several; NaN for invalid
      goals, which are matrices farther from a pose, and numbers that are not finite.
    - `singular`: whether `q` is a solution in which the frame cannot move in some way in which it
      otherwise can, `(...)`: a singular value of its Jacobian (of the rows of the goal) is below
      about 1e-6 of the largest.

    **Raises:** `px.ArgumentError` if there is not exactly one goal, a shape is wrong or a
    quaternion of `q0` is not of unit length; `px.RobotError` if no joint moves the frame, or only
    fixed ones do.

    If goals are on a GPU (CuPy, PyTorch or JAX), `q0` must be too, and so are the results. The
    search waits for the GPU after every few steps, to see which goals are reached. If they are
    Dask arrays, the results are too, and are found when they are computed.

    **Example:**

    >>> robot = px.load("ur5")
    >>> goal = px.forward_kinematics(robot, [0.3, -1.2, 1.5, -1.8, -1.5, 0.0])
    >>> found = px.inverse_kinematics(robot, goal)
    >>> bool(found.solved)
    True
    >>> np.allclose(px.forward_kinematics(robot, found.q), goal)
    True
    >>> px.inverse_kinematics(robot, position=[0.4, 0.2, 0.3]).solved.item()  # any orientation
    True
    """
    goals = {"pose": pose, "position": position, "rotation": rotation}
    given = {name: value for name, value in goals.items() if value is not None}
    if len(given) != 1:
        found = " and ".join(given) or "none"
        raise ArgumentError(
            f"inverse_kinematics: expected one of pose, position or rotation, found {found}"
        )
    if is_lazy(q0) or any(map(is_lazy, given.values())):
        return _by_blocks(robot, frame, q0, given, fixed, tolerance)
    target = target_of({**given, "q0": q0})
    with one_call(f"inverse_kinematics of {quoted(a_robot(robot).name)}"), target.stream():
        frames = tuple(frame) if isinstance(frame, list | tuple) else (frame,)
        if not frames:
            raise ArgumentError("frame: expected the names of one frame or more, found none")
        kind, goal = given.popitem()
        plan = _planned(robot, kind, frames, checked_joints(robot, fixed), target)
        goals, sound = _as_poses(kind, goal, target)
        if not isinstance(frame, list | tuple):
            goals, sound = goals[..., None, :, :], sound[..., None]
        elif goals.ndim < 3 or goals.shape[-3] != len(frames):
            raise ArgumentError(
                f"frame: {len(frames)} frames need as many goals, one after another on the axis "
                f"behind the batch; found goals of shape {goals.shape[:-2]}"
            )
        goals = Goals(kind, goals, sound.all(-1))
        solution = _solved(robot, plan, goals, q0, tolerance, target)
        return InverseKinematics(*map(target.given_back, solution))


def _by_blocks(robot, frame, q0, goals, fixed, tolerance):
    """The same for goals or starts that are Dask arrays."""
    options = {"robot": robot, "frame": frame, "fixed": fixed, "tolerance": tolerance}
    several = 1 if isinstance(frame, list | tuple) else 0
    axes = {"pose": 2 + several, "position": 1 + several, "rotation": 2 + several, "q0": 1}
    arrays = goals if q0 is None else goals | {"q0": q0}
    places = {name: Place(0, axes[name]) for name in arrays}
    label = f"inverse_kinematics of {a_robot(robot).name}"
    return results_over_blocks(label, inverse_kinematics, options, arrays, places)


class Goals(NamedTuple):
    kind: str
    poses: np.ndarray  # (..., frames, 4, 4)
    valid: np.ndarray  # (...)


def _solved(robot, plan, goals, q0, tolerance, target):
    xp, search = target.arrays, plan.search
    kind, goals, sound = goals
    starts = None if q0 is None else target.array(q0, "q0", (robot.nq,))
    start = () if starts is None else starts.shape[:-1]
    batch = broadcast_shapes({kind: goals.shape[:-3], "q0": start})
    goals = xp.ascontiguousarray(xp.broadcast_to(goals, batch + goals.shape[-3:]))
    goals = goals.reshape(-1, *goals.shape[-3:])
    sound = xp.broadcast_to(sound, batch).reshape(-1)
    if starts is None:
        q, sought = xp.tile(plan.neutral, (len(goals), 1)), sound
    else:
        require_unit_quaternions(robot, starts, "q0")
        q = xp.array(xp.broadcast_to(starts, batch + (robot.nq,)), float).reshape(-1, robot.nq)
        sought = sound & xp.isfinite(q).all(-1)
    near = Near.of(tolerance, TOLERANCE, search.length)
    given = plan.floats or starts is not None
    found, scaled, error = search.solve(goals, q[:, plan.part], given, near, xp.flatnonzero(sought))
    error = xp.where(sound & ~sought, math.inf, error)  # a valid goal, but no finite start
    solved = scaled <= near.tolerance
    q[:, plan.moving] = found[:, plan.moving_of_part]
    q = xp.where(sought[:, None], q, math.nan)
    singular = search.singular(goals, xp.where(solved[:, None], found, math.nan), near.tolerance)
    each = (array.reshape(batch) for array in (solved, error, singular))
    return q.reshape(*batch, robot.nq), *each


def _as_poses(kind, goal, target):
    """Goals as matrices (..., 4, 4), and whether each is valid (...)."""
    if kind == "pose":
        goal = matrices(goal)
        if np.shape(goal) == (3,):
            raise ArgumentError(
                "pose: expected shape (..., 4, 4), found (3,); give a point as position=..."
            )
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


class Plan(NamedTuple):
    """Which part of a robot is moved to bring some frames to goals, and the search over it.

    Arrays of indices of q: of the part, and of joints that move, in all of q and in that part.
    """

    search: Search
    part: np.ndarray
    moving: np.ndarray
    moving_of_part: np.ndarray
    neutral: np.ndarray  # where all joints are by default
    floats: bool  # does a free joint move, with which any posture can reach the goals?


@lru_cache(maxsize=64)
def _planned(robot, kind, frames, fixed, target):
    for name in frames:
        check_frame_name(name)
    tips = [robot.tool() if name is None else robot.frame(name) for name in frames]
    paths = [movers(robot, robot.path(tip.body)) for tip in tips]
    for tip, path in zip(tips, paths, strict=True):
        if tip.body == WORLD:
            raise RobotError(f"frame {tip.name!r} is fixed to the world, so no joint can move it")
        if path <= {*fixed}:
            raise RobotError(f"frame {tip.name!r}: all joints that move it are fixed")
    moved, loops = with_loops(robot, {*chain(*paths)} - {*fixed}, {*fixed})
    moving = sorted(moved)
    ends = [frame for loop in loops for frame in (loop.first, loop.second)]
    carriers = (robot.path(frame.body) for frame in [*tips, *ends])
    part = sorted({*chain(*carriers, *map(robot.path, moving))})
    with_these = {"frames": tips, "loops": loops, "independent": None}
    own = only(replace(robot, **with_these, warn=False), part)
    moving_of_part = [part.index(i) for i in moving]
    return Plan(
        Search(own, kind, moving_of_part, target),
        target.put(np.array(places_of(robot, part, "nq"))),
        target.put(np.array(places_of(robot, moving, "nq"))),
        target.put(np.array(places_of(own, moving_of_part, "nq"))),
        target.put(Limits(robot).neutral),
        any(robot.joints[i].kind == "free" for i in moving),
    )
