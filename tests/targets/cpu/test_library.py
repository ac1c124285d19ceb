"""A library of machine code to link with."""

import ctypes
import shutil

import numpy as np
import pytest
from support.exported import (
    COUNT,
    TOLERANCE,
    c_call,
    error,
    interpreted,
    needs,
    pointer,
    program_of,
    robot_of,
    shell,
)
from support.robots import states

import paraxis as px
from paraxis.targets.cpu import host, library
from paraxis.targets.cpu.text import job


def linked(program, folder, dtype="float64", cpu=None):
    needs("library")
    path = folder / f"f{next(COUNT)}.o"
    path.write_bytes(library.object_code(program.graph, "f", dtype, cpu))
    shell(f"cc -shared -o {path.with_suffix('.so')} {path} -lm")
    return path.with_suffix(".so")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["puma560", "random1", "shapes"])
def test_a_library_computes_the_same(name, dtype, tmp_path):
    rng = np.random.default_rng(0)
    program = px.trace(lambda a, b: {"x": [a * b[0], b[1]], "y": px.math.atan2(b[2], a)}, a=(), b=3)
    program = program if name == "shapes" else program_of(name)
    call = c_call(program, ctypes.CDLL(str(linked(program, tmp_path, dtype))), dtype)
    for count in (1, 3, 37):
        arrays = [rng.uniform(-2, 2, (count, *s)).astype(dtype) for s in program.inputs.values()]
        assert error(call(*arrays), interpreted(program, *arrays)) < TOLERANCE[dtype]


def test_results_of_a_library_may_go_where_inputs_lie(tmp_path):
    program, arrays = program_of("puma560"), states(robot_of("puma560"), 19)
    code = ctypes.CDLL(str(linked(program, tmp_path)))
    expected = interpreted(program, *arrays)
    for which in range(3):
        given = [array.copy() for array in arrays]
        one = [array[0].copy() for array in arrays]
        code.f_batch(ctypes.c_size_t(19), *map(pointer, [*given, given[which]]))
        code.f(*map(pointer, [*one, one[which]]))
        assert error([given[which]], expected) < 1e-12
        np.testing.assert_array_equal(one[which], given[which][0])


def test_a_library_of_no_states_does_nothing(tmp_path):
    program = program_of("puma560")
    ctypes.CDLL(str(linked(program, tmp_path))).f_batch(ctypes.c_size_t(0), *[None] * 4)


def test_a_library_needs_no_python(tmp_path):
    path = linked(program_of("puma560"), tmp_path)
    if shutil.which("nm") is None:
        pytest.skip("there is no nm here")
    symbols = [line.split()[-2:] for line in shell(f"nm -D {path}").splitlines()]
    defined = {name for kind, name in symbols if kind in "TDBR"}
    wanted = {name.split("@")[0] for kind, name in symbols if kind == "U"}
    assert defined == {"f", "f_batch"}
    assert wanted <= {"sin", "cos", "malloc", "free"}


def test_a_library_without_memory_goes_state_by_state(tmp_path, monkeypatch):
    """When there is none for the scratch of vectors. A program's own malloc comes first."""
    monkeypatch.setattr(job, "MOST_STACK", 0)
    program = program_of("puma560")
    assert "call ptr @malloc" in library.assembly_source(program.graph, "f")
    path = linked(program, tmp_path)
    q = ", ".join(["0.5"] * 18)
    (tmp_path / "main.c").write_text(
        f"""#include <stddef.h>
        void f(const double *, const double *, const double *, double *);
        void f_batch(size_t, const double *, const double *, const double *, double *);
        static int asked;
        void *malloc(size_t size) {{ (void)size; asked++; return NULL; }}
        int main(void)
        {{
            static const double x[18] = {{{q}}};
            double one[6], many[18];
            f(x, x, x, one);
            asked = 0;
            f_batch(3, x, x, x, many);
            for (int k = 0; k < 18; k++)
                if (many[k] != one[k % 6]) return 1;
            return asked == 1 ? 0 : 2;
        }}"""
    )
    shell(f"gcc -O0 -fno-builtin -o main main.c {path} -lm", "./main", folder=tmp_path)


def test_a_library_for_any_cpu_of_a_level(tmp_path):
    if not host.features().get("avx2"):
        pytest.skip("this CPU is below that level")
    program = program_of("puma560")
    text = library.assembly_source(program.graph, "f", cpu="x86-64-v3")
    assert "<4 x double>" in text and "<8 x double>" not in text
    path = linked(program, tmp_path, cpu="x86-64-v3")
    arrays = states(robot_of("puma560"), 9)
    found = c_call(program, ctypes.CDLL(str(path)), "float64")(*arrays)
    assert error(found, interpreted(program, *arrays)) < 1e-12
    if shutil.which("objdump"):
        assert "zmm" not in shell(f"objdump -d {path}")
    with pytest.raises(px.ArgumentError, match="x86-64-v3.*found 'pentium'"):
        library.object_code(program.graph, "f", cpu="pentium")


def test_names_inside_a_library_are_refused():
    with pytest.raises(px.ArgumentError, match="'run' is reserved by the library"):
        library.assembly_source(program_of("puma560").graph, "run")
