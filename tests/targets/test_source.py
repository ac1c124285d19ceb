"""Exported source and libraries against the interpreter, which says what a Program means.

Every language is compiled with its warnings as errors and called on arrays; CUDA by a plain C++
compiler, with a few macros in front. Then the texts themselves, names of every kind, long
bodies, and `paraxis export` with the commands it prints. A missing compiler skips its language.
"""

import ctypes
import itertools
import math
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.robots import random_robot, states
from support.swing import swing

import paraxis as px
from paraxis import api
from paraxis.cli import main as cli
from paraxis.cli.export import LANGUAGES, export
from paraxis.graph.graph import Graph
from paraxis.graph.node import Builder
from paraxis.graph.operations import LEAVES, OPS
from paraxis.passes.pieces import cut, frame_places, frame_size
from paraxis.targets.cpu import host, library
from paraxis.targets.cpu.text import job
from paraxis.targets.source import c, files, fortran, python
from paraxis.targets.source import text as source

SOURCES = ("c", "cuda", "fortran", "python")
NATIVE = ("c", "cuda", "fortran")
COMPILERS = {"c": "gcc", "cuda": "g++", "fortran": "gfortran", "library": "cc"}
FLAGS = {
    "c": "-std=c99 -pedantic -Wall -Wextra -Werror -Wmissing-prototypes",
    "cuda": "-x c++ -std=c++11 -pedantic -Wall -Wextra -Werror",
    "fortran": "-std=f2008 -pedantic -Wall -Wextra -Werror",
}
ENDINGS = {"c": "c", "cuda": "cu", "fortran": "f90"}
ELEMENTS = {"float64": ctypes.c_double, "float32": ctypes.c_float}
TOLERANCE = {"float64": 1e-12, "float32": 1e-4}
HOSTILE = (
    'arm */ int x; /* "quoted" \'\'\' """',
    "line\nend\r\x0b\x0c\u2028\u2029 \\",
    "??/ trigraph, backslash at the end \\",
    "// \\\n!$omp parallel\n#error no\n!dir$ x &",
    "# coding: utf-7\n%s %n {0} {name}",
    "\u202eright to left, \udcff, caf\u00e9 \U0001f916",
    "",
    "7dof",
    "x" * 500,
)


def needs(language):
    compiler = COMPILERS.get(language)
    if compiler and shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler} here")


def shell(*commands, folder=None):
    """Run commands one after another; what the last one printed, or a failure with the errors."""
    for command in commands:
        words = shlex.split(command) if isinstance(command, str) else command
        words = [sys.executable if word == "python" else word for word in words]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


# -- calling exported source -----------------------------------------------------------------------


def text_of(program, language, name="f", dtype="float64"):
    if language == "python":
        return program.to_python(name)
    return getattr(program, f"to_{language}")(name, dtype)


def compiled(program, language, folder, dtype="float64", compiler=None, optimise="-O1"):
    """A function of arrays (states, *shape), one for each input, that returns one a result."""
    needs(language)
    text = text_of(program, language, dtype=dtype)
    if language == "python":
        return python_call(program, text)
    if language == "cuda":
        text = CUDA_SHIM + text + CUDA_BLOCK
    if language == "c":  # its prototypes first, as its header has them
        text = text.replace("#include <stddef.h>", c.header(program.graph, "f", dtype))
    path = folder / f"f{next(COUNT)}.{ENDINGS[language]}"
    path.write_text(text, encoding="ascii")
    library = path.with_suffix(".so")
    shell(
        f"{compiler or COMPILERS[language]} {FLAGS[language]} {optimise} -shared -fPIC "
        f"-o {library} {path.name} -lm",
        folder=folder,
    )
    return {"c": c_call, "cuda": cuda_call, "fortran": fortran_call}[language](
        program, ctypes.CDLL(str(library)), dtype
    )


COUNT = itertools.count()
CUDA_SHIM = """
#include <math.h>
#define __device__
#define __global__
#define __noinline__
#define sincos(x, s, c) (*(s) = sin(x), *(c) = cos(x))
#define sincosf(x, s, c) (*(s) = sinf(x), *(c) = cosf(x))
static struct { unsigned x; } threadIdx, blockIdx, blockDim = {1};
"""
CUDA_BLOCK = 'extern "C" void set_block(unsigned k) { blockIdx.x = k; }\n'


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


def rooms(program, count, dtype):
    return [np.full((count, *shape), 7.0, dtype) for shape in program.outputs.values()]


def c_call(program, code, dtype):
    """One state at a time and as a batch, which must be the same."""

    def call(*arrays):
        count = len(arrays[0]) if arrays else 1
        arrays = [np.ascontiguousarray(array, dtype) for array in arrays]
        together, alone = rooms(program, count, dtype), rooms(program, count, dtype)
        code.f_batch(ctypes.c_size_t(count), *map(pointer, [*arrays, *together]))
        for k in range(count):
            code.f(*(pointer(array[k : k + 1]) for array in [*arrays, *alone]))
        for one, other in zip(together, alone, strict=True):
            np.testing.assert_array_equal(one, other)
        return together

    return call


