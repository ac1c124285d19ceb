"""Directions of a constraint, six-vectors as columns: angular part first."""

import numpy as np

from ..checks import counted

INDEPENDENT = 1e-9  # the least singular value of unit directions, over the largest


def checked_directions(given, what, error):
    """A matrix (6, k) of k independent directions from one, or from a single six-vector."""
    try:
        matrix = np.array(given, float)
    except (TypeError, ValueError):
        raise error(f"{what}: expected numbers, found {given!r}") from None
    if matrix.shape == (6,):
        matrix = matrix[:, None]
    if matrix.ndim != 2 or len(matrix) != 6 or not 1 <= matrix.shape[1] <= 6:
        raise error(
            f"{what}: expected six numbers, or a matrix of 6 rows with 1 to 6 directions as "
            f"columns, found shape {np.shape(given)}"
        )
    if not np.isfinite(matrix).all():
        raise error(f"{what}: expected finite numbers, found {given!r}")
    require_independent(matrix, what, error)
    return matrix


def require_independent(matrix, what, error):
    """Raise unless no direction is a sum of others."""
    rank, directions = rank_of(matrix), counted(matrix.shape[1], "direction")
    if rank < matrix.shape[1]:
        raise error(f"{what}: expected independent directions, found {directions} of rank {rank}")


def rank_of(matrix):
    """The number of independent columns, whatever their lengths."""
    lengths = np.linalg.norm(matrix, axis=0)
    values = np.linalg.svd(matrix / np.where(lengths > 0, lengths, 1.0), compute_uv=False)
    return int((values > INDEPENDENT * max(values[0], INDEPENDENT)).sum())
