"""Results of a study's function as arrays by name, with the states of its block as first axis."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from ..errors import ArgumentError
from .space import Space, check_name

KINDS = "fiub"  # of numbers that a store keeps


@dataclass(frozen=True)
class Result:
    """What a store keeps of one result: its shape for one state, and its type."""

    shape: tuple[int, ...]
    dtype: str

    @property
    def bytes(self) -> int:
        """Of one state."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize


def arrays_of(returned: Any, states: int) -> dict[str, np.ndarray]:
    """The arrays that a function returned for so many states, by name.

    One array is called "result"; those of a dict, a named tuple or a dataclass have their names.
    """
    if isinstance(returned, tuple) and not hasattr(returned, "_fields"):
        raise ArgumentError(
            "function: expected names for several arrays, as in a dict; found a tuple"
        )
    found: dict[str, np.ndarray] = {}
    _collect(returned, "", found)
    if not found:
        raise ArgumentError(
            "function: expected an array, or a dict, named tuple or dataclass of arrays, found "
            f"{type(returned).__name__}"
        )
    for name, array in found.items():
        check_name(name)
        if array.dtype.kind not in KINDS or array.dtype.itemsize > 8:
            raise ArgumentError(f"{name}: expected real numbers or bools, found {array.dtype}")
        if array.shape[:1] != (states,):
            raise ArgumentError(
                f"{name}: expected a first axis of the {states} states of the block, found shape "
                f"{array.shape}"
            )
        if not array.size:
            raise ArgumentError(f"{name}: expected numbers, found none: shape {array.shape}")
    return found


def _collect(value, name, found):
    if value is None:
        return
    inside = _inside(value)
    if inside is None:
        name = name or "result"
        if name in found:
            raise ArgumentError(
                f"{name}: expected results of different names, found two with this one"
            )
        found[name] = _in_main_memory(value)
        return
    for key, each in inside:
        _collect(each, f"{name}_{key}" if name else str(key), found)


def _inside(value):
    if isinstance(value, dict):
        return value.items()
    if is_dataclass(value) and not isinstance(value, type):
        return [(each.name, getattr(value, each.name)) for each in fields(value)]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return zip(value._fields, value, strict=True)
    return None


def _in_main_memory(value):
    if hasattr(value, "get") and hasattr(value, "__cuda_array_interface__"):  # of CuPy
        value = value.get()
    elif hasattr(value, "detach"):  # of PyTorch
        value = value.detach().cpu()
    if isinstance(value, np.ma.MaskedArray):
        raise ArgumentError(
            "function: a store keeps no masks; return array.filled(np.nan) for a masked array"
        )
    return np.asarray(value)


def check_names(arrays: Iterable[str], space: Space) -> None:
    """Raise if a result would take the place of a variable or of an axis."""
    taken = {*space.names, *space.axes, *(f"{axis}_block" for axis in space.axes)}
    for name in arrays:
        if name in taken:
            raise ArgumentError(
                f"{name}: a variable or an axis of the space has this name; give the result another"
            )


def kinds_of(arrays: dict[str, np.ndarray]) -> dict[str, Result]:
    """What is to be kept of such arrays."""
    return {
        name: Result(array.shape[1:], array.dtype.newbyteorder("<").str)
        for name, array in arrays.items()
    }


def check_same(arrays: dict[str, np.ndarray], known: dict[str, Result]) -> None:
    """Raise unless the arrays are of the kinds that the store has."""
    own = kinds_of(arrays)
    if {*own} != {*known}:
        raise ArgumentError(
            f"function: expected the results {sorted(known)}, as of other blocks, found "
            f"{sorted(own)}"
        )
    for name, kind in known.items():
        if own[name] != kind:
            raise ArgumentError(
                f"{name}: expected {kind.dtype} of shape {kind.shape} per state, as of other "
                f"blocks, found {own[name].dtype} of shape {own[name].shape}"
            )
