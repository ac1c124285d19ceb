"""The effect of more processors: schedules of the same tasks on different numbers of them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from numbers import Integral
from os import PathLike
from typing import Any

from ...checks import integer, shown
from ...drawing.figure import Figure
from ...errors import ArgumentError
from ..methods.bounds import gap_text
from ..methods.rounding import rounding
from ..tasks.task_graph import TaskGraph
from ..written import written
from .schedule import MOST_IN_NOTEBOOKS, Schedule
from .scheduling import schedule

HEADINGS = ("processors", "makespan", "speed-up", "efficiency", "bound", "gap")
MOST_SCHEDULES = 1_000
PROCESSORS, BOUND = "processors", "no schedule can be above"  # in figures


@dataclass(frozen=True, repr=False)
class SpeedupCurve:
    """Schedules of the same tasks on different numbers of processors.

    - `schedules`: `px.parallel.Schedule` objects. Properties are tuples with an entry per schedule.
    """

    schedules: tuple[Schedule, ...]

    @property
    def processors(self) -> tuple[int, ...]:
        return tuple(each.processors for each in self.schedules)

    @property
    def makespan(self) -> tuple[float, ...]:
        return tuple(each.makespan for each in self.schedules)

    @property
    def speedup(self) -> tuple[float, ...]:
        return tuple(each.speedup for each in self.schedules)

    @property
    def efficiency(self) -> tuple[float, ...]:
        return tuple(each.efficiency for each in self.schedules)

    @property
    def bound(self) -> tuple[float, ...]:
        """Lower bounds of the makespans."""
        return tuple(each.bound for each in self.schedules)

    def to_html(self, path: str | PathLike | None = None) -> str:
        """The curves and a chart of each schedule as one HTML page; written to `path` if given."""
        from ..gantt.page import page

        return written(page(*self.schedules, figures=speedup_figures(self.schedules)), path)

    def _repr_html_(self):
        """In notebooks: that page, unless it is too large."""
        from ..gantt.page import framed

        if sum(len(each.tasks) for each in self.schedules) > MOST_IN_NOTEBOOKS:
            return None
        return framed(*self.schedules, figures=speedup_figures(self.schedules))

    def __repr__(self):
        rows = [HEADINGS]
        for each in self.schedules:
            shares = f"{each.speedup:.2f}", f"{each.efficiency:.1%}"
            bound = _digits(each.bound), gap_text(each.gap)
            rows.append((f"{each.processors}", _digits(each.makespan), *shares, *bound))
        widths = [max(len(row[k]) for row in rows) for k in range(len(HEADINGS))]
        first = self.schedules[0]
        lines = [f"{shown(first.tasks.name)} by {first.method}"]
        for row in rows:
            lines.append("  ".join(f"{cell:>{w}}" for cell, w in zip(row, widths, strict=True)))
        return "\n".join(lines)


def _digits(time):
    return f"{time}" if isinstance(time, int) else f"{time:.6g}"


def speedup_curve(
    tasks: TaskGraph, processors: int | Iterable[int], method: str = "list", **options
) -> SpeedupCurve:
    """Schedule the same tasks on different numbers of processors.

    **Arguments:**

    - `tasks`: a `px.TaskGraph`.
    - `processors`: the numbers of processors, or one integer p for 1 to p.
    - `method`, `options`: as for `px.schedule`.

    **Returns:** a curve with `schedules`, `processors`, `makespan`, `speedup`, `efficiency` and
    `bound`, one entry per schedule. No schedule is longer than one on fewer processors, and no
    bound is weaker than one for more processors.

    **Raises:** the same errors as `px.schedule`.

    **Example:**

    >>> tasks = px.streamlined_tasks(px.load("puma560"))
    >>> curve = px.parallel.speedup_curve(tasks, 6)
    >>> curve.processors
    (1, 2, 3, 4, 5, 6)
    >>> curve.makespan
    (155, 78, 52, 39, 32, 28)
    """
    given: Any = processors
    if isinstance(processors, Integral):
        given = range(1, integer("processors", processors) + 1)
    try:
        counts = tuple(islice(given, MOST_SCHEDULES + 1))
    except TypeError:
        counts = ()
    if not counts:
        raise ArgumentError(f"processors: expected at least one integer, found {processors!r}")
    if len(counts) > MOST_SCHEDULES:
        raise ArgumentError(f"processors: expected at most {MOST_SCHEDULES:,} integers, found more")
    return SpeedupCurve(consistent([schedule(tasks, p, method, **options) for p in counts]))


def consistent(schedules):
    """Schedules of the same tasks, improved by those on fewer or more processors.

    A schedule is also valid on more processors, some of which are idle. A lower bound for more
    processors therefore also holds for fewer.
    """
    found = list(schedules)
    order = sorted(range(len(found)), key=lambda k: found[k].processors)
    for fewer, more in pairwise(order):
        if found[fewer].makespan < found[more].makespan:
            plan = {"starts": found[fewer].starts, "places": found[fewer].places}
            found[more] = replace(found[more], **plan)
    for more, fewer in pairwise(reversed(order)):
        least, known = found[more].bound, found[fewer].bound
        if known < least - rounding(known, least, sums=len(found[more].tasks)):
            passed = {f"schedules on {found[more].processors} processors": least}
            found[fewer] = replace(found[fewer], bounds=found[fewer].bounds | passed)
    return tuple(found)


def speedup_figures(schedules):
    """For schedules of the same tasks: the results, and the limits given by their bounds."""
    methods = list(dict.fromkeys(each.method for each in schedules))
    work = schedules[0].tasks.work
    limit = [(each.processors, work / each.bound if each.bound else 1.0) for each in schedules]
    reached = {
        method: [(each.processors, each.speedup) for each in schedules if each.method == method]
        for method in methods
    }
    return (
        Figure(
            "Speed-up over processors",
            "How many times faster than one processor.",
            PROCESSORS,
            "speed-up",
            reached | {BOUND: limit},
            dashed=(BOUND,),
        ),
        Figure(
            "Efficiency over processors",
            "The share of the processors' time that is used.",
            PROCESSORS,
            "efficiency, %",
            {name: _shares(points) for name, points in (reached | {BOUND: limit}).items()},
            dashed=(BOUND,),
        ),
    )


def _shares(points):
    return [(count, 100 * speedup / count) for count, speedup in points]
