"""Quadratic forms over generic scalars: ½ zᵀ H z + gᵀ z, with H as a symmetric list of rows.

A form in some variables becomes one in others when these are put in their place. Entries that are
known to be zero cost nothing, so structure need not be spelt out.
"""

from ..scalar import known, less, maximum, select, sqrt


def replaced(H, g, L):
    """The form in y where z = L y."""
    HL = [[dot(row, column) for column in zip(*L, strict=True)] for row in H]
    columns, products = [*zip(*L, strict=True)], [*zip(*HL, strict=True)]
    return symmetric(columns, products), [dot(column, g) for column in columns]


def eliminated(H, g, C):
    """The form in the first variables only, where the last ones are C times the first."""
    n, r = len(C[0]), len(C)
    outer, inner = range(n), range(n, n + r)
    columns = [*zip(*C, strict=True)]
    Y = [[H[n + a][j] + dot(H[n + a][n:], columns[j]) for j in outer] for a in range(r)]
    products = [*zip(*Y, strict=True)]
    rows = [[H[i][k] for k in inner] for i in outer]
    new = [[0.0] * n for _ in outer]
    for i in outer:
        for j in range(i, n):
            entry = H[i][j] + dot(columns[i], products[j]) + dot(rows[i], columns[j])
            new[i][j] = new[j][i] = entry
    return new, [g[i] + dot(columns[i], g[n:]) for i in outer]


def composed(chain):
    """A chain of maps as one of the first variables: further ones of each map are the results of
    those after it."""
    return [through(row, chain[1:]) for row in chain[0]]


def through(row, chain):
    """A linear form in the variables of a map, as one in the first variables only."""
    for C in chain:
        first = len(C[0])
        last = row[first:]
        row = [a + dot(last, c) for a, c in zip(row[:first], zip(*C, strict=True), strict=True)]
    return row


def symmetric(columns, products):
    """All products of a column and a product, which are known to be symmetric."""
    n = len(columns)
    new = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i, n):
            new[i][j] = new[j][i] = dot(columns[i], products[j])
    return new


def dot(a, b):
    """The sum of products, without those known to be zero."""
    total = 0.0
    for x, y in zip(a, b, strict=True):
        if known(x) != 0.0 and known(y) != 0.0:
            total = total + x * y
    return total


def factor(H):
    """The Cholesky factor of H as rows, the inverse of its diagonal, and the least pivot.

    Where a pivot is not positive, 1 takes its place, so that nothing becomes NaN: the least pivot
    then tells that there is no factor.
    """
    n, L, inverse, least = len(H), [], [], None
    for i in range(n):
        row = []
        for j in range(i):
            row.append((H[i][j] - dot(row, L[j][: len(row)])) * inverse[j])
        pivot = H[i][i] - dot(row, row)
        least = pivot if least is None else select(less(pivot, least), pivot, least)
        root = sqrt(select(less(0.0, pivot), pivot, 1.0))
        L.append([*row, root])
        inverse.append(1.0 / root)
    return L, inverse, least


def solved(L, inverse, b):
    """x of L Lᵀ x = b."""
    n, y = len(L), []
    for i in range(n):
        y.append((b[i] - dot(L[i][:i], y)) * inverse[i])
    x = [0.0] * n
    for i in reversed(range(n)):
        later = range(i + 1, n)
        x[i] = (y[i] - dot([L[k][i] for k in later], [x[k] for k in later])) * inverse[i]
    return x


def largest(values):
    """The largest magnitude."""
    size = 0.0
    for value in values:
        size = maximum(size, abs(value))
    return size


def packed(H):
    """The upper half of a symmetric matrix, row by row."""
    return [H[i][j] for i in range(len(H)) for j in range(i, len(H))]


def unpacked(values, n):
    """The symmetric matrix whose upper half this is."""
    H, entries = [[0.0] * n for _ in range(n)], iter(values)
    for i in range(n):
        for j in range(i, n):
            H[i][j] = H[j][i] = next(entries)
    return H
