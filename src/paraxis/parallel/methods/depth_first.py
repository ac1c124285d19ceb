"""DF/IHS, depth first with implicit heuristic search (Kasahara and Narita, 1984).

Branch and bound that first descends along their critical path / most immediate successors first
rule: the first schedule it finds is close to that of the list method, and afterwards only
candidates that may be shorter are examined. When none are left, the best one is proved to be the
shortest.
"""

import time

from .bounds import bounds
from .limits import TIME_LIMIT, seconds
from .list_schedule import critical_path_most_successors, list_schedule
from .partial_schedules import Tree
from .plan import makespan

EXACT = "DF/IHS"  # the name of its bound


def depth_first_schedule(tasks, processors, time_limit=TIME_LIMIT):
    """Starts, places, and the bounds that were proved. The limit is in seconds."""
    deadline = time.monotonic() + seconds(time_limit)
    (rank,) = critical_path_most_successors(tasks)
    tree = Tree(tasks, processors, rank)
    best, proved = list_schedule(tasks, processors), bounds(tasks, processors)
    shortest, floor = makespan(tasks, best), max(proved.values())
    branches = [iter([tree.root()])]
    while branches and shortest > floor:
        if time.monotonic() > deadline:
            return *best, proved
        partial = next(branches[-1], None)
        if partial is None:
            branches.pop()
        elif tree.bound(partial) >= shortest:
            continue
        elif partial.ready:
            branches.append(tree.children(partial))
        else:
            best, shortest = tree.plan(partial), partial.free[-1]
    if shortest > floor:
        proved[EXACT] = shortest
    return *best, proved
