"""Remainder of vectors, with the sign of the dividend: C's fmod, which is exact.

A quotient below 2^52 is rounded by less than 1/2, so its integer part is right or, where it was
rounded up to an integer, one too large. What is left is then a number of the type, and one multiply-
add has it without an error. Other lanes are done by the C library.
"""

import math

from .vectors import BITS, define


def _remainder(code, x, y):
    above, below = code.abs(x), code.abs(y)
    quotient = code.div(above, below)
    rest = code.fma(code.neg(code.call("trunc", quotient)), below, above)
    rest = code.select(code.compare("olt", rest, 0.0), code.add(rest, below), rest)
    is_small = code.compare("olt", quotient, 2.0 ** BITS[code.lanes.element])
    done = code.both(is_small, code.compare("olt", below, math.inf))
    return code.call("copysign", rest, x), done


def define_remainder(module, lanes):
    """Add `V @remainder(V, V)`: exact."""
    return define(module, "remainder", lanes, 2, _remainder, singly="fmod")
