"""The `iterate` driver: a body repeated over steps, its state carried from each to the next.

Every state of the batch is a run of its own. Arrays that are carried are read before the first
step and written after the last; held arrays are read once; arrays of `per_step` have the steps as
their first axis and are read at each; what is recorded is written at every r-th step. Here the
arrays are planned; a back end does the steps, with the state in registers or near them.
"""

from dataclasses import dataclass

import numpy as np

from ..errors import ArgumentError
from .map import Signature, as_array, broadcast_shapes


@dataclass(frozen=True)
class Plan:
    """Which arrays of a body do what. Shapes are those of one state.

    carry: input -> the output that becomes it. per_step: inputs read anew at each step. record:
    carried inputs (as they are after the step) and outputs, written at every r-th step. until: an
    output that is one number: after the step in which it is not zero the state is done, and keeps
    what that step made of it.
    """

    inputs: dict
    outputs: dict
    carry: dict
    per_step: tuple = ()
    record: tuple = ()
    until: str | None = None

    def __post_init__(self):
        if not isinstance(self.carry, dict) or not self.carry:
            raise ArgumentError(
                f"carry: expected a dict from inputs to the outputs that become them, at least "
                f"one, found {self.carry!r}"
            )
        for name, output in self.carry.items():
            _known(name, self.inputs, "carry")
            _known(output, self.outputs, f"carry of {name}")
            if self.inputs[name] != self.outputs[output]:
                raise ArgumentError(
                    f"carry: {name} has shape {self.inputs[name]}, but {output}, which becomes it, "
                    f"{self.outputs[output]}"
                )
        if len(set(self.carry.values())) != len(self.carry):
            raise ArgumentError("carry: expected an output of its own for each input")
        for what, names in (("per_step", self.per_step), ("record", self.record)):
            if len(set(names)) != len(names):
                raise ArgumentError(f"{what}: expected each name once, found {names}")
        for name in self.per_step:
            _known(name, self.inputs, "per_step")
            if name in self.carry:
                raise ArgumentError(f"per_step: {name} is carried")
        for name in self.record:
            _known(name, self.carry | self.outputs, "record")
        if self.until is not None:
            _known(self.until, self.outputs, "until")
            if self.outputs[self.until] != ():
                shape = self.outputs[self.until]
                raise ArgumentError(f"until: expected one number, found {self.until} of {shape}")
            if self.record or self.per_step:
                raise ArgumentError("until: states stop at different steps, so none is recorded")

    def shape_of(self, name):
        """The shape of what is recorded under this name."""
        return self.inputs[name] if name in self.carry else self.outputs[name]


def _known(name, names, what):
    if name not in names:
        raise ArgumentError(f"{what}: expected one of {tuple(names)}, found {name!r}")


