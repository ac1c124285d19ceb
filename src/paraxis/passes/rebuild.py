"""The frame of a pass: walk a graph in order and build a new one."""

from ..graph.graph import Graph
from ..graph.node import Builder


def rebuild(graph, rule):
    """A new graph whose nodes are made by `rule(builder, node, new_arguments)`.

    The rule returns a node of the new builder, or None for the same operation again.
    Marks are carried along.
    """
    builder, new = Builder(), {}
    for node in graph.with_marked:
        arguments = tuple(new[a.index] for a in node.args)
        made = rule(builder, node, arguments)
        if made is None:
            made = builder.copy(node, arguments)
        new[node.index] = made
    outputs = {
        name: (shape, tuple(new[node.index] for node in nodes))
        for name, (shape, nodes) in graph.outputs.items()
    }
    marks = {key: tuple(new[node.index] for node in nodes) for key, nodes in graph.marks.items()}
    return Graph(graph.inputs, outputs, marks, graph.name)
