"""How long things take here and now, and whether the answers are right.

Of a few runs, each long enough for the clock, the best compares programs: on a shared machine
other processes can only make a run slower. The median is what to expect. Results go to a given
array (`out=`), inputs are rows of states.
"""

import os
import tempfile
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from operator import attrgetter
from statistics import median
from typing import NamedTuple

import numpy as np

from ..errors import ArgumentError
from ..targets.cpu.threads import available
from .machine import memory_bytes
from .neighbours import Neighbours

SAMPLE = 50  # states that are also given to the interpreter, which is slow
TOLERANCE = 1e-10  # of a float64 kernel against the interpreter


@dataclass(frozen=True)
class Effort:
    """How hard to measure."""

    runs: int = 5  # the best of these counts
    seconds: float = 0.02  # that a run lasts at least
    patience: float = 0.5  # seconds after which no further run is started
    tries: int = 3  # when other processes disturb


QUICK = Effort(runs=2, seconds=0.002, patience=0.05, tries=1)


@dataclass(frozen=True)
class Compiled:
    """Seconds from a robot to a kernel, measured with a cache that was empty at first."""

    trace_s: float  # robot -> Program
    cold_s: float  # Program -> kernel, compiled
    cached_s: float | None  # Program -> kernel, found on disk; None where nothing could be kept


@dataclass(frozen=True)
class Speed:
    """The speed of one batch size on one number of threads."""

    batch: int
    threads: int
    ns_per_state: float
    states_per_s: float

    @classmethod
    def of(cls, batch, threads, seconds):
        return cls(batch, threads, seconds / batch * 1e9, batch / seconds)

    def as_dict(self):
        return asdict(self)


class Times(NamedTuple):
    """Seconds per call over some runs."""

    best: float
    median: float
    runs: int


def best_seconds(call, effort, threads=1):
    """Seconds per call, warm, in the fastest run."""
    return times(call, effort, threads).best


def times(call, effort, threads=1):
    """Times per call, warm. Measured again, a few times, if other processes took its cores."""
    runs = []
    for _ in range(effort.tries):
        with Neighbours() as others:
            runs += _runs(call, effort)
        if not others.crowd(threads):
            break
    return Times(min(runs), median(runs), len(runs))


def _runs(call, effort):
    """Seconds per call of each run."""
    call()
    once = _elapsed(call, 1)
    calls = max(1, int(effort.seconds / max(once, 1e-9)))
    runs, spent = [once] if calls == 1 else [], once
    for _ in range(effort.runs):
        if spent > effort.patience and runs:
            break
        spent += (run := _elapsed(call, calls))
        runs.append(run / calls)
    return runs


def _elapsed(call, calls):
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return time.perf_counter() - start


def states(program, count, dtype="float64", seed=0):
    """Random states, one array per input: positions within a turn, rates and accelerations."""
    rng = np.random.default_rng(seed)
    return [
        rng.uniform(-3, 3, (count, *shape)).astype(dtype, copy=False)
        for shape in program.inputs.values()
    ]


def compile_times(trace, dtype):
    """The Program of `trace()`, its kernel, and their times: compiled, then loaded from disk."""
    start = time.perf_counter()
    program = trace()
    traced = time.perf_counter()
    with _empty_cache() as folder:
        begin = time.perf_counter()
        kernel = program.compile(dtype=dtype)
        cold = time.perf_counter() - begin
        cached = None
        if any(name.endswith(".bin") for name in os.listdir(folder)):
            begin = time.perf_counter()
            kernel = program.compile(dtype=dtype)
            cached = time.perf_counter() - begin
    return program, kernel, Compiled(traced - start, cold, cached)


@contextmanager
def _empty_cache():
    """A cache folder of our own, so that the first compilation misses and the second hits."""
    before = os.environ.get("PARAXIS_CACHE")
    with tempfile.TemporaryDirectory(prefix="paraxis-") as folder:
        os.environ["PARAXIS_CACHE"] = folder
        try:
            yield folder
        finally:
            if before is None:
                del os.environ["PARAXIS_CACHE"]
            else:
                os.environ["PARAXIS_CACHE"] = before


def speeds(
    program, dtype, batches, thread_counts, effort, tick=lambda: None, usual=attrgetter("best")
):
    """Speeds over batch sizes, for each number of threads. `tick` is called after each.

    `usual` takes the time from the Times of a batch: by default the best.
    """
    arrays = states(program, max(batches), dtype)
    outs = [np.empty((max(batches), *shape), dtype) for shape in program.outputs.values()]
    found = []
    for count in thread_counts:
        kernel = program.compile(dtype=dtype, threads=count)
        for batch in batches:
            out = tuple(array[:batch] for array in outs)
            call = partial(
                kernel,
                *(array[:batch] for array in arrays),
                out=out if len(out) > 1 else out[0],
            )
            found.append(Speed.of(batch, count, usual(times(call, effort, count))))
            tick()
    return found


def latency(kernel, program, effort, usual=attrgetter("best")):
    """Seconds of one call on one state, from Python and back."""
    state = [array[0].copy() for array in states(program, 1, kernel.dtype)]
    return usual(times(lambda: kernel(*state), effort))


def interpreter_error(kernel, program, count=SAMPLE):
    """The worst error of a kernel against the interpreter, on random states."""
    arrays = states(program, count, kernel.dtype, seed=1)
    meaning = program.evaluate(**dict(zip(program.inputs, arrays, strict=True)))
    pairs = zip(outputs_of(kernel(*arrays)), outputs_of(meaning), strict=True)
    return max(worst_error(*pair) for pair in pairs)


def outputs_of(results):
    """The arrays of one output or several, as a kernel or the interpreter returns them."""
    if isinstance(results, dict):
        return [*results.values()]
    return [*results] if isinstance(results, tuple) else [results]


def general_error(kernel, program, general, values, count=SAMPLE):
    """The worst error of a kernel against the interpreted `general` Program, given `values`."""
    arrays = states(program, count, kernel.dtype, seed=2)
    given = dict(zip(program.inputs, arrays, strict=True)) | values
    return worst_error(kernel(*arrays), general.evaluate(**given))


def worst_error(found, reference):
    """max|Δ| / max(1, max|reference|) per state, of the worst state."""
    found, reference = (each.reshape(len(each), -1) for each in (found, reference))
    scale = np.maximum(1.0, abs(reference).max(-1))
    return float((abs(found - reference).max(-1) / scale).max())


def thread_counts(most=None):
    """One thread, and as many as were asked for or there are cores."""
    return sorted({1, most or available()})


def affordable(program, dtype, batches, asked):
    """The batch sizes that fit in memory. If the user asked for one that does not, an error."""
    memory = memory_bytes() or 2**32
    fit = [batch for batch in batches if _bytes_needed(program, batch, dtype) <= memory // 8]
    if asked and len(fit) < len(batches):
        needed = _bytes_needed(program, max(batches), dtype) / 2**30
        raise ArgumentError(
            f"--batch {max(batches)} needs arrays of {needed:.1f} GiB; at most an eighth of the "
            f"memory, {memory / 2**33:.1f} GiB, is used"
        )
    return fit or [1]


def _bytes_needed(program, batch, dtype):
    """The memory that the arrays of a batch take."""
    shapes = [*program.inputs.values(), *program.outputs.values()]
    entries = sum(int(np.prod(shape, dtype=int)) for shape in shapes)
    return entries * batch * np.dtype(dtype).itemsize
