"""Inverse kinematics for arrays of goals: where the joints stand when a frame has a pose."""

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from numbers import Real

import numpy as np

from ..checks import quoted
from ..drivers.map import broadcast_shapes
from ..errors import ArgumentError, RobotError
from ..robots.joint import WORLD
from ..robots.robot import a_robot, check_frame_name
from ..targets.compiling import one_call
from ..targets.target import target_of
from .limits import Limits
from .poses import nearest_poses
from .search import Near, Search

TOLERANCE = 1e-8  # of angles, and of ways as shares of the arm's length


@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """What `px.inverse_kinematics` found, for each goal."""

    q: np.ndarray  # (..., n): a solution, or the nearest to one that was found
    solved: np.ndarray  # (...)
    error: np.ndarray  # (...) of q: the larger of metres and radians; NaN if there was no goal
    singular: np.ndarray  # (...): solved, where the frame loses a freedom of motion

    def __repr__(self):
        solved, total = int(self.solved.sum()), math.prod(self.solved.shape)
        more = {"singular": self.singular, "no pose": self.error != self.error}
        counts = {what: int(which.sum()) for what, which in more.items()}
        more = "".join(f", {count:,} {what}" for what, count in counts.items() if count)
        return f"<InverseKinematics: {solved:,} of {total:,} solved{more}>"


def inverse_kinematics(
    robot, pose=None, frame=None, q0=None, *, position=None, rotation=None, tolerance=None
):
    """Joint positions that bring a frame, by default the tool, to poses (..., 4, 4) in the world.

    In place of a pose, `position` (..., 3) is a goal for the frame's origin that leaves its
    orientation free, and `rotation` (..., 3, 3) one for its orientation that leaves its origin
    free. So arms with fewer than six joints have goals that they can reach.

    The result has `q` (..., n), `solved` (...) and `error` (...): how far q is from the goal, in
    metres for a position, in radians for a rotation, and for a pose the larger of the two. Solved
    means an error of at most `tolerance`, with the joints within their limits; by default angles
    are solved to 1e-8, and distances to 1e-8 of the arm's length, which is half of how far the
    frame can get: small and large arms alike. Where no solution was found q is the best that was
    met, within limits too, and the error tells how good that is.
    Solutions that are `singular` (...) are where the frame cannot move in some way in which it
    otherwise can: a singular value of its Jacobian, of the rows that the goal has, is less than
    about 1e-6 of the largest.

    A `pose` is a matrix, a Pose, or a sequence of these. Of a matrix that is off, with entries
    within 1e-3 of a pose's, the nearest rotation is sought, and the error is to that one. A matrix
    that is farther off, or not finite, is no pose: it is not solved, and q and error are NaN. The
    same holds for rotations, and for positions that are not finite.

    The search begins at `q0` (..., n), if given, and goes to other starts only if it fails from
    there; so along a path give the last solution, for a neighbouring one. Joints that may turn more
    than once come within half a turn of q0 (without it, of the middle of their limits), limits
    permitting. Joints that do not move the frame stay at q0, or at zero (at mid-range where zero is
    beyond their limits). The same pose and q0 give the same bits in any batch.

    Where goals are on a GPU, of CuPy, PyTorch or JAX, q0 must be too, and the results are. The
    search waits for the GPU after every few steps, to see which poses are reached.
    """
    goals = {"pose": pose, "position": position, "rotation": rotation}
    given = {name: value for name, value in goals.items() if value is not None}
    if len(given) != 1:
        found = " and ".join(given) or "none"
        raise ArgumentError(
            f"inverse_kinematics: expected one of pose, position and rotation, found {found}"
        )
    place = target_of({**given, "q0": q0})
    with one_call(f"inverse_kinematics of {quoted(a_robot(robot).name)}"), place.stream():
        solution = _solved(robot, *given.popitem(), frame, q0, _checked(tolerance), place)
        return InverseKinematics(*map(place.given_back, solution))


def _solved(robot, kind, goal, frame, q0, tolerance, place):
    check_frame_name(frame)
    chain, search, neutral = _prepared(a_robot(robot), kind, frame, place)
    xp = place.arrays
    goals, sound = _as_poses(kind, goal, place)
    starts = None if q0 is None else place.array(q0, "q0", (robot.n,))
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
    error = xp.where(sound & ~sought, math.inf, error)  # a pose, but nothing was met from no start
    solved = scaled <= near.tolerance
    q[:, chain] = found
    q = xp.where(sought[:, None], q, math.nan)
    singular = search.singular(goals, xp.where(solved[:, None], found, math.nan), near.tolerance)
    each = (array.reshape(batch) for array in (solved, error, singular))
    return q.reshape(*batch, robot.n), *each


def _as_poses(kind, goal, place):
    """Matrices (..., 4, 4) that have what is wanted, and whether something is (...)."""
    if kind == "pose":
        return nearest_poses(goal, place)
    xp = place.arrays
    wanted = place.array(goal, kind, {"position": (3,), "rotation": (3, 3)}[kind])
    batch = wanted.shape[: -1 if kind == "position" else -2]
    poses = xp.zeros((*batch, 4, 4))
    poses[..., 3, 3] = 1.0
    if kind == "rotation":
        poses[..., :3, :3] = wanted
        return nearest_poses(poses, place)
    poses[..., :3, :3], poses[..., :3, 3] = xp.eye(3), wanted
    return poses, xp.isfinite(wanted).all(-1)


@lru_cache(maxsize=64)
def _prepared(robot, kind, frame, place):
    """The joints that move a frame, the search for the chain they are, and where others stand."""
    tip = robot.tool() if frame is None else robot.frame(frame)
    if tip.body == WORLD:
        raise RobotError(f"frame {frame!r} is fixed to the world: no joint moves it")
    chain = replace(robot, frames=(tip,), warn=False).subchain(tip.name, drop_rest=True)
    moving = np.array(robot.path(tip.body)[::-1])
    return place.put(moving), Search(chain, kind, place), place.put(Limits(robot).neutral)


def _checked(tolerance):
    if tolerance is None:
        return None
    number = isinstance(tolerance, Real) and not isinstance(tolerance, bool)
    if not number or not 0 < tolerance < np.inf:
        raise ArgumentError(f"tolerance: expected a number above zero, found {tolerance!r}")
    return float(tolerance)
