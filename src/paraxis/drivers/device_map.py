"""The `map` driver on a device: the layouts of a batch's arrays, and the arguments of its kernel.

A plan depends on how arrays are laid out and not on where they are, so that one is made for many
calls. Arrays are described, not copied, unless their element type is another one, they overlap a
result, or their batch has more than two axes that do not follow from each other.

    rows      the entries of a state side by side, states one after another
    columns   states side by side, entries at some distance
    apart     entries and states at any distance, states along two axes
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..checks import counted
from ..errors import ArgumentError
from .map import batch_steps, broadcast_batch, check_entry, merged_axes, overlap

ROWS, COLUMNS, APART = "rows", "columns", "apart"
BOUNDARY = 16  # bytes; rows that begin on one are copied in whole packets


class Described(NamedTuple):
    """An array as a plan sees it: all of it but where it is."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]  # bytes
    dtype: np.dtype
    on_boundary: bool = True  # does it begin on a multiple of BOUNDARY?

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def extent(self):
        """Where its first byte is, and the one after its last, from where it begins."""
        if 0 in self.shape:
            return 0, 0
        ways = [(n - 1) * step for n, step in zip(self.shape, self.strides, strict=True)]
        return sum(min(way, 0) for way in ways), sum(max(way, 0) for way in ways) + self.itemsize

    @property
    def comb(self):
        """(pitch, width) of the teeth that all its bytes are in, from where it begins, such as the
        rows of a slice of a wider array; (0, 0) if there are no gaps between them."""
        axes = sorted((step, n) for n, step in zip(self.shape, self.strides, strict=True) if n > 1)
        width = self.itemsize
        for k, (pitch, n) in enumerate(axes):
            if pitch < 0:
                break
            if width < pitch and all(step % pitch == 0 for step, _ in axes[k:]):
                return pitch, width
            width += pitch * (n - 1)
        return 0, 0


def contiguous(shape, dtype):
    """A new array in C order."""
    steps = [dtype.itemsize * math.prod(shape[k + 1 :]) for k in range(len(shape))]
    return Described(tuple(shape), tuple(steps), dtype)


@dataclass(frozen=True)
class Plan:
    """What to compute: `states` of them, in arrays of these layouts, inputs first."""

    states: int
    layouts: tuple
    words: tuple  # the arguments of the kernel, 0 where an address goes
    addresses: tuple  # which of the words are addresses, in the order of arrays
    arrays: tuple  # Described, as the kernel gets them
    results: tuple  # Described, of the results
    shape: tuple  # of inputs that are copied whole: their batch
    copied: tuple  # the inputs that must be copied first, whole and in C order
    made_aside: tuple  # the results that no kernel can write, to be copied from C order

    @property
    def is_direct(self):
        """Whether kernels read and write the very arrays that are given."""
        return not self.copied and not self.made_aside

    def arguments(self, addresses):
        """The arguments of the kernel for arrays at these addresses."""
        words = list(self.words)
        for place, address in zip(self.addresses, addresses, strict=True):
            words[place] = address
        return words


def check_inputs(signature, arrays):
    """An error unless all are arrays of real numbers, of the shapes of one state."""
    for array, (name, shape) in zip(arrays, signature.inputs.items(), strict=True):
        if array.dtype.kind not in "fiu":
            raise ArgumentError(f"{name}: expected real numbers, found dtype {array.dtype}")
        check_entry(array, name, shape)


def plan(signature, arrays, dtype, places):
    """A Plan for inputs that are described so, all of this dtype; `places` describe the arrays for
    the results, or are None for new ones."""
    entries = [*signature.inputs.values(), *signature.outputs.values()]
    batch = broadcast_batch(signature, arrays)
    if places is None:
        layouts = [(a.shape, [step / a.itemsize for step in a.strides]) for a in arrays]
        side_by_side = in_columns(layouts, signature.inputs.values())
        results = [_new(batch, shape, dtype, side_by_side) for shape in signature.outputs.values()]
    else:
        results = _fitting(signature, places, batch, dtype)
    every = [*arrays, *results]
    axes = _axes(every, entries, batch)
    whole = []
    for k, (array, entry) in enumerate(zip(every, entries, strict=True)):
        if _step(array, entry) is None or (len(axes) > 2 and not _in_line(array, batch, entry)):
            every[k] = contiguous(batch + entry, dtype)
            whole.append(k)
    axes = _axes(every, entries, batch)
    layouts, words, addresses = [], [math.prod(batch)], []
    if any(_lies(*each)[0] == APART for each in _beside(every, entries, axes)):
        words.append(axes[-1][0])
    for each in _beside(every, entries, axes):
        layout, distances = _lies(*each)
        layouts.append(layout)
        addresses.append(len(words))
        words += (0, *distances)
    return Plan(
        states=math.prod(batch),
        layouts=tuple(layouts),
        words=tuple(words),
        addresses=tuple(addresses),
        arrays=tuple(every),
        results=tuple(results),
        shape=batch,
        copied=tuple(k for k in whole if k < len(arrays)),
        made_aside=tuple(k - len(arrays) for k in whole if k >= len(arrays)),
    )


def _beside(arrays, entries, axes):
    """Each array with its entries and its steps along the axes of the batch."""
    for k, (array, entry) in enumerate(zip(arrays, entries, strict=True)):
        yield array, entry, [along[k] for _, along in axes], axes


def _lies(array, entry, steps, axes):
    """The layout of an array, and the distances that the kernel needs, in elements."""
    item, entries, step = array.itemsize, math.prod(entry), _step(array, entry)
    state = steps[-1]
    in_line = len(steps) == 1 or steps[0] == state * axes[-1][0]
    if in_line and state == item:
        return COLUMNS, (step // item,)
    if in_line and step == item and state == entries * item and array.on_boundary:
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


def _fitting(signature, places, batch, dtype):
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
        axes = zip(array.shape, array.strides, strict=True)
        shared = any(n > 1 and step == 0 for n, step in axes)
        if shared and 0 not in array.shape:  # arrays without entries may have any strides
            raise ArgumentError(f"out ({name}): the array is broadcast, so its states share memory")
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


def _new(batch, shape, dtype, side_by_side):
    """A new result: states side by side, or in C order."""
    if not side_by_side:
        return contiguous(batch + shape, dtype)
    turned, order = contiguous(shape + batch, dtype), batch_first(batch, shape)
    return Described(batch + shape, tuple(turned.strides[k] for k in order), dtype)


def overlapping(a, at, b, there):
    """Whether two arrays at these addresses share an element, as NumPy finds for arrays there."""
    return overlap(np.asarray(_There(a, at)), np.asarray(_There(b, there)))


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
