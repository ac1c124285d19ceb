"""The earliest starts of tasks with message times, for any number of processors.

Papadimitriou and Yannakakis ("Towards an architecture-independent analysis of parallel algorithms",
1990): a task that starts at time t has the results of all its direct and indirect predecessors.
Those that end less than a message time before t cannot have been sent, so they must have run on its
own processor, one after another. The least t at which this is possible is a lower bound. It holds
for any number of processors, and also if tasks are computed on several of them.
"""

import time


def earliest_starts(tasks, deadline=float("inf")):
    """One per task; longest paths for those that are not reached before the deadline."""
    least = min((tasks.messages.get((a, b), 0) for a, b in _edges(tasks)), default=0)
    needs, starts = [0] * len(tasks), list(tasks.heads)  # needs: tasks as bits
    for task in tasks.order:
        for first in tasks.predecessors[task]:
            needs[task] |= needs[first] | 1 << first
        if time.monotonic() < deadline:
            own = max([starts[task], *(_end(tasks, starts, k) for k in tasks.predecessors[task])])
            starts[task] = _earliest(tasks, starts, _bits(needs[task]), own, least)
    return starts


def _earliest(tasks, starts, needed, earliest, least):
    """The best division of the predecessors: the last ones are computed here, others sent."""
    needed = sorted(needed, key=lambda task: -_end(tasks, starts, task))
    here, best = [], None
    for last in range(len(needed) + 1):
        until = 0
        for start, weight in sorted(here):
            until = max(until, start) + weight
        if best is not None and until >= best:
            break
        sent = _end(tasks, starts, needed[last]) + least if last < len(needed) else 0
        found = max(until, sent, earliest)
        best = found if best is None else min(best, found)
        if last < len(needed):
            here.append((starts[needed[last]], tasks.weights[needed[last]]))
    return best


def _end(tasks, starts, task):
    return starts[task] + tasks.weights[task]


def _edges(tasks):
    return ((first, then) for then, before in enumerate(tasks.predecessors) for first in before)


def _bits(number):
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest
