"""States with known results, which self-tests compare with."""

from dataclasses import dataclass

import numpy as np

from ...errors import ProgramError
from ...graph.evaluate import evaluate

STATES = 9  # one more than fill a vector of eight
TOLERANCE = {"float64": 1e-9, "float32": 1e-4}  # of the error that the tests print


@dataclass(frozen=True)
class Vectors:
    """Arrays (states, *shape), as the interpreter computes them from states of that dtype."""

    inputs: list
    outputs: list
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
        raise ProgramError(f"{graph.name}: expected finite results at some random states")
    inputs = [array[kept] for array in given.values()]
    return Vectors(inputs, [array[kept] for array in results], TOLERANCE[dtype])


def _results(graph, given, drawn):
    """The output arrays (drawn, *shape), also of a graph without inputs."""
    computed = evaluate(graph, given).values()
    shapes = [shape for shape, _ in graph.outputs.values()]
    return [np.broadcast_to(a, (drawn, *s)) for a, s in zip(computed, shapes, strict=True)]


def _error(found, expected):
    """max|difference| / max(1, max|expected|) of each state."""
    found, expected = (array.reshape(len(array), -1) for array in (found, expected))
    with np.errstate(invalid="ignore"):
        return abs(found - expected).max(axis=1) / np.maximum(1, abs(expected).max(axis=1))
