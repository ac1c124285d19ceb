"""How long the graph is when every operation has a processor of its own."""

from collections import Counter
from dataclasses import dataclass

from .count import COUNTED

FLOPS = ("add", "mul", "div", "sqrt")


@dataclass(frozen=True)
class Depth:
    """The operations along one longest path; sines of inputs are taken as given."""

    mul: int
    add: int
    flops: int


def levels(graph):
    """node index -> the number of flops on the longest path that ends there."""
    level = {}
    for node in graph.nodes:
        before = max((level[a.index] for a in node.args), default=0)
        level[node.index] = before + _cost(node)
    return level


def depth(graph):
    """The critical path."""
    level = levels(graph)
    node = max(graph.results, key=lambda node: level[node.index])
    total = Counter()
    while node.args:
        total.update(COUNTED.get(node.op, ()))
        node = max(node.args, key=lambda a: level[a.index])
    flops = sum(total[name] for name in FLOPS)
    return Depth(total["mul"], total["add"], flops)


def width(graph):
    """How many flops could run at each step: a list indexed by level."""
    level = levels(graph)
    busy = Counter(  # a multiply-add is busy for two steps
        level[node.index] - k for node in graph.nodes for k in range(_cost(node))
    )
    return [busy[k] for k in range(1, max(busy, default=0) + 1)]


def _cost(node):
    return sum(name in FLOPS for name in COUNTED.get(node.op, ()))
