"""Every sum re-associated so that its value is ready as early as can be.

A sum is a tree of additions and subtractions, through sign changes, whose inner sums are used
nowhere else; an inner sum that has another user is needed for itself and stays. Products are left
as they are written. The operations stay the same, only their order is another; where two come to be
equal, one is made. Changes rounding. A multiply-add is taken apart into a product and a sum.

Of the terms of a sum, the two that are ready first are added, and their sum is a term from then
on: so what arrives last is added last. No order is faster. Take any fastest tree and two of its
deepest terms that are added to each other. Exchange them for the two that are ready first: these
come to stand deeper, but where a later one has been in time; those exchanged for them come to
stand higher. So some fastest tree begins by adding the two that are ready first, and likewise for
the terms that are left (Golumbic 1976 has this as combinatorial merging). Since no operation
is ready later when its arguments are ready earlier, what is best for each sum is best for all.
"""

from collections import Counter
from heapq import heapify, heappop, heappush

from .depth import FLOP
from .rebuild import rebuild

SUMS = ("add", "sub", "fma")
# which of the last arguments of an operation enter a sum with their sign changed
FLIPS = {"add": (False, False), "sub": (False, True), "neg": (True,), "fma": (False,)}


def balance(graph, weights=FLOP):
    """The same graph with balanced sums, for operations that take these times."""
    inner, new, clock = _inner_sums(graph), {}, _Clock(weights)

    def rule(builder, node, arguments):
        if node.op in SUMS and node.index not in inner:
            made = _joined(builder, list(_terms(builder, node, inner, new)), clock)
        else:  # an inner sum too: nothing uses it but its mark, if it has one
            made = builder.copy(node, arguments)
        new[node.index] = made
        return made

    return rebuild(graph, rule)


def _inner_sums(graph):
    """The indices of sums and sign changes that only another sum uses."""
    uses = Counter(a.index for node in graph.nodes for a in node.args)
    uses.update(node.index for node in graph.results)
    inner = set()
    for node in reversed(graph.nodes):  # users first
        if node.op in SUMS or node.index in inner:
            for part, _ in _parts(node):
                if part.op in FLIPS and uses[part.index] == 1:
                    inner.add(part.index)
    return inner


def _parts(node):
    """What an operation of a sum adds up: (argument, whether its sign changes)."""
    flips = FLIPS[node.op]
    return list(zip(node.args[-len(flips) :], flips, strict=True))


def _terms(builder, root, inner, new):
    """The terms of a sum in the new graph, in the order in which they are written."""
    stack = [(root, False)]
    while stack:
        node, negative = stack.pop()
        if node is root or node.index in inner:
            if node.op == "fma":
                product = builder.mul(*(new[a.index] for a in node.args[:2]))
                yield builder.neg(product) if negative else product
            stack += [(part, negative != flip) for part, flip in reversed(_parts(node))]
        else:
            yield builder.neg(new[node.index]) if negative else new[node.index]


def _joined(builder, terms, clock):
    """The sum of the terms, the two that are ready first added first."""
    heap = [(clock.ready(term), k, term) for k, term in enumerate(terms)]
    heapify(heap)
    for k in range(len(terms), 2 * len(terms) - 1):
        (_, _, first), (_, _, second) = heappop(heap), heappop(heap)
        both = builder.add(first, second)
        heappush(heap, (clock.ready(both), k, both))
    return heap[0][2]


class _Clock:
    """When the nodes of a graph under construction are ready."""

    def __init__(self, weights):
        self._times, self._level = weights.times, []

    def ready(self, node):
        for other in node.builder.nodes[len(self._level) :]:
            before = max((self._level[a.index] for a in other.args), default=0)
            self._level.append(before + self._times.get(other.op, 0))
        return self._level[node.index]
