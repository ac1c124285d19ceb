"""The memory of a GPU, for loops: arrays of one family, states side by side in what is new."""

from numbers import Real

import numpy as np

from ...drivers.map import as_array
from ...drivers.memory import MainMemory
from ...errors import ArgumentError
from .arrays import Family, family_of, on_a_gpu


def memory_of(values, on):
    """The memory in which these values are, by name; plain numbers are anywhere."""
    arrays = {name: value for name, value in values.items() if not is_number(value)}
    if not arrays:
        raise ArgumentError(f"arrays: expected some on the GPU, found numbers only ({[*values]})")
    return GpuMemory(on, family_of(list(arrays.values()), list(arrays), on))


def is_number(value):
    return isinstance(value, Real | np.generic) and not isinstance(value, bool)


class VisitingArrays(Family):
    """NumPy's arrays, which come to a GPU and go back."""

    def given_back(self, array):
        return self.device.in_main_memory(array)


class GpuMemory(MainMemory):
    """As MainMemory, for a device and a family of arrays there."""

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
        """An array of the device's module, of one that is there already."""
        if isinstance(value, self.arrays.ndarray):
            return value
        family_of([value], [name], self.device)  # it is on a GPU, or this says that it is not
        (array,) = self.family.taken([value])
        return array

    def put(self, value):
        """A copy on the device of what is in main memory; what is there already, itself."""
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

    def stream(self):
        """The context in which work is queued where the arrays' owner queues its own."""
        return self.family.stream()

    def given_back(self, array):
        if 0 in array.strides:  # one that repeats itself is not taken by everybody
            array = array.copy()
        return self.family.given_back(array)

    def in_main_memory(self, array):
        return self.device.in_main_memory(array)

    def wait(self):
        self.device.wait()
