"""Poses as matrices: Poses are converted, and inaccurate matrices become the nearest pose.

A pose that was written down with few digits is not quite a rotation; the nearest one was meant.
"""

from functools import cache

from ..api import trace
from ..robots.pose import Pose
from ..scalar import less_equal, maximum, select
from ..spatial import Vector, cross
from ..targets.target import CPU

A_POSE = 1e-3  # how far from one the entries of a matrix may be, so that three decimals will do
ROUNDING = 1e-12  # how far off a matrix is left as it is
STEPS = 3  # from 1e-3 to 1e-5, 1e-10 and rounding errors


def nearest_poses(given, target=CPU):
    """Matrices (..., 4, 4) of the poses nearest to those given, and whether they are near (...).

    Given are matrices, a Pose, or sequences of these; the results are on the target.
    """
    poses, off = _nearest(target.name)(target.array(matrices(given), "pose", (4, 4)))
    return poses, off <= A_POSE


def matrices(given):
    """The given poses, with the matrix of each Pose."""
    if isinstance(given, Pose):
        return given.matrix
    return [matrices(each) for each in given] if isinstance(given, list | tuple) else given


@cache
def _nearest(target):
    """The pose nearest to a matrix and the largest difference of an entry, compiled.

    The difference is NaN where an entry is not finite, the position included: that is not read for
    it, but in a compiled Program such an entry spoils all results.
    """

    def nearest(matrix):
        *rows, last = matrix
        turn = given = [Vector(*row[:3]) for row in rows]
        for _ in range(STEPS):
            turn = _nearer_to_a_rotation(turn)
        moved = [v for a, b in zip(turn, given, strict=True) for v in a - b]
        off = 0.0
        for difference in [*moved, *_missing(*turn), *last[:3], last[3] - 1.0]:
            off = maximum(off, abs(difference))
        pose = [[*r, row[3]] for r, row in zip(turn, rows, strict=True)] + [[0.0, 0.0, 0.0, 1.0]]
        right = less_equal(off, ROUNDING)
        pairs = [zip(*pair, strict=True) for pair in zip(matrix, pose, strict=True)]
        return {"pose": [[select(right, a, b) for a, b in pair] for pair in pairs], "off": off}

    return trace(nearest, matrix=(4, 4)).compile(target)


def _nearer_to_a_rotation(rows):
    """(3 - R Rᵀ) R / 2, the step of Newton and Schulz: errors are squared."""
    return [
        row * 1.5 - sum((each * (row @ each) for each in rows[1:]), rows[0] * (row @ rows[0])) * 0.5
        for row in rows
    ]


def _missing(x, y, z):
    """What rows lack to be a rotation; by the last, they are no reflection."""
    return [x @ y, x @ z, y @ z, x @ x - 1.0, y @ y - 1.0, z @ z - 1.0, cross(x, y) @ z - 1.0]
