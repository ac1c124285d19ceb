"""A Program as JAX and PyTorch hold it: arrays by position, derivatives that are such again."""

from functools import cached_property

from ..graph.graph import Graph
from ..graph.splice import splice
from ..graph.trace import trace
from ..programs import Program, work
from ..targets.cpu.map import compile_kernel


class Body:
    """One for each Program and derivative that is asked for: they are compared by identity.

    Graphs are made when they are needed: what `grad` passes through on the way to a vjp is not,
    and what is in the cache of compiled code is not either.
    """

    def __init__(self, name, identity, inputs, outputs, make_graph, origin=None, tangents=()):
        self.name, self.identity, self.inputs, self.outputs = name, identity, inputs, outputs
        self.origin = origin  # what it is a derivative of
        self.tangents = tangents  # of a jvp: of which inputs of the origin its last inputs are
        self._make_graph, self._derived, self._kernels = make_graph, {}, {}

    @classmethod
    def of(cls, program):
        inputs, outputs = list(program.inputs.values()), list(program.outputs.values())
        identity = program._identified
        return cls(program.name, identity, inputs, outputs, lambda: program.graph)

    @cached_property
    def graph(self):
        return self._make_graph()

    def with_new_axis_first(self, arrays, axes, move):
        """The inputs of a vmap, as `move(array, axis, 0)` makes them: its axis, of those that have
        one, goes before all others, with room for those of the other arrays."""
        ranks = [
            array.ndim - len(shape) - (axis is not None)
            for array, axis, shape in zip(arrays, axes, self.inputs, strict=True)
        ]
        moved = []
        for array, axis, rank in zip(arrays, axes, ranks, strict=True):
            if axis is not None:
                array = move(array, axis, 0)
                missing = (1,) * (max(ranks) - rank)
                array = array.reshape(array.shape[0], *missing, *array.shape[1:])
            moved.append(array)
        return moved

    def kernel(self, target, dtype):
        """Machine code for "cpu" or "cuda", made once."""
        if (target, dtype) not in self._kernels:
            given = self.identity, lambda: self.graph
            if target == "cpu":
                kernel = compile_kernel(*given, work, dtype)
            else:
                from ..targets.cuda.map import CudaKernel  # here, because few have a GPU

                kernel = CudaKernel(*given, dtype)
            self._kernels[target, dtype] = kernel
        return self._kernels[target, dtype]

    def has_more_nodes_than(self, count):
        """A derivative has more than what it is derived from, which may spare making it."""
        of_origin = self.origin is not None and self.origin.has_more_nodes_than(count)
        return of_origin or len(self.graph.nodes) > count

    def jvp(self, active):
        """Of (inputs, a tangent for each active input): the tangents of the outputs."""

        def make():
            return Program(_positional(self.graph)).jvp([f"x{k}" for k in active]).graph

        inputs = [*self.inputs, *(self.inputs[k] for k in active)]
        return self._derive("jvp", active, inputs, self.outputs, make, active)

    def vjp(self, active, used):
        """Of (inputs, a cotangent for each used output): the cotangents of the active inputs."""

        def make():
            graph = _positional(self.graph)
            outputs = {f"y{k}": graph.outputs[f"y{k}"] for k in used}
            program = Program(Graph(graph.inputs, outputs, {}, graph.name))
            return program.vjp([f"x{k}" for k in active]).graph

        inputs = [*self.inputs, *(self.outputs[k] for k in used)]
        outputs = [self.inputs[k] for k in active]
        return self._derive("vjp", (active, used), inputs, outputs, make)

    def _derive(self, what, key, inputs, outputs, make, tangents=()):
        if (what, key) not in self._derived:
            name, identity = f"{self.name}_{what}", f"{self.identity} {what} {key}"
            self._derived[what, key] = Body(name, identity, inputs, outputs, make, self, tangents)
        return self._derived[what, key]

    def __repr__(self):
        return self.name


def _positional(graph):
    """The same with inputs x0, x1, ... and outputs y0, y1, ...: derivatives of derivatives then
    find no name taken."""
    inputs = {f"x{k}": shape for k, shape in enumerate(graph.inputs.values())}

    def run(**arrays):
        return {f"y{k}": value for k, value in enumerate(splice(graph, arrays.values()))}

    return trace(run, inputs, graph.name)
