"""Elimination that says how many equations are independent, over generic scalars.

What is too small to be a pivot differs from state to state, so it is found by `select`. Where the
rank is less than the number of equations, solutions are finite and mean nothing.
"""

from itertools import product

from ..scalar import equal, less, maximum, select


def solve_positive_with_rank(A, b, least, tolerance):
    """x with A x = b, and the rank of A, which is symmetric and has no negative eigenvalue.

    Pivots are taken in order. Each is a part of its entry on the diagonal: sin² of the angle
    between that equation and those before it. It counts when that is more than the tolerance, and
    the entry itself is more than `least` of it.
    """
    n, rank = len(A), 0.0
    A, x = [list(row) for row in A], list(b)
    smallest = [maximum(A[k][k] * tolerance, least[k]) for k in range(n)]
    reciprocal = []
    for k in range(n):
        counts = less(smallest[k], A[k][k])
        rank = rank + select(counts, 1.0, 0.0)
        reciprocal.append(select(counts, 1.0 / select(counts, A[k][k], 1.0), 0.0))
        for i in range(k + 1, n):
            share = A[i][k] * reciprocal[k]
            for j in range(k + 1, i + 1):
                A[i][j] = A[i][j] - share * A[j][k]
            x[i] = x[i] - share * x[k]
    for k in reversed(range(n)):
        for i in range(k + 1, n):
            x[k] = x[k] - A[i][k] * x[i]
        x[k] = x[k] * reciprocal[k]
    return x, rank


def solve_with_rank(A, b, tolerance):
    """x with A x = b, and the rank of A: how many pivots are larger than the tolerance.

    The largest entry that is left is the next pivot. Entries should be scaled, so that 1 is large.
    """
    n, rank = len(A), 0.0
    rows = [[*row, right] for row, right in zip(A, b, strict=True)]
    pivots, chosen = [], []
    for k in range(n):
        size, place, column = _largest(rows, k)
        _exchange(rows, k, place)
        for row in rows:
            _exchange(row, k, column, last=n)
        large = less(tolerance, size)
        rank = rank + select(large, 1.0, 0.0)
        pivot = select(large, rows[k][k], 1.0)
        for row in rows[k + 1 :]:
            share = row[k] / pivot
            for j in range(k + 1, n + 1):
                row[j] = row[j] - share * rows[k][j]
        pivots.append(pivot)
        chosen.append(column)
    x = [row[n] for row in rows]
    for k in reversed(range(n)):
        for j in range(k + 1, n):
            x[k] = x[k] - rows[k][j] * x[j]
        x[k] = x[k] / pivots[k]
    for k in reversed(range(n)):  # back from the order in which columns were chosen
        _exchange(x, k, chosen[k])
    return x, rank


def _largest(rows, k):
    """The size of the largest entry that is left, its row and its column."""
    size, row, column = abs(rows[k][k]), float(k), float(k)
    for i, j in product(range(k, len(rows)), repeat=2):
        larger = less(size, abs(rows[i][j]))
        size = maximum(size, abs(rows[i][j]))
        row, column = select(larger, float(i), row), select(larger, float(j), column)
    return size, row, column


def _exchange(items, k, i, last=None):
    """Exchange items k and i in place; items are scalars or lists, and i is a generic scalar."""
    first = items[k]
    for j in range(k + 1, len(items) if last is None else last):
        here = equal(i, float(j))
        items[k], items[j] = _select(here, items[j], items[k]), _select(here, first, items[j])


def _select(condition, one, other):
    if isinstance(one, list):
        return [select(condition, a, b) for a, b in zip(one, other, strict=True)]
    return select(condition, one, other)
