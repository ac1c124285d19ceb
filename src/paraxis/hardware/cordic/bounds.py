"""Bounds of the errors of CORDIC results.

All bounds are worst case and derived from first principles; nothing is fitted. The same
contributions add up for all six functions:

- rounding of x, y, z to words: half a step each (`half` below), seen through the function;
- the angle that remains after the last micro-rotation, and the rounding of its constants;
- internal rounding: a shift drops less than one last place, and so does a difference that saves its
  carry, so that a micro-rotation is off by less than one place in x and one in y. The same holds
  for the addition of a digit γ, between micro-rotations or after them. Later micro-rotations rotate
  and stretch such an error together with the vector;
- the gain that remains after the digits γ, or the rounded constant: `excess`, |gain left - 1|;
- rounding of the result: half a step.

Angles follow one rule. If an angle is at most t from zero, a micro-rotation by α leaves at most
max(α, t - α). A short recursion therefore bounds the remainder for any word, number of iterations
and mode, without a theorem of convergence: if shifts that must be repeated are not, it gives a
large number.

Vectoring decides by the sign of y, which is itself rounded. An error of e places turns a vector of
ρ places by at most asin(e / ρ): angles turned that way are missing in z, and add to the remainder.
This is why an angle's error grows as the inverse of the radius.
"""

import math
from typing import NamedTuple

import numpy as np

from .constants import CIRCULAR, HYPERBOLIC, MULTIPLY, SPARE, angles, inverse
from .units.circular import Rotate, Vector
from .units.hyperbolic import PER_LOG_2, ROUGH, HyperbolicRotate, Root
from .units.linear import Divide, Multiply

DOUBLE = 2.0**-52  # floats are rounded as well


class Bound(NamedTuple):
    """Upper bounds of errors.

    - `x`, `y`, `z`: the largest possible distance of each from its exact value.
    """

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray


def bound(cordic, unit, x, y, z):
    """The Bound of a processor's unit for reals x, y, z."""
    with np.errstate(all="ignore"):  # infinite if no bound is known
        exact, errors = BOUNDS[type(unit)](cordic, unit, x, y, z)
    worst = [
        np.broadcast_to(error + DOUBLE * np.abs(value), x.shape)
        for value, error in zip(exact, errors, strict=True)
    ]
    return Bound(*(np.where(np.isnan(each), np.inf, each)[()] for each in worst))


def circular_rotate(cordic, unit, x, y, z):
    """A rotation that is φ short moves X by |Y| sin φ + |X| (1 - cos φ), and Y likewise.

    Errors of x and y, each half a step, and internal roundings keep their length under rotation.
    """
    half, turn = cordic.number.step / 2, cordic.angle.step / 2
    one, place = math.pi * 2.0 ** (1 - unit.angle_word), 2.0**-unit.fraction
    left = what_is_left(unit.table.angles, 1 << unit.angle_word - 2)[-1] * one
    short = np.minimum(left + constants_off(CIRCULAR, unit) * one + turn + DOUBLE * abs(z), math.pi)
    factor, excess = gain_undone(unit)
    rounding = 0.0
    for _, stretch, slip in circular_steps(unit):
        rounding = rounding * stretch + slip
    X, Y = x * np.cos(z) - y * np.sin(z), y * np.cos(z) + x * np.sin(z)
    missed, short_of = np.sin(np.minimum(short, math.pi / 2)), 1 - np.cos(short)

    def error(along, across):
        turned = abs(across) * missed + abs(along) * short_of + math.sqrt(2) * half
        return turned * (1 + excess) + excess * abs(along) + rounding * factor * place + half

    return (X, Y, 0.0), (error(X, Y), error(Y, X), left + turn)


