"""Rows that follow others: their coordinates as functions of those of the joints.

The positions of all rows (robots/rows.py) are functions of those of the joints that follow none;
their velocities are G q̇, their accelerations G q̈ + Ġ q̇.
"""

from functools import partial

from ...robots.coupling import slope, value
from ..linear.dense import transposed
from ..linear.factor import dense_factor, factor
from .massless import require_inertia


def ties_of(robot, q):
    """The Ties of a Model whose joints are at q; without followers they do nothing."""
    return Ties(robot.robot, q) if robot.robot.followers else Untied(robot, q)


class Ties:
    """The coordinates of rows as functions of those of the joints, in one state."""

    def __init__(self, rows, q):
        self.rows = rows
        ends, free = [], 0
        self.q = []
        for k, joint in enumerate(rows.joints):
            ends.append(len(self.q))
            if k in rows.followers:
                self.q.append(None)
            else:
                self.q.extend(q[free : free + joint.nq])  # which may be an array
                free += joint.nq
        self.own = [k for k in range(rows.n) if k not in rows.followers]
        column = {k: j for j, k in enumerate(self.own)}
        # per row: {column: its entry in G}, and {column: the factor of q̇ in its entry of Ġ}
        self.factors = [{column[k]: 1.0} if k in column else {} for k in range(rows.n)]
        self.bent = [{} for _ in range(rows.n)]
        for k, terms in rows.followers.items():
            self.q[ends[k]] = 0.0
            for leader, polynomial in terms:
                at, first, j = self.q[ends[leader]], slope(polynomial), column[leader]
                self.q[ends[k]] = self.q[ends[k]] + value(polynomial, at)
                self.factors[k][j], self.bent[k][j] = value(first, at), value(slope(first), at)
        self.nv = len(self.own)

    def of_joints(self, values):
        """The values of rows that do not follow others, from values per row."""
        return [values[k] for k in self.own]

    def of_leaders(self, values):
        """For each row, the sum of the values of the joints that move it."""
        return [sum((values[j] for j in row), 0.0) for row in self.factors]

    def rates(self, qd):
        return [sum((g * qd[j] for j, g in row.items()), 0.0) for row in self.factors]

    def coasting(self, qd):
        """Ġ q̇."""
        return [sum((b * qd[j] * qd[j] for j, b in row.items()), 0.0) for row in self.bent]

    def accelerations(self, qd, qdd):
        each = zip(self.rates(qdd), self.coasting(qd), strict=True)
        return [a + b for a, b in each]

    def torques(self, forces):
        """Gᵀ forces."""
        sums = [0.0] * self.nv
        for k, force in enumerate(forces):
            for j, g in self.factors[k].items():
                sums[j] = sums[j] + g * force
        return sums

    def columns(self, J):
        """J G."""
        return [self.torques(row) for row in J]

    def both(self, M):
        """Gᵀ M G."""
        return transposed(map(self.torques, transposed(self.columns(M))))

    def bends(self, qd, M):
        """Gᵀ M Ġ."""
        half = []
        for row in M:  # Ġ has entries where G has
            sums = [0.0] * self.nv
            for entry, bent in zip(row, self.bent, strict=True):
                for j, b in bent.items():
                    sums[j] = sums[j] + entry * b * qd[j]
            half.append(sums)
        return transposed(map(self.torques, transposed(half)))

    def factored(self, M):
        """The factors of Gᵀ M G."""
        return dense_factor(self.both(M))


class Untied:
    """The same for rows that all move independently."""

    def __init__(self, robot, q):
        self.q, self.nv, self._robot = q, robot.nv, robot

    def rates(self, qd):
        return qd

    of_joints = of_leaders = torques = columns = rates

    def coasting(self, qd):
        return [0.0] * self.nv

    def accelerations(self, qd, qdd):
        return qdd

    def factored(self, M):
        return factor(self._robot.ancestors, M, partial(require_inertia, self._robot))
