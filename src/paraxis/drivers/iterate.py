"""The `iterate` driver: a body repeated over steps, its state carried from each to the next.

Every state of the batch is a run of its own. Arrays that are carried are read before the first
step and written after the last; held arrays are read once; arrays of `per_step` have the steps as
their first axis and are read at each; recorded arrays are written at every r-th step. Both may be
in reverse order, as views `array[::-1]`: they are then read or written from their end. Here the
arrays are planned; a target does the steps, with the state in registers or near them.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..checks import one_of
from ..errors import ArgumentError
from .map import Signature, broadcast_shapes
from .memory import Memory

MOST = 2**53  # steps: as floats, larger counts are not exact
ARGUMENTS = ("steps", "every", "out")  # of the call of a kernel, besides its inputs


@dataclass(frozen=True)
class Plan:
    """The role of each array of a body. Shapes are those of one state.

    carry: input -> the output that becomes it. per_step: inputs read anew at each step. record:
    carried inputs (with their values after the step) and outputs, written at every r-th step.
    until: a scalar output: the step in which it is nonzero is the last of that state, which keeps
    the values of that step.
    """

    inputs: dict[str, tuple[int, ...]]
    outputs: dict[str, tuple[int, ...]]
    carry: dict[str, str]
    per_step: tuple[str, ...] = ()
    record: tuple[str, ...] = ()
    until: str | None = None

    @cached_property
    def key(self):
        return str(self)

    def __post_init__(self):
        if not isinstance(self.carry, dict) or not self.carry:
            raise ArgumentError(
                f"carry: expected a dict from inputs to the outputs that become them, with at "
                f"least one entry, found {self.carry!r}"
            )
        for name in ARGUMENTS:
            if name in self.inputs:
                raise ArgumentError(
                    f"input {name!r}: rename it, as iterate kernels have an argument of that name"
                )
        for name, output in self.carry.items():
            _known(name, self.inputs, "carry")
            _known(output, self.outputs, f"carry of {name}")
            if self.inputs[name] != self.outputs[output]:
                raise ArgumentError(
                    f"carry: {name} has shape {self.inputs[name]}, but {output}, which becomes it, "
                    f"has shape {self.outputs[output]}"
                )
        if len(set(self.carry.values())) != len(self.carry):
            raise ArgumentError("carry: two inputs cannot be carried from the same output")
        for what, names in (("per_step", self.per_step), ("record", self.record)):
            if len(set(names)) != len(names):
                raise ArgumentError(f"{what}: expected each name once, found {names}")
        for name in self.per_step:
            _known(name, self.inputs, "per_step")
            if name in self.carry:
                raise ArgumentError(f"per_step: {name} is in carry; it cannot be in both")
        for name in self.record:
            _known(name, self.carry | self.outputs, "record")
        if self.until is not None:
            _known(self.until, self.outputs, "until")
            if self.outputs[self.until] != ():
                shape = self.outputs[self.until]
                raise ArgumentError(
                    f"until: expected a scalar output, found {self.until} of shape {shape}"
                )
            if self.record or self.per_step:
                raise ArgumentError(
                    "until cannot be combined with record or per_step, as states stop at different "
                    "steps"
                )

    def shape_of(self, name):
        """The shape of what is recorded under this name."""
        return self.inputs[name] if name in self.carry else self.outputs[name]


def _known(name, names, what):
    one_of(name, names, what)


class Iteration:
    """An iterate kernel at work. `state` holds the carried arrays after `done` steps.

    `kernel` does the steps: it has a plan, a name and a dtype, `execute(arrays, states, steps,
    every, since)`, and `steps_at_once(states)`, the most it does in one go. It takes arrays
    `(steps, states, entries)`, with 1 along axes that they do not vary on. `memory` is that of the
    arrays.

    An `advance` that was interrupted may have moved states already: records up to `done` are valid,
    but it cannot be continued.
    """

    def __init__(self, kernel, memory: Memory, steps, every, out, arrays):
        plan = self.plan = kernel.plan
        self.steps, self.done = integer_like(steps, "steps"), 0
        self.every = integer_like(every, "every", least=1)
        self._kernel, self._memory, self._dtype = kernel, memory, kernel.dtype
        values = Signature(plan.inputs, {}).bind((), arrays, kernel.name)
        given = dict(zip(plan.inputs, values, strict=True))
        given = {key: self._as_array(key, value) for key, value in given.items()}
        self.batch = self._broadcast(given)
        self._states = _size(self.batch)
        self._given = {}
        for key, array in given.items():
            if key in plan.carry:
                self._given[key] = self._own(array, plan.inputs[key])
            elif key in plan.per_step:
                self._given[key] = array
            else:
                self._given[key] = self._row_or_rows(array, plan.inputs[key])
        self._finished = memory.arrays.zeros(self.batch, self._dtype)
        self._records = _places(plan.record, out)
        for key, place in self._records.items():
            self._records[key] = self._fitting(place, key, plan.shape_of(key))

    @property
    def state(self):
        return {key: self._memory.given_back(self._given[key][0]) for key in self.plan.carry}

    @property
    def finished(self):
        """Which states are done, as `until` says."""
        with self._memory.stream():
            return self._memory.given_back(self._finished != 0)

    @property
    def over(self):
        """Is there nothing left to do?"""
        with self._memory.stream():
            return self.done == self.steps or self._stopped()

    def _stopped(self):
        """Are all states done, as `until` says?"""
        return self.plan.until is not None and bool((self._finished != 0).all())

    @property
    def records(self):
        """Arrays for all that is to be recorded."""
        return {key: self._memory.given_back(array) for key, array in self._records.items()}

    @property
    def recorded(self):
        """What was recorded so far: fewer than `records` when it was broken off."""
        count = self.done // self.every
        return {k: self._memory.given_back(array[:count]) for k, array in self._records.items()}

    def advance(self, steps=None):
        """Do so many steps more, by default all."""
        left = self.steps - self.done
        steps = left if steps is None else min(integer_like(steps, "steps"), left)
        if not self._states:
            self.done += steps
            return self
        at_once = self._kernel.steps_at_once(self._states)
        with self._memory.stream():
            while steps:
                piece = min(steps, at_once)
                self._advance(piece)
                self.done, steps = self.done + piece, steps - piece
                if steps and self._stopped():
                    self.done, steps = self.done + steps, 0  # they would change nothing
        return self

    def _advance(self, steps):
        arrays = [self._told(key, steps) for key in self.plan.inputs]
        written, since = divmod(self.done, self.every)
        for key, array in self._records.items():
            arrays.append(self._three(array, self.plan.shape_of(key))[written:])
        if self.plan.until:
            arrays.append(self._finished.reshape(1, self._states, 1))
        self._kernel.execute(arrays, self._states, steps, self.every, since)

    def wait(self):
        """Until the steps that were begun are done."""
        with self._memory.stream():
            self._memory.wait()

    # -- arrays as (steps, states, entries) -----------------------------------------------------

    def _told(self, key, steps):
        """An input for the next steps."""
        array, shape = self._given[key], self.plan.inputs[key]
        if key in self.plan.carry:
            return self._three(array, shape)
        if key not in self.plan.per_step:
            return array
        piece = array[self.done : self.done + steps]
        own = piece.shape[1 : piece.ndim - len(shape)]
        if _size(own) > 1:
            piece = self._memory.arrays.broadcast_to(piece, (steps, *self.batch, *shape))
        turned = piece.strides[0] < 0  # read from its end, and not copied
        piece = self._contiguous(piece[::-1] if turned else piece)
        piece = piece.reshape(steps, -1, _size(shape))
        return piece[::-1] if turned else piece

    def _three(self, array, shape):
        return in_rows(array, self._states, shape)

    def _as_array(self, key, value):
        shape = self.plan.inputs[key]
        array = self._memory.array(value, key, shape)
        if key in self.plan.per_step:
            found = array.shape[0] if array.ndim > len(shape) else None
            if found != self.steps:
                expected = ", ".join([str(self.steps), "...", *map(str, shape)])
                raise ArgumentError(
                    f"{key}: expected shape ({expected}), one value per step, found {array.shape}"
                )
        return array

    def _broadcast(self, given):
        batches = {}
        for key, array in given.items():
            batch = array.shape[: array.ndim - len(self.plan.inputs[key])]
            batches[key] = batch[1:] if key in self.plan.per_step else batch
        return broadcast_shapes(batches)

    def _own(self, array, shape):
        """A copy of the whole batch, to be written."""
        own = self._memory.empty((1,), self.batch, shape, self._dtype)
        own[...] = array
        return own

    def _row_or_rows(self, array, shape):
        """One row for all states if there is only one, else one per state."""
        if array.size != _size(shape):
            array = self._memory.arrays.broadcast_to(array, self.batch + shape)
        return self._contiguous(array).reshape(1, -1, _size(shape))

    def _contiguous(self, array):
        return self._memory.arrays.ascontiguousarray(array, self._dtype)

    def _fitting(self, array, key, entry):
        """The array to record to: a new one, or the given one, if it fits."""
        count, dtype = self.steps // self.every, self._dtype
        shape = (count, *self.batch, *entry)
        if array is None:
            return self._memory.empty((count,), self.batch, entry, dtype)
        if not isinstance(array, self._memory.arrays.ndarray):
            found = type(array).__name__
        elif array.shape != shape or array.dtype != dtype:
            found = f"{array.dtype} and {array.shape}"
        elif not self._may_write(array[::-1] if array.strides[0] < 0 else array, entry):
            found = "one that is strided or read-only"
        else:
            return array
        raise ArgumentError(
            f"out ({key}): expected a contiguous array of {dtype} and shape {shape}, found {found}"
        )

    def _may_write(self, array, entry):
        return self._memory.may_write(array, _entries_first(array, entry))


def _places(record, out):
    """The array for each record, None where it is still to be made."""
    if out is None:
        return dict.fromkeys(record)
    if not isinstance(out, dict) or set(out) != set(record):
        found = tuple(out) if isinstance(out, dict) else type(out).__name__
        raise ArgumentError(f"out: expected a dict with arrays for {record}, found {found}")
    return {key: out[key] for key in record}


def in_rows(array, states, shape):
    """A view (first, states, entries) of an array (first, *batch, *shape) from memory.empty, or
    row-major; either may be in reverse order."""
    if array.strides[0] < 0:
        return in_rows(array[::-1], states, shape)[::-1]
    first, entries = len(array), _size(shape)
    if array.flags.c_contiguous:
        return array.reshape(first, states, entries)
    return _entries_first(array, shape).reshape(first, entries, -1).transpose(0, 2, 1)


def _entries_first(array, shape):
    """(first, *batch, *shape) as (first, *shape, *batch)."""
    batch_ends = array.ndim - len(shape)
    return array.transpose(0, *range(batch_ends, array.ndim), *range(1, batch_ends))


def _size(shape):
    return math.prod(shape)


def integer_like(value, what, least=0):
    """`value` as an int >= `least`; 1000.0, as 1 / dt gives it, is accepted."""
    if isinstance(value, float | np.floating) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ArgumentError(f"{what}: expected an integer >= {least}, found {value!r}")
    if value > MOST:
        raise ArgumentError(f"{what}: expected an integer <= 2**53, found a larger one")
    return int(value)
