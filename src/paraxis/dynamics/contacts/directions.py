"""Directions of a contact, six-vectors as columns: checked, completed, and their duals."""

import numpy as np

from ...drivers.map import as_array
from ...errors import ArgumentError
from ...robots.pose import clean

INDEPENDENT = 1e-9  # the least singular value of unit directions, over the largest


def as_directions(given, what):
    """A matrix (6, k) of k independent directions from one, or from a single six-vector."""
    matrix = as_array(given, what, ()).astype(float)
    if matrix.shape == (6,):
        matrix = matrix[:, None]
    if matrix.ndim != 2 or len(matrix) != 6 or not 1 <= matrix.shape[1] <= 6:
        raise ArgumentError(
            f"{what}: expected six numbers, or a matrix of 6 rows with 1 to 6 directions as "
            f"columns, found shape {np.shape(given)}"
        )
    if not np.isfinite(matrix).all():
        raise ArgumentError(f"{what}: expected finite numbers, found {given!r}")
    require_independent(matrix, what)
    return matrix


def require_independent(matrix, what):
    rank = rank_of(matrix)
    if rank < matrix.shape[1]:
        raise ArgumentError(
            f"{what}: expected {matrix.shape[1]} independent directions, found rank {rank}"
        )


def rank_of(matrix):
    """The number of independent columns, whatever their lengths."""
    lengths = np.linalg.norm(matrix, axis=0)
    values = np.linalg.svd(matrix / np.where(lengths > 0, lengths, 1.0), compute_uv=False)
    return int((values > INDEPENDENT * max(values[0], INDEPENDENT)).sum())


def complement(matrix):
    """Orthonormal directions (6, 6 - k) that are orthogonal to these, along axes where possible."""
    basis, _ = np.linalg.qr(matrix)
    found = []
    for _ in range(6 - matrix.shape[1]):
        left = np.eye(6) - basis @ basis.T
        left = left[:, np.argmax(np.linalg.norm(left, axis=0).round(9))]
        found.append(left / np.linalg.norm(left))
        basis = np.column_stack([basis, found[-1]])
    return clean(np.column_stack(found)) if found else np.empty((6, 0))


def duals(motion, constraint):
    """The bases dual to both: a force along one of these works along its own direction only."""
    both = np.linalg.inv(np.column_stack([motion, constraint])).T
    return clean(both[:, : motion.shape[1]]), clean(both[:, motion.shape[1] :])
