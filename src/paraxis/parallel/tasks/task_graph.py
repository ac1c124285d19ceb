"""Tasks that wait for one another: what a schedule, a pipeline or a machine is given."""

import heapq
import math
from collections.abc import Mapping
from functools import cached_property
from numbers import Integral, Real

from ...checks import shown
from ...errors import ArgumentError, TaskError
from .grain import gather

MOST_SHOWN = 12  # tasks of a cycle
LARGEST = 1e300  # all times together: floats end soon after


class TaskGraph:
    """Immutable. Tasks have a weight, the time one processor needs, and names to be shown by.

    `weights` maps names to weights; `edges` are pairs (before, after), or triples with the size
    of the message that goes from one to the other if they run on different processors. Times are
    whole if all that are given are, else floats. Inside, a task is its place in `names`;
    `predecessors` and `successors` list such places. For readers
    only: `labels` maps names to what the task does, `groups` to what it belongs to.
    """

    def __init__(self, weights, edges=(), name="tasks", labels=None, groups=None):
        if not isinstance(weights, Mapping):
            raise TaskError(f"weights: expected name -> weight, found {type(weights).__name__}")
        self.name = name
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
        before = [{} for _ in self.names]  # dicts keep the order and each edge once
        self.messages = {}
        for edge in edges:
            first, then, size = self._edge(edge)
            before[then][first] = None
            if size:
                self.messages[first, then] = max(size, self.messages.get((first, then), 0))
        self._agree_on_numbers()
        self.predecessors = tuple(tuple(each) for each in before)
        after = [[] for _ in self.names]
        for task, each in enumerate(self.predecessors):
            for first in each:
                after[first].append(task)
        self.successors = tuple(tuple(each) for each in after)
        self.order = self._topological_order()

    @classmethod
    def from_program(cls, program, grain=None, **weights):
        """The operations of a Program as tasks: one each, or with `grain` several together.

        Keywords, all of them times but for the first:

        - grain=: gather operations into tasks of at most this weight, where none alone weighs more
        - mul=: of a multiplication; 1 if not given
        - add=: of an addition or subtraction; 1
        - div=: of a division; 1
        - sqrt=: of a square root; 1
        - trig=: of a sine or cosine; 0, and those of inputs are then no tasks but given
        - logic=: of a comparison or choice; 0
        - latency=: of a message between processors, however short; 0
        - messages=: of each value in a message, on top of that; 0

        Sums are taken as they are written. `program.balanced()` has them as shallower trees.
        """
        from .operations import Operations  # here: tasks of other kinds need no Programs

        if grain is not None and not (isinstance(grain, Real) and grain > 0):
            raise ArgumentError(f"grain: expected a weight > 0, found {grain!r}")
        work = Operations(program, **weights)
        fine = ProgramTasks(*work.tasks())
        if grain is None:
            return fine
        together = gather(fine.weights, fine.predecessors, fine.successors, grain)
        return ProgramTasks(*work.tasks(together), fine)

    @classmethod
    def from_stg(cls, path):
        """Read a file in the Standard Task Graph format; the names of tasks are their numbers.

        All numbers are whole. The first is how many tasks there are, n. Then come n + 2 rows, each
        a task's number, its weight, how many tasks it needs, and the numbers of these. Row 0 and
        row n + 1 are dummies of weight 0, before and after all others; they are not among the n and
        become no tasks. Lines that begin with # are remarks. For example::

            2                a file of two tasks, of which
            0  0  0          (the dummy before all)
            1  5  1  0       the first weighs 5 and needs none but the dummy,
            2  3  1  1       the second weighs 3 and needs the first
            3  0  1  2       (the dummy after all)
        """
        from .stg import read

        given = read(path)
        try:
            return TaskGraph(*given)
        except TaskError as error:
            raise TaskError(f"{shown(path, 300)}: {error}") from None

    def to_stg(self, path=None):
        """The tasks in the Standard Task Graph format; written to a file if one is named.

        `from_stg` explains the format. The dummies in its first and last row are added. Tasks are
        numbered from 1, each after those it needs. Weights must be whole. Names and messages have
        no place in the format and are lost.
        """
        from .stg import write

        return write(self, path)

    def edges(self):
        """Triples (before, after, size of the message), by name."""
        for then, before in enumerate(self.predecessors):
            for first in before:
                yield self.names[first], self.names[then], self.messages.get((first, then), 0)

    @cached_property
    def edge_count(self):
        return sum(map(len, self.predecessors))

    @cached_property
    def mirrored(self):
        """The same tasks done backwards: every edge turned round."""
        weights = dict(zip(self.names, self.weights, strict=True))
        turned = ((then, first, size) for first, then, size in self.edges())
        return TaskGraph(weights, turned, self.name)

    def __len__(self):
        return len(self.names)

    def __repr__(self):
        tasks = _counted(len(self), "task")
        edges = _counted(self.edge_count, "edge")
        return (
            f"<TaskGraph {shown(self.name)}: {tasks}, {edges}, work {self.work}, "
            f"span {self.span}, parallelism {self.parallelism:.1f}>"
        )

    # -- what can be said of it without a schedule ------------------------------------------------

    @cached_property
    def work(self):
        """The time one processor needs."""
        return sum(self.weights)

    @cached_property
    def heads(self):
        """When each task can start at the earliest, with processors unlimited."""
        start = [0] * len(self)
        for task in self.order:
            for first in self.predecessors[task]:
                start[task] = max(start[task], start[first] + self.weights[first])
        return start

    @cached_property
    def tails(self):
        """The longest way from the start of each task to the end of all: its level."""
        tail = list(self.weights)
        for task in reversed(self.order):
            rest = max((tail[then] for then in self.successors[task]), default=0)
            tail[task] = self.weights[task] + rest
        return tail

    @cached_property
    def span(self):
        """The time with processors unlimited and messages free: the longest path."""
        return max(self.tails, default=0)

    def critical_path(self):
        """The names of the tasks on one longest path, in order."""
        if not self.names:
            return []
        tail, path = self.tails, []
        task = max((k for k in range(len(self)) if not self.predecessors[k]), key=tail.__getitem__)
        while task is not None:
            path.append(self.names[task])
            task = max(self.successors[task], key=tail.__getitem__, default=None)
        return path

    @cached_property
    def layers(self):
        """The tasks by the number of tasks that must go before: a list of lists of names."""
        depth = [0] * len(self)
        for task in self.order:
            depth[task] = max((depth[first] + 1 for first in self.predecessors[task]), default=0)
        layers = [[] for _ in range(max(depth, default=-1) + 1)]
        for task, layer in enumerate(depth):
            layers[layer].append(self.names[task])
        return layers

    @property
    def width(self):
        """The number of tasks in the largest layer."""
        return max((len(layer) for layer in self.layers), default=0)

    @property
    def parallelism(self):
        """Work over span: how many processors can be busy on average, at most."""
        return self.work / self.span if self.span else 1.0

    # -- reading what was given -------------------------------------------------------------------

    def _known(self, what, given):
        """A mapping of names that tasks have."""
        given = {} if given is None else given
        if not isinstance(given, Mapping):
            raise TaskError(f"{what}: expected a mapping of names, found {type(given).__name__}")
        for task in given:
            if task not in self.index:
                raise TaskError(f"{what}: there is no task {task!r}")
        return given

    def _edge(self, edge):
        """The places of the two tasks and the size of the message."""
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
        """All times whole or all floats: sums of both are off by more than either's."""
        times = (*self.weights, *self.messages.values())
        if sum(times) > LARGEST:
            raise TaskError(f"{self.name}: expected times <= {LARGEST} in all, found more")
        self.whole = all(isinstance(time, int) for time in times)
        if not self.whole:
            self.weights = tuple(map(float, self.weights))
            self.messages = {edge: float(size) for edge, size in self.messages.items()}

    def _topological_order(self):
        """Every task after its predecessors, otherwise in the order given."""
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
            raise TaskError(f"{self.name}: expected no cycle, found {' -> '.join(cycle)}")
        return tuple(order)

    def _cycle(self, waiting):
        """A cycle among the tasks that wait for ever, from a task to itself."""
        task = next(k for k, count in enumerate(waiting) if count)
        seen = {}
        while task not in seen:
            seen[task] = len(seen)
            task = next(first for first in self.predecessors[task] if waiting[first])
        path = list(seen)[seen[task] :][::-1]
        return [path[-1], *path]


