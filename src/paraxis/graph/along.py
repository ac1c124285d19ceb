"""Derivatives along moves, and second derivatives.

Some arrays are points of a curved space: the four numbers of a quaternion do not change each by
itself. A move is a graph of (x, v) -> where x is after the velocity v, which is x itself at v = 0.
The derivative of f along it is that of v -> f(move(x, v)) at v = 0: it has a column for each entry
of v. The second derivative is that of the same function, so it is symmetric. It is not the
derivative along a move of a derivative along a move, which depends on the order of the two.
"""

from ..checks import one_of
from ..errors import ArgumentError
from .derivative import jacobian
from .graph import Graph, size
from .splice import splice
from .trace import trace


def jacobian_along(graph, wanted, moves):
    """The graph of derivatives. `wanted` maps a new name to (output, input) names.

    Derivatives by the inputs named in `moves` are along these graphs, others are by entries.
    """
    over = {name: (output, _velocity(x, moves)) for name, (output, x) in wanted.items()}
    return _unmoved(jacobian(_moved(graph, moves), over), graph.inputs, moves)


def hessian_along(graph, wanted, moves):
    """The graph of second derivatives. `wanted` maps a new name to (output, input, input) names."""
    over = {
        name: (output, *(_velocity(x, moves) for x in inputs))
        for name, (output, *inputs) in wanted.items()
    }
    first = jacobian(
        _moved(graph, moves), {f"{output}, {x}": (output, x) for output, x, _ in over.values()}
    )
    second = jacobian(first, {name: (f"{output}, {x}", y) for name, (output, x, y) in over.items()})
    outputs = {
        name: _mirrored(second, name, size(second.inputs[x])) if x == y else second.outputs[name]
        for name, (_, x, y) in over.items()
    }
    return _unmoved(Graph(second.inputs, outputs, {}, graph.name), graph.inputs, moves)


def check_moves(graph, moves):
    """Are these graphs of moves of inputs of the graph? Otherwise an ArgumentError."""
    for name, move in moves.items():
        one_of(name, graph.inputs, "along")
        shape, given = graph.inputs[name], [*move.inputs.values()]
        results = [result for result, _ in move.outputs.values()]
        if len(given) != 2 or given[0] != shape or results != [shape]:
            raise ArgumentError(
                f"along: {name} has shape {shape} and needs a Program of ({name}, v) that returns "
                f"{name} after a move, such as px.program(robot, 'integrate'); found {move.name} "
                f"of shapes {given} that returns {results}"
            )


def _velocity(name, moves):
    """The input that derivatives are by: its own name, which no caller can have given, if moved."""
    return f"velocity of {name}" if name in moves else name


def _moved(graph, moves):
    """The graph with inputs moved; their velocities are further inputs."""
    if not moves:
        return graph
    inputs = dict(graph.inputs)
    for name, move in moves.items():
        _, inputs[_velocity(name, moves)] = move.inputs.values()

    def run(**arrays):
        values = {name: arrays[name] for name in graph.inputs}
        for name, move in moves.items():
            (values[name],) = splice(move, (values[name], arrays[_velocity(name, moves)]))
        return dict(zip(graph.outputs, splice(graph, values.values()), strict=True))

    return trace(run, inputs, graph.name)


def _unmoved(graph, inputs, moves):
    """The graph at velocity zero, of the other inputs."""
    if not moves:
        return graph
    still = [_zeros(shape) for name, shape in graph.inputs.items() if name not in inputs]

    def run(**arrays):
        results = splice(graph, (*arrays.values(), *still))
        return dict(zip(graph.outputs, results, strict=True))

    return trace(run, inputs, graph.name)


def _zeros(shape):
    return [_zeros(shape[1:]) for _ in range(shape[0])] if shape else 0.0


def _mirrored(graph, name, width):
    """An output, second derivatives by `width` entries twice, with each pair of them made once."""
    shape, nodes = graph.outputs[name]
    pairs = [(i, j) for i in range(width) for j in range(width)]
    rows = range(0, len(nodes), width * width)
    return shape, tuple(nodes[k + min(p) * width + max(p)] for k in rows for p in pairs)
