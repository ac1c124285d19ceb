"""A graph as CUDA C++: a device function for one state, and a kernel, one thread per state.

Entries and states of an array may lie any distance apart: rows of states, columns of entries, or
one state for all threads. The text includes nothing and asks nothing of CUDA but its keywords,
the index of a thread and `sincos`, so that with a few macros in front (selftest/cuda.py) a plain
C++ compiler takes it too, which is how its numbers are checked where there is no GPU.
"""

from numpy.typing import DTypeLike

from ..number import checked_dtype
from .c import SUFFIX, TYPES, Function, c_language, memory, one_state
from .text import listed, write

RESERVED = """
    threadIdx blockIdx blockDim gridDim warpSize sincos sincosf test_check test_run
"""


# nvcc knows these names from the start, NVRTC does not
NOT_FINITE = """
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
#endif
"""


class DeviceFunction(Function):
    """Each pointer comes with the distance between entries; in the kernel, between states too."""

    kind, part_kind = "static __device__ void", "static __device__ __noinline__ void"
    layout = (
        "After an array comes the distance between its entries and, in the kernel, its states: "
        "1 and the number of entries for states one after another."
    )

    def __init__(self, graph, name, dtype):
        dtype = checked_dtype(dtype)
        pair = f"{TYPES[dtype]} {{0}}, {{1}}; sincos{SUFFIX[dtype]}({{2}}, &{{0}}, &{{1}});"
        super().__init__(graph, name, c_language(dtype, RESERVED, pair=pair))
        self.entry_step = {a: self.names.new(f"{a.name}_entry") for a in self.arrays}
        self.state_step = {a: self.names.new(f"{a.name}_state") for a in self.arrays}

    def parameters(self, arrays):
        return [f"{self.pointee(a)} *{a.name}, long long {self.entry_step[a]}" for a in arrays]

    def arguments(self, arrays):
        return [f"{a.name}, {self.entry_step[a]}" for a in arrays]

    def entry(self, array, k):
        return f"{array.name}[{k} * {self.entry_step[array]}]"

    def batch_head(self):
        parameters = [
            f"{parameter}, long long {self.state_step[array]}"
            for array, parameter in zip(self.arrays, self.parameters(self.arrays), strict=True)
        ]
        head = f'extern "C" __global__ void {self.name}_batch('
        return listed(head, ["long long states", *parameters], ")", "    ")

    def rows(self):
        return [
            f"{a.name} + {self.state_step[a]} * state, {self.entry_step[a]}" for a in self.arrays
        ]


def source(graph, name=None, dtype: DTypeLike = "float64", notes=()):
    """The text of a CUDA file; `notes` are paragraphs for the comment it begins with."""
    function = DeviceFunction(graph, name, dtype)
    straight = write(graph, function.language, function.arrays, function.entry)
    body = one_state(function, straight)
    return f"""{function.comment(notes, memory(straight))}
{NOT_FINITE if "NAN" in body or "INFINITY" in body else ""}
{body}

{function.batch_head()}
{{
    const long long state = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (state < states) {{
{listed(f"        {function.name}(", function.rows(), ");", " " * 12)}
    }}
}}
"""
