"""Sine and cosine in machine code, to two units in the last place, against exact ones."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from support.bits import same_bits
from support.operations import SPECIAL

import paraxis as px

pytestmark = pytest.mark.usefixtures("own_cache")


SCALE = 256  # bits after the point, in the exact reference

PI_BITS = 1024 + 2 * SCALE


@cache
def pi_over_two():
    """pi/2 times 2^PI_BITS, by Machin's formula in whole numbers."""

    def arctan_of_inverse(k):
        power = total = (1 << (PI_BITS + 16)) // k
        n, sign = 3, -1
        while power:
            power //= k * k
            total += sign * (power // n)
            n, sign = n + 2, -sign
        return total

    return 2 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239)) >> 16


@cache
def exact_sine_cosine(x):
    """(sin x, cos x) of a float, times 2^SCALE, right to some 240 bits."""
    numerator, denominator = x.as_integer_ratio()
    fixed = (numerator << PI_BITS) // denominator  # floats here are whole multiples of 2^-PI_BITS
    turns = (2 * fixed + pi_over_two()) // (2 * pi_over_two())
    r = (fixed - turns * pi_over_two()) >> (PI_BITS - SCALE)
    square = r * r >> SCALE
    sine = term = r
    cosine = other = 1 << SCALE
    n = 1
    while other or term:
        other = -(other * square >> SCALE) // (2 * n * (2 * n - 1))
        term = -(term * square >> SCALE) // (2 * n * (2 * n + 1))
        cosine, sine, n = cosine + other, sine + term, n + 1
        if abs(other) <= 1 and abs(term) <= 1:
            break
    return [(sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine)][turns % 4]


def ulps(found, exact, smallest=0.0):
    """How far a float is from an exact value, in units of the last place of that value."""
    value = exact / (1 << SCALE)  # rounded once
    assert abs(found) >= 2.0**-180  # so that the next line is exact
    return abs((int(math.ldexp(found, SCALE)) - exact) / (1 << SCALE)) / math.ulp(
        max(abs(value), smallest)
    )


@cache
def sine_cosine(dtype="float64"):
    return px.trace(lambda x: {"s": px.math.sin(x), "c": px.math.cos(x)}, x=()).compile(dtype=dtype)


def worst_ulps(angles, smallest=0.0):
    """The largest error of sine and cosine over float64 angles, and where.

    Sines and cosines below `smallest` are measured in units of its last place.
    """
    found = np.stack(sine_cosine()(angles), axis=-1).tolist()
    worst = (0.0, None)
    for x, pair in zip(angles.tolist(), found, strict=True):
        for value, exact in zip(pair, exact_sine_cosine(x), strict=True):
            worst = max(worst, (ulps(value, exact, smallest), x), key=lambda item: item[0])
    return worst


def test_the_exact_reference_is_right():
    """The reference of the following tests against printed digits of other people's."""
    sine, cosine = exact_sine_cosine(1.0)
    assert str(sine * 10**40 >> SCALE) == "8414709848078965066525023216302989996225"
    assert str(cosine * 10**40 >> SCALE) == "5403023058681397174009366074429766037323"
    for x in (0.3, -2.0, 4.0, 1e5, 1e22, 1.7e308):
        for exact, close in zip(exact_sine_cosine(x), (math.sin(x), math.cos(x)), strict=True):
            assert ulps(close, exact) < 1


def test_sine_and_cosine_to_two_ulp_everywhere_up_to_1e5():
    rng = np.random.default_rng(0)
    angles = np.concatenate(
        [
            rng.uniform(-1e5, 1e5, 6000),
            rng.uniform(-7, 7, 6000),
            rng.normal(size=2000) * 10.0 ** rng.uniform(-30, 5, 2000),
        ]
    )
    worst, where = worst_ulps(angles)
    assert worst <= 2, where


def test_sine_and_cosine_beside_every_multiple_of_a_right_angle():
    """The float nearest to k pi/2, where nearly all digits cancel; also past 1e5."""
    half_pi, one = pi_over_two(), 1 << PI_BITS
    angles = np.array([k * half_pi / one for k in range(1, 63663, 7)])
    border = np.array([k * half_pi / one for k in range(83400, 83500)])  # the C library begins here
    quarter = np.array([(2 * k + 1) * half_pi / (2 * one) for k in range(0, 60000, 53)])
    for group in (angles, -border, border, quarter, np.nextafter(quarter, 0)):
        worst, where = worst_ulps(group)
        assert worst <= 2, where


