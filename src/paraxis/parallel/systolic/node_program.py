"""The operations of a node's processors, written like the lines of Lathrop's Table 4.

A line is `result = operand operator operand`, with one operator, each with its own processor:

    ω = A.T @ T2          a matrix, here transposed, times a vector
    T4 = before.ω × rate  of the previous node

`@@` multiplies two matrices, `·` is the scalar product, `*` multiplies a vector by a number. `++`
adds matrices, `⊗` is the outer product, and `⁞` multiplies rows by columns with the same index.
"""

from typing import NamedTuple

from .operators import MA, MM, MV, OP, RC, SV, VA, VC, VV, Operator

SYMBOLS = {"+": VA, "×": VC, "*": SV, "@": MV, "@@": MM, "·": VV, "++": MA, "⊗": OP, "⁞": RC}


class Step(NamedTuple):
    result: str
    operator: Operator
    operands: tuple  # two names


def steps(text):
    """The lines of a program."""
    found = []
    for line in text.strip().splitlines():
        result, _, left, symbol, right = line.split()
        found.append(Step(result, SYMBOLS[symbol], (left, right)))
    return tuple(found)


def processors(program):
    """The number of matrix-vector processors of a node that executes the whole program."""
    return sum(step.operator.processors for step in program)
