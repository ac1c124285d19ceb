"""CORDIC arithmetic: bit for bit against a textbook, and never farther off than its bound."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from support.textbook_cordic import textbook

import paraxis as px
from paraxis.hardware.cordic import long_integers
from paraxis.hardware.cordic.bounds import gain_undone
from paraxis.hardware.cordic.constants import CIRCULAR, HYPERBOLIC, LINEAR
from paraxis.hardware.cordic.formats import Angle, Number
from paraxis.hardware.cordic.units import table as tables
from paraxis.hardware.cordic.units.circular import Rotate, Vector
from paraxis.hardware.cordic.units.hyperbolic import HyperbolicRotate, Root
from paraxis.hardware.cordic.units.linear import Add, AddAngles, Divide, Multiply
from paraxis.hardware.cordic.units.unit import Given, Port

Cordic = px.hardware.Cordic
FUNCTIONS = [(m, d) for m in (CIRCULAR, LINEAR, HYPERBOLIC) for d in ("rotate", "vector")]
COMPENSATIONS = ["interleaved", "after", "multiply"]


def run(cordic, mode, direction, x, y, z):
    return getattr(cordic, direction)(mode, x, y, z)


def exact(mode, direction, x, y, z):
    """What float64 says."""
    with np.errstate(all="ignore"):
        return {
            (CIRCULAR, "rotate"): lambda: (
                x * np.cos(z) - y * np.sin(z),
                y * np.cos(z) + x * np.sin(z),
                0 * z,
            ),
            (CIRCULAR, "vector"): lambda: (np.hypot(x, y), 0 * y, z + np.arctan2(y, x)),
            (LINEAR, "rotate"): lambda: (x, y + x * z, 0 * z),
            (LINEAR, "vector"): lambda: (x, 0 * y, z + y / x),
            (HYPERBOLIC, "rotate"): lambda: (
                x * np.cosh(z) + y * np.sinh(z),
                y * np.cosh(z) + x * np.sinh(z),
                0 * z,
            ),
            (HYPERBOLIC, "vector"): lambda: (
                np.sqrt(np.maximum((x + y) * (x - y), 0)),
                0 * y,
                z + np.arctanh(y / x),
            ),
        }[mode, direction]()


def around(angle):
    return (angle + math.pi) % (2 * math.pi) - math.pi


def numbers(rng, word, count):
    """Reals of all sizes, a few words' worth included, and the ends of what fits."""
    step, ends = 2.0 ** (3 - word), rng.choice([-4, -2, -1, 0, 1, 2, 4], count)
    kinds = [
        rng.uniform(-4, 4, count),
        np.ldexp(rng.uniform(-4, 4, count), -rng.integers(0, word, count)),
        rng.uniform(-6, 6, count) * step,
        ends + rng.choice([-1, -0.4, 0, 0.4, 1], count) * step,
    ]
    return rng.permuted(np.array(kinds), axis=0)[0]


def points(rng, mode, direction, word, count):
    """x, y, z over the whole range of a function, mostly where there is a result."""
    x, y, z = (numbers(rng, word, count) for _ in range(3))
    if mode == CIRCULAR:
        z = np.where(rng.random(count) < 0.5, 3 * z, rng.integers(-9, 10, count) * math.pi / 4)
    elif mode == HYPERBOLIC and direction == "rotate":
        x, y = (v * np.exp(-abs(z) * rng.random(count)) for v in (x, y))
    elif mode == HYPERBOLIC:
        x, near = abs(x), rng.integers(0, 6, count) * 2.0 ** (3 - word)
        y = np.where(rng.random(count) < 0.5, x * rng.uniform(-1, 1, count), near - x)
    return x, y, z


# -- what it computes ------------------------------------------------------------------------------


def test_each_mode_computes_what_it_says():
    cordic = Cordic()
    for mode, direction in FUNCTIONS:
        x, y, z = 1.25, 0.5, -0.75
        result = run(cordic, mode, direction, x, y, z)
        assert result.valid
        assert np.allclose(result[:3], exact(mode, direction, x, y, z), atol=1e-6), (
            mode,
            direction,
        )


