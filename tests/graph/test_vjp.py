"""Products with Jacobians and their transposes, as Programs: against the Jacobians themselves."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import random_robot

import paraxis as px
from paraxis.errors import ArgumentError
from paraxis.graph.derivative import vjp


def random_arrays(shapes, seed=0, batch=()):
    rng = np.random.default_rng(seed)
    return {name: rng.uniform(-1, 1, batch + shape) for name, shape in shapes.items()}


def further(derived, program):
    """The inputs a derivative has beyond those of its program."""
    return {name: shape for name, shape in derived.inputs.items() if name not in program.inputs}


def named(results, program):
    """What evaluate and kernels return, as a dict."""
    if len(program.outputs) == 1:
        results = results if isinstance(results, dict) else [results]
    values = results.values() if isinstance(results, dict) else results
    return dict(zip(program.outputs, values, strict=True))


def check(program, wrt=None, seed=0, run=lambda program, given: program.evaluate(**given)):
    """Pullback and pushforward against the whole Jacobian, and against each other."""
    wrt = list(program.inputs if wrt is None else wrt)
    back, forth = program.vjp(wrt), program.jvp(wrt)
    state = random_arrays(program.inputs, seed)
    bars = random_arrays(further(back, program), seed + 1)
    dots = random_arrays(further(forth, program), seed + 2)
    assert list(bars) == [f"{name}_bar" for name in program.outputs]
    assert list(dots) == [f"{name}_dot" for name in wrt]
    assert back.outputs == {f"{name}_bar": program.inputs[name] for name in wrt}
    assert forth.outputs == {f"{name}_dot": shape for name, shape in program.outputs.items()}
    pulled = named(run(back, state | bars), back)
    pushed = named(run(forth, state | dots), forth)
    for x in wrt:
        expected = 0.0
        for y, shape in program.outputs.items():
            slope = program.jacobian(y, x).evaluate(**state)
            expected = expected + np.tensordot(bars[f"{y}_bar"], slope, len(shape))
        size = max(1.0, abs(expected).max())
        assert abs(pulled[f"{x}_bar"] - expected).max() <= 1e-11 * size, x
    inward = sum((pulled[f"{x}_bar"] * dots[f"{x}_dot"]).sum() for x in wrt)
    outward = sum((bars[f"{y}_bar"] * pushed[f"{y}_dot"]).sum() for y in program.outputs)
    assert inward == pytest.approx(outward, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics", "mass_matrix"])
def test_random_robots(seed, function):
    robot = random_robot(seed, joints=(2, 4))
    check(px.program(robot, function), seed=seed)


def test_parameters_are_inputs_like_others():
    robot = random_robot(1, joints=(3, 3))
    program = px.program(robot, "inverse_dynamics", parameters=("mass", "gravity"))
    check(program, ["mass"])
    check(program, ["gravity", "q"])


def friction(x, k):
    """Choices, corners, steps, a root that only one side has, and an output that is two others."""
    near = px.math.select(x[0] < x[1], px.math.sqrt(abs(x[0] * k)), x[1] * x[2])
    step = px.math.sign(x[2]) + px.math.rint(3 * x[1])
    bent = px.math.minimum(near, x[2]) * px.math.maximum(k, x[1]) + px.math.atan2(near, 2 + x[0])
    return {"y": [[near, step * bent], [bent, near]], "z": bent, "flat": step}


def compiled(program, given):
    return program.compile()(*given.values())


@pytest.mark.parametrize("seed", range(6))
def test_choices(seed):
    program = px.trace(friction, x=3, k=())
    for wrt in (None, ["k"], ["k", "x"]):
        check(program, wrt, seed)
    check(program, seed=seed, run=compiled)


def test_compiled_on_batches():
    robot = random_robot(3, joints=(3, 3))
    program = px.program(robot)
    for derived in (program.vjp(), program.jvp(["qd"])):
        given = random_arrays(derived.inputs, batch=(5,))
        found = named(compiled(derived, given), derived)
        for name, expected in named(derived.evaluate(**given), derived).items():
            assert np.allclose(found[name], expected, 0, 1e-10), name


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_second_derivatives(seed):
    """Of a number, both ways: the Hessian is symmetric."""
    program = px.trace(
        lambda x: px.math.sin(x[0] * x[1]) / (2 + px.math.cos(x[2])) + x[0] ** 3 * x[2], x=3
    )
    hessian = program.gradient("result", "x").jacobian("dresult_dx", "x")
    state, weight, direction = (
        np.random.default_rng(seed).uniform(-1, 1, size) for size in (3, (), 3)
    )
    given = {"x": state, "result_bar": weight, "x_bar_bar": direction}
    found = program.vjp().vjp(["x"]).evaluate(**given)
    expected = weight * hessian.evaluate(x=state) @ direction
    assert np.allclose(found, expected, 0, 1e-12)
    mixed = program.jvp().vjp(["x"])
    given = {"x": state, "x_dot": direction, "result_dot_bar": weight}
    assert np.allclose(mixed.evaluate(**given), expected, 0, 1e-12)


def test_what_does_not_depend_has_zero():
    program = px.trace(lambda x, unused: {"y": px.math.rint(x[0]), "five": 5.0}, x=2, unused=())
    back = program.vjp()
    assert {(node.op, node.value) for node in back.graph.nodes} == {("const", 0.0)}
    assert back.outputs == {"x_bar": (2,), "unused_bar": ()}
    assert program.jvp(["unused"]).evaluate(x=[1, 2], unused=3, unused_dot=4) == {
        "y_dot": 0.0,
        "five_dot": 0.0,
    }


def test_what_a_choice_leaves_out_may_have_no_slope():
    program = px.trace(lambda x: px.math.select(x[0] < 0, x[1], px.math.sqrt(x[0]) * x[1]), x=2)
    pulled = program.vjp().evaluate(x=[-1.0, 3.0], result_bar=2.0)
    assert pulled.tolist() == [0, 2]
    assert program.jvp().evaluate(x=[-1.0, 3.0], x_dot=[5.0, 7.0]) == 7
    assert math.isnan(program.vjp().evaluate(x=[math.nan, 3.0], result_bar=2.0)[1])


def test_one_node_that_is_several_entries():
    program = px.trace(lambda x: {"a": [x[0], x[0]], "b": x[0], "c": x}, x=2)
    pulled = program.vjp().evaluate(x=[0, 0], a_bar=[1, 10], b_bar=100, c_bar=[1000, 5])
    assert pulled.tolist() == [1111, 5]


@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
@pytest.mark.long
def test_it_costs_a_small_multiple_however_many_inputs(function):
    for joints in (3, 12):
        program = px.program(px.robots.planar(joints), function)
        for derived in (program.vjp(), program.jvp()):
            assert derived.count().flops <= 4 * program.count().flops


def test_it_is_cheapened():
    program = px.program(px.load("puma560"), "forward_dynamics")
    assert program.vjp().count().flops < px.Program.of(vjp(program.graph)).count().flops


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda p: p.vjp("x"), r"wrt: expected a sequence of names, found 'x'"),
        (lambda p: p.vjp(["y"]), r"wrt: expected one of 'x', 'y_bar', 'x_dot', found 'y'"),
        (lambda p: p.jvp(["x", "x"]), r"wrt: x appears twice"),
        (lambda p: p.jvp([]), r"wrt: expected some of \['x', 'y_bar', 'x_dot'\], found none"),
        (lambda p: p.vjp(), r"needs an input 'y_bar', but there is already an array"),
        (lambda p: p.jvp(), r"needs an input 'x_dot', but there is already an array"),
    ],
)
def test_errors(ask, message):
    program = px.trace(lambda x, y_bar, x_dot: {"y": x * y_bar + x_dot}, x=(), y_bar=(), x_dot=())
    with pytest.raises(ArgumentError, match=message):
        ask(program)
