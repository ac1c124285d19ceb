"""Schedules of Programs as running code: threads of this machine, or C for each core."""

import heapq
import os
import subprocess
from collections import defaultdict
from functools import cached_property
from typing import NamedTuple

from ..errors import ScheduleError
from ..passes.parts import Line, parts
from ..targets.cpu.map import ELEMENTS
from ..targets.cpu.parts import compile_parts
from ..targets.cpu.text.parts import room
from ..targets.number import checked_dtype
from ..targets.source import c_parts
from ..targets.source.compiler import compile_c
from ..targets.source.files import write_parts, write_timing
from .tasks.task_graph import ProgramTasks


def compiled(schedule, dtype="float64"):
    """A kernel; that of the Program itself if only one processor has tasks."""
    dtype = checked_dtype(dtype)
    parts, lines = divided(schedule, room(ELEMENTS[dtype]))
    program = schedule.tasks.program
    if len(parts) == 1:
        return program.compile(dtype=dtype, threads=1)
    return compile_parts(program.graph, parts, len(lines), dtype)


def c_source(schedule, name=None, dtype="float64"):
    """The text of a C file."""
    dtype = checked_dtype(dtype)
    parts, _ = divided(schedule, c_parts.room(dtype))
    return c_parts.source(schedule.tasks.program.graph, parts, name, dtype)


def exported(schedule, folder, name=None, dtype="float64"):
    """Source, header and self-test as files."""
    dtype = checked_dtype(dtype)
    parts, _ = divided(schedule, c_parts.room(dtype))
    return write_parts(schedule.tasks.program.graph, parts, folder, name, dtype)


class CallTimes(NamedTuple):
    """Seconds per call: the fastest, the median and the slowest of many rounds of calls."""

    fastest: float
    median: float
    slowest: float


def timing(schedule, folder, name=None, dtype="float64"):
    """Write a program that times the C of `exported`; its path, and the command to compile it."""
    dtype = checked_dtype(dtype)
    parts, _ = divided(schedule, c_parts.room(dtype))
    return write_timing(schedule.tasks.program.graph, parts, folder, name, dtype)


def timed(schedule, folder, name=None, dtype="float64"):
    """The CallTimes of the C of `exported`, compiled by this machine's compiler."""
    program, words = timing(schedule, folder, name, dtype)
    compile_c(words)
    done = subprocess.run([os.path.abspath(program)], capture_output=True, text=True, check=True)
    return CallTimes(*(float(word) * 1e-9 for word in done.stdout.split()))


def divided(schedule, room):
    """The parts, that of the busiest processor first, and the cache lines between them.

    A line has room for this many values. Processors without tasks have no part.
    """
    tasks = schedule.tasks
    if not isinstance(tasks, ProgramTasks):
        raise ScheduleError(
            f"schedule of {tasks.name}: only the tasks of a Program can be compiled; create them "
            "with px.TaskGraph.from_program"
        )
    load = [0] * schedule.processors
    for task, place in enumerate(schedule.places):
        load[place] += tasks.weights[task]
    used = sorted(set(schedule.places), key=lambda place: (-load[place], place)) or [0]
    number = {place: k for k, place in enumerate(used)}
    division = _Division(schedule, [number[place] for place in schedule.places], len(used))
    lines = division.lines(room)
    return parts(tasks.program.graph, division.rows(), lines), lines


class _Division:
    """Which values go from which part to which, and when."""

    def __init__(self, schedule, home, count):
        self.tasks, self.starts = schedule.tasks, schedule.starts
        self.home, self.count = home, count  # the part of each task

    def rows(self):
        """The nodes of each part, in order."""
        rows = [[] for _ in range(self.count)]
        for task in self.order:
            rows[self.home[task]] += self.tasks.operations[task]
        return rows

    def lines(self, room):
        """Lines filled with values in the order in which they are computed.

        A value joins a line unless the line would then be too late for a receiver.
        """
        lines = []
        for (sender, receiver), wanted in self._wanted().items():
            values, latest = [], None
            ends = {node: self._end(node, sender) for node in wanted}
            for node in sorted(wanted, key=lambda node: (ends[node], node.index)):
                if values and (len(values) == room or ends[node] > latest):
                    lines.append(Line(sender, receiver, tuple(values)))
                    values = []
                latest = min(latest, wanted[node]) if values else wanted[node]
                values.append(node)
            lines.append(Line(sender, receiver, tuple(values)))
        return lines

    @cached_property
    def order(self):
        """All tasks by their starts, and simultaneous ones in topological order."""
        waiting = [len(each) for each in self.tasks.predecessors]
        ready = [(self.starts[task], task) for task, count in enumerate(waiting) if not count]
        heapq.heapify(ready)
        order = []
        while ready:
            _, task = heapq.heappop(ready)
            order.append(task)
            for then in self.tasks.successors[task]:
                waiting[then] -= 1
                if not waiting[then]:
                    heapq.heappush(ready, (self.starts[then], then))
        return order

    @cached_property
    def _makers(self):
        """node index -> part -> the task that computes it there."""
        makers = defaultdict(dict)
        for task in self.order:
            for node in self.tasks.operations[task]:
                makers[node.index].setdefault(self.home[task], task)
        return makers

    def _end(self, node, part):
        task = self._makers[node.index][part]
        return self.starts[task] + self.tasks.weights[task]

    def _wanted(self):
        """(sender, receiver) -> node -> the latest time at which it must be sent."""
        behind, wanted = _behind(self.tasks), defaultdict(dict)
        for task in self.order:
            here, before = self.home[task], {*self.tasks.predecessors[task]}
            for node in self.tasks.operations[task]:
                for source in (s for a in node.args for s in behind[a.index]):
                    makers = self._makers[source.index]
                    if here in makers:
                        continue
                    there, first = next(item for item in makers.items() if item[1] in before)
                    latest = self.starts[task] - self.tasks.messages.get((first, task), 0)
                    way = wanted[there, here]
                    way[source] = min(latest, way.get(source, latest))
        return wanted


def _behind(tasks):
    """node index -> the task values that it is, or from which it is computed for free."""
    behind, made = {}, {node.index for nodes in tasks.operations for node in nodes}
    for node in tasks.program.graph.nodes:
        if node.index in made:
            behind[node.index] = (node,)
        else:
            behind[node.index] = tuple(s for a in node.args for s in behind[a.index])
    return behind
