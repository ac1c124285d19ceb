"""A compiled graph whose parts run on several threads, callable on arrays."""

import ctypes
import math
from functools import cache

import numpy as np

from ...compiling import about
from ...errors import ArgumentError
from .. import store
from ..number import checked_dtype
from . import host
from .map import ELEMENTS, Kernel, load_kernel
from .team import MOST, MOST_ARRAYS, team
from .text import python_entry
from .text.parts import assembly_source
from .text.team import member_source

AT_ONCE = 1 << 14  # states of a batch, for between pieces of it Python runs signal handlers


class ParallelKernel(Kernel):
    """A kernel whose one state is computed by several threads.

    Called like any kernel. The states of a batch are done one after another: for batches a plain
    kernel, whose threads take states each, is far better.
    """

    def __init__(self, description, code, processors):
        super().__init__(description, code, processors)
        self.processors = processors
        self._run = code.function("run", None, ctypes.c_void_p, ctypes.c_int64)
        ctypes.c_void_p.from_address(code.global_address("team")).value = team.address

    def _compute(self, arrays, results, batch, fresh):
        shapes = self.inputs.values()
        given = [
            np.ascontiguousarray(np.broadcast_to(array, batch + shape), self.dtype)
            for array, shape in zip(arrays, shapes, strict=True)
        ]
        # Parts read inputs while others write outputs: those may not lie in the same place.
        made = results if fresh else [np.empty(array.shape, self.dtype) for array in results]
        states, arrays = math.prod(batch), (*given, *made)
        team.ready(self.processors, member())
        for first in range(0, states, AT_ONCE):
            pointers = [array.ctypes.data + first * array.nbytes // states for array in arrays]
            addresses = (ctypes.c_void_p * len(pointers))(*pointers)
            self._run(ctypes.addressof(addresses), min(AT_ONCE, states - first))
        if not fresh:
            for result, array in zip(results, made, strict=True):
                result[...] = array

    def __repr__(self):
        return super().__repr__().replace(f"{self.lanes} lanes", f"{self.processors} processors")


@cache
def member():
    """The native function that members of the team run; it stays loaded, as they stay."""
    code = host.loaded("member", member_source)
    return code.function("work", None, ctypes.c_void_p, ctypes.c_void_p)


def compile_parts(graph, parts, lines, dtype="float64"):
    """A kernel of parts, from the cache or compiled and kept there; `lines` is their number."""
    dtype = checked_dtype(dtype)
    if len(parts) > MOST:
        raise ArgumentError(f"processors: expected at most {MOST}, found {len(parts)}")
    if len(graph.shapes) > MOST_ARRAYS:
        raise ArgumentError(
            f"{graph.name}: expected at most {MOST_ARRAYS} arrays, found {len(graph.shapes)}"
        )
    entry = python_entry.supported()
    text = assembly_source(graph, parts, lines, ELEMENTS[dtype], entry)

    def make():
        about(graph.name)
        description = {
            "name": graph.name,
            "dtype": dtype,
            "inputs": graph.inputs,
            "outputs": {name: shape for name, (shape, _) in graph.outputs.items()},
            "lanes": 1,
            "work": 0,
            "entry": entry and python_entry.has_entry(graph),
        }
        return description, host.compile_object(text)

    found = store.code((text, tuple.__basicsize__, host.description()), make)
    return load_kernel(*found, len(parts), kind=ParallelKernel)
