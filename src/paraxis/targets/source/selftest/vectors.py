"""States with known results, which self-tests compare with."""

from dataclasses import dataclass

import numpy as np

from ....errors import ProgramError
from ....graph.evaluate import evaluate
from ....graph.operations import OPS

STATES = 9  # one more than fill a vector of eight
TOLERANCE = {"float64": 1e-9, "float32": 1e-4}  # of the error that the tests print
ROUNDED = 2.0**18  # times what rounding leaves of an entry: so much is large beside it
SMALLEST = float(np.finfo(np.float32).tiny)  # the size of an entry that is always zero


@dataclass(frozen=True)
class Vectors:
    """Arrays (states, *shape), as the interpreter computes them from states of that dtype."""

    inputs: list
    outputs: list
    sizes: list  # of each output, (*shape): differences are shares of them
    tolerance: float

    @property
    def states(self):
        return len(self.outputs[0])


def vectors(graph, dtype="float64"):
    """A few random states, the same ones every time.

    Of those drawn, the ones are kept whose results a small change of the inputs moves least:
    what a test should find is an error of the code, not a state where any code is inaccurate.
    """
    rng, drawn = np.random.default_rng(0), 2 * STATES
    given = {
        name: rng.uniform(-2, 2, (drawn, *shape)).astype(dtype).astype(float)
        for name, shape in graph.inputs.items()
    }
    results = _results(graph, given, drawn)
    nearby = _results(graph, {name: array * (1 + 1e-7) for name, array in given.items()}, drawn)
    moved = np.max([_error(*pair) for pair in zip(nearby, results, strict=True)], axis=0)
    kept = np.argsort(moved)[: min(STATES, np.isfinite(moved).sum())]  # NaN is sorted last
    if not kept.size:
        raise ProgramError(
            f"{graph.name}: results are not finite at any random state, so there is no self-test"
        )
    inputs = {name: array[kept] for name, array in given.items()}
    outputs = [array[kept] for array in results]
    rough = _in_float32(graph, inputs, len(kept))
    sizes = [_sizes(*pair) for pair in zip(outputs, rough, strict=True)]
    return Vectors([*inputs.values()], outputs, sizes, TOLERANCE[dtype])


def _sizes(expected, rough):
    """What is large for each entry of an output, (*shape), over all states.

    That is its largest value: the entries of a finger's mass matrix are small, and each is compared
    with its like. But an entry that is a small difference of large numbers, perhaps a zero but for
    rounding, is no better than what rounding to float32 leaves of it.
    """
    off = abs(rough - expected).max(axis=0) * ROUNDED
    return np.maximum(abs(expected).max(axis=0), np.where(np.isfinite(off), off, 0.0)) + SMALLEST


def _in_float32(graph, given, states):
    """The output arrays (states, *shape), with every operation rounded to float32."""
    outputs = [np.empty((states, *shape)) for shape, _ in graph.outputs.values()]
    for state in range(states):
        values = {}
        for node in graph.nodes:
            if node.op == "const":
                value = node.value
            elif node.op == "input":
                name, k = node.value
                value = given[name][state].flat[k]
            else:
                value = OPS[node.op].meaning(*(values[a.index] for a in node.args))
            with np.errstate(over="ignore"):
                values[node.index] = float(np.float32(value))
        for array, (shape, nodes) in zip(outputs, graph.outputs.values(), strict=True):
            array[state] = np.reshape([values[node.index] for node in nodes], shape)
    return outputs


def _results(graph, given, drawn):
    """The output arrays (drawn, *shape), also of a graph without inputs."""
    computed = evaluate(graph, given).values()
    shapes = [shape for shape, _ in graph.outputs.values()]
    return [np.broadcast_to(a, (drawn, *s)) for a, s in zip(computed, shapes, strict=True)]


def _error(found, expected):
    """max|difference| of each state, over the largest that any state expects."""
    found, expected = (array.reshape(len(array), -1) for array in (found, expected))
    largest = abs(expected[np.isfinite(expected)]).max(initial=0.0)
    with np.errstate(invalid="ignore"):
        return abs(found - expected).max(axis=1) / (largest or 1.0)
