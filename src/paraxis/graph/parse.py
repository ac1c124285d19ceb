"""A graph from the text that text.py writes, which may be untrusted: its size is bounded."""

import math
import re

from ..checks import counted
from ..errors import ProgramError, TraceError
from .check import NAME, check
from .graph import Graph, size
from .limits import LONGEST_NAME, LONGEST_TEXT, MOST_AXES, check_nodes
from .node import Builder, Node
from .operations import OPS

_SHAPED = re.compile(rf"({NAME.pattern[:-2]})((?:\[[1-9][0-9]*\])*)\Z")  # q[2][3]
_NODE = re.compile(r"%[0-9]+\Z")
LONGEST_WORD = LONGEST_NAME + 22 * MOST_AXES  # a name with its sizes


def parse(source):
    """The graph that `source`, the text of a graph, describes."""
    if not isinstance(source, str):
        raise ProgramError(f"program text: expected str, found {type(source).__name__}")
    if len(source) > LONGEST_TEXT:
        raise ProgramError(
            f"program text: expected at most {LONGEST_TEXT:,} characters, found {len(source):,}"
        )
    reader = _Reader()
    for number, line in enumerate(source.splitlines(), start=1):
        words = line.split()
        if not words:
            continue
        try:
            if len(longest := max(words, key=len)) > LONGEST_WORD:
                raise ValueError(f"{longest[:40]!r}... has {len(longest):,} characters")
            reader.read(words)
        except (ValueError, TraceError) as error:
            raise ProgramError(f"line {number}: cannot read {line[:80]!r}: {error}") from None
    if not reader.outputs:
        raise ProgramError("program text: expected at least one output line, found none")
    return check(Graph(reader.inputs, reader.outputs, reader.marks, reader.name))


class _Reader:
    """What the lines read so far have said.

    Nodes are taken as written, not simplified again, so that the text is the graph.
    """

    def __init__(self):
        self.builder, self.nodes, self.name = Builder(), {}, "program"
        self.inputs, self.outputs, self.marks = {}, {}, {}

    def read(self, words):
        match words:
            case ["program", name]:
                self.name = name
            case ["input", *names]:
                for word in names:
                    _put(self.inputs, *_read_shaped(word))
            case ["mark", name, link, "=", *values]:
                _put(self.marks, (name, int(link)), self.values(values))
            case ["output", name, "=", *values]:
                name, shape = _read_shaped(name)
                if len(values) != size(shape):
                    expected = counted(size(shape), "value")
                    raise ValueError(f"expected {expected}, found {len(values)}")
                _put(self.outputs, name, (shape, self.values(values)))
            case [name, "=", op, *arguments] if _NODE.match(name):
                _put(self.nodes, name, self.node(op, arguments))
                check_nodes(len(self.nodes))
            case _:
                raise ValueError("expected a program, input, mark, output or %number = line")

    def values(self, words):
        for word in words:
            if word not in self.nodes:
                raise ValueError(f"{word} is not defined above")
        return tuple(self.nodes[word] for word in words)

    def node(self, op, words) -> Node:
        arity = {"const": 1, "input": 2}.get(op) or (OPS[op].arity if op in OPS else None)
        if arity is None:
            raise ValueError(f"unknown operation {op!r}")
        if len(words) != arity:
            raise ValueError(f"{op}: expected {counted(arity, 'argument')}, found {len(words)}")
        if op == "const":
            return self.builder.constant(_read_number(words[0]))
        if op == "input":
            name, k = words[0], int(words[1])
            if name not in self.inputs or not 0 <= k < size(self.inputs[name]):
                raise ValueError(f"there is no entry {k} of an input {name!r} above")
            return self.builder.input(name, k)
        return self.builder._node(op, self.values(words))


def _put(table, key, value):
    if key in table:
        raise ValueError(f"{key} is defined twice")
    table[key] = value


def _read_number(word):
    value = float(word)
    if math.isinf(value) and any(character.isdigit() for character in word):
        raise ValueError(f"{word} is out of the range of float64")
    return value


def _read_shaped(word):
    found = _SHAPED.match(word)
    if found is None:
        raise ValueError(f"expected a name and sizes, such as q[2], found {word!r}")
    return found[1], tuple(int(k) for k in found[2][1:-1].split("][") if k)
