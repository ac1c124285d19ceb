"""Is this a well-formed graph? Passes and readers are checked with it."""

import math

from ..errors import ProgramError
from .graph import size
from .ops import OPS


def check(graph):
    """Raise ProgramError naming the first thing that is wrong; return the graph."""
    builder, seen = graph.builder, set()
    for name, (shape, nodes) in graph.outputs.items():
        if len(nodes) != size(shape):
            raise ProgramError(f"output {name!r}: shape {shape} but {len(nodes)} nodes")
    for node in graph.nodes:
        if node.builder is not builder:
            raise ProgramError(f"{node}: belongs to another trace")
        if node.op == "const":
            if not math.isfinite(node.value):
                raise ProgramError(f"{node}: expected a finite constant")
        elif node.op == "input":
            name, k = node.value
            if name not in graph.inputs or not 0 <= k < size(graph.inputs[name]):
                raise ProgramError(f"{node}: no such input entry")
        elif node.op not in OPS or len(node.args) != OPS[node.op].arity:
            raise ProgramError(f"{node}: unknown operation or wrong number of arguments")
        for argument in node.args:
            if argument.index not in seen:
                raise ProgramError(f"{node}: uses %{argument.index} before it is computed")
        seen.add(node.index)
    return graph
