"""Spectral radii of large matrices that decompose into blocks."""

import numpy as np


def irreducible_parts(matrices):
    """Indices of the states, split where a set `(k, m, m)` is block triangular.

    Eigenvalues, and growth rates of products, only depend on the diagonal blocks.
    """
    m = matrices.shape[-1]
    reaches = (matrices != 0).any(axis=0) | np.eye(m, dtype=bool)
    for _ in range(m.bit_length()):
        paths = reaches.astype(np.float32)  # products of floats are fast, those of bools are not
        reaches = paths @ paths > 0
    first = (reaches & reaches.T).argmax(axis=1)  # of the states that reach each other
    return [np.flatnonzero(first == k) for k in np.unique(first)]


def spectral_radii(matrices):
    """The spectral radius of each matrix of (k, m, m); infinite for one that is not finite."""
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
