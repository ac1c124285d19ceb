"""The text of CUDA kernels run on the CPU: compiled as C++, one thread after another.

A warp has a single lane here, so threads that copy together are one thread that copies alone.
"""

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from paraxis.body import Body
from paraxis.targets.cuda.device import CuPyDevice

SHIM = """
#include <math.h>
#include <string.h>
#include <utility>
#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define THREADS blockDim.x
typedef WORD word;
static inline word BITS(REAL x) { word y; memcpy(&y, &x, sizeof x); return y; }
static inline REAL FROM_BITS(word x) { REAL y; memcpy(&y, &x, sizeof x); return y; }

template <class... A, size_t... I>
static void px_call(void (*kernel)(A...), void **given, std::index_sequence<I...>)
{
    kernel(*(A *)given[I]...);
}
"""

ONE_LANE = """
#define LANES 1
#define LANE 0
#define PACKET 1
#define SHARED(name) static thread_local unsigned char name[1 << 20] __attribute__((aligned(64)))
#define COPY_PACKET(to, from) (*(to) = *(from))
#define COPY_ITEM(to, from) (*(to) = *(from))
#define ARRIVED()
#define TOGETHER()
static thread_local struct { unsigned x; } threadIdx, blockIdx, blockDim, gridDim;
typedef REAL packet;
struct couple { REAL x, y; };
struct quartet { REAL x, y, z, w; };
"""

RUN = """
template <class... A>
static void px_run(void (*kernel)(A...), long long blocks, long long threads, void **given)
{
    blockDim.x = (unsigned)threads;
    gridDim.x = (unsigned)blocks;
    for (long long b = 0; b < blocks; b++)
        for (long long t = 0; t < threads; t++) {
            blockIdx.x = (unsigned)b, threadIdx.x = (unsigned)t;
            px_call(kernel, given, std::index_sequence_for<A...>());
        }
}

extern "C" void px_launch(long long blocks, long long threads, void **given, long long)
{
    px_run(KERNEL, blocks, threads, given);
}
"""


# The function of a CUDA driver; handles are the addresses of the functions above. It notes what it
# was last called with.
DRIVER = """
typedef long long word;
extern "C" word px_noted[9];
word px_noted[9];
extern "C" int cuLaunchKernel(void *function, unsigned blocks, unsigned by, unsigned bz,
    unsigned threads, unsigned ty, unsigned tz, unsigned shared, void *stream, void **given,
    void **extra)
{
    const word noted[9] = {px_noted[0] + 1, blocks, threads, shared, (word)stream,
        by, bz, ty * tz, (word)extra};
    for (int k = 0; k < 9; k++) px_noted[k] = noted[k];
    if ((word)stream == 666) return 400;
    if (function) ((void (*)(word, word, void **, word))function)(blocks, threads, given, shared);
    return 0;
}
"""
NOTED = ("calls", "blocks", "threads", "shared", "stream", "by", "bz", "tytz", "extra")
NO_STREAM = 666  # a handle that the driver refuses


@cache
def driver():
    return _built(DRIVER, "")


def noted():
    """What the driver was last called with, and how often it was called."""
    words = (ctypes.c_longlong * len(NOTED)).in_dll(driver(), "px_noted")
    return dict(zip(NOTED, words, strict=True))


def body_apart(program, *why):
    """The Body of a Program under a key of its own: for tests that change how text is written."""
    return Body(_graph_of, program, why)


def _graph_of(program, why):
    return program.graph


class CpuDevice(CuPyDevice):
    """A Device with NumPy's arrays."""

    arrays, description, architecture, number = np, "cpu", "cpu", 0
    most_shared = 0  # lanes do not run side by side

    def __init__(self):
        pass

    @property
    def start(self):
        return _address(driver().cuLaunchKernel)

    lanes, run, flags = ONE_LANE, RUN, ""  # what is before the text, what runs it, for g++

    def binary(self, text, fast_math=False, size="usual"):
        return text.encode()

    def load(self, binary, name):
        return Launcher(_library(binary.decode(), name, self.lanes, self.run, self.flags))

    def address(self, array):
        return array.ctypes.data

    def in_main_memory(self, array):
        return array

    def wait(self):
        pass


class Launcher:
    """A kernel in a shared library."""

    registers = spilled = 0

    def __init__(self, library):
        self._launch = library.px_launch
        self.function = SimpleNamespace(ptr=_address(library.px_launch))

    def allow(self, shared):
        pass

    def __call__(self, blocks, threads, arguments, shared=0):
        given = [
            ctypes.c_longlong(a) if isinstance(a, int) else ctypes.c_void_p(a.ctypes.data)
            for a in arguments
        ]
        pointers = (ctypes.c_void_p * len(given))(
            *(ctypes.cast(ctypes.byref(each), ctypes.c_void_p) for each in given)
        )
        blocks, threads, shared = map(ctypes.c_longlong, (blocks, threads, shared))
        self._launch(blocks, threads, pointers, shared)


def _address(function):
    return ctypes.cast(function, ctypes.c_void_p).value


@cache
def _library(text, name, lanes, run, flags):
    real = "double" if "double x, double *s" in text else "float"
    word = "long long" if real == "double" else "int"
    types = f"#define REAL {real}\n#define WORD {word}\n"
    whole = f"{types}{SHIM}{lanes}{text}\n#define KERNEL {name}\n{run}"
    return _built(whole, flags)


def _built(whole, flags):
    """A shared library of C++, made once."""
    if shutil.which("g++") is None:
        pytest.skip("needs g++")
    folder = Path(tempfile.gettempdir()) / "paraxis-cuda-on-cpu"
    folder.mkdir(exist_ok=True)
    stem = folder / hashlib.sha256(whole.encode()).hexdigest()[:24]
    library = stem.with_suffix(".so")
    if not library.exists():
        source, made = stem.with_suffix(".cpp"), stem.with_suffix(f".{os.getpid()}.{id(whole)}.so")
        source.write_text(whole)
        flags += " -std=c++17 -O0 -shared -fPIC -Wno-unknown-pragmas"
        subprocess.run(["g++", *flags.split(), "-o", made, source], check=True)
        made.rename(library)
    return ctypes.CDLL(str(library))
