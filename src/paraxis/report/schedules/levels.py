"""How many levels the tasks take on so many processors, with a proof that fewer are impossible."""

from functools import cache

from ...parallel.scheduling import schedule
from ..document import Row, Table
from ..papers import printed
from .arms import PAPER, six_links, stanford, stanford_of_table_4_7

METHODS = ("list",)


@cache
def schedules(tasks, processors):
    """method -> its schedule."""
    return {method: schedule(tasks, processors, method) for method in METHODS}


def shortest(tasks, processors):
    """The best of them."""
    return min(schedules(tasks, processors).values(), key=lambda each: (each.makespan, each.gap))


def fewest_processors(tasks):
    """How many processors are enough to be as fast as with any number."""
    return next(p for p in range(1, len(tasks) + 1) if shortest(tasks, p).makespan == tasks.span)


def six_link_levels():
    told = printed("dhanaraj")["streamlining"]["levels"]["six links"]
    return Table(
        "Levels for six links",
        "Tables C.1 to C.8, and layers for 13 processors: the general arm of 231 subtasks.",
        [_row(six_links(), int(p), levels) for p, levels in told.items()],
    )


def stanford_levels():
    """Of the tasks that are scheduled there, and of those that the arm has."""
    told = printed("dhanaraj")["streamlining"]["levels"]["Stanford arm"]
    theirs = Table(
        "Levels for the Stanford arm, as he has it",
        "Tables C.9 to C.15: the 156 subtasks of Table 4.7.",
        [_row(stanford_of_table_4_7(), int(p), levels) for p, levels in told.items()],
    )
    ours = Table(
        "Levels for the Stanford arm, as it is",
        "The same arm, its subtasks found by tracing: none without work, none left out.",
        [_row(stanford(), int(p), levels) for p, levels in told.items()],
    )
    return theirs, ours


def _row(tasks, processors, levels):
    best = shortest(tasks, processors)
    methods = ", ".join(
        f"{method} {each.makespan}" for method, each in schedules(tasks, processors).items()
    )
    note = f"{methods}; {_proof(best, levels)}"
    return Row(PAPER, f"{processors} processors", levels, best.makespan, note)


def _proof(best, levels):
    if levels < best.bound:
        return f"{levels} is impossible: {best.bound} are needed ({best.tight[0]})"
    if best.optimal:
        return f"fewer are impossible ({best.tight[0]})"
    return f"{best.bound} or more are needed ({best.tight[0]})"
