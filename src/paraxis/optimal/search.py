"""The search for optima: each problem of a batch proceeds independently, in common rounds.

A round makes one candidate of every problem, and judges it. Which step a problem takes, whether the
candidate is accepted, how much its next law is damped and when it is done depends on that problem
alone, so no problem waits for another's line search, and its numbers are the same in any batch.
"""

from enum import IntEnum

import numpy as np

from .sums import over_knots

ARMIJO = 1e-4  # the share of the predicted gain that a step must bring
SHORTEST = 2.0**-4  # a step; if it brings nothing at that length, the law is damped
SHORTEST_KINKED = 2.0**-10  # with constraints: where one begins to act, the cost has a kink
FADING = 0.9  # of the weight of gaps per full step tried: what mattered far away is forgotten
FIRST_DAMPING, MOST_DAMPING = 1e-3, 1e10
LEAST_PROGRESS = 0.25  # by which violations must fall for the penalty to stay
MORE_PENALTY, MOST_PENALTY = 10.0, 1e14
FIRST_WEIGHT = 0.3  # of the first violations, in units of the cost
UNVIOLATED = 2e-3  # squares of violations
LOOSE = 1e-4  # the tolerance before multipliers are known
NOISE, LEAST_TOLERANCE = 10, 20  # of costs: times the rounding of a number


class Status(IntEnum):
    """The outcome of the search for a problem's solution.

    - `SOLVED`: the conditions of an optimum hold.
    - `OUT_OF_ITERATIONS`: the search ended before it was solved.
    - `STALLED`: no step improves the cost, and the conditions of an optimum do not hold.
    - `INFEASIBLE`: constraints are still violated under the highest penalty.
    - `FAILED`: the first trajectory is not finite.

    **Example:**

    >>> def cost(q, qd, u):
    ...     return 0.1 * qd @ qd + 0.01 * u @ u
    ...
    >>> def at_the_end(q, qd):
    ...     return 1e4 * (q[0] - np.pi / 2) ** 2 + 100 * qd @ qd
    ...
    >>> rod = px.robots.planar(1)
    >>> solver = px.optimal_control(rod, cost, 50, dt=0.02, terminal=at_the_end)
    >>> plans = solver.solve([-np.pi / 2, 0.0], iterations=1)
    >>> px.optimal.Status(int(plans.status)).name
    'OUT_OF_ITERATIONS'
    """

    SOLVED = 0
    OUT_OF_ITERATIONS = 1
    STALLED = 2
    INFEASIBLE = 3
    FAILED = 4


RUNNING = -1


