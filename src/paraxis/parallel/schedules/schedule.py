"""A schedule: when and where each task runs. It is checked on creation, so every one is valid."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral, Real
from os import PathLike

from ...checks import counted, integer, shown
from ...errors import ScheduleError
from ..methods.bounds import gap_words
from ..methods.plan import arrival, busy_rows
from ..methods.rounding import rounding
from ..tasks.task_graph import LARGEST, TaskGraph
from ..written import written

MOST_IN_NOTEBOOKS = 5_000  # tasks, about 400 kB


@dataclass(frozen=True, eq=False)
class Schedule:
    """When and on which processor each task runs; usually created by `px.schedule`.

    Times are in the unit of the tasks' weights.

    **Arguments:**

    - `tasks`: a `px.TaskGraph`.
    - `processors`: the number of processors.
    - `starts`: the start of each task, in the order of `tasks.names`.
    - `places`: the processor of each task, from 0, in the same order.
    - `method`: the name of the method that found it.
    - `bounds`: names of bounds -> lower bounds of the makespan.

    **Raises:** `px.ScheduleError` if a task starts before its predecessors and their messages are
    done, or two tasks overlap on a processor.

    **Example:**

    >>> tasks = px.TaskGraph({"a": 2, "b": 3, "c": 1}, [("a", "c"), ("b", "c")])
    >>> plan = px.parallel.Schedule(tasks, 2, starts=(0, 0, 3), places=(0, 1, 1))
    >>> plan.makespan, plan.speedup, plan.rows
    (4, 1.5, {0: ['a'], 1: ['b', 'c']})
    >>> page = plan.to_html("chart.html")
    """

    tasks: TaskGraph
    processors: int
    starts: tuple[float, ...]
    places: tuple[int, ...]
    method: str = "given"
    bounds: dict[str, float] = field(default_factory=dict)

    def __post_init__(self):
        self._keep("processors", integer("processors", self.processors))
        for what in ("starts", "places"):
            self._keep(what, _listed(what, getattr(self, what)))
        wrong = violations(self.tasks, self.processors, self.starts, self.places)
        if wrong:
            more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
            raise ScheduleError(f"schedule of {self.tasks.name}: {wrong[0]}{more}")

    def _keep(self, what, value):
        object.__setattr__(self, what, value)

    @cached_property
    def start(self) -> dict[Hashable, float]:
        """Task -> when it starts."""
        return dict(zip(self.tasks.names, self.starts, strict=True))

    @cached_property
    def processor(self) -> dict[Hashable, int]:
        """Task -> its processor, from 0."""
        return dict(zip(self.tasks.names, self.places, strict=True))

    @cached_property
    def makespan(self) -> float:
        """When the last task ends."""
        ends = (s + w for s, w in zip(self.starts, self.tasks.weights, strict=True))
        return max(ends, default=0)

    @property
    def bound(self) -> float:
        """The best of the bounds: no schedule can be shorter."""
        return max(self.bounds.values(), default=self.tasks.span)

    @property
    def tight(self) -> list[str]:
        """The names of the bounds that equal the best one."""
        least = self.bound - self._rounding
        return [name for name, value in self.bounds.items() if value >= least]

    @property
    def optimal(self) -> bool:
        """Whether the bound proves that no schedule is shorter."""
        return self.makespan <= self.bound + self._rounding

    @property
    def _rounding(self):
        """The rounding error of times that may be sums over all tasks."""
        return rounding(self.makespan, self.bound, sums=len(self.tasks))

    @property
    def gap(self) -> float:
        """The excess of the makespan over the bound, relative to it; infinite if the bound is 0."""
        if self.optimal:
            return 0.0
        return self.makespan / self.bound - 1 if self.bound else math.inf

    @property
    def speedup(self) -> float:
        """The time of one processor over the makespan."""
        return self.tasks.work / self.makespan if self.makespan else 1.0

    @property
    def is_slow(self) -> bool:
        """Whether one processor, which needs no messages, would be faster."""
        return self.makespan > self.tasks.work + self._rounding

    @property
    def efficiency(self) -> float:
        """The speed-up per computing processor: the share of their time that is used."""
        return self.speedup / self.computing if self.makespan else 1.0

    senders = 0  # the last this many processors only send results of the first ones, in order

    @property
    def computing(self) -> int:
        """The number of processors that compute."""
        return self.processors - self.senders

    @cached_property
    def rows(self) -> dict[int, list[Hashable]]:
        """Processor -> the names of its tasks in time order; idle processors are omitted."""
        names = self.tasks.names
        return {
            place: [names[task] for task in row]
            for place, row in busy_rows(self.tasks, self.starts, self.places).items()
        }

    def to_dict(self) -> dict:
        """Everything as plain values, for JSON."""
        tasks = self.tasks
        return {
            "name": tasks.name,
            "method": self.method,
            "processors": self.processors,
            "makespan": self.makespan,
            "speedup": self.speedup,
            "efficiency": self.efficiency,
            "bound": self.bound,
            "bounds": self.bounds,
            "optimal": self.optimal,
            "gap": self.gap if math.isfinite(self.gap) else None,
            "tasks": [
                {
                    "name": str(name),
                    "weight": tasks.weights[k],
                    "after": [str(tasks.names[first]) for first in tasks.predecessors[k]],
                    "messages": [
                        tasks.messages.get((first, k), 0) for first in tasks.predecessors[k]
                    ],
                    "start": self.starts[k],
                    "processor": self.places[k],
                }
                for k, name in enumerate(tasks.names)
            ],
        }

    def to_json(self, path: str | PathLike | None = None) -> str:
        """The schedule as JSON text; also written to `path` if one is given."""
        return written(json.dumps(self.to_dict(), indent=1), path)

    def to_html(self, path: str | PathLike | None = None) -> str:
        """An interactive Gantt chart as one HTML page; also written to `path` if one is given."""
        from ..gantt.page import page

        return written(page(self), path)

    def compile(self, dtype: str = "float64"):
        """Compile the scheduled Program: a kernel with one thread per processor that has tasks.

        **Raises:** `px.ScheduleError` if the tasks are not those of a Program.
        """
        from ..threads import compiled

        return compiled(self, dtype)

    def to_c(self, name: str | None = None, dtype: str = "float64") -> str:
        """C11 source of the scheduled Program: one function per processor that has tasks."""
        from ..threads import c_source

        return c_source(self, name, dtype)

    def export(self, folder: str | PathLike, name: str | None = None, dtype: str = "float64"):
        """Write the C source, its header and a self-test with threads to a folder.

        **Returns:** an object with `paths`, the files; `build`, commands that compile the
        self-test; and `test`, the command that runs it.
        """
        from ..threads import exported

        return exported(self, folder, name, dtype)

    def _repr_html_(self):
        """In notebooks: the chart, unless it is too large."""
        from ..gantt.page import framed

        return framed(self) if len(self.tasks) <= MOST_IN_NOTEBOOKS else None

    def __repr__(self):
        proved = "optimal" if self.optimal else f"{gap_words(self.gap)} above the optimum"
        if self.is_slow:
            proved += ", slower than one processor"
        return (
            f"<Schedule {shown(self.tasks.name)} on {self.computing} by {self.method}: makespan "
            f"{self.makespan}, speed-up {self.speedup:.2f}, efficiency {self.efficiency:.1%}, "
            f"{proved}>"
        )


def violations(tasks, processors, starts, places):
    """The faults of a schedule, one sentence each; an empty list if there are none."""
    if len(starts) != len(tasks) or len(places) != len(tasks):
        return [
            f"expected a start and a processor for {counted(len(tasks), 'task')}, found "
            f"{len(starts)} and {len(places)}"
        ]
    return _impossible(tasks, processors, starts, places) or _too_early(
        tasks, starts, places
    ) + _overlapping(tasks, starts, places)


def _impossible(tasks, processors, starts, places):
    """Starts that are not times, and places that are not processors."""
    wrong = []
    for name, start, place in zip(tasks.names, starts, places, strict=True):
        if not _is_time(start):
            wrong.append(f"task {name} starts at {start!r}")
        if not _is_one_of(place, processors):
            wrong.append(f"task {name} is on processor {place!r} of {processors}")
    return wrong


def _too_early(tasks, starts, places):
    wrong = []
    for task, start in enumerate(starts):
        for first in tasks.predecessors[task]:
            ready = arrival(tasks, first, task, starts, places)
            if start < ready - rounding(start, ready):
                wrong.append(
                    f"task {tasks.names[task]} starts at {start}, but needs {tasks.names[first]}, "
                    f"which is not available before {ready}"
                )
    return wrong


def _overlapping(tasks, starts, places):
    names, weights, wrong = tasks.names, tasks.weights, []
    busy = {}  # processor -> until when, and by which task
    for task in sorted(range(len(tasks)), key=lambda k: (starts[k], weights[k])):
        if not weights[task]:
            continue
        place = places[task]
        until, last = busy.get(place, (0, None))
        if starts[task] < until - rounding(starts[task], until):
            wrong.append(f"tasks {names[last]} and {names[task]} overlap on processor {place}")
        busy[place] = (starts[task] + weights[task], task)
    return wrong


def _is_time(value):
    return isinstance(value, Real) and not isinstance(value, bool) and 0 <= value <= LARGEST


def _is_one_of(place, processors):
    return isinstance(place, Integral) and not isinstance(place, bool) and 0 <= place < processors


def _plain(value):
    """A Python number, for JSON. Other values are left to be rejected by JSON."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return value
    return int(value) if isinstance(value, Integral) else float(value)


def _listed(what, values):
    try:
        return tuple(map(_plain, values))
    except TypeError:
        raise ScheduleError(f"{what}: expected one for each task, found {values!r}") from None
