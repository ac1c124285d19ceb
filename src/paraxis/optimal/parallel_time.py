"""Passes through time in rows of knots, all rows at once.

The horizon is cut into rows of a few knots. What a row does to a value function at its end, or to a
state at its start, is a span; from their spans follows what is at the ends of all rows, in
logarithmic time. Then each row is a pass of its own, by the same body as the pass along the whole
horizon, so that its numbers are the same but for rounding. That is more work for each knot, with
fewer steps one after another.

Kernels here stand in for those of `iterate` over the horizon. Problems go one by one.
"""

import numpy as np

from ..drivers.elimination import Elimination
from ..drivers.iterate import in_rows
from . import state_spans, value_spans
from .sums import in_pairs

SHORTEST = 16  # steps of a row
FILLED = 4  # times as many rows as are computed in the time of one: more only cost more ends
ORDER = "odd_even_reduction"
MAXIMA, MINIMA = ("widest", "steepest", "broken"), ("least",)  # over knots; others are sums


def backward_kernel(problem, horizon, target, dtype, options):
    """The kernel of the pass backward, with the plan of `problem.backward`."""
    ends = value_spans.value_spans(problem.system.ndx, target)
    given = problem.backward, value_spans.grown(problem), ends, ("V", "v"), True
    return _kernel(given, horizon, target, dtype, options)


def forward_kernel(problem, horizon, target, dtype, options):
    """The kernel of the pass forward, with the plan of `problem.forward`: in rows, where it is by
    linearised dynamics."""
    if problem.feasible:
        return target.iterate(*problem.forward, dtype, **options)
    ends = state_spans.state_spans(problem.system.ndx, target)
    given = problem.forward, state_spans.grown(problem), ends, ("dx",), False
    return _kernel(given, horizon, target, dtype, options)


def _kernel(given, horizon, target, dtype, options):
    cut = Cut(horizon, FILLED * target.width(dtype))
    if cut.rows < 2:
        (body, plan), *_ = given
        return target.iterate(body, plan, dtype, **options)
    return RowsKernel(*given, cut, target, dtype, options)


