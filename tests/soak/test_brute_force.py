"""Schedules of small random task graphs against trying everything."""

import math
from fractions import Fraction

import pytest
from support.counting import case, report, scaled

import paraxis as px
from paraxis.parallel.methods.list_schedule import PRIORITIES

QUICK = [*(("list", {"priority": each}) for each in PRIORITIES), ("streamlined", {}), ("heft", {})]


def random_tasks(rng, most):
    """Up to `most` tasks of whole weights, some of them zero; often with messages."""
    count, density = rng.randint(1, most), rng.random()
    weights = {k: rng.choice((0, 1, 1, 2, 3, 5, 9)) for k in range(count)}
    message = rng.choice((0, 0, 1, 4))
    edges = [
        (i, j, rng.randint(0, message))
        for j in range(count)
        for i in range(j)
        if rng.random() < density
    ]
    return px.TaskGraph(weights, edges)


def shortest(tasks, processors):
    """The least makespan: every order of the tasks, each on every processor, as early as can be.

    Idle processors are alike, so only the first of them is tried.
    """
    before = {task: [] for task in tasks.names}
    for first, then, size in tasks.edges():
        before[then].append((first, size))
    weights, best = dict(zip(tasks.names, tasks.weights, strict=True)), math.inf

    def place(ends, places, free):
        nonlocal best
        if len(ends) == len(weights):
            best = min(best, max(ends.values(), default=0))
            return
        for task, weight in weights.items():
            if task in ends or any(first not in ends for first, _ in before[task]):
                continue
            used = set(places.values())
            for processor in range(min(processors, len(used) + 1)):
                start = max(
                    (
                        ends[first] + (size if places[first] != processor else 0)
                        for first, size in before[task]
                    ),
                    default=0,
                )
                if weight:  # what takes no time keeps no processor
                    start = max(start, free.get(processor, 0))
                if start + weight < best:
                    busy = {processor: start + weight} if weight else {}
                    place(ends | {task: start + weight}, places | {task: processor}, free | busy)

    place({}, {}, {})
    return best


def check(tasks, processors, found):
    """Is it a schedule at all? Written apart from the package's own check."""
    weights = dict(zip(tasks.names, tasks.weights, strict=True))
    ends = {task: found.start[task] + weights[task] for task in weights}
    assert all(start >= 0 for start in found.start.values())
    assert all(0 <= place < processors for place in found.processor.values())
    for first, then, size in tasks.edges():
        away = size if found.processor[first] != found.processor[then] else 0
        assert found.start[then] >= ends[first] + away, (first, then)
    working = [task for task in weights if weights[task]]
    for one in working:
        for other in working:
            if one != other and found.processor[one] == found.processor[other]:
                assert ends[one] <= found.start[other] or ends[other] <= found.start[one]
    assert found.makespan == max(ends.values(), default=0)


@pytest.mark.parametrize("most", [4, 5, 6])
def test_schedules(most, record_property):
    schedules = 0
    for k in range(scaled({4: 2200, 5: 1800, 6: 400}[most])):
        with case("brute force", most, k) as rng:
            tasks, processors = random_tasks(rng, most), rng.randint(1, 4)
            best = shortest(tasks, processors)
            for method, options in [*QUICK, ("optimal", {})]:
                found = px.schedule(tasks, processors, method, **options)
                check(tasks, processors, found)
                assert found.bound <= best <= found.makespan, (method, options)
                assert not found.optimal or found.makespan == best, (method, options)
                schedules += 1
            assert found.optimal and found.makespan == best
    report(record_property, schedules, "schedules against brute force")


def test_schedules_of_broken_weights(record_property):
    """Tenths and thirds as floats: the optimum is right up to rounding."""
    schedules = 0
    for k in range(scaled(1000)):
        with case("brute force", "fractions", k) as rng:
            whole = random_tasks(rng, 5)
            unit, processors = Fraction(1, rng.choice((3, 7, 10, 1000))), rng.randint(1, 3)
            tasks = px.TaskGraph(
                {t: float(w * unit) for t, w in zip(whole.names, whole.weights, strict=True)},
                [(i, j, float(size * unit)) for i, j, size in whole.edges()],
            )
            best = float(shortest(whole, processors) * unit)
            for method, options in [*QUICK, ("optimal", {})]:
                found = px.schedule(tasks, processors, method, **options)
                assert found.makespan >= best * (1 - 1e-12), (method, options)
                schedules += 1
            assert found.makespan <= best * (1 + 1e-12)
    report(record_property, schedules, "schedules against brute force")
