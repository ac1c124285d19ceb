"""When a block's warps compute its states together (text/team.py), and how many warps.

Decided by measurement on an H200, in terms that hold for any graph: what a team costs beside one
thread per state, both in additions, and how many states keep a GPU busy anyway.
"""

from dataclasses import dataclass

from ...passes.team import WEIGHTS, team
from ..source.c import SIZES
from .text.team import room_of

WORKERS = 4, 8, 16  # warps of a block
MESSAGE = 80  # additions in the time that a value takes from one worker to another
PAYS = 1.3  # times the cost of a team that one thread must take at least
MOST_STATES = 4096  # of a batch
FEWEST = 4  # states of a block: with fewer, most lanes repeat what others do


@dataclass(frozen=True)
class Choice:
    """So many warps for so many states of a block, for batches of at most `most` states; no warps
    where a team does not pay."""

    workers: int
    states: int
    most: int


NONE = Choice(0, 0, 0)


def choose(graph, dtype, room):
    """The Choice for a graph with multiply-adds; blocks have `room` bytes of shared memory."""
    alone = sum(WEIGHTS.get(node.op, 1) for node in graph.nodes)
    if not room or alone < PAYS * MESSAGE:
        return NONE
    best, choice = alone / PAYS, NONE
    for workers in WORKERS:
        found = team(graph, workers, MESSAGE)
        states = room_of(graph, found).states(room, SIZES[dtype])
        if states >= FEWEST and found.cost < best:
            best, choice = found.cost, Choice(workers, states, MOST_STATES)
    return choice


def team_of(graph, workers):
    return team(graph, workers, MESSAGE)
