"""Tracing: what goes in and comes out, what cannot be traced, parameters as inputs."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.expressions import NAN
from support.robots import random_robot, relative_error, robots, states

import paraxis as px
from paraxis import Robot
from paraxis.errors import ArgumentError, ProgramError, TraceError
from paraxis.graph.operations import OPS
from paraxis.physics import ALGORITHMS, CHEAP
from paraxis.robots import Inertia, Joint, Pose
from paraxis.robots.model import DESCRIPTION, Model
from paraxis.spatial import Vector

# -- tracing ---------------------------------------------------------------------------------------


def test_nested_shapes_go_in_and_come_out():
    def function(a, b, c):
        assert len(a) == 2 and all(len(row) == 3 for row in a) and len(b) == 2
        return {
            "total": sum(sum(row) for row in a) + c,
            "rows": [[row[2], row[0] * b[i]] for i, row in enumerate(a)],
            "array": np.array([[b[0], 2.0], [1.0, c]]),
            "vector": Vector(*a[1]),
            "tuple": (b[1], 7),
            "number": 5,
            "zero_d": np.array(2.5),
        }

    program = px.trace(function, a=(2, 3), b=2, c=())
    assert program.inputs == {"a": (2, 3), "b": (2,), "c": ()}
    assert program.outputs == {
        "total": (), "rows": (2, 2), "array": (2, 2), "vector": (3,), "tuple": (2,),
        "number": (), "zero_d": (),
    }  # fmt: skip
    a, b, c = np.arange(6.0).reshape(2, 3), np.array([10.0, 20.0]), 100.0
    found = program.evaluate(a=a, b=b, c=c)
    assert found["total"] == 115 and found["number"] == 5 and found["zero_d"] == 2.5
    assert np.array_equal(found["rows"], [[2, 0], [5, 60]])
    assert np.array_equal(found["array"], [[10, 2], [1, 100]])
    assert np.array_equal(found["vector"], [3, 4, 5]) and np.array_equal(found["tuple"], [20, 7])
    # a batch of any shape, broadcast
    many = program.evaluate(a=np.stack([a, -a])[:, None], b=np.stack([b] * 5), c=c)
    assert many["rows"].shape == (2, 5, 2, 2) and many["total"].shape == (2, 5)
    assert np.array_equal(many["rows"][1, 3], [[-2, 0], [-5, -60]])


def test_one_output_is_an_array_and_it_is_called_result():
    program = px.trace(lambda x: x[0] * x[1], x=2)
    assert program.outputs == {"result": ()} and program.evaluate(x=[3, 4]) == 12
    assert px.trace(lambda: [1.0, 2.0]).evaluate().tolist() == [1, 2]


def test_numbers_of_every_kind_meet_traced_ones():
    numbers = [2, 2.0, True, np.float64(2), np.float32(2), np.int64(2), np.longdouble(2)]
    for number in numbers:
        program = px.trace(lambda x, n=number: [x * n, n * x, n + x, n - x, n / x, x / n], x=())
        n = float(number)
        found = program.evaluate(x=4.0)
        assert found.tolist() == [4 * n, n * 4, n + 4, n - 4, n / 4, 4 / n], number


CASES = {  # operation -> (traced function, arguments, value)
    "neg": (lambda a: -a, (2.5,), -2.5),
    "add": (lambda a, b: a + b, (2.5, 4), 6.5),
    "sub": (lambda a, b: a - b, (2.5, 4), -1.5),
    "mul": (lambda a, b: a * b, (2.5, 4), 10),
    "div": (lambda a, b: a / b, (2.5, 4), 0.625),
    "sqrt": (px.math.sqrt, (6.25,), 2.5),
    "sin": (px.math.sin, (0.7,), math.sin(0.7)),
    "cos": (px.math.cos, (0.7,), math.cos(0.7)),
    "atan2": (px.math.atan2, (1.0, -2.0), math.atan2(1, -2)),
    "abs": (abs, (-2.5,), 2.5),
    "sign": (px.math.sign, (-2.5,), -1),
    "rint": (px.math.rint, (-2.5,), -2),
    "min": (px.math.minimum, (3, -2.5), -2.5),
    "max": (px.math.maximum, (3, -2.5), 3),
    "lt": (px.math.less, (3, -2.5), 0),
    "le": (px.math.less_equal, (3, 3), 1),
    "eq": (px.math.equal, (3, 3), 1),
    "select": (px.math.select, (1, 3, 4), 3),
    "floor": (px.math.floor, (-2.5,), -3),
    "fmod": (px.math.fmod, (-7.5, 2), -1.5),
    "tan": (px.math.tan, (0.7,), math.tan(0.7)),
    "asin": (px.math.asin, (0.7,), math.asin(0.7)),
    "acos": (px.math.acos, (0.7,), math.acos(0.7)),
    "exp": (px.math.exp, (0.7,), math.exp(0.7)),
    "log": (px.math.log, (0.7,), math.log(0.7)),
    "tanh": (px.math.tanh, (0.7,), math.tanh(0.7)),
    "and": (px.math.logical_and, (3, 0), 0),
    "or": (px.math.logical_or, (3, 0), 1),
    "not": (px.math.logical_not, (3,), 0),
}


@pytest.mark.parametrize("op", CASES)
def test_every_operation_on_nodes_and_on_numbers(op):
    function, arguments, value = CASES[op]
    program = px.trace(lambda x: function(*x), x=len(arguments))
    assert [node.op for node in program.graph.nodes][-1] == op
    assert program.evaluate(x=arguments) == value
    assert function(*arguments) == value
    for k in range(len(arguments) if len(arguments) > 1 else 0):  # a number beside a node

        def mixed(x, k=k):
            return function(*(a if i == k else x[i] for i, a in enumerate(arguments)))

        assert px.trace(mixed, x=len(arguments)).evaluate(x=arguments) == value


def test_the_cases_are_all_the_operations():
    assert CASES.keys() | {"fma"} == OPS.keys()


def test_generic_functions_on_complex_and_numpy_numbers():
    for function in (px.math.sin, px.math.cos, px.math.sqrt):
        name = function.__name__
        assert function(0.3 + 0.1j) == pytest.approx(getattr(np, name)(0.3 + 0.1j), rel=1e-15)
        assert type(function(np.longdouble(0.3))) is np.longdouble
    assert (
        px.math.select(px.math.less(1.0, 2.0), 3.0, 4.0) == 3
        and px.math.select(px.math.equal(1, 2), 3, 4) == 4
    )
    assert math.isnan(px.math.minimum(NAN, 1.0)) and math.isnan(px.math.maximum(1.0, NAN))
    assert (px.math.sign(-3.0), px.math.sign(0.0), px.math.sign(2)) == (-1, 0, 1)
    assert px.math.rint(np.array([0.5, 1.5, -2.5])).tolist() == [0, 2, -2]
    assert type(px.math.rint(np.longdouble(0.3))) is np.longdouble


def test_dynamics_inside_a_traced_function():
    robot = random_robot(2, joints=(4, 4))
    recursion = ALGORITHMS["inverse_dynamics"]["newton_euler"]

    def computed_torque(q, qd, target, gain):
        push = [gain * (t - x) for t, x in zip(target, q, strict=True)]
        return {"tau": recursion(Model(robot), q, qd, push)}

    program = px.trace(computed_torque, q=4, qd=4, target=4, gain=())
    q, qd, target = (rows[1] for rows in states(robot, 2))
    expected = px.program(robot).evaluate(q=q, qd=qd, qdd=7 * (target - q))
    found = program.evaluate(q=q, qd=qd, target=target, gain=7.0)
    assert relative_error(found, expected) < 1e-13
    assert program.name == "computed_torque"


def branching(x):
    return x if x > 0 else -x


LEAKED = []
px.trace(lambda x: LEAKED.append(x) or x, x=())

TRACE_ERRORS = {
    "if": (branching, "use px.math.select"),
    "and": (lambda x: (x < 1) and x, "no truth value"),
    "not": (lambda x: not x, "no truth value"),
    "==": (lambda x: px.math.select(x == 1, 2, 3), "px.math.equal"),
    "!=": (lambda x: 2 if x != 1 else 3, "px.math.equal"),
    "in": (lambda x: 2 if x in (1, 2) else 3, "px.math.equal"),
    "math.sin": (lambda x: math.sin(x), "px.math.sin"),
    "float": (lambda x: float(x), "not a float yet"),
    "two traces": (lambda x: x + LEAKED[0], "two different traces"),
    "another trace's value": (lambda x: LEAKED[0], "two different traces"),
    "another trace's mark": (
        lambda x: px.math.mark("m", 0, [x, LEAKED[0]]) and x,
        "different traces",
    ),
    "no output": (lambda x: {}, "at least one output"),
    "empty list": (lambda x: [], "'result': expected scalars, found an empty sequence"),
    "empty row": (lambda x: {"y": [[x], []]}, "'y': expected scalars, found an empty"),
    "empty array": (lambda x: np.empty((0, 2)), "found an empty sequence"),
    "ragged": (lambda x: [[x], [x, x]], r"'result': rows have different shapes \[\(1,\), \(2,\)\]"),
    "mixed depth": (lambda x: [x, [x, x]], r"rows have different shapes \[\(\), \(2,\)\]"),
    "nothing": (lambda x: None, "found NoneType"),
    "text": (lambda x: "x", "found str"),
    "text times": (lambda x: x * "a", "found str"),
    "dict in dict": (lambda x: {"a": {"b": x}}, "found dict"),
    "complex": (lambda x: x * (1 + 2j), "found complex"),
    "complex64": (lambda x: x * np.complex64(1 + 2j), "found complex64"),
    "x ** -1": (lambda x: x**-1, "expected an integer >= 0, found -1"),
    "x ** 0.5": (lambda x: x**0.5, "expected an integer >= 0, found 0.5"),
    "x ** x": (lambda x: x**x, r"a traced exponent: use px.math.exp\(exponent \* px.math.log"),
}


@pytest.mark.parametrize("case", TRACE_ERRORS)
def test_what_cannot_be_traced_says_so(case):
    function, message = TRACE_ERRORS[case]
    with pytest.raises(TraceError, match=message):
        px.trace(function, x=())


def test_arrays_of_traced_values_are_done_entry_by_entry():
    factors = np.array([1.0, -2.0, 0.5])

    def function(x):
        given = np.array(x, dtype=object)
        sums = [factors * x[0], x[0] * factors, x[0] + factors - x[1], factors / x[1], x[0] / given]
        extremes = [px.math.minimum(given, factors), px.math.maximum(x[0], factors), np.sin(given)]
        return np.array([*sums, *extremes, np.sin(x[2]) * factors])

    x = np.array([0.3, 1.2, -0.7])
    sums = [factors * x[0], factors * x[0], x[0] + factors - x[1], factors / x[1], x[0] / x]
    extremes = [np.minimum(x, factors), np.maximum(x[0], factors), np.sin(x)]
    expected = [*sums, *extremes, np.sin(x[2]) * factors]
    assert abs(px.trace(function, x=3).evaluate(x=x) - expected).max() < 1e-15


@pytest.mark.parametrize("name", ["a b", "", "1st", "a-b", "a\n", "ω", "a[0]"])
def test_names_that_text_and_code_could_not_carry(name):
    with pytest.raises((ProgramError, ArgumentError), match="expected a"):
        px.trace(lambda **inputs: inputs[name], **{name: ()})
    with pytest.raises(ProgramError, match=r"output .*: expected a name"):
        px.trace(lambda x: {name: x}, x=())
    with pytest.raises(ProgramError, match=r"mark .*: expected a name"):
        px.trace(lambda x: px.math.mark(name, 0, x), x=())


def test_other_odd_names_and_shapes():
    with pytest.raises(ProgramError, match="output 1: expected a name"):
        px.trace(lambda x: {1: x}, x=())
    with pytest.raises(ProgramError, match="mark 'm': expected the index of a link, found 'arm'"):
        px.trace(lambda x: px.math.mark("m", "arm", x), x=())
    for shape in (0, -1, (2, 0), "ab"):
        with pytest.raises(ArgumentError, match="x: expected integer sizes >= 1, found"):
            px.trace(lambda x: 1.0, x=shape)
    with pytest.raises(ArgumentError, match="é: expected a name of ASCII letters and digits$"):
        px.trace(lambda **x: 1.0, é=2)


# -- parameters as inputs --------------------------------------------------------------------------


def own_values(robot, names):
    return {name: np.array(px.parameter_values(robot, name)) for name in names}


def rebuilt(robot, mass, com, inertia, origin, rotor_inertia, gravity):
    joints = [
        Joint(j.name, j.kind, j.parent, Pose(j.placement.rotation, tuple(origin[i].tolist())),
              j.axis, rotor_inertia=float(rotor_inertia[i]))
        for i, j in enumerate(robot.joints)
    ]  # fmt: skip
    bodies = [Inertia.of(*body) for body in zip(mass, com, inertia, strict=True)]
    return Robot("rebuilt", joints, bodies, (), tuple(gravity), robot.base, warn=False)


@settings(max_examples=8)
@given(robots(joints=(1, 7)), st.integers(0, 1000))
@pytest.mark.long
def test_parameters_may_be_inputs(robot, seed):
    """Fed the robot's own values they give its torques; fed others, those of another robot."""
    q, qd, qdd = states(robot, 2, seed)
    motion = {"q": q, "qd": qd, "qdd": qdd}
    own = own_values(robot, DESCRIPTION)
    rng = np.random.default_rng(seed)
    other = {name: value * rng.uniform(0.5, 2, value.shape) for name, value in own.items()}
    reference = px.program(robot).evaluate(**motion)
    expected = px.program(rebuilt(robot, **other)).evaluate(**motion)
    for algorithm in CHEAP:
        program = px.program(robot, algorithm=algorithm, parameters=tuple(DESCRIPTION))
        assert relative_error(program.evaluate(**motion, **own), reference) <= 1e-12
        assert relative_error(program.evaluate(**motion, **other), expected) <= 1e-12


