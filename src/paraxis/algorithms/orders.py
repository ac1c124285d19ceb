"""In which order an associative operator is applied to a row of things.

A log-depth algorithm is a combine operator and an order. The operator glues two adjacent spans
into one; an order says which spans are glued at which step and on which processor, and knows
nothing else of them. So it is a value: one order serves numbers, matrices, motions and traces.

All orders work in place. Element k of the row holds the span that ends with it; gluing `left` to
`right` puts the span that ends with `left` in front of the span that ends with `right`. When all
steps are done, every span begins with element 0.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from ..errors import ArgumentError, ScheduleError


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


def prefixes(glue, row):
    """Return row[0], row[0]+row[1], ..., the k-th after ⌈log₂ k⌉ steps, where + is `glue`."""
    return halving(len(row), len(row)).prefixes(glue, row)


def suffixes(glue, row):
    """Return the sums of everything from row[k] on, for every k."""
    return prefixes(lambda right, left: glue(left, right), row[::-1])[::-1]


# -- the orders ------------------------------------------------------------------------------------


def serial(elements, processors):
    """One element after another; a processor hands the last of its share on to the next one."""
    homes = _shares(elements, processors)
    steps = (Step(((k - 1, k),), homes) for k in range(1, elements))
    return Order("serial", processors, homes, tuple(steps))


def halving(elements, processors):
    """Each half is done for itself; then all of the right half are glued to the whole left one.

    Lathrop's order, a processor for each element. The left part is the largest power of two that
    leaves a rest, so that in step j an element is glued if bit j of its number is set.
    """
    homes = _one_each("halving", elements, processors)
    steps = []
    for half in _doublings(elements):
        rights = (k for k in range(elements) if k & half)
        steps.append(Step(tuple((k // half * half - 1, k) for k in rights), homes))
    return Order("halving", processors, homes, tuple(steps))


def doubling(elements, processors):
    """Every element is glued to the one 1, then 2, 4, ... before it (Kogge and Stone), each on
    its own processor."""
    homes = _one_each("doubling", elements, processors)
    steps = (_shifted(elements, reach, homes) for reach in _doublings(elements))
    return Order("doubling", processors, homes, tuple(steps))


def shuffled_doubling(elements, processors):
    """Recursive doubling whose elements move by an inverse perfect shuffle before every step.

    After j + 1 of these, elements 2ʲ apart have come to be neighbours. They start from a perfect
    shuffle, so that they are home again after as many steps as numbers of processors have bits.
    """
    bits = processors.bit_length() - 1
    if processors != 2**bits or elements > processors:
        raise ArgumentError(
            f"order shuffled_doubling: expected processors that are a power of two and a processor "
            f"for each of {elements} elements, found {processors}"
        )

    def layout(turns):
        """Of each element: where so many inverse shuffles bring it."""
        return tuple(rotated(k, bits, -turns) for k in range(elements))

    steps = (
        _shifted(elements, reach, layout(turns)) for turns, reach in enumerate(_doublings(elements))
    )
    return Order("shuffled_doubling", processors, layout(-1), tuple(steps))


def p_fold(elements, processors, among=doubling):
    """Lee and Chang's algorithm PFP: blocks, their ends by doubling, then all in between.

    Every processor solves a block of equal length by itself. Then the ends of the blocks are a row
    of their own, which is solved by doubling, or the order `among`. What is left is to glue the
    elements inside the blocks to the end before: equal tasks, dealt so that no processor has more
    than its share. Blocks that would hold nothing but padding are left out.
    """
    homes = _shares(elements, processors)
    blocks = [[k for k in range(elements) if homes[k] == j] for j in range(homes[-1] + 1)]
    ends = among(len(blocks), processors)
    homes = tuple(ends.homes[j] for j in homes)
    steps = []
    for k in range(1, len(blocks[0])):
        glues = tuple((block[k - 1], block[k]) for block in blocks if k < len(block))
        steps.append(Step(glues, homes))
    for glues, places in ends.steps:
        moved = {block[-1]: place for block, place in zip(blocks, places, strict=True)}
        steps.append(
            Step(
                tuple((blocks[left][-1], blocks[right][-1]) for left, right in glues),
                _replaced(homes, moved),
            )
        )
    inside = [(end[-1], k) for end, block in pairwise(blocks) for k in block[:-1]]
    for tasks in _dealt(inside, homes, processors):
        places = _replaced(homes, {right: processor for processor, (_, right) in tasks.items()})
        steps.append(Step(tuple(tasks.values()), places))
    return Order("p_fold", processors, homes, tuple(steps))


def shuffled_p_fold(elements, processors):
    """Algorithm PFP with the ends of its blocks by shuffled doubling."""
    return p_fold(elements, processors, among=shuffled_doubling)


ORDERS = {
    each.__name__: each
    for each in (serial, doubling, p_fold, halving, shuffled_doubling, shuffled_p_fold)
}


# -- what they share -------------------------------------------------------------------------------


def rotated(number, bits, by):
    """The bits of a number turned to the left: by one, that is where a perfect shuffle of 2^bits
    things brings the one of this number."""
    if not bits:
        return number
    by %= bits
    return (number << by | number >> bits - by) & 2**bits - 1


def _doublings(elements):
    """1, 2, 4, ... as long as there are elements that far apart."""
    return [2**j for j in range((elements - 1).bit_length())]


def _shares(elements, processors):
    """Of each element its processor, in blocks of equal length but for the last ones."""
    size = -(-elements // processors)
    return tuple(k // size for k in range(elements))


def _one_each(name, elements, processors):
    """A processor for each element. The first element is never `right` and may share with the
    second: n processors solve a recurrence that starts from a given value."""
    spare = processors - elements
    if spare < -1:
        raise ArgumentError(
            f"order {name}: expected a processor for each of {elements} elements (the first two "
            f"may share), found {processors}"
        )
    return tuple(range(elements)) if spare >= 0 else (0, *range(elements - 1))


def _shifted(elements, reach, places):
    return Step(tuple((k - reach, k) for k in range(reach, elements)), places)


def _replaced(places, moved):
    return tuple(moved.get(k, place) for k, place in enumerate(places))


def _dealt(tasks, homes, processors):
    """Rounds of one task for each processor, as few as there can be: processor -> task.

    Whoever has too many elements of its own leaves the rest to those with time to spare.
    """
    rounds = -(-len(tasks) // processors)
    hands = [[] for _ in range(processors)]
    spare = []
    for task in tasks:
        own = hands[homes[task[1]]]
        (own if len(own) < rounds else spare).append(task)
    for hand in hands:
        while spare and len(hand) < rounds:
            hand.append(spare.pop())
    return [
        {processor: hand[k] for processor, hand in enumerate(hands) if k < len(hand)}
        for k in range(rounds)
    ]
