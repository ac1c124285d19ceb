"""The report `log-depth`: Fijany's claims, counted, planned and measured."""

from ..document import Report
from . import measured
from .accuracy import accuracy_table
from .forward_costs import depth_figure, depth_table, flops_table
from .operators import operator_table
from .other_joints import joint_table
from .projections import projection_table
from .responses import response_table
from .serial_cost import serial_cost_table
from .speedups import speedup_table
from .station_arm import station_table
from .two_arrays import time_figure, two_array_tables
from .verdicts import verdicts

TITLE = "Dynamics in logarithmic time"
LEAD = (
    "Fijany (1994) solves for the forces that hold the joints of a chain together: equations in "
    "blocks along three diagonals, done in ⌈log₂N⌉ rounds where every link has a processor. What "
    "does that cost: on one processor, on as many as there are operations, on his two arrays, and "
    "on a computer of today, for long chains?"
)
RULE = (
    "A flop is an addition, subtraction, multiplication, division or square root; sign changes are "
    "free, and so are the sines and cosines of joint angles. Counts, depths and plans are made "
    "with the report. Times, errors and memory of long chains were measured once, by "
    "benchmarks/chains.py on the computer that is named with them, and not for this report."
)


def log_depth():
    """The report."""
    parts = [
        serial_cost_table(),
        flops_table(),
        depth_table(),
        depth_figure(),
        operator_table(),
        projection_table(),
        accuracy_table(),
        response_table(),
        speedup_table(),
        *two_array_tables(),
        time_figure(),
        joint_table(),
        station_table(),
    ]
    for function in measured.FUNCTIONS:
        parts += [measured.time_table(function), measured.time_figure(function)]
    parts += [
        measured.order_table(),
        measured.crossover_table(),
        measured.accuracy_table(),
        measured.error_figure(),
        measured.memory_table(),
    ]
    return Report("log-depth", TITLE, LEAD, verdicts(), parts, RULE)
