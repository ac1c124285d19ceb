"""Main memory: NumPy arrays."""

from contextlib import nullcontext
from typing import Any

import numpy as np

from ...drivers.map import as_array

SIZE = 8  # bytes of a float64
BOUNDARY = 64  # bytes: the widest register


class MainMemory:
    """The Memory of NumPy arrays."""

    arrays: Any = np

    def array(self, value, name, shape):
        return as_array(value, name, shape)

    def taken(self, value, name):
        return value

    def put(self, value):
        return value

    def brought(self, value, name, shape):
        return as_array(value, name, shape)

    def empty(self, first, batch, shape, dtype="float64"):
        return np.empty((*first, *batch, *shape), dtype)

    def may_write(self, array, entries_first):
        return array.flags.c_contiguous and array.flags.writeable

    def copy_marked(self, marks, pairs):
        (states,) = marks.nonzero()
        if len(states):
            for array, other in pairs:
                array[:, states] = other[:, states]

    def stream(self):
        return nullcontext()

    def given_back(self, array):
        return array

    def in_main_memory(self, array):
        return np.asarray(array)

    def fetched(self, value):
        return value

    def wait(self):
        pass

    def tiles(self, groups, steps, entries, lanes):
        """In which each register is on a boundary of its own size."""
        count = groups * steps * entries * lanes
        raw = np.zeros(count * SIZE + BOUNDARY, np.uint8)
        start = -raw.ctypes.data % BOUNDARY
        flat = raw[start : start + count * SIZE].view(np.float64)
        return flat.reshape(groups, steps, entries, lanes)

    def addresses(self, **arrays):
        return {name: array.__array_interface__["data"][0] for name, array in arrays.items()}

    def recorded(self, run):
        return run
