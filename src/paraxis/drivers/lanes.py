"""The `lanes` driver: the joints of one state on the lanes of a warp.

A `Plan` is what these do for a state: rules for many items at once, one after another.

The numbers of a state are in fields of the memory that its lanes share. A `Step` is a graph that is
computed for every item of a table, by as many lanes as there are: it reads numbers of fields and
constants of the item, and writes numbers. Its items are done in spans, such as the levels of a
tree: all lanes wait for each other after every span.
"""

from dataclasses import dataclass, field

import numpy as np

from ..graph.evaluate import evaluate
from ..graph.graph import Graph, size


@dataclass(frozen=True)
class Place:
    """Numbers of a field: for component k of an item, number `first` + `column` of the item +
    k times `stride`, or one of `offsets`. Without a column, the same for all items."""

    field: str
    column: str | None = None
    first: int = 0
    stride: int = 1
    offsets: tuple | None = None

    def number(self, k):
        """That of component k, but for the column."""
        return self.first + (k * self.stride if self.offsets is None else self.offsets[k])


@dataclass(frozen=True)
class Step:
    """A graph for every item: `places` of its inputs and outputs by name; inputs without a place
    are among `constants`, name -> numbers of each item, and `columns` are the items' integers.
    `spans` are the ends of spans of items. `waits`: whether lanes wait for each other after the
    last span; they need not where the next step does not touch what this one does."""

    name: str
    graph: Graph
    places: dict
    columns: dict
    constants: dict
    spans: tuple
    waits: bool = True

    @property
    def items(self):
        return self.spans[-1]

    def fields(self):
        return {place.field for place in self.places.values()}


@dataclass(frozen=True)
class Clear:
    """Zeros for a whole field."""

    field: str

    def fields(self):
        return {self.field}


@dataclass(frozen=True)
class Repeat:
    """Steps that are repeated at most `most` times, until the number of a field is not zero."""

    steps: tuple
    most: int
    until: str

    def fields(self):
        return {self.until}.union(*(step.fields() for step in self.steps))


@dataclass(frozen=True)
class Plan:
    """`sizes` are the numbers of each field; inputs are fields of the same name, outputs are
    (shape, field, its first number). `first` are steps that come before all others, and only once
    where the others are done again and again: they keep up what these make."""

    name: str
    inputs: dict
    outputs: dict
    sizes: dict
    steps: tuple = field(default_factory=tuple)
    first: tuple = field(default_factory=tuple)

    @property
    def work(self):
        """The nodes that all items take together."""
        return sum(count * step.items * len(step.graph.nodes) for step, count in self.each())

    def each(self):
        """Steps that compute, and how often at most."""
        for step in self.steps:
            inner, most = (step.steps, step.most) if isinstance(step, Repeat) else ((step,), 1)
            yield from ((each, most) for each in inner if isinstance(each, Step))

    def turns(self, lanes):
        """The nodes that so many lanes take one after another."""
        total = 0
        for step, count in self.each():
            spans = zip((0, *step.spans), step.spans, strict=False)
            rounds = sum(-(-(end - begin) // lanes) for begin, end in spans)
            total += count * rounds * (len(step.graph.nodes) + 20)  # and what it takes to begin
        return total

    def evaluate(self, arrays):
        """The results of one state, by the interpreter."""
        memory = {name: [float("nan")] * count for name, count in self.sizes.items()}
        for name, shape in self.inputs.items():
            memory[name] = [float(x) for x in np.ravel(arrays[name])]
            assert len(memory[name]) == size(shape)
        for step in (*self.first, *self.steps):
            self._taken(step, memory)
        return {
            name: memory[field][first : first + size(shape)]
            for name, (shape, field, first) in self.outputs.items()
        }

    def _taken(self, step, memory):
        if isinstance(step, Clear):
            memory[step.field] = [0.0] * self.sizes[step.field]
        elif isinstance(step, Repeat):
            for _ in range(step.most):
                for each in step.steps:
                    self._taken(each, memory)
                if memory[step.until][0] != 0:
                    break
        else:
            _computed(step, memory)


def _computed(step, memory):
    begin = 0
    for end in step.spans:
        made = []
        for item in range(begin, end):
            given = {}
            for name, shape in step.graph.inputs.items():
                if name in step.constants:
                    given[name] = step.constants[name][item]
                else:
                    place, at = step.places[name], _column(step, name, item)
                    source = memory[place.field]
                    given[name] = [source[at + place.number(k)] for k in range(size(shape))]
            shaped = {
                name: np.reshape(given[name], shape) for name, shape in step.graph.inputs.items()
            }
            made.append((item, evaluate(step.graph, shaped)))
        for item, results in made:
            for name, values in results.items():
                place, at = step.places[name], _column(step, name, item)
                for k, value in enumerate(values.ravel().tolist()):
                    memory[place.field][at + place.number(k)] = value
        begin = end


def _column(step, name, item):
    place = step.places[name]
    return step.columns[place.column][item] if place.column else 0
