"""The memory of arrays: main memory here, that of a GPU in targets/cuda/memory.py."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

import numpy as np

from .map import as_array

Shape = tuple[int, ...]


class Memory(Protocol):
    """What drivers ask of a memory. `arrays` is its array module: NumPy, or CuPy."""

    arrays: Any

    def array(self, value: Any, name: str, shape: Shape) -> Any:
        """The argument `name` as an array of batch shape + `shape`, or a clear error."""
        ...

    def taken(self, value: Any, name: str) -> Any:
        """An array in this memory, of any library, as an array of the array module."""
        ...

    def put(self, value: Any) -> Any:
        """A NumPy array or a number, copied to this memory."""
        ...

    def brought(self, value: Any, name: str, shape: Shape) -> Any:
        """As `array`, for values that may be in another memory."""
        ...

    def empty(self, first: Shape, batch: Shape, shape: Shape, dtype: Any = "float64") -> Any:
        """A new array of shape first + batch + `shape`, in the layout that is fastest here."""
        ...

    def may_write(self, array: Any, entries_first: Any) -> bool:
        """Whether kernels can write it; `entries_first` is a view with entries before states."""
        ...

    def stream(self) -> AbstractContextManager:
        """The context in which to compute."""
        ...

    def given_back(self, array: Any) -> Any:
        """An array of the array module as one of the library that the caller uses."""
        ...

    def in_main_memory(self, array: Any) -> np.ndarray:
        """A result as a NumPy array, once it is computed."""
        ...

    def fetched(self, value: Any) -> Any:
        """A value in this memory, copied to main memory; other values are returned unchanged."""
        ...

    def wait(self) -> None:
        """Wait until everything is computed."""
        ...


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
