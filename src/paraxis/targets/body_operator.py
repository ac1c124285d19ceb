"""A Body as a combine operator: outputs x, y, ... are glued from left_x, right_x, left_y, ..."""

from functools import partial

from ..drivers.map import Signature
from ..errors import ArgumentError
from ..graph.splice import splice
from .operator import Operator

LEFT, RIGHT = "left_", "right_"


class BodyOperator(Operator):
    """The operator that a Body is, for a scan over arrays (n, ...) of each part."""

    def __init__(self, body, on):
        super().__init__(body.name, partial(_glue, body), _parts(body.graph), on)
        self._title = body.name

    def given(self, arrays, named):
        """What a caller gave, by part."""
        values = Signature(self.shapes, {}).bind(arrays, named, self._title)
        return dict(zip(self.shapes, values, strict=True))

    def elements(self, given):
        """How many there are: as many of each part as of the first."""
        n = None
        for part, array in given.items():
            whole = array.ndim > 0 and array.shape[1:] == self.shapes[part]
            if not whole or n not in (None, len(array)):
                expected = ", ".join(map(str, ("n" if n is None else n, *self.shapes[part])))
                raise ArgumentError(f"{part}: expected shape ({expected}), found {array.shape}")
            n = len(array)
        return n

    def __str__(self):
        shapes = ", ".join(
            f"{part}{['n', *shape]}".replace("'", "") for part, shape in self.shapes.items()
        )
        return f"{self._title}({shapes})"


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
                f"{name.split('_', 1)[1]}, which becomes it, has shape {shape}"
            )
    for name in graph.inputs:
        if name not in sides:
            raise ArgumentError(f"{graph.name}: the input {name} has no output of the same part")
        if name in parts:
            raise ArgumentError(
                f"{graph.name}: {name} is an input and an output; rename the output"
            )
    return parts


def _glue(body, left, right):
    """The Body as a function of two dicts of parts."""
    given = {LEFT + part: value for part, value in left.items()}
    given |= {RIGHT + part: value for part, value in right.items()}
    results = splice(body.graph, [given[name] for name in body.graph.inputs])
    return dict(zip(body.graph.outputs, results, strict=True))
