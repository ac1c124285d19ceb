"""When a team of warps computes the steps of 32 states (text/team.py), and not a thread each.

A thread takes as long for one state as for the thousands that leave a GPU empty. A team is done
sooner, but takes more instructions, and all of them have to stay in the cache; so it is for short
steps of as many states as leave multiprocessors idle. The limits are what an H200 was measured to
need for arms (benchmarks/gpu_teams.py).
"""

from collections import defaultdict

from ...graph.graph import size
from ...passes.balance import balance
from ...passes.fuse import fuse
from ...passes.phases import Machine, divide
from .text.team import team_text

WARPS = 4  # of a team
MOST_STATES = 4224  # for which a team is faster: one on each of 132 multiprocessors
MOST_NODES = {"float64": 1000, "float32": 3000}  # of a step, whose code the cache holds
MOST_READ = 32  # numbers that a state reads anew at each step: all warps wait for them
GAIN = 1.25  # by which a schedule should be shorter than the work of a single warp
# Cycles of a warp: of an operation, and until its value is there
ISSUE, LATENCY = {"float64": 4, "float32": 2}, {"float64": 8, "float32": 4}
# Of longer operations: as many times that of one, and as many times its latency
LONGER = {"div": (5, 7), "sqrt": (14, 14), "sin": (22, 20), "fmod": (30, 30), "min": (3, 3)}
LONGER |= {"cos": LONGER["sin"], "max": LONGER["min"], "select": (2, 2)}
LONGER |= dict.fromkeys(("tan", "asin", "acos", "atan2", "exp", "log", "tanh"), (40, 40))


def machine(dtype, warps=WARPS):
    """The warps of a team as a schedule sees them."""
    issue = defaultdict(lambda: ISSUE[dtype])
    latency = defaultdict(lambda: LATENCY[dtype])
    for op, (instructions, steps) in LONGER.items():
        issue[op], latency[op] = instructions * ISSUE[dtype], steps * LATENCY[dtype]
    return Machine(warps, issue, latency)


def team_text_of(row, plan, dtype, warps, room):
    """The text for teams; None for a Row that threads compute sooner. `room` is the shared memory
    that a block may have, in bytes."""
    nodes = sum(len(link.graph.nodes) for link in row.links)
    read = sum(size(plan.inputs[name]) for name in plan.per_step)
    if plan.until or any(link.until for link in row.links):
        return None
    if nodes > MOST_NODES[dtype] or read > MOST_READ:
        return None
    processors = machine(dtype, warps)
    divisions = [divide(fuse(balance(link.graph)), processors) for link in row.links]
    repeats = [link.stage.repeat for link in row.links]
    together, alone = (
        sum(getattr(each, name) * repeat for each, repeat in zip(divisions, repeats, strict=True))
        for name in ("cycles", "alone")
    )
    if alone < GAIN * together:
        return None
    text = team_text(row, plan, dtype, divisions)
    return text if text.shared <= room else None
