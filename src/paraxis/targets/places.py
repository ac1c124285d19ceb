"""Where to compute: on the CPU with NumPy's arrays, or on a GPU with those that are there."""

from ..checks import one_of
from ..drivers.memory import MainMemory
from ..errors import ArgumentError
from .cpu.iterate import FEW, compile_loop
from .cpu.map import compile_kernel
from .cuda.arrays import family_of, on_a_gpu
from .cuda.device import device
from .cuda.iterate import CudaLoop
from .cuda.map import CudaKernel
from .cuda.memory import GpuMemory, VisitingArrays

TARGETS = ("cpu", "cuda")


class Cpu(MainMemory):
    """Main memory, and loops and kernels for what is there."""

    target, number = "cpu", None

    def few(self, states):
        """Are there so few states that code of its own is worth while?"""
        return states <= FEW

    def loop(self, identity, make_graph, plan, work, few):
        return compile_loop(identity, make_graph, plan, work, for_few=few)

    def kernel(self, identity, make_graph, work, dtype="float64"):
        return compile_kernel(identity, make_graph, work, dtype)


class Gpu(GpuMemory):
    """The memory of a GPU, and loops and kernels for what is there."""

    target = "cuda"

    @property
    def number(self):
        """Of the GPU."""
        return self.device.number

    def few(self, states):
        return False

    def loop(self, identity, make_graph, plan, work, few):
        return CudaLoop(identity, make_graph, plan, work, on=self.device)

    def kernel(self, identity, make_graph, work, dtype="float64"):
        return CudaKernel(identity, make_graph, dtype, on=self.device)


CPU = Cpu()


def place_of(values):
    """The place where the arrays among these values are, by name; a GPU if any is on one."""
    there = {name: value for name, value in values.items() if on_a_gpu(value)}
    if not there:
        return CPU
    return Gpu(device(), family_of(list(there.values()), list(there), device()))


def place_for(target, values):
    """The place of a target, if one is named, else that of the values."""
    if target is not None:
        one_of(target, TARGETS, "target")
    place = place_of(values)
    if target == "cpu" and place is not CPU:
        there = next(name for name, value in values.items() if on_a_gpu(value))
        raise ArgumentError(f"target: expected 'cuda', as {there} is on a GPU, found 'cpu'")
    return Gpu(device(), VisitingArrays(device())) if target == "cuda" and place is CPU else place
