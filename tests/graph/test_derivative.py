"""Derivatives of graphs: every rule, both directions, which is taken, and what it costs."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.robots import random_robot, states

import paraxis as px
from paraxis.errors import ArgumentError
from paraxis.graph import derivative
from paraxis.graph.evaluate import evaluate
from paraxis.graph.operations import OPS
from paraxis.graph.trace import trace
from paraxis.passes.fuse import fuse

WAYS = ("forward", "reverse")


def always(way):
    """The derivative's inner class, made to find one way the cheaper."""

    class Always(derivative._Linear):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            self.forward_cost, self.reverse_cost = (0, 1) if way == "forward" else (1, 0)

    return Always


def jacobian(graph, output="result", given="x", way=None):
    """The derivatives' graph, found by one way or by that which is chosen."""
    with pytest.MonkeyPatch.context() as patch:
        if way is not None:
            patch.setattr(derivative, "_Linear", always(way))
        return derivative.jacobian(graph, {"slope": (output, given)})


def slopes(graph, x, way=None):
    return evaluate(jacobian(graph, way=way), {"x": x})["slope"]


def differences(graph, x, step=1e-6):
    """The same by central differences."""
    x = np.asarray(x, float)
    sides = [
        [evaluate(graph, {"x": x + sign * step * along})["result"] for sign in (1, -1)]
        for along in np.eye(x.size).reshape(-1, *x.shape)
    ]
    found = np.array([(above - below) / (2 * step) for above, below in sides])
    result = np.moveaxis(found, 0, -1)
    return result.reshape(*result.shape[:-1], *x.shape)


# -- every operation -------------------------------------------------------------------------------