class Cut:
    """A horizon as `rows` of `steps` knots, and a rest at its end that is shorter than a row."""

    def __init__(self, horizon, most):
        self.steps = max(SHORTEST, horizon // most)
        self.rows, self.rest = divmod(horizon, self.steps)

    def in_rows(self, array, problem):
        """Of an array (horizon, problems, entries) one problem, as (steps, rows, entries)."""
        whole = array[: self.rows * self.steps, problem]
        return whole.reshape(self.rows, self.steps, -1).transpose(1, 0, 2)

    def at_rest(self, array, problem):
        """(rest, 1, entries)."""
        return array[self.rows * self.steps :, problem : problem + 1]


class RowsKernel:
    """A pass along all rows at once.

    `step` and `grown` are each (a Body, its Plan): of a pass, and of spans along rows. `ends` is
    the operator on spans; what it leaves `unknown` at their ends is what the pass carries besides
    tallies. `backward` passes begin at the end.
    """

    def __init__(self, step, grown, ends, unknown, backward, cut, target, dtype, options):
        self.ends, self.unknown, self.backward = ends, unknown, backward
        self.plan, self.cut, self.target, self.dtype = step[1], cut, target, dtype
        many, one = options | {"states": cut.rows}, options | {"states": 1}
        self.spans = target.iterate(*grown, dtype, **many)
        self.rows = target.iterate(*step, dtype, **many)
        self.rest = target.iterate(*step, dtype, **one)

    def job(self, arrays, states, often=False):
        """As that of an iterate kernel."""
        return _Job(self, arrays, states, often)


class _Job:
    """Jobs of all problems, and memory for the rows of one."""

    def __init__(self, kernel, arrays, count, often):
        plan = kernel.plan
        self._kernel, self._cut = kernel, kernel.cut
        self._span, self._row = self._memory(kernel.spans.plan), self._memory(plan)
        self._ends = Elimination(kernel.ends, kernel.cut.rows, ORDER)
        self._find_ends = kernel.target.recorded(self._ends.run)
        given, records = arrays[: len(plan.inputs)], arrays[len(plan.inputs) :]
        given = dict(zip(plan.inputs, given, strict=True))
        self._carried = {name: given[name] for name in plan.carry}
        self._problems = [self._jobs(given, records, k, often) for k in range(count)]

    def _memory(self, plan):
        """name -> (1, rows, entries), of what is carried along rows."""
        rows, kernel = self._cut.rows, self._kernel
        shapes = {name: plan.inputs[name] for name in plan.carry}
        return {
            name: in_rows(kernel.target.empty((1,), (rows,), shape, kernel.dtype), rows, shape)
            for name, shape in shapes.items()
        }

    def _jobs(self, given, records, problem, often):
        """Those of spans, of rows and, if there is one, of the rest."""
        kernel, cut, plan = self._kernel, self._cut, self._kernel.plan
        xp, way = kernel.target.arrays, -1 if kernel.backward else 1

        def in_rows_and_rest(array):
            forward = array[::way]
            return cut.in_rows(forward, problem)[::way], cut.at_rest(forward, problem)[::way]

        along, at_rest = {}, {}
        for name, array in given.items():
            if name in plan.per_step:
                along[name], at_rest[name] = in_rows_and_rest(array)
                continue
            at_rest[name] = array[:, problem : problem + 1]
            shape = (1, cut.rows, array.shape[2])
            along[name] = self._row.get(name, xp.broadcast_to(at_rest[name], shape))
        recorded = [in_rows_and_rest(array) for array in records]
        of_span = along | self._span
        of_span = [of_span[name] for name in kernel.spans.plan.inputs]
        of_rows = [*along.values(), *(rows for rows, _ in recorded)]
        of_rest = [*at_rest.values(), *(rest for _, rest in recorded)]
        rest = kernel.rest.job(of_rest, 1, often) if cut.rest else None
        rows = kernel.rows.job(of_rows, cut.rows, often)
        return kernel.spans.job(of_span, cut.rows, often), rows, rest

    def run(self, steps, every):
        """Of all knots, every one of which is recorded."""
        for problem, (spans, rows, rest) in enumerate(self._problems):
            if rest is not None and self._kernel.backward:
                rest.run(self._cut.rest, every)
            self._begin_spans()
            spans.run(self._cut.steps, every)
            self._begin_rows(problem)
            rows.run(self._cut.steps, every)
            self._end_rows(problem)
            if rest is not None and not self._kernel.backward:
                rest.run(self._cut.rest, every)

    def _begin_spans(self):
        """Spans of no time."""
        for name, array in self._span.items():
            array[...] = _first(name)
        A = self._span["A"]
        n = self._span["b"].shape[2]
        A[..., :: n + 1] = 1.0

    def _begin_rows(self, problem):
        """Find what is at the ends of rows, and begin tallies."""
        known, starts = (-1, slice(1, None)) if self._kernel.backward else (0, slice(None, -1))
        for part in self._ends.spans.parts:
            self._ends.spans[part][...] = self._span[part][0].T
        for name in self._kernel.unknown:
            self._ends.x[name][:, known] = self._carried[name][0, problem]
        self._find_ends()
        for name, array in self._row.items():
            found = name in self._kernel.unknown
            array[0] = self._ends.x[name][:, starts].T if found else _first(name)

    def _end_rows(self, problem):
        """What the pass carries on from all rows."""
        last = 0 if self._kernel.backward else -1
        xp = self._kernel.target.arrays
        for name, whole in self._carried.items():
            row = self._row[name][0]
            mine = whole[0, problem]
            if name in self._kernel.unknown:
                mine[...] = row[last]
            elif name in MAXIMA:
                mine[...] = xp.maximum(mine, row.max(0))
            elif name in MINIMA:
                of_spans = self._span[name][0]  # matters only where there is no best control
                row = xp.where(of_spans > 0.0, row, of_spans)
                mine[...] = xp.minimum(mine, row.min(0))
            else:
                mine[...] = mine + in_pairs(row)


def _first(name):
    return np.inf if name in MINIMA else 0.0
