"""What drivers ask of a memory: see targets/cpu/memory.py and targets/cuda/memory.py."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

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

    def copy_marked(self, marks: Any, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Of each pair of arrays (steps, states, ...), copy to the first what the second has of
        those states whose number in `marks` is not zero."""
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

    def tiles(self, groups: int, steps: int, entries: int, lanes: int) -> Any:
        """New memory for sweeps, of shape (groups, steps, entries, lanes)."""
        ...

    def addresses(self, **arrays: Any) -> dict[str, int]:
        """Where arrays begin, by name."""
        ...

    def recorded(self, run: Callable) -> Callable:
        """`run(threads)`, which always does the same: a GPU queues all its launches at once."""
        ...

    def wait(self) -> None:
        """Wait until everything is computed."""
        ...
