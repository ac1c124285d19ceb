"""The force through a joint, split in the part that works and the part that only holds.

Fijany's F = H F_T + W F_S: H is the joint's axis, and the five columns of W are the directions in
which the joint does not give way. In a frame with z along the axis both are selections.

A rotor is a sixth column of W. It holds the joint back by ρ q̈, with ρ its inertia; along √ρ z that
is a force F_S that gives way by as much as there is of it: √ρ q̈ = -F_S. So it adds one to the
diagonal of A = Wᵀ Pᵀ I⁻¹ P W, which is as symmetric and positive as before, and
M⁻¹ = C - Bᵀ A⁻¹ B is the inverse of M with ρ on its diagonal. Without a rotor there is no column.
"""

from ...scalar import known, sqrt
from ...spatial import Spatial


class JointSplit:
    """The directions of one joint, as coordinates of 6-D vectors in its upright frame."""

    def __init__(self, is_revolute, rotor):
        self.axis = 2 if is_revolute else 5
        self.holding = [(k, 1.0) for k in range(6) if k != self.axis]  # (coordinate, scale)
        self.yields = [0.0] * 5
        if known(rotor) != 0.0:
            self.holding.append((self.axis, sqrt(rotor)))
            self.yields.append(1.0)

    def driven(self, t):
        """H t: the six scalars of the force that works."""
        return [t if k == self.axis else 0.0 for k in range(6)]

    def held(self, F_S):
        """W F_S."""
        six = [0.0] * 6
        for (k, scale), entry in zip(self.holding, F_S, strict=True):
            six[k] = six[k] + entry * scale
        return six

    def force(self, t, F_S):
        """H t + W F_S."""
        return Spatial.of(self.driven(t)) + Spatial.of(self.held(F_S))

    def held_part(self, motion):
        """Wᵀ motion."""
        return [motion[k] * scale for k, scale in self.holding]

    def mobility(self, rows):
        """Wᵀ rows W, and what the rotor yields: how the joint gives way to what holds it."""
        block = [
            [rows[i][j] * (left * right) for j, right in self.holding] for i, left in self.holding
        ]
        for k, more in enumerate(self.yields):
            block[k][k] = block[k][k] + more
        return block


def coupling(joint, across, after):
    """-Wᵀ across W: how one joint gives way to what holds the next, through the link between."""
    return [[-x * scale for x in after.held_part(across[k])] for k, scale in joint.holding]


def splits(robot):
    """The split of every joint."""
    return [
        JointSplit(revolute, rotor)
        for revolute, rotor in zip(robot.is_revolute, robot.rotor_inertia, strict=True)
    ]
