"""What threads of a warp do together: rows of all lengths, wherever they begin, by warps of any
number of states. The text is run on the CPU, against the interpreter."""

import sys

import numpy as np
import pytest
from support.cuda_on_cpu import body_apart
from support.cuda_warps import WarpDevice, placed
from support.robots import random_robot, states

import paraxis as px
from paraxis.drivers.device_map import ROWS
from paraxis.targets.cuda.map import CudaKernel
from paraxis.targets.cuda.text import map as text_module

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's memory maps")
STATES = (3, 33, 97)


def of_lengths(*lengths, zeros=()):
    """A Program with rows of these lengths, some entries of the first of which are zero."""

    def run(x):
        values = [v * (1.0 + k) + k for k in range(7) for v in x]
        rows = [[values[(j + k) % len(values)] for k in range(n)] for j, n in enumerate(lengths)]
        rows[0] = [0.0 if k in zeros else value for k, value in enumerate(rows[0])]
        return {f"y{j}": row for j, row in enumerate(rows)}

    return px.trace(run, x=5)


def check(program, arrays, dtype, identity=()):
    """All of the results, nothing beside them, for rows that begin at any multiple of 16 bytes."""
    kernel = CudaKernel(body_apart(program, *identity), dtype, on=WarpDevice())
    for count, offset in zip(STATES, (0, 16, 48), strict=True):
        given = [np.ascontiguousarray(a[:count], dtype) for a in arrays]
        expected = program.evaluate(**dict(zip(program.inputs, given, strict=True)))
        expected = list(expected.values()) if isinstance(expected, dict) else [expected]
        places, fields = zip(*(placed(each.shape, dtype, offset) for each in expected), strict=True)
        kernel(*given, out=places if len(places) > 1 else places[0])
        for place, field, theirs in zip(places, fields, expected, strict=True):
            np.testing.assert_allclose(place, theirs, rtol=2e-5, atol=2e-5)
            assert np.isnan(field).sum() == field.size - place.size
    assert all(set(layouts) == {ROWS} for layouts, *_ in kernel._loaded)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "program",
    [
        of_lengths(333, zeros=range(40, 63)),
        of_lengths(129, 257, 70),
        of_lengths(33, 32, 128, 448),
        of_lengths(16, 64),
    ],
    ids=["one row", "three rows", "four rows", "banks"],
)
def test_rows(program, dtype):
    check(program, [np.random.default_rng(3).normal(size=(97, 5))], dtype)


def test_parts_of_results_that_begin_anywhere(monkeypatch):
    monkeypatch.setattr(text_module, "MOST_VALUES", {"float64": 20})
    monkeypatch.setattr(text_module, "DEAREST", 1e9)
    robot = random_robot(4, (6, 6))
    program = px.program(robot, "inverse_dynamics_derivatives")
    assert len(text_module.map_text(program.graph, (ROWS,) * 5).kernels) > 1
    check(program, states(robot, 97), "float64", identity=("in parts",))
