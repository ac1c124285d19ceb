"""The least times between the starts of tasks, one of which needs the other.

That is at least the longest way between them. It is more where the tasks on the ways between
them are too much work for the processors: they are a schedule of their own, between the two.
"""

import time
from dataclasses import dataclass

import numpy as np

from .bounds import least_span

MOST_TASKS = 1_000  # all pairs are looked at


@dataclass(frozen=True)
class Distances:
    """`heads` from the beginning to each task, `tails` from each task to the end of all.

    `ways` are triples (task, later task, least time between their starts) that imply the others.
    """

    heads: list
    tails: list
    ways: list
    span: int


def least_distances(tasks, processors, deadline):
    """Of tasks with whole weights. After the deadline only paths count, as in large graphs."""
    if len(tasks) > MOST_TASKS:
        return _longest_paths(tasks)
    count = len(tasks)
    begin, end = count, count + 1  # as tasks without weight
    order = [begin, *tasks.order, end]
    weight = np.array([*tasks.weights, 0, 0])
    needs = _needs(tasks)
    distance = np.zeros((count + 2, count + 2), dtype=np.int64)
    ways = []
    for number, then in enumerate(order):
        for first in reversed(order[:number]):
            if not needs[first, then]:
                continue
            between = np.flatnonzero(needs[first] & needs[:, then])
            head, tail = distance[first, between], distance[between, then]
            longest = (head + tail).max(initial=0).item()
            least = max(longest, weight[first].item())
            if len(between) > processors and time.monotonic() < deadline:
                least = least_span(weight[between], head, tail, processors)
            distance[first, then] = least
            if not len(between) or least > longest:
                ways.append((first, then, least))
    return Distances(
        distance[begin, :count].tolist(),
        distance[:count, end].tolist(),
        [way for way in ways if begin not in way[:2] and end not in way[:2]],
        distance[begin, end].item(),
    )


def _needs(tasks):
    """[a, b]: whether b needs a, at once or later; the last two are the beginning and the end."""
    count = len(tasks)
    needs = np.zeros((count + 2, count + 2), dtype=bool)
    needs[count, :count] = needs[: count + 1, count + 1] = True
    for task in tasks.order:
        for first in tasks.predecessors[task]:
            needs[:count, task] |= needs[:count, first]
            needs[first, task] = True
    return needs


def _longest_paths(tasks):
    ways = [
        (first, then, tasks.weights[first])
        for then, before in enumerate(tasks.predecessors)
        for first in before
    ]
    return Distances(tasks.heads, tasks.tails, ways, tasks.span)
