"""Schedules: every method on random tasks, the bounds, the optimum, and what is refused."""

import json
import math
import random
import sys
import time
from fractions import Fraction
from itertools import count, pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import paraxis as px
from paraxis.parallel.methods.bounds import bounds, fernandez_bussell_bound, least_span, step_of
from paraxis.parallel.methods.heft import upward_ranks
from paraxis.parallel.methods.list_schedule import PRIORITIES, list_schedule, schedule_by_rank
from paraxis.parallel.methods.optimal import distances
from paraxis.parallel.methods.optimal.cp_sat import shorter_schedule
from paraxis.parallel.methods.optimal.distances import least_distances
from paraxis.parallel.methods.optimal.restarts import best_of_restarts
from paraxis.parallel.methods.optimal.search import unsearched
from paraxis.parallel.methods.optimal.whole_weights import whole_tasks
from paraxis.parallel.methods.plan import makespan
from paraxis.parallel.methods.rounding import rounding
from paraxis.parallel.schedules import speedup_curve
from paraxis.parallel.schedules.schedule import violations
from paraxis.parallel.schedules.scheduling import METHODS

QUICK = [
    *(("list", {"priority": priority}) for priority in PRIORITIES),
    ("streamlined", {}),
    ("heft", {}),
]
UNEVEN = {"a": 5, "b": 3, "c": 2, "d": 2}  # on 2: 6 would be enough, but no sum of them is 6

WEIGHTS = {
    "whole": st.integers(0, 9),
    "decimal": st.integers(0, 90).map(lambda x: x / 10),
    "float": st.floats(0, 9, allow_subnormal=False),
    "whole, messages decimal": st.integers(0, 9),
}
MESSAGES = WEIGHTS | {"whole, messages decimal": WEIGHTS["decimal"]}


