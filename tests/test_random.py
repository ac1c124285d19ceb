"""Random numbers from counters: their distribution, independence, and the same bits everywhere.

Probabilities are of fixed seeds, so that nothing fails at random; bounds are those that a good
generator meets all but once in thousands of tests.
"""

import numpy as np
import pytest
from scipy import stats

import paraxis as px
from paraxis.counter_random import ROUNDS, WORD, _mixed

N = 1 << 18
LEAST = 1e-5  # probability of a statistic


def counted(axis, n=N, **options):
    """Numbers of a million steps, robots or sensors."""
    counters = [3.0, 5.0, 0.0]
    counters[axis] = np.arange(float(n))
    return px.math.random_uniform(11, *counters, **options)


def probability(counts):
    expected = counts.mean()
    return stats.chi2.sf(((counts - expected) ** 2 / expected).sum(), counts.size - 1)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_uniform_and_independent_along_every_counter(axis):
    u = counted(axis)
    assert u.min() > 0 and u.max() < 1
    for scale in (1, 2.0**10, 2.0**30):  # upper and lower bits
        p = probability(np.histogram(u * scale % 1, 256, (0, 1))[0])
        assert LEAST < p < 1 - LEAST
    for lag in (1, 2, 3, 64, 1000):
        pairs = np.histogram2d(u[:-lag], u[lag:], 16, ((0, 1), (0, 1)))[0]
        assert probability(pairs) > LEAST
        centred = u - 0.5
        assert abs((centred[lag:] * centred[:-lag]).mean()) * 12 * np.sqrt(N) < 4.5


def test_draws_of_one_call_are_independent():
    u = counted(0, N // 4, size=4)
    assert u.shape == (N // 4, 4)
    for j in range(1, 4):
        assert probability(np.histogram2d(u[:, 0], u[:, j], 16)[0]) > LEAST
    assert np.array_equal(counted(0, N // 4, size=3), u[:, :3])
    assert np.array_equal(counted(0, N // 4), u[:, 0])


def test_every_bit_changes_every_bit_half_of_the_time():
    rng, n = np.random.default_rng(1), 2000
    base = [rng.integers(0, int(WORD), n).astype(float) for _ in range(4)]
    keys, worst = (123.0, 4567.0), 0.0
    before = np.array(_mixed(base, keys), int)
    for word in range(4):
        for bit in range(0, 26, 5):
            other = list(base)
            other[word] = (other[word].astype(int) ^ (1 << bit)).astype(float)
            changed = before ^ np.array(_mixed(other, keys), int)
            flips = (changed[:, :, None] >> np.arange(26)) & 1
            worst = max(worst, abs(flips.mean(1) - 0.5).max())
    assert ROUNDS == 10 and worst * 2 * np.sqrt(n) < 5.0


def test_rounds_are_one_to_one():
    words = [np.arange(4096.0), 1.0, 2.0, 3.0]
    assert (
        len({*zip(*(np.broadcast_to(w, 4096) for w in _mixed(words, (1.0, 2.0))), strict=True)})
        == 4096
    )


def test_normal_numbers():
    z = px.math.random_normal(2, np.arange(N / 2), size=2)
    assert stats.kstest(z.ravel(), "norm").pvalue > 1e-3
    assert abs(np.corrcoef(z.T)[0, 1]) < 4.5 / np.sqrt(N / 2)
    assert abs(np.quantile(z, [0.01, 0.5, 0.99]) - stats.norm.ppf([0.01, 0.5, 0.99])).max() < 0.02


def test_the_same_bits_in_numpy_the_interpreter_and_machine_code():
    program = px.trace(lambda k, s: px.math.random_uniform(s, k, 4, size=3), k=(), s=())
    kernel, steps = program.compile(), np.arange(1000.0)
    expected = px.math.random_uniform(2**51 + 5, steps, 4, size=3)
    assert np.array_equal(kernel(steps, 2.0**51 + 5), expected)
    for k in (0, 17, 999):
        assert np.array_equal(program.evaluate(k=float(k), s=2.0**51 + 5), expected[k])
        assert np.array_equal(px.math.random_uniform(2**51 + 5, k, 4, size=3), expected[k])
    order = np.random.default_rng(0).permutation(1000)
    assert np.array_equal(kernel(steps[order], 2.0**51 + 5), expected[order])
    normal = px.trace(lambda k: px.math.random_normal(3, k, size=3), k=())
    exact = px.math.random_normal(3, steps, size=3)
    assert abs(normal.compile()(steps) - exact).max() < 1e-14
    assert np.allclose(normal.evaluate(k=9.0), exact[9], rtol=0, atol=1e-14)


def test_what_is_out_of_range_is_an_error_or_nan():
    for bad in (-1, 2**26, 0.5):
        with pytest.raises(px.ArgumentError, match="counter: expected an integer from 0"):
            px.math.random_uniform(0, bad)
    with pytest.raises(px.ArgumentError, match="seed"):
        px.math.random_uniform(2**52, 0)
    with pytest.raises(px.ArgumentError, match="at most 3 counters"):
        px.math.random_uniform(0, 1, 2, 3, 4)
    with pytest.raises(px.ArgumentError, match="size"):
        px.math.random_uniform(0, 1, size=0)
    kernel = px.trace(lambda k: px.math.random_uniform(1, k), k=()).compile()
    found = kernel(np.array([-1.0, 0.0, 2.0**26 - 1, 2.0**26, np.nan]))
    assert np.array_equal(np.isnan(found), [True, False, False, True, True])


def test_float32_has_too_few_digits_and_gives_nan():
    program = px.trace(lambda k: px.math.random_normal(1, k, size=2), k=())
    kernel = program.compile(dtype="float32")
    assert np.isnan(kernel(np.arange(300, dtype=np.float32))).all()


def test_nothing_changes_smoothly_with_a_counter():
    program = px.trace(lambda k: px.math.random_uniform(1, k), k=1)
    assert program.jacobian("result", "k").evaluate(k=[3.0]) == 0.0
