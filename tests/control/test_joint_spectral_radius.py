"""Bounds of the joint spectral radius: known sets, brute force, and what cannot change them."""

from functools import reduce
from itertools import product

import numpy as np
import pytest

from paraxis.control.common_ellipsoid import lengths, shorten
from paraxis.control.joint_spectral_radius import joint_spectral_radius, radius_below
from paraxis.control.zero_order_hold import transition
from paraxis.errors import ArgumentError

ROUNDING = 1e-9
GOLDEN = (1 + np.sqrt(5)) / 2
SHEARS = np.array([[[1.0, 1.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 1.0]]])


def spectral_radius(matrix):
    return np.abs(np.linalg.eigvals(matrix)).max()


def rate(matrices, word):
    return spectral_radius(reduce(np.matmul, [matrices[i] for i in word])) ** (1 / len(word))


def brute_force(matrices, longest):
    """Bounds from all products of up to `longest` factors, one by one."""
    lower, upper = 0.0, np.inf
    for n in range(1, longest + 1):
        words = list(product(range(len(matrices)), repeat=n))
        products = [reduce(np.matmul, [matrices[i] for i in word]) for word in words]
        lower = max(lower, *(spectral_radius(each) ** (1 / n) for each in products))
        upper = min(upper, max(np.linalg.norm(each, 2) ** (1 / n) for each in products))
    return lower, upper


def assert_is(matrices, expected, tolerance=1e-3):
    bounds = joint_spectral_radius(matrices, tolerance)
    assert bounds.lower <= expected * (1 + ROUNDING)
    assert bounds.upper >= expected * (1 - ROUNDING)
    assert bounds.lower <= bounds.upper <= bounds.lower * (1 + tolerance)
    # Loose, because here the eigenvalues of a defective product are found without its blocks.
    assert bounds.lower == pytest.approx(rate(matrices, bounds.product), rel=1e-7)
    return bounds


def rotation(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def some_set(k, m, seed):
    return np.random.default_rng(seed).normal(size=(k, m, m)) / np.sqrt(m)


def late_loops(period, ages=(0, 1), joints=2):
    """Proportional-derivative loops whose torques are `ages` steps old, one matrix an age."""
    n, oldest = joints, max(ages)
    inertia = 2 * np.eye(n) + 0.5
    A, B = np.zeros((2 * n, 2 * n)), np.zeros((2 * n, n))
    A[:n, n:] = np.eye(n)
    B[n:] = np.linalg.inv(inertia)
    Ad, Bd = transition(A, B, period)
    loops = np.zeros((len(ages), 2 * n + n * oldest, 2 * n + n * oldest))
    for loop, age in zip(loops, ages, strict=True):
        torque = np.zeros((n, len(loop)))
        torque[:, :n], torque[:, n : 2 * n] = -100 * inertia, -20 * inertia
        used = torque if age == 0 else np.eye(len(loop))[2 * n + n * (age - 1) :][:n]
        loop[: 2 * n, : 2 * n] = Ad
        loop[: 2 * n] += Bd @ used
        loop[2 * n : 3 * n] = torque
        loop[3 * n :, 2 * n : -n] = np.eye(n * (oldest - 1))
    return loops


def test_two_shears_grow_by_the_golden_ratio():
    bounds = assert_is(SHEARS, GOLDEN, 1e-9)
    assert bounds.product == (0, 1)


def test_gripenbergs_example():
    # His paper brackets it by 0.6596789 and 0.6596924.
    matrices = np.array([[[3.0, 0.0], [1.0, 3.0]], [[3.0, -3.0], [0.0, -1.0]]]) / 5
    bounds = assert_is(matrices, 0.659679, 1e-4)
    assert bounds.product == (0,) * 12 + (1,)


@pytest.mark.parametrize("turns", [3, 5, 8, 13])
def test_a_fastest_product_that_is_long(turns):
    # Turns that make a right angle, and a map of rank one that pays only from that angle on: of
    # n turns and it, the rate is (1.05 sin(n / turns * 90 degrees))**(1 / (n + 1)).
    pays = 1.05 * np.array([[0.0, 1.0], [0.0, 0.0]])
    matrices = np.array([rotation(np.pi / 2 / turns), pays])
    bounds = assert_is(matrices, 1.05 ** (1 / (turns + 1)), 1e-4)
    assert bounds.product == (0,) * turns + (1,)


@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0])
def test_rotations_have_the_radius_of_their_scale(scale):
    matrices = scale * np.array([rotation(0.1), rotation(1.0), rotation(2.0)])
    assert_is(matrices, scale, 1e-9)
    skewed = np.array([[1.0, 5.0], [0.0, 0.1]])
    assert_is(skewed @ matrices @ np.linalg.inv(skewed), scale, 1e-6)


