"""Symmetric block-tridiagonal systems, one block after another: block L D Lᵀ.

Blocks may differ in size. `above[k]` couples block k, by its rows, with block k + 1, by its
columns. Factored once, used for any number of right-hand sides.
"""

from .dense import minus, transposed
from .pivot_block import marked_pivot, minus_columns, minus_rows


class BlockTridiagonal:
    """Eliminated from the first block on."""

    def __init__(self, diagonal, above):
        self.pivots, self.halves = [marked_pivot(0, diagonal[0])], []
        for k, coupling in enumerate(above):
            # an empty block belongs to a free joint, which has no constraints
            columns = transposed(coupling) if coupling else [[] for _ in diagonal[k + 1]]
            self.halves.append(self.pivots[k].halves(columns))
            taken = self.pivots[k].square(self.halves[k])
            self.pivots.append(marked_pivot(k + 1, minus_rows(diagonal[k + 1], taken)))

    def solve(self, b):
        """x of A x = b, both by blocks."""
        y = self.pivots[0].halves(b[:1])
        for k, halves in enumerate(self.halves):
            rest = minus(b[k + 1], self.pivots[k].applied(halves, y[k]))
            y += self.pivots[k + 1].halves([rest])
        x = [self.pivots[-1].solve(y[-1])]
        for k in reversed(range(len(self.halves))):
            x.append(self.pivots[k].solve(minus_columns(y[k], self.halves[k], x[-1])))
        return x[::-1]