def cuda_call(program, code, dtype):
    """By columns of entries, as GPUs like them."""

    def call(*arrays):
        count = len(arrays[0]) if arrays else 1
        given = [np.asarray(array, dtype).reshape(count, -1).T.copy() for array in arrays]
        results = [room.reshape(count, -1).T.copy() for room in rooms(program, count, dtype)]
        words = []
        for array in (*given, *results):
            words += [pointer(array), ctypes.c_longlong(count), ctypes.c_longlong(1)]
        for k in range(count + 1):  # the last thread has no state
            code.set_block(k)
            code.f_batch(ctypes.c_longlong(count), *words)
        shapes = program.outputs.values()
        return [a.T.reshape(count, *shape) for a, shape in zip(results, shapes, strict=True)]

    return call


def fortran_call(program, code, dtype):
    """As gfortran names and passes things; states are the last dimension."""

    def call(*arrays):
        count = len(arrays[0]) if arrays else 1
        given = [np.asfortranarray(np.moveaxis(np.asarray(a, dtype), 0, -1)) for a in arrays]
        results = [
            np.asfortranarray(np.moveaxis(room, 0, -1)) for room in rooms(program, count, dtype)
        ]
        states = ctypes.c_int(count)
        code.__getattr__("__f_module_MOD_f_batch")(
            ctypes.byref(states), *map(pointer, [*given, *results])
        )
        return [np.moveaxis(array, -1, 0) for array in results]

    return call


def python_call(program, text):
    space = {}
    exec(compile(text, "f.py", "exec"), space)

    def call(*arrays):
        count = len(arrays[0]) if arrays else 1
        rows = [space["f"](*(array[k].tolist() for array in arrays)) for k in range(count)]
        if len(program.outputs) == 1:
            rows = [(row,) for row in rows]
        return [np.array(each, float) for each in zip(*rows, strict=True)]

    return call


def interpreted(program, *arrays):
    found = program.evaluate(**dict(zip(program.inputs, arrays, strict=True)))
    found = found if isinstance(found, dict) else {"result": found}
    return list(found.values()) if arrays else [np.asarray(each)[None] for each in found.values()]


def error(found, expected):
    """max|d| / max(1, max|expected|) a state, the worst of all outputs."""
    worst = 0.0
    for a, b in zip(found, expected, strict=True):
        assert a.shape == b.shape
        a, b = a.reshape(len(a), -1).astype(float), b.reshape(len(b), -1)
        worst = max(worst, (abs(a - b).max(1) / np.maximum(1, abs(b).max(1))).max())
    return worst


# -- the same numbers ------------------------------------------------------------------------------


@cache
def robot_of(name):
    if name.startswith("random"):
        return random_robot(int(name[6:]), joints=(5, 8))
    return px.load(name)


@cache
def program_of(name):
    return px.program(robot_of(name))


@pytest.mark.parametrize("language", SOURCES)
@pytest.mark.parametrize("name", ["puma560", "stanford", "random1", "random2"])
def test_robots(name, language, tmp_path):
    program = program_of(name)
    arrays = states(robot_of(name), 9)
    found = compiled(program, language, tmp_path)(*arrays)
    assert error(found, interpreted(program, *arrays)) < TOLERANCE["float64"]


@pytest.mark.parametrize("language", NATIVE)
def test_float32(language, tmp_path):
    program = program_of("ur5")
    arrays = [array.astype(np.float32) for array in states(robot_of("ur5"), 9)]
    (found,) = compiled(program, language, tmp_path, "float32")(*arrays)
    assert found.dtype == np.float32
    assert 0 < error([found], interpreted(program, *arrays)) < TOLERANCE["float32"]


@pytest.mark.parametrize("language", SOURCES)
def test_several_outputs_of_any_shape(language, tmp_path):
    def shapes(x, m):
        rows = [[m[i][j] * (1 + i) + j * x for j in range(3)] for i in range(2)]
        return {"a": rows, "b": x * 2, "c": [[[m[1][2]]], [[x]]]}

    program, rng = px.trace(shapes, x=(), m=(2, 3)), np.random.default_rng(0)
    arrays = rng.normal(size=4), rng.normal(size=(4, 2, 3))
    for found, expected in zip(
        compiled(program, language, tmp_path)(*arrays), interpreted(program, *arrays), strict=True
    ):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("language", SOURCES)
def test_no_inputs(language, tmp_path):
    program = px.trace(lambda: {"r": [1.5, -0.1]})
    np.testing.assert_array_equal(compiled(program, language, tmp_path)()[0], [[1.5, -0.1]])


