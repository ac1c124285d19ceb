"""Exponentials, logarithms, tangents, arcs and remainders of vectors, against wider numbers.

float32 against float64, and float64 against NumPy's longdouble where that is wider.
"""

import math
import re
from functools import cache

import numpy as np
import pytest

import paraxis as px
from paraxis.targets.cpu.library import assembly_source

FUNCTIONS = {
    "exp": np.exp,
    "log": np.log,
    "tan": np.tan,
    "tanh": np.tanh,
    "asin": np.arcsin,
    "acos": np.arccos,
}
WIDER = {"float32": np.float64, "float64": np.longdouble}
EXTREME = {"float64": (-746.0, 710.0), "float32": (-105.0, 89.0)}  # of exponentials, and beyond
COUNT = 20_000


@cache
def kernel(name, dtype):
    function = getattr(px.math, name)
    if name == "fmod":
        return px.trace(function, x=(), y=()).compile(dtype=dtype)
    return px.trace(lambda x: function(x), x=()).compile(dtype=dtype)


def any_bits(rng, dtype, count=COUNT):
    """Numbers of every size, subnormal, infinite and NaN among them."""
    word = {"float64": np.int64, "float32": np.int32}[dtype]
    return rng.integers(np.iinfo(word).min, np.iinfo(word).max, count, word).view(dtype)


def beside(centre, dtype, reach=200):
    """The numbers next to one."""
    numbers = [np.array(centre, dtype)]
    for towards in (-math.inf, math.inf):
        number = numbers[0]
        for _ in range(reach):
            number = np.nextafter(number, np.array(towards, dtype))
            numbers.append(number)
    return np.array(numbers)


def points(name, dtype):
    rng, limits = np.random.default_rng(0), np.finfo(dtype)
    ranges = {
        "exp": [EXTREME[dtype], (-1, 1), (EXTREME[dtype][0], EXTREME[dtype][0] + 40)],
        "log": [(0, 10), (0.5, 2), (0, float(limits.tiny)), (0.999, 1.001)],
        "tan": [(-10, 10), (-131072, 131072), (-0.8, 0.8), (1e5, 1e7)],
        "tanh": [(-25, 25), (-1, 1), (-1e-3, 1e-3)],
        "asin": [(-1, 1), (-0.51, -0.49), (0.49, 0.51), (0.999, 1), (-1, -0.999)],
    }
    ranges["acos"] = ranges["asin"]
    edges = [0.0, 0.5, 1.0, math.sqrt(0.5), math.sqrt(2), math.pi / 2, math.pi, math.log(2) / 2]
    edges += [float(limits.tiny), *EXTREME[dtype]]
    multiples = np.arange(-2000, 2000) * (math.pi / 2)  # where a tangent is small or large
    parts = [
        any_bits(rng, dtype),
        *(rng.uniform(*each, COUNT) for each in ranges[name]),
        *(beside(sign * edge, dtype) for edge in edges for sign in (1, -1)),
        multiples,
        [math.inf, -math.inf, math.nan, 0.0, -0.0, limits.max, limits.smallest_subnormal],
    ]
    return np.concatenate([np.asarray(part).astype(dtype) for part in parts])


@pytest.mark.parametrize("dtype", WIDER)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_within_two_ulp_everywhere(name, dtype):
    if np.finfo(WIDER[dtype]).nmant <= np.finfo(dtype).nmant:
        pytest.skip("there are no wider numbers here")
    x = points(name, dtype)
    found = kernel(name, dtype)(x)
    with np.errstate(all="ignore"):
        exact = FUNCTIONS[name](x.astype(WIDER[dtype]))
        expected = exact.astype(dtype)
        error = abs(found - exact) / np.spacing(abs(expected))
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(expected))
    real = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[real]), np.signbit(expected[real]))
    assert error[np.isfinite(expected)].max() <= 2, x[np.isfinite(expected)][
        error[np.isfinite(expected)].argmax()
    ]


@pytest.mark.parametrize("dtype", WIDER)
@pytest.mark.parametrize("name", [*FUNCTIONS, "fmod"])
def test_bits_do_not_depend_on_neighbours(name, dtype):
    """Ordinary numbers beside those that the C library does, at every place, and alone."""
    rng = np.random.default_rng(1)
    mixed = np.concatenate([rng.normal(size=60), [1e6, 1e30, math.inf, math.nan, 0.0]])
    arrays = [rng.permutation(mixed).astype(dtype) for _ in range(1 + (name == "fmod"))]
    found = kernel(name, dtype)(*arrays)
    turned = kernel(name, dtype)(*(np.roll(array, 1) for array in arrays))
    alone = [kernel(name, dtype)(*(np.array(x) for x in row)) for row in zip(*arrays, strict=True)]
    assert np.roll(turned, -1).tobytes() == found.tobytes()
    assert np.array(alone).tobytes() == found.tobytes()


@pytest.mark.parametrize("dtype", WIDER)
@pytest.mark.parametrize("name", [*FUNCTIONS, "fmod", "floor"])
def test_lanes_are_done_together(name, dtype):
    """The C library is asked for large angles and quotients alone, by code that is marked cold."""
    graph = px.trace(lambda x: getattr(px.math, name)(*[x] * (1 + (name == "fmod"))), x=()).graph
    functions = re.split(r"^define ", assembly_source(graph, "f", dtype), flags=re.M)[1:]
    asks = [text for text in functions if re.search(rf"call \w+ @{name}f?\(", text)]
    assert bool(asks) == (name in ("tan", "fmod"))
    assert all(" cold " in text.split("\n")[0] for text in asks)


@pytest.mark.parametrize("dtype", WIDER)
def test_remainders_are_exact(dtype):
    rng = np.random.default_rng(2)
    x, y = any_bits(rng, dtype), any_bits(rng, dtype)
    with np.errstate(all="ignore"):
        close = (x * np.exp2(rng.uniform(-56, 2, COUNT))).astype(dtype)  # quotients of all sizes
        whole = [rng.integers(-900, 900, COUNT).astype(dtype) for _ in range(2)]
        odd = np.array([0.0, -0.0, 1.0, -1.0, math.inf, math.nan, np.finfo(dtype).max], dtype)
        pairs = [(x, y), (x, close), whole, [each / 10 for each in whole]]
        pairs.append([each.ravel() for each in np.meshgrid(odd, odd)])
        for above, below in pairs:
            found, expected = kernel("fmod", dtype)(above, below), np.fmod(above, below)
            np.testing.assert_array_equal(found, expected)
            real = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(found[real]), np.signbit(expected[real]))
