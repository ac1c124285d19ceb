"""Symmetric block-tridiagonal systems in logarithmic time: odd-even elimination.

In each step every block is eliminated from the equations of both its neighbours at once, which are
then coupled with blocks twice as far away (Fijany, eqs. 90-93, where offsets are 2ʲ⁻¹). After
⌈log₂N⌉ steps none is coupled with any other. The interface is that of block_tridiagonal.py.

Every block is computed independently, so rounding errors of neighbours do not match as they do if
one follows from the other: the result has fewer digits than with L D Lᵀ, and far fewer if links
differ greatly.
"""

from typing import NamedTuple

from .dense import minus, transposed
from .pivot_block import PivotBlock, marked_pivot, minus_rows


class OddEvenElimination:
    """`steps` are pairs of a reach, 1, 2, 4, ..., and the blocks as they are eliminated in it."""

    def __init__(self, diagonal, above):
        self.steps, n = [], len(diagonal)
        A, U, reach = list(diagonal), dict(enumerate(above)), 1  # U[k] couples k with k + reach
        while reach < n:
            step = [eliminated(A[k], U.get(k - reach), U.get(k)) for k in range(n)]
            U = {}
            for k, (pivot, before, after) in enumerate(step):
                if before:
                    A[k - reach] = minus_rows(A[k - reach], pivot.square(before))
                if after:
                    A[k + reach] = minus_rows(A[k + reach], pivot.square(after))
                if before and after:
                    U[k - reach] = _negative(pivot.between(before, after))
            self.steps.append((reach, step))
            reach *= 2
        self.pivots = [marked_pivot(k, A[k]) for k in range(n)]

    def solve(self, b):
        """x of A x = b, both by blocks."""
        b = list(b)
        for reach, step in self.steps:
            halves = [pivot.halves([rest])[0] for (pivot, *_), rest in zip(step, b, strict=True)]
            for k, (pivot, before, after) in enumerate(step):
                if before:
                    b[k - reach] = minus(b[k - reach], pivot.applied(before, halves[k]))
                if after:
                    b[k + reach] = minus(b[k + reach], pivot.applied(after, halves[k]))
        return [
            pivot.solve(*pivot.halves([rest])) for pivot, rest in zip(self.pivots, b, strict=True)
        ]


class Eliminated(NamedTuple):
    """A block, and its couplings with neighbours as half solutions; None without a neighbour."""

    pivot: PivotBlock
    before: list
    after: list


def eliminated(block, above, below):
    """`above` couples the previous block with this one, `below` this one with the next."""
    pivot = PivotBlock.of(block)
    return Eliminated(
        pivot, pivot.halves(above or []), pivot.halves(transposed(below) if below else [])
    )


def _negative(A):
    return [[-entry for entry in row] for row in A]
