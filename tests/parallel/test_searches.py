"""The searches of the papers: as short as the exact solver's, or with given places brute force."""

import dataclasses
import random
import tracemalloc
from itertools import permutations

import pytest

import paraxis as px
from paraxis.parallel.methods import a_star, fixed_places
from paraxis.parallel.methods.partial_schedules import Tree


def random_tasks(seed, size=10, least=1, chance=0.2, messages=False):
    dice = random.Random(seed)
    names = [f"t{k}" for k in range(size)]
    weights = {name: dice.randint(least, 6) for name in names}
    edges = [
        (names[i], names[j], dice.randint(0, 4) if messages else 0)
        for j in range(size)
        for i in range(j)
        if dice.random() < chance
    ]
    groups = {name: f"group {dice.randrange(2)}" for name in names}
    return px.TaskGraph(weights, edges, groups=groups)


@pytest.mark.parametrize("method", ["df_ihs", "a_star"])
@pytest.mark.parametrize("seed", range(12))
def test_searches_find_and_prove_what_the_exact_solver_does(method, seed):
    pytest.importorskip("ortools")
    tasks = random_tasks(seed, least=seed % 3 and 1)  # some tasks take no time
    for processors in (2, 3):
        found = px.schedule(tasks, processors, method)
        assert found.optimal
        assert found.makespan == px.schedule(tasks, processors, "optimal").makespan


def best_by_brute_force(tasks, places):
    """The least makespan over all orders in which tasks can be placed, each as early as it can."""
    shortest = None
    for order in permutations(range(len(tasks))):
        ends, free = {}, {}
        for task in order:
            if not all(first in ends for first in tasks.predecessors[task]):
                break
            ready = [
                ends[first] + (places[first] != places[task]) * tasks.messages.get((first, task), 0)
                for first in tasks.predecessors[task]
            ]
            ends[task] = max([free.get(places[task], 0), *ready]) + tasks.weights[task]
            free[places[task]] = ends[task]
        else:
            length = max(ends.values())
            shortest = length if shortest is None else min(shortest, length)
    return shortest


@pytest.mark.parametrize("seed", range(6))
def test_branch_and_bound_orders_tasks_of_given_places_best(seed):
    tasks = random_tasks(seed, size=6, chance=0.3, messages=seed % 2)
    found = px.schedule(tasks, 2, "branch_and_bound")
    groups = list(dict.fromkeys(tasks.groups.values()))
    assert found.processor == {name: groups.index(tasks.groups[name]) for name in tasks.names}
    assert found.makespan == best_by_brute_force(tasks, found.places)
    elsewhere = {name: k % 2 for k, name in enumerate(tasks.names)}
    found = px.schedule(tasks, 2, "branch_and_bound", places=elsewhere)
    assert found.processor == elsewhere
    assert found.makespan == best_by_brute_force(tasks, found.places)


def test_a_processor_per_link_of_a_robot():
    tasks = px.streamlined_tasks(px.load("planar3"))
    found = px.schedule(tasks, 3, "branch_and_bound", time_limit=0.2)
    assert {found.processor[name] for name in tasks.names if tasks.groups[name] == "link 2"} == {1}
    assert found.makespan >= px.schedule(tasks, 3, "df_ihs").makespan


def test_a_search_out_of_time_has_a_schedule_and_a_bound(monkeypatch):
    tasks = random_tasks(3, size=60, chance=0.05)
    for method in ("df_ihs", "a_star", "branch_and_bound"):
        found = px.schedule(tasks, 3, method, time_limit=1e-9)
        assert found.makespan >= found.bound
    monkeypatch.setattr(a_star, "MOST_BYTES", 0)
    tasks = next(
        each
        for each in map(random_tasks, range(100))
        if not px.schedule(each, 2, "list", priority="dhlf_misf").optimal
    )
    found = px.schedule(tasks, 2, "a_star")
    assert found.bounds["A*"] <= found.makespan


def test_a_star_weighs_what_it_keeps():
    """Partial schedules of many tasks take more memory than those of few."""
    few, many = (random_tasks(3, size=size, chance=0.02) for size in (40, 200))
    roots = [Tree(tasks, 3, range(len(tasks))).root() for tasks in (few, many)]
    measured = []
    tracemalloc.start()
    for root in roots:
        before = tracemalloc.get_traced_memory()[0]
        kept = [(copied := replaced(root), a_star._state(copied)) for _ in range(100)]
        measured.append((tracemalloc.get_traced_memory()[0] - before) / len(kept))
        del kept
    tracemalloc.stop()
    for root, found in zip(roots, measured, strict=True):
        assert 0.5 < a_star._bytes(root) / found < 2


def replaced(partial):
    """The same with tables of its own."""
    return dataclasses.replace(partial, ends=tuple([*partial.ends]), ready={**partial.ready})


def test_a_deadline_holds_for_large_graphs(monkeypatch):
    """Each choice looks at all tasks, so a schedule is not to be made of choices first."""
    choices, made = fixed_places._Search._choices, []
    monkeypatch.setattr(
        fixed_places._Search, "_choices", lambda *given: made.append(1) or choices(*given)
    )
    tasks = random_tasks(3, size=500, chance=0.006)
    found = px.schedule(tasks, 2, "branch_and_bound", time_limit=1e-9)
    assert found.makespan >= found.bound
    assert len(made) < 10


def test_empty_graphs_and_zero_times():
    for method in ("df_ihs", "a_star", "branch_and_bound"):
        assert px.schedule(px.TaskGraph({}), 2, method).makespan == 0
    alone = px.TaskGraph({"a": 0, "b": 2}, [("a", "b")], groups={"a": "g", "b": "g"})
    for method in ("df_ihs", "a_star", "branch_and_bound"):
        assert px.schedule(alone, 2, method).makespan == 2


def test_places_may_be_any_of_the_processors():
    tasks = px.TaskGraph({"a": 1, "b": 1}, [("a", "b", 3)])
    found = px.schedule(tasks, 8, "branch_and_bound", places={"a": 7, "b": 7})
    assert found.places == (7, 7) and found.makespan == 2


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        ("df_ihs", {}, "for tasks without messages"),
        ("a_star", {}, "for tasks without messages"),
        ("df_ihs", {"time_limit": 0}, "time_limit: expected seconds > 0"),
        ("branch_and_bound", {}, "needs places"),
        ("branch_and_bound", {"places": {"a": 0}}, "processor from 0 to 1 for task b, found None"),
        ("branch_and_bound", {"places": {"a": 0, "b": 1, "c": 1}}, "names of tasks, found c"),
        ("branch_and_bound", {"places": [0, 1]}, "expected a mapping"),
        ("branch_and_bound", {"places": {"a": 0, "b": 1.0}}, "for task b, found 1.0"),
    ],
)
def test_what_a_search_cannot_take_is_refused_by_name(method, options, words):
    tasks = px.TaskGraph({"a": 1, "b": 1}, [("a", "b", 3)])
    with pytest.raises(px.ArgumentError, match=words):
        px.schedule(tasks, 2, method, **options)