# operation -> a function of two scalars with it, and points away from its corners
CASES = {
    "neg": (lambda a, b: -a, [(0.3, 0.7)]),
    "add": (lambda a, b: a + b, [(0.3, 0.7)]),
    "sub": (lambda a, b: a - b, [(0.3, 0.7)]),
    "mul": (lambda a, b: a * b, [(0.3, -0.7)]),
    "div": (lambda a, b: a / b, [(0.3, -0.7), (-2, 5)]),
    "sqrt": (lambda a, b: px.math.sqrt(a) * b, [(0.3, 0.7)]),
    "sin": (lambda a, b: px.math.sin(a) * b, [(0.3, 0.7), (-2, 1)]),
    "cos": (lambda a, b: px.math.cos(a) * b, [(0.3, 0.7), (-2, 1)]),
    "atan2": (px.math.atan2, [(0.3, 0.7), (0.3, -0.7), (-0.3, -0.7), (-3, 0.1), (0.5, 0)]),
    "abs": (lambda a, b: abs(a) * b, [(0.3, 0.7), (-0.3, 0.7)]),
    "sign": (lambda a, b: px.math.sign(a) * b, [(0.3, 0.7), (-0.3, 0.7)]),
    "rint": (lambda a, b: px.math.rint(a) * b, [(1.3, 0.7), (-2.7, 0.7)]),
    "min": (lambda a, b: px.math.minimum(a * a, b), [(0.3, 0.7), (1.3, 0.7)]),
    "max": (lambda a, b: px.math.maximum(a * a, b), [(0.3, 0.7), (1.3, 0.7)]),
    "lt": (lambda a, b: px.math.select(a < b, a * b, b), [(0.3, 0.7), (1.3, 0.7)]),
    "le": (lambda a, b: px.math.less_equal(a, b) * a, [(0.3, 0.7), (1.3, 0.7)]),
    "eq": (lambda a, b: px.math.equal(a, 0.3) * b, [(0.4, 0.7)]),
    "select": (lambda a, b: px.math.select(a < 0, a * a, b * b), [(0.3, 0.7), (-0.3, 0.7)]),
    "fma": (lambda a, b: a * b + a, [(0.3, 0.7)]),
    "tan": (lambda a, b: px.math.tan(a) * b, [(0.3, 0.7), (-2, 1), (5, 2)]),
    "asin": (lambda a, b: px.math.asin(a) * b, [(0.3, 0.7), (-0.9, 1)]),
    "acos": (lambda a, b: px.math.acos(a) * b, [(0.3, 0.7), (-0.9, 1)]),
    "exp": (lambda a, b: px.math.exp(a * b), [(0.3, 0.7), (-2, 1)]),
    "log": (lambda a, b: px.math.log(a) * b, [(0.3, 0.7), (5, 1)]),
    "tanh": (lambda a, b: px.math.tanh(a) * b, [(0.3, 0.7), (-2, 1)]),
    "floor": (lambda a, b: px.math.floor(a) * b, [(1.3, 0.7), (-2.7, 0.7)]),
    "fmod": (px.math.fmod, [(0.3, 0.7), (5.3, 0.7), (-5.3, 0.7), (5.3, -0.7), (-5.3, -0.7)]),
    "and": (
        lambda a, b: px.math.select(px.math.logical_and(a < b, b < 1.0), a * a, b * b),
        [(0.3, 0.7), (1.3, 0.7), (1.3, 1.7)],
    ),
    "or": (
        lambda a, b: px.math.select(px.math.logical_or(a < b, b < 1.0), a * a, b * b),
        [(0.3, 0.7), (1.3, 0.7), (1.9, 1.7)],
    ),
    "not": (
        lambda a, b: px.math.select(px.math.logical_not(a), b * b, a * b),
        [(0.3, 0.7), (-0.3, 0.7)],
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("op", CASES)
def test_every_operation(op, way):
    function, points = CASES[op]
    graph = trace(lambda x: function(*x), {"x": (2,)})
    graph = fuse(graph) if op == "fma" else graph
    assert op in {node.op for node in graph.nodes}
    for point in points:
        assert np.allclose(slopes(graph, point, way), differences(graph, point), 0, 1e-8), point


def test_the_cases_are_all_the_operations():
    assert set(CASES) == set(OPS)


@pytest.mark.parametrize("way", WAYS)
def test_an_argument_used_twice(way):
    """By one operation: its two parts are added."""
    graph = trace(
        lambda x: [x[0] * x[0], x[0] / (1 + x[0]), px.math.atan2(x[0], x[0])], {"x": (1,)}
    )
    ours = slopes(graph, [3.0], way)[:, 0]
    assert ours == pytest.approx([6, 1 / 16, 0], abs=1e-15)


@pytest.mark.parametrize("way", WAYS)
def test_corners_have_the_slope_of_a_side_or_between(way):
    graph = trace(
        lambda x: [
            abs(x[0]),
            px.math.minimum(x[0], x[1]),
            px.math.maximum(x[0], x[1]),
            px.math.select(x[0] < x[1], x[0], 3 * x[1]),
        ],
        {"x": (2,)},
    )
    at_corner = slopes(graph, [0.0, 0.0], way)
    assert at_corner[0].tolist() == [0, 0]
    assert at_corner[1].tolist() == at_corner[2].tolist() == [0, 1]
    assert at_corner[3].tolist() == [0, 3]


# -- random graphs ---------------------------------------------------------------------------------

SMOOTH = {
    "add": (2, lambda a, b: a + b),
    "sub": (2, lambda a, b: a - b),
    "mul": (2, lambda a, b: a * b),
    "neg": (1, lambda a: -a),
    "sin": (1, px.math.sin),
    "cos": (1, px.math.cos),
    "ratio": (2, lambda a, b: a / (px.math.cos(b) + 2.5)),
    "root": (1, lambda a: px.math.sqrt(px.math.sin(a) + 1.5)),
}
X = 3
steps = st.lists(
    st.tuples(st.sampled_from([*SMOOTH]), st.integers(0, 10**6), st.integers(0, 10**6)),
    min_size=1,
    max_size=25,
)


def straight_line(plan, x):
    """A value a step of the plan, each from any two before it, so that much is shared."""
    values = [*x, 0.75]
    for op, first, second in plan:
        arity, function = SMOOTH[op]
        arguments = [values[k % len(values)] for k in (first, second)][:arity]
        values.append(function(*arguments))
    return values[-3:]


@settings(max_examples=60)
@given(steps, st.lists(st.floats(-3, 3), min_size=X, max_size=X))
def test_random_graphs_against_complex_steps(plan, x):
    graph = trace(lambda x: straight_line(plan, x), {"x": (X,)})
    columns = []
    for along in np.eye(X):
        values = straight_line(plan, [complex(a, 1e-40 * b) for a, b in zip(x, along, strict=True)])
        columns.append([complex(v).imag / 1e-40 for v in values])
    expected = np.transpose(columns)
    size = max(1.0, abs(expected).max())
    assume(size < 1e6 and all(abs(complex(v)) < 1e6 for v in straight_line(plan, x)))
    for way in (*WAYS, None):
        assert abs(slopes(graph, x, way) - expected).max() <= 1e-10 * size, way
    # and of these again
    hessian = {way: jacobian(jacobian(graph, way=way), "slope", way=way) for way in WAYS}
    forward, reverse = (evaluate(hessian[way], {"x": x})["slope"] for way in WAYS)
    scale = max(1.0, abs(forward).max())
    assert abs(forward - reverse).max() <= 1e-9 * scale
    assert abs(forward - forward.swapaxes(1, 2)).max() <= 1e-9 * scale


# -- shapes and names ------------------------------------------------------------------------------


def test_shapes():
    def function(x, y, s):
        matrix = [[a * b for b in y] for a in x[0]]
        return {"matrix": matrix, "number": s * x[1][2], "same": x, "five": 5.0}

    program = px.trace(function, x=(2, 3), y=2, s=())
    shapes = {
        ("matrix", "x"): (3, 2, 2, 3),
        ("matrix", "y"): (3, 2, 2),
        ("matrix", "s"): (3, 2),
        ("number", "x"): (2, 3),
        ("number", "s"): (),
        ("same", "x"): (2, 3, 2, 3),
        ("five", "y"): (2,),
    }
    x, y, s = np.arange(6.0).reshape(2, 3), np.array([7.0, 8.0]), 9.0
    for (output, variable), shape in shapes.items():
        slope = program.jacobian(output, variable)
        assert slope.outputs == {f"d{output}_d{variable}": shape}
        assert slope.inputs == program.inputs
        found = slope.evaluate(x=x, y=y, s=s)
        assert found.shape == shape
        if (output, variable) == ("matrix", "y"):
            assert np.array_equal(found, np.einsum("a,bc->abc", x[0], np.eye(2)))
        if (output, variable) == ("same", "x"):
            assert np.array_equal(found.reshape(6, 6), np.eye(6))
        if output == "number":
            assert np.array_equal(found, [[0, 0, 0], [0, 0, s]] if variable == "x" else x[1, 2])
        if output == "five" or (output, variable) == ("matrix", "s"):
            assert not found.any()


def test_a_derivative_is_a_program():
    """It prints, reads back, compiles, takes batches, and has a derivative."""
    program = px.trace(lambda x, k: px.math.sin(x[0] * k) / x[1], x=2, k=())
    slope = program.jacobian("result", "x")
    assert px.parse(slope.text()).text() == slope.text()
    rng = np.random.default_rng(0)
    x, k = rng.uniform(1, 2, (5, 2)), rng.uniform(1, 2, 5)
    kernel = slope.compile()
    assert np.allclose(kernel(x, k), slope.evaluate(x=x, k=k), 0, 1e-14)
    second = slope.jacobian("dresult_dx", "k")
    assert second.outputs == {"ddresult_dx_dk": (2,)}
    by_hand = [
        np.cos(x[:, 0] * k) / x[:, 1] - k * x[:, 0] * np.sin(x[:, 0] * k) / x[:, 1],
        -x[:, 0] * np.cos(x[:, 0] * k) / x[:, 1] ** 2,
    ]
    assert np.allclose(second.evaluate(x=x, k=k), np.transpose(by_hand), 0, 1e-14)


def test_several_derivatives_share_their_work():
    def function(x, y):
        shared = px.math.sin(x[0]) * y[0]
        return {"f": [shared, x[1]], "g": shared * y[1]}

    graph = trace(function, {"x": (2,), "y": (2,)})
    wanted = {"a": ("f", "x"), "b": ("f", "y"), "c": ("g", "y")}
    together = derivative.jacobian(graph, wanted)
    given = {"x": [0.3, 0.4], "y": [0.5, 0.6]}
    found = evaluate(together, given)
    assert list(found) == ["a", "b", "c"]
    for name, pair in wanted.items():
        alone = evaluate(derivative.jacobian(graph, {name: pair}), given)[name]
        assert np.array_equal(found[name], alone)
    assert sum(node.op == "sin" for node in together.nodes) == 1


def test_derivatives_by_several_inputs():
    """One output per input, in the order in which they are named."""
    program = px.trace(lambda q, u, k: {"x": k * q * u[:, None]}, q=2, u=3, k=())
    both = program.jacobian("x", ["u", "q"])
    assert both.outputs == {"dx_du": (3, 2, 3), "dx_dq": (3, 2, 2)}
    given = {"q": [0.3, 0.5], "u": [1.0, 2.0, 3.0], "k": 2.0}
    found = both.evaluate(**given)
    for name in ("u", "q"):
        assert (found[f"dx_d{name}"] == program.jacobian("x", name).evaluate(**given)).all()
    energy = px.trace(lambda q, qd: {"e": (q * qd).sum()}, q=2, qd=2)
    assert energy.gradient("e", ("q", "qd")).outputs == {"de_dq": (2,), "de_dqd": (2,)}
    for inputs, message in (
        (["q", "q"], "input: q appears twice"),
        ([], "input: expected some of .*, found none"),
        (["q", "w"], "input: expected one of .*, found 'w'"),
        (None, "input: expected one of .*, found None"),
        (3, "input: expected a sequence of names, found 3"),
        ([["q"]], r"input: expected one of .*, found \['q'\]"),
    ):
        with pytest.raises(px.ArgumentError, match=message):
            program.jacobian("x", inputs)


def test_marks_are_left_and_marked_values_have_derivatives():
    robot = px.load("planar3")
    program = px.program(robot, algorithm="newton_euler")
    mark = program.marks[0]
    assert program.jacobian("tau", "q").marks == []
    shown = program.with_marks(mark)
    output = next(name for name in shown.outputs if name.startswith(f"{mark}."))
    slope = shown.jacobian(output, "qd")
    assert slope.outputs == {f"d{output}_dqd": (*shown.outputs[output], 3)}


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda p: p.jacobian("z", "x"), r"output: expected one of 'y', 'many', found 'z'"),
        (lambda p: p.jacobian("y", "q"), r"input: expected one of 'x', 'unused', found 'q'"),
        (lambda p: p.gradient("z", "x"), r"output: expected one of 'y', 'many', found 'z'"),
        (lambda p: p.gradient("y", "y"), r"input: expected one of 'x', 'unused', found 'y'"),
        (
            lambda p: p.gradient("many", "x"),
            r"gradient of 'many': expected a scalar output, found shape \(2,\)",
        ),
    ],
)
def test_errors(ask, message):
    program = px.trace(lambda x, unused: {"y": x[0] * x[1], "many": x}, x=2, unused=3)
    with pytest.raises(ArgumentError, match=message):
        ask(program)


