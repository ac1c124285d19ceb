"""Kernels launched from native code: what to launch is written down once, for many calls."""

import ctypes
from array import array as word_array
from functools import cache

from ...drivers.device_map import BOUNDARY, ROWS
from ..cpu import host
from ..cpu import python_objects as objects
from ..cpu.text import launch_entry, python_entry


@cache
def native_launch():
    """`launch(block, stream, *addresses)` returns 0, or why not: what the CUDA driver returned, or
    REFUSED. None where Python cannot call native functions."""
    if not python_entry.supported():
        return None
    code = host.loaded("launch", launch_entry.launch_source)
    context = (ctypes.c_int64 * len(launch_entry.CONTEXT)).from_address(
        code.global_address("context")
    )
    context[:] = [objects.address_of(name) for name in launch_entry.CONTEXT.values()]
    return objects.new_function(code.address("call"), context, code.life)


class Block:
    """The words that describe launches, at an `address` where they stay as long as this lives.

    `start` is the address of cuLaunchKernel; `loaded` are the kernels, which are kept too; `given`
    tells whether the caller provides the results.
    """

    def __init__(self, start, plan, inputs, loaded, given):
        handles = loaded.handles()
        header = [start, len(plan.arrays), inputs, len(plan.words), len(handles), int(given)]
        arrays = [
            word
            for place, array, layout in zip(plan.addresses, plan.arrays, plan.layouts, strict=True)
            for word in (place, *array.extent, BOUNDARY - 1 if layout == ROWS else 0, *array.comb)
        ]
        kernels = [
            word
            for function, threads, shared, states in handles
            for word in (function, -(-plan.states // states), threads, shared)
        ]
        self._words = word_array("q", [*header, *arrays, *kernels, *plan.words])
        self.address, _ = self._words.buffer_info()
        self._loaded = loaded
