"""The operators of a matrix-vector processor, and the flops they take.

A multiplication and an addition take a flop each. All coordinates of a vector are computed at once,
and so are the rows of a matrix.
"""

from collections.abc import Callable
from dataclasses import dataclass
from operator import add, matmul, mul

from ...spatial import Matrix, Vector, cross


@dataclass(frozen=True)
class Operator:
    name: str
    mul: int  # sequential
    add: int
    words: int | None  # numbers in the result; None: as many as in an operand
    apply: Callable
    processors: int = 1

    @property
    def flops(self):
        return self.mul + self.add


VA = Operator("VA", 0, 1, None, add)
VC = Operator("VC", 1, 1, 3, cross)
SV = Operator("SV", 1, 0, 3, mul)
MV = Operator("MV", 1, 2, 3, matmul)
MM = Operator("MM", 1, 2, 9, matmul, processors=3)  # an MV for each column
VV = Operator("VV", 1, 2, 1, matmul)  # the scalar product


def rows_times_columns(a, b):
    """Each row of a matrix times the column of another with its index; the sum is a trace."""
    pairs = zip(a, b.T, strict=True)
    return Vector(*(sum(x * y for x, y in zip(row, column, strict=True)) for row, column in pairs))


# of Lagrange's equations, whose unknowns are matrices
MA = Operator("MA", 0, 1, 9, add, processors=3)
OP = Operator("OP", 1, 0, 9, lambda a, b: Matrix(*(b * x for x in a)), processors=3)  # a bᵀ
RC = Operator("RC", 1, 2, 3, rows_times_columns)
