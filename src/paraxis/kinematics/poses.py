"""Is a 4x4 matrix a pose?"""

from functools import cache

from ..api import trace
from ..scalar import maximum
from ..spatial import Vector, cross

A_ROTATION = 1e-6  # how far from one a matrix may be, so that float32 will do


def are_poses(matrices):
    """Whether each of (..., 4, 4) is a rotation and a place above 0 0 0 1, all finite."""
    return _defect()(matrices) <= A_ROTATION


@cache
def _defect():
    """How far a matrix is from a pose, compiled: NaN if it is not finite.

    The place is not read, but in a compiled Program an entry that is not finite spoils the result
    all the same.
    """

    def defect(matrix):
        *rows, last = matrix
        x, y, z = (Vector(*row[:3]) for row in rows)
        ones = [x @ x, y @ y, z @ z, cross(x, y) @ z, last[3]]  # the fourth: no reflection
        zeros = [x @ y, x @ z, y @ z, *last[:3], *(one - 1.0 for one in ones)]
        worst = 0.0
        for difference in zeros:
            worst = maximum(worst, maximum(difference, -difference))
        return worst

    return trace(defect, matrix=(4, 4)).compile()
