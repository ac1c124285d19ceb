"""When warps compute states together (text/team.py), and how many.

Decided by measurement on an H200, in terms that hold for any graph: what one thread's chain and
what a team cost, in additions, and how often clusters fill the GPU.
"""

from dataclasses import dataclass

from ...passes.team import WEIGHTS, team
from ..source.c import SIZES
from .text.team import room_of

BLOCKS = 1, 2, 4, 8  # of a cluster
WARPS = 16  # of a block
MESSAGE = 80  # additions in the time that a value takes from one worker to another
BARRIER = {1: 40}  # additions in the time that the warps of one block need to wait for all
FAR_BARRIER = 100  # and of several
PAYS = 2.6  # times the cost of a team that one thread must take at least
LEAST = 2000  # additions of a graph that is worth a team
FEWEST = 4  # states of a cluster: with fewer, most lanes repeat what others do
BATCH = 1024  # states that a team is chosen for
# Instructions are waited for where there are more than a multiprocessor's cache holds.
CACHED, FETCHED = 6000, 3  # nodes; times as long then


@dataclass(frozen=True)
class Choice:
    """The best team for a graph: clusters of so many blocks and warps of a block, for so many
    states; what it costs, and what one thread per state costs. No blocks where none has room."""

    blocks: int
    warps: int
    states: int
    cost: int
    alone: int

    def pays(self, states, processors):
        """Whether a batch of so many states is computed sooner by a team."""
        if not states > 0 or not self.blocks:
            return False
        return self.alone >= PAYS * self.cost * self.rounds(states, processors)

    def rounds(self, batch, processors):
        """How often the clusters of a batch fill the GPU's processors, one block on each."""
        clusters = -(-batch // self.states)
        return -(-clusters * self.blocks // processors)


def choose(graph, dtype, room, processors):
    """The Choice for a graph with multiply-adds; blocks have `room` bytes of shared memory."""
    alone = _time(sum(WEIGHTS.get(node.op, 1) for node in graph.nodes), len(graph.nodes))
    choices = []
    if room and alone >= LEAST:
        for blocks in BLOCKS:
            found = team_of(graph, blocks, WARPS)
            states = room_of(graph, found).states(room, SIZES[dtype])
            if states >= FEWEST:
                cost = _time(found.cost, len(graph.nodes) / blocks)
                choices.append(Choice(blocks, WARPS, states, cost, alone))
    return min(
        choices,
        key=lambda each: each.cost * each.rounds(BATCH, processors),
        default=Choice(0, 0, 0, 0, alone),
    )


def team_of(graph, blocks, warps):
    return team(graph, blocks * warps, MESSAGE, BARRIER.get(blocks, FAR_BARRIER), blocks)


def _time(cost, nodes):
    """The cost of a part of so many nodes on one multiprocessor."""
    return cost * FETCHED if nodes > CACHED else cost
