"""The slow interpreter: the meaning of a graph. Every other target is tested against it."""

import math

import numpy as np

from ..errors import ArgumentError
from .graph import size
from .ops import OPS


def evaluate(graph, arrays):
    """Run the graph on arrays of shape batch + entry shape; returns a dict of output arrays.

    An entry of the inputs that no output depends on still poisons the outputs when it is not
    finite: bad input never gives a number.
    """
    given = {name: np.asarray(value, dtype=float) for name, value in arrays.items()}
    if given.keys() != graph.inputs.keys():
        raise ArgumentError(f"expected the inputs {list(graph.inputs)}, found {list(given)}")
    batches = []
    for name, shape in graph.inputs.items():
        found = given[name].shape
        if found[len(found) - len(shape) :] != shape:
            raise ArgumentError(f"{name}: expected an array of shape (..., {shape}), found {found}")
        batches.append(found[: len(found) - len(shape)])
    batch = np.broadcast_shapes(*batches)
    flat = {
        name: np.broadcast_to(given[name], batch + shape).reshape(-1, size(shape))
        for name, shape in graph.inputs.items()
    }
    results = {name: np.empty(batch + shape) for name, (shape, _) in graph.outputs.items()}
    for state in range(math.prod(batch)):
        values = _run(graph, {name: rows[state].tolist() for name, rows in flat.items()})
        at = np.unravel_index(state, batch) if batch else ()
        for name, (shape, nodes) in graph.outputs.items():
            results[name][at] = np.reshape([values[node.index] for node in nodes], shape)
    return results


def _run(graph, state):
    values = {}
    for node in graph.nodes:
        if node.op == "const":
            values[node.index] = node.value
        elif node.op == "input":
            name, k = node.value
            values[node.index] = state[name][k]
        else:
            arguments = [values[a.index] for a in node.args]
            values[node.index] = OPS[node.op].meaning(*arguments)
    if not all(math.isfinite(state[name][k]) for name, k in graph.unused):
        return dict.fromkeys(values, math.nan)
    return values
