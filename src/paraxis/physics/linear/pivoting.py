"""Linear equations with any regular matrix as straight-line code: partial pivoting.

The row with the largest entry differs per state, so rows are exchanged by `select`.
"""

from typing import Any

import numpy as np

from ...errors import ArgumentError
from ...scalar import known, less, select


def solve(A: Any, b: Any) -> np.ndarray:
    """x with A x = b, for a small dense matrix of floats or traced scalars.

    Gaussian elimination with partial pivoting: about n³/3 multiplications and as many selections.

    **Arguments:**

    - `A`: (n, n), an array or nested lists.
    - `b`: (n,) or (n, m): one right-hand side, or m as columns; np.eye(n) gives the inverse.

    **Returns:** x, an array of the shape of b. For a singular matrix it has infinities or NaN; no
    error is raised, because singular states are not known while a function is traced.

    **Raises:** `px.ArgumentError` if the shapes do not fit.

    **Example:**

    >>> px.math.solve([[2.0, 1.0], [1.0, 3.0]], [3.0, 5.0])
    array([0.8, 1.4])
    >>> program = px.trace(px.math.solve, A=(2, 2), b=2)
    >>> program.evaluate(A=[[2.0, 1.0], [1.0, 3.0]], b=[3.0, 5.0])
    array([0.8, 1.4])
    """
    A, b = np.asanyarray(A), np.asanyarray(b)
    if A.ndim > 2:
        n = A.shape[-1]
        raise ArgumentError(
            f"A: expected one square matrix, found shape {A.shape}; for a batch of systems, "
            f"compile a kernel: px.trace(px.math.solve, A=({n}, {n}), b={n}).compile()"
        )
    if A.ndim != 2 or A.shape[0] != A.shape[1] or not A.size:
        raise ArgumentError(f"A: expected a square matrix, found shape {A.shape}")
    if b.ndim not in (1, 2) or len(b) != len(A):
        expected = f"({len(A)},) or ({len(A)}, m)"
        raise ArgumentError(f"b: expected an array of shape {expected}, found {b.shape}")
    n = len(A)
    columns = b.reshape(n, -1)
    rows = [[*left, *right] for left, right in zip(A.tolist(), columns.tolist(), strict=True)]
    with np.errstate(all="ignore"):
        solution = _eliminated(rows, n)
    traced = A.dtype.kind == "O" or b.dtype.kind == "O"
    x = np.array(solution, dtype=object if traced else None).reshape(b.shape)
    kind = next((type(each) for each in (A, b) if type(each) is not np.ndarray), np.ndarray)
    return x.view(kind)


def _eliminated(rows, n):
    reciprocal = []
    for k in range(n):
        for i in range(k + 1, n):
            if known(rows[i][k]) != 0:
                _larger_first(rows, k, i)
        reciprocal.append(_reciprocal(rows[k][k]))
        for row in rows[k + 1 :]:
            if known(row[k]) == 0:
                continue
            share = row[k] * reciprocal[k]
            for j in range(k + 1, len(row)):
                row[j] = row[j] - share * rows[k][j]
    for k in reversed(range(n)):
        for j in range(n, len(rows[k])):
            rest = rows[k][j]
            for i in range(k + 1, n):
                rest = rest - rows[k][i] * rows[i][j]
            rows[k][j] = rest * reciprocal[k]
    return [row[n:] for row in rows]


def _larger_first(rows, k, i):
    """Exchange rows k and i if row i has the larger entry in column k."""
    exchange, above, below = less(abs(rows[k][k]), abs(rows[i][k])), rows[k], rows[i]
    for j in range(k, len(above)):
        above[j], below[j] = (
            select(exchange, below[j], above[j]),
            select(exchange, above[j], below[j]),
        )


def _reciprocal(pivot):
    return 1.0 / (np.float64(pivot) if isinstance(pivot, (int, float)) else pivot)
