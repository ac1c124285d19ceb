"""Coordinates in which the largest norm of a set of matrices is as small as possible.

An ellipsoid that every M / g of the set maps into itself proves that no product of n of them has a
norm above g**n times a constant. Finding the smallest g is a convex problem: x' P x is a common
quadratic Lyapunov function if all g² P - M' P M are positive definite. It is solved by the method
of centres (Boyd and El Ghaoui, 1993): Newton steps keep P far from the boundary of this set while g
shrinks. After each step the coordinates change so that P is the identity again, which removes the
scales of the original problem.
"""

import numpy as np

MOST_STEPS = 60
LARGEST = 68  # size m of matrices: a step computes m**4 numbers
CLOSE = 1e-3  # a relative gap between g² and its proved bound that ends the search
WORST_CONDITION = 1e6  # of the coordinates: worse ones lose too many digits of norms


def shorten(matrices, target):
    """The matrices `(k, m, m)` in coordinates in which the largest of their norms is small.

    Stops once no norm exceeds `target`; large matrices are left as they are. The results are
    similar to the arguments, all by the same change of coordinates, so their norms bound growth
    whether or not they are minimal.
    """
    if matrices.shape[-1] > LARGEST:
        return matrices
    size = lengths(matrices).max()
    given = shortened = matrices / size
    change = np.eye(matrices.shape[-1])
    longest = 1.0
    g2 = 1.3
    for _ in range(MOST_STEPS):
        if longest <= target / size or g2 - longest**2 < CLOSE * longest**2:
            break
        P = _towards_centre(shortened, g2)
        if P is None:
            break
        change = np.linalg.cholesky(P).T @ change
        if np.linalg.cond(change) > WORST_CONDITION:
            break
        shortened = change @ given @ np.linalg.inv(change)
        longest = lengths(shortened).max()
        g2 = (g2 + longest**2) / 2
    return size * shortened


def lengths(matrices):
    """The largest singular value of each matrix."""
    size = np.abs(matrices).max(axis=(-1, -2), keepdims=True)
    unit = matrices / np.where(size > 0, size, 1.0)  # squares of small numbers would underflow
    squares = np.linalg.eigvalsh(np.swapaxes(unit, -1, -2) @ unit)[..., -1]
    return size[..., 0, 0] * np.sqrt(squares)


def _towards_centre(matrices, g2):
    """P after a Newton step from the identity towards the centre for g²; None if it has none.

    The centre minimises the sum of -log det(g² P - M' P M) and k trace(P), which sets its scale.
    """
    k, m, _ = matrices.shape
    Z = np.linalg.inv(_differences(matrices, np.eye(m), g2))
    MZ = matrices @ Z
    ZM = np.swapaxes(MZ, -1, -2)
    MZM = MZ @ np.swapaxes(matrices, -1, -2)
    gradient = k * np.eye(m) - (g2 * Z - MZM).sum(axis=0)

    # The Hessian is a sum of maps X -> left X right; one product of matrices adds them all up.
    left = np.concatenate([g2 * Z, -g2 * ZM, -g2 * MZ, MZM]).reshape(4 * k, m * m)
    right = np.concatenate([g2 * Z, MZ, ZM, MZM]).reshape(4 * k, m * m)
    hessian = (left.T @ right).reshape(m, m, m, m).transpose(0, 3, 1, 2).reshape(m * m, m * m)

    # Steps are symmetric: X[i, j] and X[j, i] are one unknown.
    i, j = np.triu_indices(m)
    rows = hessian[i * m + j]
    symmetric = (rows[:, i * m + j] + rows[:, j * m + i]) * np.where(i == j, 0.5, 1.0)
    step = np.empty((m, m))
    try:
        step[i, j] = step[j, i] = np.linalg.solve(symmetric, -gradient[i, j])
    except np.linalg.LinAlgError:
        return None

    slope = (gradient * step).sum()
    here = _potential(matrices, np.eye(m), g2)
    for length in 0.5 ** np.arange(20):
        P = np.eye(m) + length * step
        if _potential(matrices, P, g2) <= here + 0.1 * length * slope:
            return P
    return None


def _differences(matrices, P, g2):
    return g2 * P - np.swapaxes(matrices, -1, -2) @ P @ matrices


def _potential(matrices, P, g2):
    try:
        roots = np.linalg.cholesky(_differences(matrices, P, g2))
    except np.linalg.LinAlgError:  # not all positive definite
        return np.inf
    diagonals = np.diagonal(roots, axis1=-2, axis2=-1)
    return len(matrices) * np.trace(P) - 2 * np.log(diagonals).sum()