@pytest.mark.parametrize("compensation", COMPENSATIONS)
@pytest.mark.parametrize(("mode", "direction"), FUNCTIONS)
def test_words_are_those_of_the_textbook(mode, direction, compensation):
    rng = np.random.default_rng(1)
    agreed = 0
    for word, iterations, guard in ((24, 24, None), (8, 12, 0), (16, 9, 3), (12, 15, 1), (4, 4, 2)):
        cordic = Cordic(word, iterations, guard, compensation)
        half = 1 << word - 1
        words = rng.integers(-half, half, (3, 60)) >> rng.integers(0, word // 2, (3, 60))
        if mode == HYPERBOLIC:
            words[0] = abs(words[0]) - 1 if direction == "vector" else words[0] >> 3
        result = run(cordic, mode, direction, *words)
        for x, y, z, *found, valid in zip(*words, *result, strict=True):
            expected = textbook(cordic, mode, direction, int(x), int(y), int(z))
            assert valid == (expected is not None)
            if valid:
                assert tuple(found) == expected
                agreed += 1
    assert agreed > 100


def test_results_print():
    result = Cordic().rotate("linear", 1.5, 0.25, 2.0)
    assert str(result) == "x = 1.5, y = 3.25, z = 0.0, valid = True"


def test_shapes_go_together_and_scalars_stay_scalars():
    cordic = Cordic(16, 16)
    result = cordic.rotate("circular", np.ones((3, 1)), 0, np.linspace(-9, 9, 4))
    assert result.x.shape == result.y.shape == result.z.shape == result.valid.shape == (3, 4)
    again = cordic.rotate("circular", 1.0, 0, np.linspace(-9, 9, 4)[2])
    assert np.ndim(again.x) == 0 and again.x == result.x[1, 2]
    assert cordic.vector("linear", *np.zeros((3, 0))).z.shape == (0,)
    words = cordic.vector("circular", np.int16([3000, -1]), np.int8(5), 0)
    assert words.x.dtype == words.z.dtype == np.int64


def test_floats_are_words_that_are_rounded():
    rng = np.random.default_rng(2)
    cordic = Cordic(20, 20)
    for mode, direction in FUNCTIONS:
        x, y, z = points(rng, mode, direction, 20, 200)
        turn = cordic.angle if mode == CIRCULAR else cordic.number
        words, fits = zip(cordic.number.raw(x), cordic.number.raw(y), turn.raw(z), strict=True)
        floats, raw = run(cordic, mode, direction, x, y, z), run(cordic, mode, direction, *words)
        assert np.array_equal(floats.x, cordic.number.real(raw.x))
        assert np.array_equal(floats.y, cordic.number.real(raw.y))
        assert np.array_equal(floats.z, turn.real(raw.z))
        assert np.array_equal(floats.valid, raw.valid & np.all(fits, axis=0))


@pytest.mark.parametrize("compensation", COMPENSATIONS)
@pytest.mark.parametrize("word", [63, 64, 100])
def test_long_words(word, compensation):
    """Against integer roots and fractions, far beyond float64."""
    cordic = Cordic(word, word, compensation=compensation)
    one = 1 << word - 3

    def near(found, expected):
        assert abs(found - expected) <= 6, (found, expected)

    sixth = (1 << word - 1) // 6
    turned = cordic.rotate("circular", one, 0, sixth)
    near(turned.y, one // 2)
    near(turned.x, math.isqrt(3 * one * one) // 2)
    assert turned.valid and isinstance(turned.x, int)
    near(cordic.vector("circular", one, one, 0).x, math.isqrt(2 * one * one))
    near(cordic.vector("circular", one, one, 0).z, 1 << word - 3)
    near(cordic.rotate("linear", 3 * one // 2, one // 7, -one // 3).y, one // 7 - one // 2)
    near(cordic.vector("linear", 3 * one, 2 * one, 0).z, 2 * one // 3)
    near(cordic.vector("hyperbolic", 2 * one, one, 0).x, math.isqrt(3 * one * one))
    stretched = cordic.rotate("hyperbolic", one, 0, one)
    e = sum(Fraction(1, math.factorial(k)) for k in range(40))
    near(stretched.x, int((e + 1 / e) / 2 * one))
    near(cordic.vector("hyperbolic", stretched.x, stretched.y, 0).z, one)
    floats = cordic.rotate("circular", [1.0, -9.0, np.nan], 0.0, math.pi / 6)
    assert abs(floats.y[0] - 0.5) < 1e-15 and floats.valid.tolist() == [True, False, False]


def test_short_and_long_integers_agree(monkeypatch):
    """The longest words that NumPy's integers can do, done in Python's as well."""
    rng = np.random.default_rng(7)
    for cordic in (Cordic(48, 48, 5), Cordic(20, 20, 5, "multiply")):
        half = 1 << cordic.word - 1
        words = rng.integers(-half, half, (3, 200)) >> rng.integers(0, cordic.word, (3, 200))
        for mode, direction in FUNCTIONS:
            short = run(cordic, mode, direction, *words)
            with monkeypatch.context() as patch:
                for module in ("formats", "processor"):
                    patch.setattr(f"paraxis.hardware.cordic.{module}.WIDEST", 0)
                long = run(cordic, mode, direction, *words)
            assert long.x.dtype == object and short.x.dtype == np.int64
            assert all(np.array_equal(s, w) for s, w in zip(short, long, strict=True))


def test_the_same_words_always_give_the_same_words():
    rng = np.random.default_rng(3)
    words = rng.integers(-(1 << 23), 1 << 23, (3, 1000))
    one, other = Cordic(), Cordic(24, 24, 6)
    assert one == other
    for mode, direction in FUNCTIONS:
        whole = run(one, mode, direction, *words)
        parts = run(other, mode, direction, *words[:, 500:])
        assert all(np.array_equal(w[500:], p) for w, p in zip(whole, parts, strict=True))


# -- what is not valid -----------------------------------------------------------------------------


def test_too_large_is_held_and_not_valid():
    cordic = Cordic(16, 16)
    most, least = cordic.number.most, cordic.number.least
    product = cordic.rotate("linear", [3.0, 3.0, 1.0], 0.0, [2.0, -2.0, 2.0])
    assert product.y.tolist() == [most, least, 2.0] and product.valid.tolist() == [
        False,
        False,
        True,
    ]
    length = cordic.vector("circular", -3.5, -3.5, 0.0)
    assert length.x == most and not length.valid
    stretched = cordic.rotate("hyperbolic", [1.0, -1.0], 0.0, 3.9)
    assert stretched.x.tolist() == [most, least] and not stretched.valid.any()


def test_floats_that_do_not_fit_are_held_and_not_valid():
    cordic = Cordic(16, 16)
    held = cordic.rotate("linear", [9.0, -np.inf, np.nan], 0.0, 1.0)
    assert held.x.tolist() == [cordic.number.most, cordic.number.least, 0.0]
    assert not held.valid.any()
    assert not cordic.rotate("circular", 1.0, 0.0, [np.inf, np.nan]).valid.any()
    assert cordic.rotate("circular", 1.0, 0.0, 1e5).valid


def test_where_there_is_no_quotient():
    cordic = Cordic(16, 16)
    most, least = cordic.number.most, cordic.number.least
    quotient = cordic.vector("linear", [0.5, -0.5, 0.0, 0.5], [2.0, 3.0, -1.0, 1.99], 0.0)
    assert quotient.valid.tolist() == [False, False, False, True]
    assert quotient.z[:3].tolist() == [most, least, least]


def test_where_there_is_no_root():
    cordic = Cordic(16, 16)
    root = cordic.vector(
        "hyperbolic", [1.0, 1.0, -2.0, 0.0, 1.0], [1.0, -3.0, 1.0, 0.0, 0.999], 0.0
    )
    assert root.valid.tolist() == [False] * 4 + [True]
    assert root.x[:4].tolist() == [0.0] * 4
    assert root.z[1] == cordic.number.least


def test_nothing_has_no_angle():
    result = Cordic(16, 16).vector("circular", [0.0, 0.0, -0.001], [0.0, 0.001, 0.0], 0.0)
    assert result.valid.tolist() == [False, True, True]


# -- bounds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("compensation", COMPENSATIONS)
@pytest.mark.parametrize(("mode", "direction"), FUNCTIONS)
def test_errors_keep_to_their_bounds(mode, direction, compensation):
    rng = np.random.default_rng([len(mode), len(direction)])
    settings = [(24, 24, None), (40, 44, None), (8, 6, 0), (16, 40, 8), (32, 20, 2), (5, 1, 3)]
    settings += [(int(rng.integers(8, 41)), int(rng.integers(6, 45)), k) for k in range(9)]
    closest = np.zeros(3)
    for word, iterations, guard in settings:
        cordic = Cordic(word, iterations, guard, compensation)
        x, y, z = points(rng, mode, direction, word, 1000)
        result = run(cordic, mode, direction, x, y, z)
        valid, bound = result.valid, cordic.bound(mode, direction, x, y, z)
        for i, value in enumerate(exact(mode, direction, x, y, z)):
            error = result[i] - value
            if mode == CIRCULAR and i == 2:
                error = around(error)
            known = valid & np.isfinite(value)
            ratio = abs(error[known]) / bound[i][known]
            assert ratio.max() <= 1, (word, iterations, guard, "xyz"[i])
            closest[i] = max(closest[i], ratio.max())
    assert closest.min() > 0.5, closest


def test_bounds_are_of_use():
    """A few steps of a 24-bit word, and an angle's error grows as the radius shrinks."""
    cordic = Cordic()
    step = cordic.number.step
    for mode, direction in FUNCTIONS:
        assert max(cordic.bound(mode, direction, 1.0, 0.5, 0.25)) < 5 * step
    far, near = cordic.bound("circular", "vector", [1.0, 0.01], 0.0, 0.0).z
    assert 30 * far < near < 100 * far
    assert cordic.bound("circular", "vector", 0.0, 0.0, 0.0).z == math.pi
    assert cordic.bound("linear", "vector", 0.0, 1.0, 0.0).z == math.inf
    assert cordic.bound("hyperbolic", "vector", 1.0, 1.0, 0.0).z == math.inf
    assert Cordic(5, 9, guard=0).bound("hyperbolic", "vector", 1.0, 0.5, 0.0) == (math.inf,) * 3


def test_each_further_bit_halves_the_error():
    x, y, z = np.random.default_rng(4).uniform(-1, 1, (3, 2000))
    worst = [
        abs(Cordic(w, w).rotate("circular", x, y, z).x - (x * np.cos(z) - y * np.sin(z))).max()
        for w in (12, 16, 20, 24, 28, 32)
    ]
    assert np.allclose(np.diff(np.log2(worst)), -4, atol=0.7)


# -- tables ----------------------------------------------------------------------------------------


def test_gains_are_those_of_the_paper():
    """Lee and Chang print the inverses 0.6072 and 1.205; with repeated shifts it is 1.2075."""
    cordic = Cordic()
    assert round(1 / cordic.table("circular").gain, 4) == 0.6073
    assert cordic.table("linear").gain == 1
    assert round(1 / cordic.table("hyperbolic").gain, 4) == 1.2075
    once = math.prod(math.sqrt(1 - 4.0**-s) for s in range(1, 25))
    assert round(1 / once, 3) == 1.205


def test_tables():
    table = Cordic().table("hyperbolic")
    assert table.shifts[:7] == (1, 2, 3, 4, 4, 5, 6) and table.shifts.count(13) == 2
    assert np.allclose(table.angles, np.arctanh(2.0 ** -np.array(table.shifts)), atol=1e-8)
    left = table.gain * math.prod(1 + d * 2.0**-i for i, d in enumerate(table.digits))
    assert abs(left - 1) < 2.0**-24 and math.isclose(left, table.left)
    assert set(table.digits) == {-1, 0, 1}
    assert np.allclose(Cordic().table("circular").angles[:2], [math.pi / 4, math.atan(0.5)])
    assert Cordic().table("linear").angles[:3] == (2.0, 1.0, 0.5)
    assert str(table).splitlines()[-1] == "gain 0.828159, 1 / gain 1.207497"
    plain = Cordic(compensation="multiply").table("circular")
    assert not any(plain.digits) and plain.left == plain.gain


@pytest.mark.parametrize("mode", [CIRCULAR, HYPERBOLIC])
@pytest.mark.parametrize("n", [13, 16, 24, 32])
def test_digits_after_the_rotations_are_few(mode, n):
    """Fewer than those between them, each i once and in order, and as exact as the word asks."""
    table = Cordic(n, n, compensation="after").table(mode)
    places, digits = zip(*table.scalings, strict=True)
    assert list(places) == sorted({*places}) and places[0] > 0 and places[-1] < n
    assert {*digits} <= {-1, 1} and not any(table.digits)
    left = table.gain * math.prod(1 + d * 2.0**-i for i, d in table.scalings)
    assert math.isclose(left, table.left) and abs(left - 1) <= 2.0 ** -(n + 1)
    between = Cordic(n, n).table(mode)
    assert len(digits) <= sum(map(abs, between.digits)) and not between.scalings


@pytest.mark.parametrize("n", [4, 6, 8, 10])
def test_no_fewer_digits_after_the_rotations_would_do(n):
    """All products of 1 + γ_i 2^-i with a digit less, of words so short that all can be made."""
    table = Cordic(n, n, compensation="after").table(CIRCULAR)
    kept = len(table.scalings)
    factors = itertools.product(*([1, 1 + 2.0**-i, 1 - 2.0**-i] for i in range(1, n)))
    short = [f for f in factors if sum(each != 1 for each in f) < kept]
    assert min(abs(table.gain * math.prod(f) - 1) for f in short) > 2.0 ** -(n + 2)


def test_hyperbolic_shifts_must_come_twice(monkeypatch):
    z = np.linspace(-0.3, 0.3, 4001)

    def worst():
        tables.table.cache_clear()
        cordic = Cordic(32, 32)
        error = abs(cordic.rotate("hyperbolic", 1.0, 0.0, z).y - np.sinh(z)).max()
        return error, cordic.bound("hyperbolic", "rotate", 1.0, 0.0, z).y.max()

    error, bound = worst()
    assert error < bound < 1e-8
    monkeypatch.setattr(tables, "shifts", lambda mode, count: list(range(1, count + 1)))
    gap, _ = worst()
    monkeypatch.undo()
    tables.table.cache_clear()
    assert gap > 1e-5


# -- registers and units of any format -------------------------------------------------------------


class Checked:
    """Whole numbers of any length that are measured wherever a width is said."""

    def __getattr__(self, name):
        return getattr(long_integers, name)

    def fit(self, value, width):
        assert holds(value, width)
        return value

    def distance(self, value, width):
        assert np.all(np.asarray(value) >= 0) and holds(value, width + 1)
        return value


def holds(value, width):
    value = np.asarray(value)
    return bool(np.all(value >= -(1 << width - 1)) and np.all(value < 1 << width - 1))


def measured(unit, words):
    """What a unit gives, with an eye on all its registers."""
    ops = Checked()
    words = {name: word.astype(object) for name, word in words.items()}
    round_about = ("z",) if isinstance(unit, Rotate | Vector) else ()
    state = unit.load(ops, words)
    for i in range(-1, unit.steps + 1):
        assert state.keys() <= unit.widths.keys()
        for name, value in state.items():
            if name not in round_about and name != "right":
                assert holds(value, unit.widths[name]), (unit, name, i)
        if i < 0:
            state = unit.settle(ops, state)
        elif i < unit.steps:
            state = unit.step(ops, i, state)
    return unit.finish(ops, state)


@pytest.mark.parametrize(("mode", "direction"), FUNCTIONS)
def test_registers_are_wide_enough(mode, direction):
    rng = np.random.default_rng(5)
    for word, iterations, guard in ((4, 9, 0), (10, 10, 2), (24, 24, 6), (24, 40, 0), (12, 1, 1)):
        for compensation in COMPENSATIONS:
            half = 1 << word - 1
            words = rng.integers(-half, half, (3, 500)) >> rng.integers(0, word, (3, 500))
            words[:, :64] = np.stack(np.meshgrid(*[[-half, half - 1, 0, -1]] * 3)).reshape(3, -1)
            unit = Cordic(word, iterations, guard, compensation).unit(mode, direction)
            measured(unit, dict(zip("xyz", words, strict=True)))


NUMBER, ANGLE = "number", "angle"
KINDS = {  # unit -> what comes in and what goes out
    Rotate: ({"x": NUMBER, "y": NUMBER, "z": ANGLE}, {"X": NUMBER, "Y": NUMBER}),
    Vector: ({"x": NUMBER, "y": NUMBER, "z": ANGLE}, {"X": NUMBER, "Z": ANGLE}),
    Root: ({"x": NUMBER, "y": NUMBER, "z": NUMBER}, {"X": NUMBER, "Z": NUMBER}),
    HyperbolicRotate: ({"x": NUMBER, "y": NUMBER, "z": NUMBER}, {"X": NUMBER, "Y": NUMBER}),
    Multiply: ({"x": NUMBER, "y": NUMBER, "z": NUMBER}, {"Y": NUMBER}),
    Divide: ({"x": NUMBER, "y": NUMBER, "z": NUMBER}, {"Z": NUMBER}),
    Add: ({"x": NUMBER, "y": NUMBER}, {"Y": NUMBER}),
    AddAngles: ({"x": ANGLE, "y": ANGLE}, {"Y": ANGLE}),
}


def random_unit(kind, rng):
    """Formats, signs and a constant by chance."""
    word, comes, goes = lambda: int(rng.integers(8, 25)), *KINDS[kind]

    def format(meaning, most=3):
        if meaning == ANGLE:
            return Angle(word())
        bits = word()
        return Number(bits, bits - 1 - int(rng.integers(-2, most)))

    ports = {}
    for name, meaning in comes.items():
        found = format(meaning, 1 if kind is HyperbolicRotate else 3)
        most = -found.least if meaning == NUMBER else 0.0
        ports[name] = Port(found, int(rng.choice([-1, 1])), most)
    if rng.random() < 0.4:
        turning = ("z",) if kind in (Rotate, HyperbolicRotate) else ()
        name = rng.choice([name for name in comes if name not in turning])
        value = float(rng.uniform(-0.9, 0.9))
        ports[name] = Port(None, ports[name].sign, abs(value), value)
    return kind(
        **ports,
        gives={name: Given(format(meaning), meaning == NUMBER) for name, meaning in goes.items()},
        iterations=int(rng.integers(6, 27)),
        guard=int(rng.integers(0, 8)),
        compensation=str(rng.choice(COMPENSATIONS)),
    )


def unit_function(unit, x, y, z):
    """What a unit computes, over the reals: by port, and how far off it may be."""
    n, (_, excess) = unit.rotations, (1.0, 0.0) if unit.table is None else gain_undone(unit)
    if isinstance(unit, Add | AddAngles):
        return {"Y": (x + y, 2.0**-20 if isinstance(unit, Add) else unit.gives["Y"].format.step)}
    if isinstance(unit, Multiply):
        left = 2.0 ** (unit.exponent - n) + 2.0**-unit.z_fraction
        return {"Y": (y + x * z, abs(x) * left + (n + 2) * 2.0**-unit.fraction)}
    if isinstance(unit, Divide):
        place = 2.0 ** (unit.exponent - unit.above + 1 - unit.places - unit.spare)
        left = 2.0 ** (unit.exponent - n) + (n + 1) * place
        return {"Z": (z + y / x, left + 2.0**-unit.z_fraction)}
    if isinstance(unit, Root):
        left = 2.0 ** (2 - n) + 3 * n * 2.0 ** (1 - unit.places[0] - unit.guard)
        root = np.sqrt(np.maximum(x * x - y * y, 0))
        off = left + (n + unit.places[0]) * 2.0**-unit.z_fraction
        return {"X": (root, root * (left + excess)), "Z": (z + np.arctanh(y / x), off)}
    X, Y, _ = exact(CIRCULAR if isinstance(unit, Rotate) else HYPERBOLIC, "rotate", x, y, z)
    if isinstance(unit, HyperbolicRotate):
        left = 2.0 ** (2 - n) + (n + 9) * 2.0**-unit.z_fraction + excess
        off = (abs(X) + abs(Y)) * left + (3 * n + 2 * np.exp(abs(z))) * 2.0**-unit.fraction
        return {"X": (X, off), "Y": (Y, off)}
    radius, inside = np.hypot(x, y), (3 * n + 2) * 2.0**-unit.fraction
    left = 2.0 ** (1 - n) + (n + 1) * math.pi * 2.0**-unit.angle_word
    if isinstance(unit, Rotate):
        off = radius * (left + excess) + inside
        return {"X": (X, off), "Y": (Y, off)}
    return {
        "X": (radius, radius * (left + excess) + inside),
        "Z": (z + np.arctan2(y, x), left + 2 * inside / radius),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_units_of_any_format(kind):
    """Registers hold what comes, and results are near where they are said to be right."""
    rng = np.random.default_rng(6)
    compared = 0
    for _ in range(25):
        unit = random_unit(kind, rng)
        words = {}
        for name, port in unit.ports.items():
            half = 1 << port.format.word - 1
            words[name] = rng.integers(-half, half, 300) >> rng.integers(0, 8, 300)
            words[name][:3] = rng.permutation([-half, half - 1, 0])
        given, right = measured(unit, words)
        reals = {name: given_real(unit, name, words) for name in KINDS[kind][0]}
        with np.errstate(all="ignore"):
            expected = unit_function(unit, *(reals.get(name) for name in "xyz"))
        for name, (value, off) in expected.items():
            format = unit.gives[name].format
            error = format.real(given[name]) - value
            error = abs(around(error) if isinstance(format, Angle) else error)
            checked = np.broadcast_to(right, error.shape) & np.isfinite(value)
            slack = np.broadcast_to(off + format.step, error.shape)
            assert np.all(error[checked] <= slack[checked]), (unit, name)
            compared += checked.sum()
    assert compared > 1000


def given_real(unit, name, words):
    """The number a port stands for; a constant as it is rounded inside."""
    port = getattr(unit, name)
    if port.constant is None:
        return port.sign * port.format.real(words[name])
    if name == "z" or not isinstance(unit, Divide | Root):
        return port.sign * port.constant
    inside = unit.places[1] if isinstance(unit, Root) else unit.fractions["xy".index(name)]
    return port.sign * math.floor(port.constant * 2.0**inside + 0.5) * 2.0**-inside


# -- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"word": 3}, "word: expected an integer from 4 to 512, found 3"),
        ({"word": 24.0}, "word: .* found 24.0"),
        ({"iterations": 0}, "iterations: expected an integer from 1 to 512, found 0"),
        ({"guard": -1}, "guard: .* found -1"),
        ({"compensation": "none"}, "compensation: "),
    ],
)
def test_processors_that_cannot_be(arguments, said):
    with pytest.raises(px.ArgumentError, match=said):
        Cordic(**arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("square", 1.0, 0.0, 0.0),
            "mode: expected one of 'circular', 'linear', 'hyperbolic', found",
        ),
        (("linear", [1 << 15, 0], 0, 0), "x: expected words of 16 bits, found one that needs 17"),
        (("linear", 0, 0, -(1 << 40)), "z: expected words of 16 bits, found one that needs 41"),
        (("linear", np.array([1]), 0.5, 0.0), "or words in all three, found words only in x"),
        (("linear", 1j, 0.5, 0.0), "expected floats or integers, found complex128, float64"),
        (("linear", ["a"], 0.5, 0.0), "expected floats or integers, found <U1"),
        (("linear", [1.0, 2.0], [1.0] * 3, 0.0), r"that broadcast, found \(2,\), \(3,\), \(\)"),
    ],
)
def test_arguments_that_cannot_be(arguments, said):
    with pytest.raises(px.ArgumentError, match=said):
        Cordic(16, 16).rotate(*arguments)


def test_directions_that_cannot_be():
    with pytest.raises(px.ArgumentError, match='direction: expected "rotate" or "vector"'):
        Cordic().bound("linear", "backwards", 1.0, 0.0, 0.0)


def test_bounds_are_of_floats():
    """Integers are words, here as everywhere, unless one of their company is a float."""
    with pytest.raises(
        px.ArgumentError, match="expected floats; integers are words, which are exact"
    ):
        Cordic().bound("linear", "rotate", np.array([1, 2]), 0, 1)
    with pytest.raises(px.ArgumentError, match="or words in all three, found words only in x"):
        Cordic().bound("linear", "rotate", np.array([1, 2]), 0.5, 1)
    with pytest.raises(px.ArgumentError, match="expected shapes that broadcast"):
        Cordic().bound("linear", "rotate", [1.0, 2.0], [0.5] * 3, 1)
    with_integers = Cordic().bound("linear", "rotate", 1.5, 0, 1)
    assert with_integers == Cordic().bound("linear", "rotate", 1.5, 0.0, 1.0)