def circular_vector(cordic, unit, x, y, z):
    """The recursion for angles, with the radius in places at which the angle is found.

    The length is that of a vector which still deviates by the remainder: short by 1 - cos of it.
    """
    half, turn = cordic.number.step / 2, cordic.angle.step / 2
    one, place = math.pi * 2.0 ** (1 - unit.angle_word), 2.0**-unit.fraction
    factor, excess = gain_undone(unit)
    radius, slack = np.hypot(x, y), math.sqrt(2) * half
    length, rounding = np.maximum(radius - slack, 0) / place, 0.0
    left, drift = math.pi / 2, 0.0
    for shift, stretch, slip in circular_steps(unit):
        by = np.where(length * stretch > slip, np.arcsin(slip / (length * stretch)), math.pi)
        length, rounding = length * stretch - slip, rounding * stretch + slip
        turn_by = 0.0 if shift is None else math.atan(2.0**-shift)
        left = np.maximum(turn_by, left - turn_by) + by
        drift = drift + by
    left = np.minimum(left, math.pi)
    rounded = rounding * factor * place + half
    X = (1 + excess) * (radius + slack) * (1 - np.cos(left)) + slack + excess * (radius + slack)
    Y = (1 + excess) * (radius + slack) * np.sin(np.minimum(left, math.pi / 2))
    seen = np.where(radius > slack, np.arcsin(slack / radius), math.pi)
    Z = left + drift + constants_off(CIRCULAR, unit) * one + seen + 2 * turn + DOUBLE * abs(z)
    exact = radius, 0.0, z + np.arctan2(y, x)
    return exact, (X + rounded, Y + rounded, np.minimum(Z, math.pi))


def linear_rotate(cordic, unit, x, y, z):
    """The remainder of z is missing as often as x; each iteration drops less than one place."""
    half, place = cordic.number.step / 2, 2.0**-unit.fraction
    first = 1 << unit.exponent + unit.z_fraction
    left = what_is_left(unit.table.angles, first)[-1] * 2.0**-unit.z_fraction
    words = abs(x) * half + abs(z) * half + half * half + half
    Y = words + (abs(x) + half) * left + unit.rotations * place + half
    return (x, y + x * z, 0.0), (half, Y, left + half)


def linear_vector(cordic, unit, x, y, z):
    """The recursion for quotients; a place of y is this share of x, which is shifted up.

    The smaller x is, the more the rounding of x and y matters.
    """
    half = cordic.number.step / 2
    by = 2.0 ** -(unit.places - 1 + unit.spare)  # x has no leading zeros
    left = 2.0**unit.exponent
    for shift in unit.table.shifts:
        step = 2.0 ** (unit.exponent - shift)
        left = max(step, left - step) + by
    least = abs(x) - half
    words = np.where(least > 0, (abs(y) + half) / least - abs(y / x), np.inf)
    exact = x, 0.0, z + y / x
    return exact, (
        half,
        left * (abs(x) + half) + half,
        words + left + unit.rotations * by + 2 * half,
    )


def hyperbolic_rotate(cordic, unit, x, y, z):
    """Like circular, but rotation stretches: by at most e^φ, and inputs by e^|z|."""
    half, one, place = cordic.number.step / 2, 2.0**-unit.z_fraction, 2.0**-unit.fraction
    factor, excess = gain_undone(unit)
    # The part of z that the factors of two leave: they are rounded, and found approximately.
    rough = 2.0 ** -(ROUGH + 1) * PER_LOG_2 / 2**ROUGH
    rough += unit.z.most * abs(PER_LOG_2 / 2**ROUGH - 1 / math.log(2))
    first = math.ceil(math.log(2) * (0.5 + rough) / one + unit.farthest / 2)
    turns = [turn * one for turn in what_is_left(unit.table.angles, first)]
    off = (constants_off(HYPERBOLIC, unit) + unit.farthest / 2) * one
    # The error after each micro-rotation is rotated by the remaining angle, and stretched.
    rounding, stretched = 0.0, 1.0
    ahead = [*turns[1:], *(turns[-1] for _ in unit.scalings)]
    steps = reversed([*zip(ahead, hyperbolic_steps(unit), strict=True)])
    for turn, (_, stretch, slip) in steps:
        rounding += slip * stretched * math.exp(turn + turns[-1] + off)
        stretched *= stretch
    rounding += stretched * math.exp(turns[0] + turns[-1] + off)  # factors of two drop places
    short = turns[-1] + off + half
    X, Y = x * np.cosh(z) + y * np.sinh(z), y * np.cosh(z) + x * np.sinh(z)

    def error(along, across):
        turned = abs(across) * math.sinh(short) + abs(along) * (math.cosh(short) - 1)
        turned = turned + half * np.exp(abs(z) + short)
        return turned * (1 + excess) + excess * abs(along) + rounding * factor * place + half

    return (X, Y, 0.0), (error(X, Y), error(Y, X), turns[-1] + half)


