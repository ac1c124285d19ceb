"""The rows of coupled joints (robots/rows.py): functions of the coordinates of those that lead.

The positions of all rows are functions of those of the joints that follow none; their velocities
are G q̇, their accelerations G q̈ + Ġ q̇. Over generic scalars.
"""

from .coupling import slope, value


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
                self.q.extend(q[free : free + joint.nq])
                free += joint.nq
        own = [k for k in range(rows.n) if k not in rows.followers]
        self.column = {k: j for j, k in enumerate(own)}  # of a row: the velocity it has
        self.factor, self.bend = [1.0] * rows.n, [0.0] * rows.n
        for k, (leader, coefficients) in rows.followers.items():
            at, first = self.q[ends[leader]], slope(coefficients)
            self.q[ends[k]] = value(coefficients, at)
            self.column[k] = self.column[leader]
            self.factor[k], self.bend[k] = value(first, at), value(slope(first), at)
        self.nv = len(own)

    def rates(self, qd):
        return [g * qd[self.column[k]] for k, g in enumerate(self.factor)]

    def coasting(self, qd):
        """Ġ q̇."""
        return [b * qd[self.column[k]] * qd[self.column[k]] for k, b in enumerate(self.bend)]

    def accelerations(self, qd, qdd):
        each = zip(self.rates(qdd), self.coasting(qd), strict=True)
        return [a + b for a, b in each]

    def torques(self, forces):
        """Gᵀ forces."""
        sums = [0.0] * self.nv
        for k, force in enumerate(forces):
            j = self.column[k]
            sums[j] = sums[j] + self.factor[k] * force
        return sums

    def columns(self, J):
        """J G."""
        return [self.torques(row) for row in J]

    def both(self, M):
        """Gᵀ M G."""
        return _transposed(map(self.torques, _transposed(self.columns(M))))

    def bends(self, qd, M):
        """Gᵀ M Ġ."""
        half = []
        for row in M:  # Ġ has one entry a row, as G has
            sums = [0.0] * self.nv
            for k, (entry, bend) in enumerate(zip(row, self.bend, strict=True)):
                j = self.column[k]
                sums[j] = sums[j] + entry * bend * qd[j]
            half.append(sums)
        return _transposed(map(self.torques, _transposed(half)))


def _transposed(matrix):
    return [list(column) for column in zip(*matrix, strict=True)]
