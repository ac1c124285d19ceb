"""Derivatives of a graph, as a graph.

Every operation has one rule, its partial derivatives (operations.py); the chain rule is applied
along the graph (forward: how each value moves with the inputs) or against it (reverse: how the
outputs move with each value), whichever makes fewer products. Zeros are never made: a value carries
only the derivatives it has. Exact in real arithmetic. Where a function has a corner (abs, min, max,
select) the derivative is that of one side, or 0 for abs at 0; where it jumps (floor, fmod) it is
the derivative between the jumps.

A Jacobian is made entry by entry; its product with one vector, and its transpose's, are made
without it, at a small multiple of the graph's own cost.
"""

from collections.abc import Iterable

from ..checks import one_of
from ..errors import ArgumentError
from .graph import Graph, size
from .limits import check_arrays
from .node import Builder
from .operations import FLAT, OPS


def jacobian(graph, wanted):
    """The graph of derivatives. `wanted` maps a new name to (output, input) names.

    The derivative of an array of shape s by one of shape t has shape s + t.
    """
    for output, given in wanted.values():
        one_of(output, graph.outputs, "output")
        one_of(given, graph.inputs, "input")
    shapes = {
        name: (*graph.outputs[output][0], *graph.inputs[given])
        for name, (output, given) in wanted.items()
    }
    check_arrays("output", shapes)  # before it is made
    seeds = _seeds(graph, dict.fromkeys(given for _, given in wanted.values()))
    targets = _targets(graph, dict.fromkeys(output for output, _ in wanted.values()))
    trace = _Linear(graph, seeds, targets)
    entries = trace.forward() if trace.forward_cost <= trace.reverse_cost else trace.reverse()
    outputs = {}
    for name, (output, given) in wanted.items():
        (_, nodes), width = graph.outputs[output], size(graph.inputs[given])
        outputs[name] = (
            shapes[name],
            tuple(
                entries.get((targets[node.index], seeds[given, k]), trace.builder.zero)
                for node in nodes
                for k in range(width)
            ),
        )
    return Graph(graph.inputs, outputs, {}, graph.name)


def vjp(graph, wrt=None):
    """The graph of (..., x, ..., {y}_bar, ...) -> {x}_bar for every input x in `wrt`.

    If {y}_bar is how something moves with each output y, {x}_bar is how it moves with x. By default
    `wrt` is all inputs.
    """
    wrt = chosen_inputs(graph, wrt, "wrt")
    bars = {f"{name}_bar": shape for name, (shape, _) in graph.outputs.items()}
    _no_clash(graph, bars)
    seeds = _seeds(graph, wrt)
    trace = _Linear(graph, seeds, _targets(graph, graph.outputs))
    builder, weights = trace.builder, {}
    for name, (_, nodes) in graph.outputs.items():
        for k, node in enumerate(nodes):  # one node may be several entries
            bar, known = builder.input(f"{name}_bar", k), weights.get(node.index, builder.zero)
            weights[node.index] = builder.add(known, bar)
    entries = trace.pull({index: {0: weight} for index, weight in weights.items()})
    outputs = {}
    for name in wrt:
        numbers = [seeds[name, k] for k in range(size(graph.inputs[name]))]
        nodes = tuple(entries.get((0, number), builder.zero) for number in numbers)
        outputs[f"{name}_bar"] = (graph.inputs[name], nodes)
    return Graph(graph.inputs | bars, outputs, {}, f"{graph.name}_vjp")


def jvp(graph, wrt=None):
    """The graph of (..., x, ..., {x}_dot, ...) -> {y}_dot for every output y.

    {y}_dot is how fast y moves when each input x in `wrt`, by default all, moves with {x}_dot and
    the others stay.
    """
    wrt = chosen_inputs(graph, wrt, "wrt")
    dots = {f"{name}_dot": graph.inputs[name] for name in wrt}
    _no_clash(graph, dots)
    targets = _targets(graph, graph.outputs)
    trace = _Linear(graph, _seeds(graph, wrt), targets)
    builder = trace.builder
    entries = trace.push(
        {(name, k): {0: builder.input(f"{name}_dot", k)} for name, k in trace.seeds}
    )
    outputs = {
        f"{name}_dot": (
            shape,
            tuple(entries.get((targets[node.index], 0), builder.zero) for node in nodes),
        )
        for name, (shape, nodes) in graph.outputs.items()
    }
    return Graph(graph.inputs | dots, outputs, {}, f"{graph.name}_jvp")


def chosen_inputs(graph, names, what):
    """The names of inputs as a list, checked; all inputs for None. `what` names the argument."""
    if names is None:
        return list(graph.inputs)
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ArgumentError(f"{what}: expected a sequence of names, found {names!r}")
    names = list(names)
    for k, name in enumerate(names):
        one_of(name, graph.inputs, what)
        if name in names[:k]:
            raise ArgumentError(f"{what}: {name} appears twice")
    if not names:
        raise ArgumentError(f"{what}: expected some of {list(graph.inputs)}, found none")
    return names


def _no_clash(graph, names):
    taken = [name for name in names if name in graph.inputs]
    if taken:
        raise ArgumentError(
            f"{graph.name}: its derivative needs an input {taken[0]!r}, but there is already an "
            "array of that name; rename it"
        )


def _seeds(graph, names):
    """(input, entry) -> a number for each entry of the named inputs."""
    entries = [(name, k) for name in names for k in range(size(graph.inputs[name]))]
    return {entry: number for number, entry in enumerate(entries)}


def _targets(graph, names):
    """node index -> a number for each node of the named outputs."""
    nodes = {node.index: None for name in names for node in graph.outputs[name][1]}
    return {index: number for number, index in enumerate(nodes)}