# -- sparsity and cost -----------------------------------------------------------------------------


def test_what_does_not_depend_is_the_constant_zero():
    def function(x, unused):
        return [px.math.sin(x[0]), px.math.sign(x[1]) * x[0], 3.0]

    program = px.trace(function, x=3, unused=2)
    nothing = program.jacobian("result", "unused")
    assert nothing.outputs == {"dresult_dunused": (3, 2)} and nothing.count().flops == 0
    assert {(node.op, node.value) for node in nothing.graph.nodes} == {("const", 0.0)}
    assert not nothing.evaluate(x=[1, 2, 3], unused=[4, 5]).any()
    for way in WAYS:
        nodes = jacobian(program.graph, way=way).outputs["slope"][1]
        zeros = [k for k, node in enumerate(nodes) if (node.op, node.value) == ("const", 0.0)]
        assert zeros == [1, 2, 4, 5, 6, 7, 8]  # a sign is flat


@pytest.mark.parametrize("way", WAYS)
def test_a_diagonal_costs_its_diagonal(way):
    n = 200
    graph = trace(lambda x: [px.math.sin(each) * each for each in x], {"x": (n,)})
    slope = jacobian(graph, way=way)
    assert len(slope.nodes) <= 7 * n
    x = np.linspace(-1, 1, n)
    assert np.allclose(evaluate(slope, {"x": x})["slope"], np.diag(np.sin(x) + x * np.cos(x)))