@pytest.mark.parametrize("name", DESCRIPTION)
def test_each_parameter_alone(name):
    robot = random_robot(2, joints=(3, 3))  # a chain
    q, qd, qdd = states(robot, 3)
    program = px.program(robot, parameters=[name])
    own = own_values(robot, DESCRIPTION)
    sizes = {"n": robot.n}
    assert program.inputs[name] == tuple(sizes.get(size, size) for size in DESCRIPTION[name])
    assert program.inputs[name] == own[name].shape
    other = own | {name: own[name] * 1.5}
    expected = px.program(rebuilt(robot, **other)).evaluate(q=q, qd=qd, qdd=qdd)
    found = program.evaluate(q=q, qd=qd, qdd=qdd, **{name: other[name]})
    assert relative_error(found, expected) <= 1e-12
    same = px.program(robot).evaluate(q=q, qd=qd, qdd=qdd)
    assert relative_error(found, same) > 1e-3  # or the parameter did nothing
    kernel = program.compile()
    assert relative_error(kernel(q, qd, qdd, other[name]), expected) <= 1e-12


def test_errors_of_parameters():
    robot = px.robots.planar(2)
    with pytest.raises(ArgumentError, match=r"parameters: expected some of .*found 'length'"):
        px.program(robot, parameters=["length"])
    with pytest.raises(ArgumentError, match=r"parameter: expected one of .*found 'length'"):
        px.parameter_values(robot, "length")