def test_the_hardest_angles_below_1e5():
    """Of all floats nearest to k pi/2, those whose cosine or sine is smallest."""
    half_pi, one = pi_over_two(), 1 << PI_BITS
    angles = [k * half_pi / one for k in range(1, 63663)]

    def remainder(k):
        numerator, denominator = angles[k - 1].as_integer_ratio()
        return abs((numerator << PI_BITS) // denominator - k * half_pi)

    hardest = sorted(range(1, 63663), key=remainder)[:300]
    assert remainder(hardest[0]) / one < 1e-15
    worst, where = worst_ulps(np.array([angles[k - 1] for k in hardest]))
    assert worst <= 2, where


def test_sine_and_cosine_of_huge_angles():
    """They are the C library's. Of all floats, 6381956970095103 * 2^797 is nearest to a multiple
    of pi/2; there glibc's cosine, 4.7e-19, is wrong by 8 ulp, so smaller than 1e-17 counts as that.
    """
    rng = np.random.default_rng(2)
    angles = rng.normal(size=600) * 10.0 ** rng.uniform(5, 307, 600)
    extreme = [6381956970095103.0 * 2.0**797, 1.7e308, -1.7e308, 2.0**1023]
    worst, where = worst_ulps(np.concatenate([angles, extreme]), smallest=1e-17)
    assert worst < 2, where


def test_sine_and_cosine_of_tiny_angles():
    tiny = [0.0, -0.0, 5e-324, -5e-324, 3e-310, 2.3e-308, 1e-300, -1e-100, 1e-20, -1e-9]
    sine, cosine = sine_cosine()(np.array(tiny))
    assert sine.tolist() == tiny  # sin x = x to the last bit
    assert cosine.tolist() == [1.0] * len(tiny)
    tiny = np.array([0.0, -0.0, 1e-45, -1e-45, 1e-39, 1e-30, -1e-5], np.float32)
    sine, cosine = sine_cosine("float32")(tiny)
    assert sine.tolist() == tiny.tolist()
    assert cosine.tolist() == [1.0] * len(tiny)


def test_float32_sine_and_cosine_to_two_ulp():
    rng = np.random.default_rng(3)
    beside = np.arange(1, 63663) * (math.pi / 2)
    angles = np.concatenate(
        [
            rng.uniform(-1e5, 1e5, 100_000),
            rng.uniform(-7, 7, 100_000),
            beside,
            rng.normal(size=1000) * 10.0 ** rng.uniform(5, 37, 1000),
        ]
    ).astype(np.float32)
    angles = np.concatenate([angles, np.nextafter(angles, np.float32(0))])
    found = sine_cosine("float32")(angles)
    for values, function in zip(found, (math.sin, math.cos), strict=True):
        exact = np.array([function(x) for x in angles.tolist()])
        unit = np.spacing(abs(exact).astype(np.float32)).astype(float)
        distance = abs(values - exact) / unit
        assert distance.max() <= 2, angles[distance.argmax()]


@pytest.mark.parametrize("dtype", SPECIAL)
def test_an_angle_changes_nothing_in_its_neighbours_lanes(dtype):
    """Huge, infinite and NaN angles take another way through the code, alone."""
    count = 2 * sine_cosine(dtype).lanes + 3
    angles = np.random.default_rng(4).uniform(-10, 10, count).astype(dtype)
    clean = np.stack(sine_cosine(dtype)(angles), axis=-1)
    for place, odd in itertools.product(
        range(count), (1e30, -131072.0, math.inf, -math.inf, math.nan)
    ):
        spoiled = angles.copy()
        spoiled[place] = odd
        found = np.stack(sine_cosine(dtype)(spoiled), axis=-1)
        if math.isfinite(odd):
            assert (
                abs(found[place] - [math.sin(spoiled[place]), math.cos(spoiled[place])]).max()
                < 1e-6
            )
        else:
            assert np.isnan(found[place]).all()
        found[place] = clean[place]
        assert same_bits(found, clean)
