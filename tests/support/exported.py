"""Exported source, compiled where it has to be, as functions of arrays."""

import ctypes
import itertools
import json
import math
import random
import shlex
import shutil
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from support.robots import random_robot

import paraxis as px
from paraxis.graph.graph import Graph
from paraxis.graph.node import Builder
from paraxis.graph.operations import OPS
from paraxis.targets.source import c

SOURCES = ("c", "cuda", "fortran", "python", "javascript")
ONE_KIND = ("python", "javascript")  # of number: float64
NATIVE = ("c", "cuda", "fortran")
COMPILERS = {
    "c": "gcc",
    "cuda": "g++",
    "fortran": "gfortran",
    "library": "cc",
    "javascript": "node",
    "wasm": "node",
}
FLAGS = {
    "c": "-std=c99 -pedantic -Wall -Wextra -Werror -Wmissing-prototypes",
    "cuda": "-x c++ -std=c++11 -pedantic -Wall -Wextra -Werror",
    "fortran": "-std=f2008 -pedantic -Wall -Wextra -Werror",
}
ENDINGS = {"c": "c", "cuda": "cu", "fortran": "f90", "python": "py", "javascript": "js"}
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


def text_of(program, language, name="f", dtype="float64"):
    if language in ONE_KIND:
        return getattr(program, f"to_{language}")(name)
    return getattr(program, f"to_{language}")(name, dtype)


def compiled(program, language, folder, dtype="float64", compiler=None, optimise="-O1"):
    """A function of arrays (states, *shape), one for each input, that returns one a result."""
    needs(language)
    text = text_of(program, language, dtype=dtype)
    if language == "python":
        return python_call(program, text)
    if language == "javascript":
        return javascript_call(program, text, folder)
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


NODE = """
import { readFileSync, writeFileSync } from "node:fs";
import { f, f_batch } from "./MODULE";
const [states, ...entries] = JSON.parse(process.argv[2]);
const data = readFileSync("given");
const numbers = new Float64Array(data.buffer, data.byteOffset, data.length / 8);
let start = 0;
const given = entries.map((count) => numbers.slice(start, (start += count * states)));
const several = (found) => (found instanceof Float64Array ? [found] : Object.values(found));
const together = several(f_batch(states, ...given));
const alone = together.map((array) => new Float64Array(array.length));
for (let k = 0; k < states; k++) {
    const own = (array) => array.subarray((array.length / states) * k,
                                          (array.length / states) * (k + 1));
    f(...given.map(own), ...alone.map(own));
}
const bytes = (arrays) => Buffer.concat(arrays.map((a) => Buffer.from(a.buffer)));
if (bytes(together).compare(bytes(alone))) throw new Error("a batch differs from its states");
writeFileSync("found", bytes(together));
"""


def javascript_call(program, text, folder):
    """In Node, one state at a time and as a batch, which must be the same."""
    module = folder / f"f{next(COUNT)}.mjs"
    module.write_text(text, encoding="ascii")

    def call(*arrays):
        count = len(arrays[0]) if arrays else 1
        (folder / "call.mjs").write_text(NODE.replace("MODULE", module.name))
        arrays = [np.asarray(array, float).reshape(count, -1) for array in arrays]
        (folder / "given").write_bytes(b"".join(array.tobytes() for array in arrays))
        sizes = json.dumps([count, *(array.shape[1] for array in arrays)])
        shell(["node", "call.mjs", sizes], folder=folder)
        found, results = np.fromfile(folder / "found"), []
        for shape in program.outputs.values():
            own = count * math.prod(shape)
            results.append(found[:own].reshape(count, *shape))
            found = found[own:]
        return results

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


@cache
def robot_of(name):
    if name.startswith("random"):
        return random_robot(int(name[6:]), joints=(5, 8))
    return px.load(name)


@cache
def program_of(name):
    return px.program(robot_of(name))


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
%27 = floor %0
%28 = fmod %0 %1
%29 = and %18 %0
%30 = or %20 %1
%31 = not %0
%32 = not %18
%33 = tan %0
%34 = asin %0
%35 = acos %0
%36 = exp %0
%37 = log %0
%38 = tanh %0
output exact[21] = %4 %5 %6 %7 %8 %10 %11 %12 %13 %14 %15 %16 %17 %18 %19 %20 %21 %22 %24 %25 %26
output more[12] = %27 %28 %29 %30 %31 %32 %33 %34 %35 %36 %37 %38
output close[2] = %9 %23
"""


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
        if op in ("exp", "tan", "asin", "acos"):  # small, and within their domains
            chosen[0] = builder.make("sin", chosen[0])
        if op == "log":
            chosen[0] = builder.make("add", builder.make("abs", chosen[0]), builder.one)
        if op == "fmod":
            chosen[1] = builder.constant(1.75)
        if op == "atan2":  # behind the origin it tells 0.0 from -0.0, which `max` does not
            chosen[1] = builder.make("abs", chosen[1])
        value = builder.make(op, *chosen)
        values.append(builder.make("sin", value) if op in ("mul", "fma", "add", "sub") else value)
    outputs = {"y": ((30,), tuple(values[-30:])), "z": ((), (values[nodes // 2],))}
    return px.Program.of(Graph({"x": (5,)}, outputs, {}, "anything"))
