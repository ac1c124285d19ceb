"""The force through a joint, split into the part that does work and the constraint part.

Fijany's F = H F_T + W F_S: the columns of H are the directions in which the joint moves, one or
several, and those of W the constrained directions. In an upright frame (robots/equal/upright.py)
both are selections. A free joint has no W.

A rotor is one more column of W. It opposes the joint's acceleration by ρ q̈, where ρ is its
inertia; along √ρ z this is a force F_S with a compliance of one: √ρ q̈ = -F_S. It thus adds one to
the diagonal of A = Wᵀ Pᵀ I⁻¹ P W, which remains symmetric and positive definite, and M⁻¹ = C - Bᵀ
A⁻¹ B is the inverse of M with ρ on its diagonal. Without a rotor there is no column.
"""

from ...scalar import known, sqrt
from ...spatial import Spatial


class JointSplit:
    """The directions of one joint, as coordinates of 6-D vectors in its upright frame.

    `directions` are its rows and the coordinates in which they move, `rotors` those of all rows.
    """

    def __init__(self, directions, rotors):
        self.directions = directions
        moving = {k for _, k in directions}
        self.holding = [(k, 1.0) for k in range(6) if k not in moving]  # (coordinate, scale)
        self.yields = [0.0] * len(self.holding)
        for row, k in directions:
            if known(rotors[row]) != 0.0:
                self.holding.append((k, sqrt(rotors[row])))
                self.yields.append(1.0)

    def driven(self, tau):
        """H t: the six scalars of the working force, from the torques of all rows."""
        six = [0.0] * 6
        for row, k in self.directions:
            six[k] = tau[row]
        return six

    def moved_part(self, motion):
        """Hᵀ motion."""
        return [motion[k] for _, k in self.directions]

    def held(self, F_S):
        """W F_S."""
        six = [0.0] * 6
        for (k, scale), entry in zip(self.holding, F_S, strict=True):
            six[k] = six[k] + entry * scale
        return six

    def force(self, tau, F_S):
        """H t + W F_S."""
        return Spatial.of(self.driven(tau)) + Spatial.of(self.held(F_S))

    def held_part(self, motion):
        """Wᵀ motion."""
        return [motion[k] * scale for k, scale in self.holding]

    def mobility(self, rows):
        """Wᵀ rows W plus the compliance of the rotor: the response to constraint forces."""
        block = [
            [rows[i][j] * (left * right) for j, right in self.holding] for i, left in self.holding
        ]
        for k, more in enumerate(self.yields):
            block[k][k] = block[k][k] + more
        return block


def coupling(joint, across, after):
    """-Wᵀ across W: the response of one joint to constraint forces of the next."""
    return [[-x * scale for x in after.held_part(across[k])] for k, scale in joint.holding]


def splits(robot):
    """The split of every joint."""
    return [JointSplit(directions, robot.rotor_inertia) for directions in robot.directions]
