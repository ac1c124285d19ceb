"""A compiled body on the GPU, repeated over steps."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ...compiling import about
from ...drivers.iterate import Iteration
from ...drivers.row import made_row
from ..blocks import is_lazy, iterated_over_blocks
from ..number import checked_dtype
from ..source.text import function_name
from .device import device
from .memory import memory_of
from .team import MOST_STATES, WARPS, team_text_of
from .text.body import device_language
from .text.iterate import iterate_text
from .text.iterate_lanes import iterate_lanes_text
from .text.iterate_lanes import shared_bytes as shared_by_lanes

# Flops that one launch may take: a fraction of a second, so that others who use the GPU, and a
# keyboard interrupt, need not wait for the end of a long run. Fewer states than FILLING take as
# long a step as so many.
LAUNCH_WORK = 10**12
FILLING = 1 << 16
# States that the lanes of several warps compute sooner than threads, where there is a Plan
BY_LANES, MOST_BY_LANES, TOGETHER = "lanes", 1 << 12, 4


class CudaIterateKernel:
    """Call it with the number of steps and the arrays by name; or `start` it, to go on piecewise.

    As targets/cpu/iterate.py, for arrays of CuPy, PyTorch or JAX on a GPU; numbers are
    taken as they are. Steps are queued on the current stream and not waited for, but that a loop
    with `until` waits where it is asked whether it is over.
    """

    def __init__(self, body, plan, dtype: DTypeLike = "float64", on=None):
        self.plan, self.dtype = plan, np.dtype(checked_dtype(dtype))
        self.device, self._body = on or device(), body
        self._loaded = {}  # (number of the GPU, way to compute states) -> kernel

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
        return self._about["name"]

    def text(self, way=1):
        """The CUDA C++: by lanes, or for teams of so many warps where these are sooner done than a
        single one, which has a thread for each state."""
        if way == BY_LANES:
            return iterate_lanes_text(self._body.lanes, self.plan, self.dtype.name, TOGETHER)
        row, dtype, text = self._row(), self.dtype.name, None
        if way > 1:
            text = team_text_of(row, self.plan, dtype, way, self.device.most_shared)
        return text or iterate_text(row, self.plan, dtype)

    def way(self, states):
        """By lanes for each of so many states, or how many warps may share 32 of them."""
        if self.has_lanes(states):
            return BY_LANES
        return WARPS if states <= MOST_STATES and self.device.most_shared else 1

    def has_lanes(self, states):
        """Whether several lanes compute each of so many states."""
        return states <= MOST_BY_LANES and self._lanes_fit

    def steps_at_once(self, states):
        return max(1, LAUNCH_WORK // (max(states, FILLING) * self._about["work"]))

    def execute(self, arrays, states, steps, every, since):
        here, arguments = self.loaded(self.way(states)), [states, steps, every, since]
        for array in arrays:
            step, state, entry = (distance // array.itemsize for distance in array.strides)
            arguments += [array, step, state if array.shape[1] > 1 else 0, entry]
        here.launcher(-(-states // here.states), here.threads, arguments, here.shared)

    def job(self, arrays, states, often=False):
        """Arrays of so many states, that `run` works on as often as needed."""
        return _Job(self, arrays, states)

    def loaded(self, way):
        """The kernel on the current GPU."""
        key, room = (self.device.number, way), self.device.most_shared
        if key not in self._loaded:

            def make():
                about(self.name)
                text = self.text(way)
                description = {
                    name: getattr(text, name) for name in ("name", "threads", "states", "shared")
                }
                return description, self.device.binary(text.text, size=text.size)

            parts = *self._parts, way, TOGETHER, None if way == 1 else room
            self._loaded[key] = self.device.loaded(parts, make, _Loaded)
        return self._loaded[key]

    @property
    def _parts(self):
        return "iterate", self._body.key, self.plan.key, self.dtype.name

    @cached_property
    def _lanes_fit(self):
        """Whether there is a Plan for lanes, whose numbers fit into the memory that they share."""
        room = self.device.most_shared
        if self.plan.until or not room or not self._body.may_have_lanes:
            return False

        def make():
            steps = self._body.lanes
            fit = bool(steps) and shared_by_lanes(steps, self.plan, self.dtype.name) <= room
            return {"fit": fit}, b""

        parts = *self._parts, "lanes", room
        return self.device.loaded(parts, make, lambda _, found, __: found["fit"])

    @cached_property
    def _about(self):
        """What is known before it is decided which kernel it is."""
        room = self.device.most_shared

        def make():
            if self._lanes_fit:
                steps = self._body.lanes
                return _described(f"{steps.name}_lanes", steps.work), b""
            row = self._row()
            name = function_name(row, None, device_language(self.dtype.name)) + "_loop"
            return _described(name, row.cost), b""

        parts = *self._parts, "about", room
        return self.device.loaded(parts, make, lambda _, found, __: found)

    def _row(self):
        row = made_row(self._body)
        row.check(self.plan)
        return row

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


def _described(name, work):
    """The name of a kernel and the flops of a step."""
    return {"name": name, "work": max(1, work)}


class _Loaded:
    """One compiled kernel: `states` are those of a block, `shared` its bytes of shared memory."""

    def __init__(self, gpu, description, binary):
        self.name, self.threads = description["name"], description["threads"]
        self.states, self.shared = description["states"], description["shared"]
        self.launcher = gpu.load(binary, self.name)
