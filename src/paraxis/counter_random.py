"""Random numbers from counters: a function of a seed and a few integers, and of nothing else.

What is drawn depends on which robot, step and draw it is for, never on what was drawn before, on
the position in a batch, on threads or on the device. The generator has the structure of Philox
(Salmon, Moraes, Dror and Shaw, 2011), four words and ten rounds, over generic scalars. A word has
26 bits, so that products are exact in float64; their halves come by `floor`. There are no exclusive
ors, and with sums modulo 2²⁶ in their place Philox would be all but linear (tests/test_random.py
would find it); so words are not multiplied by constants but mapped by x (2 x + 1), which is one to
one modulo 2²⁶ and quadratic, as in the cipher RC6. The rounds are exact: a uniform number has the
same bits in the interpreter, in machine code and in NumPy. (A normal one has a logarithm in it.)
"""

from typing import Any

import numpy as np

from .errors import ArgumentError
from .scalar import Values, cos, equal, floor, less, less_equal, log, logical_and, select, sin, sqrt

WORD = 2.0**26
ROUNDS = 10
WEYL = (float(0x9E3779B9 >> 6 | 1), float(0xBB67AE85 >> 6 | 1))  # what keys grow by, as Philox's
MOST_COUNTERS = 3  # the fourth word counts the draws
FAR = 2.0**30 + 2.0**9  # no float32 has a half beyond this; by it code that draws is recognised


def random_uniform(seed: Values, *counters: Values, size: int | None = None) -> Any:
    """Random numbers between 0 and 1, neither included, from a seed and up to three counters.

    The same seed and counters give the same numbers, everywhere; others, even neighbours, give
    independent ones. Count whatever should be independent: the robot, the step, the sensor.

    **Arguments:**

    - `seed`: an integer from 0 to 2⁵² - 1.
    - `counters`: integers from 0 to 2²⁶ - 1 (67,108,863), numbers or traced values. If one is out
      of range the result is NaN; of plain numbers it is an error.
    - `size`: how many numbers; by default a single one.

    **Returns:** a scalar, or an array of `size` of them along its last axis. They are multiples of
    2⁻⁵³. In code compiled for float32 they are NaN, as words of 26 bits do not fit.

    **Example:**

    >>> px.math.random_uniform(0, np.arange(5))  # a number per counter
    array([0.499, 0.089, 0.502, 0.321, 0.68 ])
    >>> px.math.random_uniform(0, np.array([3, 4]))  # the same again
    array([0.321, 0.68 ])
    """
    return _drawn(seed, counters, size, lambda u, v: (u, v))


def random_normal(seed: Values, *counters: Values, size: int | None = None) -> Any:
    """Random numbers with the standard normal distribution, as `random_uniform` otherwise.

    By the method of Box and Muller, two from two uniform ones; none is beyond ±8.57.

    **Example:**

    >>> px.math.random_normal(0, np.arange(5))  # a number per counter
    array([ 1.135, -0.363,  1.078, -1.506,  0.753])
    """
    return _drawn(seed, counters, size, _box_muller)


def _box_muller(u, v):
    radius, angle = sqrt(-2.0 * log(u)), v * (2.0 * np.pi)
    return radius * cos(angle), radius * sin(angle)


def _drawn(seed, counters, size, pair):
    if len(counters) > MOST_COUNTERS:
        raise ArgumentError(
            f"random numbers: expected at most {MOST_COUNTERS} counters, found {len(counters)}"
        )
    draws = 1 if size is None else size
    if isinstance(draws, bool) or not isinstance(draws, int | np.integer) or draws < 1:
        raise ArgumentError(f"size: expected an integer >= 1, found {size!r}")
    seed = _whole(seed, 2.0**52, "seed")
    words = [_whole(c, WORD, "counter") for c in counters]
    words += [0.0] * (MOST_COUNTERS - len(words))
    high = floor(seed * (1 / WORD))
    keys = seed - high * WORD, high
    wide = _wide([seed, *words])
    found = []
    with np.errstate(invalid="ignore"):  # of counters that are out of range
        for block in range((draws + 1) // 2):
            a, b, c, d = _mixed([*words, float(block)], keys)
            pairs = pair(_fraction(a, b), _fraction(c, d))
            found += [each if wide is None else select(wide, each, np.nan) for each in pairs]
    return found[0] if size is None else np.stack(found[:draws], axis=-1)


def _mixed(words, keys):
    """The rounds, each of which is one to one."""
    a, b, c, d = words
    k, l = keys
    for _ in range(ROUNDS):
        (high, low), (over, under) = _product(a), _product(c)
        a, b, c, d = _sum(over, b, k), under, _sum(high, d, l), low
        k, l = _sum(k, WEYL[0]), _sum(l, WEYL[1])
    return a, b, c, d


def _product(word):
    """Both parts of x (2 x + 1) < 2⁵³, exactly."""
    product = word * (2.0 * word + 1.0)
    high = floor(product * (1 / WORD))
    return high, product - high * WORD


def _sum(*words):
    """A sum of words modulo 2²⁶."""
    total = sum(words)
    return total - floor(total * (1 / WORD)) * WORD


def _fraction(a, b):
    """The midpoint of one of 2⁵² intervals between 0 and 1, exactly."""
    return (a * WORD + b + 0.5) * (1 / (WORD * WORD))


def _whole(value, end, what):
    """An integer in [0, end): an error where a plain number is not, NaN where a value is not.

    The floor also tells derivatives that nothing changes smoothly with it.
    """
    if isinstance(value, int | float | np.number):
        if not (0 <= value < end and value == int(value)):
            raise ArgumentError(
                f"{what}: expected an integer from 0 to 2**{int(np.log2(end))} - 1, found {value!r}"
            )
        return float(value)
    with np.errstate(invalid="ignore"):
        inside = logical_and(less_equal(0.0, value), less(value, end))
        return floor(select(inside, value, np.nan))


def _wide(values):
    """The condition that scalars have the digits of float64, or None if they are plain numbers.

    An expression in a traced value, so that it is found where the code runs.
    """
    several = (x for x in values if isinstance(x, np.ndarray) and x.dtype.kind == "O")
    scalars = (x for x in values if not isinstance(x, float | np.ndarray))
    traced = next(scalars, next(several, None))
    if traced is None:
        return None
    small = traced - floor(traced * 2.0**-10) * 2.0**10 + 0.5
    return equal((small + FAR) - FAR, small)
