"""Small dense matrices over generic scalars, by rows."""


def dot(x, y):
    return sum((a * b for a, b in zip(x, y, strict=True)), 0.0)


def transposed(A):
    return [list(column) for column in zip(*A, strict=True)]


def times(A, x):
    """A x."""
    return [dot(row, x) for row in A]


def product(A, B):
    """A B."""
    columns = transposed(B)
    return [[dot(row, column) for column in columns] for row in A]


def symmetric_product(A, B):
    """A B, known to be symmetric: half of it is computed."""
    columns, n = transposed(B), len(A)
    upper = {(i, j): dot(A[i], columns[j]) for i in range(n) for j in range(i, n)}
    return [[upper[min(i, j), max(i, j)] for j in range(n)] for i in range(n)]


def congruent(A, B):
    """A B Aᵀ for a symmetric B, of which the result is made symmetric."""
    return symmetric_product(product(A, B), transposed(A))


def unit(k, n):
    """The k-th of n unit vectors."""
    return [float(i == k) for i in range(n)]


def plus(x, y):
    return [a + b for a, b in zip(x, y, strict=True)]


def minus(x, y):
    return [a - b for a, b in zip(x, y, strict=True)]


def symmetric(upper, n):
    """The whole matrix, from the upper triangle by rows."""
    at = {}
    for k, (i, j) in enumerate(upper_indices(n)):
        at[i, j] = at[j, i] = upper[k]
    return [[at[i, j] for j in range(n)] for i in range(n)]


def upper_triangle(A):
    """The upper triangle of a symmetric matrix, by rows."""
    return [A[i][j] for i, j in upper_indices(len(A))]


def upper_indices(n):
    return [(i, j) for i in range(n) for j in range(i, n)]
