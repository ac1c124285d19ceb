"""Evaluates a graph with many constant outputs, such as derivatives, at points of a motion.

Constants and repeated results are left out, so that little is compiled. For a few points the
interpreter is used, because compiling would take longer.
"""

import math

import numpy as np

from ..drivers.map import broadcast_shapes
from ..graph.evaluate import evaluate
from ..graph.graph import Graph
from ..programs import Program

FEW = 32  # points


class AtPoints:
    """Called with arrays by name, (..., *shape), it returns the outputs by name."""

    def __init__(self, graph):
        self.shapes, self._outputs, self._kernel = graph.inputs, graph.outputs, None
        changing = {node.index: node for node in graph.results if node.op != "const"}
        self._column = {index: k for k, index in enumerate(changing)}
        values = {"values": ((len(changing),), tuple(changing.values()))}
        self._graph = Graph(graph.inputs, values, {}, graph.name) if changing else None

    def __call__(self, **arrays):
        batches = {
            name: np.shape(array)[: np.ndim(array) - len(self.shapes[name])]
            for name, array in arrays.items()
        }
        batch = broadcast_shapes(batches)
        values = self._values(arrays, math.prod(batch)) if self._graph else np.empty((*batch, 0))
        results = {}
        for name, (shape, nodes) in self._outputs.items():
            flat = np.empty((*batch, len(nodes)))
            columns = [self._column.get(node.index, -1) for node in nodes]
            constant = np.array([k < 0 for k in columns], bool)
            flat[..., ~constant] = values[..., [k for k in columns if k >= 0]]
            flat[..., constant] = [node.value for node in nodes if node.op == "const"]
            results[name] = flat.reshape(*batch, *shape)
        return results

    def _values(self, arrays, points):
        if points <= FEW:
            return evaluate(self._graph, arrays)["values"]
        if self._kernel is None:
            self._kernel = Program.of(self._graph).compile()
        return self._kernel(**arrays)
