"""Long bodies, which are compiled as several functions."""

import re

import numpy as np
import pytest
from support.bits import same_bits
from support.processes import python
from support.robots import relative_error

import paraxis as px
from paraxis.targets.cpu import host
from paraxis.targets.cpu.text import map as loop

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.mark.parametrize("most", [1, 3, 7])
def test_a_long_body_is_several_functions_with_the_same_bits(most, monkeypatch):
    """Where a straight line is cut changes nothing but the time it takes to compile."""
    from paraxis.targets.cpu.map import assembly_source, lanes_of, load_kernel
    from paraxis.targets.cpu.text import body

    def several(x, y):
        less = px.math.less(x[0], y[0])
        return {
            "a": [px.math.select(less, x[1], y[1]) + px.math.sin(x[0])],
            "b": [x[0], less, y[0] * y[1]],
        }

    for traced in (px.program(px.load("stanford")), px.trace(several, x=2, y=2)):
        graph, lanes = traced.graph, lanes_of("float64")
        description = {
            "name": "cut",
            "dtype": "float64",
            "inputs": traced.inputs,
            "outputs": traced.outputs,
            "lanes": lanes.count,
            "work": 100,
            "entry": len(traced.outputs) == 1,
        }
        whole = traced.compile()
        monkeypatch.setattr(body, "MOST_LINES", most)
        source = assembly_source(graph, lanes, 100)
        monkeypatch.undo()
        assert source.count("define internal void @body.") > 1
        cut = load_kernel(description, host.compile_object(source))
        rng = np.random.default_rng(most)
        batch = [rng.uniform(-2, 2, (37, *shape)) for shape in traced.inputs.values()]
        for arrays in (batch, [np.asfortranarray(a) for a in batch], [a[3] for a in batch]):
            expected, found = whole(*arrays), cut(*arrays)
            if len(traced.outputs) == 1:
                expected, found = (expected,), (found,)
            for x, y in zip(expected, found, strict=True):
                np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("most", [60, 300, 4000])
@pytest.mark.parametrize("function", ["inverse_dynamics", "mass_matrix_inverse", "frame_poses"])
def test_every_body_keeps_within_its_frame(monkeypatch, function, most):
    """Bodies are cut in other places for rows, blocks and one state, and keep other values."""
    from paraxis.targets.cpu.map import assembly_source, lanes_of
    from paraxis.targets.cpu.text import body

    monkeypatch.setattr(body, "MOST_LINES", most)
    lanes = lanes_of("float64")
    source = assembly_source(px.program(px.robots.chain(12), function).graph, lanes, 100)
    given = int(re.search(r"%block0 = getelementptr i8, ptr %memory, i64 (\d+)", source)[1])
    one = int(re.search(r"%frame = alloca \[(\d+) x double\]", source)[1])
    room = dict.fromkeys(("body", "body_rows", "body_rows_far"), given) | {"body_one": 8 * one}
    vector = dict.fromkeys(room, 8 * lanes.count) | {"body_one": 8}
    kept = 0
    for name, text in re.findall(r"define internal void @(\w+)\.\d+\((.*?)\n}", source, re.DOTALL):
        for offset in map(int, re.findall(r"ptr %frame, i64 (\d+)", text)):
            assert offset + vector[name] <= room[name]
            kept += 1
    assert kept or most == 4000


@pytest.mark.parametrize(
    ("function", "near"),
    [
        ("inverse_dynamics", 0),
        pytest.param("mass_matrix_inverse", 1 << 40, marks=pytest.mark.long),
        pytest.param("inverse_dynamics", 1 << 40, marks=pytest.mark.long),
        pytest.param("mass_matrix_inverse", 0, marks=pytest.mark.long),
    ],
)
def test_long_bodies_compute_in_every_way(function, near, monkeypatch):
    monkeypatch.setattr(loop, "NEAR_BYTES", near)
    monkeypatch.setenv("PARAXIS_CACHE", "off")
    program = px.program(px.robots.chain(16 if function == "mass_matrix_inverse" else 60), function)
    kernel, rng = program.compile(), np.random.default_rng(0)
    batch = [rng.uniform(-1, 1, (19, *shape)) for shape in program.inputs.values()]
    alone = np.array([kernel(*(array[k] for array in batch)) for k in range(19)])
    assert same_bits(kernel(*batch), alone)
    assert same_bits(kernel(*map(np.asfortranarray, batch)), alone)
    state = dict(zip(program.inputs, (array[3] for array in batch), strict=True))
    assert relative_error(alone[3], program.evaluate(**state)) < 1e-11


@pytest.mark.long
def test_a_state_of_many_entries_does_not_need_a_large_stack():
    source = """
        import numpy as np, paraxis as px, threading
        threading.stack_size(256 * 1024)
        kernel = px.trace(lambda x: sum(x), x=20000).compile(threads=1)
        found = []
        work = threading.Thread(target=lambda: found.append(kernel(np.ones((50, 20000)))))
        work.start()
        work.join()
        print((found[0] == 20000).all())
    """
    done = python(source)
    assert done.stdout == "True\n", done.stderr
