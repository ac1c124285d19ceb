"""The arms of the thesis as Programs of today, each operation a task."""

from paraxis import TaskGraph, program, schedule

from ..counts import arms
from ..document import Row, Table
from .arms import puma, stanford
from .levels import shortest

OPERATIONS = 3  # in a level
PROCESSORS = (1, 2, 4, 6, 8, 16)


def single_operations():
    """How much is lost by steps of three operations, and by the steps of the recursion."""
    both = (("Stanford arm", arms.stanford(6), stanford()), ("PUMA 560", arms.puma(6), puma()))
    rows = []
    for name, arm, streamlined in both:
        tasks = TaskGraph.from_program(program(arm).balanced())
        for p in PROCESSORS:
            best = schedule(tasks, p)
            proof = "no schedule is shorter" if best.optimal else f"{best.bound} or more are needed"
            steps = OPERATIONS * shortest(streamlined, p).makespan
            note = f"{proof}; speed-up {best.speedup:.1f}; in streamlined subtasks {steps}"
            quantity = f"{name}: {p} {'processor' if p == 1 else 'processors'}"
            rows.append(Row("Paraxis", quantity, None, best.makespan, note))
    return Table(
        "Without subtasks",
        "How long, in operations one after another, when each operation of the cheapest Program is "
        "a task.",
        rows,
    )
