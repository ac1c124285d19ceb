"""How long a graph takes when every operation has a processor of its own."""

import math
from collections import Counter
from dataclasses import dataclass, fields
from functools import cached_property
from numbers import Real

from ..checks import one_of
from ..errors import ArgumentError
from .count import COUNTED

FLOPS = ("add", "mul", "div", "sqrt")


@dataclass(frozen=True)
class Weights:
    """The time that each kind of operation takes, kinds as `count` has them.

    Sines are free by default: those of the joint angles are taken as given, as papers do.
    """

    mul: float = 1
    add: float = 1
    div: float = 1
    sqrt: float = 1
    trig: float = 0
    logic: float = 0

    def __post_init__(self):
        for name, value in vars(self).items():
            number = isinstance(value, Real) and not isinstance(value, bool)
            if not number or not 0 <= value < math.inf:
                raise ArgumentError(f"{name}: expected a time >= 0, found {value!r}")

    @classmethod
    def named(cls, given):
        """From keywords; an unknown name is an error that lists the known ones."""
        names = [field.name for field in fields(cls)]
        for name in given:
            one_of(name, names, "weight")
        return cls(**given)

    @cached_property
    def times(self):
        """operation -> its time. A multiply-add is a product and then a sum."""
        return {op: sum(getattr(self, kind) for kind in kinds) for op, kinds in COUNTED.items()}


FLOP = Weights()  # every flop takes one step


@dataclass(frozen=True)
class Depth:
    """The operations along a longest path, and the time they take.

    - `mul`, `add`, `flops`: multiplications, additions, and all floating-point operations.
    - `time`: of the path, by the weights of the operations.
    """

    mul: int
    add: int
    flops: int
    time: float

    @classmethod
    def along(cls, nodes, weights):
        total = Counter(kind for node in nodes for kind in COUNTED.get(node.op, ()))
        time = sum(weights.times.get(node.op, 0) for node in nodes)
        return cls(total["mul"], total["add"], sum(total[kind] for kind in FLOPS), time)


def levels(graph, weights=FLOP):
    """node index -> the time at which its value is ready."""
    times, level = weights.times, {}
    for node in graph.nodes:
        before = max((level[a.index] for a in node.args), default=0)
        level[node.index] = before + times.get(node.op, 0)
    return level


def longest_path(graph, weights=FLOP):
    """The nodes of a longest path, in order, from a leaf to an output.

    Of equally long ones, one with the most multiplications: so what it is made of does not depend
    on the order in which the graph was written.
    """
    times, rank = weights.times, {}
    for node in graph.nodes:
        time, products = max((rank[a.index] for a in node.args), default=(0, 0))
        multiplies = "mul" in COUNTED.get(node.op, ())
        rank[node.index] = (time + times.get(node.op, 0), products + multiplies)
    node = max(graph.results, key=lambda result: rank[result.index])
    path = [node]
    while node.args:
        node = max(node.args, key=lambda a: rank[a.index])
        path.append(node)
    return path[::-1]


def depth(graph, weights=FLOP):
    """The operations on the longest path."""
    return Depth.along(longest_path(graph, weights), weights)


def width(graph):
    """How many flops could run at each step: a list indexed by level."""
    level = levels(graph)
    busy = Counter(  # a multiply-add is busy for two steps
        level[node.index] - k for node in graph.nodes for k in range(FLOP.times.get(node.op, 0))
    )
    return [busy[k] for k in range(1, max(busy, default=0) + 1)]
