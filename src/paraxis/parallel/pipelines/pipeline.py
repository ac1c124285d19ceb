"""A pipeline: when each task starts on an item, and the delay lines between the tasks."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...checks import shown
from ..tasks.task_graph import TaskGraph
from ..written import written
from .buffers import OUTSIDE, Line

if TYPE_CHECKING:
    from .stream import Stream

WIDTH = 100  # letters of a printed line
MOST_LINES = 17  # for the stages, and for the delay lines


@dataclass(frozen=True, eq=False)
class Pipeline:
    """Tasks arranged as a pipeline, created by `px.pipeline`.

    - `tasks`: the `px.TaskGraph`.
    - `starts`, `latencies`: for each task, the stage at which it starts on an item, and its number
      of stages.
    - `stages`: the number of stages until an item is done.
    - `spacing`: the number of stages from one item to the next.
    - `stage`: the length of a stage, in the unit of the tasks' weights.
    - `lines`: the delay lines; `shared`: whether one serves all tasks that need a value.
    - `places`: the processor of each task if processors are shared, otherwise None.

    **Example:**

    >>> tasks = px.TaskGraph.from_program(px.program(px.robots.planar(2), "gravity_torques"))
    >>> line = px.pipeline(tasks)
    >>> line.stages, line.interval
    (4, 1)
    >>> line.evaluate(q=[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])  # a state enters at every stage
    array([[19.62 ,  4.905],
           [10.601,  2.65 ],
           [-8.165, -2.041]])
    """

    tasks: TaskGraph
    latencies: tuple[int, ...]
    starts: tuple[int, ...]
    stages: int
    lines: tuple[Line, ...]
    shared: bool = True
    stage: float = 1
    spacing: int = 1
    places: tuple[int | None, ...] | None = None

    @property
    def latency(self) -> float:
        """The time from the arrival of an item to its results, in the unit of the weights."""
        return self.stages * self.stage

    @property
    def interval(self) -> float:
        """The time from one item to the next, in the unit of the weights."""
        return self.spacing * self.stage

    @property
    def processors(self) -> int:
        """The number of processors: one per task that takes time, unless they are shared."""
        if self.places is None:
            return sum(latency > 0 for latency in self.latencies)
        return max((place for place in self.places if place is not None), default=-1) + 1

    @property
    def buffers(self) -> int:
        """The stages (registers) of all delay lines together."""
        return sum(line.length for line in self.lines)

    @cached_property
    def start(self) -> dict[Hashable, int]:
        """Task -> the stage at which it starts."""
        return dict(zip(self.tasks.names, self.starts, strict=True))

    @cached_property
    def processor(self) -> dict[Hashable, int | None]:
        """Task -> its processor, from 0; None for a task that takes no time."""
        places = self.places
        if places is None:
            number = iter(range(len(self.tasks)))
            places = tuple(next(number) if latency else None for latency in self.latencies)
        return dict(zip(self.tasks.names, places, strict=True))

    @cached_property
    def delays(self) -> dict[str, int]:
        """Delay line -> its stages; lines without stages are wires and not listed."""
        return {self.line_name(line): line.length for line in self.lines if line.length}

    @property
    def tapped_delay_lines(self) -> int:
        """How many delay lines are read in the middle as well as at their end."""
        return sum(line.tapped for line in self.lines)

    def line_name(self, line: Line) -> str:
        """The task, the value if it has several, and the reader if lines are not shared."""
        name = self.name_of(line.task)
        if line.value is not None:
            name += f".{line.value}"
        if not self.shared:
            name += f" to {self.name_of(next(iter(line.taps)))}"
        return name

    def readers(self, line: Line) -> list[str]:
        """Who reads a line and where: one phrase per reader."""
        return [
            shown(self.name_of(task)) + (f" after {delay}" if delay else " at once")
            for task, delay in sorted(line.taps.items(), key=lambda tap: tap[1])
        ]

    def name_of(self, task: int | None) -> str:
        """The name of a task, or "the outside"."""
        return "the outside" if task is OUTSIDE else str(self.tasks.names[task])

    # -- running it -------------------------------------------------------------------------------

    def simulate(self, items: int | Sequence[Mapping], functions: Mapping | None = None) -> Stream:
        """Send items through the pipeline, stage by stage.

        **Arguments:**

        - `items`: the number of items; or, with `functions`, one dict per item, input task ->
          value.
        - `functions`: task -> a function with one argument per edge to the task, in their order:
          the value, or a dict of values if several go along the edge. It returns the task's value,
          or a dict if its values have names. An input's function gets the item's value. Only tasks
          of weight 0 with one argument may be omitted; they pass the argument on.

        **Returns:** an object with `results`, one dict per item, output task -> value; and `done`,
        the stage at which each item is done.

        **Raises:** `px.ScheduleError` if values of different items meet.
        """
        from .stream import stream

        return stream(self, items, functions)

    def evaluate(self, /, **arrays: ArrayLike) -> np.ndarray | dict[str, np.ndarray]:
        """Stream a batch of states through the pipeline of a Program, one item per state.

        Arguments and results are those of `Program.evaluate`.
        """
        from .program import evaluate

        return evaluate(self, arrays)

    # -- showing it -------------------------------------------------------------------------------

    def to_dict(self) -> dict:
        """Everything as plain values, for JSON."""
        names, before = self.tasks.names, self.tasks.predecessors
        return {
            "name": self.tasks.name,
            "stages": self.stages,
            "latency": self.latency,
            "interval": self.interval,
            "processors": self.processors,
            "buffers": self.buffers,
            "tapped_delay_lines": self.tapped_delay_lines,
            "tasks": [
                {
                    "name": str(name),
                    "after": [str(names[first]) for first in before[k]],
                    "start": self.starts[k],
                    "stages": self.latencies[k],
                    "processor": self.processor[name],
                }
                for k, name in enumerate(names)
            ],
            "lines": [
                {
                    "name": self.line_name(line),
                    "task": str(names[line.task]),
                    "value": None if line.value is None else str(line.value),
                    "stages": line.length,
                    "taps": {self.name_of(task): delay for task, delay in line.taps.items()},
                }
                for line in self.lines
            ],
        }

    def to_json(self, path: str | PathLike | None = None) -> str:
        """The pipeline as JSON text; also written to `path` if one is given."""
        return written(json.dumps(self.to_dict(), indent=1), path)

    def to_html(self, path: str | PathLike | None = None) -> str:
        """A drawing as one HTML page, stages from left to right; written to `path` if given."""
        from .page import page

        return written(page(self), path)

    def __repr__(self):
        return f"<Pipeline {shown(self.tasks.name)}: {self.summary}>"

    @property
    def pace(self) -> str:
        """The interval of items, in words."""
        return "every stage" if self.spacing == 1 else f"every {self.spacing} stages"

    @property
    def summary(self) -> str:
        """The sizes in one line."""
        return (
            f"{self.processors} processors, {self.stages} stages, an item {self.pace}, "
            f"{self.buffers} buffer stages in {len(self.delays)} delay lines, "
            f"{self.tapped_delay_lines} tapped"
        )

    def __str__(self):
        lines = [f"{shown(self.tasks.name)}: {self.summary}", "", "stage  tasks that start"]
        started = {}
        for task in self.tasks.order:
            started.setdefault(self.starts[task], []).append(shown(self.name_of(task)))
        stages = (_line(f"{stage:>5}  ", started[stage], "; ") for stage in sorted(started))
        lines += _first(list(stages), "stages")
        if self.delays:
            width = max(len(shown(name)) for name in ["delay line", *self.delays])
            lines += ["", f"{'delay line':{width}}  stages  read by"]
            delays = (
                _line(
                    f"{shown(self.line_name(line)):{width}}  {line.length:>6}  ",
                    self.readers(line),
                    ", ",
                )
                for line in self.lines
                if line.length
            )
            lines += _first(list(delays), "delay lines")
        return "\n".join(lines)


def _line(head, words, between):
    """The words that fit after the head, at least one, and the number of the others."""
    line = head + between.join(words)
    fit = len(words)
    while len(line) > WIDTH and fit > 1:
        fit = min(fit - 1, WIDTH)
        line = f"{head}{between.join(words[:fit])}{between}... and {len(words) - fit} more"
    return line


def _first(lines, what):
    """The lines that are printed, and the number of the others."""
    more = len(lines) - MOST_LINES
    return lines if more <= 0 else [*lines[:MOST_LINES], f"... and {more} more {what}"]
