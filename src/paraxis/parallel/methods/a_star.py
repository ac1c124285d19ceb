"""A*: the partial schedule with the least bound is extended next (Chen, Lee and Hou, 1988).

The first complete schedule to be selected is the shortest, as no other has a lower bound. Ties go
to the schedule with more tasks, then by dynamical highest level first / most immediate successors
first, whose list schedule is returned if time or memory runs out. The least remaining bound is then
a bound on all schedules.
"""

import heapq
import time
from itertools import count

from .bounds import bounds
from .limits import TIME_LIMIT, seconds
from .list_schedule import dynamic_level_most_successors, list_schedule
from .partial_schedules import Tree
from .plan import makespan

EXACT = "A*"  # the name of its bound
MOST_BYTES = 1_000_000_000  # of stored partial schedules


def a_star_schedule(tasks, processors, time_limit=TIME_LIMIT):
    """Starts, places, and the bounds that were proved. The limit is in seconds."""
    deadline = time.monotonic() + seconds(time_limit)
    rank, _ = dynamic_level_most_successors(tasks)
    tree = Tree(tasks, processors, rank)
    best, proved = list_schedule(tasks, processors, "dhlf_misf"), bounds(tasks, processors)
    shortest, floor = makespan(tasks, best), max(proved.values())
    if shortest <= floor:
        return *best, proved
    queue, seen, numbers, kept = [(floor, 0, 0, tree.root())], set(), count(1), 0
    while queue:
        least, _, _, partial = heapq.heappop(queue)
        if least >= shortest or time.monotonic() > deadline or kept > MOST_BYTES:
            proved[EXACT] = min(least, shortest)
            return *best, proved
        if not partial.ready:
            proved[EXACT] = least
            return *tree.plan(partial), proved
        for child in tree.children(partial):
            bound, state = max(least, tree.bound(child)), _state(child)
            if bound < shortest and state not in seen:
                seen.add(state)
                kept += _bytes(child)
                heapq.heappush(queue, (bound, -child.done.bit_count(), next(numbers), child))
    proved[EXACT] = shortest
    return *best, proved


def _bytes(partial):
    """The approximate size of a partial schedule, as measured; most of it is for ready tasks."""
    return 1_000 + 8 * len(partial.ends) + 200 * len(partial.ready)


def _state(partial):
    """The state on which the rest of a schedule depends."""
    now = partial.now
    ready = frozenset((task, max(time, now)) for task, time in partial.ready.items())
    free = tuple(max(time, now) for time in partial.free)
    running = frozenset(
        (task, end) for task, end in enumerate(partial.ends) if end is not None and end > now
    )
    return partial.done, now, partial.last, free, ready, running
