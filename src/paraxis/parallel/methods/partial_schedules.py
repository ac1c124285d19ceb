"""Partial schedules on identical processors without messages: the tree of exact searches.

A schedule is extended by its tasks in the order of their starts. The next task is any whose
predecessors are placed; it goes to the processor that is free first, as early as possible. Every
schedule in which no task can start earlier is reached this way, including one of the shortest. A
task that could have started before the last one is left out, as another branch has it there; and of
tasks that start at the same time only one order is taken. Tasks that take no time do not need a
processor, and are placed as soon as possible.
"""

from dataclasses import dataclass
from typing import Any

from ...errors import ArgumentError
from .bounds import in_steps, step_of


@dataclass(frozen=True, slots=True)
class Partial:
    """Some placed tasks, and the state on which the places of the others depend."""

    ends: tuple  # of each task; None if it is not placed
    done: int  # the placed tasks, as bits
    ready: dict[int, Any]  # task whose predecessors are placed -> when they are done
    free: tuple  # when each processor is free, ascending
    now: Any  # the last start
    last: int  # the number of the task that started last
    left: Any  # remaining work


class Tree:
    """The partial schedules of some tasks; children are tried by rank, the least first."""

    def __init__(self, tasks, processors, rank):
        if tasks.messages:
            raise ArgumentError(
                f"schedule of {tasks.name}: this search is for tasks without messages; use methods "
                "list, heft, branch_and_bound or optimal for tasks with messages"
            )
        self.tasks, self.processors = tasks, processors
        order = sorted(range(len(tasks)), key=lambda task: (rank[task], task))
        self.number = {task: k for k, task in enumerate(order)}  # by rank, no two equal
        self.step = step_of(tasks)

    def root(self):
        """Nothing is placed, except for tasks that take no time."""
        ends: tuple = (None,) * len(self.tasks)
        ready = {task: 0 for task, before in enumerate(self.tasks.predecessors) if not before}
        free = (0,) * self.processors
        return self._settled(Partial(ends, 0, ready, free, 0, -1, sum(self.tasks.weights)))

    def children(self, partial):
        """The next partial schedules, the most urgent task first."""
        for task in sorted(partial.ready, key=self.number.__getitem__):
            start = max(partial.ready[task], partial.free[0])
            if (start, self.number[task]) > (partial.now, partial.last):
                yield self._with(partial, task, start)

    def _with(self, partial, task, start):
        weight, (_, *others) = self.tasks.weights[task], partial.free
        free = tuple(sorted([*others, start + weight]))
        last, left = self.number[task], partial.left - weight
        return self._settled(self._placed(partial, task, start + weight, free, start, last, left))

    def _placed(self, partial, task, end, *rest):
        """With one more task; `rest` is the Partial's from `free` on."""
        ends = list(partial.ends)
        ends[task] = end
        ready = {other: time for other, time in partial.ready.items() if other != task}
        for then in self.tasks.successors[task]:
            times = [ends[before] for before in self.tasks.predecessors[then]]
            if None not in times:
                ready[then] = max(times)
        return Partial(tuple(ends), partial.done | 1 << task, ready, *rest)

    def _settled(self, partial):
        """With every ready task placed that takes no time."""
        while (task := self._momentary(partial)) is not None:
            end, rest = partial.ready[task], (partial.free, partial.now, partial.last, partial.left)
            partial = self._placed(partial, task, end, *rest)
        return partial

    def _momentary(self, partial):
        return next((task for task in partial.ready if not self.tasks.weights[task]), None)

    def bound(self, partial):
        """A lower bound of the makespan of schedules extended from here."""
        first, tails = max(partial.free[0], partial.now), self.tasks.tails
        ways = [max(time, first) + tails[task] for task, time in partial.ready.items()]
        busy = sum(max(time, partial.now) for time in partial.free)
        shared = in_steps(busy + partial.left, self.processors, self.step) if partial.left else 0
        return max([partial.free[-1], shared, *ways])

    def plan(self, partial):
        """Starts and places of a complete schedule."""
        tasks, free = self.tasks, [0] * self.processors
        starts = [end - weight for end, weight in zip(partial.ends, tasks.weights, strict=True)]
        places = [0] * len(tasks)
        for task in sorted(range(len(tasks)), key=lambda k: (starts[k], self.number[k])):
            if tasks.weights[task]:
                places[task] = min(range(self.processors), key=free.__getitem__)
                free[places[task]] = partial.ends[task]
        return starts, places
