"""The report `schedules`: Dhanaraj's task streamlining, its levels and times, and proofs."""

from ..document import Report
from .differences import differences
from .efficiency import conclusions, efficiencies, speedups
from .faults import faults
from .fineness import fineness, luh_and_lin, speedup_by_fineness
from .levels import six_link_levels, stanford_levels
from .single_operations import single_operations
from .subtasks import subtasks
from .times import table_4_8
from .uniform import uniform_table
from .verdicts import verdicts

TITLE = "Schedules beside those of Dhanaraj's thesis"
LEAD = (
    "Dhanaraj (1990) cuts inverse dynamics into subtasks of three operations and schedules them on "
    "2 to 13 processors. Here his subtasks are traced from the robot and done, the printed "
    "schedules are checked against his own table of who waits for whom, and each number of levels "
    "stands beside a bound that no schedule can beat."
)
RULE = (
    "A level is the time of one subtask, three operations. Efficiency is subtasks over levels and "
    "processors. A number of levels is proved to be the least when it equals a bound: the critical "
    "path, the work over the processors, or Fernandez and Bussell's. Every schedule is checked "
    "before it is counted. Each number under measured is found when the report is made, but for "
    "those of robot.stg and of two cores, which say so; notes that name subtasks by the thesis's "
    "numbers are written by hand."
)
QUOTED = ("Fernandez and Bussell 1973",)


def schedules():
    """The report."""
    parts = [
        subtasks(),
        differences(),
        six_link_levels(),
        *stanford_levels(),
        faults(),
        conclusions(),
        fineness(),
        luh_and_lin(),
        table_4_8(),
        single_operations(),
        uniform_table(),
        speedups(),
        efficiencies(),
        speedup_by_fineness(),
    ]
    return Report("schedules", TITLE, LEAD, verdicts(), parts, RULE, QUOTED)
