"""When the lanes of a warp compute a state together (text/lanes.py), and not a thread alone.

A thread takes as long for one state as for the thousands that leave a GPU empty; a warp is done
sooner, but warps take turns from some hundred states on. Both times were fitted to what an H200
took for arms, quadrupeds and humanoids, in float32 (`gpu_small_batches.py --choices`). That of a
thread follows from its graph, or, where tracing that takes long, from the Plan of the warp.
"""

from ...graph.graph import size
from ...passes.fuse import fuse
from .text.lane_steps import LANES

TRACED = 20_000  # nodes of a Plan's items, up to which a graph is traced in a second or two
# Microseconds of a thread: to begin, per node of its graph, and per entry of rows that are longer
# together than what it collects at once.
BEGINS, NODE, ENTRY = 1.2, 1.35e-3, 0.025
COLLECTED = 192
# Of longer ones: per thousand nodes of a Plan's items, by the axes of results, as graphs of
# derivatives have less to leave out.
ALONE_BEGINS, ALONE = 0.7, {1: 0.35, 2: 0.55}
CACHED, FETCHED = 14.0, 2.2  # beyond so many, instructions wait for memory: times as many then
SPILT = 50.0  # beyond so many, values wait for memory too, and warps are faster at any number
PER_JOINT = 0.3  # of accelerations at most: a thread has articulated bodies, and spills little
ENDLESS = 300.0  # beyond so many, compiling for threads takes minutes
# Of a warp: to begin, per node of a lane, and what each further state adds to that
BEGIN, TURN, STATE = 2.0, 1.35e-3, 1.6e-6
WRITTEN = 9e-6  # per state and entry of results that are not in rows


def most_states(body, in_rows=True):
    """The largest batch that warps compute sooner than threads; 0 for none. Results in rows are
    written by whole warps; others entry by entry of a few states, which takes the longer the
    more entries there are."""
    plan = body.lanes
    entries = sum(size(shape) for shape, *_ in plan.outputs.values())
    alone, turns = _alone(body, entries if in_rows else 0), plan.turns(LANES)
    if alone > (SPILT if in_rows else ENDLESS):
        return float("inf")
    each = STATE * turns if in_rows else max(STATE * turns, WRITTEN * entries)
    return max(0, int((alone - BEGIN - TURN * turns) / each))


def _alone(body, entries):
    """Microseconds of a thread that writes so many entries in rows."""
    plan = body.lanes
    if plan.work <= TRACED:
        written = ENTRY * entries if entries > COLLECTED else 0.0
        return BEGINS + NODE * len(fuse(body.graph).nodes) + written
    alone = ALONE[max(len(shape) for shape, *_ in plan.outputs.values())] * plan.work / 1000
    if alone > CACHED:
        alone *= FETCHED
    if "qdd" in plan.outputs:
        alone = min(alone, PER_JOINT * plan.outputs["qdd"][0][0])
    return ALONE_BEGINS + alone
