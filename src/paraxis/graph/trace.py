"""From a function of scalars to a graph: call it once on graph inputs."""

import numpy as np

from ..errors import TraceError
from .graph import Graph, size
from .limits import check_arrays
from .node import Builder, Node


def trace(function, inputs, name="program"):
    """The graph of `function`, called with one nested list of nodes for each input.

    `inputs` maps names to shapes. The function returns a scalar, a nested sequence of scalars
    (one output array, called `result`), or a dict of such.
    """
    check_arrays("input", inputs)
    builder = Builder()
    arguments = {key: nested(builder, key, shape)[0] for key, shape in inputs.items()}
    result = function(**arguments)
    if not isinstance(result, dict):
        result = {"result": result}
    if not result:
        raise TraceError(f"{name}: expected at least one output, found none")
    named = {key: flat(builder, value, key) for key, value in result.items()}
    return Graph(dict(inputs), named, dict(builder.marks), name)


def nested(builder, name, shape, start=0):
    """Input entries from number `start` on as nested lists, and the number that follows them."""
    if not shape:
        return builder.input(name, start), start + 1
    items = []
    for _ in range(shape[0]):
        item, start = nested(builder, name, shape[1:], start)
        items.append(item)
    return items, start


def flat(builder, value, name):
    """The shape of a nested result and its nodes in row-major order."""
    if hasattr(value, "scalars"):
        value = list(value.scalars())
    elif isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Node) or not isinstance(value, (list, tuple)):
        return (), (builder.lift(value),)
    if len(value) == 0:
        raise TraceError(f"output {name!r}: expected scalars, found an empty sequence")
    parts = [flat(builder, item, name) for item in value]
    shapes = {shape for shape, _ in parts}
    if len(shapes) != 1:
        raise TraceError(f"output {name!r}: rows have different shapes {sorted(shapes)}")
    shape = (len(parts), *shapes.pop())
    nodes = tuple(node for _, nodes in parts for node in nodes)
    assert len(nodes) == size(shape)
    return shape, nodes
