"""Solutions of linear equations, and the number of independent ones: their rank.

Which entries are too small to be pivots differs per state, so `select` finds them. If the rank is
less than the number of equations, solutions are finite but meaningless.
"""

from itertools import product

from ...scalar import equal, less, maximum, select


def solve_gram_with_rank(vectors, weights, b, least, tolerance):
    """x with A x = b, and the rank of A, which has the weighted scalar products of vectors."""
    span = Span(vectors, weights, counting(vectors, weights, least, tolerance))
    return span.solve(b), span.rank


def counting(vectors, weights, least, tolerance):
    """The rule that a vector of a Span counts if its squared residual exceeds both the tolerance,
    relative to the vector, and `least`."""
    sizes = (_weighted(vector, weights, vector) for vector in vectors)
    smallest = [maximum(a * tolerance, b) for a, b in zip(sizes, least, strict=True)]
    return lambda k, left: less(smallest[k], left)


class Span:
    """Vectors made orthogonal to the previous ones, by modified Gram-Schmidt.

    It resolves the angle between vectors; elimination in the matrix of their scalar products would
    resolve its square, where rounding errors are much larger. A vector that does not count is
    ignored: consistent equations are solved by those that count. `counts(k, left)` is the condition
    that vector k counts, where `left` is its squared residual.
    """

    def __init__(self, vectors, weights, counts):
        n, self.weights, self.rank = len(vectors), weights, 0.0
        self.left = left = [list(vector) for vector in vectors]
        self.share, self.counts, self.reciprocal = {}, [], []
        for k in range(n):
            size = _weighted(left[k], weights, left[k])
            counted = counts(k, size)
            self.counts.append(counted)
            self.rank = self.rank + select(counted, 1.0, 0.0)
            self.reciprocal.append(select(counted, 1.0 / select(counted, size, 1.0), 0.0))
            for i in range(k + 1, n):
                share = _weighted(left[k], weights, left[i]) * self.reciprocal[k]
                left[i] = [v - share * u for v, u in zip(left[i], left[k], strict=True)]
                self.share[i, k] = share

    def solve(self, b):
        """x with A x = b, where A has the scalar products of the vectors."""
        z = list(b)
        for k in range(len(z)):
            for i in range(k + 1, len(z)):
                z[i] = z[i] - self.share[i, k] * z[k]
        return self._of_vectors([a * r for a, r in zip(z, self.reciprocal, strict=True)])

    def without(self, vector):
        """The residual of a vector outside the span, and the shares of its part inside."""
        shares = []
        for own, reciprocal in zip(self.left, self.reciprocal, strict=True):
            shares.append(_weighted(own, self.weights, vector) * reciprocal)
            vector = [v - shares[-1] * u for v, u in zip(vector, own, strict=True)]
        return vector, self._of_vectors(shares)

    def _of_vectors(self, shares):
        """Shares of the orthogonal vectors as shares of the original ones."""
        x = list(shares)
        for k in reversed(range(len(x))):
            for i in range(k + 1, len(x)):
                x[k] = x[k] - self.share[i, k] * x[i]
        return x


def _weighted(a, weights, b):
    return sum((x * w * y for x, w, y in zip(a, weights, b, strict=True)), 0.0)


def solve_with_rank(A, b, tolerance):
    """x with A x = b, and the rank of A: how many pivots are larger than the tolerance.

    The largest remaining entry is the next pivot. Entries should be scaled, so that 1 is large.
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
    """The size of the largest remaining entry, its row and its column."""
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
