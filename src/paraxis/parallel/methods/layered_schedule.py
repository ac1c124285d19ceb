"""Dhanaraj's scheduling of streamlined tasks: layers packed into cycles (thesis, 4.3.3).

In each cycle the processors take the tasks of the first unfinished layer, in the given order; tasks
without a processor wait for the next cycle. The remaining processors look into the following
layers, the nearest first, for tasks whose predecessors finished in earlier cycles.

His tasks have equal weights and no messages. With other tasks, a cycle is as long as its longest
task, and begins when all its inputs have arrived, like on a machine with a barrier after each
cycle.
"""

import heapq
from collections.abc import Mapping
from numbers import Real

from ...errors import ArgumentError
from .plan import arrival


def layered_schedule(tasks, processors, layers=None):
    """Starts and places. `layers` maps names to layers; by default, `tasks.layers` are used.

    A task may be in the same layer as a predecessor, but not before it. It takes a later cycle.
    """
    layer = _given(tasks, layers) if layers is not None else _own(tasks)
    waiting = [len(each) for each in tasks.predecessors]
    ready = [(layer[task], task) for task, count in enumerate(waiting) if not count]
    heapq.heapify(ready)
    starts, places = [0] * len(tasks), [0] * len(tasks)
    begin = 0
    while ready:
        cycle = [heapq.heappop(ready)[1] for _ in range(min(processors, len(ready)))]
        for place, task in enumerate(cycle):
            places[task] = place
        needed = ((first, task) for task in cycle for first in tasks.predecessors[task])
        begin = max([begin, *(arrival(tasks, *pair, starts, places) for pair in needed)])
        for task in cycle:
            starts[task] = begin
            for then in tasks.successors[task]:
                waiting[then] -= 1
                if not waiting[then]:
                    heapq.heappush(ready, (layer[then], then))
        begin += max(tasks.weights[task] for task in cycle)
    return starts, places


def _own(tasks):
    layer = [0] * len(tasks)
    for number, names in enumerate(tasks.layers):
        for name in names:
            layer[tasks.index[name]] = number
    return layer


def _given(tasks, layers):
    if not isinstance(layers, Mapping):
        raise ArgumentError(
            f"layers: expected a mapping from names to layers, found {type(layers).__name__}"
        )
    for name in tasks.names:
        if not isinstance(found := layers.get(name), Real):
            raise ArgumentError(f"layers: expected a number for task {name}, found {found!r}")
    for first, then, _ in tasks.edges():
        if layers[first] > layers[then]:
            raise ArgumentError(
                f"layers: task {then} is in layer {layers[then]}, before layer {layers[first]} of "
                f"its predecessor {first}"
            )
    return [layers[name] for name in tasks.names]
