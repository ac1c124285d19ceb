"""A schedule for threads of a real machine, where a message costs as much as hundreds of flops.

Every processor computes everything its results need (cones.py), so some values are computed several
times. Values that many results need can be divided in the same way, and exchanged once. The best
variant is found with a model of the machine: flops, the latency of a message, and the cost of
receiving or storing a value.
"""

import math
from collections import Counter
from numbers import Real

import numpy as np

from ...checks import integer
from ...errors import ArgumentError
from ...programs import Program
from ..tasks.grain import gather
from ..tasks.task_graph import ProgramTasks, TaskGraph
from .cones import share_out
from .schedule import Schedule

WEIGHTS = dict(div=8, sqrt=10, trig=13)  # in flops, for a core that does several at once
LATENCY = 350  # flops until a message arrives, a thread begins, or its end is known
PER_VALUE = 3  # flops for receiving a value
PER_RESULT = 2  # flops for storing a result
LINE = 8  # results in a cache line
QUARREL = 1 / 12  # of the latency: the cost of a cache line to which two processors store
MOST_UNITS = 4000  # that are compared with each other
LOWER = (0.25, 0.5, 0.75)  # the share of the common work that is divided, before an exchange


def thread_schedule(program: Program, processors: int = 2, latency: float = LATENCY) -> Schedule:
    """Schedule a Program's operations for threads; some operations run on several of them.

    **Arguments:**

    - `program`: a `px.Program`.
    - `processors`: the largest number of threads; some stay idle if more would not be faster.
    - `latency`: the time of a message between two cores, in flops.

    **Returns:** a `px.parallel.Schedule`, whose `compile()` and `to_c()` generate code with
    threads. Its times are in flops.

    **Raises:** `px.ArgumentError` if an argument is out of range.

    **Example:**

    >>> program = px.program(px.load("ur5"), "inverse_dynamics")
    >>> plan = px.parallel.thread_schedule(program, processors=2, latency=0)
    >>> plan.processors, round(plan.speedup, 1)
    (2, 1.3)
    """
    processors = integer("processors", processors)
    if isinstance(latency, bool) or not isinstance(latency, Real) or not 0 <= latency < math.inf:
        raise ArgumentError(f"latency: expected a time >= 0, found {latency!r}")
    work = _Work(TaskGraph.from_program(program, **WEIGHTS))
    best = _Plan(work, [range(len(work.tasks))], latency)
    for parts in range(2, min(processors, len(work.results)) + 1):
        for owned in work.divisions(parts, latency):
            plan = _Plan(work, owned, latency)
            if plan.makespan < best.makespan:
                best = plan
    return best.schedule(processors)


class _Work:
    """The tasks of a Program, and the same gathered into units, few enough to compare cones."""

    def __init__(self, tasks):
        self.tasks = tasks
        self.result_lines = self._result_lines()  # the tasks whose results share a line
        self.results = Counter(task for line in self.result_lines for task in line)
        grain = tasks.work / MOST_UNITS
        self.unit = gather(tasks.weights, tasks.predecessors, tasks.successors, grain)
        count = max(self.unit, default=-1) + 1
        self.weights = np.zeros(count)
        self.feeds = np.zeros((count, count), bool)  # [u, v]: v reads a value of u
        for task, own in enumerate(self.unit):
            self.weights[own] += tasks.weights[task] + PER_RESULT * self.results[task]
            for first in tasks.predecessors[task]:
                self.feeds[self.unit[first], own] = self.unit[first] != own
        self.cones = np.eye(count, dtype=bool)
        for own in range(count):  # units are numbered in topological order
            self.cones[own] |= self.cones[self.feeds[:, own]].any(axis=0)

    def _result_lines(self):
        lines = []
        for _, nodes in self.tasks.program.graph.outputs.values():
            makers = []
            for node in nodes:
                while node.op == "neg":
                    node = node.args[0]
                makers.append(self.tasks.task_of.get(node.index))  # None: a constant, an input
            lines += [makers[k : k + LINE] for k in range(0, len(makers), LINE)]
        return [[task for task in line if task is not None] for line in lines]

    def divisions(self, parts, latency):
        """Lists of tasks, one per part: without an exchange, then with one."""
        outcomes = list(dict.fromkeys(self.unit[task] for task in self.results))
        away = np.array([0, *[2 * latency] * (parts - 1)])  # for all but the calling thread
        for twice in (1.0, 1.0 / parts):
            own = self._cones_of(outcomes, away, twice)
            yield self._tasks(own)
            common = own.sum(axis=0) > 1
            alone = (own & ~common) @ self.weights
            size = self.cones @ self.weights
            for share in LOWER:
                low = common & (size <= share * self.weights[common].sum())
                top = np.flatnonzero(low & ~(self.feeds & low).any(axis=1))
                if len(top) > 1:
                    yield self._tasks(self._cones_of(top, away + alone, 1.0) | (own & ~low))

    def _cones_of(self, targets, handicaps, twice):
        """[part, unit]: whether the part computes it, to compute its share of the targets."""
        cones = self.cones[targets]
        place = share_out(self.weights, cones, handicaps, twice)
        return np.array([cones[place == k].any(axis=0) for k in range(len(handicaps))])

    def _tasks(self, own):
        return [np.flatnonzero(row[self.unit]).tolist() for row in own]


