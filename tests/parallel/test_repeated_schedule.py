"""Passes that repeat: every read, of this pass or of the one before, finds its value arrived."""

import random
from itertools import pairwise

import pytest

import paraxis as px
from paraxis.parallel.methods.bounds import bounds, message_bound
from paraxis.parallel.methods.message_paths import earliest_starts
from paraxis.parallel.schedules.repeated_schedule import BUS, LINKS, repeated_schedule

ARM = px.robots.planar(3)


def check(found, network):
    """Nothing starts before its inputs are there, also from pass to pass, and nothing overlaps."""
    tasks, period = found.tasks, found.period
    ends = [start + weight for start, weight in zip(found.starts, tasks.weights, strict=True)]
    assert max(ends) <= period
    row = sorted(zip(found.places, found.starts, ends, strict=True))
    assert all(a[2] <= b[1] for a, b in pairwise(row) if a[0] == b[0])
    sent = {sender: end for _, end, sender in found.sent}
    begun = {sender: begin for begin, _, sender in found.sent}
    edges = [(a, b, 0) for b, before in enumerate(tasks.predecessors) for a in before]
    edges += [(a, b, period) for a, readers in found.stale.items() for b in readers]
    for first, then, later in edges:
        arrived = ends[first]
        if found.places[first] != found.places[then]:
            sender = f"processor {found.places[first]}" if later else first
            arrived = sent[sender] if network == BUS else ends[first] + found.latency
            assert network == LINKS or begun[sender] >= ends[first]
        assert arrived <= found.starts[then] + later
    if found.sent:  # one at a time, also where a pass follows
        times = [(begin, end) for begin, end, _ in found.sent]
        times += [(begin + period, end + period) for begin, end in times[:1]]
        assert all(a[1] <= b[0] for a, b in pairwise(times))


@pytest.mark.parametrize("policy", ["exact", "binder_herzog", "hamilton_one_step"])
@pytest.mark.parametrize("network", [LINKS, BUS])
def test_all_values_arrive_in_time(policy, network):
    program = px.control.speculate(ARM, policy)
    for processors, latency in ((1, 5), (3, 0), (3, 4), (5, 30)):
        found = repeated_schedule(program, program.carry, processors, latency, network)
        check(found, network)
        assert max(found.places) < processors
        assert found.bound <= found.period <= program.count().flops
        if processors == 1 or not latency:
            assert found.period == found.bound


def test_stale_values_are_sent_too():
    """Two numbers that chase each other: each needs the other's last, which takes its time."""

    def step(a, b):
        return {"a_next": b + 1.0, "b_next": a + 1.0}

    program = px.trace(step, a=(), b=())
    carry = {"a": "a_next", "b": "b_next"}
    alone = repeated_schedule(program, carry, 1, 10)
    together = repeated_schedule(program, carry, 2, 10)
    assert alone.period == together.period == 2  # not 1: a message would take 10
    assert repeated_schedule(program, carry, 2, 0.5).period == 1.5


def test_messages_bound_what_no_schedule_can_beat():
    rng = random.Random(7)
    for _ in range(8):
        names = range(rng.randint(2, 7))
        edges = [(a, b, 3) for b in names for a in range(b) if rng.random() < 0.5]
        tasks = px.TaskGraph({k: rng.randint(1, 3) for k in names}, edges)
        best = px.schedule(tasks, 2, "optimal")
        assert best.optimal and message_bound(tasks, 2) <= best.makespan
        assert max(bounds(tasks, 2).values()) <= best.makespan


def test_a_task_waits_for_a_message_or_does_the_work_itself():
    tasks = px.TaskGraph({"a": 2, "b": 2, "c": 1}, [("a", "c", 10), ("b", "c", 10)])
    assert earliest_starts(tasks) == [0, 0, 4]  # both on one processor, before c
    quick = px.TaskGraph({"a": 2, "b": 2, "c": 1}, [("a", "c", 1), ("b", "c", 1)])
    assert earliest_starts(quick) == [0, 0, 3]  # or one of them sent
