"""The tables of one row of micro-rotations."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from ..constants import AFTER, INTERLEAVED, angles, fewest_scalings, gain, scaling_digits, shifts


@dataclass(frozen=True)
class Table:
    """The shift, the angle and the digit γ, which undoes a part of the gain, of each iteration."""

    shifts: tuple[int, ...]
    angles: tuple[int, ...]
    digits: tuple[int, ...]
    gain: Fraction  # of the micro-rotations alone
    left: Fraction  # the part of it that remains after all digits
    growth: float  # the largest gain so far, over all iterations
    scalings: tuple[tuple[int, int], ...] = ()  # (i, γ_i) after all iterations


@cache
def table(mode, rotations, bits, compensation=INTERLEAVED):
    """Angles have this many fraction bits (gain and digits have as many as they need)."""
    moves = shifts(mode, rotations)
    whole = gain(mode, moves, max(bits, rotations))
    digits, scalings, product = [0] * rotations, (), Fraction(1)
    if compensation == INTERLEAVED:
        digits, product = scaling_digits(whole, rotations)
    elif compensation == AFTER:
        scalings, product = fewest_scalings(whole, rotations)
    growth, so_far = 1.0, 1.0
    for i, (shift, digit) in enumerate(zip(moves, digits, strict=True)):
        so_far *= float(gain(mode, [shift], 64))
        growth = max(growth, so_far)
        so_far *= 1 + math.ldexp(digit, -i)
        growth = max(growth, so_far)
    for i, digit in scalings:
        so_far *= 1 + math.ldexp(digit, -i)
        growth = max(growth, so_far)
    return Table(
        tuple(moves),
        tuple(angles(mode, moves, bits)),
        tuple(digits),
        whole,
        whole * product,
        growth,
        scalings,
    )
