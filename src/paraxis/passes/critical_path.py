"""The operations on the critical path of a graph, one by one, as a readable table."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..graph.node import Node
from .depth import Depth, levels, longest_path

HEAD = ("ready", "operation", "slack", "part of")
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


@dataclass(frozen=True)
class Step:
    """An operation on the critical path."""

    op: str
    mark: str  # the next marked value on the path, or the output, that it is a part of
    ready: float
    slack: float | None  # how long its other arguments have been available; None without others
    node: Node


class CriticalPath(Sequence):
    """The steps, in order, without operations that take no time. `str` of it is a table."""

    def __init__(self, graph, weights):
        self._graph = graph
        path, level = longest_path(graph, weights), levels(graph, weights)
        self.depth = Depth.along(path, weights)
        names, steps = _names(graph), []
        self.end = part = names[path[-1].index]
        for before, node in zip(path[-2::-1], path[:0:-1], strict=True):  # the last one first
            part = names.get(node.index, part)
            if weights.times.get(node.op, 0):
                others = [level[a.index] for a in node.args if a is not before]
                slack = level[before.index] - max(others) if others else None
                steps.append(Step(node.op, part, level[node.index], slack, node))
        self._steps = tuple(steps[::-1])

    def __getitem__(self, k):
        return self._steps[k]

    def __len__(self):
        return len(self._steps)

    def __repr__(self):
        return f"<CriticalPath {self._summary()}>"

    def __str__(self):
        notation, rows = _Notation(self._graph), [HEAD]
        for k, step in enumerate(self):
            slack = "" if step.slack is None else f"{step.slack:g}"
            told = k and self[k - 1].mark == step.mark
            row = (f"{step.ready:g}", notation.line(step.node), slack, "" if told else step.mark)
            rows.append(row)
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        rows.insert(1, ["─" * width for width in widths])
        lines = [
            f"{ready:>{widths[0]}}  {operation:{widths[1]}}  {slack:>{widths[2]}}  {part}".rstrip()
            for ready, operation, slack, part in rows
        ]
        return "\n".join([self._summary(), "", *lines])

    def _summary(self):
        mul, add = self.depth.mul, self.depth.add
        others = self.depth.flops - mul - add
        parts = f"{mul} mul and {add} add" + (f" and {others} div or sqrt" if others else "")
        return f"{self._graph.name}: {self.end} is ready at {self.depth.time:g}, after {parts}"


def _names(graph):
    """node index -> the output or else the marked value that it is, whatever its sign."""
    named = [
        (name + _place(shape, k), node)
        for name, (shape, nodes) in graph.outputs.items()
        for k, node in enumerate(nodes)
    ]
    named += [
        (f"{name}[{link}]", node) for (name, link), nodes in graph.marks.items() for node in nodes
    ]
    names = {}
    for name, node in named:
        names.setdefault(node.index, name)
        if node.op == "neg":
            names.setdefault(node.args[0].index, name)
    return names


def _place(shape, k):
    """The indices of the k-th entry of an array: [1][2]."""
    text = ""
    for size in reversed(shape):
        k, rest = divmod(k, size)
        text = f"[{rest}]{text}"
    return text


class _Notation:
    """How the values of a graph are written: values by their number in the Program's text, but
    inputs, constants, signs and sines in full."""

    def __init__(self, graph):
        self._number = graph.lines
        self._inputs = graph.inputs

    def line(self, node):
        operands = [self._operand(a) for a in node.args]
        if node.op in SIGNS:
            expression = f" {SIGNS[node.op]} ".join(operands)
        else:
            expression = f"{node.op}({', '.join(operands)})"
        return f"%{self._number[node.index]} = {expression}"

    def _operand(self, node):
        if node.op == "input":
            name, k = node.value
            return name + _place(self._inputs[name], k)
        if node.op == "const":
            return f"{node.value:.4g}"
        if node.op == "neg":
            return f"-{self._operand(node.args[0])}"
        if node.op in ("sin", "cos"):
            return f"{node.op}({self._operand(node.args[0])})"
        return f"%{self._number[node.index]}"
