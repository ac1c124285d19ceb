"""Derivatives along moves, and second derivatives."""

import re

import numpy as np
import pytest

import paraxis as px
from paraxis.math import cos, sin

ANGLE = 0.7
ON_CIRCLE = np.array([np.cos(ANGLE), np.sin(ANGLE)])


def turned(x, v):
    c, s = cos(v[0]), sin(v[0])
    return {"x": [c * x[0] - s * x[1], s * x[0] + c * x[1]]}


def mixed(x, k):
    return {"f": [x[0] * k[0] * k[0], x[1] * k[1]], "g": x[0]}


TURN = px.trace(turned, x=2, v=1)
MIXED = px.trace(mixed, x=2, k=2)
K = np.array([2.0, 3.0])


def test_derivatives_along_a_circle_are_those_by_its_angle():
    slope = MIXED.jacobian("f", ["x", "k"], along={"x": TURN})
    assert slope.inputs == MIXED.inputs
    assert slope.outputs == {"df_dx": (2, 1), "df_dk": (2, 2)}
    found = slope.evaluate(x=ON_CIRCLE, k=K)
    c, s = ON_CIRCLE
    np.testing.assert_allclose(found["df_dx"], [[-4 * s], [3 * c]], rtol=1e-15)
    np.testing.assert_allclose(found["df_dk"], [[4 * c, 0], [0, s]], rtol=1e-15)
    gradient = MIXED.gradient("g", "x", along={"x": TURN})
    np.testing.assert_allclose(gradient.evaluate(x=ON_CIRCLE, k=K), [-s], rtol=1e-15)


def test_second_derivatives_along_a_circle_know_that_it_bends():
    c, s = ON_CIRCLE
    hessian = MIXED.hessian("f", ["x", "k"], along={"x": TURN})
    shapes = {"d2f_dx_dx": (2, 1, 1), "d2f_dx_dk": (2, 1, 2), "d2f_dk_dk": (2, 2, 2)}
    assert hessian.outputs == shapes
    found = hessian.evaluate(x=ON_CIRCLE, k=K)
    np.testing.assert_allclose(found["d2f_dx_dx"].ravel(), [-4 * c, -3 * s], rtol=1e-15)
    np.testing.assert_allclose(found["d2f_dx_dk"][:, 0], [[-4 * s, 0], [0, c]], rtol=1e-15)
    np.testing.assert_allclose(found["d2f_dk_dk"][0], [[2 * c, 0], [0, 0]], rtol=1e-15)
    flat = MIXED.hessian("f", "x").evaluate(x=ON_CIRCLE, k=K)
    np.testing.assert_array_equal(flat, np.zeros((2, 2, 2)))


def test_second_derivatives_by_entries_are_derivatives_of_derivatives():
    robot = px.robots.planar(2)
    torques = px.program(robot, "inverse_dynamics")
    state = dict(zip(torques.inputs, np.random.default_rng(0).normal(size=(3, 2)), strict=True))
    hessian = torques.hessian("tau", ["q", "qd"]).evaluate(**state)
    by_q = torques.jacobian("tau", "q")
    for name in ("q", "qd"):
        twice = by_q.jacobian("dtau_dq", name).evaluate(**state)
        np.testing.assert_allclose(hessian[f"d2tau_dq_d{name}"], twice, rtol=1e-13, atol=1e-13)
    second = hessian["d2tau_dq_dq"]
    assert abs(second).max() > 0.1
    np.testing.assert_array_equal(second, second.swapaxes(1, 2))  # each pair is made once


def test_an_input_may_have_any_name():
    """Derivatives need further inputs; these do not clash with those of callers."""
    program = px.trace(lambda x, dx, v: {"y": x[0] * dx * v}, x=2, dx=(), v=())
    slope = program.jacobian("y", ["x", "v"], along={"x": TURN})
    found = slope.evaluate(x=ON_CIRCLE, dx=2.0, v=3.0)
    np.testing.assert_allclose(found["dy_dx"], [-6 * np.sin(ANGLE)], rtol=1e-15)
    np.testing.assert_allclose(found["dy_dv"], 2 * np.cos(ANGLE), rtol=1e-15)


@pytest.mark.parametrize(
    ("along", "message"),
    [
        ({"y": TURN}, "along: expected one of 'x', 'k', found 'y'"),
        ({"x": px.robots.planar(2)}, "along: expected a dict of Programs by input"),
        (TURN, "along: expected a dict of Programs by input"),
        ({"x": MIXED}, "x has shape (2,) and needs a Program of (x, v)"),
        ({"x": px.trace(lambda x: x, x=2)}, "returns x after a move"),
    ],
)
def test_errors(along, message):
    for ask in (MIXED.jacobian, MIXED.hessian):
        with pytest.raises(px.ArgumentError, match=re.escape(message)):
            ask("f", "x", along=along)
