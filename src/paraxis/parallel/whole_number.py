"""What is asked of a number of processors, or of the number of one."""

from numbers import Integral

from ..errors import ArgumentError


def whole_number(name, value, least=1):
    """`value` as an int; an error unless it is a whole number, and not too small."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ArgumentError(f"{name}: expected a whole number >= {least}, found {value!r}")
    return int(value)
