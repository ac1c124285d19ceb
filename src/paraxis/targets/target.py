"""A target: where a Body becomes a kernel, and where the arrays are that it works on.

    target.map(body, dtype)     over the states of a batch
    target.iterate(body, plan)  over time steps, carrying state; a Row of Bodies is a step, too
    target.sweep(body)          along rows of elements, one after another
    target.scan(body, order)    over the elements of a row, in logarithmic depth

The rest of a target is its memory (drivers/memory.py): `array`, `empty`, `stream`, ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from numpy.typing import DTypeLike

from ..body import Body
from ..checks import one_of
from ..drivers.iterate import Plan
from ..drivers.memory import Memory
from ..drivers.row import Row
from ..errors import ArgumentError
from .cpu.iterate import IterateKernel, iterate_kernel
from .cpu.map import Kernel, lanes_of, map_kernel
from .cpu.memory import MainMemory
from .cpu.sweep import sweep_kernel
from .cuda.arrays import family_of, on_a_gpu
from .cuda.device import device
from .cuda.memory import GpuMemory, VisitingArrays
from .number import checked_dtype

if TYPE_CHECKING:
    from .cuda.iterate import CudaIterateKernel
    from .cuda.map import CudaKernel

TARGETS = ("cpu", "cuda")


class Target(Memory, Protocol):
    """What code that runs anywhere asks of a target; `name` is "cpu" or "cuda"."""

    name: str

    def width(self, dtype: DTypeLike) -> int:
        """How many states are computed in the time of one."""
        ...

    def has_lanes(self, body: Body | Row, plan: Plan, dtype: DTypeLike, states: int) -> bool:
        """Whether several lanes compute each of so many states, under `iterate`."""
        ...

    def map(self, body: Body, dtype: DTypeLike = "float64", **options: Any) -> Any:
        """The kernel of a Body over the states of a batch."""
        ...

    def iterate(
        self, body: Body | Row, plan: Plan, dtype: DTypeLike = "float64", **options: Any
    ) -> Any:
        """The kernel of a Body, or of several in a Row, over time steps."""
        ...

    def sweep(self, body: Body, layouts: dict | None = None, **options: Any) -> Any:
        """The kernel of a Body along rows of elements; `layouts` of arrays by name."""
        ...

    def scan(self, body: Body, order: str, **options: Any) -> Any:
        """The kernel of a Body as the combine operator of a prefix scan."""
        ...


class Cpu(MainMemory):
    """The processors of this machine, and NumPy arrays."""

    name = "cpu"

    def has_lanes(self, body: Body | Row, plan: Plan, dtype: DTypeLike, states: int) -> bool:
        return False

    def width(self, dtype: DTypeLike) -> int:
        return lanes_of(checked_dtype(dtype)).count

    def map(self, body: Body, dtype: DTypeLike = "float64", threads: int | None = None) -> Kernel:
        return map_kernel(body, dtype, threads)

    def iterate(
        self,
        body: Body | Row,
        plan: Plan,
        dtype: DTypeLike = "float64",
        threads: int | None = None,
        states: int | None = None,
    ) -> IterateKernel:
        """`states`: their number, where it is known; for a few states there is separate code."""
        return iterate_kernel(body, plan, dtype, threads, states)

    def sweep(self, body: Body, layouts: dict | None = None, **options: Any):
        return sweep_kernel(body, layouts, **options)

    def scan(self, body: Body, order: str, threads: int | None = None):
        from .cpu.scan import scan_kernel  # here, because few programs scan

        return scan_kernel(body, order, threads, on=self)


class Cuda(GpuMemory):
    """The current GPU, and arrays on it that belong to one library."""

    name = "cuda"

    def __eq__(self, other):
        """Whether both are the same GPU, with arrays of the same library."""
        return isinstance(other, Cuda) and self._where == other._where

    def __hash__(self):
        return hash(self._where)

    @property
    def _where(self):
        return self.device, self.device.number, type(self.family)

    def has_lanes(self, body: Body | Row, plan: Plan, dtype: DTypeLike, states: int) -> bool:
        return self.iterate(body, plan, dtype).has_lanes(states)

    def width(self, dtype: DTypeLike) -> int:
        from .cuda.iterate import FILLING

        return FILLING

    def map(self, body: Body, dtype: DTypeLike = "float64", fast_math: bool = False) -> CudaKernel:
        from .cuda.map import CudaKernel  # here and below, because not everyone has a GPU

        return CudaKernel(body, dtype, fast_math, on=self.device)

    def iterate(
        self, body: Body | Row, plan: Plan, dtype: DTypeLike = "float64", states: int | None = None
    ) -> CudaIterateKernel:
        from .cuda.iterate import CudaIterateKernel

        return CudaIterateKernel(body, plan, dtype, on=self.device)

    def sweep(self, body: Body, layouts: dict | None = None, **options: Any):
        """Each thread is a lane, and may have any layout: layouts and options are for the CPU."""
        from .cuda.sweep import sweep_kernel

        return sweep_kernel(body, self.device)

    def scan(self, body: Body, order: str):
        from .cuda.scan import CudaScan

        return CudaScan(body, order, on=self)


CPU = Cpu()


def target_of(values: dict[str, Any]) -> Cpu | Cuda:
    """The target where these arrays are, given by name: a GPU if any of them is on one."""
    there = {name: value for name, value in values.items() if on_a_gpu(value)}
    if not there:
        return CPU
    return Cuda(device(), family_of(list(there.values()), list(there), device()))


def target_named(name: str | None, values: dict[str, Any] | None = None) -> Cpu | Cuda:
    """The target of that name; if it is None, the target where these arrays are."""
    values = values or {}
    if name is not None:
        one_of(name, TARGETS, "target")
    found = target_of(values)
    if name == "cpu" and found is not CPU:
        there = next(key for key, value in values.items() if on_a_gpu(value))
        raise ArgumentError(f"target 'cpu' cannot be used, as {there} is on a GPU; omit target")
    if name == "cuda" and found is CPU:
        return Cuda(device(), VisitingArrays(device()))
    return found
