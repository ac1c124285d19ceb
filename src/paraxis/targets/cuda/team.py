"""When a team of warps computes the steps of 32 states (text/team.py), and not a thread each.

A thread takes as long for one state as for the thousands that leave a GPU empty. A team is done
sooner, but takes more instructions; so it is for as many states as leave multiprocessors idle. How
many warps a team has and up to how many states it is faster follows from the schedule of its work:
fitted to what an H200 takes for arms.
"""

from collections import defaultdict

from ...passes.balance import balance
from ...passes.fuse import fuse
from ...passes.phases import FREE, Machine, divide
from .text.body import LONG
from .text.team import team_text

WARPS = 4  # of a team
MOST_STATES = 16_896  # for which a team is faster: four on each of 132 multiprocessors
WORTH = 200  # operations of a step, from which on a division gains more than its barriers cost
# Cycles of a warp: of an operation, and until its value is there
ISSUE, LATENCY = {"float64": 4, "float32": 2}, {"float64": 8, "float32": 4}
# Operations that are functions of many instructions: as many times one
LONGER = {"div": 14, "sqrt": 14, "sin": 22, "cos": 22, "fmod": 30, "min": 3, "max": 3, "select": 2}
TRANSCENDENTAL = ("tan", "asin", "acos", "atan2", "exp", "log", "tanh")


def machine(dtype, warps=WARPS):
    """The warps of a team as a schedule sees them."""
    issue = defaultdict(lambda: ISSUE[dtype])
    latency = defaultdict(lambda: LATENCY[dtype])
    for op, times in (LONGER | dict.fromkeys(TRANSCENDENTAL, 40)).items():
        issue[op], latency[op] = times * ISSUE[dtype], times * LATENCY[dtype]
    return Machine(warps, issue, latency)


def text_of(row, plan, dtype, warps=WARPS):
    """The kernel of teams, for a Row that may have one."""
    processors = machine(dtype, warps)
    divisions = [divide(fuse(balance(link.graph)), processors) for link in row.links]
    return team_text(row, plan, dtype, divisions)


def most_states(row, plan, room):
    """The largest batch that teams compute sooner than threads; 0 for none. `room` is the shared
    memory that a block may have."""
    ends_early = plan.until or any(link.until for link in row.links)
    operations = [sum(node.op not in FREE for node in link.graph.nodes) for link in row.links]
    if not room or ends_early or not WORTH <= sum(operations) <= LONG:
        return 0
    return MOST_STATES
