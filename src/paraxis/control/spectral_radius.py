"""The largest magnitude of an eigenvalue of large matrices that decompose into blocks."""

import numpy as np


def irreducible_parts(matrices):
    """Indices of the states, split where a set `(k, m, m)` is block triangular.

    What eigenvalues, and growth rates of products, depend on are the diagonal blocks alone.
    """
    m = matrices.shape[-1]
    reaches = (matrices != 0).any(axis=0) | np.eye(m, dtype=bool)
    for _ in range(m.bit_length()):
        paths = reaches.astype(np.float32)  # of numbers a product is quick, of bools it is not
        reaches = paths @ paths > 0
    first = (reaches & reaches.T).argmax(axis=1)  # of those that each reaches both ways
    return [np.flatnonzero(first == k) for k in np.unique(first)]


def spectral_radii(matrices):
    """Of each matrix of (k, m, m); infinite where one is not finite."""
    radii = np.full(len(matrices), np.inf)
    finite = np.isfinite(matrices).all(axis=(-1, -2))
    matrices = matrices[finite]
    if len(matrices):
        parts = irreducible_parts(matrices)
        radii[finite] = np.max([_of_block(matrices, part) for part in parts], axis=0)
    return radii


def _of_block(matrices, part):
    if len(part) == 1:
        return np.abs(matrices[:, part[0], part[0]])
    return np.abs(np.linalg.eigvals(matrices[:, part[:, None], part])).max(axis=-1)
