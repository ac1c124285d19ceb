"""The few operations on integers that CORDIC units are written in, as a Protocol.

`integers`, `long_integers` and `single_integers` are modules that have them, on NumPy arrays of
int64, on arrays of Python integers and on one Python integer at a time; `hardware/rtl/wires.py` has
them on wires. So one description of a unit is the bit-exact model and the hardware.
"""

from collections.abc import Sequence
from typing import Any, Protocol

Word = Any  # an integer: an array, a Python integer or a wire; +, -, <<, >>, &, | and < work on it
Condition = Any  # a truth value of the same kind


class Operations(Protocol):
    """What a unit needs beside the operators of Python."""

    def where(self, condition: Condition, if_true: Word, if_false: Word, /) -> Word:
        """One of two numbers."""
        ...

    def fit(self, value: Word, width: int, /) -> Word:
        """A number that is known to fit into a register of `width` bits."""
        ...

    def wrap(self, value: Word, width: int, /) -> Word:
        """The number modulo 2^width, as a register of `width` bits holds it: angles go round."""
        ...

    def distance(self, value: Word, width: int, /) -> Word:
        """A number >= 0 of at most `width` bits, by which others are shifted."""
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
