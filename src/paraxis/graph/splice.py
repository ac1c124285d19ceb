"""A finished graph used inside another trace, on that trace's own values."""

import numpy as np

from ..checks import counted
from ..errors import ArgumentError
from .graph import size
from .node import Node


def traced_value(value):
    """Some graph node inside nested sequences, or None when there is none."""
    if isinstance(value, Node):
        return value
    is_array = isinstance(value, np.ndarray) and value.dtype == object
    if isinstance(value, (list, tuple)) or is_array:
        found = map(traced_value, value.flat if is_array else value)
        return next((node for node in found if node is not None), None)
    return None


def splice(graph, values):
    """The outputs of `graph`, as nested lists, when its inputs are these nested scalars.

    Its nodes are made again in the trace that is under way, where they are shared and
    simplified together with what is there.
    """
    builder = traced_value(list(values)).builder
    given = {}
    for (name, shape), value in zip(graph.inputs.items(), values, strict=True):
        for k, scalar in enumerate(_flat(value, shape, name)):
            given[name, k] = builder.lift(scalar)
    new = builder.graft(graph, given)
    return [
        _nested([new[node.index] for node in nodes], shape)
        for shape, nodes in graph.outputs.values()
    ]


def _flat(value, shape, name):
    if not shape:
        return [value]
    if not hasattr(value, "__len__") or len(value) != shape[0]:
        found = len(value) if hasattr(value, "__len__") else type(value).__name__
        raise ArgumentError(f"{name}: expected {counted(shape[0], 'scalar')}, found {found}")
    return [scalar for item in value for scalar in _flat(item, shape[1:], name)]


def _nested(nodes, shape):
    if not shape:
        return nodes[0]
    step = size(shape[1:])
    return [_nested(nodes[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])]
