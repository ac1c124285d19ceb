"""Fewer processors than tasks: the processor of each task, and its stage in every round.

Modulo list scheduling. A round is the time from one item to the next; a task does the same in each
of them, on its own processor, in its own slot. An interval below the work per processor is
impossible; the search starts there and increases the interval until every task fits.
"""

import itertools
import math

import numpy as np


def share(tasks, latencies, processors):
    """The stages of a round; the slot of each task; its processor, or None if it needs none."""
    order = _most_urgent_first(tasks, latencies)
    least = max(math.ceil(sum(latencies) / processors), *latencies, 1)
    for spacing in itertools.count(least):
        found = _placed(tasks, latencies, processors, order, spacing)
        if found is not None:
            return spacing, *found


def _most_urgent_first(tasks, latencies):
    """The tasks by their longest path to the end, longest first: predecessors come before."""
    tails = [0] * len(tasks)
    for task in reversed(tasks.order):
        rest = max((tails[then] for then in tasks.successors[task]), default=0)
        tails[task] = latencies[task] + rest
    return sorted(tasks.order, key=lambda task: -tails[task])


def _placed(tasks, latencies, processors, order, spacing):
    """Each task once its inputs are available and a processor is free; None if one never is."""
    busy = np.zeros((processors, spacing), dtype=bool)
    starts, places = [0] * len(tasks), [None] * len(tasks)
    for task in order:
        ready = max((starts[k] + latencies[k] for k in tasks.predecessors[task]), default=0)
        starts[task], latency = ready, latencies[task]
        if not latency:
            continue
        turns = np.add.outer(np.arange(latency), ready + np.arange(spacing)) % spacing
        free = ~busy[:, turns].any(axis=1)  # processor by stages of waiting
        waits = np.flatnonzero(free.any(axis=0))
        if not len(waits):
            return None
        places[task] = int(free[:, waits[0]].argmax())
        starts[task] += int(waits[0])
        busy[places[task], turns[:, waits[0]]] = True
    return [start % spacing for start in starts], tuple(places)