EVERY_OPERATION = """
program every
input x[3] spare[2]
%0 = input x 0
%1 = input x 1
%2 = input x 2
%3 = const -0.75
%4 = neg %0
%5 = add %0 %1
%6 = sub %0 %3
%7 = mul %3 %1
%8 = div %0 %1
%9 = fma %0 %1 %2
%10 = sqrt %0
%11 = sin %0
%12 = cos %0
%13 = atan2 %0 %1
%14 = abs %0
%15 = sign %0
%16 = min %0 %1
%17 = max %0 %1
%18 = lt %0 %1
%19 = le %0 %1
%20 = eq %0 %1
%21 = select %18 %1 %2
%22 = select %0 %1 %3
%23 = cos %1
%24 = min %3 %2
%25 = max %2 %3
%26 = rint %0
output exact[21] = %4 %5 %6 %7 %8 %10 %11 %12 %13 %14 %15 %16 %17 %18 %19 %20 %21 %22 %24 %25 %26
output close[2] = %9 %23
"""
ODD = (0.0, -0.0, 1.0, -2.5, 0.5, 1e-320, 1e308, math.inf, -math.inf, math.nan)


@pytest.mark.parametrize(
    ("language", "compiler"), [*((language, None) for language in SOURCES), ("c", "clang")]
)
def test_every_operation_means_what_the_interpreter_says(language, compiler, tmp_path):
    if compiler and shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler} here")
    program = px.parse(EVERY_OPERATION)
    assert {node.op for node in program.graph.nodes} == {*OPS, *LEAVES}
    x = np.array(list(itertools.product(ODD, ODD, (3.0, math.nan))))
    spare = np.zeros((len(x), 2))
    call = compiled(program, language, tmp_path, compiler=compiler)
    exact, close = call(x, spare)
    with np.errstate(all="ignore"):
        expected, nearly = interpreted(program, x, spare)
    np.testing.assert_array_equal(exact, expected)
    np.testing.assert_allclose(close, nearly, rtol=1e-15)  # a multiply-add may round once


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("language", SOURCES)
def test_rounding_gives_the_same_bits_everywhere(language, dtype, tmp_path):
    if (language, dtype) == ("python", "float32"):
        pytest.skip("Python has one kind of float")
    program = px.trace(lambda x: [px.math.rint(x), x], x=())  # x too, or -0.0 + 0 would be 0.0
    whole = 2.0 ** np.finfo(dtype).nmant  # from here on every number is
    x = np.array([0.5, 1.5, 2.5, 0.3, whole / 2 + 0.5, whole - 0.5, whole + 1, 0.0, math.inf])
    x = np.concatenate((x, -x, [math.nan, np.nextafter(0.5, 0)])).astype(dtype)
    (found,) = compiled(program, language, tmp_path, dtype)(x)
    expected = np.stack((np.rint(x), x), axis=-1)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


@pytest.mark.parametrize("language", SOURCES)
def test_an_input_that_nothing_uses_still_poisons(language, tmp_path):
    program = px.parse(EVERY_OPERATION)
    x = np.ones((4, 3))
    spare = np.array([[0, 0], [math.inf, 0], [0, math.nan], [1e300, -1e300]])
    for result in compiled(program, language, tmp_path)(x, spare):
        assert np.isnan(result[[1, 2]]).all() and np.isfinite(result[[0, 3]]).all()


@pytest.mark.parametrize("language", SOURCES)
def test_many_inputs_that_nothing_uses_are_looked_at_in_a_loop(language, tmp_path):
    """The text does not grow with them, and each still poisons."""
    program = px.trace(lambda q, k: [2.0 * q[5][1], 3.0], q=(50, 4), k=(70,))
    longer = px.trace(lambda q, k: [2.0 * q[5][1], 3.0], q=(9000, 4), k=(20_000,))
    assert len(text_of(longer, language)) < len(text_of(program, language)) + 100
    call, rng = compiled(program, language, tmp_path), np.random.default_rng(3)
    q, k = rng.normal(size=(8, 50, 4)), rng.normal(size=(8, 70))
    q[1, 0, 0] = q[2, 5, 0] = q[3, 5, 2] = k[4, 69] = math.nan
    q[5, 49, 3], k[6, 0] = math.inf, -math.inf
    (found,), (expected,) = call(q, k), interpreted(program, q, k)
    np.testing.assert_array_equal(found, expected)
    assert np.isnan(found[1:7]).all()


