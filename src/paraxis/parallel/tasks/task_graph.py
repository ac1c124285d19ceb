"""Tasks that depend on one another: the input of schedules, pipelines and machines."""

from __future__ import annotations

import heapq
import math
from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from numbers import Integral, Real
from os import PathLike
from typing import TYPE_CHECKING

from ...checks import shown
from ...errors import ArgumentError, TaskError
from .grain import gather

if TYPE_CHECKING:
    from ...graph.node import Node
    from ...programs import Program

MOST_SHOWN = 12  # tasks of a cycle
LARGEST = 1e300  # all times together: close to the largest float


class TaskGraph:
    """An immutable graph of tasks, each with a name and a weight: its time on one processor.

    **Arguments:**

    - `weights`: a mapping from task names to weights, all >= 0. The unit of time is yours.
    - `edges`: pairs `(before, after)` of names, or triples with the size of the message, a time,
      that goes from one to the other if they run on different processors.
    - `name`: the name of the graph, for reprs, errors and pages.
    - `labels`: optional, a mapping from names to descriptions of tasks; only displayed.
    - `groups`: optional, a mapping from names to groups of tasks, such as links; only displayed.
    - `unit`: the unit of the weights, such as "s" or "flops"; only displayed.

    All times are ints if all the given ones are; otherwise all are floats. `names` and `weights`
    are tuples in the given order. Internally a task is its index in `names`; `predecessors` and
    `successors` have such indices.

    **Raises:** `px.TaskError` if an edge names an unknown task, a time is negative or not finite,
    or the edges form a cycle.

    **Example:**

    >>> tasks = px.TaskGraph(
    ...     {"sense": 1, "left": 3, "right": 2, "act": 1},
    ...     [("sense", "left"), ("sense", "right"), ("left", "act"), ("right", "act")],
    ... )
    >>> tasks.work, tasks.span
    (7, 5)
    >>> tasks.critical_path()
    ['sense', 'left', 'act']
    >>> program = px.program(px.load("ur5"), "inverse_dynamics")
    >>> len(px.TaskGraph.from_program(program, grain=20).names)
    32
    """

    name: str
    unit: str
    names: tuple[Hashable, ...]
    weights: tuple[float, ...]
    index: dict[Hashable, int]
    labels: Mapping[Hashable, str]
    groups: Mapping[Hashable, object]
    messages: dict[tuple[int, int], float]
    predecessors: tuple[tuple[int, ...], ...]
    successors: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]
    whole: bool

    def __init__(
        self,
        weights: Mapping[Hashable, float],
        edges: Iterable[tuple] = (),
        name: str = "tasks",
        labels: Mapping[Hashable, str] | None = None,
        groups: Mapping[Hashable, object] | None = None,
        unit: str = "",
    ):
        if not isinstance(weights, Mapping):
            raise TaskError(
                f"weights: expected a mapping from names to weights, found {type(weights).__name__}"
            )
        if not isinstance(unit, str):
            raise TaskError(f"unit: expected text, found {type(unit).__name__}")
        self.name, self.unit = name, unit
        self.names = tuple(weights)
        self.weights = tuple(_time(f"task {task}", "weight", weights[task]) for task in self.names)
        self.index = {task: k for k, task in enumerate(self.names)}
        self.labels = self._known("labels", labels)
        self.groups = self._known("groups", groups)
        try:
            edges = iter(edges)
        except TypeError:
            raise TaskError(
                f"edges: expected (before, after) pairs, found {type(edges).__name__}"
            ) from None
        before: list[dict[int, None]] = [
            {} for _ in self.names
        ]  # dicts keep the order and each edge once
        self.messages = {}
        for edge in edges:
            first, then, size = self._edge(edge)
            before[then][first] = None
            if size:
                self.messages[first, then] = max(size, self.messages.get((first, then), 0))
        self._agree_on_numbers()
        self.predecessors = tuple(tuple(each) for each in before)
        after: list[list[int]] = [[] for _ in self.names]
        for task, each in enumerate(self.predecessors):
            for first in each:
                after[first].append(task)
        self.successors = tuple(tuple(each) for each in after)
        self.order = self._topological_order()

    @classmethod
    def from_program(
        cls, program: Program, grain: float | None = None, **weights: float
    ) -> ProgramTasks:
        """The operations of a Program as tasks: one task per operation, or several with `grain`.

        **Arguments:**

        - `program`: a `px.Program`.
        - `grain`: merge operations into tasks of at most this weight (a single operation may be
          heavier).
        - `weights`: times by name:

          - `mul`, `add`, `div`, `sqrt`: of a multiplication, an addition or subtraction, a division
            and a square root; 1 by default.
          - `trig`: of a sine or cosine, 0 by default. At 0, sines and cosines of inputs are taken
            as given and are not tasks.
          - `logic`: of a comparison or selection, 0 by default.
          - `latency`: of a message between processors, however short; 0 by default.
          - `messages`: in addition, per value in a message; 0 by default.

        **Returns:** a `TaskGraph`. Sums keep the order in which they are written;
        `program.balanced()` rewrites them as shallower trees.
        """
        from .operations import Operations  # here: other kinds of tasks do not need Programs

        if grain is not None and not (isinstance(grain, Real) and grain > 0):
            raise ArgumentError(f"grain: expected a weight > 0, found {grain!r}")
        work = Operations(program, **weights)
        fine = ProgramTasks(*work.tasks())
        if grain is None:
            return fine
        together = gather(fine.weights, fine.predecessors, fine.successors, grain)
        return ProgramTasks(*work.tasks(together), fine)

    @classmethod
    def from_stg(cls, path: str | PathLike) -> TaskGraph:
        """Read a file in the Standard Task Graph format; tasks are named by their numbers, as text.

        All numbers are integers. The first is the number of tasks, n. Then come n + 2 rows, each
        with a task's number, its weight, its number of predecessors, and their numbers. Row 0 and
        row n + 1 are dummies of weight 0, before and after all others; they are not counted in n
        and do not become tasks. Files that count them in n are also read, such as the public
        robot.stg, whose 90 are 88 tasks. Lines that begin with # are comments. For example::

            2                a file of two tasks
            0  0  0          (the dummy before all)
            1  5  1  0       the first weighs 5 and has no predecessor but the dummy,
            2  3  1  1       the second weighs 3 and depends on the first
            3  0  1  2       (the dummy after all)
        """
        from .stg import read

        given = read(path)
        try:
            return TaskGraph(*given)
        except TaskError as error:
            raise TaskError(f"{shown(path, 300)}: {error}") from None

    def to_stg(self, path: str | PathLike | None = None) -> str:
        """The tasks in the Standard Task Graph format, also written to `path` if given.

        `from_stg` explains the format. The dummies in its first and last rows are added. Tasks are
        numbered from 1, each after its predecessors. The format has no names and no messages, so
        both are lost.

        **Raises:** `px.TaskError` if a weight is not an integer.
        """
        from .stg import write

        return write(self, path)

    def edges(self) -> Iterator[tuple[Hashable, Hashable, float]]:
        """Triples (before, after, size of the message), by name."""
        for then, before in enumerate(self.predecessors):
            for first in before:
                yield self.names[first], self.names[then], self.messages.get((first, then), 0)

    @cached_property
    def edge_count(self) -> int:
        """The number of edges."""
        return sum(map(len, self.predecessors))

    @cached_property
    def mirrored(self) -> TaskGraph:
        """The same tasks with every edge reversed."""
        weights = dict(zip(self.names, self.weights, strict=True))
        turned = ((then, first, size) for first, then, size in self.edges())
        return TaskGraph(weights, turned, self.name, unit=self.unit)

    def __len__(self):
        return len(self.names)

    def __repr__(self):
        tasks = _counted(len(self), "task")
        edges = _counted(self.edge_count, "edge")
        return (
            f"<TaskGraph {shown(self.name)}: {tasks}, {edges}, work {self.work}, "
            f"span {self.span}, parallelism {self.parallelism:.1f}>"
        )

    # -- measures that need no schedule -----------------------------------------------------------

    @cached_property
    def work(self) -> float:
        """The time on one processor."""
        return sum(self.weights)

    @cached_property
    def heads(self) -> list[float]:
        """The earliest start of each task, with unlimited processors."""
        start: list[float] = [0] * len(self)
        for task in self.order:
            for first in self.predecessors[task]:
                start[task] = max(start[task], start[first] + self.weights[first])
        return start

    @cached_property
    def tails(self) -> list[float]:
        """The longest path from the start of each task to the end of all, which is its level."""
        tail = list(self.weights)
        for task in reversed(self.order):
            rest = max((tail[then] for then in self.successors[task]), default=0)
            tail[task] = self.weights[task] + rest
        return tail

    @cached_property
    def span(self) -> float:
        """The length of the critical path: the time with unlimited processors and free messages."""
        return max(self.tails, default=0)

    def critical_path(self) -> list[Hashable]:
        """The names of the tasks on one longest path, in order."""
        if not self.names:
            return []
        tail: list[float] = self.tails
        path = []
        task: int | None = max(
            (k for k in range(len(self)) if not self.predecessors[k]), key=tail.__getitem__
        )
        while task is not None:
            path.append(self.names[task])
            task = max(self.successors[task], key=tail.__getitem__, default=None)
        return path

    @cached_property
    def layers(self) -> list[list[Hashable]]:
        """The names of the tasks, grouped by the length in tasks of the longest path to them."""
        depth = [0] * len(self)
        for task in self.order:
            depth[task] = max((depth[first] + 1 for first in self.predecessors[task]), default=0)
        layers: list[list[Hashable]] = [[] for _ in range(max(depth, default=-1) + 1)]
        for task, layer in enumerate(depth):
            layers[layer].append(self.names[task])
        return layers

    @property
    def width(self) -> int:
        """The number of tasks in the largest layer."""
        return max((len(layer) for layer in self.layers), default=0)

    @property
    def parallelism(self) -> float:
        """Work over span: the largest number of processors that can be busy on average."""
        return self.work / self.span if self.span else 1.0

    # -- checks of the arguments -----------------------------------------------------------------

    def _known(self, what, given):
        """A mapping whose keys are names of tasks."""
        given = {} if given is None else given
        if not isinstance(given, Mapping):
            raise TaskError(f"{what}: expected a mapping from names, found {type(given).__name__}")
        for task in given:
            if task not in self.index:
                raise TaskError(f"{what}: there is no task {task!r}")
        return given

    def _edge(self, edge):
        """The indices of the two tasks and the size of the message."""
        try:
            first, then, *rest = edge
            ends = self.index[first], self.index[then]
        except KeyError as missing:
            raise TaskError(f"edge {edge!r}: there is no task {missing}") from None
        except (TypeError, ValueError):
            rest = [None, None]
        if len(rest) > 1:
            raise TaskError(
                f"edge: expected (before, after) or (before, after, size), found {edge!r}"
            )
        return *ends, _time(f"message {first!r} -> {then!r}", "size", rest[0]) if rest else 0

    def _agree_on_numbers(self):
        """Make all times ints or all floats: sums of both round worse than either."""
        times = (*self.weights, *self.messages.values())
        if sum(times) > LARGEST:
            raise TaskError(f"{self.name}: the times add up to more than {LARGEST}")
        self.whole = all(isinstance(time, int) for time in times)
        if not self.whole:
            self.weights = tuple(map(float, self.weights))
            self.messages = {edge: float(size) for edge, size in self.messages.items()}

    def _topological_order(self):
        """Every task after its predecessors, otherwise in the given order."""
        waiting = [len(each) for each in self.predecessors]
        ready = [task for task, count in enumerate(waiting) if not count]
        order = []
        while ready:
            task = heapq.heappop(ready)
            order.append(task)
            for then in self.successors[task]:
                waiting[then] -= 1
                if not waiting[then]:
                    heapq.heappush(ready, then)
        if len(order) < len(self):
            cycle = [str(self.names[task]) for task in self._cycle(waiting)]
            if len(cycle) > MOST_SHOWN:
                cycle[MOST_SHOWN - 2 : -1] = ["..."]
            raise TaskError(f"{self.name}: the tasks form a cycle: {' -> '.join(cycle)}")
        return tuple(order)

    def _cycle(self, waiting):
        """A cycle among the tasks that never become ready, from a task to itself."""
        task = next(k for k, count in enumerate(waiting) if count)
        seen = {}
        while task not in seen:
            seen[task] = len(seen)
            task = next(first for first in self.predecessors[task] if waiting[first])
        path = list(seen)[seen[task] :][::-1]
        return [path[-1], *path]


