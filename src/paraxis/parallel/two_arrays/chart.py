"""A timed script as tasks and a schedule: a row per processor, and one for each sender."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ..schedules.schedule import Schedule
from ..tasks.task_graph import TaskGraph
from .script import Do, Send
from .timing import plain, where


class PlanTasks(TaskGraph):
    """The tasks of a plan, with messages as tasks after them. Only computation is work."""

    def __init__(self, weights, edges, name, labels, groups, computed):
        super().__init__(weights, edges, name, labels, groups)
        self._computed = computed

    @cached_property
    def work(self):
        return sum(self.weights[: self._computed])


@dataclass(frozen=True, eq=False, repr=False)
class PlanSchedule(Schedule):
    """A schedule whose speed-up is relative to one processor's own algorithm, by its flops."""

    senders: int = 0
    computing: int = 0
    serial_flops: int = 0

    @property
    def speedup(self):
        return self.serial_flops / self.makespan

    @property
    def is_slow(self):
        return self.speedup < 1


class Bar(NamedTuple):
    """The data shown for a task or a message."""

    weight: float
    start: float
    row: int
    label: str
    group: str


def plan_schedule(timing, name, computing, serial_flops):
    """The Schedule of all tasks, and of the messages if these take time."""
    tasks, messages, edges = _Bars(timing).found()
    bars = tasks | messages
    graph = PlanTasks(
        {task: bar.weight for task, bar in bars.items()},
        edges,
        name,
        {task: bar.label for task, bar in bars.items()},
        {task: bar.group for task, bar in bars.items()},
        len(tasks),
    )
    rows = timing.script.arrays * timing.script.row
    senders = rows if messages else 0
    starts, places = ([getattr(bar, what) for bar in bars.values()] for what in ("start", "row"))
    limits = {  # for this allocation
        "critical path": graph.span,
        "busiest processor": max(timing.busiest(kind) for kind in (Do, Send)),
    }
    about = (graph, rows + senders, starts, places, "two arrays", limits)
    return PlanSchedule(*about, senders, computing, serial_flops)


class _Bars:
    """Tasks, messages and their predecessors, found in one pass over the script."""

    def __init__(self, timing):
        self.timing, self.script = timing, timing.script
        self.tasks, self.messages, self.edges = {}, {}, []
        self.brought = {}  # (value, site, offset, block) -> its task or message

    def found(self):
        for item, starts in zip(self.script.items, self.timing.starts, strict=True):
            add = self._task if isinstance(item, Do) else self._message
            site, senders = where(item)
            rows = self.script.places(site.layout)[senders] + site.array * self.script.row
            columns = (item.blocks, self.timing.length(item), starts, rows)
            for k, each in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
                add(item, k, *each)
        return self.tasks, self.messages, self.edges

    def _task(self, item, _, block, flops, start, row):
        task = f"{item.part} {item.name} [{block + 1}]"
        label = f"array {item.site.array + 1}, processor {row % self.script.row + 1}"
        self.tasks[task] = Bar(flops, plain(start), row, label, _group(item.part))
        for read in item.reads:
            self._needs(task, (read.value, item.site, read.offset, block))
        self.brought[item.value, item.site, 0, block] = task

    def _message(self, item, k, block, time, start, row):
        sender = block + item.offset
        source = (item.value, item.source, 0, sender)
        by = self.brought.get(source)
        if time:
            by = f"{item.value} [{sender + 1}] to array {item.target.array + 1} [{block + 1}]"
            label = f"{item.words[k]} words over {item.hops[k]} links"
            row += self.script.arrays * self.script.row
            self.messages[by] = Bar(plain(time), plain(start), row, label, "messages")
            self._needs(by, source)
        if by is not None:  # given values are available from the start
            self.brought[item.value, item.target, item.offset, block] = by

    def _needs(self, name, value):
        by = self.brought.get(value)
        if by is not None:
            self.edges.append((by, name))


def _group(part):
    """Groups the parts of a final step together, because a chart has ten colours."""
    return "step IV" if part.startswith("IV") else f"step {part}"
