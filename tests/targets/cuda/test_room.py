"""Kernels that run out of room: of shared memory, or of registers, so that results come in parts.

The text is run on the CPU, against the interpreter.
"""

import numpy as np
import pytest
from support.cuda_on_cpu import CpuDevice, body_apart
from support.layouts import in_columns
from support.robots import random_robot, states

import paraxis as px
from paraxis.drivers.device_map import COLUMNS, ROWS
from paraxis.targets.cuda.map import CudaKernel
from paraxis.targets.cuda.text import map as text_module
from paraxis.targets.cuda.text.map import ROOM, map_text


def on_cpu(program, *identity):
    """A kernel of its own `identity`: the cache knows nothing of limits that a test has changed."""
    return CudaKernel(body_apart(program, *identity), on=CpuDevice())


def check_values(program, kernel, arrays, turned=False):
    """All of the results, and nothing beside them, in arrays that are full of NaN before."""
    expected = program.evaluate(**dict(zip(program.inputs, arrays, strict=True)))
    expected = expected if isinstance(expected, dict) else {"": expected}
    count = len(arrays[0])
    given = [in_columns(a.reshape(count, -1)).reshape(a.shape) if turned else a for a in arrays]
    fields = []
    for each in expected.values():
        shape = each.shape[1:]
        if turned:
            turn = (len(shape), *range(len(shape)))
            fields.append(np.full((*shape, count + 4), np.nan).transpose(turn))
        else:
            fields.append(np.full((count + 4, *shape), np.nan))
    places = tuple(field[2:-2] for field in fields)
    kernel(*given, out=places if len(places) > 1 else places[0])
    for field, place, theirs in zip(fields, places, expected.values(), strict=True):
        np.testing.assert_allclose(place, theirs, rtol=1e-10, atol=1e-10)
        assert np.isnan(field[[0, 1, -2, -1]]).all()


# -- shared memory -------------------------------------------------------------------------------


def many_results(outputs, entries):
    """So many rows of so many numbers."""

    def run(x):
        values = [v * (1.0 + k) for k in range(8) for v in x]
        return {
            f"y{j}": [values[(j + k) % len(values)] for k in range(entries)] for j in range(outputs)
        }

    return px.trace(run, x=3)


def many_inputs(entries):
    """Sums from both ends: all of a long row counts."""
    return px.trace(
        lambda x: [sum((x[k] for k in range(j, entries, 4)), 0.0) for j in range(4)], x=entries
    )


@pytest.mark.parametrize(
    "program",
    [many_results(10, 63), many_results(16, 100), many_inputs(2000)],
    ids=["ten rows of 63", "sixteen rows of 100", "an input of 2000"],
)
def test_rows_that_do_not_fit_in_shared_memory_are_computed_all_the_same(program):
    kernel = on_cpu(program)
    (entries,) = program.inputs["x"]
    layouts = (ROWS,) * len((*program.inputs, *program.outputs))
    assert all(each.shared <= ROOM for each in kernel.text(layouts).kernels)
    check_values(program, kernel, [np.random.default_rng(0).normal(size=(5, entries))])
    assert list(kernel._loaded) == [(layouts, 0, False)]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("entries", [130, 256, 333])
def test_long_rows_may_begin_anywhere_in_memory(dtype, entries):
    """They are written where memory begins, wherever rows do; beside them nothing is."""
    program = many_results(1, entries)
    kernel = CudaKernel(program, dtype, on=CpuDevice())
    x = np.random.default_rng(1).normal(size=(5, 3)).astype(dtype)
    expected = program.evaluate(x=x)
    for offset in range(0, 16, 4):  # else rows could not be copied in packets
        field = np.full(5 * entries + 32, np.nan, dtype)
        place = field[offset : offset + 5 * entries].reshape(5, entries)
        kernel(x, out=place)
        np.testing.assert_allclose(place, expected, rtol=1e-6)
        assert np.isnan(field[:offset]).all() and np.isnan(field[offset + 5 * entries :]).all()
    assert list(kernel._loaded) == [((ROWS, ROWS), 0, False)]


