"""Fineness of tasks against concurrency: the same equations in fewer, larger tasks, and in more."""

from functools import cache

from paraxis import TaskGraph, program, schedule
from paraxis.drawing.figure import Figure

from ..counts import arms
from ..document import Row, Table
from ..printed import printed
from .arms import stanford
from .levels import shortest
from .nine_tasks import nine_tasks, tasks_of_1980
from .robot_stg import robot_stg, same_graph

LUH_LIN = "Luh and Lin 1982"
LINKS = 6
SECONDS = 2  # the shortest are found in a tenth of a second, and proved in ten
PROCESSORS = range(1, 9)


@cache
def single_flops():
    """Each operation of the cheapest Program of the Stanford arm a task."""
    return TaskGraph.from_program(program(arms.stanford(6)).balanced())


@cache
def a_processor_per_link(tasks):
    """Luh and Lin's: the best order on processors that do the tasks of one link each."""
    return schedule(tasks, LINKS, "branch_and_bound", time_limit=SECONDS)


def graphs():
    """name -> task graph, from coarse to fine."""
    return {
        "nine tasks per link": nine_tasks(),
        "streamlined subtasks": stanford(),
        "single operations": single_flops(),
    }


def fineness():
    """How many tasks there are, and how many processors they can keep busy."""
    rows = []
    for name, tasks in graphs().items():
        least, most = min(tasks.weights), max(tasks.weights)
        sizes = f"all of {most}" if least == most else f"of {least} to {most}"
        unit = "levels of three flops" if name.startswith("stream") else "flops"
        note = f"{len(tasks)} tasks, {sizes}; work {tasks.work}, longest path {tasks.span} {unit}"
        rows.append(Row("Paraxis", f"{name}: parallelism", None, round(tasks.parallelism, 2), note))
    found = robot_stg()
    note = f"{found['tasks']} tasks; work {found['work']}, longest path {found['span']} of 10 µs"
    parallelism = round(found["work"] / found["span"], 2)
    rows.insert(
        1, Row("Kasahara and Narita 1985", "robot.stg: parallelism", None, parallelism, note)
    )
    return Table(
        "Fineness of tasks",
        "Work over longest path: no number of processors is faster than that. The Stanford arm, "
        "in tasks of whole equations and in finer ones.",
        rows,
        (
            "robot.stg is the robot control program of the Standard Task Graph set; "
            f"{same_graph()}, in units of 10 µs. It is no part of this package; "
            "benchmarks/robot_stg.py scheduled it once.",
        ),
    )


def luh_and_lin():
    """One processor per link, the order found by branch and bound."""
    told = printed("dhanaraj")["streamlining"]["luh_lin"]
    times = printed("dhanaraj")["streamlining"]["table_4_8"][LUH_LIN]
    rows = []
    for tasks in (nine_tasks(), tasks_of_1980(False), tasks_of_1980(True)):
        best = a_processor_per_link(tasks)
        note = (
            f"{len(tasks)} tasks, work {tasks.work}, makespan {best.makespan}; no schedule on any "
            f"number of processors is faster than {tasks.parallelism:.2f} times"
        )
        rows.append(Row(LUH_LIN, f"{tasks.name}: speed-up", told, round(best.speedup, 2), note))
    rows.append(
        Row(
            LUH_LIN,
            "the two times of Table 4.8: speed-up",
            told,
            round(times["1"] / times["6"], 2),
            f"{times['1']} over {times['6']} ms: the thesis prints both",
        )
    )
    return Table(
        "Luh and Lin: a processor per link",
        "Each processor does the tasks of one link; branch and bound finds their order.",
        rows,
        ("Weights are flops; the times of their processor's operations are not printed.",),
    )


def speedup_by_fineness():
    """Over the processors, each for its own tasks."""
    curves = {
        name: [(p, _best(tasks, p).speedup) for p in PROCESSORS] for name, tasks in graphs().items()
    }
    found = robot_stg()
    curves["robot.stg"] = [
        (p, found["work"] / found["makespan"]["optimal"][str(p)]) for p in PROCESSORS
    ]
    return Figure(
        "Speed-up by fineness",
        "The shortest schedules found of the same arm's dynamics in coarse and in fine tasks.",
        "processors",
        "speed-up",
        curves,
    )


def _best(tasks, processors):
    return (
        shortest(tasks, processors) if tasks is not single_flops() else schedule(tasks, processors)
    )
