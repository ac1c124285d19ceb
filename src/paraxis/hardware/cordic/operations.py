"""The few operations on integers with which CORDIC units are written, as a Protocol.

The modules `integers`, `long_integers` and `single_integers` implement them on NumPy arrays of
int64, on arrays of Python integers and on single Python integers; `hardware/rtl/wires.py`
implements them on wires. One description of a unit is therefore both the bit-exact model and the
hardware.
"""

from collections.abc import Sequence
from typing import Any, Protocol

Word = Any  # an integer: an array, a Python integer or a wire, with +, -, <<, >>, &, | and <
Condition = Any  # a truth value of the same kind


class Operations(Protocol):
    """The operations of a unit besides the operators of Python."""

    def where(self, condition: Condition, if_true: Word, if_false: Word, /) -> Word:
        """One of two numbers."""
        ...

    def fit(self, value: Word, width: int, /) -> Word:
        """A number that is known to fit into a register of `width` bits."""
        ...

    def wrap(self, value: Word, width: int, /) -> Word:
        """The number modulo 2^width, as in a register of `width` bits; angles wrap around."""
        ...

    def distance(self, value: Word, width: int, /) -> Word:
        """A shift distance, a number >= 0 of at most `width` bits."""
        ...

    def both(self, a: Condition, b: Condition, /) -> Condition:
        """a and b."""
        ...

    def either(self, a: Condition, b: Condition, /) -> Condition:
        """a or b."""
        ...

    def neither(self, a: Condition, b: Condition, /) -> Condition:
        """Not (a or b)."""
        ...

    def plus(self, value: Word, times: Word, change: Word, /) -> Word:
        """value + times * change, where times is -1, 0 or 1."""
        ...

    def at(self, entries: Sequence[int], iteration: Word, /) -> Word:
        """The entry of a table for one iteration."""
        ...


class ArrayOperations(Operations, Protocol):
    """The same on arrays, whose dtype is `KIND`."""

    @property
    def KIND(self) -> type: ...
