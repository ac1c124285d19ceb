"""A compiled body on the CPU, repeated over steps."""

from __future__ import annotations

import ctypes
from array import array as word_array
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ...body import Body
from ...compiling import about
from ...drivers.iterate import Iteration, Plan
from ...drivers.row import Row, made_row
from .. import store
from ..blocks import is_lazy, iterated_over_blocks
from . import host
from .map import CHUNK_WORK, THREAD_WORK, checked_options, lanes_of
from .memory import MainMemory
from .pieces import PIECE_WORK, run_in_pieces
from .text.iterate import (
    ARRAY,
    CHUNK,
    CHUNKS,
    EVERY,
    HEADER,
    NEXT_CHUNK,
    SINCE,
    STATUS,
    STEPS,
    define_iterate,
)
from .text.module import Module
from .threads import available
from .together import run_together as run_at_once
from .workers import run_together

FEW = 2  # states for which the narrowest vectors are faster: what they keep takes less memory
NARROW = 16  # bytes
SPINNING = 8  # times less work is worth a thread that spins already


class IterateKernel:
    """A compiled Program repeated over steps: call it, or `start` it to advance piece by piece.

    **Arguments:**

    - `steps`: the number of steps.
    - `every`: record every so many steps.
    - the inputs by name, each (..., *shape); those per step (steps, ..., *shape).

    **Returns:** two dicts of arrays: the carried ones after the last step, and the recorded ones,
    (steps // every, ..., *shape).

    **Raises:** `px.ArgumentError` if an array is missing or has the wrong shape or dtype.
    """

    recipe: Any = None  # of another in another process, if there is one

    def __init__(self, plan, description, code, thread_count):
        self.plan, self.name = plan, description["name"]
        self.dtype = np.dtype(description["dtype"])
        self.lanes, self.work, self.threads = (
            description["lanes"],
            description["work"],
            thread_count,
        )
        self._life = code.life
        self.native = code.function("iterate", None, ctypes.c_void_p)

    def start(
        self,
        /,
        steps: int,
        every: int = 1,
        out: dict[str, np.ndarray] | None = None,
        **arrays: ArrayLike,
    ) -> Iteration:
        """An Iteration, whose `advance` does some steps; `out` holds arrays for the records."""
        return Iteration(self, MainMemory(), steps, every, out, arrays)

    def __call__(
        self, /, steps: int, every: int = 1, **arrays: ArrayLike
    ) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        if self.recipe is not None and any(map(is_lazy, arrays.values())):
            return iterated_over_blocks(self, steps, every, arrays)
        iteration = self.start(steps, every, None, **arrays).advance()
        return iteration.state, iteration.records

    def steps_at_once(self, states):
        """Few enough for a thread to finish those of one block soon."""
        return max(1, PIECE_WORK // (max(self.work, 1) * self.lanes))

    def execute(self, arrays, states, steps, every, since):
        self.job(arrays, states).run(steps, every, since)

    def job(self, arrays, states, often=False):
        """Arrays of so many states, described to native code once; then `run` as often as needed.

        All but the records may be replaced between runs. often: runs are short and follow one
        another, so that it is worth it to let threads spin in between.
        """
        return Job(self, arrays, states, often)

    def __repr__(self):
        carried = ", ".join(f"{name}{list(self.plan.inputs[name])}" for name in self.plan.carry)
        return f"<iterate {self.name} carrying {carried}, {self.dtype}, {self.lanes} lanes>"


class Job:
    """The words that describe arrays (steps, states, entries) to native code."""

    def __init__(self, kernel, arrays, states, often=False):
        self._together = run_at_once if often else run_together
        self._thread_work = THREAD_WORK // SPINNING if often else THREAD_WORK
        self._kernel, self._states, self._arrays = kernel, states, list(arrays)
        self._words = word_array("q", [states, *[0] * (HEADER - 1 + ARRAY * len(arrays))])
        self._address, _ = self._words.buffer_info()
        self._blocks, self._steps = -(-states // kernel.lanes), None
        for k, array in enumerate(arrays):
            self.replace(k, array)

    def replace(self, k, array):
        """Put another array in the place of the k-th."""
        self._arrays[k] = array  # which keeps it alive
        step, row, _ = array.strides
        at = HEADER + ARRAY * k
        self._words[at] = array.__array_interface__["data"][0]
        self._words[at + 1], self._words[at + 2] = step, row if array.shape[1] > 1 else 0

    def run(self, steps, every, since=0):
        words = self._words
        if steps != self._steps:
            self._share_out(steps)
        words[CHUNK], words[CHUNKS] = self._shared
        words[STATUS], words[STEPS], words[EVERY], words[SINCE] = 0, steps, every, since
        run_in_pieces(self._once, words, CHUNKS, NEXT_CHUNK, self._chunk_work, self._threads)
        if words[STATUS]:
            raise MemoryError(
                f"{self._kernel.name}: not enough memory for the intermediate values of a state"
            )

    def _once(self):
        self._together(self._kernel.native, self._address, self._threads)

    def _share_out(self, steps):
        """Cut so many steps of all states into chunks, for as many threads as they are worth."""
        kernel, blocks, self._steps = self._kernel, self._blocks, steps
        block_work = max(1, kernel.work * steps * kernel.lanes)
        worth = max(1, blocks * block_work // self._thread_work)
        count = self._threads = min(kernel.threads or available(), worth, blocks)
        chunk = max(1, min(CHUNK_WORK // block_work, blocks // (4 * count)))  # in blocks
        self._shared, self._chunk_work = (
            (chunk * kernel.lanes, -(-blocks // chunk)),
            chunk * block_work,
        )


def iterate_kernel(
    body: Body | Row,
    plan: Plan,
    dtype: DTypeLike = "float64",
    threads: int | None = None,
    states: int | None = None,
) -> IterateKernel:
    """The iterate kernel of a Body or a Row: kept by this process, from the disk cache, or compiled.

    With few `states` the kernel is tuned for few; it takes any number, with the same bits.
    """
    dtype = checked_options(dtype, threads)
    lanes = lanes_of(dtype)
    if states is not None and states <= FEW:
        lanes = replace(lanes, count=NARROW // lanes.size)

    def make():
        row = made_row(body)
        row.check(plan)
        about(row.name)
        description = {"name": row.name, "dtype": dtype}
        description |= {"lanes": lanes.count, "work": row.cost}
        return description, host.compile_object(assembly_source(row, plan, lanes))

    parts = "iterate", body.key, plan.key, dtype, lanes, host.description()

    def load(description, data, threads):
        return IterateKernel(plan, description, host.LoadedCode(data), threads)

    return store.get(parts, make, load, threads)


def assembly_source(row, plan, lanes):
    """The whole LLVM module of an iterate kernel, as text."""
    module = Module()
    define_iterate(module, plan, lanes, row)
    return str(module)
