"""Depths of recursions over links of which every number is given."""

import math
from functools import cache

from paraxis.passes.balance import balance
from paraxis.passes.depth import Weights, depth, levels

from .given import graph_of

# So long a multiplication that a time tells how many products and sums it is made of.
LONG = 1 << 20


@cache
def depth_of(recursion, n, given, balanced):
    """Of a recursion over n links, with sums balanced or as written."""
    graph = graph_of(recursion, n, given)
    return depth(balance(graph) if balanced else graph)


def pairs(recursion, given, grid, balanced=False):
    """n -> [mul, add]."""
    found = {n: depth_of(recursion, n, given, balanced) for n in grid}
    return {n: [each.mul, each.add] for n, each in found.items()}


@cache
def availability(recursion, n, given):
    """(mark, link) -> [mul, add]: when a value is there, with sums as written."""
    graph = graph_of(recursion, n, given)
    level = levels(graph, Weights(mul=LONG))
    return {
        mark: list(divmod(max(level[node.index] for node in nodes), LONG))
        for mark, nodes in graph.marks.items()
        if all(node.index in level for node in nodes)  # else no torque needs it
    }


def rounds(n):
    """How often spans are glued: outward with the base, inward among the links alone."""
    return math.ceil(math.log2(n + 1)) + math.ceil(math.log2(n))