@pytest.mark.parametrize("dtype, fitting", [("float64", 192), ("float32", 384)])
def test_all_of_the_room_is_used_and_no_more(dtype, fitting):
    """An input in rows is copied by a warp together as long as a block has the memory."""

    def shared(entries):
        (kernel,) = map_text(many_inputs(entries).graph, (ROWS, COLUMNS), dtype).kernels
        return kernel.shared

    assert shared(fitting) == ROOM
    assert shared(fitting + 1) == 0


# -- registers -----------------------------------------------------------------------------------


@pytest.fixture
def few_registers(monkeypatch):
    """A machine with hardly any, for which computing twice is cheap."""
    monkeypatch.setattr(text_module, "MOST_VALUES", {"float64": 20, "float32": 20})
    monkeypatch.setattr(text_module, "DEAREST", 1e9)
    return monkeypatch


TREE = random_robot(8, joints=(3, 3))


def test_results_in_several_parts(few_registers):
    """Each part writes its own rows, and bad numbers in unused entries spoil all of them."""
    program = px.program(TREE, "inverse_dynamics_derivatives")
    assert program.graph.unused
    arrays = list(states(TREE, 5))
    for name, entries in program.graph.unused:
        arrays[list(program.inputs).index(name)][3, entries] = np.nan
    kernel = on_cpu(program, "in parts")
    for turned, layout in ((False, ROWS), (True, COLUMNS)):
        check_values(program, kernel, arrays, turned)
        kernels = kernel.loaded((layout,) * 5, states=5).kernels
        assert len(kernels) == 2
    assert len(kernel._loaded) == 2


def test_parts_that_would_compute_more_in_all_are_not_made(few_registers):
    graph = px.program(TREE, "inverse_dynamics_derivatives").graph
    several = map_text(graph, (ROWS,) * 5).kernels
    assert len({kernel.name for kernel in several}) == len(several) > 1
    few_registers.setattr(text_module, "DEAREST", 1.0)
    assert len(map_text(graph, (ROWS,) * 5).kernels) == 1
    few_registers.setattr(text_module, "DEAREST", 1e9)
    few_registers.setattr(text_module, "MOST_VALUES", {"float64": 1000})
    assert len(map_text(graph, (ROWS,) * 5).kernels) == 1


def test_compilers_are_told_of_long_and_of_wide_texts(monkeypatch):
    graph = many_inputs(300).graph
    assert map_text(graph, (ROWS, ROWS)).size == "usual"
    monkeypatch.setattr(text_module, "WIDE", 3)
    assert map_text(graph, (ROWS, ROWS)).size == "wide"
    monkeypatch.setattr(text_module, "LONG", len(graph.nodes) - 1)
    assert map_text(graph, (ROWS, ROWS)).size == "long"


# -- runs of zeros -------------------------------------------------------------------------------


def test_zeros_stay_loops_where_there_are_many_instructions(monkeypatch):
    graph = px.trace(lambda x: [x[0], *[0.0] * 20, x[1]], x=2).graph
    loop = "for (int zero = 0; zero < 20; zero++"
    text = map_text(graph, (COLUMNS, COLUMNS)).text
    assert text.count(loop) == 1 and f"#pragma unroll 4\n    {loop}" not in text
    monkeypatch.setattr(text_module, "COMPACT", 0)
    assert f"#pragma unroll 4\n    {loop}" in map_text(graph, (COLUMNS, COLUMNS)).text


def test_zeros_side_by_side():
    """At the beginning, in the middle, at the end, and too few for a loop."""
    program = px.trace(
        lambda x: [*[0.0] * 9, x[0], *[0.0] * 8, x[1], *[0.0] * 7, x[0] * x[1], *[0.0] * 10], x=2
    )
    kernel, x = on_cpu(program), np.random.default_rng(1).normal(size=(5, 2))
    text = kernel.text((COLUMNS, COLUMNS)).text
    for length in (9, 8, 10):
        assert text.count(f"for (int zero = 0; zero < {length}; zero++") == 1
    assert text.count("int zero = 0") == 3
    for turned in (False, True):
        check_values(program, kernel, [x], turned)
