"""A target: where a Body becomes a kernel, and where the arrays are that it works on.

    target.map(body, dtype)     over the states of a batch
    target.iterate(body, plan)  over time steps, carrying state
    target.scan(body, order)    over the elements of a row, in logarithmic depth

The rest of a target is its memory (drivers/memory.py): `array`, `empty`, `stream`, ...
"""

from ..checks import one_of
from ..drivers.memory import MainMemory
from ..errors import ArgumentError
from .cpu.iterate import iterate_kernel
from .cpu.map import map_kernel
from .cuda.arrays import family_of, on_a_gpu
from .cuda.device import device
from .cuda.iterate import CudaIterateKernel
from .cuda.map import CudaKernel
from .cuda.memory import GpuMemory, VisitingArrays

TARGETS = ("cpu", "cuda")


class Cpu(MainMemory):
    """This machine's processors, and NumPy's arrays."""

    name = "cpu"

    def map(self, body, dtype="float64", threads=None):
        return map_kernel(body, dtype, threads)

    def iterate(self, body, plan, dtype="float64", threads=None, states=None):
        """`states`: how many there will be, where that is known; few have code of their own."""
        return iterate_kernel(body, plan, dtype, threads, states)

    def scan(self, body, order, threads=None):
        from .cpu.scan import scan_kernel  # here and below, because few programs scan

        return scan_kernel(body, order, threads)


class Cuda(GpuMemory):
    """The GPU, and the arrays of one family that are there."""

    name = "cuda"

    def __eq__(self, other):
        """Do they have the same GPU, and arrays of the same library?"""
        return isinstance(other, Cuda) and self._where == other._where

    def __hash__(self):
        return hash(self._where)

    @property
    def _where(self):
        return self.device, self.device.number, type(self.family)

    def map(self, body, dtype="float64", fast_math=False):
        return CudaKernel(body, dtype, fast_math, on=self.device)

    def iterate(self, body, plan, dtype="float64", states=None):
        return CudaIterateKernel(body, plan, dtype, on=self.device)

    def scan(self, body, order):
        from .cuda.scan import CudaScan

        return CudaScan(body, order, on=self.device)


CPU = Cpu()


def target_of(values):
    """The target where the arrays among these values are, by name; a GPU if any is on one."""
    there = {name: value for name, value in values.items() if on_a_gpu(value)}
    if not there:
        return CPU
    return Cuda(device(), family_of(list(there.values()), list(there), device()))


def target_named(name, values=None):
    """The target of that name, or where it is None that of the values, by name."""
    values = values or {}
    if name is not None:
        one_of(name, TARGETS, "target")
    found = target_of(values)
    if name == "cpu" and found is not CPU:
        there = next(key for key, value in values.items() if on_a_gpu(value))
        raise ArgumentError(f"target: expected 'cuda', as {there} is on a GPU, found 'cpu'")
    if name == "cuda" and found is CPU:
        return Cuda(device(), VisitingArrays(device()))
    return found
