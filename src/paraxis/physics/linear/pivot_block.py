"""A symmetric block of a larger matrix, factored, and the result of eliminating it."""

from ...scalar import mark
from .dense import dot, minus
from .factor import back_solve, factor, half_solve


class PivotBlock:
    """A = Lᵀ D L.

    The contribution of the elimination to its neighbours, bᵀ A⁻¹ c for their columns b and c, needs
    only half a solution of each: hᵀ D⁻¹ k with Lᵀ h = b and Lᵀ k = c.
    """

    def __init__(self, factors):
        self.factors = factors

    @classmethod
    def of(cls, A):
        """From its rows."""
        return cls(factor([range(i)[::-1] for i in range(len(A))], A))

    def halves(self, columns):
        return [half_solve(self.factors, column) for column in columns]

    def solve(self, half):
        """x of A x = b, from the half of b."""
        return back_solve(self.factors, half)

    def square(self, halves):
        """bᵀ A⁻¹ b for all pairs of columns b: symmetric, so only half of it is computed."""
        scaled = self._scaled(halves)
        upper = {
            (i, j): dot(left, right)
            for i, left in enumerate(scaled)
            for j, right in enumerate(halves[i:], i)
        }
        indices = range(len(halves))
        return [[upper[min(i, j), max(i, j)] for j in indices] for i in indices]

    def between(self, left, right):
        """bᵀ A⁻¹ c, by rows."""
        return [[dot(row, column) for column in right] for row in self._scaled(left)]

    def applied(self, halves, half):
        """bᵀ A⁻¹ c for one c."""
        (scaled,) = self._scaled([half])
        return [dot(row, scaled) for row in halves]

    def _scaled(self, halves):
        return [
            [y * d for y, d in zip(half, self.factors.reciprocal, strict=True)] for half in halves
        ]


def marked_pivot(number, A):
    """The pivot of joint `number`, its entries marked."""
    mark("pivot", number, [entry for row in A for entry in row])
    return PivotBlock.of(A)


def minus_rows(A, B):
    return [minus(a, b) for a, b in zip(A, B, strict=True)]


def minus_columns(half, columns, scalars):
    """half - Σ column scalar."""
    for column, scalar in zip(columns, scalars, strict=True):
        half = [y - entry * scalar for y, entry in zip(half, column, strict=True)]
    return half
