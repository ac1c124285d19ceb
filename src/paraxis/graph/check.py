"""Is this a well-formed graph? Passes and readers are checked with it."""

import re

from ..checks import counted
from ..errors import ProgramError
from .graph import size
from .limits import LONGEST_NAME, check_arrays, check_nodes
from .operations import OPS

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z")


def check(graph):
    """Raise ProgramError naming the first thing that is wrong; return the graph."""
    check_arrays("input", graph.inputs)
    check_arrays("output", {name: shape for name, (shape, _) in graph.outputs.items()})
    check_nodes(len(graph.nodes))
    builder, seen = graph.builder, set()
    marks = [name for name, _ in graph.marks]
    for what, names in (
        ("program", [graph.name]),
        ("input", graph.inputs),
        ("output", graph.outputs),
        ("mark", marks),
    ):
        for name in names:
            if not isinstance(name, str) or not NAME.match(name) or len(name) > LONGEST_NAME:
                shown = name if not isinstance(name, str) else name[:80]
                raise ProgramError(
                    f"{what} {shown!r}: expected a name of ASCII letters, digits, _ and ., "
                    f"beginning with a letter or _, at most {LONGEST_NAME:,} characters long"
                )
    for name, link in graph.marks:
        if not isinstance(link, int):
            raise ProgramError(f"mark {name!r}: expected the index of a link, found {link!r}")
    for name, (shape, nodes) in graph.outputs.items():
        if len(nodes) != size(shape):
            found = counted(len(nodes), "node")
            raise ProgramError(f"output {name!r} has shape {shape} but {found}")
    for node in graph.nodes:
        if node.builder is not builder:
            raise ProgramError(f"{node} belongs to another trace")
        if node.op == "input":
            name, k = node.value
            if name not in graph.inputs or not 0 <= k < size(graph.inputs[name]):
                raise ProgramError(f"{node}: no such input entry")
        elif node.op != "const" and (node.op not in OPS or len(node.args) != OPS[node.op].arity):
            raise ProgramError(f"{node}: unknown operation or wrong number of arguments")
        for argument in node.args:
            if argument.builder is not builder:
                raise ProgramError(f"{node} uses a node of another trace")
            if argument.index not in seen:
                raise ProgramError(f"{node} uses %{argument.index} before it is computed")
        seen.add(node.index)
    return graph
