"""A Program as the combine operator of a scan: all prefixes of a row of elements."""

import numpy as np

from ...drivers import threads
from ...drivers.exclusive import Exclusive
from ...drivers.map import Signature, as_array
from ...drivers.scan import Scan, check_order
from ...errors import ArgumentError
from ...graph.splice import splice
from ..operator import Operator
from .kernel import checked_options
from .sweep_kernel import CPU

LEFT, RIGHT = "left_", "right_"


class PrefixScan:
    """Call it with an array (n, ...) for each part; prefix k glues elements 0 to k."""

    def __init__(self, identity, graph, order, work, thread_count):
        self.order, self.threads = check_order(order), thread_count
        self.name, self.shapes = graph.name, _parts(graph)
        self._operator = Operator(f"program {identity}", _function(graph), self.shapes, work, CPU)
        self._scan, self._lock = None, Exclusive()

    def __call__(self, *arrays, **named):
        values = Signature(self.shapes, {}).bind(arrays, named, self.name)
        given = {
            part: as_array(value, part, ()) for part, value in zip(self.shapes, values, strict=True)
        }
        n = self._elements(given)
        if n == 0:
            return self._results({part: np.empty((0, *self.shapes[part])) for part in given})
        with self._lock:  # the memory of a scan serves one caller at a time
            columns = self._scan_of(n).columns
            for part, array in given.items():
                columns[part][...] = array.reshape(n, -1).T
            self._scan.run(self.threads or threads.available())
            found = {
                part: columns[part].T.reshape(n, *shape).copy()
                for part, shape in self.shapes.items()
            }
        return self._results(found)

    def _elements(self, given):
        """How many there are: as many of each part as of the first."""
        n = None
        for part, array in given.items():
            whole = array.ndim > 0 and array.shape[1:] == self.shapes[part]
            if not whole or n not in (None, len(array)):
                expected = ", ".join(map(str, ("n" if n is None else n, *self.shapes[part])))
                raise ArgumentError(f"{part}: expected shape ({expected}), found {array.shape}")
            n = len(array)
        return n

    def _scan_of(self, n):
        """Rows of one length mostly come one after another: memory is kept for the last."""
        if self._scan is None or self._scan.columns.elements != n:
            self._scan = Scan(self._operator, n, self.order)
        return self._scan

    def _results(self, found):
        return next(iter(found.values())) if len(found) == 1 else found

    def __repr__(self):
        shapes = ", ".join(
            f"{part}{['n', *shape]}".replace("'", "") for part, shape in self.shapes.items()
        )
        return f"<scan of {self.name}({shapes}), {self.order}>"


def compile_scan(identity, graph, order, work, thread_count):
    """The scan of a graph that glues two spans; machine code is made with the first row."""
    checked_options("float64", thread_count)
    return PrefixScan(identity, graph, order, work, thread_count)


def _parts(graph):
    """The shapes of the parts of a span: the outputs, of which there is a left and a right input
    each."""
    parts = {name: shape for name, (shape, _) in graph.outputs.items()}
    sides = {side + part: shape for side in (LEFT, RIGHT) for part, shape in parts.items()}
    for name, shape in sides.items():
        if name not in graph.inputs:
            raise ArgumentError(
                f"{graph.name}: expected an input {name} for the output "
                f"{name.split('_', 1)[1]}, found the inputs {tuple(graph.inputs)}"
            )
        if graph.inputs[name] != shape:
            raise ArgumentError(
                f"{graph.name}: the input {name} has shape {graph.inputs[name]}, but the output "
                f"{name.split('_', 1)[1]}, which becomes it, {shape}"
            )
    for name in graph.inputs:
        if name not in sides:
            raise ArgumentError(f"{graph.name}: the input {name} belongs to none of the outputs")
        if name in parts:
            raise ArgumentError(
                f"{graph.name}: {name} is an input and an output: rename the output"
            )
    return parts


def _function(graph):
    """The graph as a function of two dicts of parts."""

    def glue(left, right):
        given = {LEFT + part: value for part, value in left.items()}
        given |= {RIGHT + part: value for part, value in right.items()}
        results = splice(graph, [given[name] for name in graph.inputs])
        return dict(zip(graph.outputs, results, strict=True))

    return glue
