"""The fewest buffers that keep the streams of a pipeline aligned.

A task may start once its inputs are available, t_v >= t_u + latency_u, and early values wait in a
delay line. A line that ends at m is m - t_u - latency_u registers long, and m >= t_v for all tasks
v that read from it. Each of these is a difference of two unknowns, so the vertices of the linear
program are integers (it is the dual of a minimum-cost flow): its optimum is that of the integer
program, both for lines with taps and for lines with one reader each. If items enter only every few
stages, the unknowns count these rounds, and all of the above still holds.
"""

from dataclasses import dataclass

import numpy as np

from ...errors import ScheduleError
from ...targets.cpu.aside import aside
from ..solver import scipy_parts

OUTSIDE = None  # takes the results


@dataclass(frozen=True)
class Line:
    """The registers after a task for one of its values.

    `taps` maps the readers, by index among the tasks or OUTSIDE, to the number of registers that
    the value has passed by then.
    """

    task: int
    value: object
    taps: dict[int | None, int]

    @property
    def length(self) -> int:
        """Its number of registers."""
        return max(self.taps.values())

    @property
    def tapped(self) -> bool:
        """Whether it is read both in the middle (not at its entry) and at its end."""
        return len({*self.taps.values()} - {0}) > 1


def routes(tasks, values, shared, aligned_outputs):
    """The lines needed: (task, value, readers), one for all readers or one for each.

    `values` maps an edge, as a pair of indices, to the values along it.
    """
    takers = {}
    for first, after in enumerate(tasks.successors):
        for then in after:
            for value in values.get((first, then), (None,)):
                takers.setdefault((first, value), []).append(then)
        if not after and aligned_outputs:
            takers[first, None] = [OUTSIDE]
    if shared:
        return [(*key, each) for key, each in takers.items()]
    return [(*key, [taker]) for key, each in takers.items() for taker in each]


def delay_lines(starts, latencies, stages, spacing, routes):
    """The line for each route. A register holds an item until the next one comes."""
    lines = []
    for task, value, takers in routes:
        ready = starts[task] + latencies[task]
        ends = {taker: stages if taker is OUTSIDE else starts[taker] for taker in takers}
        taps = {taker: _rounds(end - ready, spacing) for taker, end in ends.items()}
        lines.append(Line(task, value, taps))
    return tuple(lines)


def fewest_buffers(tasks, latencies, windows, spacing, routes):
    """The starts with the shortest total length of lines; among these the earliest.

    `windows` has the first and the last start of each task; it starts an integer number of rounds,
    of `spacing` stages, after the first.
    """
    slots = [first for first, _ in windows]
    limits = [(last - first) // spacing for first, last in windows]
    ready = [slot + latency for slot, latency in zip(slots, latencies, strict=True)]
    order = [
        (first, then, _rounds(ready[first] - slots[then], spacing))
        for then, before in enumerate(tasks.predecessors)
        for first in before
    ]
    buffers = [0] * len(tasks)
    for task, _, takers in routes:
        buffers[task] -= 1
        if OUTSIDE in takers:
            continue  # the line ends with the pipeline
        if len(takers) == 1:
            [end] = takers
        else:
            end = len(limits)
            limits.append(np.inf)
            buffers.append(0)
            order += [(each, end, _rounds(slots[each] - ready[task], spacing)) for each in takers]
        buffers[end] += 1
    weight = 1 + sum(limits[: len(tasks)])  # of a buffer: more than all starts together
    cost = [weight * each + (event < len(tasks)) for event, each in enumerate(buffers)]
    found = _events(limits, order, cost)[: len(tasks)]
    return [slot + spacing * rounds for slot, rounds in zip(slots, found, strict=True)]


def _rounds(stages, spacing):
    """The number of rounds in which this many stages pass."""
    return -(-stages // spacing)


def _events(limits, order, cost):
    """The time of each event, between 0 and its limit, with the least sum of cost times time.

    `order` has (event, later event, least time between them). All numbers are integers.
    """
    optimize, sparse = scipy_parts("pipeline")
    earlier, later, apart = np.array(order, dtype=int).reshape(-1, 3).T
    rows, ones = np.arange(len(apart)), np.ones(len(apart))
    differences = sparse.csr_array(
        (np.concatenate([ones, -ones]), (np.tile(rows, 2), np.concatenate([earlier, later]))),
        shape=(len(rows), len(limits)),
    )
    found = aside(
        lambda: optimize.linprog(
            cost,
            A_ub=differences,
            b_ub=-apart,
            bounds=[(0, limit) for limit in limits],
            method="highs-ds",  # the simplex method ends at a vertex
        )
    )
    if not found.success:
        raise ScheduleError(f"the search for the fewest buffers failed: {found.message}")
    return np.rint(found.x).astype(int).tolist()
