"""An order: when and on which processor adjacent spans of a row are glued.

A log-depth algorithm is a combine operator and an order. The operator glues two adjacent spans
into one; an order says which spans are glued at which step, and knows nothing else of them. So it
is a value: one order serves numbers, matrices, motions and traces.

Orders work in place. Element k of the row holds the span that ends with it; gluing `left` to
`right` puts the span that ends with `left` in front of the span that ends with `right`. When all
steps are done, every span begins with element 0.
"""

from dataclasses import dataclass
from typing import NamedTuple

from ...errors import ScheduleError


class Step(NamedTuple):
    """What is done at once: every operand is what its element held before the step."""

    glues: tuple  # pairs (left, right) of elements; glued where `right` is
    moves: tuple = ()  # pairs (element, processor): those that change places before


@dataclass(frozen=True)
class Order:
    """Steps on so many processors. `homes` says where each element lies at first, and its prefix
    in the end. Checked when it is made: no order is wrong or asks too much of a processor."""

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
        """Each step, and before it: where the span of each element begins, and the processor that
        it is on. Last comes None, and the state in the end. The lists change as it goes on."""
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
    """Change what the elements hold, by a step."""
    for right, new in [(right, glue(held[left], held[right])) for left, right in step.glues]:
        held[right] = new
