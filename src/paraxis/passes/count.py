"""How many operations a graph does.

The counting rule: an add is an addition or subtraction; sign changes and copies are free;
multiplication by a constant counts; sines and cosines count under `trig`, and so do the other
transcendental functions (tan, asin, acos, atan2, exp, log, tanh); a fused multiply-add counts as
one of each; a remainder (fmod) counts as a division. Comparisons, `and`, `or`, `not`, selections,
minima, maxima, absolute values, signs and rounding to integers count under `logic`.
"""

from collections import Counter
from dataclasses import dataclass

from ..graph.operations import OPS


@dataclass(frozen=True)
class Count:
    """The number of operations of each kind.

    - `mul`, `add`, `div`, `sqrt`: multiplications, additions and subtractions, divisions, square
      roots; `flops` is their sum.
    - `trig`: sines and cosines.
    - `logic`: comparisons and selections.
    """

    mul: int = 0
    add: int = 0
    div: int = 0
    sqrt: int = 0
    trig: int = 0
    logic: int = 0

    @property
    def flops(self) -> int:
        """Multiplications, additions, divisions and square roots."""
        return self.mul + self.add + self.div + self.sqrt

    def __str__(self):
        parts = [f"{value} {name}" for name, value in vars(self).items() if value]
        return f"{self.flops} flops" + (f" ({', '.join(parts)})" if parts else "")


# operation -> the counters it adds to
COUNTED = {name: op.counted for name, op in OPS.items() if op.counted}


def count(graph):
    """The operations of the graph, each node once."""
    total = Counter()
    for node in graph.nodes:
        total.update(COUNTED.get(node.op, ()))
    return Count(**total)
