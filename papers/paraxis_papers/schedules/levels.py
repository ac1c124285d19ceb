"""How many levels the tasks take on so many processors, with a proof that fewer are impossible."""

from functools import cache

from paraxis import schedule

from ..document import Row, Table
from ..printed import printed
from .arms import PAPER, six_links, stanford, stanford_of_table_4_7
from .printed_schedules import printed_schedules

MOST_SECONDS = 20
MOST_PROCESSORS = 13


@cache
def shortest(tasks, processors):
    """The best schedule that is found, with the bounds that prove it."""
    return schedule(tasks, processors, "optimal", time_limit=MOST_SECONDS)


def fewest_processors(tasks):
    """How many processors are enough to be as fast as with any number."""
    return next(p for p in range(1, len(tasks) + 1) if shortest(tasks, p).makespan == tasks.span)


def six_link_levels():
    """Of the general arm."""
    return _table(
        "Levels for six links",
        "Tables C.1 to C.8, and Table 4.3 for 13 processors: the general arm of 231 subtasks.",
        "six links",
        six_links(),
        printed_layers("4.3") | {"119": 0},  # which Table 4.3 has not
    )


def stanford_levels():
    """Of the tasks that are scheduled there, and of those that the arm has."""
    theirs = _table(
        "Levels for the Stanford arm, as he has it",
        "Tables C.9 to C.15: the 156 subtasks of Table 4.7.",
        "Stanford arm",
        stanford_of_table_4_7(),
        printed_layers("4.7"),
    )
    ours = _table(
        "Levels for the Stanford arm, as it is",
        "The same arm, its subtasks found by tracing: none without work, none left out.",
        "Stanford arm",
        stanford(),
    )
    return theirs, ours


def _table(title, lead, arm, tasks, layers=None):
    told = printed("dhanaraj")["streamlining"]["levels"][arm]
    rows = [_row(tasks, p, told.get(str(p)), layers) for p in range(2, MOST_PROCESSORS + 1)]
    whose = "his table" if layers else "tasks that could start together"
    return Table(title, lead, rows, (f"His method packs the layers of {whose} into levels.",))


def _row(tasks, processors, levels, layers):
    best = shortest(tasks, processors)
    his = schedule(tasks, processors, "streamlined", layers=layers).makespan
    listed = schedule(tasks, processors, "list").makespan
    short = " (fewer are printed: the schedule breaks waits)" if levels and his > levels else ""
    note = f"his method {his}{short}, list {listed}; {_proof(best, levels)}"
    return Row(PAPER, f"{processors} processors", levels, best.makespan, note)


def _proof(best, levels):
    if levels and levels < best.bound:
        return f"{levels} is impossible: {best.bound} are needed ({best.tight[0]})"
    if best.optimal:
        return f"fewer are impossible ({best.tight[0]})"
    return f"{best.bound} or more are needed ({best.tight[0]})"


def printed_layers(table):
    """task -> its layer, from 0."""
    return {task: layer for task, (layer, _) in printed_schedules()[table].places.items()}
