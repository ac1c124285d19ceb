"""Fusing, ordering and rebuilding a graph."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.expressions import EXPRESSIONS, POINTS, finite, graph_of, traceable
from support.robots import random_robot, relative_error, states

import paraxis as px
from paraxis.graph.check import check
from paraxis.graph.evaluate import evaluate
from paraxis.graph.trace import trace
from paraxis.passes.count import count
from paraxis.passes.fuse import fuse
from paraxis.passes.order import trig_first
from paraxis.passes.rebuild import rebuild
from paraxis.physics import CHEAP


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
            return builder.mul(builder.constant(2), builder.make("sin", *arguments))
        return None

    doubled = check(rebuild(graph, rule))
    found = evaluate(doubled.with_marks("s"), {"x": [0.3, 0.4]})
    assert found["result"].tolist() == [2 * math.sin(0.3) + 0.4, 2 * math.sin(0.4)]
    assert found["s.0"].tolist() == [2 * math.sin(0.4)]
