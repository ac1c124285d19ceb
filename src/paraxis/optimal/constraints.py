"""Constraints of a batch of problems by augmented Lagrangians: what they add, and multipliers."""

from ..body import Body
from ..graph.trace import trace
from ..scalar import maximum
from .objective import MULTIPLIERS, PENALTY
from .sums import over_knots

FIRST_WEIGHT = 0.3  # of the first violations, in units of the cost
UNVIOLATED = 2e-3  # squares of violations
LEAST_COST = 1e-12
LEAST_PENALTY, FIRST_PENALTY = 1e-3, 1e6


class Constraints:
    """What is known about those of a Side of a Work: `look` at it first."""

    def __init__(self, work):
        self.work, problem = work, work.problem
        self._groups = {}
        if problem.stage.constraints:
            residuals = [side.linear["residuals"] for side in work.sides]
            self._groups["stage"] = _Group(work, "stage", problem.stage, residuals)
        if problem.terminal.constraints:
            residuals = [side.of_end[0] for side in work.sides]
            self._groups["end"] = _Group(work, "end", problem.terminal, residuals)
        self.added, self.violation = (work._zeros((), ()) for _ in range(2))

    def __bool__(self):
        return bool(self._groups)

    def look(self, which):
        """At a side, by its number: what constraints add to the cost of each problem under its
        multipliers, and the largest violation."""
        xp = self.work.target.arrays
        self.added[...], self.violation[...] = 0.0, 0.0
        for group in self._groups.values():
            group.look(which)
            self.added += over_knots(group.adds)
            far = abs(group.far)
            axes = (0, 2) if far.ndim == 3 else 1
            xp.maximum(self.violation, far.max(axes), out=self.violation)

    def pulls(self):
        """(where, multipliers that lead on from there)."""
        for where, group in self._groups.items():
            yield where, group.pull

    def pull(self, marks):
        """Let the marked problems have these multipliers."""
        pairs = [
            (old, new) if old.ndim == 3 else (old[None], new[None])
            for old, new in ((group.multipliers, group.pull) for group in self._groups.values())
        ]
        self.work.target.copy_marked(marks, pairs)

    def first_penalty(self, total):
        """A penalty by which the first violations weigh about as much as the cost: by a higher one
        the search would follow one constraint after another, in short steps."""
        work, xp = self.work, self.work.target.arrays
        squares, sizes, count = xp.zeros(work.count), xp.zeros(work.count), 0
        for group in self._groups.values():
            squares = squares + over_knots(group.far * group.far)
            sizes = sizes + over_knots(group.residuals[work.now] ** 2)
            count += group.far.size // max(work.count, 1)
        cost = xp.maximum(abs(total), LEAST_COST)
        # where nothing is violated yet, as if one constraint were by its mean size
        squares = xp.where(squares > UNVIOLATED, squares, xp.maximum(sizes / count, UNVIOLATED))
        return xp.clip(2.0 * FIRST_WEIGHT * cost / squares, LEAST_PENALTY, FIRST_PENALTY)


class _Group:
    """The constraints at all knots, or at the end."""

    def __init__(self, work, where, objective, residuals):
        self.residuals, self.multipliers = residuals, work.multipliers[where]
        first = (work.horizon,) if where == "stage" else ()
        names = ("far", "adds", "pull")
        results = [work._zeros(first, (objective.constraints,)) for _ in names]
        self.far, self.adds, self.pull = results
        body = Body(constraint_graph, objective.constraints, objective.inequalities)
        kernel = work.mapped(body)
        self._jobs = [
            kernel.job([each, self.multipliers, work.penalty], results) for each in residuals
        ]

    def look(self, which):
        self._jobs[which].run()


def constraint_graph(count, inequalities):
    """Residuals -> by how much each constraint is violated, what it adds to the cost, and the
    multiplier that follows."""

    def run(**given):
        residuals, multipliers = given["residuals"], given[MULTIPLIERS]
        penalty, results = given[PENALTY], []
        for k, (r, m) in enumerate(zip(residuals, multipliers, strict=True)):
            pull = m + penalty * r
            if k < inequalities:
                pull = maximum(pull, 0.0)
                results.append((maximum(r, 0.0), 0.5 * (pull * pull - m * m) / penalty, pull))
            else:
                results.append((r, r * (m + 0.5 * penalty * r), pull))
        far, adds, pulls = zip(*results, strict=True)
        return {"far": far, "adds": adds, "pull": pulls}

    shapes = {"residuals": (count,), MULTIPLIERS: (count,), PENALTY: ()}
    return trace(run, shapes, "constraint")
