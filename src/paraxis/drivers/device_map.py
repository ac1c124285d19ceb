"""The `map` driver on a device: the layouts of a batch's arrays, and the arguments of its kernel.

Arrays are described, not copied, unless their element type is another one, they overlap a result,
or their batch has more than two axes that do not follow from each other.

    rows      the entries of a state side by side, states one after another
    columns   states side by side, entries at some distance
    apart     entries and states at any distance, states along two axes
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from ..checks import counted
from ..errors import ArgumentError
from .map import batch_steps, broadcast_batch, check_entry, merged_axes, overlap

ROWS, COLUMNS, APART = "rows", "columns", "apart"
BOUNDARY = 16  # bytes; rows that begin on one are copied in whole packets


@dataclass(frozen=True)
class Plan:
    """What to compute: `states` of them, in arrays of these layouts, inputs first."""

    states: int
    layouts: tuple
    arguments: list  # of the kernel, after the number of states
    results: list
    copies: list  # (result, where it is computed), of results that no kernel can write

    def finish(self):
        """To be done once the kernel is queued."""
        for result, copy in self.copies:
            result[...] = copy


def plan(signature, arrays, dtype, places, device):
    """A Plan for these arrays; `places` are arrays for the results, or None for new ones."""
    entries = [*signature.inputs.values(), *signature.outputs.values()]
    arrays = [
        _checked(array, name, shape, dtype)
        for array, (name, shape) in zip(arrays, signature.inputs.items(), strict=True)
    ]
    batch = broadcast_batch(signature, arrays)
    if places is None:
        layouts = [(a.shape, [step / a.itemsize for step in a.strides]) for a in arrays]
        side_by_side = in_columns(layouts, signature.inputs.values())
        results = [
            _empty(device.arrays, batch, shape, dtype, side_by_side)
            for shape in signature.outputs.values()
        ]
    else:
        results = _fitting(signature, places, batch, dtype, device)
        arrays = [
            array.copy() if any(_overlap(array, result, device) for result in results) else array
            for array in arrays
        ]
    every = [*arrays, *results]
    axes = _axes(every, entries, batch)
    for k, (array, entry) in enumerate(zip(every, entries, strict=True)):
        if _step(array, entry) is None or (len(axes) > 2 and not _in_line(array, batch, entry)):
            is_input = k < len(arrays)
            every[k] = _whole(device.arrays, array, batch, entry, is_input)
    axes = _axes(every, entries, batch)
    layouts, arguments = [], []
    for k, (array, entry) in enumerate(zip(every, entries, strict=True)):
        layout, distances = _lies(array, entry, [along[k] for _, along in axes], axes, device)
        layouts.append(layout)
        arguments += [array, *distances]
    if APART in layouts:
        arguments.insert(0, axes[-1][0])
    made = every[len(arrays) :]
    copies = [(r, m) for r, m in zip(results, made, strict=True) if r is not m]
    return Plan(math.prod(batch), tuple(layouts), arguments, results, copies)


def _lies(array, entry, steps, axes, device):
    """The layout of an array, and the distances that the kernel needs, in elements."""
    item, entries, step = array.itemsize, math.prod(entry), _step(array, entry)
    state = steps[-1]
    in_line = len(steps) == 1 or steps[0] == state * axes[-1][0]
    if in_line and state == item:
        return COLUMNS, (step // item,)
    if (
        in_line
        and step == item
        and state == entries * item
        and device.address(array) % BOUNDARY == 0
    ):
        return ROWS, ()
    outer = 0 if len(steps) == 1 else steps[0]
    return APART, (step // item, state // item, outer // item)


def _step(array, entry):
    """The bytes between entries of a state, or None where they are not evenly spaced."""
    steps = array.strides[array.ndim - len(entry) :]
    if not all(steps[k] == steps[k + 1] * entry[k + 1] for k in range(len(entry) - 1)):
        return None
    return steps[-1] if entry else array.itemsize


def _in_line(array, batch, entry):
    """Does it have one state after another, along all axes of the batch?"""
    return len(_axes([array], [entry], batch)) == 1


def _whole(module, array, batch, entry, is_input):
    if not is_input:
        return module.empty(array.shape, array.dtype)
    return module.ascontiguousarray(module.broadcast_to(array, batch + entry))


def _checked(array, name, shape, dtype):
    if array.dtype.kind not in "fiu":
        raise ArgumentError(f"{name}: expected real numbers, found dtype {array.dtype}")
    check_entry(array, name, shape)
    return array.astype(dtype) if array.dtype != dtype else array


def _fitting(signature, places, batch, dtype, device):
    """The arrays given for results, if they fit."""
    if len(places) != len(signature.outputs):
        expected = counted(len(signature.outputs), "array")
        raise ArgumentError(f"out: expected {expected}, found {len(places)}")
    for (name, shape), array in zip(signature.outputs.items(), places, strict=True):
        if array.shape != batch + shape:
            raise ArgumentError(
                f"out ({name}): expected shape {batch + shape}, found {array.shape}"
            )
        if array.dtype != dtype:
            raise ArgumentError(f"out ({name}): expected dtype {dtype}, found {array.dtype}")
        if any(n > 1 and step == 0 for n, step in zip(array.shape, array.strides, strict=True)):
            raise ArgumentError(f"out ({name}): the array is broadcast, so its states share memory")
    if any(_overlap(a, b, device) for a, b in itertools.combinations(places, 2)):
        raise ArgumentError("out: the arrays overlap each other")
    return list(places)


def in_columns(layouts, entries):
    """Whether states are side by side in the inputs; then they will be in the results too.

    Layouts are (shape, elements to the next along each axis).
    """
    for (shape, steps), entry in zip(layouts, entries, strict=True):
        own = len(shape) - len(entry)
        if entry and own and shape[own - 1] > 1 and math.prod(entry) > 1:
            return steps[own - 1] == 1
    return False


def batch_first(batch, shape):
    """The order of axes that makes batch + shape of shape + batch."""
    return (*range(len(shape), len(shape) + len(batch)), *range(len(shape)))


def _empty(module, batch, shape, dtype, side_by_side):
    if not side_by_side:
        return module.empty(batch + shape, dtype)
    return module.empty(shape + batch, dtype).transpose(batch_first(batch, shape))


def _overlap(a, b, device):
    """Whether two arrays share an element, as NumPy finds for arrays at the same addresses."""
    return overlap(*(np.asarray(_There(array, device.address(array))) for array in (a, b)))


class _There:
    """An array of the same shape at the same address, whose numbers must not be read."""

    def __init__(self, array, address):
        self.__array_interface__ = {
            "version": 3,
            "data": (address, False),
            "shape": array.shape,
            "strides": array.strides,
            "typestr": array.dtype.str,
        }


def _axes(arrays, entries, batch):
    """The batch as (length, bytes along it for each array), neighbours joined where they can be."""
    steps = [
        batch_steps(array.shape, array.strides, len(entry), len(batch))
        for array, entry in zip(arrays, entries, strict=True)
    ]
    return merged_axes(batch, steps)
