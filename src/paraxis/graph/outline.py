"""What a user's function does, found without tracing all that follows from it.

A loop around a user's function costs milliseconds to trace and seconds to compile, so what was made
is found again by what the function does. Nothing less would do: a function may read closures,
globals and attributes that change between calls, and call others that do. So it is called each
time, once on scalars of its own, and what it does with them is the key. Functions of robots inside
it are not opened: which one, on which values, is enough, so that this takes a fraction of a
millisecond.
"""

import hashlib
import marshal

from .node import Builder
from .trace import flat, nested


class _Closed(Builder):
    """A trace in which graphs that are spliced stay closed: their outputs are new inputs."""

    def __init__(self):
        super().__init__()
        self.calls = {}  # (digest of the graph, indices of its arguments) -> number

    def graft(self, graph, given):
        arguments = tuple((*entry, node.index) for entry, node in given.items())
        number = self.calls.setdefault((graph.digest, arguments), len(self.calls))
        return {node.index: self.input(f"call {number}", k) for k, node in enumerate(graph.results)}


def outline(function, inputs):
    """A digest of what `function` computes from inputs of these shapes, called as by `trace`.

    Functions with equal digests have equal graphs, wherever they are a part of another trace.
    """
    builder = _Closed()
    result = function(**{name: nested(builder, name, shape)[0] for name, shape in inputs.items()})
    shape, nodes = flat(builder, result, "result")
    made = [(node.op, node.value, *(a.index for a in node.args)) for node in builder.nodes]
    results = [node.index for node in nodes]
    # version 2 writes equal values as equal bytes; later ones share what happens to be one object
    given = [(name, tuple(shape)) for name, shape in inputs.items()]
    said = marshal.dumps((given, made, shape, results, list(builder.calls)), 2)
    return hashlib.sha256(said).hexdigest()