def taken(monkeypatch, graph, output="result", given="x"):
    """The ways that a derivative was found by."""
    ways = []
    originals = {way: getattr(derivative._Linear, way) for way in WAYS}
    for way in WAYS:

        def noted(self, way=way):
            ways.append(way)
            return originals[way](self)

        monkeypatch.setattr(derivative._Linear, way, noted)
    derivative.jacobian(graph, {"slope": (output, given)})
    return ways


def test_a_cost_is_differentiated_backward(monkeypatch):
    n = 50

    def cost(x):
        total = 0.0
        for a, b in itertools.pairwise(x):
            total = total + px.math.sin(a * b + total)
        return total

    graph = trace(cost, {"x": (n,)})
    assert taken(monkeypatch, graph) == ["reverse"]
    monkeypatch.undo()
    reverse, forward = jacobian(graph), jacobian(graph, way="forward")
    assert len(reverse.nodes) <= 5 * len(graph.nodes)  # Baur and Strassen
    assert len(forward.nodes) > 5 * len(reverse.nodes)
    x = np.random.default_rng(0).uniform(-1, 1, n)
    one, other = (evaluate(each, {"x": x})["slope"] for each in (reverse, forward))
    assert np.allclose(one, other, 0, 1e-13)


def test_many_outputs_of_one_input_are_differentiated_forward(monkeypatch):
    def spiral(x):
        values = [x[0]]
        for _ in range(50):
            values.append(px.math.sin(values[-1]) * 1.5)
        return values

    assert taken(monkeypatch, trace(spiral, {"x": (1,)})) == ["forward"]


