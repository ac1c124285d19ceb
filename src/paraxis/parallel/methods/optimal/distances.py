"""The least times between the starts of tasks, one of which is a predecessor of the other.

The distance is at least the longest path between them. It is longer if the tasks on the paths
between them are too much work for the processors: they form a schedule of their own in between.
"""

import time
from dataclasses import dataclass

import numpy as np

from ..bounds import least_span

MOST_TASKS = 1_000  # all pairs are examined


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
    """For tasks with integer weights.

    Tasks are examined in topological order. For those that the deadline leaves over, only paths
    count, as in large graphs.
    """
    if len(tasks) > MOST_TASKS or time.monotonic() > deadline:
        return _longest_paths(tasks)
    count = len(tasks)
    begin, end = count, count + 1  # as tasks without weight
    order = [begin, *tasks.order, end]
    weight = np.array([*tasks.weights, 0, 0])
    needs = _needs(tasks)
    distance = np.zeros((count + 2, count + 2), dtype=np.int64)
    ways = []
    for number, then in enumerate(order):
        if time.monotonic() > deadline:
            return _with_paths(tasks, set(order[number:]), distance[begin], ways)
        for first in reversed(order[:number]):
            if not needs[first, then]:
                continue
            between = np.flatnonzero(needs[first] & needs[:, then])
            head, tail = distance[first, between], distance[between, then]
            longest = (head + tail).max(initial=0).item()
            least = max(longest, weight[first].item())
            if len(between) > processors:
                least = least_span(weight[between], head, tail, processors, deadline=deadline)
            distance[first, then] = least
            if not len(between) or least > longest:
                ways.append((first, then, least))
    return Distances(
        distance[begin, :count].tolist(),
        distance[:count, end].tolist(),
        _between_tasks(ways, count),
        distance[begin, end].item(),
    )


def _needs(tasks):
    """[a, b]: whether a is a predecessor of b; the last two are the beginning and the end."""
    count = len(tasks)
    needs = np.zeros((count + 2, count + 2), dtype=bool)
    needs[count, :count] = needs[: count + 1, count + 1] = True
    for task in tasks.order:
        for first in tasks.predecessors[task]:
            needs[:count, task] |= needs[:count, first]
            needs[first, task] = True
    return needs


def _between_tasks(ways, count):
    return [way for way in ways if max(way[:2]) < count]


def _with_paths(tasks, left, heads, ways):
    """The known distances if some tasks are left over, and the paths to these."""
    count = len(tasks)
    paths = _longest_paths(tasks, left)
    heads = [tasks.heads[k] if k in left else heads[k].item() for k in range(count)]
    span = max(head + tail for head, tail in zip(heads, tasks.tails, strict=True))
    return Distances(heads, tasks.tails, _between_tasks(ways, count) + paths.ways, span)


def _longest_paths(tasks, ends=None):
    """All longest paths, or those to some tasks."""
    ways = [
        (first, then, tasks.weights[first])
        for then, before in enumerate(tasks.predecessors)
        for first in before
        if ends is None or then in ends
    ]
    return Distances(tasks.heads, tasks.tails, ways, tasks.span)
