"""Exact operators on arrays of vectors and matrices: of floats, or of integers as words.

The coordinates of a vector are in the last axis, those of a matrix in the last two.
"""

import numpy as np

from ...parallel.systolic.operators import MM, MV, SV, VA, VC, VV

NEXT, LAST = [1, 2, 0], [2, 0, 1]


def cross(a, b):
    return a[..., NEXT] * b[..., LAST] - a[..., LAST] * b[..., NEXT]


def times_vector(a, b):
    return (a * b[..., None, :]).sum(-1)


def times_matrix(a, b):
    return (a[..., :, :, None] * b[..., None, :, :]).sum(-2)


EXACT = {
    VA: lambda a, b: a + b,
    VC: cross,
    SV: lambda a, b: a * np.asarray(b)[..., None],
    MV: times_vector,
    MM: times_matrix,
    VV: lambda a, b: (a * b).sum(-1),
}


def as_array(value):
    """A number, a Vector or a Matrix, whose scalars may be arrays over states, as one array."""
    if np.ndim(value) or not hasattr(value, "__iter__"):
        return np.asarray(value)
    entries = [as_array(each) for each in value]
    last = entries[0].ndim - _rank(value) + 1
    return np.stack(np.broadcast_arrays(*entries), axis=last)


def _rank(value):
    """0 for a number, 1 for a Vector, 2 for a Matrix."""
    if np.ndim(value) or not hasattr(value, "__iter__"):
        return 0
    return 1 + _rank(next(iter(value)))


def rounded(exact, drop):
    """Integers without their last bits, rounded to the nearest, halves upward."""
    return exact if drop == 0 else (exact + (1 << drop - 1)) >> drop
