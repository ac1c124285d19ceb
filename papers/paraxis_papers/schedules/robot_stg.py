"""robot.stg, taken for the graph that Kasahara and Narita schedule: what the benchmark found.

The Standard Task Graph set has a robot control program of 88 tasks that take 2483 units; the thesis
prints 24.83 ms for one processor. So a unit is taken for 10 µs. That the two graphs are the same is
inferred from such times, and nothing that is concluded from it is a refutation.
"""

import json
from functools import cache
from importlib.resources import files

from ..printed import printed

UNIT = 0.01  # ms


@cache
def robot_stg():
    """What the benchmark wrote down; numbers of processors are text."""
    return json.loads(files(__package__).joinpath("robot_stg.json").read_text("utf-8"))


def milliseconds(method, processors):
    """The makespan by a method."""
    return round(UNIT * robot_stg()["makespan"][method][str(processors)], 2)


def proved(method, processors):
    """Whether it is known to be the shortest."""
    return robot_stg()["optimal"][method][str(processors)]


def same_graph():
    """What speaks for robot.stg being theirs."""
    times = printed("dhanaraj")["streamlining"]["table_4_8"]["Kasahara and Narita 1985"]
    met = [p for p, time in times.items() if time == milliseconds("optimal", int(p))]
    return (
        "that it is Kasahara and Narita's graph is inferred: its shortest schedules take the "
        f"printed times on {', '.join(met[:-1])} and {met[-1]} processors"
    )
