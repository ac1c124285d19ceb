"""A compiled body on the GPU, repeated over steps."""

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

# Flops that one launch may take: a fraction of a second, so that others who use the GPU, and a
# keyboard interrupt, need not wait for the end of a long run. Fewer states than FILLING take as
# long a step as so many.
LAUNCH_WORK = 10**12
FILLING = 1 << 16


class CudaIterateKernel:
    """Call it with the number of steps and the arrays by name; or `start` it, to go on piecewise.

    As targets/cpu/iterate.py, for arrays of CuPy, PyTorch or JAX on a GPU; numbers are
    taken as they are. Steps are queued on the current stream and not waited for, but that a loop
    with `until` waits where it is asked whether it is over.
    """

    def __init__(self, body, plan, dtype: DTypeLike = "float64", on=None):
        self.plan, self.dtype = plan, np.dtype(checked_dtype(dtype))
        self.device, self._body = on or device(), body
        self._loaded = {}  # by the number of the GPU

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
        return self._here.name

    @property
    def registers(self):
        """Registers per thread."""
        return self._here.launcher.registers

    @property
    def spilled(self):
        """Bytes per thread that are spilled to memory."""
        return self._here.launcher.spilled

    def text(self):
        """The CUDA C++."""
        return iterate_text(self._row(), self.plan, self.dtype.name)

    def steps_at_once(self, states):
        return max(1, LAUNCH_WORK // (max(states, FILLING) * self._here.work))

    def execute(self, arrays, states, steps, every, since):
        here, arguments = self._here, [states, steps, every, since]
        for array in arrays:
            step, state, entry = (distance // array.itemsize for distance in array.strides)
            arguments += [array, step, state if array.shape[1] > 1 else 0, entry]
        here.launcher(-(-states // here.threads), here.threads, arguments)

    def job(self, arrays, states, often=False):
        """Arrays of so many states, that `run` works on as often as needed."""
        return _Job(self, arrays, states)

    @property
    def _here(self):
        """The kernel on the current GPU."""
        number = self.device.number
        if number not in self._loaded:
            parts = "iterate", self._body.key, self.plan.key, self.dtype.name
            self._loaded[number] = self.device.loaded(parts, self._made, _Loaded)
        return self._loaded[number]

    def _row(self):
        row = made_row(self._body)
        row.check(self.plan)
        return row

    def _made(self):
        row = self._row()
        about(row.name)
        text = iterate_text(row, self.plan, self.dtype.name)
        description = {"name": text.name, "threads": text.threads, "work": row.cost}
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
        self.work = max(1, description["work"])
        self.launcher = gpu.load(binary, self.name)