class Iteration:
    """Steps under way. `state` holds the carried arrays as they are after `done` steps.

    An `advance` that was interrupted may have moved states already: records up to `done` are good,
    but it cannot go on.
    """

    def __init__(self, plan, name, dtype, execute, steps, every, out, arrays):
        self.plan, self.steps, self.done = plan, whole(steps, "steps"), 0
        self.every = whole(every, "every", least=1)
        self._name, self._dtype, self._execute = name, dtype, execute
        values = Signature(plan.inputs, {}).bind((), arrays, name)
        given = dict(zip(plan.inputs, values, strict=True))
        given = {key: self._as_array(key, value) for key, value in given.items()}
        self.batch = self._broadcast(given)
        self._given = {}
        for key, array in given.items():
            if key in plan.carry:
                self._given[key] = self._own(array, plan.inputs[key])
            elif key in plan.per_step:
                self._given[key] = array
            else:
                self._given[key] = self._row_or_rows(array, plan.inputs[key])
        self._finished = np.zeros(self.batch, dtype)
        self.records = _places(plan.record, out)
        for key, place in self.records.items():
            shape = (self.steps // self.every, *self.batch, *plan.shape_of(key))
            self.records[key] = _fitting(place, key, shape, dtype)

    @property
    def state(self):
        shapes = self.plan.inputs
        return {key: self._given[key].reshape(self.batch + shapes[key]) for key in self.plan.carry}

    @property
    def finished(self):
        """Which states are done, as `until` says."""
        return self._finished != 0

    @property
    def over(self):
        """Is there nothing left to do?"""
        stopped = self.plan.until is not None and bool(self.finished.all())
        return self.done == self.steps or stopped

    @property
    def recorded(self):
        """What was recorded so far: fewer than `records` when it was broken off."""
        return {key: array[: self.done // self.every] for key, array in self.records.items()}

    def advance(self, steps=None):
        """Do so many steps more, by default all."""
        left = self.steps - self.done
        steps = left if steps is None else min(whole(steps, "steps"), left)
        states = int(np.prod(self.batch, dtype=int))
        if states and steps:
            rows = [self._rows_of(key, steps) for key in self.plan.inputs]
            written, since = divmod(self.done, self.every)
            for array in self.records.values():
                rows.append(_three(array[written:], states))
            if self.plan.until:
                rows.append((self._finished, 0, self._finished.itemsize if states > 1 else 0))
            self._execute(rows, states, steps, self.every, since)
        self.done += steps
        return self

    # -- arrays as (step, state, entry) --------------------------------------------------------

    def _rows_of(self, key, steps):
        """The array and its bytes between steps, states and entries; 0 where it does not change."""
        array, states = self._given[key], int(np.prod(self.batch, dtype=int))
        if key not in self.plan.per_step:
            return array, 0, array.strides[0] if len(array) > 1 else 0
        piece = array[self.done : self.done + steps]
        own = piece.shape[1 : piece.ndim - len(self.plan.inputs[key])]
        if int(np.prod(own, dtype=int)) > 1:
            piece = np.broadcast_to(piece, (steps, *self.batch, *self.plan.inputs[key]))
            return _three(np.ascontiguousarray(piece, self._dtype), states)
        piece = np.ascontiguousarray(piece, self._dtype)
        return _three(piece, 1)

    def _as_array(self, key, value):
        shape = self.plan.inputs[key]
        array = as_array(value, key, shape)
        if key in self.plan.per_step:
            found = array.shape[0] if array.ndim > len(shape) else None
            if found != self.steps:
                expected = ", ".join([str(self.steps), "...", *map(str, shape)])
                raise ArgumentError(
                    f"{key}: expected shape ({expected}), a value a step, found {array.shape}"
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
        whole_batch = np.broadcast_to(array, self.batch + shape)
        return np.array(whole_batch, self._dtype, order="C").reshape(-1, _size(shape))

    def _row_or_rows(self, array, shape):
        """One row for all states when there is but one, else one a state."""
        if array.size == _size(shape):
            return np.ascontiguousarray(array, self._dtype).reshape(1, -1)
        whole_batch = np.broadcast_to(array, self.batch + shape)
        return np.ascontiguousarray(whole_batch, self._dtype).reshape(-1, _size(shape))


def _places(record, out):
    """The array for each record, None where it is still to be made."""
    if out is None:
        return dict.fromkeys(record)
    if not isinstance(out, dict) or set(out) != set(record):
        found = tuple(out) if isinstance(out, dict) else type(out).__name__
        raise ArgumentError(f"out: expected a dict with arrays for {record}, found {found}")
    return {key: out[key] for key in record}


def _fitting(array, key, shape, dtype):
    """An array for what is recorded: a new one, or that which was given, if it fits."""
    if array is None:
        return np.empty(shape, dtype)
    if not isinstance(array, np.ndarray):
        found = type(array).__name__
    elif array.shape != shape or array.dtype != dtype:
        found = f"{array.dtype} and {array.shape}"
    elif not array.flags.c_contiguous or not array.flags.writeable:
        found = "one that is strided or read-only"
    else:
        return array
    raise ArgumentError(
        f"out ({key}): expected a contiguous array of {dtype} and shape {shape}, found {found}"
    )


def _three(array, states):
    """An array of (step, ...) and its bytes between steps and between states."""
    flat = array.reshape(len(array), states, _size(array.shape[1:]) // states)
    step, row, _ = flat.strides
    return flat, step, row if states > 1 else 0


def _size(shape):
    return int(np.prod(shape, dtype=int))


def whole(value, what, least=0):
    """A whole number of at least so many; 1000.0, as 1 / dt gives it, is one."""
    if isinstance(value, float | np.floating) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ArgumentError(f"{what}: expected a whole number >= {least}, found {value!r}")
    return int(value)
