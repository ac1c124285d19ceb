"""A compiled body on the GPU, repeated over steps."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ...compiling import about
from ...drivers.iterate import Iteration
from ...drivers.row import made_row
from ..blocks import is_lazy, iterated_over_blocks
from ..number import checked_dtype
from .device import device
from .memory import memory_of
from .text.iterate import iterate_text
from .text.iterate_lanes import iterate_lanes_text
from .text.iterate_lanes import shared_bytes as shared_by_lanes

# Flops that one launch may take: a fraction of a second, so that others who use the GPU, and a
# keyboard interrupt, need not wait for the end of a long run. Fewer states than FILLING take as
# long a step as so many.
LAUNCH_WORK = 10**12
FILLING = 1 << 16
MOST_BY_LANES = 1 << 13  # states that warps compute sooner than threads


class CudaIterateKernel:
    """Call it with the number of steps and the arrays by name; or `start` it, to go on piecewise.

    As targets/cpu/iterate.py, for arrays of CuPy, PyTorch or JAX on a GPU; numbers are
    taken as they are. Steps are queued on the current stream and not waited for, but that a loop
    with `until` waits where it is asked whether it is over.
    """

    def __init__(self, body, plan, dtype: DTypeLike = "float64", on=None):
        self.plan, self.dtype = plan, np.dtype(checked_dtype(dtype))
        self.device, self._body = on or device(), body
        self._loaded = {}  # (number of the GPU, are states computed by lanes) -> kernel

    def start(self, /, steps, every=1, out=None, **arrays):
        """An Iteration, of which `advance` does some steps; `out` holds arrays for the records."""
        memory = memory_of(arrays, self.device)
        with memory.stream():
            return Iteration(self, memory, steps, every, out, arrays)

    recipe: Any = None  # of another in another process, if there is one

    def __call__(self, /, steps, every=1, **arrays):
        if self.recipe is not None and any(map(is_lazy, arrays.values())):
            return iterated_over_blocks(self, steps, every, arrays)
        iteration = self.start(steps, every, None, **arrays).advance()
        return iteration.state, iteration.records

    @property
    def name(self):
        return self._here().name

    @property
    def registers(self):
        """Registers per thread."""
        return self._here().launcher.registers

    @property
    def spilled(self):
        """Bytes per thread that are spilled to memory."""
        return self._here().launcher.spilled

    def text(self, by_lanes=False):
        """The CUDA C++."""
        return self._text(by_lanes)[0]

    def by_lanes(self, states):
        """Whether a warp computes each of so many states, or a thread."""
        if states > MOST_BY_LANES or self.plan.until or not self._body.may_have_lanes:
            return False
        return self._fits(self.device.most_shared)

    def steps_at_once(self, states):
        return max(1, LAUNCH_WORK // (max(states, FILLING) * self._here().work))

    def execute(self, arrays, states, steps, every, since):
        here, arguments = self._here(self.by_lanes(states)), [states, steps, every, since]
        for array in arrays:
            step, state, entry = (distance // array.itemsize for distance in array.strides)
            arguments += [array, step, state if array.shape[1] > 1 else 0, entry]
        here.launcher(-(-states // here.states), here.threads, arguments, here.shared)

    def job(self, arrays, states, often=False):
        """Arrays of so many states, that `run` works on as often as needed."""
        return _Job(self, arrays, states)

    def _here(self, by_lanes=False):
        """The kernel on the current GPU."""
        key = self.device.number, by_lanes
        if key not in self._loaded:
            parts = "iterate", self._body.key, self.plan.key, self.dtype.name, by_lanes
            make = partial(self._made, by_lanes)
            self._loaded[key] = self.device.loaded(parts, make, _Loaded)
        return self._loaded[key]

    def _fits(self, room):
        """Whether a state has room in that much shared memory."""
        dtype = self.dtype.name

        def make():
            steps = self._body.lanes if room else None
            fits = steps is not None and shared_by_lanes(steps, self.plan, dtype) <= room
            return {"fits": fits}, b""

        parts = "iterate by lanes", self._body.key, self.plan.key, dtype, room
        return self.device.loaded(parts, make, lambda _, found, __: found["fits"])

    def _text(self, by_lanes):
        """The text, and the flops of a step."""
        if by_lanes:
            steps = self._body.lanes
            about(steps.name)
            return iterate_lanes_text(steps, self.plan, self.dtype.name), steps.work
        row = made_row(self._body)
        about(row.name)
        row.check(self.plan)
        return iterate_text(row, self.plan, self.dtype.name), row.cost

    def _made(self, by_lanes):
        text, work = self._text(by_lanes)
        description = {"name": text.name, "threads": text.threads, "work": work}
        description |= {"shared": text.shared, "states": text.states}
        return description, self.device.binary(text.text, size=text.size)

    def __repr__(self):
        carried = ", ".join(f"{name}{list(self.plan.inputs[name])}" for name in self.plan.carry)
        return f"<iterate {self.name} carrying {carried}, {self.dtype}, cuda>"


class _Job:
    """As targets/cpu/iterate.py."""

    def __init__(self, kernel, arrays, states):
        self._kernel, self._arrays, self._states = kernel, list(arrays), states

    def replace(self, k, array):
        self._arrays[k] = array

    def run(self, steps, every, since=0):
        self._kernel.execute(self._arrays, self._states, steps, every, since)


class _Loaded:
    """One compiled kernel."""

    def __init__(self, gpu, description, binary):
        self.name, self.threads = description["name"], description["threads"]
        self.shared, self.states = description["shared"], description["states"]
        self.work = max(1, description["work"])
        self.launcher = gpu.load(binary, self.name)
