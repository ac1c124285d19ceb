"""Graphs: how they are built and simplified, traced, printed, read, counted and passed over."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.robots import random_robot, relative_error, robots, states

import paraxis as px
from paraxis import Robot
from paraxis.errors import ArgumentError, ProgramError, TraceError
from paraxis.graph.check import check
from paraxis.graph.evaluate import evaluate
from paraxis.graph.graph import Graph
from paraxis.graph.node import Builder, Node
from paraxis.graph.operations import OPS
from paraxis.graph.trace import trace
from paraxis.passes.balance import balance
from paraxis.passes.count import count
from paraxis.passes.depth import depth, levels, width
from paraxis.passes.factor import factor
from paraxis.passes.fuse import fuse
from paraxis.passes.order import trig_first
from paraxis.passes.rebuild import rebuild
from paraxis.passes.share import share
from paraxis.physics import (
    ALGORITHMS,
    CHEAP,
    modified_newton_euler,
    newton_euler,
    spatial_newton_euler,
)
from paraxis.physics.parts import inward
from paraxis.robots import Inertia, Joint, Pose
from paraxis.robots.model import DESCRIPTION, Model
from paraxis.spatial import Rotation, Vector

NAN, INF = math.nan, math.inf

# -- random expressions ----------------------------------------------------------------------------

# What each operation of a random expression means on plain floats, and on traced ones.
PLAIN = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b if b else NAN,
    "neg": lambda a: -a,
    "abs": abs,
    "sqrt": lambda a: math.sqrt(a) if a >= 0 else NAN,
    "sin": math.sin,
    "cos": math.cos,
    "sign": lambda a: float((a > 0) - (a < 0)),
    "rint": lambda a: float(np.rint(a)),
    "min": min,
    "max": max,
    "if_less": lambda a, b, c, d: c if a < b else d,
    "if_equal": lambda a, b, c, d: c if a == b else d,
    "if_less_equal": lambda a, b, c, d: c if a <= b else d,
}
TRACED = {
    **{name: PLAIN[name] for name in ("add", "sub", "mul", "neg", "abs")},
    "div": lambda a, b: a / b,
    "sqrt": px.math.sqrt,
    "sin": px.math.sin,
    "cos": px.math.cos,
    "sign": px.math.sign,
    "rint": px.math.rint,
    "min": px.math.minimum,
    "max": px.math.maximum,
    "if_less": lambda a, b, c, d: px.math.select(px.math.less(a, b), c, d),
    "if_equal": lambda a, b, c, d: px.math.select(px.math.equal(a, b), c, d),
    "if_less_equal": lambda a, b, c, d: px.math.select(px.math.less_equal(a, b), c, d),
}
ARITY = {name: 2 for name in PLAIN} | {
    name: 1 for name in ("neg", "abs", "sqrt", "sin", "cos", "sign", "rint")
} | {name: 4 for name in ("if_less", "if_equal", "if_less_equal")}  # fmt: skip
ARITHMETIC = ("add", "sub", "mul", "neg")  # drawn more often, as they have the rules

X = 4  # how many inputs an expression may use
LEAVES = st.integers(0, X - 1) | st.sampled_from([0.0, 1.0, -1.0, 2.0, -0.5, 3.25])
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.sampled_from([*ARITHMETIC * 3, *PLAIN]).flatmap(
        lambda op: st.tuples(st.just(op), *[inner] * ARITY[op])
    ),
    max_leaves=25,
)
POINTS = st.lists(
    st.sampled_from([0.0, 1.0, -1.0]) | st.floats(-8, 8, allow_subnormal=False),
    min_size=X,
    max_size=X,
)


def build(expression, x, table):
    """The value of an expression (an input's number, a constant, or a tuple) over any scalars."""
    if isinstance(expression, int):
        return x[expression]
    if isinstance(expression, float):
        return expression
    op, *inner = expression
    return table[op](*(build(each, x, table) for each in inner))


def finite(expression, x):
    """Its value on floats, where no part of it is infinite or not a number; else the example goes.

    Paraxis's rules are exact for finite values: 0 times infinity is their 0.
    """
    if not isinstance(expression, tuple):
        return x[expression] if isinstance(expression, int) else expression
    op, *inner = expression
    value = PLAIN[op](*(finite(each, x) for each in inner))
    assume(math.isfinite(value))
    return value


def graph_of(*expressions):
    with np.errstate(all="ignore"):  # of constants, which NumPy may compute before we fold them
        return trace(lambda x: [build(each, x, TRACED) for each in expressions], {"x": (X,)})


def traceable(*expressions):
    """The graph, unless a constant part of it, done by Python or by folding, has no value."""
    try:
        return graph_of(*expressions)
    except (TraceError, ValueError, ZeroDivisionError):
        assume(False)


@settings(max_examples=400)
@given(EXPRESSIONS, POINTS)
def test_simplification_keeps_every_value_to_the_bit(expression, x):
    expected = finite(expression, x)
    (found,) = evaluate(graph_of(expression), {"x": x})["result"]
    assert found == expected  # which takes 0 and -0 for the same


@settings(max_examples=200)
@given(EXPRESSIONS, EXPRESSIONS)
def test_signs_stand_outside_of_arithmetic(first, second):
    graph = traceable(first, second, ("sub", first, second), ("sub", second, first))
    for node in graph.builder.nodes:
        if node.op in ("add", "sub", "mul", "div"):
            assert all(a.op != "neg" for a in node.args), node
        if node.op in ("mul", "div"):
            assert all(a.op != "const" or a.value >= 0 for a in node.args), node
        if node.op == "neg":
            assert node.args[0].op not in ("neg", "const"), node
    *_, forth, back = graph.results
    assert (forth.args[0] if forth.op == "neg" else forth) is (
        back.args[0] if back.op == "neg" else back
    ) or (forth.op == back.op == "const" and str(forth.value) == str(0.0 - back.value))


@settings(max_examples=200)
@given(EXPRESSIONS)
def test_no_node_is_made_twice_and_none_has_constants_only(expression):
    graph = traceable(expression, expression)
    assert graph.results[0] is graph.results[1]
    known = Counter((n.op, n.value, tuple(a.index for a in n.args)) for n in graph.builder.nodes)
    assert max(known.values()) == 1
    for node in graph.nodes:
        assert not node.args or any(a.op != "const" for a in node.args), node


# -- the rules, one by one -------------------------------------------------------------------------

RULES = {
    "x * 0": (lambda x, y: x * 0, lambda x, y: 0),
    "0 * x": (lambda x, y: 0.0 * x, lambda x, y: 0),
    "x * 1": (lambda x, y: x * 1, lambda x, y: x),
    "1 * x": (lambda x, y: 1.0 * x, lambda x, y: x),
    "x * -1": (lambda x, y: x * -1, lambda x, y: -x),
    "x + 0": (lambda x, y: x + 0, lambda x, y: x),
    "0 + x": (lambda x, y: 0.0 + x, lambda x, y: x),
    "x + -0.0": (lambda x, y: x + -0.0, lambda x, y: x),
    "x - 0": (lambda x, y: x - 0, lambda x, y: x),
    "0 - x": (lambda x, y: 0 - x, lambda x, y: -x),
    "x - x": (lambda x, y: x - x, lambda x, y: 0),
    "(x+y) - (y+x)": (lambda x, y: (x + y) - (y + x), lambda x, y: 0),
    "x + -x": (lambda x, y: x + -x, lambda x, y: 0),
    "- -x": (lambda x, y: (-x).__neg__(), lambda x, y: x),
    "+x": (lambda x, y: +x, lambda x, y: x),
    "x / 1": (lambda x, y: x / 1, lambda x, y: x),
    "x / -1": (lambda x, y: x / -1, lambda x, y: -x),
    "0 / x": (lambda x, y: 0 / x, lambda x, y: 0),
    "x + y": (lambda x, y: y + x, lambda x, y: x + y),
    "x * y": (lambda x, y: y * x, lambda x, y: x * y),
    "x + -y": (lambda x, y: x + -y, lambda x, y: x - y),
    "-x + y": (lambda x, y: -x + y, lambda x, y: y - x),
    "-x + -y": (lambda x, y: -x + -y, lambda x, y: -(x + y)),
    "x - -y": (lambda x, y: x - -y, lambda x, y: x + y),
    "-x - y": (lambda x, y: -x - y, lambda x, y: -(x + y)),
    "-x - -y": (lambda x, y: -x - -y, lambda x, y: y - x),
    "y - x": (lambda x, y: y - x, lambda x, y: -(x - y)),
    "-x * y": (lambda x, y: -x * y, lambda x, y: -(x * y)),
    "-x * -y": (lambda x, y: -x * -y, lambda x, y: x * y),
    "x * -2": (lambda x, y: x * -2, lambda x, y: -(x * 2)),
    "-x / y": (lambda x, y: -x / y, lambda x, y: -(x / y)),
    "x / -y": (lambda x, y: x / -y, lambda x, y: -(x / y)),
    "-x / -y": (lambda x, y: -x / -y, lambda x, y: x / y),
    "-3 / x": (lambda x, y: -3 / x, lambda x, y: -(3 / x)),
    "x ** 0": (lambda x, y: x**0, lambda x, y: 1),
    "x ** 1": (lambda x, y: x**1, lambda x, y: x),
    "x ** 2": (lambda x, y: x**2, lambda x, y: x * x),
    "x ** 5": (lambda x, y: x**5, lambda x, y: x * ((x * x) * (x * x))),
    "sin -x": (lambda x, y: px.math.sin(-x), lambda x, y: -px.math.sin(x)),
    "cos -x": (lambda x, y: px.math.cos(-x), lambda x, y: px.math.cos(x)),
    "abs -x": (lambda x, y: abs(-x), lambda x, y: abs(x)),
    "abs abs x": (lambda x, y: abs(abs(x)), lambda x, y: abs(x)),
    "abs sqrt x": (lambda x, y: abs(px.math.sqrt(x)), lambda x, y: px.math.sqrt(x)),
    "sign -x": (lambda x, y: px.math.sign(-x), lambda x, y: -px.math.sign(x)),
    "rint -x": (lambda x, y: px.math.rint(-x), lambda x, y: -px.math.rint(x)),
    "rint rint": (lambda x, y: px.math.rint(-px.math.rint(x)), lambda x, y: -px.math.rint(x)),
    "min x x": (lambda x, y: px.math.minimum(x, x), lambda x, y: x),
    "max x x": (lambda x, y: px.math.maximum(x, x), lambda x, y: x),
    "min y x": (lambda x, y: px.math.minimum(y, x), lambda x, y: px.math.minimum(x, y)),
    "y == x": (lambda x, y: px.math.equal(y, x), lambda x, y: px.math.equal(x, y)),
    "x > y": (lambda x, y: x > y, lambda x, y: y < x),
    "x >= y": (lambda x, y: x >= y, lambda x, y: y <= x),
    "select 1": (lambda x, y: px.math.select(px.math.less(1, 2), x, y), lambda x, y: x),
    "select 0": (lambda x, y: px.math.select(px.math.less(2, 1), x, y), lambda x, y: y),
    "select traced 1": (lambda x, y: px.math.select(x * 0 < 1, x, y), lambda x, y: x),
    "select traced 0": (lambda x, y: px.math.select(x * 0 > 1, x, y), lambda x, y: y),
    "select x x": (lambda x, y: px.math.select(x < y, y, y), lambda x, y: y),
    "2 * 3 + sqrt 4": (lambda x, y: x * (2 * 3 + px.math.sqrt(4.0)), lambda x, y: x * 8),
}


@pytest.mark.parametrize("rule", RULES)
def test_rules(rule):
    """Both sides are one and the same node."""
    left, right = RULES[rule]
    found = trace(lambda x, y: [left(x, y), right(x, y)], {"x": (), "y": ()}).results
    assert found[0] is found[1]


def test_folding_is_done_on_nodes_too():
    """Not only by Python before a node is made."""
    b = Builder()
    two, three, half = b.constant(2), b.constant(3), b.constant(0.5)
    folded = {
        "add": (two, three, 5.0),
        "sub": (two, three, -1.0),
        "mul": (two, three, 6.0),
        "div": (three, two, 1.5),
        "atan2": (two, three, math.atan2(2, 3)),
        "min": (two, three, 2.0),
        "max": (two, three, 3.0),
        "lt": (two, three, 1.0),
        "le": (three, two, 0.0),
        "eq": (two, two, 1.0),
        "neg": (half, -0.5),
        "sin": (half, math.sin(0.5)),
        "cos": (half, math.cos(0.5)),
        "sqrt": (half, math.sqrt(0.5)),
        "abs": (b.constant(-2), 2.0),
        "sign": (b.constant(-2), -1.0),
        "rint": (half, 0.0),
    }
    for op, (*arguments, value) in folded.items():
        node = b.make(op, *arguments)
        assert (node.op, node.value) == ("const", value), op
    assert folded.keys() | {"select", "fma"} == OPS.keys()


def test_a_difference_and_its_opposite_cost_one_subtraction():
    graph = trace(lambda x, y: [x - y, (y - x) * 2, 3 / (y - x)], {"x": (), "y": ()})
    assert count(graph).add == 1 and Counter(node.op for node in graph.nodes)["sub"] == 1


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
    "if": (branching, "write px.math.select"),
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
    "ragged": (lambda x: [[x], [x, x]], r"'result': rows of unequal shapes \[\(1,\), \(2,\)\]"),
    "mixed depth": (lambda x: [x, [x, x]], r"rows of unequal shapes \[\(\), \(2,\)\]"),
    "nothing": (lambda x: None, "found NoneType"),
    "text": (lambda x: "x", "found str"),
    "text times": (lambda x: x * "a", "found str"),
    "dict in dict": (lambda x: {"a": {"b": x}}, "found dict"),
    "complex": (lambda x: x * (1 + 2j), "found complex"),
    "complex64": (lambda x: x * np.complex64(1 + 2j), "found complex64"),
    "x ** -1": (lambda x: x**-1, "whole exponent >= 0, found -1"),
    "x ** 0.5": (lambda x: x**0.5, "whole exponent >= 0, found 0.5"),
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
    with pytest.raises(ProgramError, match="mark 'm': expected the number of a link, found 'arm'"):
        px.trace(lambda x: px.math.mark("m", "arm", x), x=())
    for shape in (0, -1, (2, 0), "ab"):
        with pytest.raises(ArgumentError, match="x: expected an ASCII name and positive sizes"):
            px.trace(lambda x: 1.0, x=shape)


# -- the interpreter -------------------------------------------------------------------------------


def test_evaluate_says_what_is_wrong_with_its_arrays():
    program = px.trace(lambda x, y: [x[0] + y, x[1]], x=2, y=())
    for arrays, message in (
        ({"x": [1, 2]}, r": missing \['y'\]$"),
        ({"x": [1, 2], "y": 1, "z": 1}, r": unexpected \['z'\]$"),
        ({"x": [1, 2], "z": 1}, r"inputs of .*: missing \['y'\], unexpected \['z'\]"),
        ({"x": [1, 2, 3], "y": 1}, r"x: expected an array of shape \(\.\.\., 2\), found \(3,\)"),
        ({"x": 1, "y": 1}, r"x: expected an array of shape \(\.\.\., 2\), found \(\)"),
        ({"x": np.ones((3, 2)), "y": np.ones(4)}, "batch shapes that broadcast"),
        ({"x": [1j, 2], "y": 1}, "x: expected an array of real numbers, found dtype complex128"),
        ({"x": ["a", "b"], "y": 1}, "x: expected an array of real numbers"),
        ({"x": [[1, 2], [3]], "y": 1}, "x: expected an array of numbers"),
    ):
        with pytest.raises(ArgumentError, match=message):
            program.evaluate(**arrays)
    assert program.evaluate(x=np.ones((0, 2)), y=1).shape == (0, 2)


def test_not_a_number_spoils_its_own_state_only_even_where_it_is_not_used():
    program = px.trace(lambda x: [x[0] * 2, px.math.maximum(x[1], 0.0)], x=3)  # x[2] is not used
    x = np.ones((7, 3))
    x[1, 0], x[3, 1], x[5, 2] = NAN, NAN, INF
    found = program.evaluate(x=x)
    assert np.isnan(found[1]).tolist() == [True, False] and np.isnan(found[3, 1])
    assert np.isnan(found[5]).all()
    assert np.array_equal(found[[0, 2, 4, 6]], [[2, 1]] * 4)


def test_operations_are_total_on_floats():
    """No input makes the interpreter raise; what has no value is not a number or infinite."""
    odd = (0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 1e308, 5e-324)
    for op, (arity, meaning, _) in OPS.items():
        for arguments in np.array(np.meshgrid(*[odd] * arity)).reshape(arity, -1).T.tolist():
            assert isinstance(meaning(*arguments), float), (op, arguments)
    assert math.isnan(OPS["sqrt"].meaning(-1.0)) and math.isnan(OPS["sin"].meaning(INF))
    assert OPS["div"].meaning(-1.0, 0.0) == -INF and OPS["div"].meaning(-1.0, -0.0) == INF
    assert math.isnan(OPS["div"].meaning(0.0, 0.0)) and math.isnan(OPS["sign"].meaning(NAN))
    assert math.isnan(OPS["min"].meaning(NAN, 1.0)) and math.isnan(OPS["max"].meaning(1.0, NAN))


NOT_FINITE = {
    "root of -1": (lambda x: px.math.sqrt(x * 0 - 1), NAN),
    "root of a float": (lambda x: x + px.math.sqrt(-1.0), NAN),
    "sine of infinity": (lambda x: px.math.sin(x * 0 + INF), NAN),
    "sine of an infinite float": (lambda x: x + px.math.sin(INF), NAN),
    "1 / 0": (lambda x: 1 / (x - x), INF),
    "-1 / 0": (lambda x: -1 / (x - x), -INF),
    "0 / 0": (lambda x: (x - x) / (x * 0), NAN),
    "x / 0": (lambda x: x / 0, INF),
    "(x - 2) / 0": (lambda x: (x - 2) / 0, NAN),
    "-x / 0": (lambda x: -x / 0, -INF),
    "overflow": (lambda x: x * ((x * 0 + 1e300) * 1e300), INF),
    "a sum that overflows": (lambda x: x + (-1.7e308 + (x * 0 - 1.7e308)), -INF),
    "infinity": (lambda x: x * -INF, -INF),
    "nan": (lambda x: NAN, NAN),
    "0 times infinity": (lambda x: 1 / (x - x) * 0, NAN),
    "infinity - infinity": (lambda x: (x * 0 + INF) - INF, NAN),
    "infinity / infinity": (lambda x: (x * 0 + INF) / INF, NAN),
    "0 times NaN": (lambda x: 0 * (px.math.sqrt(x * 0 - 1) + x), NAN),
    "NaN - NaN": (lambda x: (x * NAN) - (x * NAN), NAN),
    "clipped at infinity": (lambda x: px.math.minimum(px.math.maximum(x, -INF), INF), 2.0),
    "less than NaN": (lambda x: px.math.select(px.math.less(x, NAN), 1.0, x), 2.0),
    "the side of a select that is not taken": (
        lambda x: px.math.select(x > 1, x, 1 / (x - x)),
        2.0,
    ),
}


@pytest.mark.parametrize("case", NOT_FINITE)
def test_folding_of_constants_never_raises(case):
    """What is known while tracing is what arithmetic would have given at run time."""
    function, expected = NOT_FINITE[case]
    program = px.trace(function, x=())
    again = px.parse(program.text())
    assert again.text() == program.text()
    for each in (program, again):
        assert np.array_equal(each.evaluate(x=2.0), expected, equal_nan=True)


def test_text_with_constants_that_nothing_folded():
    """A text is taken as it is written, so that its constants meet at run time."""
    text = (
        "input x[1]\n%0 = const -1\n%1 = sqrt %0\n%2 = const 0\n%3 = div %0 %2\noutput r[2] = %1 %3"
    )
    program = px.parse(text)
    assert program.count().sqrt == 1
    assert np.array_equal(program.evaluate(x=[1.0]), [NAN, -INF], equal_nan=True)


def test_derivatives_and_passes_keep_constants_that_are_not_finite():
    program = px.trace(lambda x: [x * INF, px.math.minimum(x, INF) ** 2, x + NAN, 3 * x], x=())
    slopes = program.jacobian("result", "x").evaluate(x=2.0)
    assert slopes.tolist() == [INF, 4, 0, 3]  # NaN is a constant
    for change in (share, factor, balance):
        found = evaluate(change(program.graph), {"x": 2.0})["result"]
        assert np.array_equal(found, [INF, 4, NAN, 6], equal_nan=True)


def test_rounding_is_that_of_ieee_754():
    """roundToIntegralTiesToEven, to the sign of a zero, up to where every number is whole."""
    known = {0.5: 0.0, 1.5: 2.0, 2.5: 2.0, 0.49999999999999994: 0.0, 2.0**51 + 0.5: 2.0**51}
    known |= {2.0**51 + 1.5: 2.0**51 + 2, 2.0**52 - 0.5: 2.0**52, 2.0**52 + 1: 2.0**52 + 1}
    known |= {0.0: 0.0, 5e-324: 0.0, 1e308: 1e308, INF: INF}
    for x, rounded in known.items():
        for sign in (1.0, -1.0):
            found = OPS["rint"].meaning(sign * x)
            assert (found, math.copysign(1, found)) == (sign * rounded, sign), x
    assert math.isnan(OPS["rint"].meaning(NAN))


# -- marks -----------------------------------------------------------------------------------------

MODULES = {
    "newton_euler": newton_euler,
    "modified_newton_euler": modified_newton_euler,
    "spatial": spatial_newton_euler,
}
INERTIAL = ("inertial_force", "inertial_moment")
INWARD = ("force", "moment", "carried_force", "carried_moment")
MARKS = {
    "newton_euler": ("omega", "alpha", "acceleration", "com_acceleration", *INERTIAL, *INWARD),
    "modified_newton_euler": ("omega", "alpha", "lambda", "acceleration", *INERTIAL, *INWARD),
    "spatial": ("velocity", "acceleration", "force"),
}


@pytest.mark.parametrize("algorithm", MODULES)
@pytest.mark.parametrize("source", range(4))
def test_marked_values_are_those_of_the_recursion_on_floats(algorithm, source, monkeypatch):
    robot = random_robot(source) if source else px.load("puma560")
    seen = {}

    def record(name, link, value):
        seen[f"{name}.{link}"] = [float(v) for v in value.scalars()]
        return value

    monkeypatch.setattr(MODULES[algorithm], "mark", record)
    monkeypatch.setattr(inward, "mark", record)
    state = [list(rows[1]) for rows in states(robot, 2)]
    tau = ALGORITHMS["inverse_dynamics"][algorithm](Model(robot), *state)
    monkeypatch.undo()

    program = px.program(robot, algorithm=algorithm)
    assert set(program.marks) <= set(MARKS[algorithm])  # nothing is carried where links are single
    program = program.with_marks(*program.marks)
    found = program.evaluate(**dict(zip(("q", "qd", "qdd"), state, strict=True)))
    assert np.array_equal(found.pop("tau"), tau)
    for name, values in found.items():
        assert np.array_equal(values, seen[name]), name
    # only values that never change have nothing to mark
    still = {name for name, values in seen.items() if name not in found}
    assert all(not any(seen[name]) or "acceleration." in name for name in still)
    assert {f"force.{i}" for i in range(robot.n)} <= found.keys()


def test_marks_outlive_simplification_passes_and_text():
    def function(x):
        hidden = px.math.mark("hidden", 2, x[0] * x[1])  # the result does not need it
        px.math.mark("pair", 0, [x[0] + 0, hidden * 1])
        px.math.mark("vector", 1, Vector(x[0], 0.0, x[1]))
        return px.math.mark("seen", 3, x[0] + x[1]) * 2

    program = px.trace(function, x=2)
    expected = {"hidden.2": [12], "pair.0": [3, 12], "vector.1": [3, 0, 4], "seen.3": [7]}
    rebuilt = rebuild(program.graph, lambda builder, node, arguments: None)
    for graph in (program.graph, px.parse(program.text()).graph, rebuilt):
        found = evaluate(graph.with_marks("hidden", "pair", "vector", "seen"), {"x": [3, 4]})
        assert found.pop("result") == 14
        assert {name: values.tolist() for name, values in found.items()} == expected
    only = program.with_marks("seen")
    assert only.outputs == {"result": (), "seen.3": (1,)}
    assert program.count().mul == 1 and program.with_marks("hidden").count().mul == 2
    with pytest.raises(ArgumentError, match=r"mark: expected one of 'hidden', .*found 'omega'"):
        program.with_marks("omega")


def test_a_mark_returns_its_value_and_means_nothing_to_floats():
    vector = Vector(1.0, 2.0, 3.0)
    assert px.math.mark("m", 0, vector) is vector and px.math.mark("m", 0, 2.5) == 2.5


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
    robot = random_robot(2, joints=(5, 5))  # a chain
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


# -- text ------------------------------------------------------------------------------------------


@settings(max_examples=150)
@given(st.lists(EXPRESSIONS, min_size=1, max_size=4), POINTS)
def test_text_reads_back_to_the_same_graph(expressions, x):
    graph = traceable(*expressions)
    text = px.Program.of(graph).text()
    again = px.parse(text)
    assert again.text() == text
    before, after = evaluate(graph, {"x": x}), evaluate(again.graph, {"x": x})
    assert before["result"].tobytes() == after["result"].tobytes()
    assert count(again.graph) == count(graph) and depth(again.graph) == depth(graph)


@settings(max_examples=100)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_constants_read_back_to_the_same_bits(values):
    program = px.trace(lambda x: [x + v * v0 for v in values for v0 in (1.0, -1.0)], x=())
    assert px.parse(program.text()).text() == program.text()
    assert px.parse(program.text()).evaluate(x=0.0).tolist() == program.evaluate(x=0.0).tolist()


@pytest.mark.parametrize("algorithm", [None, *CHEAP])
@pytest.mark.parametrize("name", ["puma560", "stanford", "random"])
def test_real_programs_read_back_with_their_marks(name, algorithm):
    robot = random_robot(4) if name == "random" else px.load(name)
    program = px.program(
        robot, algorithm=algorithm, parameters=() if algorithm is None else ["mass"]
    )
    again = px.parse(program.text())
    assert str(again) == program.text()
    assert again.inputs == program.inputs and again.outputs == program.outputs
    assert again.graph.marks.keys() == program.graph.marks.keys()
    assert (again.count(), again.depth()) == (program.count(), program.depth())
    q, qd, qdd = states(robot, 2)
    arrays = {"q": q, "qd": qd, "qdd": qdd}
    if "mass" in program.inputs:
        arrays["mass"] = px.parameter_values(robot, "mass")
    assert program.evaluate(**arrays).tobytes() == again.evaluate(**arrays).tobytes()


def test_fused_programs_read_back():
    graph = fuse(px.program(px.load("planar3")).graph)
    again = px.parse(px.Program.of(graph).text())
    assert "fma" in again.text() and count(again.graph) == count(graph)


def test_the_text_is_what_the_documentation_shows():
    program = px.trace(
        lambda q, k: {"tau": [px.math.mark("pull", 1, px.math.sin(q[1]) * 9.81) - k]}, q=2, k=()
    )
    assert program.text() == (
        "program program\n"
        "input q[2] k\n"
        "%0 = input q 1\n"
        "%1 = input k 0\n"
        "%2 = sin %0\n"
        "%3 = const 9.81\n"
        "%4 = mul %2 %3\n"
        "%5 = sub %1 %4\n"
        "%6 = neg %5\n"
        "mark pull 1 = %4\n"
        "output tau[1] = %6\n"
    )


HEAD = "program p\ninput x y[2]\n%0 = input x 0\n"
BAD_LINES = [
    "program",
    "program two words",
    "hello world",
    "%1 input x 0",
    "v = input x 0",
    "input z[0]",
    "input z[-1]",
    "input z[a]",
    "input z]2[",
    "input x",
    "input 1st",
    "%1 = const 1e999",
    "%1 = const one",
    "%1 = const",
    "%1 = const 1 2",
    "%1 = input x 1",
    "%1 = input y 2",
    "%1 = input y -1",
    "%1 = input y one",
    "%1 = input z 0",
    "%1 = input x",
    "%1 = tan %0",
    "%1 = add %0",
    "%1 = sin %0 %0",
    "%1 = add %0 %2",
    "%1 = add %0 %1",
    "%0 = input y 0",
    "mark m = %0",
    "mark m arm = %0",
    "mark m 1 %0",
    "mark m 1 = %9",
    "output a[2] = %0",
    "output a =",
    "output a %0",
    "output a = %9",
    "output a[ = %0",
    "output a% = %0",
]


@pytest.mark.parametrize("line", BAD_LINES)
def test_a_line_that_cannot_be_read_is_named(line):
    px.parse(HEAD + "output r = %0\n")
    with pytest.raises(ProgramError, match=r"^line 4: cannot read ") as caught:
        px.parse(HEAD + line + "\noutput r = %0\n")
    assert repr(line) in str(caught.value)


def test_a_text_without_outputs_or_of_another_type():
    for text in ("", "\n\n", HEAD):
        with pytest.raises(ProgramError, match="expected at least one output line"):
            px.parse(text)
    with pytest.raises(ProgramError, match=r"line 5: .*r is defined twice"):
        px.parse(HEAD + "output r = %0\noutput r = %0\n")
    for other in (None, b"program p", 3):
        with pytest.raises(ProgramError, match="expected str, found"):
            px.parse(other)


PLANAR = px.program(px.robots.planar(3), algorithm="newton_euler").text().splitlines()


@settings(max_examples=150)
@given(st.randoms(use_true_random=False))
def test_any_damage_to_a_text_gives_a_program_or_a_program_error(rng):
    lines = list(PLANAR)
    for _ in range(rng.randint(1, 3)):
        k = rng.randrange(len(lines))
        words = lines[k].split()
        match rng.randint(0, 3):
            case 0:
                del lines[k]
            case 1 if words:
                del words[rng.randrange(len(words))]
                lines[k] = " ".join(words)
            case 2 if words:
                words[rng.randrange(len(words))] = rng.choice(
                    ["%0", "%7", "=", "q", "-1", "[", "fma"]
                )
                lines[k] = " ".join(words)
            case _:
                lines.insert(k, rng.choice(lines))
    try:
        program = px.parse("\n".join(lines))
    except ProgramError:
        return
    assert px.parse(program.text()).text() == program.text()


# -- what a graph must be --------------------------------------------------------------------------


def broken_graphs():
    """(why, graph) of graphs no builder would make."""
    b = Builder()
    x = b.input("x", 0)

    def graph(*nodes, shape=None, inputs=None, output="r", marks=None, name="p"):
        outputs = {output: ((len(nodes),) if shape is None else shape, nodes)}
        return Graph({"x": ()} if inputs is None else inputs, outputs, marks or {}, name)

    check(graph(x, b.add(x, b.one)))
    yield "shape", graph(x, shape=(2,))
    yield "unknown operation", graph(Node(b, 100, "tan", (x,), None))
    yield "wrong number of arguments", graph(Node(b, 100, "add", (x,), None))
    yield "no such input entry", graph(x, inputs={"y": ()})
    yield "no such input entry", graph(b.input("x", 1))
    late = Node(b, 101, "sin", (x,), None)
    yield "before it is computed", graph(Node(b, 100, "cos", (late,), None))
    yield "another trace", graph(x, Builder().input("x", 0))
    stranger = Builder().input("x", 0)  # of the same index as x, so that neither hides the other
    yield "another trace", graph(Node(b, 100, "sin", (stranger,), None), x)
    yield "output 'a b': expected a name", graph(x, output="a b")
    yield "input '': expected a name", graph(x, inputs={"x": (), "": ()})
    yield "program 'a b': expected a name", graph(x, name="a b")
    yield "mark 1: expected a name", graph(x, marks={(1, 0): (x,)})
    yield "expected the number of a link", graph(x, marks={("m", None): (x,)})


def test_check_finds_what_is_wrong():
    for why, graph in broken_graphs():
        with pytest.raises(ProgramError, match=why):
            check(graph)
        with pytest.raises(ProgramError, match=why):
            px.Program.of(graph)


# -- counting --------------------------------------------------------------------------------------


def numbers(program):
    c, d = program.count(), program.depth()
    return (c.mul, c.add, c.div, c.sqrt, c.trig, c.logic, c.flops), (d.mul, d.add, d.flops)


def test_counts_and_depths_by_hand():
    counted = px.trace(lambda a, b, c: (a + b) * c, a=(), b=(), c=())
    assert numbers(counted) == ((1, 1, 0, 0, 0, 0, 2), (1, 1, 2)) and counted.width() == [1, 1]
    # a polynomial, Horner: every operation waits for the one before
    horner = px.trace(lambda x: ((2 * x + 3) * x + 4) * x + 5, x=())
    assert numbers(horner) == ((3, 3, 0, 0, 0, 0, 6), (3, 3, 6)) and horner.width() == [1] * 6
    # a dot product as Vector writes it: three products at once, then two sums in a row
    dot = px.trace(lambda a, b: Vector(*a) @ Vector(*b), a=3, b=3)
    assert numbers(dot) == ((3, 2, 0, 0, 0, 0, 5), (1, 2, 3)) and dot.width() == [3, 1, 1]
    # 3x3 times vector: 9 products, 6 sums, 3 rows at once
    product = px.trace(lambda m, v: Rotation(*m) @ Vector(*v), m=(3, 3), v=3)
    assert numbers(product) == ((9, 6, 0, 0, 0, 0, 15), (1, 2, 3)) and product.width() == [9, 3, 3]
    matrices = px.trace(lambda m: [list(r) for r in Rotation(*m) @ Rotation(*m)], m=(3, 3))
    assert matrices.count().mul == 27 - 3 and matrices.count().add == 18  # 3 products are shared
    m = np.arange(9.0).reshape(3, 3)
    assert np.array_equal(matrices.evaluate(m=m), m @ m)
    # signs are free; sines, roots, quotients and choices have counters of their own
    odd = px.trace(
        lambda x: -px.math.sin(-x) / px.math.sqrt(abs(x)) - px.math.maximum(x, px.math.cos(x)), x=()
    )
    assert numbers(odd) == ((0, 1, 1, 1, 2, 2, 3), (0, 1, 3)) and odd.width() == [1, 1, 1]
    assert str(odd.count()) == "3 flops (1 add, 1 div, 1 sqrt, 2 trig, 2 logic)"
    # the longest path is not through the most operations
    wide = px.trace(lambda x: sum(x[:4]) + x[4] * x[5] * x[6], x=7)
    assert wide.depth(balanced=False).flops == 4 and wide.width(balanced=False) == [2, 2, 1, 1]
    # and a balanced sum is shorter
    assert wide.depth().flops == 3 and wide.width() == [3, 2, 1]
    # constants and inputs alone cost nothing
    free = px.trace(lambda x: [x, -x, 5.0], x=())
    assert numbers(free) == ((0,) * 7, (0, 0, 0)) and free.width() == []
    assert repr(counted) == "<Program program(a[], b[], c[]) -> result[]: 2 flops (1 mul, 1 add)>"


def test_what_an_output_does_not_need_is_not_counted():
    def function(x):
        px.math.sqrt(x) * 3  # forgotten
        return x + 1

    assert px.trace(function, x=()).count().flops == 1


def consistent(graph):
    total, longest, busy = count(graph), depth(graph), width(graph)
    assert sum(busy) == total.flops and len(busy) == longest.flops
    assert all(busy) or total.flops == 0
    assert longest.mul <= total.mul and longest.add <= total.add
    assert longest.mul + longest.add <= longest.flops
    level = levels(graph)
    for node in graph.nodes:
        for argument in node.args:
            assert level[argument.index] <= level[node.index]


@settings(max_examples=150)
@given(st.lists(EXPRESSIONS, min_size=1, max_size=4))
def test_counts_depths_and_widths_agree(expressions):
    graph = traceable(*expressions)
    consistent(graph)
    consistent(fuse(graph))


@pytest.mark.parametrize("name", ["puma560", "stanford", "ur5", "planar3"])
def test_counts_depths_and_widths_of_robots_agree(name):
    for algorithm in CHEAP:
        graph = px.program(px.load(name), algorithm=algorithm).graph
        consistent(graph)
        consistent(fuse(graph))


# -- passes ----------------------------------------------------------------------------------------


def topological(nodes):
    seen = set()
    for node in nodes:
        assert all(a.index in seen for a in node.args), node
        seen.add(node.index)


def well_fused(graph, fused):
    """The same counts, and no product that is also computed, or fused, elsewhere."""
    check(fused)
    assert count(fused) == count(graph)
    uses = Counter(a.index for node in graph.nodes for a in node.args)
    uses.update(node.index for node in graph.results)
    products = [node for node in graph.nodes if node.op == "mul"]
    once = sum(uses[node.index] == 1 for node in products)
    made = Counter(node.op for node in fused.nodes)
    assert made["mul"] + made["fma"] == len(products) and made["fma"] <= once
    # a product used once, by a sum, is always fused, unless that sum took its other one
    sums = [n for n in graph.nodes if n.op in ("add", "sub")]
    fusable = sum(any(a.op == "mul" and uses[a.index] == 1 for a in node.args) for node in sums)
    assert made["fma"] == fusable

    def bare(node):
        return node.args[0].index if node.op == "neg" else node.index

    factors = Counter(
        tuple(sorted(map(bare, node.args[:2])))
        for node in fused.nodes
        if node.op in ("mul", "fma")
        and not any(a.op == "const" for a in node.args[:2])  # -2 and 2 are two nodes
    )
    assert not factors or max(factors.values()) == 1


@settings(max_examples=200)
@given(st.lists(EXPRESSIONS, min_size=1, max_size=4), POINTS)
def test_fusing_keeps_values_and_counts(expressions, x):
    for expression in expressions:
        finite(expression, x)
    graph = graph_of(*expressions)
    fused = fuse(graph)
    well_fused(graph, fused)
    before, after = (evaluate(g, {"x": x})["result"] for g in (graph, fused))
    assert np.array_equal(before, after)  # the interpreter's multiply-add rounds twice


@pytest.mark.parametrize("name", ["puma560", "stanford", "random"])
def test_fusing_robots(name):
    robot = random_robot(4) if name == "random" else px.load(name)
    q, qd, qdd = states(robot, 2)
    for algorithm in CHEAP:
        graph = px.program(robot, algorithm=algorithm).graph
        fused = fuse(graph)
        well_fused(graph, fused)
        assert Counter(node.op for node in fused.nodes)["fma"] > 20
        before, after = (evaluate(g, {"q": q, "qd": qd, "qdd": qdd})["tau"] for g in (graph, fused))
        assert relative_error(after, before) <= 1e-13


def test_fusing_by_hand():
    def ops(function, n):
        graph = fuse(trace(lambda x: function(*x), {"x": (n,)}))
        return sorted(node.op for node in graph.nodes if node.op not in ("input", "neg"))

    assert ops(lambda a, b, c: a * b + c, 3) == ["fma"]
    assert ops(lambda a, b, c: a * b - c, 3) == ["fma"]
    assert ops(lambda a, b, c: c - a * b, 3) == ["fma"]
    assert ops(lambda a, b, c, d: a * b + c * d, 4) == ["fma", "mul"]
    assert ops(lambda a, b, c: [a * b + c, a * b - c], 3) == ["add", "mul", "sub"]  # used twice
    assert ops(lambda a, b, c: [a * b + c, a * b], 3) == ["add", "mul"]  # also a result
    assert ops(lambda a, b: a * b + a * b, 2) == ["add", "mul"]
    assert ops(lambda a, b, c: (a + b) * c, 3) == ["add", "mul"]
    for function in (
        lambda a, b, c: a * b + c,
        lambda a, b, c: a * b - c,
        lambda a, b, c: c - a * b,
        lambda a, b, c: -(a * b) - c,
    ):
        graph = trace(lambda x, f=function: f(*x), {"x": (3,)})
        assert evaluate(fuse(graph), {"x": [2, 3, 5]})["result"] == function(2, 3, 5)


def test_of_two_products_the_one_ready_last_is_fused():
    """It gains from skipping a step: the other is done by then."""
    graph = fuse(trace(lambda a, b, c: a * b + a * ((b + c) * c), {"a": (), "b": (), "c": ()}))
    (fma,) = (node for node in graph.nodes if node.op == "fma")
    assert {a.op for a in fma.args[:2]} == {"input", "mul"} and fma.args[2].op == "mul"


@settings(max_examples=100)
@given(st.lists(EXPRESSIONS, min_size=1, max_size=4))
def test_orders_compute_arguments_first(expressions):
    graph = traceable(*expressions)
    for order in (graph.nodes, trig_first(graph), trig_first(fuse(graph))):
        topological(order)
    assert sorted(n.index for n in trig_first(graph)) == [n.index for n in graph.nodes]


def test_sines_stand_first():
    graph = px.program(px.load("puma560")).graph
    order = trig_first(graph)
    topological(order)
    last = max(k for k, node in enumerate(order) if node.op in ("sin", "cos"))
    needed = {"sin", "cos", "input", "const", "neg"}
    assert {node.op for node in order[: last + 1]} <= needed
    assert len(order) == len(graph.nodes) == len(set(order))


@settings(max_examples=60)
@given(st.lists(EXPRESSIONS, min_size=1, max_size=3))
def test_rebuilding_without_a_rule_changes_nothing(expressions):
    graph = traceable(*expressions)
    again = rebuild(graph, lambda builder, node, arguments: None)
    assert again.builder is not graph.builder
    assert px.Program.of(check(again)).text() == px.Program.of(graph).text()


def test_rebuilding_with_a_rule():
    """A pass that doubles every sine."""
    graph = trace(
        lambda x: [px.math.sin(x[0]) + x[1], px.math.mark("s", 0, px.math.sin(x[1]))], {"x": (2,)}
    )

    def rule(builder, node, arguments):
        if node.op == "sin":
            return builder.mul(builder.constant(2), builder.sin(*arguments))
        return None

    doubled = check(rebuild(graph, rule))
    found = evaluate(doubled.with_marks("s"), {"x": [0.3, 0.4]})
    assert found["result"].tolist() == [2 * math.sin(0.3) + 0.4, 2 * math.sin(0.4)]
    assert found["s.0"].tolist() == [2 * math.sin(0.4)]


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
        with pytest.raises(TraceError, match=r"px\.equal"):
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
