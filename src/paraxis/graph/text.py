"""A graph as text that a person reads and `parse` reads back.

    program inverse_dynamics
    input q[2] qd[2]
    %0 = input q 0
    %1 = sin %0
    %2 = const 9.81
    %3 = mul %1 %2
    mark force 1 = %3
    output tau[1] = %3

Numbers are written so that they read back to the same bits.
"""

import re

from ..errors import ProgramError
from .check import check
from .graph import Graph, reachable
from .node import Builder, Node
from .ops import OPS

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z")


def text(graph):
    """The graph as lines, nodes renumbered from 0 in order. Values only a mark needs come too."""
    marked = [node for nodes in graph.marks.values() for node in nodes]
    nodes = reachable(graph.results + marked)
    number = {node.index: k for k, node in enumerate(nodes)}
    lines = [f"program {graph.name}"]
    lines.append("input " + " ".join(_with_shape(*item) for item in graph.inputs.items()))
    for node in nodes:
        if node.op == "const":
            arguments = repr(node.value)
        elif node.op == "input":
            arguments = "{} {}".format(*node.value)
        else:
            arguments = " ".join(f"%{number[a.index]}" for a in node.args)
        lines.append(f"%{number[node.index]} = {node.op} {arguments}")
    for (name, link), values in graph.marks.items():
        lines.append(f"mark {name} {link} = " + _list(values, number))
    for name, (shape, values) in graph.outputs.items():
        lines.append(f"output {_with_shape(name, shape)} = " + _list(values, number))
    return "\n".join(lines) + "\n"


def _list(nodes, number):
    return " ".join(f"%{number[node.index]}" for node in nodes)


def _with_shape(name, shape):
    return name + "".join(f"[{k}]" for k in shape)


def _read_shape(word):
    name, *sizes = word.replace("]", "").split("[")
    if not _NAME.match(name):
        raise ValueError(f"bad name {name!r}")
    return name, tuple(int(k) for k in sizes)


def parse(source):
    """The graph written by `text`."""
    builder, nodes, inputs, outputs, marks, program = Builder(), {}, {}, {}, {}, "program"
    # Nodes are taken as written, not simplified again, so that the text is the graph.
    for number, line in enumerate(source.splitlines(), start=1):
        words = line.split()
        try:
            if not words:
                continue
            if words[0] == "program":
                program = words[1]
            elif words[0] == "input":
                inputs |= dict(_read_shape(word) for word in words[1:])
            elif words[0] == "mark":
                marks[words[1], int(words[2])] = tuple(nodes[w] for w in words[4:])
            elif words[0] == "output":
                name, shape = _read_shape(words[1])
                outputs[name] = (shape, tuple(nodes[w] for w in words[3:]))
            else:
                nodes[words[0]] = _read_node(builder, nodes, words[2], words[3:])
        except (KeyError, IndexError, ValueError) as error:
            raise ProgramError(f"line {number}: cannot read {line[:80]!r} ({error})") from None
    if not outputs or not all(values for _, values in outputs.values()):
        raise ProgramError("expected at least one output line")
    return check(Graph(inputs, outputs, marks, program))


def _read_node(builder, nodes, op, words) -> Node:
    if op == "const":
        return builder.constant(float(words[0]))
    if op == "input":
        return builder.input(words[0], int(words[1]))
    if op not in OPS or len(words) != OPS[op].arity:
        raise ValueError(f"unknown operation {op!r} or wrong number of arguments")
    return builder._node(op, tuple(nodes[w] for w in words))
