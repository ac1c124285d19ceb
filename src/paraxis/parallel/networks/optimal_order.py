"""Lower bounds of steps, and by exhaustive search the order with the fewest steps, for short rows.

An order in place chooses, step by step, the elements that are combined, each with the span before
its own. The search is therefore over where the span of each element begins.
"""

from itertools import combinations

from ...errors import ArgumentError
from ...physics.parts.order import Order, Step
from ...physics.parts.orders import shares

LONGEST = 12  # elements; a row of 13 takes seconds, one of 15 minutes


def least_steps(elements, processors):
    """A lower bound of the steps of any order, for any associative operator.

    The last result alone takes one application less than there are elements, and at most 2ᵏ of
    those that lead to it can be k steps before the end. All results together, in d steps, take
    2·elements - 2 - d applications (Snir, Depth-size trade-offs for parallel prefix computation,
    1986), and d steps have a capacity of d·processors.
    """
    steps = room = 0
    while room < elements - 1:
        room += min(processors, 2**steps)
        steps += 1
    return max(steps, -(-2 * (elements - 1) // (processors + 1)))


def optimal(elements, processors):
    """The fewest steps of all orders that combine in place; each processor has a block of
    elements, and leaves work to others if it has too much in a step."""
    if elements > LONGEST:
        raise ArgumentError(
            f"order optimal: only searches rows of up to {LONGEST} elements, found {elements}; "
            "use 'p_fold'"
        )
    count = least_steps(elements, processors)
    while (chosen := _within(count, tuple(range(elements)), processors, {})) is None:
        count += 1
    homes = shares(elements, processors)
    return Order("optimal", processors, homes, tuple(_steps(chosen, homes, processors)))


def _within(steps, firsts, processors, failed):
    """The elements combined in each step so that all spans begin with element 0 after these steps;
    None if there is no such choice. `failed` has the starts without one."""
    undone = [k for k, first in enumerate(firsts) if first]
    if not undone:
        return []
    if len(undone) > processors * steps or max(_spans_before(firsts)) > 2**steps:
        return None
    if failed.get(firsts, 0) >= steps:
        return None
    for size in range(min(processors, len(undone)), 0, -1):
        for glued in combinations(undone, size):
            after = list(firsts)
            for k in glued:
                after[k] = firsts[firsts[k] - 1]
            rest = _within(steps - 1, tuple(after), processors, failed)
            if rest is not None:
                return [glued, *rest]
    failed[firsts] = steps
    return None


def _spans_before(firsts):
    """For each element: how many consecutive spans lead from the start to it; a step can at best
    halve their number."""
    found = []
    for first in firsts:
        found.append(1 + (found[first - 1] if first else 0))
    return found


def _steps(chosen, homes, processors):
    """Steps with a processor for each combined element: its own, or an idle one."""
    firsts, held_by = list(range(len(homes))), list(homes)
    for glued in chosen:
        stay = {held_by[k]: k for k in reversed(glued)}  # the first of those on one processor
        idle = (each for each in range(processors) if each not in stay)
        moves = tuple((k, next(idle)) for k in glued if stay[held_by[k]] != k)
        yield Step(tuple((firsts[k] - 1, k) for k in glued), moves)
        for k, processor in moves:
            held_by[k] = processor
        for k, first in [(k, firsts[firsts[k] - 1]) for k in glued]:
            firsts[k] = first
