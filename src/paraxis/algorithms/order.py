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

from ..errors import ScheduleError


class Step(NamedTuple):
    """What is done at once: every operand is what its element held before the step."""

    glues: tuple  # pairs (left, right) of elements
    places: tuple  # of each element: the processor it is on, where it is glued if it is `right`


@dataclass(frozen=True)
class Order:
    """Steps on so many processors. `homes` says where each element lies at first, and its prefix
    in the end. Checked when it is made: no order is wrong or asks too much of a processor."""

    name: str
    processors: int
    homes: tuple
    steps: tuple

    def __post_init__(self):
        *before, (firsts, _) = self.states()
        self._require(not any(firsts), len(self.steps), "spans that do not begin with element 0")
        for number, ((firsts, _), (glues, places)) in enumerate(
            zip(before, self.steps, strict=True), 1
        ):
            busy = [places[right] for _, right in glues]
            self._require(len(busy) == len({*busy}), number, "two operations for one processor")
            self._require(max(places) < self.processors, number, f"processor {max(places)}")
            apart = [(left, right) for left, right in glues if firsts[right] != left + 1]
            self._require(not apart, number, f"spans that do not touch: {apart}")

    def _require(self, holds, number, found):
        if not holds:
            raise ScheduleError(
                f"order {self.name} of {len(self.homes)} elements on {self.processors} processors: "
                f"step {number}: found {found}"
            )

    def states(self):
        """Before each step and after the last: where the span of each element begins, and the
        processor that it is on."""
        firsts, held_by = range(len(self.homes)), self.homes
        yield firsts, held_by
        for glues, places in self.steps:
            begins = {right: firsts[left] for left, right in glues}
            firsts, held_by = [begins.get(k, first) for k, first in enumerate(firsts)], places
            yield firsts, held_by

    def prefixes(self, glue, row):
        """Return row[0], row[0]+row[1], ... where + is `glue`."""
        held = list(row)
        for step in self.steps:
            held = glued(glue, step, held)
        return held


def glued(glue, step, held):
    """What the elements hold after a step."""
    new = {right: glue(held[left], held[right]) for left, right in step.glues}
    return [new.get(k, span) for k, span in enumerate(held)]
