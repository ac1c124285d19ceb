"""Orders with few values alive, and graphs in parts: what is right in any, and what is gained."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from support.robots import random_robot

import paraxis as px
from paraxis.graph.graph import reachable
from paraxis.passes import order as order_module
from paraxis.passes.fuse import fuse
from paraxis.passes.order import at_once, few_alive, late_inputs, most_alive, result_by_result
from paraxis.passes.split import Part, parts

# -- orders --------------------------------------------------------------------------------------


def humanoid():
    """Five limbs of three joints on a trunk."""
    robot = random_robot(3, joints=(16, 16))
    parents = [-1, *(0 if k % 3 == 0 else k for k in range(15))]
    joints = [replace(j, parent=p) for j, p in zip(robot.joints, parents, strict=True)]
    return replace(robot, joints=joints)


@cache
def torques(of):
    return fuse(px.program(humanoid() if of == "limbs" else px.load("ur5")).graph)


def check_order(order, graph):
    """All nodes that are needed, each once, after its arguments."""
    place = {node.index: k for k, node in enumerate(order)}
    assert len(order) == len(place) and place.keys() == {node.index for node in graph.nodes}
    for k, node in enumerate(order):
        assert all(place[argument.index] < k for argument in node.args)


@pytest.mark.parametrize("of", ("limbs", "chain"))
def test_arguments_are_computed_first(of):
    graph = torques(of)
    orders = late_inputs(graph.nodes), result_by_result(graph), few_alive(graph)
    for results in (graph.results, graph.results[::-1]):
        orders += (at_once(graph.nodes, results),)
    for order in orders:
        check_order(order, graph)


def test_results_are_computed_one_after_the_other():
    """Nothing comes before a result but what it or earlier ones need."""
    graph, needed = torques("limbs"), set()
    place = {node.index: k for k, node in enumerate(result_by_result(graph))}
    for result in graph.results:
        needed |= {node.index for node in reachable([result])}
        assert max(place[index] for index in needed) + 1 == len(needed)


def test_the_deepest_argument_comes_first():
    graph = px.trace(lambda x: x[0] * px.math.sqrt(px.math.sqrt(x[1])), x=2).graph
    assert [node.op for node in result_by_result(graph)] == [
        "input",
        "sqrt",
        "sqrt",
        "input",
        "mul",
    ]


def test_how_many_values_are_alive():
    """By hand, of (a + b) * (c + d): arguments live until what needs them is made."""
    graph = px.trace(lambda x: (x[0] + x[1]) * (x[2] + x[3]), x=4).graph
    a, b, c, d, left, right, product = sorted(graph.nodes, key=lambda node: node.op != "input")
    assert [node.op for node in (a, d, left, right, product)] == [
        *["input"] * 2,
        "add",
        "add",
        "mul",
    ]
    assert most_alive([a, b, c, d, left, right, product]) == 5  # a b c d left
    assert most_alive([a, b, left, c, d, right, product]) == 4  # left c d right
    assert most_alive([a]) == 1 and most_alive([]) == 0
    with_constant = px.trace(lambda x: 2.0 * x, x=()).graph
    assert most_alive(with_constant.nodes) == 2  # no register is needed for the constant


def test_results_that_nothing_needs_are_not_kept():
    """They are stored as they are made."""
    graph = px.trace(lambda x: [px.math.sqrt(x), px.math.sin(x), px.math.cos(x), -x], x=()).graph
    assert most_alive(graph.nodes) == 2


def test_inputs_come_late():
    graph = px.trace(lambda x: px.math.sqrt(x[0]) + x[1], x=2).graph
    early = sorted(graph.nodes, key=lambda node: node.op != "input")
    assert [node.op for node in late_inputs(early)] == ["input", "sqrt", "input", "add"]


def test_the_better_order_is_taken():
    """Along a chain as it was traced; of limbs one after the other."""
    for of in ("limbs", "chain"):
        graph = torques(of)
        traced, by_result = (
            most_alive(late_inputs(graph.nodes)),
            most_alive(result_by_result(graph)),
        )
        assert (traced < by_result) == (of == "chain")
        assert most_alive(few_alive(graph)) == min(traced, by_result) <= most_alive(graph.nodes)


def test_what_replaces_a_value_is_computed_at_once(monkeypatch):
    """Where registers are short: of limbs fewer values are alive then than in any other order."""
    graph = torques("limbs")
    usual = most_alive(few_alive(graph))
    monkeypatch.setattr(order_module, "ENOUGH", usual - 1)
    assert most_alive(few_alive(graph)) < usual
    wave = px.trace(lambda x: [px.math.sin(x[0]) + x[1], x[0] * 2.0], x=2).graph
    ops = [node.op for node in at_once(wave.nodes, wave.results) if node.op != "const"]
    assert ops.index("mul") == ops.index("sin") + 1  # x[0] is not needed any more


# -- parts ---------------------------------------------------------------------------------------


def tables():
    """Rows of two matrices share much, rows of the vector little; and a number alone."""

    def run(x):
        waves = [px.math.sin(x[k]) for k in range(12)]
        rows = [
            sum((waves[j] * (1.0 + j + 4 * k) for j in range(3 * k, 3 * k + 3)), 0.0)
            for k in range(4)
        ]
        return {
            "a": [[row * w for w in waves[3 * k : 3 * k + 2]] for k, row in enumerate(rows)],
            "b": [[row + w for w in waves[3 * k : 3 * k + 3]] for k, row in enumerate(rows)],
            "c": [w * x[0] for w in waves[:5]],
            "d": x[0] + x[11],
        }

    return fuse(px.trace(run, x=12).graph)


@pytest.mark.parametrize("most", (1, 5, 6, 8, 12))
def test_parts_have_every_result_once(most):
    graph = tables()
    found = parts(graph, most, dearest=1e9)
    for name, (_, nodes) in graph.outputs.items():
        ranges = [part.ranges[name] for part in found if name in part.ranges]
        assert [k for entries in ranges for k in entries] == list(range(len(nodes)))
    for part in found:
        assert part.alive == most_alive(part.order)
        assert part.alive <= most or len(part.rows) == 1
        check_order(part.order, part)
        wanted = [graph.outputs[name][1][k] for name, ks in part.ranges.items() for k in ks]
        assert {node.index for node in wanted} == {node.index for node in part.results}
    for part, following in pairwise(found):  # as long as they can be
        assert Part(graph, [*part.rows, following.rows[0]]).alive > most


def test_rows_of_the_same_number_are_cut_together():
    graph = tables()
    found = parts(graph, 1, dearest=1e9)
    assert [dict(part.ranges) for part in found] == [
        *({"a": range(2 * k, 2 * k + 2), "b": range(3 * k, 3 * k + 3)} for k in range(4)),
        *({"c": range(k, k + 1)} for k in range(5)),
        {"d": range(1)},
    ]


def test_a_graph_stays_whole_where_it_fits_or_parts_are_dear():
    graph = tables()
    (whole,) = parts(graph, 1000, dearest=1e9)
    assert sum(map(len, whole.ranges.values())) == len(graph.results)
    assert len(parts(graph, whole.alive, dearest=1e9)) == 1
    found = parts(graph, whole.alive - 1, dearest=1e9)
    assert len(found) > 1
    cost = sum(len(part.nodes) for part in found) / len(graph.nodes)
    assert cost > 1
    assert len(parts(graph, whole.alive - 1, dearest=cost)) == len(found)
    assert len(parts(graph, whole.alive - 1, dearest=0.999 * cost)) == 1
