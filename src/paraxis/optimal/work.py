"""Arrays of a batch of problems, and the passes over them: an iteration is four native calls.

There are two sides: trajectories that are accepted, and candidates. A pass forward reads one side
and writes the other; `linearise` and the pass backward stay on their side. Time is the first axis
of all arrays, so that a pass reads what the one before has written, in place.
"""

import math

import numpy as np

from ..drivers.iterate import in_rows
from .knots import TALLIES
from .objective import MULTIPLIERS, PENALTY

EVERY = 1  # step is recorded


class Work:
    """A Problem with `count` instances over `horizon` steps, on a target."""

    def __init__(self, problem, horizon, count, target, dtype, threads=None):
        self.problem, self.horizon, self.count = problem, horizon, count
        self.target, self.dtype, self.threads = target, dtype, threads
        options = {} if threads is None else {"threads": threads}
        (backward, back), (forward, there) = problem.backward, problem.forward
        self.linearise = target.map(problem.linearise, dtype, **options)
        self.at_end = target.map(problem.at_end, dtype, **options)
        self.backward = target.iterate(backward, back, dtype, states=count, **options)
        self.forward = target.iterate(forward, there, dtype, states=count, **options)
        self.parameters = {}  # name -> (count, *shape), per step (horizon + 1, count, *shape)
        self.step, self.damping = self._new((1,), ()), self._new((1,), ())
        self.damping[...] = 0.0
        stage, end = problem.stage, problem.terminal
        self.multipliers = {}
        if stage.constraints:
            self.multipliers["stage"] = self._zeros((horizon,), (stage.constraints,))
        if end.constraints:
            self.multipliers["end"] = self._zeros((), (end.constraints,))
        self.penalty = target.arrays.ones(count, dtype)
        if problem.exact:  # costates by which the dynamics bend the cost, 0 where they shall not
            self.bending = self._zeros((horizon,), (problem.system.ndx,))
        self.sides = [Side(self), Side(self)]
        self.now = 0  # the side whose trajectories are accepted

    @property
    def here(self):
        return self.sides[self.now]

    @property
    def there(self):
        return self.sides[1 - self.now]

    def of(self, rows):
        """These problems alone, on the side that is accepted."""
        work = Work(self.problem, self.horizon, len(rows), self.target, self.dtype, self.threads)
        for name, array in self.multipliers.items():
            work.multipliers[name][...] = array[:, rows] if name == "stage" else array[rows]
        work.penalty[...] = self.penalty[rows]
        whole = self.target.arrays.ascontiguousarray
        work.connect(
            {
                name: whole(each[:, rows] if name in self.problem.per_step else each[rows])
                for name, each in self.parameters.items()
            }
        )
        for mine, theirs in zip(work.here.arrays(), self.here.arrays(), strict=True):
            mine[...] = theirs[:, rows]
        return work

    def connect(self, parameters):
        """Use these parameters, and describe all arrays to native code."""
        self.parameters = parameters
        for side in self.sides:
            side.connect(self)
        for k, side in enumerate(self.sides):
            side.connect_forward(self, self.sides[1 - k])

    def of_knot(self, names, end=False):
        """The parameters of these names at knots, or at the end."""
        found = {}
        for name in names:
            array = self.parameters[name]
            if name in self.problem.per_step:
                array = array[self.horizon] if end else array[: self.horizon]
            found[name] = array
        return found

    def held(self, name, shape):
        """A parameter that stays, as (1, count or 1, entries), or one per step as rows."""
        array, entries = self.parameters[name], math.prod(shape)
        if name in self.problem.per_step:
            return array[: self.horizon].reshape(self.horizon, self.count, entries)
        return array.reshape(1, -1, entries)

    def _new(self, first, shape):
        return self.target.empty(first, (self.count,), shape, self.dtype)

    def _zeros(self, first, shape):
        array = self._new(first, shape)
        array[...] = 0.0
        return array