class ProgramTasks(TaskGraph):
    """Tasks that know which Program they are from.

    `operations[k]` are the nodes of `program.graph` that task k computes, arguments first. `fine`
    are the same operations with a task each. Several tasks may compute the same nodes, each on a
    processor of its own; `work` counts them once.
    """

    def __init__(self, weights, edges, name, labels, groups, program, operations, fine=None):
        super().__init__(weights, edges, name, labels, groups)
        self.program, self.operations = program, operations
        self.fine = fine or self

    @cached_property
    def work(self):
        return sum(self.weights) if self.fine is self else self.fine.work

    @cached_property
    def task_of(self):
        """node index -> the task that computes it."""
        return {node.index: k for k, nodes in enumerate(self.operations) for node in nodes}

    def __repr__(self):
        if self.fine is self:
            return super().__repr__()
        return (
            f"{super().__repr__()[:-1]}; with a task an operation {len(self.fine)} tasks, "
            f"span {self.fine.span}, parallelism {self.fine.parallelism:.1f}>"
        )


def _counted(count, what):
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _time(whose, what, value):
    if isinstance(value, bool) or not isinstance(value, Real) or not -math.inf < value < math.inf:
        raise TaskError(f"{whose}: expected a number as its {what}, found {value!r}")
    time = int(value) if isinstance(value, Integral) else float(value)
    if time < 0:
        raise TaskError(f"{whose}: expected a {what} >= 0, found {value}")
    if time > LARGEST:
        raise TaskError(f"{whose}: expected a {what} <= {LARGEST}, found more")
    return time
