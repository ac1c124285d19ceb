"""Graphs divided among processors that meet at barriers, run as such processors would run them."""

from collections import defaultdict

import numpy as np
import pytest

import paraxis as px
from paraxis.graph.evaluate import evaluate
from paraxis.graph.operations import LEAVES, OPS
from paraxis.passes.fuse import fuse
from paraxis.passes.phases import FREE, Machine, divide


def machine(processors, issue=2, latency=8):
    return Machine(processors, defaultdict(lambda: issue), defaultdict(lambda: latency))


def run(division, **given):
    """The outputs. Within a phase processors run one after another, in either order: a place that
    one stores to and another loads from, or stores to as well, would show."""
    found = []
    for order in (1, -1):
        processors = [*enumerate(division.rows)][::order]
        memory, values = {}, [{} for _ in processors]
        for phase in range(division.phases):
            before = dict(memory)
            for k, rows in processors:
                _compute(division, k, rows[phase], values[k], before, memory, given)
        found.append(
            {
                name: [
                    _leaf(node, given)
                    if node.op in LEAVES
                    else values[division.home(node)][node.index]
                    for node in nodes
                ]
                for name, (_, nodes) in division.graph.outputs.items()
            }
        )
    assert found[0] == found[1]
    return found[0]


def _compute(division, k, nodes, values, memory, after, given):
    def value(node):
        if node.op in LEAVES:
            return _leaf(node, given)
        if node.index not in values:  # made by another, and stored before this phase
            assert division.senders[node.index] != k
            values[node.index] = memory[division.places[node.index]]
        return values[node.index]

    for node in nodes:
        values[node.index] = OPS[node.op].meaning(*map(value, node.args))
        if division.senders.get(node.index) == k:
            after[division.places[node.index]] = values[node.index]


def _leaf(node, given):
    return node.value if node.op == "const" else np.ravel(given[node.value[0]])[node.value[1]]


def agree(graph, processors, issue=2, **given):
    division = divide(graph, machine(processors, issue))
    expected = evaluate(graph, {name: np.asarray(x, float) for name, x in given.items()})
    for name, found in run(division, **given).items():
        assert found == np.ravel(expected[name]).tolist()
    return division


def random_graph(seed, inputs=6, count=400):
    rng = np.random.default_rng(seed)

    def function(x):
        values = [*x, 1.5]
        for _ in range(count):
            a, b = (values[-1 - min(len(values) - 1, int(rng.exponential(40)))] for _ in "ab")
            kind = rng.integers(7)
            if kind == 0:
                made = [px.math.sin(a), px.math.cos(a)]
            elif kind == 1:
                made = [-a]
            elif kind == 2:
                made = [a / (2.0 + b * b)]
            else:
                made = [(a + 0.9 * b) * 0.5 if kind < 6 else a * px.math.cos(b)]
            values += made
        return {"last": values[-30:], "some": [-values[40], values[0], 3.0, values[100]]}

    return fuse(px.trace(function, x=inputs).graph)


@pytest.mark.parametrize("processors", (1, 2, 4, 7))
@pytest.mark.parametrize("seed", range(4))
def test_random_graphs(seed, processors):
    given = np.random.default_rng(seed).normal(size=6)
    division = agree(random_graph(seed), processors, x=given)
    if processors == 1:
        assert not division.places


def test_random_graphs_need_messages():
    assert all(divide(random_graph(seed), machine(4)).size > 5 for seed in range(4))


def test_a_step_of_a_robot_is_divided_evenly():
    robot = px.load("ur5")
    graph = fuse(px.program(robot, "forward_dynamics").graph)
    rng = np.random.default_rng(0)
    given = {name: rng.normal(size=6) for name in ("q", "qd", "tau")}
    alone, four = (agree(graph, count, 4, **given) for count in (1, 4))
    work = [sum(node.op not in FREE for line in rows for node in line) for rows in four.rows]
    assert max(work) < 2 * min(work)
    assert four.cycles < 0.6 * alone.cycles
    assert 1 < four.phases < 20


def test_independent_results_need_no_messages():
    graph = px.trace(lambda x: [(a * a + 1.0) / (a + 2.0) for a in x], x=4).graph
    division = agree(graph, 4, x=[1.0, 2.0, 3.0, 4.0])
    assert division.phases == 1 and not division.places
    assert all(rows[0] for rows in division.rows)


def test_outputs_may_be_leaves_and_sign_changes():
    def function(x):
        y = x[0] * x[1]
        return {"a": [x[0], -x[1], 2.0, -y, y], "b": -px.math.sin(y)}

    for processors in (1, 3):
        agree(px.trace(function, x=2).graph, processors, x=[0.3, -0.7])


def test_a_sine_stays_with_its_cosine():
    division = divide(random_graph(1), machine(4))
    for rows in division.rows:
        for line in rows:
            pairs = [node.args[0].index for node in line if node.op in ("sin", "cos")]
            both = {n.args[0].index for n in division.graph.nodes if n.op == "sin"} & {
                n.args[0].index for n in division.graph.nodes if n.op == "cos"
            }
            assert all(pairs.count(angle) == 2 for angle in pairs if angle in both)