def hyperbolic_vector(cordic, unit, x, y, z):
    """The recursion for angles; lengths and errors are relative to √(u v), which hardly shrinks.

    √(x² - y²) and artanh are monotonic in u and v, so that the extreme words around x and y are the
    worst case.
    """
    half, one, (places, _) = cordic.number.step / 2, 2.0**-unit.z_fraction, unit.places
    _, excess = gain_undone(unit)
    # For shifted u = x + y and v = x - y; √(u v) has at least this many places, u / v is at most 4.
    length, left, drift = np.float64(2.0 ** (places - 0.5 + unit.guard)), math.log(2), 0.0
    for shift, stretch, slip in hyperbolic_steps(unit):
        turn_by = 0.0 if shift is None else math.atanh(2.0**-shift)
        left = max(turn_by, left - turn_by)
        # A place in x and one in y are two in u and one in v, or vice versa.
        part = 2 * slip * np.exp(left) / (length * stretch)
        by = 0.75 * part / (1 - part) if part < 1 else math.inf
        length, left, drift = length * stretch * np.exp(-by), left + by, drift + by
    u, v = x + y, x - y
    lowest = np.sqrt(np.maximum(u - 2 * half, 0) * np.maximum(v - 2 * half, 0))
    exact = np.sqrt(np.maximum(u * v, 0))
    highest = np.sqrt(np.maximum(u + 2 * half, 0) * np.maximum(v + 2 * half, 0))
    words = np.maximum(highest - exact, exact - lowest)
    grown = (1 + excess) * np.exp(drift) * np.cosh(left) - 1
    shrunk = 1 - (1 - excess) * np.exp(-drift)
    X = words + highest * max(grown, shrunk) + half
    Y = highest * (1 + excess) * np.exp(drift) * np.sinh(left) + half
    angle = np.arctanh(y / x)
    turned = abs(np.log((u + 2 * half) / (v - 2 * half)) / 2 - angle)
    turned = np.maximum(turned, abs(np.log((u - 2 * half) / (v + 2 * half)) / 2 - angle))
    off = constants_off(HYPERBOLIC, unit) + places / 4  # and of ln 2 for half the factors of two
    return (exact, 0.0, z + angle), (X, Y, turned + left + drift + off * one + 2 * half)


BOUNDS = {
    Rotate: circular_rotate,
    Vector: circular_vector,
    Multiply: linear_rotate,
    Divide: linear_vector,
    HyperbolicRotate: hyperbolic_rotate,
    Root: hyperbolic_vector,
}


def what_is_left(angles, most):
    """The largest distance of a number from zero, before each angle and after the last."""
    found = [most]
    for angle in angles:
        found.append(max(angle, found[-1] - angle))
    return found


def constants_off(mode, unit):
    """The total error of all angles of a table, in last places."""
    table = unit.table
    bits = unit.angle_word - 1 if mode == CIRCULAR else unit.z_fraction
    exact = angles(mode, table.shifts, bits + SPARE)
    pairs = zip(table.angles, exact, strict=True)
    return sum(abs((angle << SPARE) - fine) for angle, fine in pairs) / 2**SPARE


def gain_undone(unit):
    """The final factor, and how far it and the digits leave a gain other than one."""
    if unit.compensation != MULTIPLY:
        return 1.0, abs(float(unit.table.left - 1))
    bits = unit.rotations + unit.guard
    factor = inverse(unit.table.gain, bits)
    return factor / 2**bits, abs(float(unit.table.gain * factor / 2**bits - 1))


def circular_steps(unit):
    """For each micro-rotation and its digit, then each scaling: its shift or None, its stretch,
    and the length of its error in places."""
    return _steps(unit, 1, math.sqrt(2))


def hyperbolic_steps(unit):
    """The same, with the errors of both x and y."""
    return _steps(unit, -1, 1.0)


def _steps(unit, m, place):
    steps = []
    for i, (shift, digit) in enumerate(zip(unit.table.shifts, unit.table.digits, strict=True)):
        scale = 1 + digit * 2.0**-i
        stretch = math.sqrt(1 + m * 4.0**-shift) * scale
        steps.append((shift, stretch, place * (scale + abs(digit))))
    return steps + [(None, 1 + digit * 2.0**-i, place) for i, digit in unit.scalings]
