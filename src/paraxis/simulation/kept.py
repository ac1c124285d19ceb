"""Steps of robots whose arrays stay where they are: a step is one native call.

A run plans its arrays anew; this plans them once. What a step reads and does not carry may be
replaced, and costs as much as looking at the new array.
"""

import math

import numpy as np

from ..drivers.iterate import in_rows

FAR = 2**53  # records that never come


class Kept:
    """A step under `iterate`, on given arrays of a batch, without records.

    `carried` maps inputs to arrays (1, *batch, *shape) as from `memory.empty`, which are written in
    place; `held` maps the others to arrays (*batch, *shape), or (*shape) where robots share them.
    """

    def __init__(self, kernel, memory, batch, carried, held):
        self._kernel, self._memory, self._batch = kernel, memory, batch
        self._states, self._dtype = math.prod(batch), kernel.dtype
        self._shapes = kernel.plan.inputs
        self._at = {name: k for k, name in enumerate(self._shapes)}
        self._written, self._read = [*carried.values()], {}
        arrays = [
            in_rows(carried[name], self._states, shape)
            if name in carried
            else self._held(held[name], shape)
            for name, shape in self._shapes.items()
        ]
        nothing = [memory.empty((0,), batch, kernel.plan.shape_of(n)) for n in kernel.plan.record]
        entries = [kernel.plan.shape_of(name) for name in kernel.plan.record]
        records = [
            each.reshape(0, self._states, math.prod(shape))
            for each, shape in zip(nothing, entries, strict=True)
        ]
        self._job = None
        if self._states:
            self._job = kernel.job([*arrays, *records], self._states, often=True)

    def replace(self, name, array):
        """Read this from now on: (*batch, *shape) or (*shape), an array of `memory`."""
        self._read[name] = array
        if self._job is not None:
            self._job.replace(self._at[name], self._held(array, self._shapes[name]))

    def advance(self, steps):
        if self._job is not None and steps:
            at_once = self._kernel.steps_at_once(self._states)
            if steps > at_once:
                self._part()
            while steps > 0:
                self._job.run(min(steps, at_once), FAR)
                steps -= at_once

    def _part(self):
        """Let what is held not be what is written: as u = state.qd, which one run reads first."""
        xp = self._memory.arrays
        for name, array in self._read.items():
            if any(xp.may_share_memory(array, other) for other in self._written):
                self.replace(name, array.copy())

    def _held(self, array, shape):
        entries = math.prod(shape)
        if array.size == entries:
            rows = array.reshape(1, 1, entries)
        elif array.shape == (*self._batch, *shape):
            rows = array.reshape(1, self._states, entries)
        else:
            whole = self._memory.arrays.broadcast_to(array, (*self._batch, *shape))
            rows = self._memory.arrays.ascontiguousarray(whole).reshape(1, self._states, entries)
        if rows.dtype == self._dtype and rows.strides[-1] == np.dtype(self._dtype).itemsize:
            return rows
        return self._memory.arrays.ascontiguousarray(rows, self._dtype)
