"""The memory of a GPU: arrays of one library, new ones with states side by side."""

from numbers import Real

import numpy as np

from ...drivers.map import as_array
from ...errors import ArgumentError
from .arrays import Family, family_of, on_a_gpu
from .recording import Recording


def memory_of(values, on):
    """The memory where these values are, given by name; plain numbers may be anywhere."""
    arrays = {name: value for name, value in values.items() if not is_number(value)}
    if not arrays:
        raise ArgumentError(f"expected an array on a GPU, found only numbers ({[*values]})")
    return GpuMemory(on, family_of(list(arrays.values()), list(arrays), on))


def is_number(value):
    return isinstance(value, Real | np.generic) and not isinstance(value, bool)


class VisitingArrays(Family):
    """NumPy arrays, which are copied to a GPU and back."""

    def given_back(self, array):
        return self.device.in_main_memory(array)


class GpuMemory:
    """The Memory of arrays of one family on a device."""

    def __init__(self, device, family):
        self.device, self.family = device, family
        self.arrays = device.arrays

    def array(self, value, name, shape):
        array = self.put(value) if is_number(value) else self.taken(value, name)
        if array.dtype.kind not in "fiu":
            raise ArgumentError(f"{name}: expected real numbers, found dtype {array.dtype}")
        entry = array.shape[array.ndim - len(shape) :] if array.ndim >= len(shape) else None
        if entry != shape:
            expected = ", ".join(["...", *map(str, shape)])
            raise ArgumentError(f"{name}: expected shape ({expected}), found {array.shape}")
        return array

    def taken(self, value, name):
        if isinstance(value, self.arrays.ndarray):
            return value
        family_of([value], [name], self.device)  # raises unless it is on a GPU
        (array,) = self.family.taken([value])
        return array

    def put(self, value):
        if isinstance(value, self.arrays.ndarray):
            return value
        if is_number(value):  # a kernel that fills it does not wait, as a copy may
            return self.arrays.full((), float(value))
        return self.arrays.asarray(value)

    def fetched(self, value):
        if isinstance(value, self.arrays.ndarray) or on_a_gpu(value):
            return self.in_main_memory(self.taken(value, "array"))
        return value

    def brought(self, value, name, shape):
        if isinstance(value, self.arrays.ndarray) or on_a_gpu(value):
            return self.array(value, name, shape)
        return self.put(as_array(value, name, shape))

    def empty(self, first, batch, shape, dtype="float64"):
        entries_first = self.arrays.empty((*first, *shape, *batch), dtype)
        before, axes = len(first), len(shape)
        order = (*range(before), *range(before + axes, entries_first.ndim))
        return entries_first.transpose(*order, *range(before, before + axes))

    def may_write(self, array, entries_first):
        return array.flags.c_contiguous or entries_first.flags.c_contiguous

    def copy_marked(self, marks, pairs):
        """Without waiting to know how many there are."""
        marked = marks != 0.0
        for array, other in pairs:
            where = marked.reshape(-1, *[1] * (array.ndim - 2))
            self.arrays.copyto(array, other, where=where)

    def stream(self):
        """Work is queued on the stream that the library of the arrays uses."""
        return self.family.stream()

    def given_back(self, array):
        if 0 in array.strides:  # broadcast arrays are not accepted by every library
            array = array.copy()
        return self.family.given_back(array)

    def in_main_memory(self, array):
        return self.device.in_main_memory(array)

    def wait(self):
        self.device.wait()

    def tiles(self, groups, steps, entries, lanes):
        """In which groups are side by side: one thread is a group, and has one lane."""
        memory = self.arrays.zeros((steps, entries, lanes, groups))
        return memory.transpose(3, 0, 1, 2)

    def addresses(self, **arrays):
        return {name: self.device.address(array) for name, array in arrays.items()}

    def recorded(self, run):
        return Recording(self.device, run)