class _Plan:
    """When each part executes its tasks.

    A part works in stages: first everything that needs no message, then what needs values of the
    first stages of others, and so on; within each stage, first what others wait for.
    """

    def __init__(self, work, owned, latency):
        self.work, self.latency = work, latency
        self.parts_of = [[] for _ in range(len(work.tasks))]  # task -> the parts that execute it
        for part, tasks in enumerate(owned):
            for task in tasks:
                self.parts_of[task].append(part)
        self.source = {}  # (task, part without it) -> the part that sends the value
        stage = self._stages()
        urgent = self._urgent(stage)
        order = sorted(stage, key=lambda each: (stage[each], each not in urgent, each[0]))
        self.starts, self.makespan = self._times(order, len(owned))

    def _stages(self):
        """(task, part) -> its stage. Tasks are numbered in topological order."""
        stage = {}
        for task, parts in enumerate(self.parts_of):
            for part in parts:
                latest = 0
                for first in self.work.tasks.predecessors[task]:
                    if (first, part) in stage:
                        latest = max(latest, stage[first, part])
                    else:
                        there = min(self.parts_of[first], key=lambda k: stage[first, k])
                        self.source[first, part] = there
                        latest = max(latest, stage[first, there] + 1)
                stage[task, part] = latest
        return stage

    def _urgent(self, stage):
        """The tasks for which others wait, and those that they need in the same stage."""
        urgent = {(task, there) for (task, _), there in self.source.items()}
        for task in reversed(range(len(self.parts_of))):
            for part in self.parts_of[task]:
                if (task, part) in urgent:
                    for first in self.work.tasks.predecessors[task]:
                        if stage.get((first, part)) == stage[task, part]:
                            urgent.add((first, part))
        return urgent

    def _times(self, order, parts):
        tasks, results = self.work.tasks, self.work.results
        away = [self.latency if part else 0 for part in range(parts)]
        clock, start, end, received = [*away], {}, {}, set()
        for task, part in order:
            at = clock[part]
            for first in tasks.predecessors[task]:
                if (first, part) in self.source:
                    at = max(at, end[first, self.source[first, part]] + self.latency)
                    at += PER_VALUE * ((first, part) not in received)
                    received.add((first, part))
            start[task, part] = at
            end[task, part] = at + tasks.weights[task]
            clock[part] = end[task, part] + PER_RESULT * results[task]
        both = sum(
            len({self.parts_of[task][0] for task in line}) > 1 for line in self.work.result_lines
        )
        last = max(c + a for c, a in zip(clock, away, strict=True))
        return start, last + QUARREL * self.latency * both

    def schedule(self, processors):
        """As a schedule of tasks, some of which are copies."""
        tasks, copies = self.work.tasks, sorted(self.starts)
        name = {
            (task, part): tasks.names[task] + (f" on {part}" if part != parts[0] else "")
            for task, parts in enumerate(self.parts_of)
            for part in parts
        }
        edges = [
            (name[first, self.source.get((first, part), part)], name[task, part], self.latency)
            for task, part in copies
            for first in tasks.predecessors[task]
        ]
        groups = {name[c]: tasks.groups.get(tasks.names[c[0]]) for c in copies}
        copied = ProgramTasks(
            {name[c]: tasks.weights[c[0]] for c in copies},
            edges,
            tasks.name,
            {name[c]: tasks.labels[tasks.names[c[0]]] for c in copies},
            {task: group for task, group in groups.items() if group is not None},
            tasks.unit,
            tasks.program,
            tuple(tasks.operations[task] for task, _ in copies),
            tasks,
        )
        starts = tuple(self.starts[each] for each in copies)
        return Schedule(copied, processors, starts, tuple(part for _, part in copies), "threads")
