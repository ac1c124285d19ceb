"""The schedules that Dhanaraj prints, and what they get wrong."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

from paraxis.parallel.streamlined.table import MAKES, linked, task_name

SIX_LINKS = ("revolute",) * 6
STANFORD = ("revolute", "revolute", "prismatic", "revolute", "revolute", "revolute")
IDLE = "0"


@dataclass(frozen=True)
class PrintedSchedule:
    """A table of the thesis: for each level what each processor does."""

    table: str
    kinds: tuple
    levels: tuple

    @property
    def processors(self):
        return len(self.levels[0])

    @cached_property
    def places(self):
        """task -> (level, processor), from 0, where it first stands."""
        places = {}
        for k, level in enumerate(self.levels):
            for processor, task in enumerate(level):
                if task != IDLE:
                    places.setdefault(task, (k, processor))
        return places

    @property
    def twice(self):
        """The tasks that stand more than once."""
        every = Counter(task for level in self.levels for task in level if task != IDLE)
        return [task for task, times in every.items() if times > 1]

    @property
    def unknown(self):
        """Numbers that are no subtasks of Table 4.1."""
        links = range(1, len(self.kinds) + 1)
        known = {task_name(link, number) for link in links for number in MAKES}
        return [task for task in self.places if task not in known]

    @cached_property
    def tasks(self):
        """What it schedules, and who waits for whom by Table 4.1."""
        return linked(self.kinds, set(self.places), f"Table {self.table}")

    @property
    def starts(self):
        return [self.places[task][0] for task in self.tasks.names]

    @property
    def processor_of(self):
        return [self.places[task][1] for task in self.tasks.names]

    @property
    def broken(self):
        """Pairs (before, after) of which the second does not come after the first."""
        names, starts = self.tasks.names, self.starts
        return [
            (names[first], names[task])
            for task, before in enumerate(self.tasks.predecessors)
            for first in before
            if starts[task] <= starts[first]
        ]


def printed_schedules():
    """table -> its schedule: C.1 to C.15, and the layers 4.3 and 4.7."""
    text = files(__package__).joinpath("printed_schedules.txt").read_text("utf-8")
    found = {}
    for block in text.split("[")[1:]:
        table, rows = block.split("]")
        levels = tuple(tuple(row.split()) for row in rows.strip().splitlines())
        found[table] = PrintedSchedule(table, _kinds(table), levels)
    return found


def _kinds(table):
    chapter, number = table.split(".")
    six = int(number) <= 8 if chapter == "C" else number == "3"
    return SIX_LINKS if six else STANFORD
