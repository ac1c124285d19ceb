"""The root of an inertia that may be singular, on floats."""

import numpy as np
import pytest

from paraxis.chains.recursions.row_junctions import _root

SIZES = (1e-6, 1.0, 1e3)


def semidefinite(rng, rank, angular=1.0, linear=1.0):
    """Its blocks of some sizes, as where a link is short and heavy."""
    scale = np.sqrt([angular] * 3 + [linear] * 3)
    half = scale[:, None] * rng.normal(size=(6, rank))
    return half @ half.T


def check(I):
    Y = np.array(_root(I.tolist()))
    sizes = np.sqrt(np.diag(I))
    # No entry of a root is larger than the root of its diagonal entry; of nothing, there is none.
    assert (np.abs(Y) <= sizes[:, None] * (1 + 1e-9) + 1e-7 * sizes.max()).all()
    assert np.abs(Y @ Y.T - I).max() <= 1e-14 * np.abs(I).max()


@pytest.mark.parametrize("rank", range(7))
def test_the_root_of_a_semidefinite_matrix(rank):
    rng = np.random.default_rng(rank)
    for angular in SIZES:
        for linear in SIZES:
            for _ in range(20):
                check(semidefinite(rng, rank, angular, linear))


def test_what_is_left_of_rounding():
    """A diagonal of which nearly nothing is left, beside larger errors: the root stays small."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        errors = 1e-17 * rng.normal(size=(6, 6))
        check(np.diag([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]) + np.diag([1e-25] * 6) + off(errors))


def off(errors):
    """Symmetric, nothing on the diagonal."""
    return np.tril(errors, -1) + np.tril(errors, -1).T