@st.composite
def graphs(draw, most=12, kinds=tuple(WEIGHTS), messages=True):
    """Tasks of no, whole or broken weight; some send messages."""
    kind = draw(st.sampled_from(kinds))
    weight = WEIGHTS[kind]
    weights = draw(st.lists(weight, min_size=1, max_size=most))
    pairs = [(i, j) for j in range(len(weights)) for i in range(j)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    size = MESSAGES[kind] if messages and draw(st.booleans()) else st.just(0)
    return px.TaskGraph(dict(enumerate(weights)), [(i, j, draw(size)) for i, j in chosen])


def random_tasks(seed, count, near, message=0):
    """Larger ones: two predecessors each, among the `near` tasks before."""
    rng = random.Random(seed)
    edges = [
        (rng.randrange(max(0, k - near), k), k, rng.randint(0, message))
        for k in range(1, count)
        for _ in range(2)
    ]
    return px.TaskGraph({k: rng.randint(1, 9) for k in range(count)}, edges)


def shortest(tasks, processors):
    """By trying every order and every place; for a handful of tasks."""
    weights, messages = tasks.weights, tasks.messages

    def least(starts, places, free, best):
        if len(starts) == len(tasks):
            return max((starts[k] + weights[k] for k in starts), default=0)
        for task in range(len(tasks)):
            before = tasks.predecessors[task]
            if task in starts or any(first not in starts for first in before):
                continue
            for place in range(min(processors, len(set(places.values())) + 1)):
                start = free.get(place, 0) if weights[task] else 0
                for first in before:
                    away = messages.get((first, task), 0) if places[first] != place else 0
                    start = max(start, starts[first] + weights[first] + away)
                if start + weights[task] < best:
                    busy = {place: start + weights[task]} if weights[task] else {}
                    found = least(starts | {task: start}, places | {task: place}, free | busy, best)
                    best = min(best, found)
        return best

    return least({}, {}, {}, math.inf)


def rounded(tasks, *times):
    """What sums over all tasks may be off by."""
    return rounding(*times, sums=len(tasks))


# -- every method ----------------------------------------------------------------------------------


@given(graphs(), st.integers(1, 5))
def test_bounds_are_never_above_a_schedule(tasks, processors):
    """That it is a schedule is checked when it is made."""
    for method, options in QUICK:
        found = px.schedule(tasks, processors, method, **options)
        assert found.bound <= found.makespan + rounded(tasks, found.bound, found.makespan)
        assert found.gap >= 0
        assert not found.bound or found.gap < math.inf
        assert found.method == method


@given(graphs(most=5), st.integers(1, 3))
@settings(max_examples=60)
def test_the_optimum_is_that_of_trying_all(tasks, processors):
    best = shortest(tasks, processors)
    found = px.schedule(tasks, processors, "optimal")
    unseen = rounded(tasks, best)  # and what the solver's whole numbers leave open
    unseen += 0 if tasks.whole else 1e-13 * sum((*tasks.weights, *tasks.messages.values()))
    assert best <= found.makespan + rounded(tasks, best)
    assert found.makespan <= best + unseen
    assert found.makespan <= found.bound + unseen
    for value in (*bounds(tasks, processors).values(), *found.bounds.values()):
        assert value <= best + rounded(tasks, best)


@given(graphs(most=10, messages=False), st.integers(1, 4))
@settings(max_examples=10)
def test_the_optimum_is_never_above_the_others(tasks, processors):
    found = px.schedule(tasks, processors, "optimal", time_limit=5)
    for method, options in QUICK:
        other = px.schedule(tasks, processors, method, **options)
        unseen = rounded(tasks, found.makespan, other.makespan)
        assert found.makespan <= other.makespan + unseen
        assert other.bound <= found.makespan + unseen


@pytest.mark.parametrize(("method", "options"), QUICK)
def test_one_processor_is_always_busy(method, options):
    found = px.schedule(random_tasks(1, 60, 8, message=9), 1, method, **options)
    assert found.makespan == found.tasks.work
    assert found.optimal


@pytest.mark.parametrize("method", METHODS)
def test_nothing_to_do(method):
    found = px.schedule(px.TaskGraph({}), 3, method)
    assert (found.makespan, found.bound, found.speedup, found.optimal) == (0, 0, 1.0, True)


@pytest.mark.parametrize(("method", "options"), QUICK)
@pytest.mark.parametrize("message", [0, 5])
def test_large_graphs(method, options, message):
    """Larger than the bounds look at in full."""
    found = px.schedule(random_tasks(2, 8_000, 300, message), 16, method, **options)
    assert found.bound <= found.makespan
    assert found.efficiency > 0.4


@given(graphs(), st.integers(1, 5))
@settings(max_examples=50)
def test_messages_never_make_it_slower_than_one_processor(tasks, processors):
    for method in ("list", "heft"):
        found = px.schedule(tasks, processors, method)
        assert found.makespan <= tasks.work + rounded(tasks, tasks.work)


@given(graphs(kinds=["whole"]), st.integers(2, 5), st.sampled_from(["list", "heft"]))
@settings(max_examples=50)
def test_messages_never_make_it_slower_than_fewer_processors(tasks, processors, method):
    assume(tasks.messages)
    found = [px.schedule(tasks, count, method).makespan for count in range(1, processors + 1)]
    assert found == sorted(found, reverse=True)


@pytest.mark.parametrize("method", ["list", "heft"])
def test_a_fourth_processor_that_would_cost_time_stays_idle(method):
    """Torques of a PUMA where a message takes as long as 50 operations: two or three are best."""
    program = px.program(px.load("puma560"), "inverse_dynamics")
    tasks = px.TaskGraph.from_program(program, latency=50)
    found = [px.schedule(tasks, count, method) for count in range(1, 9)]
    best = min(found, key=lambda each: each.makespan)
    assert best.processors < 4 and len(best.rows) == best.processors
    assert found[-1].makespan == best.makespan
    assert {len(each.rows) for each in found[best.processors :]} == {best.processors}


def test_slow_messages_leave_all_to_one_processor():
    edges = [("a", "c", 9), ("b", "c", 9), ("b", "d", 9), ("a", "d", 9)]
    tasks = px.TaskGraph(dict.fromkeys("abcd", 1), edges)
    for method in ("list", "heft"):
        found = px.schedule(tasks, 2, method)
        assert (found.makespan, set(found.places)) == (4, {0})
    assert px.schedule(tasks, 2, "streamlined").speedup < 1


@pytest.mark.parametrize(("method", "options"), [*QUICK, ("optimal", {"time_limit": 5})])
def test_processors_without_number(method, options):
    """More than tasks are idle, and take neither time nor room."""
    tasks = random_tasks(5, 12, 6, message=2)
    enough = px.schedule(tasks, len(tasks), method, **options)
    more = px.schedule(tasks, 10**6, method, **options)
    assert (more.starts, more.places, more.bounds) == (enough.starts, enough.places, enough.bounds)
    assert more.efficiency == more.speedup / 10**6


def test_bounds_of_many_processors_and_large_weights_do_not_overflow():
    tasks = px.TaskGraph(dict.fromkeys(range(5_000), 2**48))
    assert px.schedule(tasks, 5_000).bounds["Fernandez-Bussell"] == 2**48


# -- list schedules --------------------------------------------------------------------------------


def graham(weights=(3, 2, 2, 2, 4, 4, 4, 4, 9), without=()):
    """The tasks of Graham's anomalies (1969)."""
    edges = [(1, 9), (4, 5), (4, 6), (4, 7), (4, 8)]
    names = range(1, 10)
    return px.TaskGraph(
        dict(zip(names, weights, strict=True)), [edge for edge in edges if edge not in without]
    )


@pytest.mark.parametrize(
    ("tasks", "processors", "by_list", "at_best"),
    [
        (graham(), 3, 12, 12),
        (graham(), 4, 15, 12),  # one processor more
        (graham((2, 1, 1, 1, 3, 3, 3, 3, 8)), 3, 13, 10),  # every task shorter
        (graham(without=[(4, 5), (4, 6)]), 3, 16, 12),  # fewer edges
    ],
)
def test_grahams_anomalies(tasks, processors, by_list, at_best):
    """A fixed list does worse where it ought to do better; the optimum does not."""
    assert makespan(tasks, schedule_by_rank(tasks, processors, range(9))) == by_list
    found = px.schedule(tasks, processors, "optimal")
    assert (found.makespan, found.optimal) == (at_best, True)


@pytest.mark.parametrize("priority", PRIORITIES)
def test_the_highest_level_is_the_first(priority):
    tasks = px.TaskGraph({"c": 2, "a": 1, "b": 5}, [("a", "b")])
    assert px.schedule(tasks, 1, priority=priority).rows == {0: ["a", "b", "c"]}


def test_a_list_can_miss_the_optimum():
    tasks = px.TaskGraph({"a": 3, "b": 3, "c": 2, "d": 2, "e": 2})
    assert px.schedule(tasks, 2).makespan == 7
    assert px.schedule(tasks, 2, "optimal").makespan == 6


def test_priorities_break_ties_in_their_own_way():
    """a, b and c are of one level. a has most successors, but they wait for c as well."""
    edges = [("a", "x"), ("a", "y"), ("c", "x"), ("c", "y"), ("b", "z")]
    tasks = px.TaskGraph(dict.fromkeys("cbaxyz", 1), edges)
    first = {
        name: min(px.schedule(tasks, 1, priority=name).start.items(), key=lambda item: item[1])
        for name in PRIORITIES
    }
    assert {name: task for name, (task, _) in first.items()} == {
        "hlf": "c",  # as given
        "cp_misf": "c",
        "dhlf_misf": "b",
    }
    started = px.schedule(tasks, 1, priority="dhlf_misf").rows[0]
    assert started[:3] == ["b", "c", "a"]  # once c has started, x and y wait for a alone


def test_a_message_keeps_a_task_where_its_input_is():
    tasks = px.TaskGraph({"a": 2, "b": 2}, [("a", "b", 10)])
    found = px.schedule(tasks, 2)
    assert found.start == {"a": 0, "b": 2}
    assert found.processor["a"] == found.processor["b"]


def test_a_list_starts_what_can_start():
    """c could wait for a's processor, which has its input; the other is free when it arrives."""
    tasks = px.TaskGraph({"a": 1, "b": 9, "c": 1}, [("a", "b"), ("a", "c", 3)])
    found = px.schedule(tasks, 2)
    assert found.start == {"a": 0, "b": 1, "c": 4}
    assert found.processor == {"a": 0, "b": 0, "c": 1}


# -- layers and HEFT -------------------------------------------------------------------------------


def test_layers_fill_cycles():
    """Three processors: layer 0 leaves two tasks over; they and what is ready fill the next."""
    edges = [("a", "f"), ("e", "g"), ("f", "h")]
    tasks = px.TaskGraph(dict.fromkeys("abcdefgh", 1), edges)
    found = px.schedule(tasks, 3, "streamlined")
    cycles = [[t for t in tasks.names if found.start[t] == k] for k in range(3)]
    assert cycles == [["a", "b", "c"], ["d", "e", "f"], ["g", "h"]]


def test_layers_of_the_tasks_own():
    tasks = px.TaskGraph(dict.fromkeys("abc", 1))
    found = px.schedule(tasks, 1, "streamlined", layers={"a": 3, "b": 1, "c": 2})
    assert found.rows == {0: ["b", "c", "a"]}


def test_a_cycle_is_as_long_as_its_longest_task_and_waits_for_messages():
    edges = [("a", "c"), ("b", "d", 4)]
    tasks = px.TaskGraph({"a": 1, "b": 3, "c": 1, "d": 1}, edges)
    assert px.schedule(tasks, 2, "streamlined").start == {"a": 0, "b": 0, "c": 3, "d": 3}
    across = px.TaskGraph({"a": 1, "b": 3, "c": 1, "d": 1}, [("a", "d", 4), ("b", "d")])
    assert px.schedule(across, 2, "streamlined").start == {"a": 0, "b": 0, "c": 5, "d": 5}


def test_layers_are_a_mapping():
    with pytest.raises(
        px.ArgumentError, match="layers: expected a mapping from names to layers, found int"
    ):
        px.schedule(px.TaskGraph({"a": 1}), 2, "streamlined", layers=3)


@pytest.mark.parametrize("layers", [{"a": 1}, {"a": 1, "b": None}])
def test_layers_are_needed_for_all(layers):
    with pytest.raises(px.ArgumentError, match="layers: expected a number for task b, found None"):
        px.schedule(px.TaskGraph({"a": 1, "b": 1}), 2, "streamlined", layers=layers)


def test_layers_may_not_contradict_the_edges():
    tasks = px.TaskGraph({"a": 1, "b": 1}, [("a", "b")])
    same = px.schedule(tasks, 2, "streamlined", layers={"a": 1, "b": 1})
    assert same.start == {"a": 0, "b": 1}
    said = "layers: task b is in layer 1, before layer 2 of its predecessor a"
    with pytest.raises(px.ArgumentError, match=said):
        px.schedule(tasks, 2, "streamlined", layers={"a": 2, "b": 1})


def test_a_rank_counts_messages():
    """a is the longer way by its message only, so it is first."""
    tasks = px.TaskGraph({"b": 6, "a": 2, "c": 3}, [("a", "c", 4)])
    assert upward_ranks(tasks) == [6, 9, 3]
    assert px.schedule(tasks, 1, "heft").rows == {0: ["a", "b", "c"]}


def test_heft_takes_predecessors_first_whatever_is_lost_in_rounding():
    huge = 10**18 + 1
    tasks = px.TaskGraph({0: huge, 1: huge, 2: 0, 3: huge}, [(2, 3, 0.25)])
    assert px.schedule(tasks, 1, "heft").makespan == 3e18


def test_heft_fills_gaps():
    """d is placed before b, and b goes into the gap that d's message leaves."""
    edges = [("a", "b"), ("a", "c"), ("a", "d", 3)]
    found = px.schedule(px.TaskGraph({"a": 3, "b": 1, "c": 4, "d": 3}, edges), 2, "heft")
    assert found.start == {"a": 0, "b": 3, "c": 3, "d": 6}
    assert found.processor == {"a": 0, "b": 1, "c": 0, "d": 1}


# -- bounds ----------------------------------------------------------------------------------------


def slow_bound(tasks, processors):
    """Fernandez and Bussell's by its definition, for whole weights: every interval, again and
    again."""
    span = tasks.span
    while True:
        excess = 0
        for since in range(span):
            for until in range(since + 1, span + 1):
                work = sum(
                    max(0, min(w, until - since, head + w - since, until - (span - tail)))
                    for w, head, tail in zip(tasks.weights, tasks.heads, tasks.tails, strict=True)
                )
                excess = max(excess, work - processors * (until - since))
        if not excess:
            return span
        span += -(-excess // processors)


@given(graphs(most=8, kinds=["whole"], messages=False), st.integers(1, 4))
def test_the_bound_is_that_of_its_definition(tasks, processors):
    assume(math.gcd(*tasks.weights) == 1)  # steps longer than 1 make ours better
    assert fernandez_bussell_bound(tasks, processors) == slow_bound(tasks, processors)


def test_the_bound_sees_work_that_comes_late():
    """One task, then five at once: on two processors 1 + 3, where the work asks for 3."""
    tasks = px.TaskGraph(dict.fromkeys("abcdef", 1), [("a", x) for x in "bcdef"])
    assert bounds(tasks, 2) == {"critical path": 2, "work": 3, "Fernandez-Bussell": 4}


def test_bounds_are_multiples_of_the_step():
    tasks = px.TaskGraph(dict.fromkeys("abcde", 6))
    assert bounds(tasks, 2)["work"] == 18


def test_steps_divide_messages_too():
    assert step_of(px.TaskGraph({"a": 6, "b": 9}, [("a", "b", 12)])) == 3
    assert step_of(px.TaskGraph({"a": 6, "b": 6}, [("a", "b", 4)])) == 2
    assert step_of(px.TaskGraph({"a": 6, "b": 6}, [("a", "b", 0.5)])) is None


def test_broken_messages_make_broken_times():
    tasks = px.TaskGraph(dict.fromkeys("abc", 1), [("a", "c", 0.5), ("b", "c", 0.5)])
    found = px.schedule(tasks, 2, "optimal")
    assert found.bound == found.makespan == 2.5


def test_bounds_of_huge_weights_are_exact():
    tasks = px.TaskGraph({"a": 10**30, "b": 10**30 + 1, "c": 1})
    assert bounds(tasks, 2)["work"] == bounds(tasks, 2)["Fernandez-Bussell"] == 10**30 + 1


LOOKS = st.just(math.inf) | st.integers(0, 12)


def distances_until(tasks, processors, looks):
    """Least distances, by a clock that ticks whenever somebody looks at it."""
    ticks = count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distances.time, "monotonic", lambda: next(ticks))
        return least_distances(tasks, processors, looks)


@given(graphs(kinds=["whole"]), st.integers(1, 4), LOOKS)
def test_least_distances_hold_in_every_schedule(tasks, processors, looks):
    found = distances_until(tasks, processors, looks)
    assert found.span >= max(tasks.span, tasks.work / processors if looks == math.inf else 0)
    for priority in PRIORITIES:
        starts, _ = list_schedule(tasks, processors, priority)
        last = makespan(tasks, (starts, None))
        assert last >= found.span
        for start, head, tail in zip(starts, found.heads, found.tails, strict=True):
            assert head <= start <= last - tail
        for first, then, least in found.ways:
            assert starts[then] >= starts[first] + least


@given(graphs(kinds=["whole"], messages=False), st.integers(1, 3), LOOKS)
def test_the_ways_imply_every_edge(tasks, processors, looks):
    """Ways are what the solver is told instead of the edges."""
    found = distances_until(tasks, processors, looks)
    after = [[] for _ in tasks.names]
    for first, then, least in found.ways:
        after[first].append((then, least))
    for first in range(len(tasks)):
        reached = {first: 0}
        for task in tasks.order:
            if task in reached:
                for then, least in after[task]:
                    reached[then] = max(reached.get(then, 0), reached[task] + least)
        for then in tasks.successors[first]:
            assert reached[then] >= tasks.weights[first]


def test_distances_see_the_work_between():
    """Five tasks between the first and the last take two processors three steps."""
    between = [edge for x in "bcdef" for edge in (("a", x), (x, "g"))]
    tasks = px.TaskGraph(dict.fromkeys("abcdefg", 1), between)
    assert (0, 6, 4) in least_distances(tasks, 2, math.inf).ways
    assert (0, 6, 4) not in least_distances(tasks, 2, 0).ways  # too late for more than paths


def test_no_tasks_need_no_time():
    assert least_span(*([[]] * 3), 2) == 0


# -- the optimum -----------------------------------------------------------------------------------


def test_the_solver_closes_what_bounds_leave_open():
    found = px.schedule(px.TaskGraph(UNEVEN), 2, "optimal")
    assert found.bounds["CP-SAT"] == found.makespan == 7
    assert found.bounds["work between tasks"] == found.bounds["Fernandez-Bussell"] == 6
    assert found.optimal


@given(graphs(most=5, kinds=["whole"]), st.integers(2, 3))
@settings(max_examples=25)
def test_the_solver_finds_what_trying_all_finds(tasks, processors):
    """From the worst start, and told nothing that bounds could prove."""
    serial = list_schedule(tasks, 1)
    paths = least_distances(tasks, processors, 0)
    best = shortest(tasks, processors)
    assume(tasks.span < tasks.work)
    found, bound = shorter_schedule(tasks, processors, serial, paths, paths.span, 20, 0)
    assert bound == best
    if best < tasks.work:
        assert makespan(tasks, found) == best
        assert not violations(tasks, processors, *found)
    else:
        assert found is None


def test_messages_are_weighed():
    """Two long tasks after a: worth a message, or not."""
    for size, best in ((1, 6), (9, 9)):
        edges = [("a", "b", size), ("a", "c", size)]
        tasks = px.TaskGraph({"a": 1, "b": 4, "c": 4}, edges)
        assert px.schedule(tasks, 2, "optimal").makespan == best


def test_a_limit_that_ends_the_search_leaves_a_gap():
    tasks = random_tasks(3, 80, 10, message=9)
    begun = time.monotonic()
    found = px.schedule(tasks, 5, "optimal", time_limit=0.5)
    assert time.monotonic() - begun < 20
    assert not found.optimal
    assert 0 < found.gap < 1
    assert found.makespan <= min(
        px.schedule(tasks, 5, method, **options).makespan for method, options in QUICK
    )
    assert "above the optimum" in repr(found)


def test_graphs_out_of_the_solvers_reach_keep_their_gap():
    tasks = px.TaskGraph({k: 5 if k % 7 else 3 for k in range(2_001)})
    found = px.schedule(tasks, 700, "optimal", time_limit=1)
    assert "CP-SAT" not in found.bounds
    assert found.bound < found.makespan
    assert unsearched(found) == "more than 2,000 tasks"


def test_why_there_was_no_exact_search():
    tasks = random_tasks(3, 80, 10, message=9)
    assert unsearched(px.schedule(tasks, 5, "optimal", time_limit=1e-9)) == "the time limit"
    assert "tasks times processors" in unsearched(px.schedule(tasks, 50, "optimal", time_limit=0.5))
    assert unsearched(px.schedule(tasks, 5)) == ""
    assert unsearched(px.schedule(px.TaskGraph(UNEVEN), 2, "optimal")) == ""


def without_solver(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "ortools"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ortools", None)


def test_a_missing_solver_is_named(monkeypatch):
    without_solver(monkeypatch)
    with pytest.raises(px.MissingPackageError, match=r"pip install 'paraxis\[opt\]'"):
        px.schedule(px.TaskGraph(UNEVEN), 2, "optimal")


def test_what_bounds_prove_needs_no_solver(monkeypatch):
    without_solver(monkeypatch)
    assert px.schedule(graham(), 3, "optimal").optimal


@given(graphs(kinds=("whole",), messages=False), st.integers(1, 4), st.integers(0, 3))
@settings(max_examples=30)
def test_restarts_are_never_longer(tasks, processors, seed):
    plan = list_schedule(tasks, processors)
    better = best_of_restarts(tasks, processors, plan, tasks.span, time.monotonic() + 0.05, seed)
    assert not violations(tasks, processors, *better)
    assert makespan(tasks, better) <= makespan(tasks, plan)


def test_decimals_are_counted_exactly():
    whole = whole_tasks(px.TaskGraph({"a": 0.1, "b": 0.7, "c": 1.25}, [("a", "b", 0.5)]))
    assert whole.tasks.weights == (2, 14, 25)
    assert list(whole.tasks.messages.values()) == [10]
    assert (whole.unit, whole.rounded) == (Fraction(1, 20), False)
    assert whole.least_time(25) == 1.25


def test_whole_weights_lose_their_common_factor():
    whole = whole_tasks(px.TaskGraph({"a": 6, "b": 9, "c": 0}))
    assert (whole.tasks.weights, whole.unit) == ((2, 3, 0), 3)
    assert whole.least_time(4) == 12


def test_what_has_no_unit_is_rounded_up():
    tasks = px.TaskGraph({"a": math.pi, "b": 1e-12, "c": math.e}, [("a", "b")])
    whole = whole_tasks(tasks)
    assert whole.rounded
    for weight, units in zip(tasks.weights, whole.tasks.weights, strict=True):
        assert weight <= units * whole.unit < weight + 1e-12
    found = px.schedule(tasks, 2, "optimal")
    assert found.optimal
    assert math.isclose(found.makespan, math.pi, rel_tol=1e-9)


def test_bounds_of_rounded_weights_have_a_margin():
    """Rounded up, all tasks together take longer than they do."""
    tasks = px.TaskGraph({k: 10**20 + k for k in range(9)})
    whole = whole_tasks(tasks)
    assert sum(whole.tasks.weights) * whole.unit > tasks.work
    assert tasks.work * (1 - 1e-12) < whole.least_time(sum(whole.tasks.weights)) <= tasks.work


def test_huge_weights_are_searched_too():
    """What is proved of rounded weights is less than the optimum, but not by much."""
    huge = {name: weight * 10**20 + 1 for name, weight in UNEVEN.items()}
    found = px.schedule(px.TaskGraph(huge), 2, "optimal")
    assert found.makespan == 7 * 10**20 + 2
    assert 0 < found.gap < 1e-12
    assert "less than 0.1% above the optimum" in repr(found)


def test_what_bounds_prove_of_huge_weights_is_exact():
    tasks = px.TaskGraph({"a": 10**30, "b": 10**30 + 1, "c": 1})
    assert px.schedule(tasks, 2, "optimal").optimal


@pytest.mark.parametrize("kind", [int, float])
def test_one_in_many_is_seen(kind):
    """The list is longer by 1 in 30,000,000,016."""
    tasks = px.TaskGraph({k: kind(10**10 + more) for k, more in enumerate((6, 6, 0, 4, 8, 7))})
    by_list, best = px.schedule(tasks, 2), px.schedule(tasks, 2, "optimal")
    assert (by_list.makespan, by_list.optimal) == (30_000_000_017, False)
    assert (best.makespan, best.optimal) == (30_000_000_016, True)


# -- speed-up --------------------------------------------------------------------------------------


def test_a_curve():
    tasks = px.TaskGraph(dict.fromkeys(range(12), 2))
    curve = px.parallel.speedup_curve(tasks, 4)
    assert curve.processors == (1, 2, 3, 4)
    assert curve.makespan == curve.bound == (24, 12, 8, 6)
    assert curve.speedup == curve.processors
    assert curve.efficiency == (1, 1, 1, 1)
    assert [each.processors for each in curve.schedules] == [1, 2, 3, 4]
    assert str(curve) == repr(curve)
    heading, columns, *rows = repr(curve).splitlines()
    assert heading == "tasks by list"
    assert columns.split() == ["processors", "makespan", "speed-up", "efficiency", "bound", "gap"]
    assert rows[1].split() == ["2", "12", "2.00", "100.0%", "12", "0.0%"]


def test_a_curve_shows_whole_times_in_full_and_no_gap_as_none():
    tasks = px.TaskGraph({k: 10**10 + more for k, more in enumerate((6, 6, 0, 4, 8, 7))})
    row = repr(px.parallel.speedup_curve(tasks, (2,))).splitlines()[-1]
    assert row.split() == ["2", "30000000017", "2.00", "100.0%", "30000000016", "<0.1%"]


def test_a_curve_never_falls(monkeypatch):
    """Graham's tasks on 3 and 4 processors by his list; what 4 processors need, 3 need as well."""

    def by_his_list(tasks, processors, method):
        starts, places = schedule_by_rank(tasks, processors, range(9))
        known = {"guess": {2: 1, 3: 2, 4: 3}[processors]}
        return px.parallel.Schedule(tasks, processors, tuple(starts), tuple(places), method, known)

    monkeypatch.setattr(speedup_curve, "schedule", by_his_list)
    curve = px.parallel.speedup_curve(graham(), (4, 2, 3))
    assert curve.processors == (4, 2, 3)
    assert curve.makespan == (12, 17, 12)  # on 4 the list takes 15
    assert curve.bound == (3, 3, 3)
    assert curve.schedules[2].bounds == {"guess": 2, "schedules on 4 processors": 3}
    assert curve.schedules[2].tight == ["schedules on 4 processors"]


@given(graphs(), st.sampled_from(["list", "streamlined", "heft"]))
@settings(max_examples=30)
def test_more_processors_are_never_slower(tasks, method):
    curve = px.parallel.speedup_curve(tasks, 4, method)
    assert list(curve.makespan) == sorted(curve.makespan, reverse=True)
    assert all(b <= a + rounded(tasks, a, b) for a, b in pairwise(curve.bound))


def test_a_curve_over_some_numbers_by_a_method():
    curve = px.parallel.speedup_curve(px.TaskGraph(UNEVEN), (2, 3), "optimal", time_limit=5)
    assert curve.makespan == (7, 5)


@pytest.mark.parametrize("processors", [0, (), None, (2, 0), 10**9, count(1)])
def test_a_curve_needs_processors(processors):
    with pytest.raises(px.ArgumentError, match="processors: expected"):
        px.parallel.speedup_curve(px.TaskGraph(UNEVEN), processors)


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        (({"a": 1}, 2), {}, "tasks: expected a TaskGraph, found dict"),
        ((px.load("planar3"), 2), {}, "found Robot; create one with px.TaskGraph.from_program"),
        ((px.TaskGraph(UNEVEN), 0), {}, "processors: expected an integer >= 1, found 0"),
        ((px.TaskGraph(UNEVEN), -3), {}, "processors: expected an integer >= 1, found -3"),
        ((px.TaskGraph(UNEVEN), 1.5), {}, "processors: expected an integer >= 1, found 1.5"),
        ((px.TaskGraph(UNEVEN), True), {}, "processors: expected an integer >= 1, found True"),
        (
            (px.TaskGraph(UNEVEN), 2, "best"),
            {},
            "'branch_and_bound', 'df_ihs', 'a_star', 'optimal', found 'best'",
        ),
        ((px.TaskGraph(UNEVEN), 2, ["list"]), {}, "method: expected one of"),
        (
            (px.TaskGraph(UNEVEN), 2),
            {"priority": "best"},
            "priority: expected one of 'hlf', 'cp_misf', 'dhlf_misf', found 'best'",
        ),
        ((px.TaskGraph(UNEVEN), 2), {"priority": ["hlf"]}, "priority: expected one of"),
        (
            (px.TaskGraph(UNEVEN), 2),
            {"time_limit": 1},
            "df_ihs or a_star or optimal, not of list",
        ),
        (
            (px.TaskGraph(UNEVEN), 2, "heft"),
            {"priority": "hlf"},
            "priority is an option of method list, not of heft",
        ),
        ((px.TaskGraph(UNEVEN), 2), {"speed": 1}, "list: expected one of priority, found 'speed'"),
        ((px.TaskGraph(UNEVEN), 2, "heft"), {"speed": 1}, "heft: expected none, found 'speed'"),
        (
            (px.TaskGraph(UNEVEN), 2, "optimal"),
            {"time_limit": 0},
            "time_limit: expected seconds > 0, found 0",
        ),
        (
            (px.TaskGraph(UNEVEN), 2, "optimal"),
            {"time_limit": math.nan},
            "time_limit: expected seconds > 0, found nan",
        ),
        (
            (px.TaskGraph(UNEVEN), 2, "optimal"),
            {"seed": "x"},
            "seed: expected an integer >= 0, found 'x'",
        ),
    ],
)
def test_bad_requests(arguments, options, said):
    with pytest.raises(px.ArgumentError) as caught:
        px.schedule(*arguments, **options)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("starts", "places", "said"),
    [
        ((0, 2, 2), (0, 0), "expected a start and a processor for 3 tasks, found 3 and 2"),
        ((0, 1, 2), (0, 1, 0), "task b starts at 1, but needs a, which is not available before 2"),
        ((0, 2, 4), (0, 1, 1), "task c starts at 4, but needs a, which is not available before 5"),
        ((0, 2, 3), (0, 0, 0), "tasks b and c overlap on processor 0"),
        ((-1, 2, 9), (0, 0, 0), "task a starts at -1"),
        ((math.nan, 2, 9), (0, 0, 0), "task a starts at nan"),
        ((0, 2, math.inf), (0, 0, 0), "task c starts at inf"),
        (("0", 2, 9), (0, 0, 0), "task a starts at '0'"),
        ((False, 2, 9), (0, 0, 0), "task a starts at False"),
        (None, (0, 0, 0), "starts: expected one for each task, found None"),
        ((0, 2, 9), 1, "places: expected one for each task, found 1"),
        ((0, 2, 9), (0, 0, 2), "task c is on processor 2 of 2"),
        ((0, 2, 9), (0, 0, 0.5), "task c is on processor 0.5 of 2"),
        ((0, 1, 2), (0, 0, 0), "(and 2 more)"),
    ],
)
def test_no_schedule_is_wrong(starts, places, said):
    tasks = px.TaskGraph({"a": 2, "b": 2, "c": 2}, [("a", "b"), ("a", "c", 3)])
    with pytest.raises(px.ScheduleError) as caught:
        px.parallel.Schedule(tasks, 2, starts, places)
    assert said in str(caught.value)


