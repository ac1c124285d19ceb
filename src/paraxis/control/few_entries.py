"""Reduces stale data to the few combinations of entries that reach the torques.

Entries e of a control law obey e' = S e + P x, and the torques depend on L e. One subspace is the
part of e that is observable through L, L S, L S S, ...; another is the part that x can excite
through P, S P, S S P, .... The rest depends only on itself and, as a recursion has no cycles,
vanishes after a few steps. Removing it therefore changes neither nonzero eigenvalues nor growth
rates.
"""

from dataclasses import replace

import numpy as np

NEGLIGIBLE = 1e-11  # relative residual, due to rounding, of a vector that lies in a subspace


def with_few_entries(law):
    """The Linearised at points (points,), all in the same coordinates, with few entries."""
    if not law.S.shape[-1]:
        return law
    k = law.S.shape[-1]
    seen = _invariant(law.L.reshape(-1, k), law.S.reshape(-1, k, k).swapaxes(1, 2))
    law = _within(law, seen)
    k = law.S.shape[-1]
    stirred = _invariant(law.P.swapaxes(-1, -2).reshape(-1, k), law.S.reshape(-1, k, k))
    return _within(law, stirred)


def _within(law, basis):
    L, P, S = law.L @ basis, basis.T @ law.P, basis.T @ law.S @ basis
    return replace(law, L=L, P=P, S=S)


def _invariant(rows, maps):
    """An orthonormal basis (k, r) of the least subspace with all rows that the maps preserve."""
    k, basis, new = maps.shape[-1], np.zeros((maps.shape[-1], 0)), rows.T
    limit = NEGLIGIBLE * max(np.linalg.norm(new), 1e-300)
    while new.shape[1]:
        first = basis.shape[1]
        while new.shape[1]:
            new = _beside(basis, new)
            new = new[:, np.linalg.norm(new, axis=0) > limit]
            directions, sizes, _ = np.linalg.svd(new[:, : k + 1], full_matrices=False)
            more, _ = np.linalg.qr(_beside(basis, directions[:, sizes > limit]))
            basis = np.concatenate([basis, more], axis=1)
            if basis.shape[1] >= k:
                return np.eye(k)
            new = new[:, k + 1 :]
        new = np.concatenate(list(maps @ basis[:, first:]), axis=1)
        limit = NEGLIGIBLE * np.abs(maps).sum(axis=-1).max()
    return basis


def _beside(basis, vectors):
    """The part of vectors orthogonal to the basis, computed twice because of rounding."""
    for _ in range(2):
        vectors = vectors - basis @ (basis.T @ vectors)
    return vectors
