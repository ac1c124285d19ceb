"""One processor's flops for the same dynamics, without the overhead of the parallel plan.

The serial algorithm of Fijany's section V: block LDLᵀ along the chain instead of odd-even
elimination, and recurrences that take one step per link. Its parts are the plan's own.
"""

from functools import cache

from . import blocks, links
from .closed_chain import NONE, closed_chain
from .script import Do
from .wiring import SHUFFLED, Wiring, row

COMBINED = (links.product, links.total, links.either)


@cache
def serial_flops(joints):
    """Flops of the whole algorithm for an arm of these joints.

    The first round of a recurrence does the same as a whole serial one: n - 1 combinations. The
    first round of an elimination has the n - 1 C, D and E that a serial one needs; that subtracts
    each D once, and each of the two right-hand sides meets C on the way out and on the way back.
    """
    n = len(joints)
    script = closed_chain(joints, "second", NONE, 1, Wiring(SHUFFLED, n, row(n)))
    flops = 0
    for item in script.items:
        if isinstance(item, Do) and _is_serial(item):
            twice = item.function is blocks.share
            flops += int(item.flops.sum()) * (2 if twice else 1)
    taken_off, right_side = script.words("A"), script.words("X²₀")
    flops += int(taken_off[1:].sum())
    return flops + 2 * int(right_side[1:].sum() + right_side[:-1].sum())


def _is_serial(item):
    if item.name == "LDLᵀ of the tip":  # all blocks are factored in the end
        return False
    if not item.round:
        return True
    if item.round > 1:
        return False
    if item.function is blocks.share:
        return item.reads[0].value == "C"
    return item.function in (*COMBINED, blocks.toward_outer, blocks.for_outer)
