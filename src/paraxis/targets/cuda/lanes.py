"""When the lanes of a warp compute a state together (text/lanes.py), and not a thread alone.

A thread takes as long for one state as for the thousands that leave a GPU empty; a warp is done
sooner, but warps take turns from some hundred states on. Both times follow from a Plan: fitted to
what an H200 took for arms, quadrupeds and humanoids, in float32
(docs/benchmarks/gpu_small_batches.md).
"""

from ...graph.graph import size
from .text.lane_steps import LANES

# Microseconds of a thread per thousand nodes of a Plan's items, by the axes of results: graphs of
# derivatives have less to leave out.
ALONE = {1: 0.35, 2: 0.55}
CACHED, FETCHED = 14.0, 2.2  # beyond so many, instructions wait for memory: times as many then
SPILT = 50.0  # beyond so many, values wait for memory too, and warps are faster at any number
PER_JOINT = 0.3  # of accelerations at most: a thread has articulated bodies, and spills little
BEGIN, ALONE_BEGINS = 2.0, 0.7
TURN, STATE = 1.35e-3, 1.6e-6  # of a warp per node, and what each further state adds
WRITTEN = 9e-6  # per state and entry of results that are not in rows
ENDLESS = 300.0  # beyond so many, compiling for threads takes minutes


def most_states(plan, in_rows=True):
    """The largest batch that warps compute sooner than threads; 0 for none. Results in rows are
    written by whole warps; others entry by entry of a few states, which takes the longer the
    more entries there are."""
    shapes = [shape for shape, *_ in plan.outputs.values()]
    axes, turns = max(map(len, shapes)), plan.turns(LANES)
    alone, each = ALONE[axes] * plan.work / 1000, STATE * turns
    if alone > CACHED:
        alone *= FETCHED
    if "qdd" in plan.outputs:
        alone = min(alone, PER_JOINT * plan.outputs["qdd"][0][0])
    elif alone > (SPILT if in_rows else ENDLESS):
        return float("inf")
    if not in_rows:
        each = max(each, WRITTEN * sum(map(size, shapes)))
    return max(0, int((ALONE_BEGINS + alone - BEGIN - TURN * turns) / each))
