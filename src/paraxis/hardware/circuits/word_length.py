"""Word lengths by simulation: exponents come from ranges, the number of bits from errors."""

import math
from collections.abc import Callable
from numbers import Real

from ...checks import integer
from ...errors import ArgumentError
from ..cordic.formats import SHORTEST
from .circuit import Circuit

LONGEST = 64  # float64 is no reference beyond this


def shortest_word(make: Callable[[int], Circuit], error: float, count: int = 1000) -> Circuit:
    """Return the Circuit with the shortest words whose outputs are within `error` of float64.

    **Arguments:**

    - `make`: a function from a word length, in bits, to a Circuit.
    - `error`: the largest error allowed, in the units of the outputs.
    - `count`: the number of random inputs to try; invalid ones are left out.

    **Returns:** a `px.hardware.Circuit`. The error holds for the tested inputs, not for all: near
    singularities errors grow, and more inputs find larger errors.

    **Raises:** `px.ArgumentError` if even words of 64 bits are not accurate enough.

    **Example:**

    >>> program = px.trace(lambda x, y: px.math.sqrt(x * x + y * y), x=(), y=())
    >>> def circuit(word):
    ...     return px.hardware.Circuit.of(program, {"x": 4.0, "y": 4.0}, word=word)
    ...
    >>> px.hardware.shortest_word(circuit, error=1e-3, count=100).word
    14
    """
    if not (isinstance(error, Real) and 0 < error < math.inf):
        raise ArgumentError(f"error: expected a number above 0, found {error!r}")
    count, worst = integer("count", count), math.inf
    longest = make(LONGEST)  # raises errors that longer words cannot avoid
    if not isinstance(longest, Circuit):
        raise ArgumentError(f"make: expected a function that returns a Circuit, found {longest!r}")
    for word in range(SHORTEST, LONGEST + 1):
        try:
            circuit = make(word)
        except ArgumentError:  # too short to distinguish lengths from 0
            continue
        worst = max(found.max() for found in circuit.errors(count).values())
        if worst <= error:
            return circuit
    raise ArgumentError(
        f"error: words of {LONGEST} bits, the longest allowed, have errors of {worst:.3g}; "
        f"expected at least that, found {error!r}"
    )
