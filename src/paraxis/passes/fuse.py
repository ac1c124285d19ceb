"""Multiply-adds: a product used once, by a sum, becomes one `fma`.

Changes rounding: the product is not rounded before it is added. Decided here and not by a
compiler, so that every vector width rounds alike. A product used more than once stays: fusing
it would multiply again for each use.
"""

from collections import Counter

from ..graph.graph import Graph
from .depth import levels
from .rebuild import rebuild


def multiply_adds(graph):
    """index of a sum -> the product it takes in."""
    uses = Counter(a.index for node in graph.nodes for a in node.args)
    uses.update(node.index for node in graph.results)
    level = levels(graph)
    swallowed = {}
    for node in graph.nodes:
        if node.op in ("add", "sub"):
            products = [a for a in node.args if a.op == "mul" and uses[a.index] == 1]
            if products:  # of two, the one that is ready last gains from skipping a step
                swallowed[node.index] = max(products, key=lambda a: level[a.index])
    return swallowed


def fuse(graph):
    """The same graph with multiply-adds."""
    graph = Graph(graph.inputs, graph.outputs, {}, graph.name)
    swallowed = multiply_adds(graph)
    gone = {product.index for product in swallowed.values()}
    factors = {}  # index of a product that is gone -> its factors in the new graph

    def rule(builder, node, arguments):
        if node.index in gone:
            factors[node.index] = arguments
            return builder.zero  # a placeholder nobody uses
        product = swallowed.get(node.index)
        if product is None:
            return None
        x, y = factors[product.index]
        first, second = node.args
        rest = arguments[1] if product is first else arguments[0]
        if node.op == "sub" and product is first:
            rest = builder.neg(rest)
        if node.op == "sub" and product is second:
            x = builder.neg(x)
        return builder.fma(x, y, rest)

    return rebuild(graph, rule)
