"""The public `pipeline`: tasks balanced for maximum pipelining, with the fewest buffers.

After Lee and Chang's pipeline of CORDIC processors (1988, section 2.2): a processor for each task,
a new item every stage, and what is there early is delayed until what it meets is there.
"""

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from numbers import Real

from ...checks import is_hashable, whole_number
from ...errors import ArgumentError, TaskError
from ..tasks.task_graph import ProgramTasks, TaskGraph
from .buffers import delay_lines, fewest_buffers, routes
from .pipeline import Pipeline
from .program import StreamTasks
from .sharing import share

ROUNDING = Fraction(1, 10**9)  # relative: a weight that is a sum of floats may be off by that much
MOST_STAGES = 10**10  # what the search for the fewest buffers can tell apart


def pipeline(
    tasks,
    stage=None,
    stages=None,
    shared=True,
    values=None,
    aligned_inputs=True,
    aligned_outputs=True,
    processors=None,
):
    """The tasks as a pipeline that takes a new item every stage, with the fewest buffers.

    A task takes one stage, or as many as its weight needs if a `stage` has a length in the unit of
    the weights; a task of weight 0 takes none. Those without predecessors start at stage 0, where
    all inputs arrive (unless `aligned_inputs` is false: then inputs come when they are needed).
    Results of those without successors leave together, at the end (unless `aligned_outputs` is
    false: then each leaves when it is there). Tasks of weight 0 stand for single inputs and
    outputs.

    There are as many `stages` as the longest path needs, or more if asked for. A delay line serves
    all tasks that need a value, or one each if not `shared`. A task has one value unless `values`
    maps edges (before, after) to the name of the value that goes along them, or a list of names.

    With fewer `processors` than tasks an item comes only every few stages. A processor then does
    one thing at a time, and tasks without predecessors get what they need when they start.

    Values travel in no time, so tasks with messages are refused.
    """
    if not isinstance(tasks, TaskGraph):
        raise ArgumentError(f"tasks: expected a TaskGraph, found {type(tasks).__name__}")
    _require_no_messages(tasks)
    if isinstance(tasks, ProgramTasks):
        tasks = StreamTasks(tasks)
    if isinstance(tasks, StreamTasks):
        if values is not None:
            raise ArgumentError("values: expected none for a Program, whose tasks know theirs")
        values = tasks.values
    if not len(tasks):
        raise TaskError(f"pipeline of {tasks.name}: expected at least one task, found none")
    latencies = _latencies(tasks, stage)
    spacing, slots, places = 1, [0] * len(tasks), None
    if processors is not None:
        processors = whole_number("processors", processors)
        spacing, slots, places = share(tasks, latencies, processors)
    least = _longest_path(tasks, latencies, slots, spacing)
    stages = least if stages is None else whole_number("stages", stages, least)
    if stages > MOST_STAGES:
        raise TaskError(
            f"pipeline of {tasks.name}: expected at most {MOST_STAGES:,} stages, found "
            f"{Decimal(stages):.2e}; a longer stage makes fewer"
        )
    windows = _windows(tasks, latencies, slots, stages, aligned_inputs, aligned_outputs, places)
    ways = routes(tasks, _values(tasks, values), shared, aligned_outputs)
    starts = fewest_buffers(tasks, latencies, windows, spacing, ways)
    lines = delay_lines(starts, latencies, stages, spacing, ways)
    length = 1 if stage is None else stage
    return Pipeline(
        tasks, latencies, tuple(starts), stages, lines, bool(shared), length, spacing, places
    )


def _require_no_messages(tasks):
    if tasks.messages:
        (first, then), size = next(iter(tasks.messages.items()))
        raise TaskError(
            f"pipeline of {tasks.name}: expected edges without messages, found one of size {size} "
            f"from {tasks.names[first]} to {tasks.names[then]}; a way that takes time can be a "
            "task between the two"
        )


def _latencies(tasks, stage):
    """How many stages each task takes."""
    if stage is None:
        return tuple(int(weight > 0) for weight in tasks.weights)
    if isinstance(stage, bool) or not isinstance(stage, Real) or not 0 < stage < math.inf:
        raise ArgumentError(f"stage: expected a length > 0, found {stage!r}")
    return tuple(_stages(weight, stage) for weight in tasks.weights)


def _stages(weight, stage):
    """How many stages cover a weight. Whole numbers are taken as they are."""
    exact = Fraction(weight) / Fraction(stage)
    whole = weight == int(weight) and stage == int(stage)
    return math.ceil(exact if whole else exact * (1 - ROUNDING))


def _longest_path(tasks, latencies, slots, spacing):
    """The stages an item needs, if each task starts whole rounds after its slot."""
    ends = [0] * len(tasks)
    for task in tasks.order:
        ready = max((ends[first] for first in tasks.predecessors[task]), default=0)
        ends[task] = ready + (slots[task] - ready) % spacing + latencies[task]
    return max(ends)


def _windows(tasks, latencies, slots, stages, aligned_inputs, aligned_outputs, places):
    """The first and the last stage at which each task may start."""
    windows = []
    for task, latency in enumerate(latencies):
        window = (slots[task], stages - latency)
        on_shared_processor = places is not None and latency
        if aligned_inputs and not tasks.predecessors[task] and not on_shared_processor:
            window = (0, 0)
        elif aligned_outputs and not tasks.successors[task] and not latency:
            window = (stages, stages)
        windows.append(window)
    return windows


def _values(tasks, values):
    """(place, place) of an edge -> the names of the values along it."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise ArgumentError(f"values: expected a mapping, found {type(values).__name__}")
    edges = {
        (tasks.names[first], tasks.names[then]): (first, then)
        for then, before in enumerate(tasks.predecessors)
        for first in before
    }
    found = {}
    for edge, names in values.items():
        if edge not in edges:
            raise TaskError(f"values: expected edges of {tasks.name}, found {edge!r}")
        names = tuple(names) if isinstance(names, (list, tuple)) else (names,)
        for name in names:
            if not is_hashable(name):
                raise TaskError(
                    f"values: expected names of the values along {edge!r}, found {name!r}"
                )
        if not names:
            raise TaskError(f"values: expected the names of the values along {edge!r}, found none")
        found[edges[edge]] = tuple(dict.fromkeys(names))
    return found
