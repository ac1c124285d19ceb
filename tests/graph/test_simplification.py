"""Simplification while tracing: values stay the same to the bit, and the rules one by one."""

import math
from collections import Counter

import pytest
from hypothesis import given, settings
from support.expressions import EXPRESSIONS, POINTS, finite, graph_of, traceable

import paraxis as px
from paraxis.graph.evaluate import evaluate
from paraxis.graph.node import Builder
from paraxis.graph.operations import OPS
from paraxis.graph.trace import trace
from paraxis.passes.count import count

# -- random expressions ----------------------------------------------------------------------------


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
        "floor": (b.constant(-0.5), -1.0),
        "fmod": (b.constant(-3), two, -1.0),
        "tan": (half, math.tan(0.5)),
        "asin": (half, math.asin(0.5)),
        "acos": (half, math.acos(0.5)),
        "exp": (half, math.exp(0.5)),
        "log": (half, math.log(0.5)),
        "tanh": (half, math.tanh(0.5)),
        "and": (two, b.zero, 0.0),
        "or": (two, b.zero, 1.0),
        "not": (two, 0.0),
    }
    for op, (*arguments, value) in folded.items():
        node = b.make(op, *arguments)
        assert (node.op, node.value) == ("const", value), op
    assert folded.keys() | {"select", "fma"} == OPS.keys()


def test_a_difference_and_its_opposite_cost_one_subtraction():
    graph = trace(lambda x, y: [x - y, (y - x) * 2, 3 / (y - x)], {"x": (), "y": ()})
    assert count(graph).add == 1 and Counter(node.op for node in graph.nodes)["sub"] == 1
