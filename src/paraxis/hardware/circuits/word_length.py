"""Word lengths by simulation: where points are comes from ranges, how many bits from errors."""

import math
from numbers import Real

from ...checks import whole_number
from ...errors import ArgumentError
from ..cordic.formats import SHORTEST
from .circuit import Circuit

LONGEST = 64  # beyond which float64 has nothing more to say


def shortest_word(make, error, count=1000):
    """The Circuit of the shortest words whose outputs are within `error` of float64.

    `make` takes a word length and gives a Circuit. Outputs are compared over `count` random inputs,
    those that are not valid left out; `error` is in the units of the outputs. It is kept for the
    inputs tried, no more: near singularities errors grow, and more inputs find larger ones.
    """
    if not (isinstance(error, Real) and 0 < error < math.inf):
        raise ArgumentError(f"error: expected a number above 0, found {error!r}")
    count, worst = whole_number("count", count), math.inf
    longest = make(LONGEST)  # what a longer word does not mend is said at once
    if not isinstance(longest, Circuit):
        raise ArgumentError(f"make: expected a function that gives a Circuit, found {longest!r}")
    for word in range(SHORTEST, LONGEST + 1):
        try:
            circuit = make(word)
        except ArgumentError:  # too short to tell lengths from none
            continue
        worst = max(found.max() for found in circuit.errors(count).values())
        if worst <= error:
            return circuit
    raise ArgumentError(
        f"error: expected what words of {LONGEST} bits can do, {worst:.3g} or more, found {error!r}"
    )
