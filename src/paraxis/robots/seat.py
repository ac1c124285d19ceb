"""How a joint's constant seat splits into elementary rotations about x and z.

Every rotation is Rz(b) Rx(a) Rz(c) (Euler). Applied to a vector, an elementary rotation costs
4 multiplications, a right angle nothing, and the last factor joins the joint's own rotation.
Angles are kept as (cosine, sine) so that right angles stay exact.
"""

import numpy as np

from .pose import LEFTOVER, clean


def decompose(rotation):
    """The (cosine, sine) of b, a and c with rotation = Rz(b) Rx(a) Rz(c)."""
    column = rotation[:, 2]
    sine = float(np.hypot(column[0], column[1]))
    if sine <= LEFTOVER:
        b, a = (1.0, 0.0), (float(np.sign(column[2])), 0.0)
    else:
        b, a = (-column[1] / sine, column[0] / sine), (column[2], sine)
        if b[0] < 0:  # prefer the half turn that keeps x: Rz(pi) Rx(a) = Rx(-a) Rz(pi)
            b, a = (-b[0], -b[1]), (a[0], -a[1])
    # c from what is left, not from the third row: for nearly parallel axes the angles b and c
    # are ill-determined one by one, but not together.
    rest = (_rz(*b) @ _rx(*a)).T @ rotation
    return tuple(_unit(pair) for pair in (b, a, (rest[0, 0], rest[1, 0])))


def align_z(axis):
    """Rotations whose third column is the unit vector `axis` (..., 3); permutations if they can."""
    axis = np.asarray(axis, dtype=float)
    largest = np.argmax(abs(axis), axis=-1)
    x = np.cross(np.eye(3)[(largest + 1) % 3], axis)
    x = x / np.sqrt(np.vecdot(x, x))[..., None]
    along = np.count_nonzero(axis, axis=-1) == 1  # not: the largest is 1, as in (1, 1e-9, 0)
    x = np.where(along[..., None], np.eye(3)[(largest + 1) % 3], x)
    return np.stack((x, np.cross(axis, x) + 0.0, axis), axis=-1)


def across(axis):
    """A rotation whose third column is the unit vector `axis`, for joints that slide across it.

    Its first column is as near as it can be to x, y or z, if the axis is nearest to z, x or y.
    Unlike `align_z` it hardly changes with an axis that is hardly tilted: users see x and y.
    """
    axis = np.asarray(axis, dtype=float)
    near = np.eye(3)[(np.argmax(abs(axis)) + 1) % 3]
    x = near - (near @ axis) * axis
    x = x / np.sqrt(x @ x)
    return np.stack((x, np.cross(axis, x) + 0.0, axis), axis=-1)


def _unit(pair):
    pair = clean(pair)
    return tuple(float(v) for v in clean(pair / np.hypot(*pair)))


def _rx(c, s):
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def _rz(c, s):
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
