"""CORDIC results of random processors, never farther from exact ones than their stated bounds."""

import numpy as np
import pytest
from support.counting import case, report, scaled

import paraxis as px

MODES, DIRECTIONS = ("circular", "linear", "hyperbolic"), ("rotate", "vector")
POINTS = 1000


def exact(mode, direction, x, y, z):
    """In the extended precision of NumPy, so that its own rounding is out of sight."""
    x, y, z = (np.asarray(each, np.longdouble) for each in (x, y, z))
    zero = 0 * x
    with np.errstate(all="ignore"):
        match mode, direction:
            case "circular", "rotate":
                c, s = np.cos(z), np.sin(z)
                return x * c - y * s, y * c + x * s, zero
            case "circular", "vector":
                return np.hypot(x, y), zero, z + np.arctan2(y, x)
            case "linear", "rotate":
                return x, y + x * z, zero
            case "linear", "vector":
                return x, zero, z + y / x
            case "hyperbolic", "rotate":
                c, s = np.cosh(z), np.sinh(z)
                return x * c + y * s, y * c + x * s, zero
            case _:
                return np.sqrt((x + y) * (x - y)), zero, z + np.arctanh(y / x)


def reals(rng, word):
    """Numbers of all sizes: ordinary ones, tiny ones, a few steps, and the ends of what fits."""
    step = 2.0 ** (3 - word)
    kinds = [
        rng.uniform(-4, 4, POINTS),
        np.ldexp(rng.uniform(-4, 4, POINTS), -rng.integers(0, word, POINTS)),
        rng.uniform(-6, 6, POINTS) * step,
        rng.choice([-4, -2, -1, 0, 1, 2, 4], POINTS) + rng.choice([-1, 0, 1], POINTS) * step,
    ]
    return np.choose(rng.integers(0, len(kinds), POINTS), kinds)


def points(rng, mode, direction, word):
    x, y, z = (reals(rng, word) for _ in range(3))
    if mode == "circular":
        z = np.where(rng.random(POINTS) < 0.5, 3 * z, rng.integers(-9, 10, POINTS) * np.pi / 4)
    elif (mode, direction) == ("hyperbolic", "rotate"):
        x, y = (each * np.exp(-abs(z) * rng.random(POINTS)) for each in (x, y))
    elif mode == "hyperbolic":
        x = abs(x)
        y = np.where(rng.random(POINTS) < 0.5, x * rng.uniform(-1, 1, POINTS), y)
    return x, y, z


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("mode", MODES)
def test_results_are_within_their_bounds(mode, direction, record_property):
    results = 0
    for k in range(scaled(90)):
        with case("cordic", mode, direction, k) as choose:
            rng = np.random.default_rng(choose.randrange(2**32))
            word, iterations = choose.randint(4, 44), choose.randint(1, 48)
            guard = choose.choice((None, None, 0, 1, 3, 8))
            how = choose.choice(("interleaved", "after", "multiply"))
            cordic = px.hardware.Cordic(word, iterations, guard, how)
            x, y, z = points(rng, mode, direction, word)
            result = getattr(cordic, direction)(mode, x, y, z)
            bounds = cordic.bound(mode, direction, x, y, z)
            references = exact(mode, direction, x, y, z)
            for name, found, reference, bound in zip(
                "xyz", result[:3], references, bounds, strict=True
            ):
                known = result.valid & np.isfinite(reference)
                off = (found - reference)[known]
                if mode == "circular" and name == "z":  # angles go round
                    off = (off + np.pi) % (2 * np.pi) - np.pi
                assert (abs(off) <= bound[known]).all(), (word, iterations, guard, how, name)
                results += int(known.sum())
    report(record_property, results, "CORDIC results within their bounds")