def test_symmetric_sets_have_the_largest_of_their_radii():
    matrices = some_set(5, 6, 1)
    matrices = matrices + np.swapaxes(matrices, -1, -2)
    assert_is(matrices, max(map(spectral_radius, matrices)), 1e-9)


def test_commuting_sets_have_the_largest_of_their_radii():
    base = some_set(1, 5, 2)[0]
    matrices = np.array([base, 0.3 * base @ base - np.eye(5), np.eye(5) - 0.5 * base])
    assert_is(matrices, max(map(spectral_radius, matrices)))


def test_block_triangular_sets_have_the_largest_of_their_blocks():
    matrices = np.zeros((2, 5, 5))
    matrices[:, :2, :2] = SHEARS / GOLDEN
    matrices[:, 2:4, 2:4] = SHEARS[::-1] / GOLDEN
    matrices[:, :4, 4] = 1e3
    matrices[:, :2, 2:4] = 1e3  # makes products grow, but only linearly
    order = [3, 0, 4, 1, 2]
    assert_is(matrices[:, order][:, :, order], 1.0, 1e-6)


@pytest.mark.parametrize(
    ("matrix", "radius"),
    [
        ([[0.3]], 0.3),
        ([[0.0]], 0.0),
        ([[1.0, 1.0], [0.0, 1.0]], 1.0),  # defective
        ([[0.0, 1.0], [0.0, 0.0]], 0.0),  # nilpotent
        ([[1.0, -1.0], [1.0, -1.0]], 0.0),  # nilpotent, no zero in it
        ([[2.0, -1.0, -1.0], [2.0, -1.0, -1.0], [2.0, -1.0, -1.0]], 0.0),
        ([[0.0, 1.0], [1e-300, 0.0]], 1e-150),
        ([[0.0, -4.0], [1.0, 0.0]], 2.0),
    ],
)
def test_one_matrix_has_its_spectral_radius(matrix, radius):
    bounds = joint_spectral_radius([matrix])
    assert bounds.lower == bounds.upper == pytest.approx(radius, rel=1e-14, abs=0)
    assert bounds.product == (0,)


@pytest.mark.parametrize("seed", range(6))
def test_random_sets_agree_with_brute_force(seed):
    k, m = (2, 3)[seed % 2], seed + 2
    matrices = some_set(k, m, seed)
    least, most = brute_force(matrices, 8 if k == 2 else 5)
    bounds = joint_spectral_radius(matrices)
    assert least <= bounds.upper * (1 + ROUNDING)
    assert bounds.lower <= most * (1 + ROUNDING)
    assert bounds.lower >= least * (1 - 1e-3)
    assert bounds.upper <= bounds.lower * 1.001
    assert bounds.lower == pytest.approx(rate(matrices, bounds.product), rel=1e-9)


def test_units_of_the_states_do_not_matter():
    matrices = some_set(3, 6, 11)
    plain = joint_spectral_radius(matrices)
    units = 10.0 ** np.array([0, 4, -3, 7, 2, -5])
    bounds = joint_spectral_radius(units[:, None] * matrices / units)
    assert bounds.product == plain.product
    assert bounds.lower == pytest.approx(plain.lower, rel=1e-9)
    assert bounds.upper <= bounds.lower * 1.001


def test_coordinates_do_not_matter():
    matrices = some_set(2, 5, 12)
    plain = joint_spectral_radius(matrices)
    skewed = some_set(1, 5, 13)[0]
    bounds = joint_spectral_radius(skewed @ matrices @ np.linalg.inv(skewed))
    assert bounds.lower == pytest.approx(plain.lower, rel=1e-9)
    assert bounds.upper <= bounds.lower * 1.001


@pytest.mark.parametrize("scale", [1e-200, 1e-3, -7.0, 1e200])
def test_scale_comes_through(scale):
    matrices = some_set(2, 4, 20)
    plain, bounds = joint_spectral_radius(matrices), joint_spectral_radius(scale * matrices)
    np.testing.assert_allclose(bounds[:2], np.abs(scale) * np.array(plain[:2]), rtol=1e-6)


