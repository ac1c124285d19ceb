"""List scheduling: whenever a processor is free, start the ready task of highest priority.

Priorities are of the classical kinds. `hlf`: the longest way to the end (highest level first).
`cp_misf`: that, then the task with most immediate successors (Kasahara and Narita's critical
path / most immediate successors first).
"""

import heapq


def list_schedule(tasks, processors, priority="cp_misf"):
    """Starts and places."""
    rank = PRIORITIES[priority](tasks)
    waiting = [len(each) for each in tasks.predecessors]
    ready = [(rank[k], k) for k, count in enumerate(waiting) if not count]
    heapq.heapify(ready)
    free, running, now = list(range(processors)), [], 0
    starts, places = [0] * len(tasks), [0] * len(tasks)
    while ready or running:
        while ready and free:
            _, task = heapq.heappop(ready)
            starts[task], places[task] = now, heapq.heappop(free)
            heapq.heappush(running, (now + tasks.weights[task], task))
        now = running[0][0]
        while running and running[0][0] == now:
            _, task = heapq.heappop(running)
            heapq.heappush(free, places[task])
            for then in tasks.successors[task]:
                waiting[then] -= 1
                if not waiting[then]:
                    heapq.heappush(ready, (rank[then], then))
    return starts, places


def highest_level_first(tasks):
    return [(-tail,) for tail in tasks.tails]


def critical_path_most_successors(tasks):
    return [(-tail, -len(after)) for tail, after in zip(tasks.tails, tasks.successors, strict=True)]


PRIORITIES = {"hlf": highest_level_first, "cp_misf": critical_path_most_successors}
