"""Tasks of a Program: weights, needs, names, and how they are gathered."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.robots import random_robot

import paraxis as px
from paraxis.parallel.tasks.grain import gather
from paraxis.parallel.tasks.operations import FREE
from paraxis.parallel.tasks.task_graph import ProgramTasks
from paraxis.passes.depth import FLOP, levels

TWO = px.robots.planar(2)


def plain_depth(program):
    """The longest path of the graph as it was traced."""
    level = levels(program.graph, FLOP)
    return max(level[node.index] for node in program.graph.results)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
def test_one_task_an_operation(seed, function):
    program = px.program(random_robot(seed, (1, 5)), function)
    tasks = px.TaskGraph.from_program(program)
    assert isinstance(tasks, ProgramTasks)
    assert tasks.program is program
    assert tasks.work == program.count().flops
    assert tasks.span == plain_depth(program)
    assert tasks.fine is tasks
    owned = [node.index for nodes in tasks.operations for node in nodes]
    assert len(owned) == len(set(owned))
    wanted = {n.index for n in program.graph.nodes if n.op not in (*FREE, "sin", "cos")}
    assert wanted <= set(owned)


def test_weights_are_those_asked_for():
    program = px.program(TWO)
    count = program.count()
    tasks = px.TaskGraph.from_program(program, mul=3, add=2, trig=10)
    assert tasks.work == 3 * count.mul + 2 * count.add + 10 * count.trig
    with pytest.raises(px.ArgumentError, match="weight: expected one of .*'mul'.* found 'mull'"):
        px.TaskGraph.from_program(program, mull=3)


def test_sines_of_inputs_are_given_unless_they_have_a_weight():
    program = px.trace(lambda q: px.math.sin(q) * px.math.cos(q) + px.math.sin(q * q), q=())
    free = px.TaskGraph.from_program(program)
    assert sorted(name.split()[-1] for name in free.names) == ["mul", "mul", "result", "sin"]
    weighed = px.TaskGraph.from_program(program, trig=5)
    assert "%3 sin, cos" in weighed.names or "%2 sin, cos" in weighed.names
    assert weighed.work == 3 + 15
    both = next(nodes for nodes in weighed.operations if len(nodes) == 2)
    assert {node.op for node in both} == {"sin", "cos"}


def test_sign_changes_are_made_by_who_needs_them():
    def turn(q):
        product = q[0] * q[1]
        return [px.math.maximum(-product, q[0]), -product]

    tasks = px.TaskGraph.from_program(px.trace(turn, q=2))
    assert tasks.names == ("result[1]", "result[0]")
    assert tasks.predecessors == ((), (0,))


def test_messages_are_the_values_that_go_along_an_edge():
    def pair(x):
        a, b = x * x, x + 1.0
        return px.math.sqrt(a / b + a * b)

    tasks = px.TaskGraph.from_program(px.trace(pair, x=()), messages=3, latency=10)
    assert set(tasks.messages.values()) == {13}
    whole = px.TaskGraph.from_program(px.trace(pair, x=()), grain=2, messages=3, latency=10)
    assert 16 in whole.messages.values()  # a and b together
    assert px.TaskGraph.from_program(px.trace(pair, x=())).messages == {}


def test_names_say_what_a_value_is():
    tasks = px.TaskGraph.from_program(px.program(px.load("ur5"), algorithm="newton_euler"))
    assert "omega[3].x" in tasks.names
    assert tasks.groups["omega[3].x"] == 3
    number, op = tasks.labels["omega[3].x"].split()
    assert f"{number} = {op} " in tasks.program.text()
    cheapest = px.TaskGraph.from_program(px.program(TWO))
    assert {"tau[0]", "tau[1]"} <= set(cheapest.names)
    matrix = px.TaskGraph.from_program(px.program(TWO, "mass_matrix"))
    assert any(name.startswith("M[") for name in matrix.names)


@pytest.mark.parametrize("grain", [1, 5, 20, 100, 10_000])
def test_gathered_tasks_are_the_same_work(grain):
    program = px.program(random_robot(3, (4, 6)))
    tasks = px.TaskGraph.from_program(program, grain, trig=7)
    fine = tasks.fine
    heaviest = max(fine.weights)
    assert tasks.work == fine.work
    assert fine.span <= tasks.span <= tasks.work
    assert max(tasks.weights) <= max(grain, heaviest)
    assert sorted(n.index for nodes in tasks.operations for n in nodes) == sorted(
        n.index for nodes in fine.operations for n in nodes
    )
    if grain == 10_000:
        assert len(tasks) == 1
    assert f"with one task per operation {len(fine)} tasks" in repr(tasks)


def test_gathering_leaves_few_edges_and_some_parallelism():
    program = px.program(px.load("ur5"), "inverse_dynamics_derivatives")
    tasks = px.TaskGraph.from_program(program, 20)
    assert sum(map(len, tasks.predecessors)) < sum(map(len, tasks.fine.predecessors)) / 2
    assert len(tasks) < len(tasks.fine) / 8
    assert tasks.parallelism > 4


@given(st.integers(0, 10**6))
def test_gathering_closes_no_cycle(seed):
    rng = random.Random(seed)
    n = rng.randint(1, 60)
    edges = {(rng.randrange(b), b) for b in range(1, n) for _ in range(rng.randint(0, 3))}
    tasks = px.TaskGraph({k: rng.randint(0, 5) for k in range(n)}, sorted(edges))
    grain = rng.randint(1, 40)
    member = gather(tasks.weights, tasks.predecessors, tasks.successors, grain)
    weights = dict.fromkeys(sorted(set(member)), 0)
    for task, own in enumerate(member):
        weights[own] += tasks.weights[task]
    between = {(member[a], member[b]) for a, b in edges} - {(k, k) for k in weights}
    assert all(before < after for before, after in between)  # so there is no cycle
    assert max(weights.values()) <= max(grain, *tasks.weights)


@pytest.mark.parametrize("grain", [0, -3, "coarse"])
def test_a_grain_that_is_none(grain):
    with pytest.raises(px.ArgumentError, match="grain: expected a weight > 0, found"):
        px.TaskGraph.from_program(px.program(TWO), grain)


def test_only_programs_have_operations():
    with pytest.raises(px.ArgumentError, match="program: expected a Program, found Robot"):
        px.TaskGraph.from_program(TWO)


@pytest.mark.parametrize("name", ["messages", "latency"])
@pytest.mark.parametrize("time", ["a", None, -1, float("nan")])
def test_times_of_messages(name, time):
    program = px.program(px.load("puma560"))
    with pytest.raises(px.ArgumentError, match=f"{name}: expected a time >= 0, found"):
        px.TaskGraph.from_program(program, **{name: time})
