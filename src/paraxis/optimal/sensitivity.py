"""How solutions move with what they depend on, by the implicit function theorem.

At an optimum the derivatives of the Lagrangian vanish, and they still do when a parameter changes.
What that does to a number which depends on the trajectory follows from one adjoint problem of the
same form as the original one: it has the Hessian of the Lagrangian, linear dynamics, and the
derivatives of the number as linear terms. A pass backward and one forward solve it. Its solution,
states, controls and costates, is the direction in which the parameter's slope of the Lagrangian
counts.

Controls that push against their limits stay there. Constraints that are active stay so: they are
equalities of the adjoint problem, with multipliers of their own, which are found by repeating the
passes until they hold (the method of multipliers). The other constraints do not matter.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..body import Body
from .lagrangian import (
    ALONG,
    costates_graph,
    costates_plan,
    curvature_graph,
    follow_graph,
    follow_plan,
    numbers_graph,
    parameters_of,
    pull_graph,
    reply_graph,
    reply_plan,
    slopes_graph,
    tangent_graph,
)
from .objective import MULTIPLIERS
from .problem import Problem

AT_LIMIT = 1e-6  # relative distance from its limit at which a control is there, in any precision
ROUNDS = 60  # of the method of multipliers, at most
ENOUGH = 0.25  # by which violations must fall for the penalty to stay
STIFF = 100.0  # the first penalty, in units of the Hessian
MORE, MOST = 10.0, 1e10  # how much the penalty grows, at once and in all


class Reply(NamedTuple):
    """The solution of an adjoint problem, time before the batch. `off`: how far constraints are
    from holding; `start`: the costates of the first knot; `least`: the least pivot."""

    dx: Any
    du: Any
    costates: Any
    multipliers: dict[str, Any]
    off: dict[str, Any]
    start: Any
    least: Any

    def along(self, end):
        """The names of what moves -> how, at all knots but the end, or there."""
        moves = {"x": self.dx[-1]} if end else {"x": self.dx[:-1], "u": self.du}
        moves |= {} if end else {"costates": self.costates}
        where = "end" if end else "stage"
        if where in self.multipliers:
            moves[MULTIPLIERS] = self.multipliers[where]
        return {ALONG + name: array for name, array in moves.items()}


@dataclass(frozen=True, eq=False)
class Optima:
    """Solutions of a Problem, on a target.

    xs: (N + 1, count, nx); us: (N, count, nu); multipliers of constraints: "stage" (N, count, k),
    "end" `(count, k)`; parameters: `(count, *shape)`, per step (N + 1, count, *shape).
    """

    problem: Problem
    target: Any
    dtype: str
    threads: int | None
    xs: Any
    us: Any
    multipliers: dict[str, Any]
    parameters: dict[str, Any]

    def pulled(self, xs_bar, us_bar, cost_bar, wanted, moved):
        """(name -> its cotangent, for every problem; the problems for which that is right).

        `xs_bar`, `us_bar` and `cost_bar` are cotangents of states, controls and costs; the first
        two count for problems that are `moved` by them. That of "x0" is over moves of the state.
        """
        problem, arrays = self.problem, self.target.arrays
        reply, right = self._still(), arrays.ones(moved.shape, bool)
        if moved.any():
            reply, right = self._adjoint(self._over_moves(xs_bar), us_bar, moved)
        found = {"x0": reply.start + cost_bar[:, None] * self._costates[0][0]}
        for name in wanted:
            if name != "x0":
                first = (len(self.xs),) if name in problem.per_step else ()
                shape = (*first, len(cost_bar), *problem.parameters[name])
                found[name] = arrays.zeros(shape, self.dtype)
        for end in (False, True):
            names = tuple(name for name in parameters_of(problem, end) if name in found)
            if not names:
                continue
            given = self._points(end) | reply.along(end) | {"cost_bar": cost_bar}
            given |= {"costates": self._costates[0][1:]}
            pulls = self._at_knots(pull_graph, end, names, **given)
            for name in names:
                pull = pulls[f"{name}_bar"]
                if name not in problem.per_step:
                    found[name] += pull if end else pull.sum(0)
                elif end:
                    found[name][-1] += pull
                else:
                    found[name][:-1] += pull
        return {name: found[name] for name in wanted}, right

    # -- the problems at their solutions -----------------------------------------------------------

    def _points(self, end):
        """What the Lagrangian depends on, at all knots but the end, or there."""
        horizon, per_step = len(self.us), self.problem.per_step
        found = {
            name: (array[horizon] if end else array[:horizon]) if name in per_step else array
            for name, array in self.parameters.items()
        }
        where = "end" if end else "stage"
        if where in self.multipliers:
            found[MULTIPLIERS] = self.multipliers[where]
        if end:
            return found | {"x": self.xs[-1]}
        return found | {"x": self.xs[:-1], "u": self.us, "x_next": self.xs[1:]}

    @cached_property
    def _slopes(self):
        return self._at_knots(slopes_graph, False, **self._points(False))

    @cached_property
    def _end_slopes(self):
        return self._at_knots(slopes_graph, True, **self._points(True))

    @cached_property
    def _costates(self):
        """(costates of all knots, the slopes of the Lagrangian by controls)."""
        given = self._slopes | {"x": self.xs[:-1], "costates": self._end_slopes["gradient"]}
        found = self._backward(costates_graph, costates_plan(self.problem), given)
        return found["costates"], found["slope"]

    @cached_property
    def _held(self):
        """1 for controls at a limit that they push against, 0 for others."""
        xp = self.target.arrays
        if self.problem.limits is None:
            return xp.zeros_like(self.us)
        _, slope = self._costates
        limits = (self.target.put(np.array(each, self.dtype)) for each in self.problem.limits)
        low, high = (xp.nan_to_num(each) for each in limits)  # infinite ones are never reached
        below = (self.us - low <= AT_LIMIT * (1.0 + abs(low))) & (slope > 0)
        above = (high - self.us <= AT_LIMIT * (1.0 + abs(high))) & (slope < 0)
        return (below | above).astype(self.dtype)

    @cached_property
    def _curvature(self):
        given = self._points(False) | {"costates": self._costates[0][1:]}
        return self._at_knots(curvature_graph, False, **given)["curvature"]

    @cached_property
    def _end_curvature(self):
        return self._at_knots(curvature_graph, True, **self._points(True))["curvature"]

    @cached_property
    def _active(self):
        """At "stage" and "end": 1 for constraints that are active, 0 for others."""
        found = {}
        for where, array in self.multipliers.items():
            objective = self.problem.stage if where == "stage" else self.problem.terminal
            found[where] = (array != 0).astype(self.dtype)
            found[where][..., objective.inequalities :] = 1.0
        return found

    @property
    def _normals(self):
        """At "stage" and "end": derivatives of constraints."""
        slopes = {"stage": self._slopes, "end": self._end_slopes}
        return {where: slopes[where]["normals"] for where in self.multipliers}

    # -- the adjoint problem -----------------------------------------------------------------------

    def _adjoint(self, x_bar, u_bar, moved):
        """(its Reply, the problems for which it is right, of those that are moved)."""
        xp = self.target.arrays
        if not self.multipliers:
            reply = self._replied(x_bar, u_bar, None, {})
            return reply, reply.least > 0
        pushes = {where: xp.zeros_like(array) for where, array in self.multipliers.items()}
        first = penalty = self._first_penalty()
        before, settled = xp.full(moved.shape, np.inf), ~moved
        lost = xp.zeros(moved.shape, bool)
        enough = float(np.finfo(self.dtype).eps) ** 0.6
        for _ in range(ROUNDS):
            reply = self._replied(x_bar, u_bar, penalty, pushes)
            sound = reply.least > 0
            off, size = self._largest(reply.off), self._largest({"x": reply.dx, "u": reply.du})
            settled |= sound & ~lost & (off <= enough * size * self._steepness)
            lost |= ~settled & (penalty >= MOST * first)
            if (settled | lost).all():
                break
            going = (sound & ~settled)[:, None]
            for where, array in pushes.items():
                pushes[where] = xp.where(going, reply.multipliers[where], array)
            slow = ~settled & ~(sound & (off <= ENOUGH * before))
            penalty = xp.where(slow, xp.minimum(MORE * penalty, MOST * first), penalty)
            before = xp.where(sound, off, before)
        return reply, sound & settled

    def _still(self):
        """The Reply where nothing pulls."""
        (steps, count, _), n = self.us.shape, self.problem.system.ndx
        xp = self.target.arrays
        dx, costates = (xp.zeros((k, count, n), self.dtype) for k in (steps + 1, steps))
        none = {where: xp.zeros_like(array) for where, array in self.multipliers.items()}
        start, least = xp.zeros((count, n), self.dtype), xp.ones(count, self.dtype)
        return Reply(dx, xp.zeros_like(self.us), costates, none, none, start, least)

    def _replied(self, x_bar, u_bar, penalty, pushes):
        """The Reply with this penalty on squares of active constraints, and these multipliers."""
        xp, problem = self.target.arrays, self.problem
        active = self._active
        weights = {where: each * penalty[:, None] for where, each in active.items()}
        V, v = self._end_curvature, x_bar[-1]
        if "end" in pushes:
            normals = self._normals["end"]
            i, j = np.triu_indices(problem.system.ndx)
            V = V + (weights["end"][..., None] * normals[..., i] * normals[..., j]).sum(-2)
            v = v + (pushes["end"][..., None] * normals).sum(-2)
        given = self._slopes | {"x": self.xs[:-1], "curvature": self._curvature}
        given |= {"x_bar": x_bar[:-1], "u_bar": u_bar, "held": self._held}
        given |= {"V": V, "v": v, "least": xp.full(self.us.shape[1], np.inf, self.dtype)}
        if "stage" in pushes:
            given |= {"weights": weights["stage"], "pushes": pushes["stage"]}
        law = self._backward(reply_graph, reply_plan(problem), given)
        start, least = law["v"][0], law["least"][0]
        given = self._slopes | law | {"x": self.xs[:-1], "V": law["V"][1:], "v": law["v"][1:]}
        moves = self._forward(follow_graph, follow_plan(problem), given | {"dx": 0.0})
        off = {"stage": moves["off"]} if "stage" in pushes else {}
        if "end" in pushes:
            off["end"] = (self._normals["end"] * moves["dx"][-1][:, None]).sum(-1)
        off = {where: active[where] * each for where, each in off.items()}
        multipliers = {where: pushes[where] + weights[where] * off[where] for where in off}
        moved = moves["dx"], moves["du"], moves["costates"]
        return Reply(*moved, multipliers, off, start, least)

    def _first_penalty(self):
        """By which constraints weigh so much more than the rest."""
        curvature = self._largest({"stage": self._curvature, "end": self._end_curvature})
        curvature = self.target.arrays.where(curvature > 0, curvature, 1.0)
        return STIFF * curvature / self._steepness**2

    @cached_property
    def _steepness(self):
        """The largest derivative of a constraint, of each problem."""
        tiny = float(np.finfo(self.dtype).tiny) ** 0.25
        return self.target.arrays.maximum(self._largest(self._normals), tiny)

    def _largest(self, arrays):
        """The largest magnitude in these arrays, of each problem: "end" has no axis of time."""
        xp, most = self.target.arrays, self.target.arrays.zeros(self.us.shape[1], self.dtype)
        for name, array in arrays.items():
            problems = 0 if name == "end" else 1
            axes = tuple(k for k in range(array.ndim) if k != problems)
            most = xp.maximum(most, abs(array).max(axes))
        return most

    # -- curved spaces -----------------------------------------------------------------------------

    def _over_moves(self, xs_bar):
        """A cotangent of the numbers of states, as one of their moves."""
        if not self.problem.system.curved:
            return xs_bar
        kernel = self._kernel(tangent_graph, self.problem.system)
        return kernel(self.xs, xs_bar)

    def over_numbers(self, x0_bar):
        """A cotangent of the moves of first states, as one of their numbers."""
        if not self.problem.system.curved:
            return x0_bar
        kernel = self._kernel(numbers_graph, self.problem.system)
        return kernel(self.xs[0], x0_bar)

    # -- kernels -----------------------------------------------------------------------------------

    def _kernel(self, make, *arguments):
        return self.target.map(Body(make, *arguments), self.dtype, **self._options)

    @property
    def _options(self):
        return {} if self.threads is None else {"threads": self.threads}

    def _at_knots(self, make, *arguments, **given):
        """The outputs of a body of the problem, by name."""
        kernel = self._kernel(make, self.problem, *arguments)
        results = kernel(*(given[name] for name in kernel.inputs))
        results = results if isinstance(results, tuple) else (results,)
        return dict(zip(kernel.outputs, results, strict=True))

    def _backward(self, make, plan, given):
        """What a body carries, at all knots, and what it makes of each but the end."""
        found = {name: self._empty(len(self.us), plan.shape_of(name)) for name in plan.record}
        for name in plan.carry:
            found[name] = self._empty(len(self.xs), plan.inputs[name])
            found[name][-1] = given[name]
        out = {name: array[: len(self.us)][::-1] for name, array in found.items()}
        self._iterate(make, plan, out, {n: given[n][::-1] for n in plan.per_step}, found, -1)
        return found

    def _forward(self, make, plan, given):
        """The same forward."""
        found = {name: self._empty(len(self.us), plan.shape_of(name)) for name in plan.record}
        for name in plan.carry:
            found[name] = self._empty(len(self.xs), plan.inputs[name])
            found[name][0] = given[name]
        out = {name: array[-len(self.us) :] for name, array in found.items()}
        self._iterate(make, plan, out, {n: given[n] for n in plan.per_step}, found, 0)
        return found

    def _iterate(self, make, plan, out, streams, found, first):
        body, count = Body(make, self.problem), self.us.shape[1]
        kernel = self.target.iterate(body, plan, self.dtype, states=count, **self._options)
        start = {name: found[name][first] for name in plan.carry}
        kernel.start(len(self.us), 1, out, **streams, **start).advance()

    def _empty(self, first, shape):
        return self.target.empty((first,), (self.us.shape[1],), shape, self.dtype)