def random_program(seed, nodes=300):
    """Any operations on anything; sums are kept small by sines."""
    rng, builder = random.Random(seed), Builder()
    values = [builder.input("x", k) for k in range(5)] + [builder.constant(v) for v in (0.5, -3.25)]
    for _ in range(nodes):
        op = rng.choice([*OPS, "sin", "cos", "fma"])
        chosen = [rng.choice(values[-40:]) for _ in range(OPS[op].arity)]
        if op == "div":
            chosen[1] = builder.make("add", builder.make("abs", chosen[1]), builder.one)
        if op == "sqrt":
            chosen[0] = builder.make("abs", chosen[0])
        if op == "atan2":  # behind the origin it tells 0.0 from -0.0, which `max` does not
            chosen[1] = builder.make("abs", chosen[1])
        value = builder.make(op, *chosen)
        values.append(builder.sin(value) if op in ("mul", "fma", "add", "sub") else value)
    outputs = {"y": ((30,), tuple(values[-30:])), "z": ((), (values[nodes // 2],))}
    return px.Program.of(Graph({"x": (5,)}, outputs, {}, "anything"))


@pytest.mark.parametrize("language", SOURCES)
@pytest.mark.parametrize("seed", range(3))
def test_random_programs(seed, language, tmp_path):
    program = random_program(seed)
    x = np.random.default_rng(seed).uniform(-2, 2, (20, 5))
    assert error(compiled(program, language, tmp_path)(x), interpreted(program, x)) < 1e-9


NUMBERS = (0.1, 1 / 3, -2.5e-310, 5e-324, 1.7976931348623157e308, -1e22, 123456789.123, 1e-5, 7.0)


@pytest.mark.parametrize("language", SOURCES)
def test_constants_read_back_to_the_same_bits(language, tmp_path):
    (found,) = compiled(px.trace(lambda: [*NUMBERS]), language, tmp_path)()
    assert found.tobytes() == np.array([NUMBERS]).tobytes()


@pytest.mark.parametrize("language", NATIVE)
def test_constants_in_float32(language, tmp_path):
    values = [0.1, 1 / 3, 1e-40, 3.4028234e38, -16777217.0]
    (found,) = compiled(px.trace(lambda: values), language, tmp_path, "float32")()
    assert found.tobytes() == np.array([values], np.float32).tobytes()
    with pytest.raises(px.ArgumentError, match="1e\\+39 is beyond"):
        text_of(px.trace(lambda x: x + 1e39, x=()), language, dtype="float32")


NOT_FINITE = """input x[1]
%0 = const nan
%1 = const inf
%2 = const -inf
%3 = input x 0
%4 = mul %1 %3
%5 = min %3 %1
%6 = const -1
%7 = sqrt %6
%8 = const 0
%9 = div %6 %8
%10 = div %3 %8
%11 = const 1e38
%12 = mul %11 %11
%13 = mul %12 %12
%14 = mul %13 %12
%15 = sin %1
%16 = cos %1
%17 = le %0 %1
output r[11] = %0 %1 %2 %4 %5 %7 %9 %10 %15 %16 %17
"""


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("language", [*SOURCES, "cpu"])
def test_constants_that_are_not_finite(language, dtype, tmp_path):
    """Written as NaN and infinity, also where a compiler would refuse to compute them."""
    program, x = px.parse(NOT_FINITE), np.array([[2.0]])
    if language == "cpu":
        found = program.compile(dtype=dtype)(x)
    else:
        (found,) = compiled(program, language, tmp_path, dtype)(x)
    inf, nan = np.inf, np.nan
    expected = [[nan, inf, -inf, inf, 2, nan, -inf, inf, nan, nan, 0]]
    assert np.array_equal(found, expected, equal_nan=True)


def test_results_of_c_may_go_where_inputs_lie(tmp_path):
    needs("c")
    swap = px.trace(lambda x: [x[1] + x[0], x[0], x[1]], x=3)
    path = tmp_path / "f.c"
    path.write_text(swap.to_c("f"))
    shell(f"gcc {FLAGS['c']} -Wno-missing-prototypes -shared -fPIC -o f.so f.c", folder=tmp_path)
    x = np.arange(12.0).reshape(4, 3)
    expected = interpreted(swap, x)[0]
    ctypes.CDLL(str(tmp_path / "f.so")).f_batch(ctypes.c_size_t(4), pointer(x), pointer(x))
    np.testing.assert_array_equal(x, expected)


def test_one_state_for_all_threads_of_cuda(tmp_path):
    """Strides of zero broadcast."""
    needs("cuda")
    path = tmp_path / "f.cu"
    program = px.trace(lambda q, k: [q[0] * k, q[1] + k], q=2, k=())
    path.write_text(CUDA_SHIM + program.to_cuda("f") + CUDA_BLOCK)
    shell(f"g++ {FLAGS['cuda']} -shared -fPIC -o f.so f.cu", folder=tmp_path)
    code, wide = ctypes.CDLL(str(tmp_path / "f.so")), ctypes.c_longlong
    q, k, result = np.arange(6.0).reshape(3, 2), np.array([10.0]), np.empty((3, 2))
    for block in range(3):
        code.set_block(block)
        code.f_batch(
            wide(3), pointer(q), wide(1), wide(2), pointer(k), wide(1), wide(0), pointer(result),
            wide(1), wide(2),
        )  # fmt: skip
    np.testing.assert_array_equal(result, np.stack([q[:, 0] * 10, q[:, 1] + 10], 1))


# -- the texts -------------------------------------------------------------------------------------


GOLDEN = {
    "c": """\
#include <math.h>
#include <stddef.h>

void swing(const double q[2], const double k[1], double tau[2])
{
    const double v0 = q[1];
    const double v2 = sin(v0);
    const double v1 = k[0];
    const double v3 = v1 * v2;
    const double v5 = v3 + 0.5;
    const double v6 = cos(v0);
    const double v8 = v6 * 9.81;
    const double v9 = -v8;
    const double poison0 = q[0] - q[0];
    tau[0] = v5 + poison0;
    tau[1] = v9 + poison0;
}

void swing_batch(size_t states, const double *q, const double *k, double *tau)
{
    for (size_t state = 0; state < states; state++) {
        swing(q + 2 * state, k + 1 * state, tau + 2 * state);
    }
}
""",
    "cuda": """\
static __device__ void swing(const double *q, long long q_entry,
    const double *k, long long k_entry, double *tau, long long tau_entry)
{
    const double v0 = q[1 * q_entry];
    double v2, v6; sincos(v0, &v2, &v6);
    const double v1 = k[0 * k_entry];
    const double v3 = v1 * v2;
    const double v5 = v3 + 0.5;
    const double v8 = v6 * 9.81;
    const double v9 = -v8;
    const double poison0 = q[0 * q_entry] - q[0 * q_entry];
    tau[0 * tau_entry] = v5 + poison0;
    tau[1 * tau_entry] = v9 + poison0;
}

extern "C" __global__ void swing_batch(long long states,
    const double *q, long long q_entry, long long q_state,
    const double *k, long long k_entry, long long k_state,
    double *tau, long long tau_entry, long long tau_state)
{
    const long long state = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (state < states) {
        swing(q + q_state * state, q_entry, k + k_state * state, k_entry,
            tau + tau_state * state, tau_entry);
    }
}
""",
    "fortran": """\
module swing_module
  use, intrinsic :: iso_fortran_env, only: wp => real64
  implicit none
  private
  public :: swing, swing_batch

contains

  pure subroutine swing(q, k, tau)
    real(wp), intent(in) :: q(2)
    real(wp), intent(in) :: k
    real(wp), intent(out) :: tau(2)
    real(wp) :: v0, v2, v1, v3, v5, v6, v8, v9, poison0
    v0 = q(2)
    v2 = sin(v0)
    v1 = k
    v3 = v1 * v2
    v5 = v3 + 0.5_wp
    v6 = cos(v0)
    v8 = v6 * 9.81_wp
    v9 = -v8
    poison0 = q(1) - q(1)
    tau(1) = v5 + poison0
    tau(2) = v9 + poison0
  end subroutine swing

  pure subroutine swing_batch(states, q, k, tau)
    integer, intent(in) :: states
    real(wp), intent(in) :: q(2, states)
    real(wp), intent(in) :: k(states)
    real(wp), intent(out) :: tau(2, states)
    integer :: state
    do state = 1, states
      call swing(q(:, state), k(state), tau(:, state))
    end do
  end subroutine swing_batch

end module swing_module
""",
    "python": """\
import math


def swing(q, k):
    v0 = float(q[1])
    v2 = math.sin(v0) if math.isfinite(v0) else math.nan
    v1 = float(k)
    v3 = v1 * v2
    v5 = v3 + 0.5
    v6 = math.cos(v0) if math.isfinite(v0) else math.nan
    v8 = v6 * 9.81
    v9 = -v8
    poison0 = float(q[0]) - float(q[0])
    tau = [v5 + poison0, v9 + poison0]
    return tau
""",
}
COMMENT = """\
swing: (q[2], k) -> (tau[2]) in float64, written by Paraxis.

swing computes one state, swing_batch many. States lie one after another. Arrays of several
dimensions are row-major. Outputs may be the very arrays of inputs. No memory is allocated.

Each state takes 3 flops (2 mul, 1 add, 2 trig). An add is an addition or subtraction; sign
changes are free; sines and cosines count under trig.

Inputs that no output depends on are still looked at: where one is not finite, every output
of its state that is not always zero is NaN.
"""


@pytest.mark.parametrize("language", SOURCES)
def test_golden_text(language):
    text = getattr(px.trace(swing, q=2, k=()), f"to_{language}")()
    first = GOLDEN[language].split("\n")[0]
    assert text[text.index(first) :] == GOLDEN[language]


def test_golden_comment_and_header():
    program = px.trace(swing, q=2, k=())
    lines = [f" * {line}".rstrip() for line in COMMENT.splitlines()]
    assert program.to_c().startswith("\n".join(["/*", *lines, " */"]) + "\n\n#include")
    text = c.header(program.graph)
    assert text[text.index("#ifndef") :] == (
        "#ifndef PARAXIS_SWING_H\n#define PARAXIS_SWING_H\n\n#include <stddef.h>\n\n"
        '#ifdef __cplusplus\nextern "C" {\n#endif\n\n'
        "void swing(const double q[2], const double k[1], double tau[2]);\n\n"
        "void swing_batch(size_t states, const double *q, const double *k, double *tau);\n\n"
        "#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
    )


def test_every_table_has_every_operation():
    for table in (c.OPERATIONS, fortran.OPERATIONS, python.OPERATIONS):
        assert table.keys() == OPS.keys()


def test_lines_of_fortran_are_short():
    many = {f"a_long_name_of_an_array_{k}": 3 for k in range(60)}
    program = px.trace(lambda **arrays: [px.math.minimum(a[0], -1.2345678901234567e-300)
                                         for a in arrays.values()], **many)  # fmt: skip
    for text in (program.to_fortran(), program_of("puma560").to_fortran()):
        assert max(map(len, text.splitlines())) < 132


# -- names -----------------------------------------------------------------------------------------


def echo(**arrays):
    """Each array times a number of its own; half the outputs are called like inputs."""
    return {name: [x * (k + 2) for x in values] for k, (name, values) in enumerate(arrays.items())}


AWKWARD = (
    "int double class lambda def if real call sin merge math main frame state states v0 V1 poison0 "
    "f f_batch f_part0 f_module q Q q_entry q_state _x __LINE__ NAN NULL linux worst given print "
    "test_given float end data E1 I " + "x" * 80 + " " + "x" * 81
).split()


@pytest.mark.parametrize("language", SOURCES)
def test_awkward_names_of_arrays(language, tmp_path):
    program = px.trace(echo, **dict.fromkeys(AWKWARD, 2))
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(3, 2)) for _ in AWKWARD]
    found = compiled(program, language, tmp_path)(*arrays)
    for k, (result, array) in enumerate(zip(found, arrays, strict=True)):
        np.testing.assert_array_equal(result, array * (k + 2))


@pytest.mark.parametrize("language", SOURCES)
def test_marks_with_dots_in_their_names(language, tmp_path):
    program = px.program(px.robots.planar(2), algorithm="newton_euler").with_marks("omega", "force")
    assert "omega.1" in program.outputs
    arrays = states(px.robots.planar(2), 3)
    found = compiled(program, language, tmp_path)(*arrays)
    assert error(found, interpreted(program, *arrays)) < 1e-12


def test_names_that_differ_by_case_or_dots_stay_apart():
    language = fortran.language_of("float64")
    names = source.Names(language, "f")
    given = [names.new(name) for name in ("q", "Q", "a.b", "a_b", "A.B", "F", "sin", "V0", "NaN")]
    assert len({name.lower() for name in given}) == len(given)
    assert not {name.lower() for name in given} & {"f", "sin", "v0"}


@pytest.mark.parametrize("language", SOURCES)
@pytest.mark.parametrize(
    "name", ["", "7x", "a b", "a-b", "a\n", "é", "_x", "x" * 51, "a.b", "state", 3, "f;int x"]
)
def test_a_bad_name_is_refused(name, language):
    with pytest.raises(px.ArgumentError, match="name: expected a letter"):
        text_of(px.trace(swing, q=2, k=()), language, name)


@pytest.mark.parametrize(
    ("language", "name"),
    [("c", "int"), ("c", "sqrtf"), ("cuda", "sincos"), ("fortran", "sum"), ("python", "lambda")],
)
def test_a_word_of_the_language_is_no_name(language, name):
    program = px.trace(swing, q=2, k=())
    with pytest.raises(px.ArgumentError, match=f"found '{name}'"):
        text_of(program, language, name)
    renamed = px.Program.of(Graph(program.graph.inputs, program.graph.outputs, {}, name))
    assert f"{name}_2" in getattr(renamed, f"to_{language}")()


def test_a_dtype_is_checked():
    program = px.trace(swing, q=2, k=())
    assert program.to_c(dtype=np.float32) == program.to_c(dtype="float32")
    for language in NATIVE:
        with pytest.raises(px.ArgumentError, match="dtype: expected one of"):
            text_of(program, language, dtype="float16")


def test_comments_are_harmless():
    for text in HOSTILE:
        line = source.harmless(text)
        assert line.isascii() and line.isprintable()
        assert not set(line) & set('\\*?"`#!&{}$@~\n')
    assert source.harmless("UR5 (left), m/s^2") == "UR5 (left), m/s^2"
    assert source.harmless("*/") == "%2A/"


# -- long bodies -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", SOURCES)
def test_a_long_body_is_several_functions(language, tmp_path, monkeypatch):
    """Where a body is cut changes no bit; Python's is never cut."""
    programs = [program_of("stanford"), px.parse(EVERY_OPERATION), random_program(7)]
    for program, most in zip(programs, (60, 3, 11), strict=True):
        rng = np.random.default_rng(0)
        arrays = [rng.uniform(-2, 2, (5, *shape)) for shape in program.inputs.values()]
        whole = compiled(program, language, tmp_path)(*arrays)
        with monkeypatch.context() as patch:
            patch.setattr(source, "MOST_NODES", most)
            assert ("f_part1" in text_of(program, language)) == (language != "python")
            pieces = compiled(program, language, tmp_path)(*arrays)
        for a, b in zip(whole, pieces, strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_program_that_is_really_long(tmp_path):
    robot = px.robots.chain(50)
    program = px.program(robot, algorithm="newton_euler")
    assert len(program.graph.nodes) > source.MOST_NODES
    assert "f_part1" in program.to_c("f")
    arrays = states(robot, 2)
    found = compiled(program, "c", tmp_path, optimise="-O0")(*arrays)
    assert error(found, interpreted(program, *arrays)) < 1e-12


@pytest.mark.parametrize("most", [1, 5, 40])
def test_places_in_the_frame_are_shared_but_never_at_once(most):
    graph = program_of("puma560").graph
    pieces = cut(graph.nodes, most)
    places = frame_places(pieces, [(node, len(pieces) - 1) for node in graph.results])
    held = {}  # place -> the node it holds
    for piece in pieces:
        for node in piece:
            for argument in node.args:
                if argument.index in places and argument.index not in {n.index for n in piece}:
                    assert held[places[argument.index]] == argument.index
        for node in piece:
            if node.index in places:
                held[places[node.index]] = node.index
    outside = {node.index for node in pieces[-1]}
    for node in graph.results:
        if node.index not in outside and node.op not in LEAVES:
            assert held[places[node.index]] == node.index
    assert frame_size(places) < len(places)


# -- the library -----------------------------------------------------------------------------------


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
    with pytest.raises(px.ArgumentError, match="'run' is a name of the library's own"):
        library.assembly_source(program_of("puma560").graph, "run")


# -- the command -----------------------------------------------------------------------------------


def run(capsys, *words):
    code = cli.main(["export", *map(str, words)])
    done = capsys.readouterr()
    return code, done.out, done.err


def build_and_test(out):
    """Run the commands that were printed; the last way to build, which needs no GPU."""
    lines = [(line[:5].strip(), line[7:]) for line in out.splitlines()]
    build = [command for kind, command in lines if kind in ("build", "or")]
    (test,) = [command for kind, command in lines if kind == "test"]
    return shell(*build[-1:], test)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_export_and_the_commands_it_prints(language, dtype, tmp_path, capsys):
    needs(language)
    folder = tmp_path / "a folder; not made yet"
    words = ("ur5", "--language", language, "--dtype", dtype, "-o", folder)
    if language == "python" and dtype == "float32":
        code, _, err = run(capsys, *words)
        assert code == 2 and "Python's numbers" in err
        return
    code, out, err = run(capsys, *words)
    assert code == 0 and err == ""
    written = {line.split("/")[-1] for line in out.splitlines() if line.startswith("wrote")}
    assert written == {path.name for path in folder.iterdir()}
    said = build_and_test(out)
    found = re.fullmatch(
        r"ur5_inverse_dynamics: error +(\S+) over 9 states, at most (\S+) wanted\n", said
    )
    assert float(found[1]) < float(found[2]) == {"float64": 1e-9, "float32": 1e-4}[dtype]


@pytest.mark.parametrize("language", ["c", "library"])
def test_any_program_can_be_exported(language, tmp_path):
    needs(language)
    cost = px.trace(lambda q, k: {"cost": k * px.math.cos(q[0]) * q[1] ** 2}, q=2, k=())
    done = cost.gradient("cost", "q").export(str(tmp_path), language, name="slope")
    assert float(re.search("error +([^ ]+)", shell(*done.build[-1:], done.test))[1]) < 1e-9


def test_parameters_and_coordinates_from_the_command_line(capsys, tmp_path):
    needs("c")
    words = ["--function", "jacobian", "--coordinates", "body", "--parameters", "origin"]
    assert cli.main(["export", "ur5", *words, "--language", "c", "-o", str(tmp_path)]) == 0
    assert "origin[6][3]" in (tmp_path / "ur5_jacobian.h").read_text()
    build_and_test(capsys.readouterr().out)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_self_test_can_fail(language, tmp_path):
    needs(language)
    robot, way = px.load("ur5"), "newton_euler"  # as described: gravity stands in the source
    done = export(robot, "inverse_dynamics", language, str(tmp_path), algorithm=way, name="f")
    if language == "library":  # there it is what the test expects that can be changed
        broken, right, wrong = tmp_path / "f_test.c", "test_expected = {\n    {", "1e3 * "
        wrong = right + wrong
    else:
        broken = tmp_path / f"f.{ENDINGS.get(language, 'py')}"
        right, wrong = "9.81", "9.80"
    text = broken.read_text()
    assert right in text
    broken.write_text(text.replace(right, wrong))
    with pytest.raises(AssertionError, match="error +[1-9]"):
        shell(*done.build[-1:], done.test)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_self_test_sees_small_entries(language, tmp_path):
    """A finger on an arm: 8 % more inertia there are 1e-7 of the arm's, and nothing beside 1."""
    needs(language)
    arm = px.robots.planar(1)
    finger = px.robots.Inertia(1e-3, (1e-2, 0, 0), (3e-8, 3e-8, 3e-8, 0, 0, 0))
    joint = px.robots.Joint("finger", "revolute", 0, px.robots.Pose(translation=(1.0, 0, 0)))
    robot = px.Robot("hand", [*arm.joints, joint], [*arm.inertias, finger])
    right, heavy = (
        px.program(replace(robot, inertias=[*arm.inertias, body]), "mass_matrix")
        for body in (finger, replace(finger, about_com=(3e-8, 3e-8, 4e-8, 0, 0, 0)))
    )
    dtype = "float64" if language == "python" else "float32"
    done = right.export(str(tmp_path / "right"), language, dtype=dtype, name="f")
    shell(*done.build[-1:], done.test)
    done = heavy.export(str(tmp_path / "heavy"), language, dtype=dtype, name="f")
    (test,) = (tmp_path / "right").glob(f"f_test.{ENDINGS.get(language, '[cp]*')}")
    shutil.copy(test, tmp_path / "heavy" / test.name)
    with pytest.raises(AssertionError, match="error +[1-9]"):
        shell(*done.build[-1:], done.test)


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_names_reach_no_source(language, tmp_path):
    """Of robots and joints, in every comment and file name; warnings are errors."""
    needs(language)
    names = [name for name in HOSTILE if name]
    joints = [px.robots.Joint(name, "revolute", k - 1) for k, name in enumerate(names)]
    bodies = [px.robots.Inertia.of(1.0, (0.1, 0.2, 0.3), (0.1, 0.1, 0.1)) for _ in joints]
    strict = FLAGS.get(language, "-Wall -Wextra -Werror").replace("-x c++", "")
    for k, name in enumerate(HOSTILE if language == "c" else HOSTILE[:1]):
        robot, folder = px.Robot(name, joints, bodies), tmp_path / str(k)
        done = export(robot, "inverse_dynamics", language, str(folder))
        for path in folder.iterdir():
            assert re.fullmatch(r"(lib)?[A-Za-z][A-Za-z0-9_]*\.[a-z0-9]+", path.name)
            if path.suffix not in (".o", ".so"):
                assert path.read_bytes().isascii()
        shell(*(f"{command} {strict} -O0" for command in done.build[-1:]), done.test)


@pytest.mark.long
def test_every_function_and_algorithm_can_be_exported(tmp_path):
    needs("c")
    robot = px.load("stanford")
    for function in api.FUNCTIONS:
        done = export(robot, function, "c", str(tmp_path), name=function)
        shell(done.build[0].replace("-O2", "-O0"), done.test)
    for algorithm in px.algorithms("inverse_dynamics"):
        done = export(
            px.robots.planar(2), "inverse_dynamics", "python", str(tmp_path), algorithm=algorithm
        )
        assert algorithm in (tmp_path / "planar2_inverse_dynamics.py").read_text()
        shell(done.test)


def test_tip_and_name(tmp_path, capsys):
    words = ("ur5", "--tip", "forearm_link", "--name", "arm", "--language", "python")
    code, out, _ = run(capsys, *words, "-o", tmp_path)
    assert code == 0 and (tmp_path / "arm_test.py").exists()
    assert "arm: (q[3], qd[3], qdd[3]) -> (tau[3])" in (tmp_path / "arm.py").read_text()
    build_and_test(out)


def test_a_function_about_a_frame(tmp_path, capsys):
    words = ("ur5", "--function", "forward_kinematics", "--language", "python", "-o", tmp_path)
    code, out, _ = run(capsys, *words, "--frame", "forearm_link")
    assert code == 0
    space = {}
    exec((tmp_path / "ur5_forward_kinematics.py").read_text(), space)
    q = [0.1, -0.2, 0.3, 0.4, 0.5, 0.6]
    expected = px.forward_kinematics(robot_of("ur5"), q, frame="forearm_link")
    np.testing.assert_allclose(space["ur5_forward_kinematics"](q), expected, atol=1e-14)
    assert "its frame forearm_link" in build_and_test(out) + space["__doc__"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--language", "rust", "-o", "x"), "rust"),
        (("--language", "c"), "-o"),
        (("--language", "c", "-o", "x", "--name", "a b"), "name: expected"),
        (("--language", "c", "-o", "x", "--function", "magic"), "magic"),
        (("--language", "c", "-o", "x", "--algorithm", "magic"), "magic"),
        (("--language", "c", "-o", "x", "--frame", "link1"), "frame"),
        (("--language", "c", "-o", "x", "--cpu", "x86-64-v3"), "only a library"),
        (("--language", "library", "-o", "x", "--cpu", "z80"), "z80"),
        (("--language", "c", "-o", os.devnull), "cannot be written"),
        (("--language", "c", "-o", "a\0b"), "cannot be written"),
    ],
)
def test_mistakes_are_one_line(words, problem, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "planar3", *words)
    assert code == 2 and out == ""
    assert err.startswith("paraxis: ") and problem in err and err.count("\n") == 1


def test_without_a_compiler_the_object_is_left_and_the_command_said(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(files.shutil, "which", lambda name: None)
    code, _, err = run(capsys, "planar3", "--language", "library", "-o", tmp_path)
    assert code == 2 and "no C compiler" in err and "cc -shared -o" in err
    assert (tmp_path / "planar3_inverse_dynamics.o").stat().st_size > 1000


def test_a_compiler_that_fails_is_quoted(tmp_path, capsys, monkeypatch):
    broken = f"{sys.executable} -c 1/0"
    for compiler, problem in (("/nowhere/cc", "cannot be run"), (broken, "ZeroDivision")):
        monkeypatch.setenv("CC", compiler)
        code, _, err = run(capsys, "planar3", "--language", "library", "-o", tmp_path)
        assert code == 2 and problem in err


def test_nvcc_takes_the_text(tmp_path):
    if shutil.which("nvcc") is None:
        pytest.skip("there is no nvcc here")
    done = export(px.load("puma560"), "inverse_dynamics", "cuda", str(tmp_path))
    shell(done.build[0].replace("nvcc ", "nvcc -Werror all-warnings ", 1))
