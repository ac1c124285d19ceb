"""What more processors bring: schedules of the same tasks on different numbers of them."""

from dataclasses import dataclass
from numbers import Integral

from ..errors import ArgumentError
from .schedule import MOST_IN_NOTEBOOKS, Schedule
from .scheduling import schedule
from .speedup_figures import speedup_figures
from .whole_number import whole_number
from .written import written

HEADINGS = ("processors", "makespan", "speed-up", "efficiency", "bound", "gap")


@dataclass(frozen=True)
class SpeedupCurve:
    """Schedules of the same tasks; its columns are tuples, one item a schedule."""

    schedules: tuple[Schedule, ...]

    @property
    def processors(self):
        return tuple(each.processors for each in self.schedules)

    @property
    def makespan(self):
        return tuple(each.makespan for each in self.schedules)

    @property
    def speedup(self):
        return tuple(each.speedup for each in self.schedules)

    @property
    def efficiency(self):
        return tuple(each.efficiency for each in self.schedules)

    @property
    def bound(self):
        """No schedule can have a shorter makespan."""
        return tuple(each.bound for each in self.schedules)

    def to_html(self, path=None):
        """The curves and a chart of each schedule as one HTML page; also a file if one is named."""
        from .gantt import page

        return written(page(*self.schedules, figures=speedup_figures(self.schedules)), path)

    def _repr_html_(self):
        """In notebooks: that page, unless it is too large to be kept in one."""
        from .gantt import framed

        if sum(len(each.tasks) for each in self.schedules) > MOST_IN_NOTEBOOKS:
            return None
        return framed(*self.schedules, figures=speedup_figures(self.schedules))

    def __str__(self):
        rows = [HEADINGS]
        for each in self.schedules:
            times = f"{each.makespan:.6g}", f"{each.speedup:.2f}", f"{each.efficiency:.1%}"
            rows.append((f"{each.processors}", *times, f"{each.bound:.6g}", f"{each.gap:.1%}"))
        widths = [max(len(row[k]) for row in rows) for k in range(len(HEADINGS))]
        first = self.schedules[0]
        lines = [f"{first.tasks.name} by {first.method}"]
        for row in rows:
            lines.append("  ".join(f"{cell:>{w}}" for cell, w in zip(row, widths, strict=True)))
        return "\n".join(lines)


def speedup_curve(tasks, processors, method="list", **options):
    """Schedules on each of `processors`, numbers or, if it is one number, all up to it."""
    if isinstance(processors, Integral):
        processors = range(1, whole_number("processors", processors) + 1)
    try:
        counts = tuple(processors)
    except TypeError:
        counts = ()
    if not counts:
        raise ArgumentError(f"processors: expected numbers of them, found {processors!r}")
    return SpeedupCurve(tuple(schedule(tasks, each, method, **options) for each in counts))
