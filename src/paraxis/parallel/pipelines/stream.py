"""Simulates a pipeline stage by stage: registers shift, and every item is tracked.

The machine has the delay lines, the latency of each task, the starts of tasks without predecessors
and, if items enter only every few stages, the stages of a round at which the others start. Items
meet where the lines make them meet. If different items, or an item and nothing, reach a task at
once, a line is too long or too short.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral

from ...checks import integer, listing
from ...errors import ArgumentError, ScheduleError
from .buffers import OUTSIDE

EMPTY = (None, None)  # no item, no value


@dataclass(frozen=True)
class Stream:
    """For each item its `results`, output task -> value, and the stage at which it was `done`."""

    results: list[dict]
    done: list[int]


def stream(pipeline, items, functions=None):
    """Send items through the pipeline: a number of them, or a dict, input -> value, for each.

    A number needs no functions: the items are tracked, and each is its own result. For values,
    `functions` maps a task to a function of one argument for each edge to it, in their order: the
    value, or a dict of values if several go along the edge. It returns the task's value, or a dict
    if its values have names. An input's function gets the item's value for it. Only a task of
    weight 0 with one argument needs none: it passes that on.
    """
    if functions is not None:
        _check(pipeline.tasks, functions)
    given = _given(pipeline.tasks, items, functions)
    machine = _Machine(pipeline, given, functions)
    for _ in range(pipeline.stages + (len(given) - 1) * pipeline.spacing + 1):
        machine.tick()
    return Stream(machine.results, machine.done)


def _check(tasks, functions):
    """Requires that names are those of tasks, and that tasks have the functions they need."""
    if not isinstance(functions, Mapping):
        raise ArgumentError(
            f"functions: expected a mapping from tasks, found {type(functions).__name__}"
        )
    for name, function in functions.items():
        if name not in tasks.index:
            raise ArgumentError(f"functions: there is no task {name!r}")
        if not callable(function):
            raise ArgumentError(f"function of {name}: expected a function, found {function!r}")
    lacking = [
        name
        for name, weight, before in zip(tasks.names, tasks.weights, tasks.predecessors, strict=True)
        if name not in functions and (weight > 0 or len(before) > 1)
    ]
    if lacking:
        raise ArgumentError(
            "functions: every task with a weight or several arguments needs a function, but there "
            f"is none for {listing(lacking, most=8)}"
        )


def _given(tasks, items, functions):
    """For each item its values of inputs; None if only the order of items matters."""
    inputs = {
        name for name, before in zip(tasks.names, tasks.predecessors, strict=True) if not before
    }
    if functions is None and isinstance(items, Integral):
        return [dict.fromkeys(inputs)] * integer("items", items)
    if not isinstance(items, Sequence) or isinstance(items, str) or not items:
        raise ArgumentError(
            "items: expected a list of dicts, or an integer if there are no functions, "
            f"found {items!r}"
        )
    for number, item in enumerate(items):
        if not isinstance(item, Mapping) or item.keys() != inputs:
            raise ArgumentError(
                f"item {number}: expected a value for each of {sorted(map(str, inputs))}, "
                f"found {item!r}"
            )
    if functions is None:
        raise ArgumentError(
            "functions: items with values need functions of the tasks; give an "
            "integer as items to track items without values"
        )
    return items


class _Machine:
    """Everything that holds items: pairs of an item's number and a value."""

    def __init__(self, pipeline, given, functions):
        self.pipeline, self.tasks = pipeline, pipeline.tasks
        self.given, self.functions = given, functions
        self.results, self.done, self.now = [{} for _ in given], [0] * len(given), 0
        self.inside = [deque([EMPTY] * stages) for stages in pipeline.latencies]
        self.busy = {}  # processor -> until when, and by which task
        self.fed = [[] for _ in self.tasks.names]  # task -> (value, line) after it
        self.taps = {}  # (task, reader) -> (value, line, position in it)
        for line in pipeline.lines:
            places = deque([EMPTY] * (1 + line.length))  # its entry, then its registers
            self.fed[line.task].append((line.value, places))
            for taker, tap in line.taps.items():
                self.taps.setdefault((line.task, taker), []).append((line.value, places, tap))

    def tick(self):
        """One stage. A task comes after its predecessors, as only a wire may be between them."""
        for task in self.tasks.order:
            number, arguments = self.arrived(task)
            self.occupy(task, number)
            self.inside[task].appendleft((number, self.result(task, number, arguments)))
            number, result = self.inside[task].pop()
            for value, line in self.fed[task]:
                line[0] = (number, self.named(task, number, result, value))
            if not self.tasks.successors[task]:
                self.leave(task, (number, result))
        for task, lines in enumerate(self.fed):  # the clock: registers take the value before them
            if self.turn(task, self.pipeline.latencies[task]):
                for _, line in lines:
                    line.rotate()
        self.now += 1

    def turn(self, task, after=0):
        """Whether this is the stage of the round at which a task starts, or `after` it."""
        return (self.now - self.pipeline.starts[task] - after) % self.pipeline.spacing == 0

    def arrived(self, task):
        """The item that arrives at a task, and its arguments."""
        if not self.turn(task):
            return EMPTY
        if not self.tasks.predecessors[task]:
            number = self.item(self.now - self.pipeline.starts[task])
            value = None if number is None else self.given[number][self.tasks.names[task]]
            return number, [value]
        numbers, arguments = {}, []
        for first in self.tasks.predecessors[task]:
            values = {}
            for name, line, tap in self.taps[first, task]:
                number, values[name] = line[tap]
                numbers[number] = first
            arguments.append(values if len(values) > 1 else values.popitem()[1])
        if len(numbers) > 1:
            met = (f"{_item(k)} from {self.name(first)}" for k, first in numbers.items())
            raise ScheduleError(
                f"stage {self.now}: {self.name(task)} receives {' and '.join(met)} together"
            )
        return next(iter(numbers)), arguments

    def item(self, age):
        """The number of the item that entered this many stages ago, if any."""
        number, between = divmod(age, self.pipeline.spacing)
        return number if not between and 0 <= number < len(self.given) else None

    def occupy(self, task, number):
        """Reserves a shared processor, which executes one task at a time."""
        places = self.pipeline.places
        if number is None or places is None or places[task] is None:
            return
        until, by = self.busy.get(places[task], (0, None))
        if self.now < until:
            raise ScheduleError(
                f"stage {self.now}: {self.name(task)} needs processor {places[task]}, which is "
                f"busy with {self.name(by)}"
            )
        self.busy[places[task]] = (self.now + self.pipeline.latencies[task], task)

    def result(self, task, number, arguments):
        """The result of a task for its arguments; the item itself if there are no functions."""
        if number is None or self.functions is None:
            return number
        function = self.functions.get(self.tasks.names[task])
        return arguments[0] if function is None else function(*arguments)

    def named(self, task, number, result, value):
        """One of the values of a task."""
        if number is None or self.functions is None or value is None:
            return result
        if not isinstance(result, Mapping) or value not in result:
            raise ArgumentError(
                f"function of {self.name(task)}: expected a dict with {value!r}, found {result!r}"
            )
        return result[value]

    def leave(self, task, output):
        """Takes a result out, and checks that it is the one that is due."""
        age = self.now - self.pipeline.starts[task] - self.pipeline.latencies[task]
        if (task, OUTSIDE) in self.taps:
            [(_, line, tap)] = self.taps[task, OUTSIDE]
            output, age = line[tap], self.now - self.pipeline.stages
        if age % self.pipeline.spacing:
            return  # a register holds its item during a whole round
        (number, value), due = output, self.item(age)
        if number != due:
            raise ScheduleError(
                f"stage {self.now}: {_item(number)} leaves {self.name(task)}, "
                f"but {_item(due)} is due"
            )
        if number is not None:
            self.results[number][self.tasks.names[task]] = value
            self.done[number] = self.now

    def name(self, task):
        return self.pipeline.name_of(task)


def _item(number):
    return "nothing" if number is None else f"item {number}"