# -- derivatives of dynamics -----------------------------------------------------------------------


def central(function, x, step=1e-5):
    sides = [(function(x + step * a), function(x - step * a)) for a in np.eye(len(x))]
    return np.stack([(above - below) / (2 * step) for above, below in sides], -1)


def test_the_gradient_of_a_cost_with_dynamics_inside(monkeypatch):
    """Effort and distance from a goal, by torques and poses of one robot, in one Program."""
    robot, goal = px.load("stanford"), (0.2, 0.3, 0.4)

    def cost(q, qd, qdd):
        tau = px.inverse_dynamics(robot, q, qd, qdd)
        pose = px.forward_kinematics(robot, q)
        away = [pose[k][3] - goal[k] for k in range(3)]
        return {"cost": sum(t * t for t in tau) * 1e-3 + sum(a * a for a in away)}

    program = px.trace(cost, q=6, qd=6, qdd=6)
    assert taken(monkeypatch, program.graph, "cost", "q") == ["reverse"]
    monkeypatch.undo()
    numbers = np.random.default_rng(1).uniform(-1, 1, (3, 6))
    state = dict(zip(program.inputs, numbers, strict=True))
    for name in state:
        gradient = program.gradient("cost", name)
        assert gradient.outputs == {f"dcost_d{name}": (6,)}
        assert gradient.count().flops <= 4 * program.count().flops
        ours = gradient.evaluate(**state)
        expected = central(
            lambda x, name=name: program.evaluate(**(state | {name: x})), state[name]
        )
        assert np.allclose(ours, expected, 0, 1e-7 * max(1, abs(expected).max()))
    compiled = program.gradient("cost", "q").compile()
    assert np.allclose(compiled(*state.values()), program.gradient("cost", "q").evaluate(**state))


def test_lagranges_equations_from_the_energies_alone():
    """Second derivatives: torques from kinetic and potential energy by differentiation."""
    robot = random_robot(2, joints=(4, 4))
    q, qd, qdd = (rows[1] for rows in states(robot, 2))
    T = px.program(robot, "kinetic_energy")
    U = px.program(robot, "potential_energy")
    momentum = T.gradient("energy", "qd")
    M = momentum.jacobian("denergy_dqd", "qd").evaluate(q=q, qd=qd)
    mixed = momentum.jacobian("denergy_dqd", "q").evaluate(q=q, qd=qd)
    slope = T.gradient("energy", "q").evaluate(q=q, qd=qd)
    tau = M @ qdd + mixed @ qd - slope + U.gradient("energy", "q").evaluate(q=q)
    expected = px.program(robot).evaluate(q=q, qd=qd, qdd=qdd)
    assert abs(tau - expected).max() <= 1e-11 * max(1, abs(expected).max())
    assert np.allclose(M, px.program(robot, "mass_matrix").evaluate(q=q), 0, 1e-11)


