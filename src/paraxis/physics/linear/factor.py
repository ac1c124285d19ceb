"""M = Lᵀ D L without fill-in: the factorisation of a mass matrix along the tree (Featherstone).

Eliminating from the tips inward touches only pairs of a body and its ancestors, so L has the zeros
of M. L is unit lower triangular and stored as {(i, j): scalar} with j an ancestor of i; of D the
reciprocals are stored, one division per joint.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Factors:
    ancestors: list  # of each row: the columns that may be filled, nearest first
    L: dict
    reciprocal: list  # of the diagonal of D


def factor(ancestors, M, checked=lambda _, pivot: pivot):
    """The factors of a symmetric positive matrix given by rows.

    `ancestors[i]` are the bodies that carry body i, nearest first; with all earlier rows as
    ancestors, any such matrix is factored. `checked(k, pivot)` returns the pivot of row k or
    rejects it.
    """
    H = {(i, j): M[i][j] for i, above in enumerate(ancestors) for j in (i, *above)}
    L, reciprocal = {}, [None] * len(ancestors)
    for k in reversed(range(len(ancestors))):
        reciprocal[k] = 1.0 / checked(k, H[k, k])
        L |= eliminate(ancestors, H, k, reciprocal[k])
    return Factors(ancestors, L, reciprocal)


def eliminate(ancestors, H, k, reciprocal):
    """Row k of L; subtracts from the matrix {(i, j): scalar} the contribution of row k, whose
    pivot has this reciprocal."""
    L = {}
    for i in ancestors[k]:
        L[k, i] = H[k, i] * reciprocal
        for j in (i, *ancestors[i]):
            H[i, j] = H[i, j] - L[k, i] * H[k, j]
    return L


def dense_factor(M):
    """The same for a matrix without known zeros."""
    return factor([tuple(range(i - 1, -1, -1)) for i in range(len(M))], M)


def solve(factors, b):
    """x with M x = b."""
    return back_solve(factors, half_solve(factors, b))


def half_solve(factors, b):
    """y with Lᵀ y = b."""
    y = list(b)
    for k in reversed(range(len(y))):
        for i in factors.ancestors[k]:
            y[i] = y[i] - factors.L[k, i] * y[k]
    return y


def back_solve(factors, y):
    """x with D L x = y."""
    x = list(y)
    for k, above in enumerate(factors.ancestors):
        x[k] = x[k] * factors.reciprocal[k]
        for i in above:
            x[k] = x[k] - factors.L[k, i] * x[i]
    return x
