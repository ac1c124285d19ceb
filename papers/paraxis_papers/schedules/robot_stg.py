"""The graph that Kasahara and Narita schedule, as benchmarks/robot_stg.py found it: no number new.

The Standard Task Graph set has it as robot.stg, a robot control program of 88 tasks that take 2483
units; the thesis prints 24.83 ms for one processor. So a unit is 10 µs.
"""

import json
from functools import cache
from importlib.resources import files

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
