"""px.math.solve: on numbers, on traced scalars, with rows that must be exchanged."""

import math

import numpy as np
import pytest

import paraxis as px


def matrices(n, states=40):
    """Random ones; half of them begin with a zero, which is no pivot."""
    rng = np.random.default_rng(n)
    A = rng.normal(size=(states, n, n))
    A[: states // 2, 0, 0] *= n == 1
    return A, rng.normal(size=(states, n)), rng.normal(size=(states, n, 2))


@pytest.mark.parametrize("n", [1, 2, 4, 6])
def test_solutions_are_those_of_numpy(n):
    A, b, B = matrices(n)
    program = px.trace(
        lambda A, b, B: {"x": px.math.solve(A, b), "X": px.math.solve(A, B)},
        A=(n, n),
        b=n,
        B=(n, 2),
    )
    assert program.outputs == {"x": (n,), "X": (n, 2)}
    x, X = program.compile()(A, b, B)
    slack = 1e-14 * np.linalg.cond(A)
    for found, expected in (
        (x[..., None], np.linalg.solve(A, b[..., None])),
        (X, np.linalg.solve(A, B)),
    ):
        assert (
            np.linalg.norm(found - expected, axis=(1, 2)) < slack * abs(expected).max((1, 2))
        ).all()
    assert np.allclose(px.math.solve(A[0], b[0]), x[0], 1e-10)
    assert np.allclose(px.math.solve(A[0].tolist(), B[0].tolist()), X[0], 1e-10)


def test_the_inverse_and_what_is_known_in_advance():
    """Zeros that are known cost nothing: no row is compared with them."""

    def inverse(a):
        return px.math.solve([[a[0], 0.0, 0.0], [a[1], a[2], 0.0], [0.0, 0.0, 2.0]], np.eye(3))

    program, a = px.trace(inverse, a=3), [0.1, 5.0, -3.0]
    assert np.allclose(program.evaluate(a=a), inverse(a), 1e-14)
    assert program.count().div == 2
    full = px.trace(lambda A: px.math.solve(A, np.eye(3)), A=(3, 3))
    assert program.count().logic < full.count().logic / 4


def test_derivatives_go_through_exchanged_rows():
    A, b, _ = matrices(3)
    slope = px.trace(px.math.solve, A=(3, 3), b=3).jacobian("result", ["A", "b"])
    for k in (0, -1):
        found, inverse = slope.evaluate(A=A[k], b=b[k]), np.linalg.inv(A[k])
        assert np.allclose(found["dresult_db"], inverse, 1e-10)
        x = inverse @ b[k]
        assert np.allclose(found["dresult_dA"], -np.einsum("ij,k->ijk", inverse, x), 1e-10)


@pytest.mark.parametrize("A", [[[1.0, 2.0], [2.0, 4.0]], [[0.0, 0.0], [0.0, 0.0]]])
def test_a_singular_matrix_gives_no_number_that_looks_right(A):
    traced = px.trace(px.math.solve, A=(2, 2), b=2)
    for x in (px.math.solve(A, [1.0, 1.0]), traced.evaluate(A=A, b=[1.0, 1.0])):
        assert not np.isfinite(x).any()
    nan = [[math.nan, 1.0], [1.0, 2.0]]
    assert np.isnan(traced.evaluate(A=nan, b=[1.0, 1.0])).all()


@pytest.mark.parametrize(
    ("A", "b", "message"),
    [
        (np.ones((2, 3)), np.ones(2), r"A: expected a square matrix, found shape \(2, 3\)"),
        (np.ones(4), np.ones(4), "A: expected a square matrix"),
        (
            np.ones((5, 2, 2)),
            np.ones((5, 2)),
            r"one square matrix, .* px.trace\(px.math.solve, A=\(2, 2\), b=2\).compile\(\)$",
        ),
        (np.eye(3), np.ones(2), r"b: expected an array of shape \(3,\) or \(3, m\), found \(2,\)"),
    ],
)
def test_shapes_that_do_not_fit(A, b, message):
    with pytest.raises(px.ArgumentError, match=message):
        px.math.solve(A, b)
