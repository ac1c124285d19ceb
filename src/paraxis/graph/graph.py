"""A finished straight-line graph: named input and output arrays, marks, nodes in order."""

import hashlib
import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from .text import text


@dataclass(frozen=True, eq=False)
class Graph:
    """Immutable. `outputs` and `marks` refer to nodes of one Builder; `nodes` are those they need.

    `inputs` maps a name to a shape; `outputs` a name to (shape, nodes in row-major order);
    `marks` a (name, link) to nodes.
    """

    inputs: dict[str, tuple[int, ...]]
    outputs: dict[str, tuple[tuple[int, ...], tuple]]
    marks: dict[tuple[str, int], tuple] = field(default_factory=dict)
    name: str = "program"

    @property
    def builder(self):
        return next(iter(self.outputs.values()))[1][0].builder

    @cached_property
    def shapes(self):
        """The entry shapes of all arrays, inputs first."""
        return [*self.inputs.values(), *(shape for shape, _ in self.outputs.values())]

    @cached_property
    def results(self):
        """All output nodes, in order."""
        return [node for _, nodes in self.outputs.values() for node in nodes]

    @cached_property
    def nodes(self):
        """The nodes the outputs need, arguments before users."""
        return reachable(self.results)

    @cached_property
    def marked(self):
        """The nodes of all marks."""
        return [node for nodes in self.marks.values() for node in nodes]

    @cached_property
    def with_marked(self):
        """The nodes that outputs or marks need, arguments before users: those of its text."""
        return reachable(self.results + self.marked)

    @property
    def lines(self):
        """node index -> its line in the text."""
        return {node.index: k for k, node in enumerate(self.with_marked)}

    @cached_property
    def unused(self):
        """The input entries no output depends on: (name, range of entries), in order."""
        used = {name: [] for name in self.inputs}
        for node in self.nodes:
            if node.op == "input":
                used[node.value[0]].append(node.value[1])
        runs = []
        for name, shape in self.inputs.items():
            ends = [-1, *sorted(used[name]), size(shape)]
            runs += [(name, range(a + 1, b)) for a, b in pairwise(ends) if b - a > 1]
        return runs

    def poisoned(self, name):
        """Which entries of an output are spoilt by a bad input entry that none depends on.

        All but those that are zero in every state; but all of them, when they are all zero.
        """
        _, nodes = self.outputs[name]
        live = [node.op != "const" or node.value != 0.0 for node in nodes]
        return live if any(live) else [True] * len(nodes)

    @cached_property
    def digest(self):
        """Equal for equal texts."""
        return hashlib.sha256(text(self).encode()).hexdigest()

    def with_marks(self, *names):
        """The same graph with every value marked by one of these names as a further output.

        The output of mark `omega` of link 3 is called `omega.3`.
        """
        extra = {
            f"{name}.{link}": ((len(nodes),), nodes)
            for (name, link), nodes in self.marks.items()
            if name in names
        }
        return Graph(self.inputs, self.outputs | extra, self.marks, self.name)


def reachable(results):
    """All nodes that `results` depend on, in order of creation: arguments come first."""
    seen, stack = {}, list(results)
    while stack:
        node = stack.pop()
        if node.index not in seen:
            seen[node.index] = node
            stack.extend(node.args)
    return [seen[index] for index in sorted(seen)]


def size(shape):
    return math.prod(shape)