def test_rates_far_below_the_entries_do_not_vanish():
    # Products of hundreds of factors, each of which shrinks by 1e-4, are below the least double.
    matrices = 1e-4 * np.array([[[3.0, 0.0], [1.0, 3.0]], [[3.0, -3.0], [0.0, -1.0]]]) / 5
    matrices = np.array([np.pad(matrix, (0, 1)) for matrix in matrices])
    matrices[:, 0, 2] = 1.0
    bounds = joint_spectral_radius(matrices, 1e-5, most_products=5000)
    assert bounds.lower == pytest.approx(0.659679e-4, rel=1e-6)
    assert bounds.lower <= bounds.upper <= bounds.lower * 1.001


def test_little_work_gives_a_wider_gap_that_still_holds():
    matrices = some_set(8, 12, 15)
    little = joint_spectral_radius(matrices, most_products=1)
    more = joint_spectral_radius(matrices, most_products=3000)
    assert little.lower <= more.lower <= more.upper < little.upper
    assert little.upper > 1.01 * little.lower


def test_the_ellipsoid_proves_what_a_common_lyapunov_function_can():
    # One shear after the other has the square of the ratio as its radius: no norm proves less.
    assert lengths(shorten(SHEARS, 0.0)).max() == pytest.approx(GOLDEN, rel=2e-3)
    skewed = np.diag([1.0, 1e3]) @ SHEARS @ np.diag([1.0, 1e-3])
    assert lengths(shorten(skewed, 0.0)).max() == pytest.approx(GOLDEN, rel=2e-3)


@pytest.mark.parametrize("seed", range(4))
def test_shortened_matrices_are_similar_to_the_given(seed):
    matrices = some_set(3, 4, seed)
    shortened = shorten(matrices, 0.0)
    assert lengths(shortened).max() < lengths(matrices).max()
    for word in [(0,), (1, 2), (0, 1, 2, 1)]:
        assert rate(shortened, word) == pytest.approx(rate(matrices, word), rel=1e-9)
        products = [reduce(np.matmul, [some[i] for i in word]) for some in (shortened, matrices)]
        np.testing.assert_allclose(*map(np.trace, products), atol=1e-9)


def test_below_is_true_false_or_not_known():
    assert radius_below(SHEARS, 1.001 * GOLDEN) is True
    assert radius_below(SHEARS, 0.999 * GOLDEN) is False
    assert radius_below(SHEARS, 1.0) is False
    hard = some_set(8, 12, 15)
    bounds = joint_spectral_radius(hard, most_products=1)
    assert radius_below(hard, (bounds.lower + bounds.upper) / 2, most_products=1) is None
    assert radius_below([[[0.5, 1.0], [0.0, 0.5]]], 0.5) is False
    assert radius_below([[[0.5, 1.0], [0.0, 0.5]]], 0.501) is True
    assert radius_below(np.zeros((2, 3, 3)), 1e-12) is True


@pytest.mark.parametrize("period", [0.001, 0.01, 0.03])
def test_late_loops_are_bounded_tightly(period):
    matrices = late_loops(period, ages=(0, 1, 2))
    bounds = joint_spectral_radius(matrices)
    assert max(map(spectral_radius, matrices)) <= bounds.upper
    assert bounds.lower <= bounds.upper <= bounds.lower * 1.001
    assert radius_below(matrices, bounds.upper * 1.001) is True
    assert radius_below(matrices, bounds.lower * 0.999) is False


def test_changing_ages_can_be_worse_than_any_one_of_them():
    matrices = late_loops(0.05)
    alone = max(map(spectral_radius, matrices))
    bounds = joint_spectral_radius(matrices)
    assert bounds.lower > 1.01 * alone
    assert set(bounds.product) == {0, 1}


@pytest.mark.parametrize("call", [joint_spectral_radius, lambda given: radius_below(given, 1.0)])
def test_bad_sets_are_named(call):
    with pytest.raises(ArgumentError, match=r"expected shape \(k, m, m\), found \(2, 2\)"):
        call(np.eye(2))
    with pytest.raises(ArgumentError, match=r"found \(0, 2, 2\)"):
        call(np.zeros((0, 2, 2)))
    with pytest.raises(ArgumentError, match="expected finite numbers"):
        call([[[np.nan]]])
