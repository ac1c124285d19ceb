"""The timing with the fewest words in buffers, by integer programming (HiGHS).

The unknowns are the start of each operation and the number of registers k of each delay line, both
integers. The wait of a value, from the end of its operation to the start of its reader, satisfies

    0 <= wait < interval (k + 1)

where inputs are available at 0 and torques leave at the latency. The sum of words · k is minimised.
"""

import math
from typing import NamedTuple

import numpy as np

from ...targets.cpu.aside import aside
from ..solver import scipy_parts
from .array import INSIDE, OUTSIDE, kind
from .wiring import Input

GIVEN = None  # the column of known values
TIE = 1e-5  # among equal timings, prefers shorter waits inside nodes


class Timing(NamedTuple):
    starts: dict
    least: int  # a lower bound of words over all timings


def fewest_buffers(array, seconds):
    """The best timing of the same latency that is found in this many seconds.

    For arrays in which each operation has its own processor.
    """
    optimize, sparse = scipy_parts("fewest_buffers")
    sources = list(dict.fromkeys(source for source, *_ in array.reads))
    column = {each: k for k, each in enumerate(array.starts)}
    line = {each: len(column) + k for k, each in enumerate(sources)}
    rows, least = [], []  # (row, column, factor); Σ factor · unknown >= least
    for source, taker, _, _ in array.reads:
        (stop, late), (start, soon) = _start(array, column, taker), _end(column, source)
        for factor, registers, bound in ((1, 0, 0), (-1, array.interval, 1 - array.interval)):
            terms = ((stop, factor), (start, -factor), (line[source], registers))
            rows += [(len(least), place, each) for place, each in terms if place is not GIVEN]
            least.append(bound - factor * (late - soon))
    inside = {source for source, taker, *_ in array.reads if kind(source, taker) == INSIDE}
    costs = np.zeros(len(column) + len(line))
    for source, place in line.items():
        costs[place] = source.words * (1 + TIE * (source in inside))
    numbers, columns, factors = zip(*rows, strict=True)
    matrix = sparse.coo_matrix((factors, (numbers, columns)), shape=(len(least), len(costs)))
    found = aside(
        lambda: optimize.milp(
            costs,
            constraints=optimize.LinearConstraint(matrix.tocsr(), np.array(least), np.inf),
            integrality=np.ones(len(costs)),
            bounds=optimize.Bounds(0, np.inf),
            options={"time_limit": seconds, "mip_rel_gap": 0},
        )
    )
    starts = array.starts
    if found.x is not None:
        starts = {each: round(found.x[place]) for each, place in column.items()}
    arriving = sum(each.words for each in array.wiring.inputs)  # at inputs, in any case
    proved = (found.mip_dual_bound or 0) / (1 + TIE)
    return Timing(starts, arriving + math.ceil(proved - 1e-6))


def _start(array, column, taker):
    """A column and an addend: when a reader starts."""
    return (GIVEN, array.latency) if taker is OUTSIDE else (column[taker], 0)


def _end(column, source):
    """A column and an addend: when a value is available."""
    return (GIVEN, 0) if isinstance(source, Input) else (column[source], source.operator.flops)
