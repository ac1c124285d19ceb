"""Where the arrays of a loop are: in main memory here, on a device in targets/cuda/memory.py."""

from contextlib import nullcontext

import numpy as np

from .map import as_array


class MainMemory:
    """NumPy's arrays. `arrays` is the array module."""

    arrays = np

    def array(self, value, name, shape):
        """What was given under a name as an array of batch shape + `shape`, or a clear error."""
        return as_array(value, name, shape)

    def taken(self, value, name):
        """An array of the array module, of one that is in this memory already."""
        return value

    def put(self, value):
        """An array of NumPy's, or a number, in this memory."""
        return value

    def brought(self, value, name, shape):
        """As `array`, of values that may be elsewhere."""
        return as_array(value, name, shape)

    def empty(self, first, batch, shape, dtype="float64"):
        """A new array of shape first + batch + `shape`, lying as loops like it."""
        return np.empty((*first, *batch, *shape), dtype)

    def may_write(self, array, entries_first):
        """May a loop write it? It is also seen with entries before states."""
        return array.flags.c_contiguous and array.flags.writeable

    def stream(self):
        """The context in which to compute."""
        return nullcontext()

    def given_back(self, array):
        """An array as whoever gave some wants it."""
        return array

    def in_main_memory(self, array):
        """A result as NumPy's array; where there is something to wait for, this waits."""
        return np.asarray(array)

    def fetched(self, value):
        """What is in this memory, in main memory; what is elsewhere stays as it is."""
        return value

    def wait(self):
        """Until everything is computed."""
