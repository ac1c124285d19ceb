"""Arrays of a batch of problems, and the passes over them: an iteration is a few native calls.

There are two sides: trajectories that are accepted, and candidates. A pass forward reads one side
and writes the other; `linearise` and the pass backward stay on their side. Time is the first axis
of all arrays, so that a pass reads what the one before has written, in place.

Few problems are linearised at all knots at once, before they go backward. Many go backward knot by
knot in lanes or threads of their own, and what they need of a knot is computed there and then,
which saves writing it to memory and reading it again. The numbers are the same, but that the lanes
of a GPU, which few problems have for the pass backward, round otherwise.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..drivers.iterate import in_rows
from .knots import TALLIES
from .objective import MULTIPLIERS, PENALTY
from .parallel_time import backward_kernel, forward_kernel

EVERY = 1  # step is recorded


class Kernels(NamedTuple):
    """The compiled passes; `linearise` is None where it is a part of `backward`."""

    linearise: Any
    at_end: Any
    backward: Any
    forward: Any


class Work:
    """A Problem with `count` instances over `horizon` steps, on a target.

    together: whether linearising is a part of the pass backward, by default with many problems.
    """

    def __init__(
        self, problem, horizon, count, target, dtype, threads=None, together=None, kernels=None
    ):
        if kernels is None and not problem.parallel_in_time:
            by_lanes = target.has_lanes(*problem.composed.backward, dtype, count)
            problem = problem.composed if by_lanes else problem
        self.problem, self.horizon, self.count = problem, horizon, count
        self.target, self.dtype, self.threads = target, dtype, threads
        if together is None:
            together = count >= target.width(dtype) and not problem.parallel_in_time
        self.together = together
        self.kernels = kernels or self._compiled()
        self.parameters: dict[str, Any] = {}  # (count, *shape), per step (horizon + 1, ...)
        self.step, self.damping = self._zeros((1,), ()), self._zeros((1,), ())
        stage, end = problem.stage, problem.terminal
        self.multipliers: dict[str, Any] = {}
        if stage.constraints:
            self.multipliers["stage"] = self._zeros((horizon,), (stage.constraints,))
        if end.constraints:
            self.multipliers["end"] = self._zeros((), (end.constraints,))
        self.penalty = target.arrays.ones(count, dtype)
        if problem.exact:  # costates by which the dynamics bend the cost, 0 where they shall not
            self.bending = self._zeros((horizon,), (problem.system.ndx,))
        self.sides = [self._side(), self._side()]
        self.now = 0  # the side whose trajectories are accepted

    def _side(self):
        return Side(self)

    def _compiled(self):
        problem, target, dtype = self.problem, self.target, self.dtype
        options = {} if self.threads is None else {"threads": self.threads}
        few = options | {"states": self.count}
        linearise = None if self.together else target.map(problem.linearise, dtype, **options)
        at_end = target.map(problem.at_end, dtype, **options)
        if problem.parallel_in_time:
            given = problem, self.horizon, target, dtype, few
            return Kernels(linearise, at_end, backward_kernel(*given), forward_kernel(*given))
        back = problem.together if self.together else problem.backward
        back, forward = (target.iterate(*each, dtype, **few) for each in (back, problem.forward))
        return Kernels(linearise, at_end, back, forward)

    @property
    def here(self):
        return self.sides[self.now]

    @property
    def there(self):
        return self.sides[1 - self.now]

    def of(self, rows):
        """These problems alone, on the side that is accepted."""
        given = self.problem, self.horizon, len(rows), self.target, self.dtype, self.threads
        work = Work(*given, self.together, self.kernels)
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
        for mine, theirs in zip(work.here.kept(), self.here.kept(), strict=True):
            mine[...] = theirs[:, rows]
        return work

    def connect(self, parameters):
        """Use these parameters, and describe all arrays to native code."""
        self.parameters = parameters
        for side, other in zip(self.sides, self.sides[::-1], strict=True):
            side.connect_end(self)
            side.connect_back(self)
            side.connect_forward(self, other)

    def at_knots(self, name, shape):
        """A parameter at all knots but the end: (horizon, count, *shape) or (count, *shape)."""
        array = self.parameters[name]
        return array[: self.horizon] if name in self.problem.per_step else array

    def as_rows(self, name, shape):
        """The same as (horizon or 1, count, entries)."""
        knots = self.horizon if name in self.problem.per_step else 1
        return self.at_knots(name, shape).reshape(knots, self.count, math.prod(shape))

    def mapped(self, body):
        """The kernel of a Body over problems, or over knots and problems."""
        options = {} if self.threads is None else {"threads": self.threads}
        return self.target.map(body, self.dtype, **options)

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
        self.x = work._zeros((horizon + 1,), (system.nx,))
        self.u = work._zeros((horizon,), (system.nu,))
        shapes = problem.of_linearise | problem.of_constraints
        if work.together:
            shapes = {name: shapes[name] for name in problem.kept}
        self.linear = {name: work._new((horizon,), shape) for name, shape in shapes.items()}
        laws = problem.law_shapes
        self.law = {name: work._zeros((horizon,), shape) for name, shape in laws.items()}
        self.costates = work._zeros((horizon + 1,), (system.ndx,))
        self.value = work._new((1,), problem.expand_inputs["V"])
        self.slope = work._new((1,), (system.ndx,))
        xp = work.target.arrays
        self._copy_marked, self._kept = work.target.copy_marked, problem.kept
        zero = xp.zeros((), work.dtype)
        self._flat = [(law, xp.broadcast_to(zero, law.shape)) for law in self.law.values()]
        self.tallies = xp.zeros((len(TALLIES), work.count), work.dtype)
        first = [np.inf if name == "least" else 0.0 for name in TALLIES]
        self._first = xp.asarray(first, work.dtype)[:, None]
        self.of_end = None
        if problem.terminal.constraints:
            self.of_end = work._new((1,), (problem.terminal.constraints,))
        # of the pass forward that reads this side
        if problem.feasible:
            self.start = {"at": work._new((1,), (system.nx,))}
        else:
            self.start = {"dx": work._new((1,), (system.ndx,)), "slope": work._new((1,), ())}

    def tally(self, name):
        return self.tallies[TALLIES.index(name)]

    # -- arrays, described to native code ----------------------------------------------------------

    def connect_end(self, work):
        """The cost at the end."""
        problem, horizon = work.problem, work.horizon
        given = {"x": self.x[horizon], MULTIPLIERS: work.multipliers.get("end")}
        given |= {PENALTY: work.penalty}
        for name in problem.terminal.parameters:
            array = work.parameters[name]
            given[name] = array[horizon] if name in problem.per_step else array
        inputs = problem.terminal.expansion.inputs
        made = {"V": self.value[0], "v": self.slope[0], "total": self.tally("total")}
        if self.of_end is not None:
            made["residuals"] = self.of_end[0]
        kernel = work.kernels.at_end
        results = [made[name] for name in kernel.outputs]
        self._at_end = kernel.job([given[name] for name in inputs], results)
        self._last_costates, self._last_slope = self.costates[-1], self.slope[0]

    def connect_back(self, work):
        """The passes that stay on this side: linearising, and backward."""
        problem, count = work.problem, work.count
        at_knots = {"x": self.x[:-1], "u": self.u, "x_next": self.x[1:], PENALTY: work.penalty}
        if "stage" in work.multipliers:
            at_knots[MULTIPLIERS] = work.multipliers["stage"]
        if problem.exact:
            at_knots["costates"] = work.bending
        for name, shape in problem.linearise_inputs.items():
            if name not in at_knots:
                at_knots[name] = work.at_knots(name, shape)
        self._linearise, kernel = None, work.kernels.linearise
        if kernel is not None:
            given = [at_knots[name] for name in problem.linearise_inputs]
            self._linearise = kernel.job(given, [self.linear[name] for name in kernel.outputs])
        plan = work.kernels.backward.plan
        sources = self.linear | at_knots
        sources |= {"V": self.value, "v": self.slope, "damping": work.damping}
        sources[PENALTY] = work.penalty.reshape(1, count)
        arrays = []
        for name, shape in plan.inputs.items():
            if name in TALLIES:
                arrays.append(self.tally(name).reshape(1, count, 1))
            elif name in plan.per_step:
                arrays.append(in_rows(sources[name][::-1], count, shape))
            elif name in work.parameters:
                arrays.append(work.as_rows(name, shape))
            else:
                arrays.append(in_rows(sources[name], count, shape))
        records = self.linear | self.law | {"v": self.costates[:-1]}
        for name in plan.record:
            arrays.append(in_rows(records[name][::-1], count, plan.shape_of(name)))
        self._backward = work.kernels.backward.job(arrays, count, often=True)

    def connect_forward(self, work, other):
        """The pass that reads this side and writes the other."""
        count, system = work.count, work.problem.system
        sources = {"x": self.x[:-1], "u": self.u, "x_next": self.x[1:], "step": work.step}
        sources |= self.law | self.linear | self.start
        arrays = []
        for name, shape in work.kernels.forward.plan.inputs.items():
            if name in work.parameters:
                arrays.append(work.as_rows(name, shape))
            else:
                arrays.append(in_rows(sources[name], count, shape))
        arrays.append(in_rows(other.x[1:], count, (system.nx,)))
        arrays.append(in_rows(other.u, count, (system.nu,)))
        self._forward, self._other = work.kernels.forward.job(arrays, count, often=True), other
        begins = {name: self.x[0] if name == "at" else 0.0 for name in self.start}
        self._begins = [(array[0], begins[name]) for name, array in self.start.items()]
        self._begins.append((other.x[0], self.x[0]))

    # -- passes ------------------------------------------------------------------------------------

    def go(self):
        """Forward: the other side becomes the trajectory that the control law leads to."""
        for array, value in self._begins:
            array[...] = value
        self._forward.run(len(self.u), EVERY)

    def judge(self):
        """Linearise, and go backward: what the trajectory costs, and the control law around it."""
        self.tallies[...] = self._first
        self._at_end.run()
        self._last_costates[...] = self._last_slope
        if self._linearise is not None:
            self._linearise.run()
        self._backward.run(len(self.u), EVERY)

    def keep(self, marks, other):
        """Take the marked problems from the other side."""
        pairs = zip(self.kept(), other.kept(), strict=True)
        self._copy_marked(marks, pairs)

    def flatten(self, marks):
        """Let the control laws of marked problems change nothing."""
        self._copy_marked(marks, self._flat)

    def kept(self):
        """All of a trajectory that is read after the pass backward, with the problems as second
        axis."""
        yield from (self.x, self.u, *self.law.values(), self.costates, self.tallies)
        yield from (self.linear[name] for name in self._kept)
        if self.of_end is not None:
            yield self.of_end