def test_the_slope_over_a_parameter():
    """Gravity torques are linear in the masses: the slope times the masses gives them back."""
    robot = px.load("planar3")
    program = px.program(robot, "gravity_torques", parameters=("mass",))
    q, mass = [0.1, 0.2, 0.3], np.array(px.parameter_values(robot, "mass"))
    slope = program.jacobian("g", "mass").evaluate(q=q, mass=mass)
    assert np.allclose(slope @ mass, program.evaluate(q=q, mass=mass), 0, 1e-13)


def test_derivatives_along_a_trajectory_are_those_of_the_jacobian():
    """The third order too: how the bias acceleration follows from the pose alone."""
    robot = px.load("planar3")
    q, qd = np.array([0.3, -0.4, 0.5]), np.array([1.0, 2.0, -1.5])
    position = px.trace(lambda q: [row[3] for row in px.forward_kinematics(robot, q)[:3]], q=3)
    J = position.jacobian("result", "q")
    assert np.allclose(J.evaluate(q=q), px.program(robot, "jacobian").evaluate(q=q)[3:])
    bend = J.jacobian("dresult_dq", "q").evaluate(q=q)
    bias = px.program(robot, "bias_acceleration").evaluate(q=q, qd=qd)[3:]
    assert np.allclose(np.einsum("abc,b,c->a", bend, qd, qd), bias)
    third = J.jacobian("dresult_dq", "q").jacobian("ddresult_dq_dq", "q").evaluate(q=q)
    step = 1e-5
    ahead, behind = (
        J.jacobian("dresult_dq", "q").evaluate(q=q + side * step * qd) for side in (1, -1)
    )
    assert np.allclose(third @ qd, (ahead - behind) / (2 * step), 0, 1e-8)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_not_chosen_needs_no_slope(way):
    """A root of a negative number in the branch not taken, however the branch uses it."""

    def function(x):
        root = px.math.sqrt(x[0])
        inner = px.math.select(x[1] < 0, root * 3, px.math.sin(root) + root)
        return [
            px.math.select(x[0] < 0, 2 * x[0], root),
            px.math.select(x[0] < 0, x[1], 5 * px.math.sin(root) / root + root * root),
            px.math.select(x[0] >= 0, -inner, x[0] * x[1]),
            px.math.select(x[0] < 0, 0.0, root) * px.math.select(x[0] < -0.5, x[1], root + x[1]),
        ]

    graph = trace(function, {"x": (2,)})
    left = slopes(graph, [-1.0, 3.0], way)
    assert left.tolist() == [[2, 0], [0, 1], [3, -1], [0, 0]]
    for point in ([2.0, 3.0], [2.0, -3.0]):
        assert np.allclose(slopes(graph, point, way), differences(graph, point), 0, 1e-8)


@pytest.mark.parametrize("way", WAYS)
def test_a_thousand_choices_cost_a_thousand(way):
    """Saturation after saturation, as in an unrolled control law."""

    def law(x):
        value = x[0]
        for _ in range(1000):
            bent = value * 1.01 - x[1]
            value = px.math.select(bent < 1, bent, px.math.select(bent > 9, 2 - bent, 1.0))
        return value

    graph = trace(law, {"x": (2,)})
    assert len(jacobian(graph, way=way).nodes) <= 4 * len(graph.nodes)
    assert np.allclose(slopes(graph, [0.3, 0.2], way), slopes(graph, [0.3, 0.2]), 1e-9)


def test_not_a_number_stays_where_it_is():
    """A slope that has no value is none; the other entries have theirs."""
    graph = trace(lambda x: [px.math.sqrt(x[0]), x[1] * x[1]], {"x": (2,)})
    for way in WAYS:
        found = slopes(graph, [-1.0, 3.0], way)
        assert math.isnan(found[0, 0]) and found[1].tolist() == [0, 6] and found[0, 1] == 0
        assert slopes(graph, [0.0, 3.0], way)[0, 0] == math.inf
