"""A Body as JAX and PyTorch hold it: arrays by position, derivatives that are such again."""

from ..body import Body
from ..graph.graph import Graph
from ..graph.splice import splice
from ..graph.trace import trace
from ..programs import Program
from ..targets.cuda.remembered import Remembered
from ..targets.target import target_named


class Derivable(Body):
    """One for each Program and derivative that is asked for: they are compared by identity.

    Names and shapes are known before the graph is made: the jvp that `grad` passes through on the
    way to a vjp needs no graph, nor does code that is in the cache. `inputs` and `outputs` are
    lists of shapes.
    """

    name = inputs = outputs = None  # type: ignore[assignment]  # set below, not read off a graph
    may_have_lanes = False  # type: ignore[assignment]  # unless it is a function of a robot

    def __init__(self, name, inputs, outputs, make, *arguments, origin=None, tangents=()):
        super().__init__(make, *arguments)
        self.name, self.inputs, self.outputs = name, inputs, outputs
        self.origin = origin  # what it is a derivative of
        self.tangents = tangents  # of a jvp: of which inputs of the origin its last inputs are
        self._derived, self._kernels = {}, {}
        self.remembered = Remembered()  # calls on a GPU

    @classmethod
    def of(cls, program):
        inputs, outputs = list(program.inputs.values()), list(program.outputs.values())
        made = cls(program.name, inputs, outputs, _graph_of, program)
        function = Body(*program.recipe)
        made.may_have_lanes, made.lanes = function.may_have_lanes, function.lanes
        return made

    def with_new_axis_first(self, arrays, axes, move):
        """The inputs of a vmap: in arrays that have the mapped axis, `move(array, axis, 0)` puts it
        before all others, with room for the batch axes of the other arrays."""
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
        """The kernel on "cpu" or "cuda", made once."""
        if (target, dtype) not in self._kernels:
            self._kernels[target, dtype] = target_named(target).map(self, dtype)
        return self._kernels[target, dtype]

    def has_more_nodes_than(self, count):
        """Whether the graph is longer; a derivative is, if its origin is, and is then not made."""
        of_origin = self.origin is not None and self.origin.has_more_nodes_than(count)
        return of_origin or len(self.graph.nodes) > count

    def jvp(self, active):
        """Of (inputs, a tangent for each active input): the tangents of the outputs."""
        inputs = [*self.inputs, *(self.inputs[k] for k in active)]
        return self._derive("jvp", inputs, self.outputs, _jvp_graph, active, tangents=active)

    def vjp(self, active, used):
        """Of (inputs, a cotangent for each used output): the cotangents of the active inputs."""
        inputs = [*self.inputs, *(self.outputs[k] for k in used)]
        outputs = [self.inputs[k] for k in active]
        return self._derive("vjp", inputs, outputs, _vjp_graph, active, used)

    def _derive(self, what, inputs, outputs, make, *how, tangents=()):
        if (what, how) not in self._derived:
            name, origin = f"{self.name}_{what}", {"origin": self, "tangents": tangents}
            made = Derivable(name, inputs, outputs, make, self, *how, **origin)
            self._derived[what, how] = made
        return self._derived[what, how]

    def __repr__(self):
        return self.name


def _graph_of(program):
    return program.graph


def _jvp_graph(body, active):
    return Program.of(_positional(body.graph)).jvp([f"x{k}" for k in active]).graph


def _vjp_graph(body, active, used):
    graph = _positional(body.graph)
    outputs = {f"y{k}": graph.outputs[f"y{k}"] for k in used}
    program = Program.of(Graph(graph.inputs, outputs, {}, graph.name))
    return program.vjp([f"x{k}" for k in active]).graph


def _positional(graph):
    """The same with inputs x0, x1, ... and outputs y0, y1, ...: derivatives of derivatives then
    find no name taken."""
    inputs = {f"x{k}": shape for k, shape in enumerate(graph.inputs.values())}

    def run(**arrays):
        return {f"y{k}": value for k, value in enumerate(splice(graph, arrays.values()))}

    return trace(run, inputs, graph.name)
