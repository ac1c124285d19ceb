"""Units of a loop's states in which rows and columns of its matrices have similar sizes.

Positions, torques and stale forces of a robot may be of any size: in other units the same loop has
other numbers, and small ones could be lost in rounding beside the largest, or mistaken for it.
Units are powers of two, so that changing them is exact.
"""

import numpy as np

ROUNDS = 50
NEAR = 0.1  # of a power of two


def balancing_twos(size):
    """Exponents (m,) that make the entries 2**(twos[i] - twos[j]) size[i, j] of (m, m) similar.

    First the least squares of their logarithms brings them near to one, which is final for states
    that are only read or only written; then sums of rows are made equal to sums of columns
    (Osborne, 1960).
    """
    size = size.copy()
    np.fill_diagonal(size, 0.0)
    twos = _nearest_to_one(size)
    for _ in range(ROUNDS):
        scaled = np.exp2(twos[:, None] - twos) * size
        columns, rows = scaled.sum(axis=0), scaled.sum(axis=1)
        both = (columns > 0.0) & (rows > 0.0)
        # Half a step, since neighbours move at the same time.
        move = np.log2(np.where(both, columns, 1.0) / np.where(both, rows, 1.0)) / 4
        twos += move
        if np.abs(move).max() < NEAR:
            break
    return np.rint(twos).astype(int)


def _nearest_to_one(size):
    """Exponents with the least sum of squares of twos[i] - twos[j] + log2(size[i, j])."""
    present = size > 0.0
    logs = np.where(present, np.log2(np.where(present, size, 1.0)), 0.0)
    pairs = present + present.T.astype(float)
    laplacian = np.diag(pairs.sum(axis=1)) - pairs
    return np.linalg.lstsq(laplacian, logs.sum(axis=0) - logs.sum(axis=1))[0]
