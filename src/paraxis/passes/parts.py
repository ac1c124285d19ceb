"""A graph divided among processors that run side by side.

A part is a graph of its own: what it receives from other parts is an input array, what it sends
is an output. Values travel in lines of shared memory: a few values of one sender for one
receiver, and a stamp that says they are there. What is free (constants, inputs, sign changes)
does not travel; every part makes its own.
"""

from collections import defaultdict
from dataclasses import dataclass, replace

from ..graph.graph import Graph
from ..graph.node import Builder

RECEIVED, SENT, STORED = "received*", "sent*", "stored*"  # no names that a Program can have


@dataclass(frozen=True)
class Line:
    """Values that travel together, nodes of the whole graph."""

    sender: int
    receiver: int
    nodes: tuple


@dataclass(frozen=True)
class Part:
    """What one processor does.

    `graph` has the inputs of the whole, and RECEIVED. Its output SENT are the values of the lines
    `sends`, one line after the other; STORED those of the entries `stores` of the whole's outputs.
    """

    graph: Graph
    receives: tuple  # (line, place in it) of each entry of RECEIVED
    sends: tuple  # (line, number of values)
    stores: tuple  # (output, entry)

    @property
    def sent(self):
        """(line, its values) in order."""
        nodes, first = self._output(SENT), 0
        for line, count in self.sends:
            yield line, nodes[first : first + count]
            first += count

    @property
    def stored(self):
        """(output, entry) -> its value."""
        return dict(zip(self.stores, self._output(STORED), strict=True))

    def _output(self, name):
        return self.graph.outputs[name][1] if name in self.graph.outputs else ()

    def with_graph(self, graph):
        return replace(self, graph=graph)


def parts(graph, rows, lines):
    """The parts: part k computes the nodes `rows[k]`, in that order.

    `lines` bring every value that a part needs and that is not in its row. What is in nobody's
    row is free: whoever needs it makes it. An output is stored by the first part that has it.
    """
    places = defaultdict(dict)  # receiver -> node index -> (line, place)
    sends = defaultdict(list)
    for number, line in enumerate(lines):
        places[line.receiver] |= {node.index: (number, k) for k, node in enumerate(line.nodes)}
        sends[line.sender].append((number, line.nodes))
    owner = {node.index: k for k, row in reversed([*enumerate(rows)]) for node in row}
    stores = defaultdict(list)
    for name, (_, nodes) in graph.outputs.items():
        for entry, node in enumerate(nodes):
            stores[_home(node, owner)].append(((name, entry), node))
    return [_part(graph, row, places[k], sends[k], stores[k]) for k, row in enumerate(rows)]


def _home(node, owner):
    """Who has a node, or what it is freely made of; the first, if that is nothing of a row."""
    while node.index not in owner and node.args:
        node = node.args[0]
    return owner.get(node.index, 0)


def _part(graph, row, places, sends, stores):
    builder, new, receives = Builder(), {}, []

    def value(node):
        if node.index not in new:
            if node.index in places:
                new[node.index] = builder.input(RECEIVED, len(receives))
                receives.append(places[node.index])
            else:
                new[node.index] = builder.copy(node, [value(a) for a in node.args])
        return new[node.index]

    for node in row:
        value(node)
    sent = tuple(value(node) for _, line in sends for node in line)
    stored = tuple(value(node) for _, node in stores)
    inputs = graph.inputs | ({RECEIVED: (len(receives),)} if receives else {})
    outputs = {SENT: ((len(sent),), sent), STORED: ((len(stored),), stored)}
    return Part(
        Graph(inputs, {name: made for name, made in outputs.items() if made[1]}, {}, graph.name),
        tuple(receives),
        tuple((number, len(line)) for number, line in sends),
        tuple(at for at, _ in stores),
    )


# -- a part as a row of steps ----------------------------------------------------------------------


@dataclass(frozen=True)
class Wait:
    """A step like a node: until the values of a line are there."""

    line: int
    op, args, index, weight = "wait", (), -4, 8


@dataclass(frozen=True)
class Send:
    """A step like a node: put values into a line, then its stamp."""

    line: int
    args: tuple
    op, index = "send", -5

    @property
    def weight(self):
        return 2 * len(self.args)


def steps(parts):
    """For each part its nodes in order, with Wait and Send between them.

    A line is sent as soon as its values are there, and waited for when the first of them is used.
    Where lines that were waited for before prove that a line must be there, nobody waits for it.
    """
    rows = [_steps(part) for part in parts]
    needless = _implied(rows)
    return [[step for step in row if id(step) not in needless] for row in rows]


def _steps(part):
    order = _sines_first(part.graph)
    at = {node.index: k for k, node in enumerate(order)}
    ready = defaultdict(list)  # place in the order -> what is sent after it
    for line, nodes in part.sent:
        ready[max(at[node.index] for node in nodes)].append(Send(line, nodes))
    row, waited = [], set()
    for k, node in enumerate(order):
        if _is_received(node):
            line, _ = part.receives[node.value[1]]
            if line not in waited:
                waited.add(line)
                row.append(Wait(line))
        row.append(node)
        row += ready[k]
    return row


def _is_received(node):
    return node.op == "input" and node.value[0] == RECEIVED


def _sines_first(graph):
    """The nodes in order, but first the sines and cosines that nothing received is needed for.

    A sine is a call, and a call empties the registers: better before there is anything in them.
    """
    late, early = set(), set()
    for node in graph.nodes:
        if _is_received(node) or any(a.index in late for a in node.args):
            late.add(node.index)
    for node in reversed(graph.nodes):
        if node.index in early or (node.op in ("sin", "cos") and node.index not in late):
            early |= {node.index, *(a.index for a in node.args)}
    return sorted(graph.nodes, key=lambda node: node.index not in early)  # stable


def _implied(rows):
    """The ids of waits for lines that must be there already.

    The parts are run with a clock each: what every part is known to have sent. A line carries the
    clock of its sender, and who waits for it knows what the sender knew.
    """
    clocks = [[0] * len(rows) for _ in rows]
    carried, needless = {}, set()  # line -> its sender, and the sender's clock
    at, left = [0] * len(rows), [*range(len(rows))]
    while left:
        before = sum(at)
        for k in left:
            while at[k] < len(rows[k]):
                step = rows[k][at[k]]
                if step.op == "send":
                    clocks[k][k] += 1
                    carried[step.line] = k, [*clocks[k]]
                elif step.op == "wait":
                    if step.line not in carried:
                        break
                    sender, clock = carried[step.line]
                    if clocks[k][sender] >= clock[sender]:
                        needless.add(id(step))
                    clocks[k] = [*map(max, clocks[k], clock)]
                at[k] += 1
        left = [k for k in left if at[k] < len(rows[k])]
        assert not left or sum(at) > before, "parts that wait for each other"
    return needless
