"""Exact discretisation under a held input: against SciPy, whole numbers and closed forms."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.linalg import expm

from paraxis.control.zero_order_hold import transition
from paraxis.errors import ArgumentError


def generator(A, B):
    m, k = B.shape
    together = np.zeros((m + k, m + k))
    together[:m, :m], together[:m, m:] = A, B
    return together


def exponential_in_whole_numbers(matrix, bits=400, halvings=12):
    """exp(matrix) by its series in fixed point, far more digits than a double has."""
    one = 1 << bits
    matrix = [[int(Fraction(float(entry)) * one) >> halvings for entry in row] for row in matrix]
    matrix = np.array(matrix, dtype=object)
    identity = [[one * (i == j) for j in range(len(matrix))] for i in range(len(matrix))]
    term = total = np.array(identity, dtype=object)
    for k in range(1, 60):
        term = ((term @ matrix) >> bits) // k
        total = total + term
    for _ in range(halvings):
        total = (total @ total) >> bits
    return np.array([[float(Fraction(int(entry), one)) for entry in row] for row in total])


def assert_close(found, expected, tolerance):
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=tolerance)


@pytest.mark.parametrize("size", [1, 2, 5, 9])
@pytest.mark.parametrize("scale", [0.0, 1e-300, 1e-6, 0.3, 1.0, 20.0])
def test_random_systems_agree_with_scipy(size, scale):
    random = np.random.default_rng(size)
    A = scale * random.normal(size=(size, size))
    B = random.normal(size=(size, 2))
    Ad, Bd = transition(A, B, 0.7)
    expected = expm(0.7 * generator(A, B))[:size]
    # SciPy's own error grows with the norm, see the next test.
    assert_close(np.hstack([Ad, Bd]), expected, 1e-14 * max(1, 30 * scale))


@pytest.mark.parametrize("scale", [1.0, 10.0])
def test_random_systems_are_right_to_rounding(scale):
    random = np.random.default_rng(7)
    A = scale * random.normal(size=(6, 6))
    B = random.normal(size=(6, 2))
    Ad, Bd = transition(A, B, 1.0)
    expected = exponential_in_whole_numbers(generator(A, B))[:6]
    assert_close(np.hstack([Ad, Bd]), expected, 2e-15 * scale)


def test_a_double_integrator_is_exact():
    Ad, Bd = transition([[0.0, 1.0], [0.0, 0.0]], [[0.0], [1.0]], 2.0)
    np.testing.assert_array_equal(Ad, [[1, 2], [0, 1]])
    np.testing.assert_allclose(Bd, [[2], [2]], rtol=1e-15)


def test_states_of_very_different_scales_lose_no_digits():
    A = np.array([[1.0, 1e6], [0.0, -1.0]])
    Ad, Bd = transition(A, [[0.0], [1.0]], 1.0)
    expected = [[np.exp(1), 1e6 * np.sinh(1)], [0, np.exp(-1)]]
    np.testing.assert_allclose(Ad, expected, rtol=1e-15)
    np.testing.assert_allclose(Bd, [[1e6 * (np.cosh(1) - 1)], [1 - np.exp(-1)]], rtol=1e-14)


def test_a_fast_decay_over_a_long_period_settles():
    Ad, Bd = transition([[-1e5]], [[3.0]], 1e3)
    assert Ad == 0
    np.testing.assert_allclose(Bd, [[3e-5]], rtol=1e-9)


def test_a_hold_in_two_halves_is_the_whole():
    random = np.random.default_rng(3)
    A, B = random.normal(size=(4, 4)), random.normal(size=(4, 1))
    Ad, Bd = transition(A, B, 0.5)
    whole_Ad, whole_Bd = transition(A, B, 1.0)
    np.testing.assert_allclose(Ad @ Ad, whole_Ad, atol=1e-13)
    np.testing.assert_allclose(Ad @ Bd + Bd, whole_Bd, atol=1e-13)


def test_a_batch_is_its_members_and_periods_broadcast():
    random = np.random.default_rng(4)
    A = random.normal(size=(5, 1, 3, 3)) * 10.0 ** np.arange(-2, 3)[:, None, None, None]
    B = random.normal(size=(3, 2))
    period = np.array([0.0, 0.01, 1.0, 2.0])
    Ad, Bd = transition(A, B, period)
    assert Ad.shape == (5, 4, 3, 3)
    assert Bd.shape == (5, 4, 3, 2)
    for i in range(5):
        for j in range(4):
            one_Ad, one_Bd = transition(A[i, 0], B, period[j])
            np.testing.assert_allclose(Ad[i, j], one_Ad, rtol=1e-12)
            np.testing.assert_allclose(Bd[i, j], one_Bd, rtol=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_spoils_only_its_own_result(bad):
    A = np.array([np.eye(2), np.eye(2), np.eye(2)])
    A[1, 0, 1] = bad
    Ad, Bd = transition(A, np.ones((2, 1)), 1.0)
    assert np.isnan(Ad[1]).all()
    assert np.isnan(Bd[1]).all()
    np.testing.assert_allclose(Ad[[0, 2]], [np.e * np.eye(2)] * 2)
    assert np.isnan(transition(np.eye(2), np.ones((2, 1)), bad)[0]).all()


def test_shapes_that_do_not_fit_are_named():
    with pytest.raises(ArgumentError, match=r"A: expected shape \(\.\.\., m, m\), found \(2, 3\)"):
        transition(np.ones((2, 3)), np.ones((2, 1)), 1.0)
    with pytest.raises(ArgumentError, match=r"B: expected shape \(\.\.\., 2, k\)"):
        transition(np.eye(2), np.ones((3, 1)), 1.0)
    with pytest.raises(ArgumentError, match="leading axes that broadcast"):
        transition(np.zeros((3, 2, 2)), np.ones((2, 1)), np.ones(2))
