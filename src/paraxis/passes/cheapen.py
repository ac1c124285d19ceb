"""Fewer operations: common factors and common parts of sums, until there are no more.

Exact in real arithmetic; moves rounding (see `factor` and `share`). Marked values stay computed.
"""

from .count import count
from .factor import factor
from .fuse import multiply_adds
from .share import share

ROUNDS = 8  # three are rarely needed
LONG = 2500  # nodes; on a longer graph one round must do: the next ones find a thousandth
MOST = 30_000  # nodes; beyond, even one takes seconds


def cheapen(graph):
    """An equal graph, of no more operations and no more instructions."""
    for _ in range(ROUNDS if len(graph.nodes) < LONG else 1):
        cheaper = share(factor(graph))
        before, after = price(graph), price(cheaper)
        if before == after or any(new > old for old, new in zip(before, after, strict=True)):
            break
        graph = cheaper
    return graph


def cheapen_unless_long(graph):
    """The graph cheapened, where that is soon done."""
    return cheapen(graph) if len(graph.nodes) <= MOST else graph


def price(graph):
    """Operations, and instructions: the same with each multiply-add as one."""
    flops = count(graph).flops
    return flops, flops - len(multiply_adds(graph))
