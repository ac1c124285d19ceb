"""The public `pipeline`: tasks balanced for maximum pipelining, with the fewest buffers.

Follows Lee and Chang's pipeline of CORDIC processors (1988, section 2.2): a processor for each
task, a new item every stage, and early values are delayed until the others are available.
"""

import math
from collections.abc import Hashable, Mapping
from decimal import Decimal
from fractions import Fraction
from numbers import Real

from ...checks import integer, is_hashable
from ...errors import ArgumentError, TaskError
from ..tasks.task_graph import ProgramTasks, TaskGraph, a_task_graph
from .buffers import delay_lines, fewest_buffers, routes
from .pipeline import Pipeline
from .program import StreamTasks
from .sharing import share

ROUNDING = Fraction(1, 10**9)  # relative: a weight that is a sum of floats may be off by that much
MOST_STAGES = 10**10  # that the search for the fewest buffers can distinguish


def pipeline(
    tasks: TaskGraph,
    stage: float | None = None,
    stages: int | None = None,
    shared: bool = True,
    values: Mapping[tuple, Hashable | list] | None = None,
    aligned_inputs: bool = True,
    aligned_outputs: bool = True,
    processors: int | None = None,
) -> Pipeline:
    """Arrange tasks as a pipeline that accepts an item every stage, with the fewest buffers.

    **Arguments:**

    - `tasks`: a `px.TaskGraph` without messages, since values travel in no time. Tasks of weight 0
      represent single inputs and outputs.
    - `stage`: the length of a stage, in the unit of the weights; a task then takes as many stages
      as its weight requires. By default every task takes one stage. A task of weight 0 takes none.
    - `stages`: the number of stages; by default as many as the longest path requires.
    - `shared`: whether one delay line serves all tasks that need a value, instead of one line each.
    - `values`: names of values along edges, `(before, after)` -> a name or a list of names. By
      default a task has one value. Not for tasks of a Program, whose values are known.
    - `aligned_inputs`: whether all inputs arrive at stage 0, where tasks without predecessors
      start; otherwise they arrive when they are needed.
    - `aligned_outputs`: whether the results of tasks without successors leave together, at the
      end; otherwise each leaves when it is available.
    - `processors`: with fewer processors than tasks, items enter only every few stages, a processor
      executes one task at a time, and tasks without predecessors get their inputs when they start.
      By default there is one processor per task.

    **Returns:** a `px.parallel.Pipeline` with `stages`, `latency`, `interval` and `buffers`.

    **Raises:** `px.TaskError` if there are no tasks, or tasks with messages; `px.ArgumentError` if
    an argument is out of range.

    **Example:**

    >>> tasks = px.TaskGraph({"a": 1, "b": 1, "c": 1}, [("a", "b"), ("b", "c"), ("a", "c")])
    >>> stages = px.pipeline(tasks)
    >>> stages.latency, stages.interval
    (3, 1)
    >>> stages.delays  # the result of a waits one stage for b
    {'a': 1}
    """
    a_task_graph(tasks)
    _require_no_messages(tasks)
    if isinstance(tasks, ProgramTasks):
        tasks = StreamTasks(tasks)
    if isinstance(tasks, StreamTasks):
        if values is not None:
            raise ArgumentError("values: cannot be given for a Program, whose values are known")
        values = tasks.values
    if not len(tasks):
        raise TaskError(f"pipeline of {tasks.name}: there are no tasks")
    latencies = _latencies(tasks, stage)
    spacing, slots, places = 1, [0] * len(tasks), None
    if processors is not None:
        processors = integer("processors", processors)
        spacing, slots, places = share(tasks, latencies, processors)
    least = _longest_path(tasks, latencies, slots, spacing)
    stages = least if stages is None else integer("stages", stages, least)
    if stages > MOST_STAGES:
        raise TaskError(
            f"pipeline of {tasks.name}: expected at most {MOST_STAGES:,} stages, found "
            f"{Decimal(stages):.2e}; use a longer stage"
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
            f"pipeline of {tasks.name}: a message of size {size} goes from {tasks.names[first]} to "
            f"{tasks.names[then]}, but values in a pipeline travel in no time; use a task of that "
            "weight between the two instead"
        )


def _latencies(tasks, stage):
    """The number of stages of each task."""
    if stage is None:
        return tuple(int(weight > 0) for weight in tasks.weights)
    if isinstance(stage, bool) or not isinstance(stage, Real) or not 0 < stage < math.inf:
        raise ArgumentError(f"stage: expected a length > 0, found {stage!r}")
    return tuple(_stages(weight, stage) for weight in tasks.weights)


def _stages(weight, stage):
    """The number of stages that cover a weight. Integers are taken as exact."""
    exact = Fraction(weight) / Fraction(stage)
    whole = weight == int(weight) and stage == int(stage)
    return math.ceil(exact if whole else exact * (1 - ROUNDING))


def _longest_path(tasks, latencies, slots, spacing):
    """The stages of an item, if each task starts an integer number of rounds after its slot."""
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
    """(index, index) of an edge -> the names of the values along it."""
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
            raise TaskError(f"values: expected an edge of {tasks.name}, found {edge!r}")
        names = tuple(names) if isinstance(names, (list, tuple)) else (names,)
        for name in names:
            if not is_hashable(name):
                raise TaskError(
                    f"values: expected hashable names of the values along {edge!r}, found {name!r}"
                )
        if not names:
            raise TaskError(f"values: expected the names of the values along {edge!r}, found none")
        found[edges[edge]] = tuple(dict.fromkeys(names))
    return found
