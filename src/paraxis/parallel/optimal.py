"""The shortest schedule: the best of the quick methods, then bounds, then an exact search.

Each step ends the work if the schedule meets the bound. What the time limit, or the size of the
graph, does not allow to prove is left open: the bounds that were proved go with the schedule, and
so does its gap. Only the exact search needs OR-Tools.
"""

import time
from numbers import Real

from ..errors import ArgumentError
from .arrivals import ANYWHERE, arrivals
from .bounds import bounds
from .cp_sat import is_within_reach, shorter_schedule
from .distances import least_distances
from .heft import heft_schedule
from .list_schedule import PRIORITIES, list_schedule
from .restarts import best_of_restarts, makespan
from .whole_number import whole_number
from .whole_weights import whole_tasks


def optimal_schedule(tasks, processors, time_limit=60, seed=0):
    """Starts, places, and the bounds that were proved. The limit is in seconds."""
    if isinstance(time_limit, bool) or not isinstance(time_limit, Real) or not time_limit > 0:
        raise ArgumentError(f"time_limit: expected seconds > 0, found {time_limit!r}")
    seed = whole_number("seed", seed, least=0)
    begun = time.monotonic()
    whole = whole_tasks(tasks)
    given, tasks = tasks, whole.tasks
    processors = max(1, min(processors, len(tasks)))
    best = min(quick_schedules(tasks, processors), key=lambda plan: makespan(tasks, plan))
    proved = bounds(tasks, processors)
    floor = max(proved.values())
    if makespan(tasks, best) > floor:
        best = best_of_restarts(tasks, processors, best, floor, begun + time_limit / 10, seed)
    if makespan(tasks, best) > floor:
        distances = least_distances(tasks, processors, begun + time_limit / 4)
        floor = proved["work between tasks"] = max(floor, distances.span)
    if makespan(tasks, best) > floor and is_within_reach(tasks, processors):
        left = max(0.1, begun + time_limit - time.monotonic())
        found, floor = shorter_schedule(tasks, processors, best, distances, floor, left, seed)
        best, proved["CP-SAT"] = found or best, floor
    times = {name: whole.least_time(units) for name, units in proved.items()}
    return replayed(given, *best), best[1], times


def quick_schedules(tasks, processors):
    """Starts and places; on one processor too, which messages may make the best."""
    for priority in PRIORITIES:
        yield list_schedule(tasks, processors, priority)
    yield heft_schedule(tasks, processors)
    yield list_schedule(tasks, 1)


def replayed(tasks, starts, places):
    """The starts of tasks that keep their places and their order there, with other weights."""
    position = {task: k for k, task in enumerate(tasks.order)}
    free, times = {}, list(starts)
    for task in sorted(tasks.order, key=lambda k: (starts[k], position[k])):
        ready = arrivals(tasks, task, times, places)
        times[task] = ready.get(places[task], ready[ANYWHERE])
        if tasks.weights[task]:
            times[task] = max(times[task], free.get(places[task], 0))
            free[places[task]] = times[task] + tasks.weights[task]
    return times
