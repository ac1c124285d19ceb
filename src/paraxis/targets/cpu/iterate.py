"""A compiled body on the CPU, repeated over steps."""

from __future__ import annotations

import ctypes
from array import array as word_array

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ...body import Body
from ...drivers.iterate import Iteration, Plan
from ...passes.cost import cost
from ...passes.fuse import fuse
from ...passes.order import trig_first
from .. import store
from ..compiling import about
from . import host
from .map import CHUNK_WORK, THREAD_WORK, checked_options, lanes_of
from .memory import MainMemory
from .pieces import PIECE_WORK, run_in_pieces
from .text.body import define_body
from .text.iterate import CHUNKS, NEXT_CHUNK, STATUS, define_iterate
from .text.lanes import Lanes
from .text.module import Module
from .threads import available
from .workers import run_together

FEW = 2  # states for which the narrowest vectors are faster: what they keep takes less memory
NARROW = 16  # bytes


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

    def __init__(self, plan, description, code, thread_count):
        self.plan, self.name = plan, description["name"]
        self.dtype = np.dtype(description["dtype"])
        self.lanes, self.work, self.threads = (
            description["lanes"],
            description["work"],
            thread_count,
        )
        self._life = code.life
        self._iterate = code.function("iterate", None, ctypes.c_void_p)

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
        iteration = self.start(steps, every, None, **arrays).advance()
        return iteration.state, iteration.records

    def steps_at_once(self, states):
        """Few enough for a thread to finish those of one block soon."""
        return max(1, PIECE_WORK // (max(self.work, 1) * self.lanes))

    def execute(self, arrays, states, steps, every, since):
        blocks = -(-states // self.lanes)
        block_work = max(1, self.work * steps * self.lanes)
        worth = max(1, blocks * block_work // THREAD_WORK)
        count = min(self.threads or available(), worth, blocks)
        chunk = max(1, min(CHUNK_WORK // block_work, blocks // (4 * count)))  # in blocks
        words = [states, chunk * self.lanes, -(-blocks // chunk), 0, 0, steps, every, since]
        for array in arrays:
            step, row, _ = array.strides
            words += (array.ctypes.data, step, row if array.shape[1] > 1 else 0)
        job = word_array("q", words)
        address, _ = job.buffer_info()
        run_in_pieces(
            lambda: run_together(self._iterate, address, count),
            job,
            CHUNKS,
            NEXT_CHUNK,
            chunk * block_work,
            count,
        )
        if job[STATUS]:
            raise MemoryError(
                f"{self.name}: not enough memory for the intermediate values of a state"
            )

    def __repr__(self):
        carried = ", ".join(f"{name}{list(self.plan.inputs[name])}" for name in self.plan.carry)
        return f"<iterate {self.name} carrying {carried}, {self.dtype}, {self.lanes} lanes>"


def iterate_kernel(
    body: Body,
    plan: Plan,
    dtype: DTypeLike = "float64",
    threads: int | None = None,
    states: int | None = None,
) -> IterateKernel:
    """The iterate kernel of a Body: kept by this process, from the disk cache, or compiled.

    With few `states` the kernel is tuned for few; it takes any number, with the same bits.
    """
    dtype = checked_options(dtype, threads)
    lanes = lanes_of(dtype)
    if states is not None and states <= FEW:
        lanes = Lanes(lanes.element, NARROW // lanes.size)

    def make():
        graph = body.made()
        about(graph.name)
        description = {"name": graph.name, "dtype": dtype}
        description |= {"lanes": lanes.count, "work": cost(graph)}
        return description, host.compile_object(assembly_source(graph, plan, lanes))

    parts = "iterate", body.key, plan.key, dtype, lanes, host.description()

    def load(description, data, threads):
        return IterateKernel(plan, description, host.LoadedCode(data), threads)

    return store.get(parts, make, load, threads)


def assembly_source(graph, plan, lanes):
    """The whole LLVM module of an iterate kernel, as text."""
    module = Module()
    fused = fuse(graph) if host.has_fma() else graph
    frame = define_body(module, "body", fused, trig_first(fused), lanes)
    define_iterate(module, plan, lanes, "body", frame)
    return str(module)
