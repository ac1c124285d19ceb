"""Heterogeneous earliest finish time (Topcuoglu, Hariri and Wu), for equal processors.

Tasks are taken by their upward rank, the longest path to the end with all messages sent, and each
goes where it ends first: also into a gap between tasks that are placed already. With messages, that
may take longer than on fewer processors: the best on any number up to all of them is taken.
"""

import math
from bisect import bisect_left

from .plan import ANYWHERE, arrivals, shortest_on_fewer


def heft_schedule(tasks, processors):
    """Starts and places."""
    rank = upward_ranks(tasks)
    # No rank is below a successor's, and sorting is stable: predecessors stay before.
    order = sorted(tasks.order, key=lambda k: -rank[k])
    return shortest_on_fewer(tasks, processors, lambda count: placed(tasks, order, count))


def placed(tasks, order, processors):
    """Starts and places of tasks taken in this order."""
    starts, places = [0] * len(tasks), [0] * len(tasks)
    gaps = [Gaps()]  # of the processors in use, and of one more
    for task in order:
        weight = tasks.weights[task]
        ready = arrivals(tasks, task, starts, places)
        starts[task], places[task] = min(
            (idle.earliest(ready.get(place, ready[ANYWHERE]), weight), place)
            for place, idle in enumerate(gaps)
        )
        gaps[places[task]].fill(starts[task], weight)
        if places[task] == len(gaps) - 1 < processors - 1:
            gaps.append(Gaps())
    return starts, places


def upward_ranks(tasks):
    """The longest path from the start of each task to the end of all, including messages."""
    rank = list(tasks.weights)
    for task in reversed(tasks.order):
        for then in tasks.successors[task]:
            way = tasks.messages.get((task, then), 0) + rank[then]
            rank[task] = max(rank[task], tasks.weights[task] + way)
    return rank


class Gaps:
    """The times when a processor is idle."""

    def __init__(self):
        self.begins, self.ends = [0], [math.inf]

    def earliest(self, ready, weight):
        """The first start from `ready` on at which a task fits."""
        gap = bisect_left(self.ends, ready + weight)
        while (start := max(ready, self.begins[gap])) + weight > self.ends[gap]:
            gap += 1
        return start

    def fill(self, start, weight):
        if not weight:
            return
        gap = bisect_left(self.ends, start + weight)
        begin, end = self.begins[gap], self.ends[gap]
        left = [(a, b) for a, b in ((begin, start), (start + weight, end)) if a < b]
        self.begins[gap : gap + 1] = [a for a, _ in left]
        self.ends[gap : gap + 1] = [b for _, b in left]
