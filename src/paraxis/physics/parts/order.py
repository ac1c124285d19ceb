"""An order: when and on which processor adjacent spans of a row are combined.

A log-depth algorithm is a combine operator and an order. The operator combines two adjacent spans
into one; an order says which spans are combined at which step, independently of their contents. An
order is therefore a value: one order serves numbers, matrices, motions and traces.

Orders work in place. Element k of the row holds the span that ends with it; combining `left` with
`right` puts the span that ends with `left` in front of the span that ends with `right`. When all
steps are done, every span begins with element 0.
"""

from dataclasses import dataclass
from typing import NamedTuple

from ...errors import ScheduleError


class Step(NamedTuple):
    """Simultaneous operations: every operand is the value of its element before the step."""

    glues: tuple  # pairs (left, right) of elements; combined at `right`
    moves: tuple = ()  # pairs (element, processor): elements that move before


@dataclass(frozen=True)
class Order:
    """Steps on a number of processors. `homes` has the initial place of each element, and the final
    place of its prefix. Checked on creation: no order is wrong or overloads a processor."""

    name: str
    processors: int
    homes: tuple
    steps: tuple

    def __post_init__(self):
        last = max(self.homes)
        self._require(last < self.processors, 0, f"processor {last}")
        for number, (step, firsts, held_by) in enumerate(self.replay(), 1):
            if step is None:
                break
            moved = dict(step.moves)
            last = max(moved.values(), default=0)
            self._require(last < self.processors, number, f"processor {last}")
            busy = [moved.get(right, held_by[right]) for _, right in step.glues]
            self._require(len(busy) == len({*busy}), number, "two operations for one processor")
            apart = [(left, right) for left, right in step.glues if firsts[right] != left + 1]
            self._require(not apart, number, f"spans that do not touch: {apart}")
        self._require(not any(firsts), len(self.steps), "spans that do not begin with element 0")

    def _require(self, holds, number, found):
        if not holds:
            raise ScheduleError(
                f"order {self.name} of {len(self.homes)} elements on {self.processors} processors: "
                f"step {number}: found {found}"
            )

    def replay(self):
        """Each step, with the state before it: where the span of each element begins, and its
        processor. Last comes None, with the final state. The lists change during iteration."""
        firsts, held_by = list(range(len(self.homes))), list(self.homes)
        for step in self.steps:
            yield step, firsts, held_by
            for element, processor in step.moves:
                held_by[element] = processor
            for right, first in [(right, firsts[left]) for left, right in step.glues]:
                firsts[right] = first
        yield None, firsts, held_by

    def prefixes(self, glue, row):
        """Return row[0], row[0]+row[1], ... where + is `glue`."""
        held = list(row)
        for step in self.steps:
            do(step, glue, held)
        return held


def do(step, glue, held):
    """Apply a step to the values of the elements."""
    for right, new in [(right, glue(held[left], held[right])) for left, right in step.glues]:
        held[right] = new
