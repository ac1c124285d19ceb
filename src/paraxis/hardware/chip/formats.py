"""The binary point of every quantity of a chip, and the shifts of its processors.

All numbers of a vector or a matrix share one format. As in circuits of CORDIC processors, a format
has room for twice the largest value seen in a simulation of random states. A result that is far
smaller than its operands allow keeps room for their rounding errors.
"""

import math
from typing import NamedTuple

import numpy as np

from ...parallel.systolic.operators import MM, MV, SV, VA, VC, VV
from ...parallel.systolic.wiring import Constant
from ..circuits.ranges import LEAST_LEFT, TWICE
from ..circuits.sizing import number_format
from .arithmetic import EXACT, as_array

TERMS = {SV: 1, VC: 2, MV: 3, MM: 3, VV: 3}  # products per number of the result


class Rounding(NamedTuple):
    """How an exact result becomes words: operands are shifted up, the result down."""

    lifts: tuple[int, int]
    drop: int


def largest_values(wiring, inputs, bounds):
    """source -> the largest |value| for which its format has room.

    `inputs` maps Inputs to arrays of their values in many states, `bounds` to their largest values.
    """
    seen, most = dict(inputs), dict(bounds)
    for source in constants(wiring):
        seen[source] = as_array(source.value)
        most[source] = float(abs(seen[source]).max())
    for operation in wiring.operations:
        values = [turned(seen[source], flip) for source, flip in operation.operands]
        seen[operation] = EXACT[operation.operator](*values)
        sizes = [most[source] for source, _ in operation.operands]
        operator = operation.operator
        bound = sum(sizes) if operator is VA else TERMS[operator] * math.prod(sizes)
        room = max(TWICE * float(abs(seen[operation]).max()), LEAST_LEFT * bound)
        most[operation] = min(room, bound)
    return most


def formats_of(wiring, most, word):
    """source -> Number, and operation -> Rounding. No format is finer than its exact value."""
    given = [*wiring.inputs, *constants(wiring)]
    formats = {source: number_format(word, most[source]) for source in given}
    roundings = {}
    for operation in wiring.operations:
        left, right = (formats[source].fraction for source, _ in operation.operands)
        exact = max(left, right) if operation.operator is VA else left + right
        lifts = (exact - left, exact - right) if operation.operator is VA else (0, 0)
        wanted = number_format(word, most[operation])
        formats[operation] = wanted.shifted(max(wanted.fraction - exact, 0))
        roundings[operation] = Rounding(lifts, exact - formats[operation].fraction)
    return formats, roundings


def constants(wiring):
    """The constants that operations read, each once."""
    sources = (source for operation in wiring.operations for source, _ in operation.operands)
    return [each for each in dict.fromkeys(sources) if isinstance(each, Constant)]


def turned(value, transposed):
    return np.swapaxes(value, -1, -2) if transposed else value
