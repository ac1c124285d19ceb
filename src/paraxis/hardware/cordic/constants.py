"""The constants of a CORDIC: its shifts, their angles, its gain, and the digits that undo it.

All are integers of any length, so that words of any length get constants that are correct to the
last bit.
"""

import math
from fractions import Fraction

CIRCULAR, LINEAR, HYPERBOLIC = "circular", "linear", "hyperbolic"
MODES = {CIRCULAR: 1, LINEAR: 0, HYPERBOLIC: -1}  # the m of x' = x - m σ 2^-s y
INTERLEAVED, AFTER, MULTIPLY = COMPENSATIONS = ("interleaved", "after", "multiply")
SPARE = 64  # bits beyond the requested ones
BEAM = 256  # products of digits in the search


def shifts(mode, count):
    """The shift of each micro-rotation.

    Circular: 0, 1, 2, ... Linear: 1, 2, 3, ... Hyperbolic: 1, 2, 3, 4, 4, 5, ...: shifts 4, 13, 40,
    ... are repeated, because the sum of the later angles alone is too small.
    """
    if mode == CIRCULAR:
        return list(range(count))
    if mode == LINEAR:
        return list(range(1, count + 1))
    found, shift, twice = [], 1, 4
    while len(found) < count:
        found.append(shift)
        if shift == twice:
            found.append(shift)
            twice = 3 * twice + 1
        shift += 1
    return found[:count]


def angles(mode, shifts, bits):
    """The angle of each shift, as integers with this many fraction bits.

    Circular angles are in half turns: 1 means π. The others are hyperbolic angles in e-folds and
    plain numbers.
    """
    if mode == LINEAR:
        return [rounded(Fraction(2) ** (bits - shift)) for shift in shifts]
    unit = Fraction(1 << bits)
    if mode == CIRCULAR:
        return [rounded(arc_tangent(shift, bits) / pi(bits) * unit) for shift in shifts]
    return [rounded(area_tangent(shift, bits) * unit) for shift in shifts]


def gain(mode, shifts, bits):
    """The factor by which all micro-rotations together stretch, Π √(1 + m 2^-2s), as a Fraction."""
    square = Fraction(1)
    for shift in shifts:
        square *= 1 + MODES[mode] * Fraction(1, 1 << 2 * shift)
    scale = 1 << 2 * (bits + SPARE)
    return Fraction(math.isqrt(int(square * scale)), 1 << bits + SPARE)


def scaling_digits(gain, count):
    """γ_0 ... with Π (1 + γ_i 2^-i) close to the inverse of the gain, and that product.

    Each is -1, 0 or 1. The first and the last are 0, because loading and rounding happen there. Of
    the 3^n products, a few are kept at each digit: those nearest to the target.
    """
    bits = 2 * count + SPARE
    target, products = rounded((1 << bits) / gain), [(1 << bits, (0,))]
    for i in range(1, count - 1):
        longer = [
            (product + digit * (product >> i), (*digits, digit))
            for product, digits in products
            for digit in (0, 1, -1)
        ]
        products = sorted(longer, key=lambda each: abs(each[0] - target))[:BEAM]
    digits = [*products[0][1], *[0] * count][:count]
    product = math.prod(1 + Fraction(digit, 1 << i) for i, digit in enumerate(digits))
    return digits, Fraction(product)


def fewest_scalings(gain, count):
    """Pairs (i, γ_i) with Π (1 + γ_i 2^-i) close to the inverse of the gain, and that product.

    As few as needed for an error of less than a quarter of the last of `count` bits, in ascending
    order of i. Of the products that later digits can still complete, those with the fewest digits
    are kept.
    """
    bits = 2 * count + SPARE
    target, products = rounded((1 << bits) / gain), [(1 << bits, ())]

    def off(product):
        return abs(product - target)

    for i in range(1, count):
        longer = [
            (product + digit * (product >> i), (*used, (i, digit)) if digit else used)
            for product, used in products
            for digit in (0, 1, -1)
        ]
        near = [each for each in longer if off(each[0]) <= target >> i - 1]
        products = sorted(near, key=lambda each: (len(each[1]), off(each[0])))[:BEAM]
    close = [each for each in products if off(each[0]) <= target >> count + 2]
    _, used = (
        min(close, key=lambda each: len(each[1]))
        if close
        else min(products, key=lambda each: off(each[0]))
    )
    return used, Fraction(math.prod(1 + Fraction(digit, 1 << i) for i, digit in used))


def inverse(gain, bits):
    """The factor that undoes a gain, as an integer with this many fraction bits."""
    return rounded((1 << bits) / gain)


def rounded(value):
    """The nearest integer, halves upward."""
    return math.floor(value + Fraction(1, 2))


def arc_tangent(shift, bits):
    """atan 2^-shift."""
    return pi(bits) / 4 if shift == 0 else _series(Fraction(1, 1 << shift), -1, bits)


def area_tangent(shift, bits):
    """artanh 2^-shift."""
    return _series(Fraction(1, 1 << shift), 1, bits)


def log_2(bits):
    """The natural logarithm of 2."""
    return 2 * _series(Fraction(1, 3), 1, bits)


def pi(bits):
    """π, by Machin."""
    return 16 * _series(Fraction(1, 5), -1, bits) - 4 * _series(Fraction(1, 239), -1, bits)


def _series(t, sign, bits):
    """t + sign t³/3 + t⁵/5 + ..., truncated where its terms no longer matter."""
    one = 1 << bits + SPARE
    power, square, total, k = one * t.numerator // t.denominator, t * t, 0, 0
    while power:
        total += power // (2 * k + 1) * (sign if k % 2 else 1)
        power = power * square.numerator // square.denominator
        k += 1
    return Fraction(total, one)
