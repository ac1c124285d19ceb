"""The cost of a task: its function is traced once on unknown scalars.

The trace also gives the pattern of the result: which entries are the same scalar, as in a symmetric
block, and which are zero or one. Only distinct scalars are sent, and the next task is traced with
this pattern. Neither flops nor words are therefore typed anywhere.
"""

import numpy as np

from ...graph.node import Node
from ...graph.trace import trace
from ...passes.count import count

ZERO, ONE = -1, -2  # known entries


def dense(*shape):
    """The pattern of an array whose entries are all different."""
    return np.arange(np.prod(shape, dtype=int)).reshape(shape)


def symmetric_pattern(size):
    row, column = np.indices((size, size))
    return np.where(row > column, row * (row + 1) // 2 + column, column * (column + 1) // 2 + row)


def words(pattern):
    """The scalars that must be sent to send the array."""
    return len({*pattern[pattern >= 0].flat})


def traced(function, patterns):
    """The flops of a function of arrays, and the pattern of the array that it returns.

    `patterns` has one for each argument, None for a missing one.
    """
    found = []

    def on_scalars(**given):
        arguments = [
            None if pattern is None else _filled(pattern, given.get(f"x{k}", []))
            for k, pattern in enumerate(patterns)
        ]
        found.append(function(*arguments))
        return np.ravel(found[0]).tolist()

    shapes = {
        f"x{k}": (words(pattern),)
        for k, pattern in enumerate(patterns)
        if pattern is not None and words(pattern)
    }
    graph = trace(on_scalars, shapes)
    return count(graph).flops, _pattern(found[0])


def _filled(pattern, scalars):
    array = np.empty(pattern.shape, dtype=object)
    names = sorted({*pattern[pattern >= 0].flat})
    number = dict(zip(names, scalars, strict=True)) | {ZERO: 0.0, ONE: 1.0}
    for place in np.ndindex(pattern.shape):
        array[place] = number[pattern[place]]
    return array


def _pattern(array):
    """Equal entries get equal numbers; a sign change does not make a different scalar."""
    array, seen = np.asarray(array, dtype=object), {}
    pattern = np.empty(array.shape, dtype=int)
    for place in np.ndindex(array.shape):
        node = array[place]
        if isinstance(node, Node) and node.op == "neg":
            (node,) = node.args
        if isinstance(node, Node) and node.op != "const":
            pattern[place] = seen.setdefault(node.index, len(seen))
        else:
            known = node.value if isinstance(node, Node) else node
            pattern[place] = {0.0: ZERO, 1.0: ONE}[abs(known)]
    return pattern
