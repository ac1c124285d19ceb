"""The passes over a plan whose horizon moves on with time.

A plan is prepared before the state is known that it begins with. The pass forward from a measured
state follows the control law of that plan, and the first control that it makes is the one to be
applied: the feedback of real-time iterations (Diehl, Bock and Schlöder, 2005). Where a tick is as
long as a step of the plan, that pass is one step longer than the horizon, and what is linearised
afterwards begins one knot later: so the plan is moved on, and nothing is copied.

    knots of the plan that is read         1 2 3 ... N N+1
    the pass forward writes              0 1 2 3 ... N N+1     0: as measured
    what becomes the next plan             1 2 3 ... N N+1
"""

from ..body import Body
from ..drivers.iterate import in_rows
from ..graph.trace import trace
from .work import EVERY, Side, Work


class Receding(Work):
    """`ahead`: by how many knots a plan is moved on per tick, 1 or 0."""

    def __init__(self, problem, horizon, count, target, dtype, threads, ahead):
        self.ahead = ahead
        super().__init__(problem, horizon, count, target, dtype, threads)
        self.apart = None
        if not problem.feasible:  # the linearised dynamics begin with a difference
            options = {} if threads is None else {"threads": threads}
            self.apart = target.map(Body(apart_graph, problem.system), dtype, **options)
        self.step[...] = 1.0

    def _side(self):
        return Ahead(self)

    def connect(self, parameters):
        super().connect(parameters)
        for side, other in zip(self.sides, self.sides[::-1], strict=True):
            side.connect_feedback(self, other)


class Ahead(Side):
    """A Side whose arrays have some rows more, of which it uses those from row `ahead` on."""

    def __init__(self, work):
        super().__init__(work)
        self._copy = work.target.arrays.copyto
        problem, horizon, ahead = work.problem, work.horizon, work.ahead
        system = problem.system
        self.all_x = work._zeros((horizon + 1 + 2 * ahead,), (system.nx,))
        self.all_u = work._zeros((horizon + 2 * ahead,), (system.nu,))
        self.x = self.all_x[ahead : ahead + horizon + 1]
        self.u = self.all_u[ahead : ahead + horizon]
        # the last step of the pass forward has no law: it holds the last control
        shapes = problem.law_shapes
        self.all_law = {k: work._zeros((horizon + ahead,), shape) for k, shape in shapes.items()}
        shapes = {name: array.shape[2:] for name, array in self.linear.items()}
        self.all_linear = {k: work._zeros((horizon + ahead,), shape) for k, shape in shapes.items()}
        self.law = {name: array[:horizon] for name, array in self.all_law.items()}
        self.linear = {name: array[:horizon] for name, array in self.all_linear.items()}

    def connect_feedback(self, work, other):
        """The pass forward from a measured state."""
        count, system, ahead = work.count, work.problem.system, work.ahead
        kernel, steps = work.kernels.forward, len(self.all_law["k"])
        x, u = self.all_x[ahead:], self.all_u[ahead : ahead + steps]
        sources = {"x": x[:steps], "x_next": x[1 : steps + 1], "u": u, "step": work.step}
        sources |= self.all_law | self.all_linear | self.start
        arrays = []
        for name, shape in kernel.plan.inputs.items():
            if name in work.problem.per_step and name in work.parameters:
                arrays.append(in_rows(work.parameters[name][:steps], count, shape))
            elif name in work.parameters:
                arrays.append(work.as_rows(name, shape))
            else:
                arrays.append(in_rows(sources[name], count, shape))
        arrays.append(in_rows(other.all_x[1 : steps + 1], count, (system.nx,)))
        arrays.append(in_rows(other.all_u[:steps], count, (system.nu,)))
        self._feedback, self._steps = kernel.job(arrays, count, often=True), steps
        self._from_here = None
        if work.apart is not None:
            self._from_here = work.apart.job([self.x[0], other.all_x[0]], [self.start["dx"][0]])

    def feed_back(self, measured):
        """Forward from there; the first control of the other side is then the one to be applied."""
        other, start = self._other, self.start
        other.all_x[0] = measured
        if self._from_here is None:
            start["at"][0] = measured
        else:
            self._from_here.run()
            start["slope"][...] = 0.0
        self._feedback.run(self._steps, EVERY)

    def extend(self, ahead):
        """Have rows beyond the plan for the pass forward after the next."""
        if ahead:
            self.all_x[-1], self.all_u[-1] = self.all_x[-2], self.all_u[-2]

    def keep_plan(self, problems, other, later):
        """Take the plans of these problems, as a mask, from the other side, moved on by `later`."""
        copy = self._copy
        for mine, theirs in zip(self._plans(), other._plans(), strict=True):
            mask = problems.reshape(-1, *[1] * (mine.ndim - 2))
            if later:
                copy(mine[:-1], theirs[1:], where=mask)
            copy(mine[-1:] if later else mine, theirs[-1:] if later else theirs, where=mask)
        for mine, theirs in zip(self._ends(), other._ends(), strict=True):
            copy(mine, theirs, where=problems.reshape(-1, *[1] * (mine.ndim - 2)))

    def begin_plan(self, problems, other, found):
        """Take the plans of these problems from a Side that is not extended, where they have other
        numbers."""
        for mine, theirs in zip(self.kept(), other.kept(), strict=True):
            mine[:, problems] = theirs[:, found]

    def _plans(self):
        """Arrays with a row per knot."""
        yield from (self.all_x, self.all_u, *self.all_law.values(), *self.all_linear.values())
        yield self.costates

    def _ends(self):
        """Arrays without."""
        yield from (self.value, self.slope, self.tallies)


def apart_graph(system):
    """Two states -> the difference between them, along the directions of the first."""
    shapes = {"x": (system.nx,), "measured": (system.nx,)}
    return trace(lambda x, measured: {"dx": system.apart(x, measured)}, shapes, "apart")
