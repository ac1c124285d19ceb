"""Equal and unequal tasks on two cores, as benchmarks/uniform_tasks.py measured them."""

import json
from functools import cache
from importlib.resources import files

from ..document import Row, Table
from .arms import PAPER

EQUAL = "equal"


@cache
def results():
    """What the benchmark wrote down."""
    return json.loads(files(__package__).joinpath("uniform.json").read_text("utf-8"))


def against_equal():
    """(row, the row of equal sizes with the same mean) of every spread."""
    rows = results()["rows"]
    equal = {row["mean"]: row for row in rows if row["spread"] == EQUAL}
    return [(row, equal[row["mean"]]) for row in rows if row["spread"] != EQUAL]


def uniform_table():
    """Time, messages and makespan of uneven tasks over those of equal ones."""
    rows = []
    for row, equal in against_equal():
        note = (
            f"messages {row['messages']:.0f} instead of {equal['messages']:.0f}, makespan "
            f"{row['makespan'] / equal['makespan']:.2f} times as long; {row['tasks']} tasks"
        )
        quantity = f"{row['mean']} flops per task, {row['spread']}: time over that of equal tasks"
        rows.append(Row(PAPER, quantity, None, round(row["ns"] / equal["ns"], 2), note))
    slower = [row["ns"] / results()["one_thread_ns"] for row in results()["rows"]]
    return Table(
        "Equal tasks on two cores",
        "The operations of the PUMA's inverse dynamics cut into as many tasks of equal or of "
        "unequal size, scheduled on two processors without messages as in the thesis, and run by "
        "two threads.",
        rows,
        (
            "Measured once, by benchmarks/uniform_tasks.py: the best of many rounds, the mean of "
            "three random cuts of each spread.",
            f"All of them are slower than one thread: {min(slower):.0f} to {max(slower):.0f} "
            "times. A message between cores costs more than the tasks it saves.",
        ),
    )
