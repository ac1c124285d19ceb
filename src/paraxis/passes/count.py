"""How many operations a graph does.

The counting rule: an add is an addition or subtraction; sign changes and copies are free;
multiplication by a constant counts; sines and cosines count under `trig`; a fused
multiply-add counts as one of each. Comparisons, selections, minima, maxima and rounding to
whole numbers count under `logic`.
"""

from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True)
class Count:
    mul: int = 0
    add: int = 0
    div: int = 0
    sqrt: int = 0
    trig: int = 0
    logic: int = 0

    @property
    def flops(self):
        """Multiplications, additions, divisions and square roots."""
        return self.mul + self.add + self.div + self.sqrt

    def __str__(self):
        parts = [f"{value} {name}" for name, value in vars(self).items() if value]
        return f"{self.flops} flops ({', '.join(parts)})"


# operation -> the counters it adds to
COUNTED = {
    "add": ("add",),
    "sub": ("add",),
    "mul": ("mul",),
    "fma": ("mul", "add"),
    "div": ("div",),
    "sqrt": ("sqrt",),
    "sin": ("trig",),
    "cos": ("trig",),
    "atan2": ("trig",),
} | dict.fromkeys(("abs", "sign", "rint", "min", "max", "lt", "le", "eq", "select"), ("logic",))


def count(graph):
    """The operations of the graph, each node once."""
    total = Counter()
    for node in graph.nodes:
        total.update(COUNTED.get(node.op, ()))
    return Count(**total)
