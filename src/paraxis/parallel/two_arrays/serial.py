"""One processor's flops for the same dynamics, without what only the parallel plan needs.

The serial algorithm of Fijany's section V: block LDLᵀ along the chain instead of odd-even
elimination, and recurrences that take one step a link. Its pieces are the plan's own.
"""

from functools import cache

from . import blocks, links
from .closed_chain import NONE, closed_chain
from .script import Do

COMBINED = (links.product, links.total, links.either)


@cache
def serial_flops(n):
    """Flops of the whole algorithm for n links.

    The first round of a recurrence does what a serial one does in all: n - 1 combinations. The
    first round of an elimination has the n - 1 C, D and E that a serial one needs; that takes off
    each D once, and each right-hand side meets C on the way out and again on the way back.
    """
    flops = 0
    for item in closed_chain(n, "second", NONE, 1).items:
        if isinstance(item, Do) and _is_serial(item):
            twice = item.function is blocks.share
            flops += int(item.flops.sum()) * (2 if twice else 1)
    return flops + (n - 1) * (_entries("A") + 2 * 2 * _entries("X²₀"))


def _is_serial(item):
    if item.name == "LDLᵀ of the tip":  # all blocks are factored in the end
        return False
    if not item.round:
        return True
    if item.round > 1:
        return False
    if item.function is blocks.share:
        return item.reads[0].value == "C"
    return item.function in (*COMBINED, blocks.toward_outer, blocks.for_outer)


def _entries(value):
    """How many scalars of a block are distinct: the additions that take another off it."""
    return closed_chain(2, "second", NONE, 1).words(value)
