"""The base of controllers that plan at every tick: persistent arrays, and closed loops."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import ArrayLike

from ..errors import ArgumentError
from .arguments import unknown
from .closed_loop import ClosedLoop, closed_loop
from .timing import Clock, Timing


class Controller:
    """A controller of a batch of problems of one Solver, whose arrays are made once."""

    def __init__(self, solver, x0, us, xs, parameters):
        given = {"x0": x0, "us": us, "xs": xs} | parameters
        self.target = solver.target(given)
        self.problem, self.horizon = solver.problem, solver.horizon
        self.dtype, self._clock = solver.dtype, Clock()
        self._stream = self.target.stream
        self.batch, arrays = solver.arrays(self.target, given)
        count, system = math.prod(self.batch), self.problem.system
        xp = self.target.arrays
        self._measured = xp.empty((count, system.nx), self.dtype)
        self._measured_whole = self._measured.reshape(*self.batch, system.nx)
        self._control = xp.zeros((count, system.nu), self.dtype)
        self._given_back = self.target.given_back(self._control.reshape(*self.batch, system.nu))
        self._refused = xp.zeros(count, int)
        self._places = {}
        for name, shape in self.problem.parameters.items():
            array = arrays[name] = arrays[name].copy()  # the caller's may change
            self._places[name] = self._of_batch(array, name in self.problem.per_step), shape
        self.given = arrays  # by name, the batch as one axis, after time

    # -- what users see ----------------------------------------------------------------------------

    def tick(self, x: ArrayLike, **parameters: ArrayLike) -> Any:
        raise NotImplementedError

    @property
    def refused(self) -> Any:
        """The number of ticks that kept the old plan, per problem."""
        return self.target.given_back(self._refused.reshape(self.batch).copy())

    @property
    def timing(self) -> Timing:
        """The times of ticks so far, without the first one: a `px.optimal.Timing`."""
        return self._clock.timing

    def run(
        self,
        plant: Any = None,
        steps: int = 100,
        *,
        x0: ArrayLike | None = None,
        disturbance: ArrayLike | None = None,
        **changing: ArrayLike,
    ) -> ClosedLoop:
        """Control a plant for so many ticks, and record it.

        **Arguments:**

        - `plant`: what is controlled: a `px.Simulator` that was reset, with robots of its own
          masses, say, whose `dt` is that of the plan or a part of it; or a function (x, u) -> x of
          arrays, such as a compiled Program; or None for the model itself.
        - `steps`: the number of ticks.
        - `x0`: where a plant begins that is not a Simulator; by default where the plan does.
        - `disturbance`: `(steps, ..., nu)`, added to the controls on their way to the plant.
        - `changing`: parameters that change from tick to tick, with the ticks as first axis.

        **Returns:** a `px.optimal.ClosedLoop`.
        """
        return closed_loop(self, plant, steps, x0, disturbance, changing)

    # -- arrays ------------------------------------------------------------------------------------

    def _of_batch(self, array, timed):
        """A view with the batch shape first, then time, of an array of time, batch and entries."""
        if not timed:
            return array.reshape((*self.batch, *array.shape[1:]))
        whole = array.reshape(array.shape[0], *self.batch, *array.shape[2:])
        return self.target.arrays.moveaxis(whole, 0, len(self.batch))

    def now(self, name):
        """The value of a parameter at the beginning of the plan, shape after the batch axes."""
        place, shape = self._places[name]
        if name in self.problem.per_step:
            return place[(..., 0, *[slice(None)] * len(shape))]
        return place

    def _change(self, parameters):
        """Write new values of parameters in place."""
        for name, value in parameters.items():
            if name not in self._places:
                raise unknown(name, self.problem.parameters)
            place, shape = self._places[name]
            if name in self.problem.per_step:
                shape = (self.horizon + 1, *shape)
            self._write(place, value, name, shape)

    def _measure(self, x):
        self._write(self._measured_whole, x, "x", (self.problem.system.nx,))

    def _write(self, place, value, name, shape):
        array = self.target.array(value, name, shape)
        try:
            place[...] = array
        except ValueError:
            raise ArgumentError(
                f"{name}: expected shape {place.shape} or one that broadcasts to it, found "
                f"{array.shape}"
            ) from None


def require_no_constraints(problem, what):
    if problem.stage.constraints or problem.terminal.constraints:
        raise ArgumentError(
            f"{what}: only limits of controls are supported, not other constraints; make a solver "
            f"without these whose cost rises where they are violated"
        )
