"""Heterogeneous earliest finish time (Topcuoglu, Hariri and Wu), for equal processors.

Tasks are taken by their upward rank, the longest path to the end including all messages, and each
is placed where it ends first, possibly in a gap between tasks already placed. If the result takes
longer than one processor would, all tasks are placed on one processor.
"""

import math
from bisect import bisect_left

from .plan import ANYWHERE, arrivals, no_slower_than_serial


def heft_schedule(tasks, processors):
    """Starts and places."""
    rank = upward_ranks(tasks)
    starts, places = [0] * len(tasks), [0] * len(tasks)
    gaps = [Gaps()]  # of the processors in use, and of one more
    # No rank is below a successor's, and sorting is stable, so predecessors come first.
    for task in sorted(tasks.order, key=lambda k: -rank[k]):
        weight = tasks.weights[task]
        ready = arrivals(tasks, task, starts, places)
        starts[task], places[task] = min(
            (idle.earliest(ready.get(place, ready[ANYWHERE]), weight), place)
            for place, idle in enumerate(gaps)
        )
        gaps[places[task]].fill(starts[task], weight)
        if places[task] == len(gaps) - 1 < processors - 1:
            gaps.append(Gaps())
    return no_slower_than_serial(tasks, (starts, places))


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
