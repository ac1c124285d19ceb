"""A shorter schedule, or the proof that there is none, by OR-Tools CP-SAT.

Processors are identical. Without messages the model only limits the number of tasks that run at a
time to that of the processors; places are assigned afterwards. With messages the solver chooses
them.
"""

import heapq
import os
import time

from ....errors import MissingPackageError, ScheduleError
from ....targets.cpu.aside import aside

WORKERS = 8  # at least, even on fewer cores, as they use different search strategies
LOOK, LOOKS = 0.01, 30  # seconds and repetitions, within which a stopped search usually ends
MOST_TASKS = 2_000  # more exhaust the memory of a large machine before the time
MOST_PLACES = 2_000  # tasks times processors, with messages: larger models load too slowly


def out_of_reach(tasks, processors):
    """Why the solver cannot be used, if it cannot."""
    if len(tasks) > MOST_TASKS:
        return f"more than {MOST_TASKS:,} tasks"
    if tasks.messages and len(tasks) * min(processors, len(tasks)) > MOST_PLACES:
        return f"messages, and more than {MOST_PLACES:,} tasks times processors"
    return ""


def solver_package():
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise MissingPackageError(
            "optimal schedules need OR-Tools: pip install 'paraxis[opt]'"
        ) from None
    return cp_model


def shorter_schedule(tasks, processors, known, distances, floor, seconds, seed):
    """(starts, places) or None, and a bound. `known` is a schedule, `floor` a bound for it.

    Weights and messages are integers. The result is None if none shorter than `known` was found.
    """
    cp_model = solver_package()
    model = cp_model.CpModel()
    starts, places = known
    last = max(s + w for s, w in zip(starts, tasks.weights, strict=True)) - 1
    start = [
        model.new_int_var(head, last - tail, "")
        for head, tail in zip(distances.heads, distances.tails, strict=True)
    ]
    for variable, begin, tail in zip(start, starts, distances.tails, strict=True):
        model.add_hint(variable, min(begin, last - tail))
    for first, then, least in distances.ways:
        model.add(start[then] >= start[first] + least)
    busy = [
        model.new_fixed_size_interval_var(start[task], weight, "")
        for task, weight in enumerate(tasks.weights)
        if weight
    ]
    model.add_cumulative(busy, [1] * len(busy), processors)
    on = _assignment(model, tasks, processors, start, places) if tasks.messages else None
    end = model.new_int_var(floor, last, "")
    for task, weight in enumerate(tasks.weights):
        if not tasks.successors[task]:
            model.add(end >= start[task] + weight)
    model.minimize(end)

    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.max_time_in_seconds = seconds
    parameters.random_seed = seed
    parameters.num_workers = max(WORKERS, os.cpu_count() or 1)
    parameters.use_overload_checker_in_cumulative = True
    parameters.use_timetable_edge_finding_in_cumulative = True
    parameters.use_hard_precedences_in_cumulative = True
    status = _solved(solver, model)
    if status == cp_model.MODEL_INVALID:
        raise ScheduleError(
            f"schedule of {tasks.name}: CP-SAT rejects the model: {model.validate()}"
        )
    if status == cp_model.INFEASIBLE:
        return None, last + 1
    bound = round(max(floor, solver.best_objective_bound))
    if status == cp_model.UNKNOWN:
        return None, bound
    starts = [solver.value(variable) for variable in start]
    if on is None:
        return (starts, settled(tasks, starts)), bound
    places = [next(p for p, here in enumerate(each) if solver.boolean_value(here)) for each in on]
    return (starts, places), bound


def _solved(solver, model):
    """The status. Ctrl-C stops the search and is raised; the solver itself would catch it."""
    solver.parameters.catch_sigint_signal = False
    over = []

    def solve():
        try:
            return None if over else solver.solve(model)
        finally:
            over.append(True)

    def stop():
        for _ in range(LOOKS):  # a search that has not begun yet ignores requests to stop
            if over:
                return
            solver.stop_search()
            time.sleep(LOOK)
        over.append(True)

    return aside(solve, stop)


def _assignment(model, tasks, processors, start, places):
    """The processor of each task, and messages between tasks on different ones.

    Processors are numbered by their first task, so that a task has at most one more choice than
    there are tasks before it.
    """
    on = [None] * len(tasks)
    number = {}
    for count, task in enumerate(tasks.order, 1):
        on[task] = [model.new_bool_var("") for _ in range(min(count, processors))]
        model.add_exactly_one(on[task])
        number.setdefault(places[task], len(number))
        for place, here in enumerate(on[task]):
            model.add_hint(here, place == number[places[task]])
    for place in range(processors):
        model.add_no_overlap(
            model.new_optional_fixed_size_interval_var(start[task], weight, on[task][place], "")
            for task, weight in enumerate(tasks.weights)
            if weight and place < len(on[task])
        )
    for (first, then), size in tasks.messages.items():
        same = model.new_bool_var("")
        for place, here in enumerate(on[first]):
            there = [on[then][place]] if place < len(on[then]) else []
            model.add_bool_or(~same, ~here, *there)
        arrival = start[first] + tasks.weights[first] + size
        model.add(start[then] >= arrival).only_enforce_if(~same)
    return on


def settled(tasks, starts):
    """Processors for tasks that never exceed their number at a time."""
    places, free, used = [0] * len(tasks), [], 0
    running = []
    for task in sorted(range(len(tasks)), key=starts.__getitem__):
        if not tasks.weights[task]:
            continue
        while running and running[0][0] <= starts[task]:
            heapq.heappush(free, heapq.heappop(running)[1])
        if not free:
            free, used = [used], used + 1
        places[task] = heapq.heappop(free)
        heapq.heappush(running, (starts[task] + tasks.weights[task], places[task]))
    return places
