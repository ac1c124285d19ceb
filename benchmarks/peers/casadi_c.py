"""CasADi's generated C on a batch: looped over the states in C, built by gcc, run on threads."""

import ctypes
import itertools
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

import casadi as ca
import numpy as np

from .casadi_functions import operations, ways
from .robots import load

FLAGS = ("-O3", "-march=native")
LANES = 16  # states a block of the vectorised driver; 8 and 32 differ by a few per cent
PATIENCE = 300  # seconds gcc may take

# Hidden symbols let gcc inline the generated functions (casadi_sq among them) despite -fPIC.
HEAD = """#include <math.h>
{trig}#pragma GCC visibility push(hidden)
{generated}
#pragma GCC visibility pop
{attribute}void batch(const double **in, double **out, long first, long last) {{
"""

# Plain: the generated C entry, once per state, straight on the rows.
ROWS = """  for (long i = first; i < last; ++i) {{
    const double *arg[] = {{{arguments}}};
    double *res[] = {{{results}}};
    state(arg, res, 0, 0, 0);
  }}
}}
"""

# Vectorised: gcc turns the loop over l into vector code once every argument is a scalar with
# stride 1 and sin, cos are calls it may vectorise (glibc's libmvec; left alone, gcc fuses them
# into sincos, which it may not).
VECTOR_TRIG = """#define SIMD __attribute__((simd("notinbranch"), const, nothrow))
SIMD double sin_(double) __asm__("sin");
SIMD double cos_(double) __asm__("cos");
#define sin sin_
#define cos cos_
"""
BLOCKS = """  double x[{taken}][{lanes}] = {{{{0}}}}, y[{given}][{lanes}];
  for (long i = first; i < last; i += {lanes}) {{
    const long m = last - i < {lanes} ? last - i : {lanes};
{read}    for (long l = 0; l < {lanes}; ++l) {{
      const double *arg[] = {{{arguments}}};
      double *res[] = {{{results}}};
      state(arg, res, 0, 0, 0);
    }}
{write}  }}
}}
"""
READ = """    for (long l = 0; l < m; ++l)
      for (long k = 0; k < {size}; ++k) x[{at} + k][l] = in[{array}][(i + l) * {size} + k];
"""
WRITE = """    for (long l = 0; l < m; ++l)
      for (long k = 0; k < {size}; ++k) out[{array}][(i + l) * {size} + k] = y[{at} + k][l];
"""


class TooSlow(Exception):
    """gcc did not finish."""


@lru_cache
def executor(threads: int) -> ThreadPoolExecutor:
    """Threads that outlive the call, as a user who cares for speed would keep them."""
    return ThreadPoolExecutor(threads)


class CasadiPeer:
    """A function of a robot over SX, the way that needs the fewest operations, as C.

    `lanes=1` is CasADi as it comes: its C entry called once per state. `lanes=LANES` hands the
    same generated body to gcc's loop vectoriser, in blocks of that many states; it needs
    x86-64 glibc (libmvec). `flags` are gcc's. Tried: -O2 and -ffast-math change little or lose;
    -fno-tree-slp-vectorize won 5 % on two small arms with one lane and nothing on a humanoid;
    reading struct-of-arrays input directly was slower, as gcc then no longer vectorised.
    """

    def __init__(self, path, function="inverse_dynamics", lanes: int = 1, flags=FLAGS):
        self.way, made = min(ways(load(path), function), key=lambda way: operations(way[1]))
        self.operations = operations(made)
        self.inputs = [made.numel_in(k) for k in range(made.n_in())]
        self.outputs = [made.numel_out(k) for k in range(made.n_out())]
        source = self._rows(made) if lanes == 1 else self._blocks(made, lanes)
        self._batch = _build(source, flags)

    def _rows(self, function):
        arguments = ", ".join(f"in[{k}] + i * {size}" for k, size in enumerate(self.inputs))
        results = ", ".join(f"out[{k}] + i * {size}" for k, size in enumerate(self.outputs))
        head = HEAD.format(trig="", generated=_generated(function), attribute="")
        return head + ROWS.format(arguments=arguments, results=results)

    def _blocks(self, function, lanes):
        """One scalar argument an entry, so that each can be a row of lanes."""
        inputs = function.sx_in()
        outputs = function.call(inputs)
        scalars = [[s for v in part for s in ca.vertsplit(ca.vec(v))] for part in (inputs, outputs)]
        taken, given = map(len, scalars)
        head = HEAD.format(
            trig=VECTOR_TRIG,
            generated=_generated(ca.Function("state", *scalars)),
            attribute="__attribute__((flatten)) ",  # inline the body into the loop
        )
        return head + BLOCKS.format(
            taken=taken,
            given=given,
            lanes=lanes,
            arguments=", ".join(f"&x[{k}][l]" for k in range(taken)),
            results=", ".join(f"&y[{k}][l]" for k in range(given)),
            read=_moves(READ, self.inputs),
            write=_moves(WRITE, self.outputs),
        )

    def __call__(self, *arrays, threads: int = 1, out=None):
        """The outputs, each (B, size); the batch is cut into `threads` contiguous parts."""
        size = len(arrays[0])
        out = [np.empty((size, k)) for k in self.outputs] if out is None else out
        _check(arrays, size, self.inputs)
        _check(out, size, self.outputs)
        taken, given = _addresses(arrays), _addresses(out)
        cuts = [size * t // threads for t in range(threads + 1)]
        parts = list(itertools.pairwise(cuts))
        rest = [executor(threads).submit(self._batch, taken, given, *part) for part in parts[1:]]
        self._batch(taken, given, *parts[0])
        for part in rest:
            part.result()
        return out


def _generated(function):
    generator = ca.CodeGenerator("peer.c")
    generator.add(function)
    return generator.dump()


def _moves(template, sizes):
    starts = itertools.accumulate(sizes, initial=0)
    lines = zip(sizes, starts, strict=False)
    return "".join(template.format(size=s, at=at, array=k) for k, (s, at) in enumerate(lines))


def _build(source, flags):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "peer.c").write_text(source)
        command = ["gcc", *flags, "-shared", "-fPIC", "-o", "peer.so", "peer.c", "-lmvec", "-lm"]
        try:
            subprocess.run(command, cwd=folder, check=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            raise TooSlow(f"gcc {flags[0]} took more than {PATIENCE} s") from None
        batch = ctypes.CDLL(str(Path(folder) / "peer.so")).batch
    batch.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2
    batch.restype = None
    return batch


def _check(arrays, batch, sizes):
    for x, size in zip(arrays, sizes, strict=True):
        if x.size != batch * size or x.dtype != float or not x.flags.c_contiguous:
            raise ValueError(
                f"expected ({batch}, {size}) float64 in C order, found {x.shape} {x.dtype}"
            )


def _addresses(arrays):
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
