"""M⁻¹, and M⁻¹ B for many columns, from the factors of M along the tree.

If a column has zeros for a whole subtree, the result there follows from the rows that carry the
subtree alone: x = K x_above, with fewer products than row by row. K is worthwhile if more columns
share it than rows carry the subtree, as where limbs meet on a floating base.
"""

from collections import Counter

from ...scalar import known
from .factor import half_solve


def inverse(factors):
    """M⁻¹, by rows.

    L M⁻¹ = D⁻¹ L⁻ᵀ, whose right side is zero below the diagonal: row by row, outward, each entry
    follows from those of the ancestors, and the rest from symmetry (Takahashi).
    """
    quiet, n = QuietSubtrees(factors), len(factors.ancestors)
    W = [[0.0] * n for _ in range(n)]
    for i, above in enumerate(factors.ancestors):
        path = (i, *above)
        roots = [min(k for k in path if k > j) for j in range(i)]
        shared = quiet.worthwhile(roots)
        for j, root in enumerate(roots):
            row = quiet.row(i, root if root in shared else i)
            W[i][j] = W[j][i] = sum((entry * W[k][j] for k, entry in row.items()), 0.0)
        own = quiet.row(i, i)
        W[i][i] = factors.reciprocal[i] + sum((x * W[k][i] for k, x in own.items()), 0.0)
    return W


def solve_columns(factors, columns):
    """X with M X = B, both by columns."""
    halves = [half_solve(factors, column) for column in columns]
    quiet = QuietSubtrees(factors)
    roots = [quiet.roots(y) for y in halves]
    shared = quiet.worthwhile([root for each in roots for root in {*each} - {None}])
    found = []
    for y, each in zip(halves, roots, strict=True):
        x = list(y)
        for k, root in enumerate(each):
            if root in shared:
                x[k] = sum((entry * x[i] for i, entry in quiet.row(k, root).items()), 0.0)
            else:
                x[k] = x[k] * factors.reciprocal[k]
                x[k] = x[k] + sum((entry * x[i] for i, entry in quiet.row(k, k).items()), 0.0)
        found.append(x)
    return found


class QuietSubtrees:
    """The rows of L⁻¹ needed by subtrees without loads."""

    def __init__(self, factors):
        self.L, self.ancestors, self._rows = factors.L, factors.ancestors, {}

    def row(self, k, root):
        """{i: the coefficient of row i in row k}, for i that carry the subtree of `root` with k."""
        if (k, root) not in self._rows:
            row = {i: -self.L[k, i] for i in self.ancestors[root]}
            for m in self.ancestors[k]:
                if m < root:
                    break
                for i, entry in self.row(m, root).items():
                    row[i] = row[i] - self.L[k, m] * entry
            self._rows[k, root] = row
        return self._rows[k, root]

    def roots(self, y):
        """For each row, the root of the largest subtree that contains it with zero y, or None."""
        quiet = [known(entry) == 0.0 for entry in y]
        for k in reversed(range(len(y))):
            if not quiet[k] and self.ancestors[k]:
                quiet[self.ancestors[k][0]] = False
        roots = []
        for k, above in enumerate(self.ancestors):
            carried = roots[above[0]] if above else None
            roots.append(carried if carried is not None else k if quiet[k] else None)
        return roots

    def worthwhile(self, uses):
        """The roots, each listed once per use, that are used often enough."""
        return {root for root, n in Counter(uses).items() if n > len(self.ancestors[root])}
