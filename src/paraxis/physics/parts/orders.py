"""Orders in which an associative operator can be applied to a row of elements."""

from itertools import groupby, pairwise

from ...errors import ArgumentError
from .order import Order, Step


def prefixes(glue, row):
    """Return row[0], row[0]+row[1], ..., the k-th after ⌈log₂ k⌉ steps, where + is `glue`."""
    return halving(len(row), len(row)).prefixes(glue, row)


def suffixes(glue, row):
    """Return the sums of everything from row[k] on, for every k."""
    return prefixes(lambda right, left: glue(left, right), row[::-1])[::-1]


# -- the orders ------------------------------------------------------------------------------------


def serial(elements, processors):
    """One element after another; a processor passes the last of its share on to the next one."""
    homes = shares(elements, processors)
    steps = (Step(((k - 1, k),)) for k in range(1, elements))
    return Order("serial", processors, homes, tuple(steps))


def halving(elements, processors):
    """Each half is done by itself; then all of the right half are combined with the left half.

    Lathrop's order, a processor for each element. The left part is the largest power of two below
    the number, so that in step j an element is combined if bit j of its number is set.
    """
    homes = _one_each("halving", elements, processors)
    steps = []
    for half in _doublings(elements):
        rights = (k for k in range(elements) if k & half)
        steps.append(Step(tuple((k // half * half - 1, k) for k in rights)))
    return Order("halving", processors, homes, tuple(steps))


def doubling(elements, processors):
    """Every element is combined with the one 1, then 2, 4, ... before it (Kogge and Stone), each
    on its own processor."""
    homes = _one_each("doubling", elements, processors)
    steps = (_shifted(elements, reach) for reach in _doublings(elements))
    return Order("doubling", processors, homes, tuple(steps))


def shuffled_doubling(elements, processors):
    """Recursive doubling whose elements move by an inverse perfect shuffle before every step.

    After j + 1 of these, elements 2ʲ apart are neighbours. They start from a perfect shuffle, so
    that they are home again after as many steps as numbers of processors have bits.
    """
    bits = shuffled_bits("order shuffled_doubling", processors)
    if elements > processors:
        raise ArgumentError(
            f"order shuffled_doubling: expected {elements} processors, one per element, found "
            f"{processors}"
        )

    def layout(turns):
        """Where this many inverse shuffles bring each element."""
        return tuple(rotated(k, bits, -turns) for k in range(elements))

    steps = (
        _shifted(elements, reach, _changed(layout(turns - 1), layout(turns)))
        for turns, reach in enumerate(_doublings(elements))
    )
    return Order("shuffled_doubling", processors, layout(-1), tuple(steps))


def p_fold(elements, processors):
    """Lee and Chang's algorithm PFP: blocks, their ends by doubling, then all in between."""
    return _in_blocks("p_fold", elements, processors, doubling)


def shuffled_p_fold(elements, processors):
    """Algorithm PFP with the ends of its blocks by shuffled doubling."""
    shuffled_bits("order shuffled_p_fold", processors)
    return _in_blocks("shuffled_p_fold", elements, processors, shuffled_doubling)


def _in_blocks(name, elements, processors, among):
    """Every processor solves a block of equal length by itself. Then the ends of the blocks form a
    row, which is solved in the order `among`. Finally the elements inside the blocks are combined
    with the previous end. Blocks that would only have padding are omitted."""
    dealt = shares(elements, processors)
    blocks = [[*block] for _, block in groupby(range(elements), dealt.__getitem__)]
    ends = among(len(blocks), processors)
    homes = tuple(ends.homes[j] for j in dealt)
    steps = (
        *_each_by_itself(blocks),
        *_ends(blocks, ends.steps),
        *_insides(blocks, homes, processors, _away(blocks, ends)),
    )
    return Order(name, processors, homes, steps)


def _each_by_itself(blocks):
    for k in range(1, len(blocks[0])):
        glues = ((block[k - 1], block[k]) for block in blocks if k < len(block))
        yield Step(tuple(glues))


def _ends(blocks, steps):
    last = [block[-1] for block in blocks]
    for glues, moves in steps:
        yield Step(
            tuple((last[left], last[right]) for left, right in glues),
            tuple((last[j], processor) for j, processor in moves),
        )


def _away(blocks, ends):
    """Where the ends of blocks are if they are not at home when they are solved."""
    *_, (_, _, held_by) = ends.replay()
    return {blocks[j][-1]: processor for j, processor in _changed(ends.homes, held_by)}


def _insides(blocks, homes, processors, away):
    """Equal tasks, distributed so that no processor has more than its share: those with too many
    leave the rest to idle ones. Elements that were `away` return home."""
    tasks = [(before[-1], k) for before, block in pairwise(blocks) for k in block[:-1]]
    if not tasks:
        return
    rounds = -(-len(tasks) // processors)
    hands, left_over = [[] for _ in range(processors)], []
    for task in tasks:
        own = hands[homes[task[1]]]
        (own if len(own) < rounds else left_over).append(task)
    for hand in hands:
        while left_over and len(hand) < rounds:
            hand.append(left_over.pop())
    for k in range(rounds):
        dealt = {hand[k]: processor for processor, hand in enumerate(hands) if k < len(hand)}
        places = {k: homes[k] for k in away}
        places |= {right: processor for (_, right), processor in dealt.items()}
        moves = ((k, to) for k, to in sorted(places.items()) if away.get(k, homes[k]) != to)
        yield Step(tuple(dealt), tuple(moves))
        away = {k: to for k, to in places.items() if to != homes[k]}


ORDERS = {
    each.__name__: each
    for each in (serial, doubling, p_fold, halving, shuffled_doubling, shuffled_p_fold)
}


# -- shared parts ----------------------------------------------------------------------------------


def shuffled_bits(what, processors):
    """The bits of the numbers of processors that shuffle, of which there must be a power of two."""
    bits = processors.bit_length() - 1
    if processors != 2**bits:
        raise ArgumentError(
            f"{what}: expected a number of processors that is a power of two, found {processors}"
        )
    return bits


def rotated(number, bits, by):
    """The bits of the number rotated to the left; by one, this is the position of an item after a
    perfect shuffle of 2^bits items."""
    if not bits:
        return number
    by %= bits
    return (number << by | number >> bits - by) & 2**bits - 1


def _doublings(elements):
    """1, 2, 4, ... as long as there are elements at that distance."""
    return [2**j for j in range((elements - 1).bit_length())]


def shares(elements, processors):
    """The processor of each element, in blocks of equal length except for the last ones."""
    size = -(-elements // processors)
    return tuple(k // size for k in range(elements))


def _one_each(name, elements, processors):
    """A processor for each element. The first element is never `right` and may share with the
    second: n processors solve a recurrence that starts from a given value."""
    spare = processors - elements
    if spare < -1:
        raise ArgumentError(
            f"order {name}: expected one processor for each of {elements} elements (the first two "
            f"may share), found {processors}"
        )
    return tuple(range(elements)) if spare >= 0 else (0, *range(elements - 1))


def _shifted(elements, reach, moves=()):
    return Step(tuple((k - reach, k) for k in range(reach, elements)), moves)


def _changed(before, after):
    """The moves from one layout to another."""
    pairs = enumerate(zip(before, after, strict=True))
    return tuple((k, there) for k, (here, there) in pairs if here != there)
