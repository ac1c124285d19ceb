"""The operations of a Program, and their division into tasks.

One task per operation, or operations merged up to a grain (grain.py). Sine and cosine of one angle
are one task. Free values are not tasks: constants, inputs, sign changes, and, if `trig` is 0, sines
and cosines of inputs, which are then taken as given. They are computed by each task that needs
them.
"""

import math
from itertools import product
from numbers import Real

from ...errors import ArgumentError
from ...passes.depth import Weights
from ...programs import Program

FREE = ("const", "input", "neg")


class Operations:
    """Groups of nodes that are not divided further: their weights, and their nodes.

    `weights` are the times of `mul`, `add`, `div`, `sqrt` and `trig`, by default 1 for all except
    sines, which are free. An edge with k values has a message of size latency + k * messages.
    """

    def __init__(self, program, messages=0, latency=0, **weights):
        if not isinstance(program, Program):
            raise ArgumentError(f"program: expected a Program, found {type(program).__name__}")
        for name, time in (("messages", messages), ("latency", latency)):
            if not (isinstance(time, Real) and 0 <= time < math.inf):
                raise ArgumentError(f"{name}: expected a time >= 0, found {time!r}")
        self.messages, self.latency = messages, latency
        weights = Weights.named(weights)
        self.unit = "flops" if weights.mul == weights.add == 1 else ""
        self.program, self.group_of = program, {}
        self.groups, self.weights, self.takes = [], [], []  # of nodes; and the nodes they need
        behind, of_angle = {}, {}  # node index -> the non-free nodes on which it depends
        for node in program.graph.nodes:
            sources = tuple({n.index: n for a in node.args for n in behind[a.index]}.values())
            turns = node.op in ("sin", "cos")
            if node.op in FREE or (turns and not sources and not weights.trig):
                behind[node.index] = sources
                continue
            behind[node.index] = (node,)
            group = of_angle.get(node.args[0].index) if turns else None
            if group is None:
                group = len(self.groups)
                self.groups.append([])
                self.weights.append(0)
                self.takes.append(sources)
            if turns:
                of_angle[node.args[0].index] = group
            self.groups[group].append(node)
            self.weights[group] += weights.times[node.op]
            self.group_of[node.index] = group

    def tasks(self, together=None):
        """The arguments of `ProgramTasks`, with a task for each number in `together`.

        `together` has a number for each group of operations; by default every group is a task.
        """
        together = range(len(self.groups)) if together is None else together
        members = {}
        for group, number in enumerate(together):
            members.setdefault(number, []).append(group)
        task = {number: k for k, number in enumerate(members)}
        operations, weights, values = [], [], {}
        for own in members.values():
            operations.append(tuple(node for group in own for node in self.groups[group]))
            weights.append(sum(self.weights[group] for group in own))
        for group, sources in enumerate(self.takes):
            here = task[together[group]]
            for node in sources:
                there = task[together[self.group_of[node.index]]]
                if there != here:
                    values.setdefault((there, here), set()).add(node.index)
        names, labels, links = _names(self.program.graph, operations)
        edges = [
            (names[a], names[b], self.latency + self.messages * len(sent))
            for (a, b), sent in values.items()
        ]
        return (
            dict(zip(names, weights, strict=True)),
            edges,
            self.program.name,
            dict(zip(names, labels, strict=True)),
            {name: link for name, link in zip(names, links, strict=True) if link is not None},
            self.unit,
            self.program,
            tuple(operations),
        )


# -- names -----------------------------------------------------------------------------------------


def _names(graph, operations):
    """For each task a name, a label and a link, or None if no mark gives one.

    The name is that of a value: its mark, such as omega[3].x, or the output's, or its line in
    `program.text()`.
    """
    number = graph.lines
    known = known_values(graph)
    links = _links(graph)
    names, labels, found = [], [], []
    for nodes in operations:
        last = next((node for node in reversed(nodes) if node.index in known), nodes[-1])
        names.append(known.get(last.index) or f"%{number[last.index]} {_what(nodes, last)}")
        labels.append(f"%{number[last.index]} {last.op}" if len(nodes) == 1 else _sorts(nodes))
        found.append(links.get(last.index))
    return names, labels, found


def _what(nodes, last):
    pair = {node.op for node in nodes} == {"sin", "cos"}
    return "sin, cos" if pair and len(nodes) == 2 else last.op


def _sorts(nodes):
    """Text such as '3 mul, 2 add'."""
    ops = [node.op for node in nodes]
    return ", ".join(f"{ops.count(op)} {op}" for op in dict.fromkeys(ops))


def known_values(graph):
    """node index -> the displayed name of its value; each name once."""
    entries = [
        (f"{name}[{link}]{part}", node)
        for (name, link), nodes in graph.marks.items()
        for part, node in zip(_components(len(nodes)), nodes, strict=True)
    ]
    for name, (shape, nodes) in graph.outputs.items():
        places = product(*map(range, shape))
        entries += [
            (name + "".join(f"[{k}]" for k in place), node)
            for place, node in zip(places, nodes, strict=True)
        ]
    known, taken = {}, set()
    for name, node in entries:
        while node.op == "neg":  # it has no task
            node = node.args[0]
        if node.index not in known and name not in taken:
            known[node.index] = name
            taken.add(name)
    return known


def _components(count):
    if count == 1:
        return [""]
    return [f".{axis}" for axis in "xyz"] if count == 3 else [f".{k}" for k in range(count)]


def _links(graph):
    """node index -> the link of the first mark to which it leads."""
    link = {}
    for (_, number), nodes in graph.marks.items():
        for node in nodes:
            link.setdefault(node.index, number)
    for node in reversed(graph.nodes):
        if node.index in link:
            for a in node.args:
                link.setdefault(a.index, link[node.index])
    return link