class _Linear:
    """The values of a graph in a new builder, and what depends on what."""

    def __init__(self, graph, seeds, targets):
        self.nodes, self.seeds, self.targets = graph.nodes, seeds, targets
        self.builder, self.value = Builder(), {}
        for node in self.nodes:
            arguments = [self.value[a.index] for a in node.args]
            self.value[node.index] = self.builder.copy(node, arguments)
        moves, moved = {}, {}  # sets of seeds and of targets as bits, by node
        for node in self.nodes:
            bits = 1 << seeds[node.value] if node.op == "input" and node.value in seeds else 0
            for argument in node.args if node.op not in FLAT else ():
                bits |= moves[argument.index]
            moves[node.index] = bits
        for node in reversed(self.nodes):
            bits = moved.get(node.index, 0)
            if node.index in targets:
                bits |= 1 << targets[node.index]
            moved[node.index] = bits
            for argument in node.args if node.op not in FLAT else ():
                moved[argument.index] = moved.get(argument.index, 0) | bits
        self.live = {i for i in moves if moves[i] and moved[i]}
        self.forward_cost = sum(moves[i].bit_count() for i in self.live)
        self.reverse_cost = sum(moved[i].bit_count() for i in self.live)

    def edges(self, node):
        """(argument, partial derivative, choice) for arguments that matter, each once.

        A select passes a change on unchanged, where it chooses that argument: its `choice` is a
        condition and the argument's place under it. Else there is none.
        """
        if node.op in FLAT or node.index not in self.live:
            return
        arguments = [self.value[a.index] for a in node.args]
        if node.op == "select":
            for place in (1, 2):
                if node.args[place].index in self.live:
                    yield node.args[place], self.builder.one, (arguments[0], place)
            return
        factors = {}
        partials = OPS[node.op].partials(self.builder, self.value[node.index], *arguments)
        for argument, partial in zip(node.args, partials, strict=True):
            if argument.index in self.live:
                known = factors.get(argument.index)
                total = partial if known is None else self.builder.add(known[1], partial)
                factors[argument.index] = argument, total
        for argument, partial in factors.values():
            yield argument, partial, None

    def chosen(self, choice, t):
        """t where the choice is made, else zero."""
        condition, place = choice
        sides = (t, self.builder.zero) if place == 1 else (self.builder.zero, t)
        return self.builder.select(condition, *sides)

    def forward(self):
        """{(target, seed): derivative} along the graph."""
        one = self.builder.one
        return self.push({entry: {seed: one} for entry, seed in self.seeds.items()})

    def reverse(self):
        """{(target, seed): derivative} against the graph."""
        one = self.builder.one
        return self.pull({index: {target: one} for index, target in self.targets.items()})

    def push(self, directions):
        """{(target, direction): how the target moves}.

        `directions` are {input entry: {direction: how the entry moves}}.
        """
        tangent, entries = {}, {}
        for node in self.nodes:
            if node.op == "input" and node.value in self.seeds:
                own = directions[node.value]
            else:
                own = {}
                for argument, partial, choice in self.edges(node):
                    for way, t in tangent[argument.index].items():
                        passed = self.builder.mul(partial, t)
                        passed = passed if choice is None else self.chosen(choice, passed)
                        own[way] = self.builder.add(own[way], passed) if way in own else passed
            tangent[node.index] = own
            if node.index in self.targets:
                row = self.targets[node.index]
                entries |= {(row, way): t for way, t in own.items()}
        return entries

    def pull(self, weights):
        """{(row, seed): how the row moves with that input entry}.

        `weights` are {target's node: {row: how the row moves with the target}}.
        """
        adjoint = {
            index: {row: _Adjoint(self.builder, weight) for row, weight in own.items()}
            for index, own in weights.items()
        }
        entries = {}
        for node in reversed(self.nodes):
            own = adjoint.pop(node.index, {})
            if node.op == "input" and node.value in self.seeds:
                column = self.seeds[node.value]
                entries |= {(row, column): each.total for row, each in own.items()}
            if own:
                for argument, partial, choice in self.edges(node):
                    above = adjoint.setdefault(argument.index, {})
                    used = None if choice is None else self.chosen(choice, self.builder.one)
                    for row, each in own.items():
                        passed = each.passed(partial, used)
                        above[row] = above[row] + passed if row in above else passed
        return entries


class _Adjoint:
    """How a target moves with a value, and the condition under which it uses the value at all.

    A value that a select leaves out may have no slope (the root of a negative number), and a zero
    for it would not survive the products on the way: 0 times not-a-number is no number. So the
    zero is put in last. `used` None is always.
    """

    __slots__ = ("builder", "slope", "used")

    def __init__(self, builder, slope, used=None):
        self.builder, self.slope, self.used = builder, slope, used

    @property
    def total(self):
        if self.used is None:
            return self.slope
        return self.builder.select(self.used, self.slope, self.builder.zero)

    def passed(self, partial, used):
        """Of an argument with that partial derivative, which is used under a further condition."""
        if used is None or self.used is None:
            used = self.used if used is None else used
        else:
            used = self.builder.select(self.used, used, self.builder.zero)
        return _Adjoint(self.builder, self.builder.mul(partial, self.slope), used)

    def __add__(self, other):
        if self.used is other.used:
            return _Adjoint(self.builder, self.builder.add(self.slope, other.slope), self.used)
        used = None
        if self.used is not None and other.used is not None:
            used = self.builder.select(self.used, self.builder.one, other.used)
        return _Adjoint(self.builder, self.builder.add(self.total, other.total), used)
