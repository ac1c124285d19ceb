"""The search for optima: each problem of a batch proceeds independently, in common rounds.

A round makes one candidate of every problem, and judges it. Which step a problem takes, whether the
candidate is accepted, how much its next law is damped and when it is done depends on that problem
alone (decision.py), so no problem waits for another's line search, and its numbers are the same in
any batch whose kernels are (work.py).

A round reads one side of a Work and one of two states, and writes the other. So there are two
rounds, which alternate, each on arrays that stay where they are, and nothing in them waits for a
GPU: it queues a round at once.
"""

from functools import partial

import numpy as np

from ..body import Body
from .constraints import Constraints
from .decision import MARKS, STATE, bending_graph, decision_graph, inputs_of, kind_of
from .knots import TALLIES
from .status import RUNNING, Status

LOOSE = 1e-4  # the tolerance before multipliers are known
NOISE, LEAST_TOLERANCE = 10, 20  # of costs: times the rounding of a number


class Search:
    """The state of the search of each problem of a connected Work, as arrays."""

    def __init__(self, work, tolerance, constraint_tolerance):
        self.work, xp = work, work.target.arrays
        self.constraints = Constraints(work)
        rounding = float(np.finfo(work.dtype).eps)
        tolerance = max(tolerance, LEAST_TOLERANCE * rounding)
        self._tolerances = tolerance, constraint_tolerance
        settings = {"tolerance": tolerance, "constraint_tolerance": constraint_tolerance}
        settings["noise"] = NOISE * rounding
        self._settings = {key: xp.asarray(value, work.dtype) for key, value in settings.items()}
        self._states = [xp.zeros((len(STATE), work.count), work.dtype) for _ in work.sides]
        self._marks = xp.zeros((len(MARKS), work.count), work.dtype)
        self._largest = work._zeros((), ())
        self._decide = list(self._decisions())
        self._bend = list(self._bendings()) if work.problem.exact else None
        rounds = (partial(self._round, now) for now in range(2))
        self._rounds = [work.target.recorded(each) for each in rounds]
        self._reset()

    def _decisions(self):
        """The jobs that decide: one for rounds that begin on each side."""
        work, kind = self.work, kind_of(self.work.problem)
        kernel = work.mapped(Body(decision_graph, kind))
        marks = self._marks[: len(MARKS) if kind.constrained else len(MARKS) - 1].T
        told = work.step[0], work.damping[0], work.penalty
        known = self._settings | {"largest": self._largest}
        known |= {"added": self.constraints.added, "violation": self.constraints.violation}
        for now, here in enumerate(work.sides):
            there, following = work.sides[1 - now], self._states[1 - now]
            given = known | {"state": self._states[now].T, "costates": here.costates[-1]}
            given |= {name: array[0] for name, array in here.start.items()}
            given |= dict(zip(TALLIES, here.tallies, strict=True))
            given |= {f"{name}'": tally for name, tally in zip(TALLIES, there.tallies, strict=True)}
            yield kernel.job([given[name] for name in inputs_of(kind)], [following.T, marks, *told])

    def _bendings(self):
        """The jobs that write by which costates the dynamics bend the cost."""
        work, row = self.work, STATE.index("exact")
        kernel = work.mapped(Body(bending_graph, work.problem.system.ndx))
        for state, side in zip(self._states, work.sides, strict=True):
            yield kernel.job([state[row], side.costates[1:]], [work.bending])

    def _reset(self):
        """Know nothing about any problem."""
        work, (tolerance, _) = self.work, self._tolerances
        first = {"status": RUNNING, "merit": np.inf, "first_cost": -1.0, "within": tolerance}
        if self.constraints:
            first["within"] = max(tolerance, LOOSE)
        first |= {"violation": np.inf, "penalty": 1.0}
        self._states[work.now][...] = 0.0
        for name, value in first.items():
            self.state(name)[...] = value
        self._tell()

    def _tell(self):
        """Let passes read what they need of the state, as a round does at its end."""
        work = self.work
        work.step[0], work.damping[0] = self.state("length"), self.state("damping")
        work.penalty[...] = self.state("penalty")

    def begin(self):
        """Begin, or begin anew: judge the first trajectories where the first round needs to know
        about them."""
        work, constraints = self.work, self.constraints
        self._reset()
        if constraints or not work.problem.feasible:
            work.here.judge()
            work.here.flatten(work.target.arrays.ones(work.count, work.dtype))
        if constraints:
            constraints.look(work.now)
            self.state("penalty")[...] = constraints.first_penalty(work.here.tally("total"))
            self._tell()

    def of(self, rows):
        """The search of these problems alone."""
        other = Search(self.work.of(rows), *self._tolerances)
        for name in STATE:
            other.state(name)[...] = self.state(name)[rows]
        other._tell()
        return other

    def state(self, name):
        """A number of each problem, by its name in STATE."""
        return self._states[self.work.now][STATE.index(name)]

    @property
    def shown(self):
        """The first numbers of STATE: status, merit, added."""
        return self._states[self.work.now][:3]

    @property
    def cost(self):
        """Of the trajectories that are accepted."""
        return self.state("merit") - self.state("added")

    @property
    def status(self):
        return self.state("status").astype(int)

    @property
    def iterations(self):
        return self.state("iterations").astype(int)

    def end(self):
        """Let no problem run any longer."""
        status = self.state("status")
        status[status == RUNNING] = int(Status.OUT_OF_ITERATIONS)

    @property
    def running(self):
        return self.state("status") == RUNNING

    def round(self):
        """Make a candidate of every problem, judge it, and decide."""
        self._rounds[self.work.now]()
        self.work.now = 1 - self.work.now

    def _round(self, now, threads=1):
        work, constraints = self.work, self.constraints
        here, there = work.sides[now], work.sides[1 - now]
        if self._bend:
            self._bend[now].run()
        here.go()
        there.judge()
        if constraints:
            constraints.look(1 - now)
        if not work.problem.feasible and work.count:
            self._largest[...] = abs(there.x).max((0, 2))
        self._decide[now].run()
        stays, bent, pulled = self._marks
        there.keep(stays, here)
        there.flatten(bent)
        if constraints:
            constraints.pull(pulled)
