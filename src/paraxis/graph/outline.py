"""What a user's function does, found without tracing all that follows from it.

A loop around a user's function costs milliseconds to trace and seconds to compile, so what was made
is found again by what the function does. Nothing less would do: a function may read closures,
globals and attributes that change between calls, and call others that do. So it is called each
time, once on scalars of its own, and what it does with them is the key. Functions of robots inside
it are not opened: which one, on which values, is enough, so that this takes a fraction of a
millisecond.

Where nothing is found, the loop is traced from that same call, done again node by node. The
function itself is not asked a second time: it could answer differently by then, and what it
answered last would be kept under the key of what it answered first.
"""

import hashlib
import marshal

from .node import Builder, Node
from .trace import flat, nested


class Outline:
    """What `function` computes from inputs of these shapes, called once, as by `trace`.

    Outlines with equal digests have equal graphs, wherever they are a part of another trace.
    for_numbers: whether inputs stand for numbers that a function knew, so that it must not see
    which value is which: a hash or a text of one is a TraceError.
    """

    def __init__(self, function, inputs, for_numbers=False):
        builder = _Closed()
        builder.for_numbers = for_numbers
        given = {name: nested(builder, name, shape)[0] for name, shape in inputs.items()}
        self._shape, nodes = flat(builder, function(**given), "result")
        self._nodes, self._calls = builder.nodes, builder.opened
        self._results = [node.index for node in nodes]
        made = [(node.op, node.value, *(a.index for a in node.args)) for node in builder.nodes]
        shapes = [(name, tuple(shape)) for name, shape in inputs.items()]
        # version 2 writes equal values as equal bytes; later ones share what happens to be one
        # object
        said = (shapes, made, self._shape, self._results, list(builder.calls))
        self.digest = hashlib.sha256(marshal.dumps(said, 2)).hexdigest()

    def has_constant(self, value):
        """Is this number among those that it computes with?"""
        return any(node.op == "const" and node.value == value for node in self._nodes)

    def __call__(self, **arrays):
        """The same on other traced scalars, nested lists of them or single ones, by name."""
        given = {
            (name, k): entry
            for name, value in arrays.items()
            for k, entry in enumerate(_entries(value))
        }
        builder = next(entry.builder for entry in given.values() if isinstance(entry, Node))
        new, opened = {}, {}
        for node in self._nodes:
            if node.op != "input":
                new[node.index] = builder.copy(node, [new[a.index] for a in node.args])
            elif node.value in given:
                new[node.index] = builder.lift(given[node.value])
            else:  # a result of a function of a robot, which is opened here
                (number, k) = node.value
                graph, arguments = self._calls[number]
                if number not in opened:
                    values = {entry: new[index] for entry, index in arguments.items()}
                    opened[number] = builder.graft(graph, values)
                new[node.index] = opened[number][graph.results[k].index]
        return _nested([new[index] for index in self._results], self._shape)


class _Closed(Builder):
    """A trace in which graphs that are spliced stay closed: their outputs are new inputs."""

    def __init__(self):
        super().__init__()
        self.calls = {}  # (digest of a graph, indices of its arguments) -> number
        self.opened = []  # the graph and its arguments of each number

    def graft(self, graph, given):
        arguments = {entry: node.index for entry, node in given.items()}
        number = self.calls.setdefault((graph.digest, tuple(arguments.items())), len(self.calls))
        if number == len(self.opened):
            self.opened.append((graph, arguments))
        return {node.index: self.input(number, k) for k, node in enumerate(graph.results)}


def _entries(value):
    """The scalars of nested lists, in row-major order."""
    if not isinstance(value, (list, tuple)):
        return [value]
    return [entry for item in value for entry in _entries(item)]


def _nested(scalars, shape):
    """A row of scalars as nested lists."""
    if not shape:
        return scalars[0]
    size = len(scalars) // shape[0]
    return [_nested(scalars[k * size : (k + 1) * size], shape[1:]) for k in range(shape[0])]
