"""Small dense blocks: a processor's operations on its block row of a tridiagonal system.

Blocks are NumPy arrays, of floats to compute with or of traced scalars to count. The names are
Fijany's: A is on the diagonal, `upper` couples a block to one further out (his B of i) and `lower`
one further in to the block (his B of i - s). A missing block is None.
"""

import numpy as np


def factor(A):
    """A = L D Lᵀ as one array: L below the diagonal, the reciprocals of D on it."""
    LD, diagonal = np.zeros_like(A), []
    for j in range(len(A)):
        scaled = [LD[j, k] * diagonal[k] for k in range(j)]
        pivot = A[j, j]
        for k in range(j):
            pivot = pivot - LD[j, k] * scaled[k]
        diagonal.append(pivot)
        LD[j, j] = 1.0 / pivot
        for i in range(j + 1, len(A)):
            below = A[i, j]
            for k in range(j):
                below = below - LD[i, k] * scaled[k]
            LD[i, j] = below * LD[j, j]
    return LD


def solve(LD, right):
    """A⁻¹ times a block or a vector, by the factors of A."""
    rows = list(right)
    for i in range(len(rows)):
        for k in range(i):
            rows[i] = rows[i] - LD[i, k] * rows[k]
    rows = [LD[i, i] * row for i, row in enumerate(rows)]
    for i in reversed(range(len(rows))):
        for k in range(i + 1, len(rows)):
            rows[i] = rows[i] - LD[k, i] * rows[k]
    return np.array(rows)


def symmetric(left, right):
    """A product that is known to be symmetric: only half of it is computed."""
    product = np.empty((len(left), len(left)), dtype=np.result_type(left, right))
    for i in range(len(left)):
        for j in range(i + 1):
            product[i, j] = product[j, i] = left[i] @ right[:, j]
    return product


def less(own, *others):
    """A block or vector minus others, those that exist."""
    for other in others:
        if other is not None:
            own = own - other
    return own


# -- allocation by the block that is eliminated ----------------------------------------------------


def toward_outer(LD, upper):
    """C = A⁻¹ B(i)."""
    return solve(LD, upper)


def toward_inner(LD, lower):
    """F = A⁻¹ B(i-s)ᵀ."""
    return solve(LD, lower.T)


def for_outer(C, upper):
    """D = B(i)ᵀ A⁻¹ B(i), which block i+s subtracts."""
    return symmetric(upper.T, C)


def for_inner(F, lower):
    """G = B(i-s) A⁻¹ B(i-s)ᵀ, which block i-s subtracts."""
    return symmetric(lower, F)


def bridge(F, upper):
    """-B(i-s) A⁻¹ B(i): couples i-s to i+s after block i between them is eliminated."""
    return -(F.T @ upper)


def share(solved, right_side):
    """The vector that a neighbour subtracts from its right-hand side."""
    return solved.T @ right_side


# -- allocation by the block that is updated -------------------------------------------------------


def from_outer(outer_LD, upper):
    """X = A(i+s)⁻¹ B(i)ᵀ."""
    return solve(outer_LD, upper.T)


def from_inner(inner_LD, lower):
    """Y = A(i-s)⁻¹ B(i-s)."""
    return solve(inner_LD, lower)


def taken_by_outer(X, upper):
    """B(i) A(i+s)⁻¹ B(i)ᵀ."""
    return symmetric(upper, X)


def taken_by_inner(Y, lower):
    """B(i-s)ᵀ A(i-s)⁻¹ B(i-s)."""
    return symmetric(lower.T, Y)


def reach(X, outer_upper):
    """-B(i) A(i+s)⁻¹ B(i+s): couples i to i+2s."""
    return -(X.T @ outer_upper)


def updated(right_side, X, outer, Y, inner):
    """A right-hand side minus the contributions of the eliminated neighbours."""
    shares = (
        None if neighbour is None else share(solved, neighbour)
        for solved, neighbour in ((X, outer), (Y, inner))
    )
    return less(right_side, *shares)