class Search:
    """The state of the search of each problem of a Work, as arrays."""

    def __init__(self, work, tolerance, constraint_tolerance):
        xp, count, dtype = work.target.arrays, work.count, work.dtype
        self.work, self.xp = work, xp
        rounding = float(np.finfo(dtype).eps)
        self.tolerance, self.noise = max(tolerance, LEAST_TOLERANCE * rounding), NOISE * rounding
        self.constraint_tolerance = constraint_tolerance
        self.length = xp.zeros(count, dtype)  # of the step that makes the candidate; 0: no step
        self.damping = xp.zeros(count, dtype)
        self.shortest = SHORTEST_KINKED if work.multipliers else SHORTEST
        self.merit = xp.full(count, np.inf, dtype)  # the cost, and what constraints add to it
        self.added = xp.zeros(count, dtype)  # by constraints
        self.first_cost = xp.full(count, np.nan, dtype)
        self.weight = xp.zeros(count, dtype)  # of gaps, in the merit of a trajectory
        self.within = xp.full(count, self.tolerance, dtype)
        if work.multipliers:
            self.within = xp.full(count, max(self.tolerance, LOOSE), dtype)
        self.exact = xp.zeros(count, bool)  # whether the dynamics bend the cost (DDP)
        self.violation = xp.full(count, np.inf, dtype)
        self.iterations = xp.zeros(count, int)
        self.status = xp.full(count, RUNNING, int)

    def begin(self):
        """Judge the first trajectories where the first round needs to know about them."""
        if self.work.multipliers or not self.work.problem.feasible:
            self.work.here.judge()
            self._flatten(self.xp.ones(self.work.count, bool))
        if self.work.multipliers:
            self._first_penalty()

    def of(self, rows):
        """The search of these problems alone."""
        work = self.work.of(rows)
        other = Search(work, self.tolerance, self.constraint_tolerance)
        for name, value in vars(self).items():
            if isinstance(value, self.xp.ndarray):
                setattr(other, name, value[rows])
        return other

    @property
    def cost(self):
        """Of the trajectories that are accepted."""
        return self.merit - self.added

    @property
    def running(self):
        return self.status == RUNNING

    def round(self):
        """Make a candidate of every problem, judge it, and decide."""
        work, xp = self.work, self.xp
        work.step[0], work.damping[0] = self.length, self.damping
        here, there = work.here, work.there
        if work.problem.exact:
            work.bending[...] = xp.where(self.exact[:, None], here.costates[1:], 0.0)
        here.go()
        there.judge()
        stepping = self.length > 0
        running = self.running
        accepted = self._good(here, there, stepping) & running
        refused = running & ~accepted
        if not accepted.all():
            there.keep(xp.nonzero(~accepted)[0], here)
        work.now = 1 - work.now
        self._after_refusal(refused, stepping)
        self._after_acceptance(accepted, stepping)

    def _good(self, here, there, stepping):
        """Whether candidates are better than what they come from, or need not be."""
        xp, problem = self.xp, self.work.problem
        total, before = there.tally("total"), self.merit
        finite = xp.isfinite(total)
        if problem.feasible:
            needed = ARMIJO * self.length * here.tally("decrement")
            gain = before - total
        else:
            finite &= xp.isfinite(there.tally("gaps"))
            slope, gaps = here.predicted_rise, here.tally("gaps")
            self._more_weight(here, gaps)
            needed = -ARMIJO * self.length * (slope - self.weight * gaps)
            gain = before - total + self.weight * (gaps - there.tally("gaps"))
        return finite & (~stepping | (gain >= needed - self.noise * abs(before)))

    def _more_weight(self, here, gaps):
        """Let gaps count enough for the step to improve the merit of a trajectory: where the model
        has the cost rise, for gaps to close, twice as much as that (Nocedal and Wright, 18.36)."""
        xp = self.xp
        rise = here.tally("bridged") - here.tally("decrement")
        matters = (gaps > 0) & (rise > self.noise * abs(self.merit))
        enough = xp.where(matters, 2.0 * rise / xp.where(matters, gaps, 1.0), 0.0)
        faded = xp.where(self.length == 1.0, FADING * self.weight, self.weight)
        self.weight = xp.maximum(faded, enough)

    def _after_refusal(self, refused, stepping):
        """Shorter steps; where they are too short, more damping."""
        xp = self.xp
        shorter = refused & stepping
        self.length = xp.where(shorter, 0.5 * self.length, self.length)
        short = shorter & (self.length < self.shortest)
        failed = refused & ~stepping
        self.status = xp.where(failed, int(Status.FAILED), self.status)
        self._damp(short)

    def _damp(self, problems):
        """Another law from where they are: without second derivatives of the dynamics, or, where
        there are none, with more damping."""
        xp = self.xp
        bending = problems & self.exact
        self.exact = self.exact & ~bending
        self.length = xp.where(bending, 0.0, self.length)
        problems = problems & ~bending
        more = xp.maximum(10.0 * self.damping, FIRST_DAMPING)
        self.damping = xp.where(problems, more, self.damping)
        self.length = xp.where(problems, 0.0, self.length)
        stalled = problems & (self.damping > MOST_DAMPING)
        self.status = xp.where(stalled, int(Status.STALLED), self.status)

    def _after_acceptance(self, accepted, stepping):
        """What is next: a further step, another law, other multipliers, or nothing."""
        xp, here = self.xp, self.work.here
        self.merit = xp.where(accepted, here.tally("total"), self.merit)
        if self.work.multipliers and accepted.any():
            self.added = xp.where(accepted, self._added(), self.added)
        first = accepted & xp.isnan(self.first_cost)
        self.first_cost = xp.where(first, abs(self.cost), self.first_cost)
        moved = accepted & stepping
        self.iterations = self.iterations + moved
        sound = (here.tally("least") > 0) & xp.isfinite(here.tally("decrement"))
        bent = accepted & ~sound  # there is no best control law
        if bent.any():
            self._flatten(bent)
        relaxed = moved & ~bent
        lower = xp.where(self.damping > FIRST_DAMPING, 0.1 * self.damping, 0.0)
        self.damping = xp.where(relaxed, lower, self.damping)
        fine = accepted & ~bent
        longer = xp.where(stepping, xp.minimum(1.0, 4.0 * self.length), 1.0)
        self.length = xp.where(fine, longer, self.length)
        self._damp(bent)
        if self.work.problem.exact:
            self.exact = self.exact | relaxed
        scale = abs(self.cost) + 1e-6 * self.first_cost
        flat = fine & (here.tally("decrement") <= self.within * scale)
        if not self.work.problem.feasible:
            largest = abs(here.x).max((0, 2)) if self.work.count else 0.0
            flat &= here.tally("widest") <= self.tolerance**0.5 * 1e-3 * (1.0 + largest)
        damped = flat & (self.damping > FIRST_DAMPING)  # it may be flat for that reason
        self.length = xp.where(damped, 0.0, self.length)
        self.damping = xp.where(damped, lower, self.damping)
        flat &= ~damped
        if not self.work.multipliers:
            self.status = xp.where(flat, int(Status.SOLVED), self.status)
        elif flat.any():
            self._multiply(flat)

    def _flatten(self, problems):
        """Let the control laws of these problems change nothing."""
        rows = self.xp.nonzero(problems)[0]
        for each in self.work.here.law.values():
            each[:, rows] = 0.0

    # -- constraints -------------------------------------------------------------------------------

    def _multiply(self, problems):
        """New multipliers for problems that are at an optimum under those they have."""
        xp, work = self.xp, self.work
        violation = self.violations()
        kept = violation <= self.constraint_tolerance
        tight = self.within <= self.tolerance
        self.status = xp.where(problems & kept & tight, int(Status.SOLVED), self.status)
        problems = problems & ~(kept & tight)
        self.within = xp.where(problems, xp.maximum(0.1 * self.within, self.tolerance), self.within)
        for where, pull in self.pulls():
            old = work.multipliers[where]
            mask = problems[:, None]
            old[...] = xp.where(mask, pull, old)
        slow = problems & ~kept & (violation > LEAST_PROGRESS * self.violation)
        work.penalty[...] = xp.where(slow, MORE_PENALTY * work.penalty, work.penalty)
        self.violation = xp.where(problems, violation, self.violation)
        over = problems & (work.penalty > MOST_PENALTY)
        self.status = xp.where(over, int(Status.INFEASIBLE), self.status)
        self.length = xp.where(problems, 0.0, self.length)  # the cost is another one now

    def _first_penalty(self):
        """A penalty by which the first violations weigh about as much as the cost: by a higher one
        the search would follow one constraint after another, in short steps."""
        xp = self.xp
        squares, sizes, count = xp.zeros(self.work.count), xp.zeros(self.work.count), 0
        for _, residuals, inequalities in self._residuals():
            far = self._far(residuals, inequalities)
            squares = squares + over_knots(far * far)
            sizes = sizes + over_knots(residuals * residuals)
            count += residuals.size // max(self.work.count, 1)
        cost = xp.maximum(abs(self.work.here.tally("total")), 1e-12)
        # where nothing is violated yet, as if one constraint were by its mean size
        squares = xp.where(squares > UNVIOLATED, squares, xp.maximum(sizes / count, UNVIOLATED))
        self.work.penalty[...] = xp.clip(2.0 * FIRST_WEIGHT * cost / squares, 1e-3, 1e6)

    def violations(self):
        """The largest violation of each problem; 0 without constraints."""
        xp = self.xp
        worst = xp.zeros(self.work.count)
        for _, residuals, inequalities in self._residuals():
            far = abs(self._far(residuals, inequalities))
            axes = tuple(k for k in range(far.ndim) if k != far.ndim - 2)
            worst = xp.maximum(worst, far.max(axes))
        return worst

    def _far(self, residuals, inequalities):
        xp = self.xp
        below = xp.maximum(residuals[..., :inequalities], 0.0)
        return xp.concatenate([below, residuals[..., inequalities:]], -1)

    def _added(self):
        """What constraints add to the cost of each problem, under its multipliers."""
        xp, work = self.xp, self.work
        added = xp.zeros(work.count, work.dtype)
        for where, residuals, inequalities in self._residuals():
            m, penalty = work.multipliers[where], work.penalty[:, None]
            pull = m + penalty * residuals
            pushed = xp.maximum(pull, 0.0)
            below = 0.5 * (pushed * pushed - m * m) / penalty
            same = residuals * (m + 0.5 * penalty * residuals)
            each = xp.concatenate([below[..., :inequalities], same[..., inequalities:]], -1)
            added = added + over_knots(each)
        return added

    def _residuals(self):
        """(where, residuals, how many are inequalities) of what is accepted."""
        problem, here = self.work.problem, self.work.here
        if problem.stage.constraints:
            yield "stage", here.linear["residuals"], problem.stage.inequalities
        if problem.terminal.constraints:
            yield "end", here.of_end[0], problem.terminal.inequalities

    def pulls(self):
        """(where, multipliers that these residuals lead to)."""
        xp, work = self.xp, self.work
        for where, residuals, inequalities in self._residuals():
            pull = work.multipliers[where] + work.penalty[:, None] * residuals
            positive = xp.maximum(pull[..., :inequalities], 0.0)
            yield where, xp.concatenate([positive, pull[..., inequalities:]], -1)
