"""The slow interpreter: the meaning of a graph. Every other target is tested against it."""

import math

import numpy as np

from ..errors import ArgumentError
from .graph import size
from .operations import OPS


def evaluate(graph, arrays):
    """Run the graph on arrays of shape batch + entry shape; returns a dict of output arrays.

    An entry of the inputs that no output depends on still poisons the outputs when it is not
    finite: bad input never gives a number. Only entries that are always zero stay zero.
    """
    if arrays.keys() != graph.inputs.keys():
        missing = [name for name in graph.inputs if name not in arrays]
        others = [name for name in arrays if name not in graph.inputs]
        said = [f"missing {missing}"] * bool(missing) + [f"unexpected {others}"] * bool(others)
        raise ArgumentError(f"inputs of {graph.name}: {', '.join(said)}")
    given, batches = {}, {}
    for name, shape in graph.inputs.items():
        given[name] = _real(arrays[name], name)
        found = given[name].shape
        if len(found) < len(shape) or found[len(found) - len(shape) :] != shape:
            expected = ", ".join(["...", *map(str, shape)])
            raise ArgumentError(f"{name}: expected an array of shape ({expected}), found {found}")
        batches[name] = found[: len(found) - len(shape)]
    try:
        batch = np.broadcast_shapes(*batches.values())
    except ValueError:
        raise ArgumentError(f"batch shapes do not broadcast together: {batches}") from None
    flat = {
        name: np.broadcast_to(given[name], batch + shape).reshape(-1, size(shape))
        for name, shape in graph.inputs.items()
    }
    results = {name: np.empty(batch + shape) for name, (shape, _) in graph.outputs.items()}
    for state in range(math.prod(batch)):
        given = {name: rows[state].tolist() for name, rows in flat.items()}
        values, at = _run(graph, given), np.unravel_index(state, batch) if batch else ()
        bad = not all(
            math.isfinite(given[name][k]) for name, entries in graph.unused for k in entries
        )
        for name, (shape, nodes) in graph.outputs.items():
            entries = [values[node.index] for node in nodes]
            if bad:
                spoilt = graph.poisoned(name)
                entries = [
                    math.nan if spoil else entry
                    for entry, spoil in zip(entries, spoilt, strict=True)
                ]
            results[name][at] = np.reshape(entries, shape)
    return results


def _real(value, name):
    try:
        array = np.asarray(value)
        if array.dtype.kind in "iuf":
            return array.astype(float)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name}: expected an array of numbers, found {error}") from None
    raise ArgumentError(f"{name}: expected an array of real numbers, found dtype {array.dtype}")


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
    return values
