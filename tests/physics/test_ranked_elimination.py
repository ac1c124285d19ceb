"""Linear equations solved on floats, with what numpy.linalg says of them."""

import numpy as np
import pytest

from paraxis.physics.linear.ranked_elimination import solve_gram_with_rank, solve_with_rank

TOLERANCE = 1e-12
SCALES = (1e-8, 1.0, 1e8)


def of_rank(rng, n, rank, m=None):
    """A matrix (n, m) of some rank, its singular values within a factor of ten."""
    U, _, Vt = np.linalg.svd(rng.normal(size=(n, m or n)), full_matrices=False)
    values = np.where(np.arange(n) < rank, 10.0 ** rng.uniform(-1, 0, n), 0.0)
    return U @ np.diag(values) @ Vt


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6])
def test_pivots_are_searched_in_rows_and_columns(n):
    """Triangular matrices, rows and columns exchanged: what is on the diagonal is mostly zero."""
    rng = np.random.default_rng(n)
    for _ in range(20):
        triangular = np.tril(rng.uniform(-0.5, 0.5, (n, n)), -1) + np.diag(rng.choice([-1, 1], n))
        A = triangular[rng.permutation(n)][:, rng.permutation(n)]
        b = rng.normal(size=n)
        x, rank = solve_with_rank(A.tolist(), b.tolist(), TOLERANCE)
        assert rank == n
        assert np.abs(A @ x - b).max() < 1e-12


def test_small_pivots_are_put_off():
    A = np.array([[1e-11, 1.0], [1.0, 1.0]])
    x, rank = solve_with_rank(A.tolist(), [1.0, 2.0], TOLERANCE)
    assert rank == 2
    assert np.abs(np.array(x) - np.linalg.solve(A, [1.0, 2.0])).max() < 1e-14


@pytest.mark.parametrize("n", [2, 4, 6])
def test_the_rank_of_a_matrix(n):
    rng = np.random.default_rng(n)
    for rank in range(n + 1):
        for _ in range(5):
            A = of_rank(rng, n, rank)
            b = A @ rng.normal(size=n)
            x, found = solve_with_rank(A.tolist(), b.tolist(), TOLERANCE)
            assert found == rank
            assert np.isfinite(x).all()
            if rank == n:
                assert np.abs(A @ x - b).max() < 1e-12


def gram(vectors, weights, b, least=None):
    least = np.zeros(len(vectors)) if least is None else least
    given = (each.tolist() for each in (vectors, weights, b, least))
    return solve_gram_with_rank(*given, TOLERANCE)


@pytest.mark.parametrize("scale", SCALES)
def test_equations_of_scalar_products(scale):
    """Lengths of vectors may differ by any factor: what counts is the angle between them."""
    rng = np.random.default_rng(0)
    for n in (1, 3, 6):
        for rank in range(1, n + 1):
            vectors = of_rank(rng, n, rank, 7) * 10.0 ** rng.uniform(-3, 3, (n, 1)) * scale
            weights, b = rng.uniform(0.1, 1.0, 7), rng.normal(size=n)
            x, found = gram(vectors, weights, b)
            assert found == rank
            assert np.isfinite(x).all()
            if rank == n:
                A = vectors * weights @ vectors.T
                size = np.abs(A) @ np.abs(x)
                assert (np.abs(A @ x - b) < 1e-9 * size).all()


@pytest.mark.parametrize("scale", SCALES)
def test_the_angle_that_counts(scale):
    """1e-5 apart is apart, although its square is not far from rounding; 1e-7 is the same."""
    rng = np.random.default_rng(1)
    one, other = np.linalg.qr(rng.normal(size=(7, 2)))[0].T
    for apart, rank in ((1e-5, 2), (1e-7, 1)):
        vectors = scale * np.array([one, one + apart * other])
        _, found = gram(vectors, np.ones(7), np.ones(2))
        assert found == rank


def test_a_vector_of_which_too_little_is_left():
    rng = np.random.default_rng(2)
    vectors = of_rank(rng, 3, 3, 7)
    vectors[1] *= 1e-8 / np.linalg.norm(vectors[1])
    for least, rank in ((1e-17, 3), (1e-15, 2)):
        _, found = gram(vectors, np.ones(7), np.ones(3), np.array([0.0, least, 0.0]))
        assert found == rank
