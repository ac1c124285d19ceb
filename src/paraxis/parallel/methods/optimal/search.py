"""The shortest schedule: the best of the fast methods, then bounds, then an exact search.

Each step ends the search if the schedule meets the bound. If the time limit or the size of the
graph does not allow a proof, the result has the proved bounds and its gap. Only the exact search
needs OR-Tools. There is always one schedule, however short the time is.
"""

import time

from ....checks import integer
from ..bounds import bounds
from ..heft import heft_schedule
from ..limits import TIME_LIMIT, seconds
from ..list_schedule import DEFAULT_PRIORITY, PRIORITIES, list_schedule
from ..plan import ANYWHERE, arrivals, makespan
from .cp_sat import out_of_reach, shorter_schedule
from .distances import least_distances
from .restarts import best_of_restarts
from .whole_weights import whole_tasks

EXACT = "CP-SAT"  # the name of its bound


def optimal_schedule(tasks, processors, time_limit=TIME_LIMIT, seed=0):
    """Starts, places, and the bounds that were proved. The limit is in seconds."""
    seconds(time_limit)
    seed = integer("seed", seed, least=0)
    begun = time.monotonic()
    deadline = begun + time_limit
    whole = whole_tasks(tasks)
    given, tasks = tasks, whole.tasks
    plans = quick_schedules(tasks, processors, deadline)
    best = min(plans, key=lambda plan: makespan(tasks, plan))
    proved = bounds(tasks, processors, deadline)
    floor = max(proved.values())
    if makespan(tasks, best) > floor:
        best = best_of_restarts(tasks, processors, best, floor, begun + time_limit / 10, seed)
    if makespan(tasks, best) > floor:
        distances = least_distances(tasks, processors, begun + time_limit / 4)
        floor = proved["work between tasks"] = max(floor, distances.span)
    left = deadline - time.monotonic()
    if makespan(tasks, best) > floor and left > 0 and not out_of_reach(tasks, processors):
        found, floor = shorter_schedule(tasks, processors, best, distances, floor, left, seed)
        best, proved[EXACT] = found or best, floor
    times = {name: whole.least_time(units) for name, units in proved.items()}
    if whole.rounded:  # methods that do not need integers are better without them
        for name, value in bounds(given, processors, deadline).items():
            times[name] = max(times[name], value)
    return replayed(given, *best), best[1], times


def unsearched(schedule):
    """Why an optimal schedule was not searched exactly; empty if it was."""
    if schedule.method != "optimal" or schedule.optimal or EXACT in schedule.bounds:
        return ""
    return out_of_reach(schedule.tasks, schedule.processors) or "the time limit"


def quick_schedules(tasks, processors, deadline):
    """Starts and places. The default method is first, and the only one after the deadline."""
    yield list_schedule(tasks, processors)
    for priority in PRIORITIES:
        if time.monotonic() < deadline and priority != DEFAULT_PRIORITY:
            yield list_schedule(tasks, processors, priority)
    if time.monotonic() < deadline:
        yield heft_schedule(tasks, processors)


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
