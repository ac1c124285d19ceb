"""Gaussian elimination as straight-line code: rows are not exchanged.

It is for matrices close to a mass matrix, with pivots well above zero. An equation without a pivot
gives infinities or NaN, never a plausible number.
"""


def solve_linear(A, b, checked=lambda _, pivot: pivot):
    """x with A x = b; A by rows. `checked(k, pivot)` returns the pivot of row k or rejects it."""
    A, x, n = [list(row) for row in A], list(b), len(b)
    reciprocal = [None] * n
    for k in range(n):
        reciprocal[k] = 1.0 / checked(k, A[k][k])
        for i in range(k + 1, n):
            share = A[i][k] * reciprocal[k]
            for j in range(k + 1, n):
                A[i][j] = A[i][j] - share * A[k][j]
            x[i] = x[i] - share * x[k]
    for k in reversed(range(n)):
        for j in range(k + 1, n):
            x[k] = x[k] - A[k][j] * x[j]
        x[k] = x[k] * reciprocal[k]
    return x
