"""Model-predictive control by real-time iterations: a control at once, and a better plan after it.

A tick has two phases. The feedback follows the control law of the plan from the measured state, and
needs one pass forward. The preparation makes the trajectory that this leads to the next plan: it is
moved on by a step of time, linearised, and gets a control law of its own (one pass backward). What
the solver would do in many iterations until it converges is done in one per tick, while the state
moves (Diehl, Bock and Schlöder, 2005).
"""

from __future__ import annotations

import math
from time import perf_counter_ns
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import integer
from ..compiling import one_call
from ..errors import ArgumentError
from .controller import Controller, require_no_constraints
from .receding import Receding
from .search import Search
from .status import Status
from .work import Work

LOST = 2  # refused plans in a row before a restart
ROUNDS = 10  # of the search of a restart, in a tick


class MPC(Controller):
    """Model-predictive control of a batch: `solver.mpc(x0, ...)` makes one.

    `u = mpc.tick(x)` is all that a control loop needs. It calls `mpc.feedback(x)`, which returns
    the control, and then `mpc.prepare()`, which makes the next plan; call the two yourself to apply
    the control between them. Arrays are made before the first tick, and written in place: what a
    tick returns is overwritten by the next one.

    A new plan is accepted only if its cost is finite and its control law exists; otherwise the old
    one is kept and shifted, which `refused` counts. After two in a row, a plan is searched for anew
    from the measured state, if that is finite, in a tick that takes longer; `restarts` counts that.
    A control is always finite and within its limits: if the measured state is not finite, it is the
    planned one.

    **Example:**

    >>> def cost(q, qd, u):
    ...     return 0.1 * qd @ qd + 0.01 * u @ u
    ...
    >>> def at_the_end(q, qd):
    ...     return 1e4 * (q[0] - np.pi / 2) ** 2 + 100 * qd @ qd
    ...
    >>> rod = px.robots.planar(1)
    >>> solver = px.optimal_control(rod, cost, 50, dt=0.02, terminal=at_the_end)
    >>> mpc = solver.mpc([-np.pi / 2, 0.0])
    >>> u = mpc.tick([-np.pi / 2, 0.0])  # N m, now; the next plan is made after it
    >>> u.shape, mpc.us.shape
    ((1,), (50, 1))
    """

    def __init__(self, solver, x0, us, xs, iterations, first_iterations, shift, parameters):
        self.iterations = integer("iterations", iterations)
        first_iterations = integer("first_iterations", first_iterations)
        require_no_constraints(solver.problem, "model-predictive control")
        super().__init__(solver, x0, us, xs, parameters)
        solver.warn_of_idle_controls()
        count, target, threads = len(self._control), self.target, solver.threads
        self.ahead, self._due, self._solver = int(shift), False, solver
        self._restarts, self._in_a_row = (self.target.arrays.zeros(count, int) for _ in range(2))
        self._whole = self.target.arrays.ascontiguousarray
        with one_call(f"model-predictive control{self.problem.subject}"), target.stream():
            start = Work(self.problem, self.horizon, count, target, self.dtype, threads)
            self._from_nothing = start.problem, start.together, start.kernels
            solver.begin(start, self.given)
            self.status = self._solve(start, first_iterations)
            given = self.problem, self.horizon, count, target, self.dtype, threads
            self._work = work = Receding(*given, self.ahead)
            work.connect({name: self.given[name] for name in self.problem.parameters})
            self._begin(start)

    def _solve(self, work, rounds):
        """The best first plan; raises if there is none."""
        search = self._searched(work, rounds)
        failed = int((search.status == Status.FAILED).sum())
        if failed:
            raise ArgumentError(
                f"x0: the first trajectories of {failed} of {work.count} problems are not finite; "
                f"give another x0, or first controls us"
            )
        search.end()
        return self.target.given_back(search.status.reshape(self.batch))

    @staticmethod
    def _searched(work, rounds):
        search = Search(work, 1e-9, 1e-6)
        search.begin()
        with np.errstate(all="ignore"):
            for _ in range(rounds):
                search.round()
                if not search.running.any():
                    break
        return search

    def _begin(self, start):
        """Prepare that plan."""
        here = self._work.here
        here.x[...], here.u[...] = start.here.x, start.here.u
        here.extend(self.ahead)
        here.judge()
        unsound = ~self._sound(here)
        if unsound.any():  # nothing but the first controls is known
            for law in here.law.values():
                law[:, unsound] = 0.0

    # -- ticks -------------------------------------------------------------------------------------

    def tick(self, x: ArrayLike, **parameters: ArrayLike) -> Any:
        """The control in the measured state `x`, `(..., nx)`, and then the next plan.

        `parameters` are those of the next plan, if they change: they act from the next tick on.
        Those per step have values from the time on at which the next plan begins.
        """
        control = self.feedback(x)
        self.prepare(**parameters)
        return control

    def feedback(self, x: ArrayLike) -> Any:
        """The control `(..., nu)` in the measured state, from the plan that is prepared."""
        begin = perf_counter_ns()
        with self._stream():
            self._measure(x)
            work = self._work
            work.here.feed_back(self._measured)
            self._control[...] = work.there.all_u[0]
            if not math.isfinite(self._control.sum()):
                self._as_planned()
        self._due, self._until_control = True, perf_counter_ns() - begin
        return self._given_back

    def _as_planned(self):
        """The control of the plan itself, where that of the law is not finite."""
        xp, here, limits = self.target.arrays, self._work.here, self.problem.limits
        planned = here.u[0] + here.law["k"][0]
        if limits is not None:
            low, high = (self.target.put(xp.asarray(each, self.dtype)) for each in limits)
            planned = xp.clip(planned, low, high)
        lost = ~xp.isfinite(self._control).all(-1)
        self._control[...] = xp.where(lost[:, None], planned, self._control)

    def prepare(self, **parameters: ArrayLike) -> None:
        """The next plan, from the state that `feedback` was given."""
        if not self._due:
            raise ArgumentError("prepare: call feedback(x) first; tick(x) does both")
        begin = perf_counter_ns()
        with self._stream():
            if parameters:
                self._change(parameters)
            self._iterate()
        self._due, first = False, self._first
        self._first = False
        if not first:
            whole = self._until_control + perf_counter_ns() - begin
            self._clock.add(self._until_control, whole)

    _first = True  # tick, which finds nothing in the caches of the processor

    def _iterate(self):
        work = self._work
        refused = self._take(later=self.ahead)
        for _ in range(self.iterations - 1):
            work.here.go()
            again = self._take(later=0)
            if again is not None:
                refused = again if refused is None else refused | again
        if refused is not None:
            self._refused += refused
            self._count(refused)
        elif self._any_lost:
            self._in_a_row[...], self._any_lost = 0, False

    _any_lost = False

    def _count(self, refused):
        """Restart problems with too many refused plans in a row."""
        xp, self._any_lost = self.target.arrays, True
        self._in_a_row[...] = xp.where(refused, self._in_a_row + 1, 0)
        known = xp.isfinite(self._measured).all(-1)
        rows = xp.nonzero((self._in_a_row >= LOST) & known)[0]
        if len(rows):
            self._restart(rows)

    def _restart(self, rows):
        """Search anew from the measured states of these problems, as for a first plan."""
        solver, per_step, whole = self._solver, self.problem.per_step, self._whole
        problem, *compiled = self._from_nothing  # whose derivatives the kernels take
        given = problem, self.horizon, len(rows), self.target, self.dtype, solver.threads
        start = Work(*given, *compiled)
        arrays = {"x0": self._measured[rows]}
        for name in self.problem.parameters:
            array = self.given[name]
            arrays[name] = whole(array[:, rows] if name in per_step else array[rows])
        solver.begin(start, arrays)
        self._searched(start, ROUNDS)
        found = self.target.arrays.nonzero(self._sound(start.here))[0]
        rows, here = rows[found], self._work.here
        here.begin_plan(rows, start.here, found)
        here.extend(self.ahead)
        self._restarts[rows] += 1
        self._in_a_row[rows] = 0

    def _take(self, later):
        """Judge the candidate and let it be the plan; returns the mask of the problems that refuse
        it, None if there are none."""
        work = self._work
        here, there, refused = work.here, work.there, None
        there.extend(self.ahead)
        there.judge()
        if not (math.isfinite(there.tallies.sum()) and there.tally("least").min() > 0):
            refused = ~self._sound(there)
            there.keep_plan(refused, here, later)
        work.now = 1 - work.now
        return refused

    def _sound(self, side):
        """Which plans have a cost and a control law."""
        finite = self.target.arrays.isfinite
        sound = finite(side.tally("total")) & finite(side.tally("decrement"))
        return sound & (side.tally("least") > 0)

    # -- the plan ----------------------------------------------------------------------------------

    @property
    def restarts(self) -> Any:
        """The number of restarts after several refused plans in a row, (...)."""
        return self.target.given_back(self._restarts.reshape(self.batch).copy())

    @property
    def xs(self) -> Any:
        """The states of the plan for the next tick, (..., N + 1, nx); like `us`, `gains` and `cost`
        a copy."""
        return self._shown(self._work.here.x)

    @property
    def us(self) -> Any:
        """Its controls, (..., N, nu), before the law is applied."""
        return self._shown(self._work.here.u)

    @property
    def gains(self) -> Any:
        """Its feedback gains, (..., N, nu, ndx), for control loops that run faster than ticks."""
        return self._shown(self._work.here.law["K"])

    @property
    def cost(self) -> Any:
        """Its cost, (...)."""
        total = self._work.here.tally("total").reshape(self.batch)
        return self.target.given_back(total.copy())

    def _shown(self, array):
        whole = self.target.arrays.ascontiguousarray(array)
        return self.target.given_back(self._of_batch(whole, True).copy())

    def __repr__(self) -> str:
        return f"<MPC of {self.batch} problems, horizon {self.horizon}: {self.timing}>"