def test_a_gap_over_a_bound_of_nothing_is_infinite():
    found = px.parallel.Schedule(px.TaskGraph({"a": 0}), 1, (5,), (0,))
    assert (found.makespan, found.gap, found.optimal) == (5, math.inf, False)
    assert json.loads(found.to_json())["gap"] is None
    assert "by an unknown share above the optimum" in repr(found)


@pytest.mark.parametrize(
    ("weights", "starts"),
    [
        ((10**10, 1), (0, 10**10 - 9)),
        ((10**30, 1), (0, 10**30 - 1)),
        ((1e-4, 1e-4), (10**6, 10**6)),
        ((1e15, 1), (0, 1e15 - 1)),
    ],
)
def test_no_weight_is_lost_in_rounding(weights, starts):
    tasks = px.TaskGraph(dict(zip("ab", weights, strict=True)), [("a", "b")])
    with pytest.raises(px.ScheduleError, match=r"task b starts at .* \(and 1 more\)"):
        px.parallel.Schedule(tasks, 1, starts, (0, 0))


def test_floats_too_large_to_tell_whole_numbers_apart_differ_by_their_last_digit():
    assert rounding(2.0**60, 2**60 + 1) == math.ulp(2.0**60)
    assert rounding(2**60, 2**60 + 1) == 0


def test_sums_of_floats_may_be_off_by_their_rounding():
    tasks = px.TaskGraph({"a": 0.1, "b": 0.2, "c": 0.3}, [("a", "b"), ("b", "c")])
    assert 0.1 + 0.2 > 0.3
    assert px.parallel.Schedule(tasks, 1, (0, 0.1, 0.3), (0, 0, 0)).optimal


@pytest.mark.parametrize("processors", [1.5, 0, "2", True])
def test_a_schedule_is_on_processors(processors):
    with pytest.raises(px.ArgumentError, match="processors: expected an integer >= 1"):
        px.parallel.Schedule(px.TaskGraph({"a": 1}), processors, (0,), (0,))


def test_numbers_of_numpy_become_pythons():
    tasks = px.TaskGraph({"a": 1, "b": 1})
    found = px.parallel.Schedule(tasks, np.int64(2), np.array([0, 1]), np.array([0, 1]))
    plain = px.parallel.Schedule(tasks, 2, (0, 1), (0, 1))
    assert found.to_json() == plain.to_json()
    assert found.to_html() == plain.to_html()
    assert px.parallel.Schedule(tasks, 2, np.array([0, 1.5], np.float32), (0, 1)).starts == (
        0.0,
        1.5,
    )