class ProgramTasks(TaskGraph):
    """The tasks of a Program, created by `TaskGraph.from_program`.

    `operations[k]` are the nodes of `program.graph` that task k computes, arguments first. `fine`
    is the graph with one task per operation. Several tasks may compute the same nodes, each on its
    own processor; `work` counts them once.
    """

    program: Program
    operations: tuple[tuple[Node, ...], ...]
    fine: TaskGraph

    def __init__(self, weights, edges, name, labels, groups, unit, program, operations, fine=None):
        super().__init__(weights, edges, name, labels, groups, unit)
        self.program, self.operations = program, operations
        self.fine = fine or self

    @cached_property
    def work(self) -> float:
        return sum(self.weights) if self.fine is self else self.fine.work

    @cached_property
    def task_of(self) -> dict[int, int]:
        """Node index -> the task that computes it."""
        return {node.index: k for k, nodes in enumerate(self.operations) for node in nodes}

    def __repr__(self):
        if self.fine is self:
            return super().__repr__()
        return (
            f"{super().__repr__()[:-1]}; with one task per operation {len(self.fine)} tasks, "
            f"span {self.fine.span}, parallelism {self.fine.parallelism:.1f}>"
        )


def a_task_graph(tasks: object) -> TaskGraph:
    """The argument `tasks`, or an error if it is not a TaskGraph."""
    if not isinstance(tasks, TaskGraph):
        raise ArgumentError(
            f"tasks: expected a TaskGraph, found {type(tasks).__name__}; create one with "
            "px.TaskGraph.from_program(program) or px.streamlined_tasks(robot)"
        )
    return tasks


def _counted(count, what):
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _time(whose, what, value):
    if isinstance(value, bool) or not isinstance(value, Real) or not -math.inf < value < math.inf:
        raise TaskError(f"{whose}: expected a finite number as its {what}, found {value!r}")
    time = int(value) if isinstance(value, Integral) else float(value)
    if time < 0:
        raise TaskError(f"{whose}: expected a {what} >= 0, found {value}")
    if time > LARGEST:
        raise TaskError(f"{whose}: expected a {what} <= {LARGEST}, found more")
    return time
