"""The arms whose tasks are scheduled: as the thesis has them, and as they are."""

from functools import cache

from paraxis import streamlined_tasks
from paraxis.parallel.streamlined.table import MAKES, general_arm, linked, task_name

from ..counts import arms
from ..printed import printed
from .printed_schedules import SIX_LINKS, STANFORD, printed_schedules

PAPER = "Dhanaraj 1990"


@cache
def six_links():
    """The general arm of six revolute joints."""
    return general_arm(SIX_LINKS)


@cache
def stanford_by_lists():
    """The Stanford arm as Tables 4.2 and 4.6 leave it."""
    lists = printed("dhanaraj")["streamlining"]["eliminated"]
    gone = {str(task) for task in lists["sparse"]}
    for link, case in ((1, "first link"), (3, "prismatic"), (6, "last link")):
        gone |= {task_name(link, number) for number in lists[case]}
    every = {task_name(link, number) for link in range(1, 7) for number in MAKES}
    return linked(STANFORD, every - gone, "Stanford arm, by the lists")


@cache
def stanford_of_table_4_7():
    """The Stanford arm as Table 4.7 has it, which is what the thesis schedules."""
    return printed_schedules()["4.7"].tasks


@cache
def stanford():
    """The Stanford arm as it is."""
    return streamlined_tasks(arms.stanford(6))


@cache
def puma():
    """The PUMA 560, with the numbers of the thesis."""
    return streamlined_tasks(arms.puma(6))