# -- passes ----------------------------------------------------------------------------------------


def test_public_dynamics_inside_a_traced_function():
    """A control law and the robot's dynamics become one Program, equal to the two in turn."""
    robot = px.load("stanford")

    def law(q, qd, goal):
        wanted = [9 * (g - a) - 6 * b for g, a, b in zip(goal, q, qd, strict=True)]
        return {"tau": px.inverse_dynamics(robot, q, qd, wanted), "first": wanted[0]}

    program = px.trace(law, q=6, qd=6, goal=6)
    q, qd, goal = np.random.default_rng(5).uniform(-1, 1, (3, 7, 6))
    found = program.evaluate(q=q, qd=qd, goal=goal)
    wanted = 9 * (goal - q) - 6 * qd
    expected = px.inverse_dynamics(robot, q, qd, wanted)  # the same function, now on arrays
    np.testing.assert_allclose(found["tau"], expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["first"], wanted[:, 0], rtol=0, atol=1e-14)
    assert px.trace(law, q=6, qd=6, goal=6).text() == program.text()  # compiled or not
    named = px.trace(
        lambda q: px.inverse_dynamics(robot, q, [0.0] * 6, [0.0] * 6, algorithm="newton_euler"), q=6
    )
    still = px.inverse_dynamics(robot, q, np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(named.evaluate(q=q), still, rtol=0, atol=1e-12)


def test_dynamics_inside_a_traced_function_wants_the_right_number_of_scalars():
    robot = px.load("ur5")
    with pytest.raises(px.ArgumentError, match="qd: expected 6 scalars, found 2"):
        px.trace(lambda q: px.inverse_dynamics(robot, q, [0.0, 1.0], q), q=6)


def test_traced_values_are_not_compared_by_double_equals():
    """`==` would quietly be False: say how to ask instead."""
    for compare in (
        lambda x: px.math.select(x == 1.0, 1.0, 2.0),
        lambda x: px.math.select(x != x, 1.0, 2.0),
    ):
        with pytest.raises(TraceError, match=r"px\.math\.equal"):
            px.trace(compare, x=())


def test_parameters_are_a_sequence_of_names():
    robot = px.load("planar3")
    named = px.program(robot, parameters=("mass",))
    assert px.program(robot, parameters=(n for n in ["mass"])).inputs == named.inputs
    with pytest.raises(px.ArgumentError, match="found 'mass'"):
        px.program(robot, parameters="mass")


def test_numbers_of_a_robot_cannot_be_changed_from_outside():
    com, axis, rows = [0.7, 0, 0], [0, 0, 1], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    body = px.robots.Inertia(1.0, com, [0] * 6)
    joint = px.robots.Joint("j", "revolute", axis=axis, placement=px.robots.Pose(rows, [1, 2, 3]))
    com[0], axis[2], rows[0][0] = 9, 9, 9
    assert body.com == (0.7, 0.0, 0.0) and joint.axis == (0.0, 0.0, 1.0)
    assert joint.placement.rotation[0] == (1.0, 0.0, 0.0)
    with pytest.raises(px.RobotError, match="mass"):
        px.robots.Inertia("3.7")