class Side:
    """Trajectories, their derivatives and the control laws around them."""

    def __init__(self, work):
        problem, horizon = work.problem, work.horizon
        system = problem.system
        self.x, self.u = (
            work._zeros((horizon + 1,), (system.nx,)),
            work._new((horizon,), (system.nu,)),
        )
        shapes = problem.of_linearise
        if problem.stage.constraints:
            shapes = shapes | {"residuals": (problem.stage.constraints,)}
        self.linear = {name: work._new((horizon,), shape) for name, shape in shapes.items()}
        self.shapes = shapes
        self.law = {
            name: work._zeros((horizon,), shape) for name, shape in problem.law_shapes.items()
        }
        self.costates = work._zeros((horizon + 1,), (system.ndx,))
        self.value = work._new((1,), problem.expand_inputs["V"])
        self.slope = work._new((1,), (system.ndx,))
        xp = work.target.arrays
        self.tallies = xp.zeros((len(TALLIES), work.count), work.dtype)
        first = [np.inf if name == "least" else 0.0 for name in TALLIES]
        self._first = xp.asarray(first, work.dtype)[:, None]
        self.of_end = None
        if problem.terminal.constraints:
            self.of_end = work._new((1,), (problem.terminal.constraints,))
        if not problem.feasible:  # of the pass forward that reads this side
            self.dx = work._new((1,), (system.ndx,))
            self.rise = work._new((1,), ())

    def tally(self, name):
        return self.tallies[TALLIES.index(name)]

    # -- passes ------------------------------------------------------------------------------------

    def connect(self, work):
        """The passes that stay on this side."""
        problem, horizon, count = work.problem, work.horizon, work.count
        x, u = self.x, self.u
        given = {"x": x[:-1], "u": u, "x_next": x[1:]}
        given |= {"costates": work.bending} if problem.exact else {}
        given |= {MULTIPLIERS: work.multipliers.get("stage"), PENALTY: work.penalty}
        given |= work.of_knot([k for k in problem.linearise_inputs if k not in given])
        self._linearise = work.linearise, [given[name] for name in problem.linearise_inputs]
        self._linear = tuple(self.linear[name] for name in work.linearise.outputs)
        given = {"x": x[horizon]} | {MULTIPLIERS: work.multipliers.get("end")}
        given |= {PENALTY: work.penalty}
        inputs = problem.terminal.expansion.inputs
        given |= work.of_knot([k for k in inputs if k not in given], end=True)
        self._at_end = work.at_end, [given[name] for name in inputs]
        made = {"V": self.value[0], "v": self.slope[0], "total": self.tally("total")}
        if self.of_end is not None:
            made["residuals"] = self.of_end[0]
        self._ends = tuple(made[name] for name in work.at_end.outputs)
        _, plan = problem.backward
        rows = {name: self.linear[name] for name in problem.of_linearise}
        rows |= {"x": x[:-1], "u": u}
        arrays = []
        for name, shape in plan.inputs.items():
            if name in TALLIES:
                array = self.tally(name).reshape(1, count, 1)
            elif name == "damping":
                array = in_rows(work.damping, count, ())
            elif name in ("V", "v"):
                array = in_rows({"V": self.value, "v": self.slope}[name], count, shape)
            else:
                array = in_rows(rows[name][::-1], count, shape)
            arrays.append(array)
        records = {"k": self.law["k"], "K": self.law["K"], "v": self.costates[:-1]}
        for name in plan.record:
            arrays.append(in_rows(records[name][::-1], count, plan.shape_of(name)))
        self._backward = work.backward.job(arrays, count, often=True)

    def connect_forward(self, work, other):
        """The pass that reads this side and writes the other."""
        problem, horizon, count = work.problem, work.horizon, work.count
        _, plan = problem.forward
        rows = {"x": self.x[:-1], "u": self.u, "x_next": self.x[1:]}
        rows |= self.law | {name: self.linear[name] for name in problem.of_linearise}
        own = {"step": work.step}
        if problem.feasible:
            self._start = work._new((1,), (problem.system.nx,))
            own["at"] = self._start
        else:
            own |= {"dx": self.dx, "slope": self.rise}
        arrays = []
        for name, shape in plan.inputs.items():
            if name in own:
                arrays.append(in_rows(own[name], count, shape))
            elif name in rows:
                arrays.append(in_rows(rows[name], count, shape))
            else:
                arrays.append(work.held(name, shape))
        arrays.append(in_rows(other.x[1:], count, (problem.system.nx,)))
        arrays.append(in_rows(other.u, count, (problem.system.nu,)))
        self._forward, self._horizon, self._other = (
            work.forward.job(arrays, count, often=True),
            horizon,
            other,
        )

    def go(self):
        """Forward: the other side becomes the trajectory that the control law leads to."""
        self._other.x[0] = self.x[0]
        if hasattr(self, "_start"):
            self._start[0] = self.x[0]
        else:
            self.dx[...] = 0.0
            self.rise[...] = 0.0
        self._forward.run(self._horizon, EVERY)

    def judge(self):
        """Linearise, and go backward: what the trajectory costs, and the control law around it."""
        kernel, given = self._linearise
        kernel(*given, out=self._linear if len(self._linear) > 1 else self._linear[0])
        self.tallies[...] = self._first
        kernel, given = self._at_end
        kernel(*given, out=self._ends)
        self.costates[-1] = self.slope[0]
        self._backward.run(self._horizon if hasattr(self, "_horizon") else len(self.u), EVERY)

    @property
    def predicted_rise(self):
        """How the cost changes to first order along the step of linearised dynamics."""
        return self.rise[0] + (self.costates[-1] * self.dx[0]).sum(-1)

    def keep(self, rows, other):
        """Take these problems from the other side."""
        for mine, theirs in zip(self.arrays(), other.arrays(), strict=True):
            mine[:, rows] = theirs[:, rows]

    def arrays(self):
        yield from (self.x, self.u, *self.linear.values(), *self.law.values(), self.costates)
        yield from (self.value, self.slope, self.tallies)
        if self.of_end is not None:
            yield self.of_end
