"""Masses moved to where they cost nothing, by their moments.

What lies on a joint's axis does not feel that joint turn: it may as well be fixed to the parent.
So a revolute joint about z hands its parent the mass, the first moment along z and the second
moment zz of its body; a sliding joint, which does not turn, hands over all second moments. What
the first joint hands over rests on the ground and is dropped. These are the base parameters of
Gautier and Khalil, as `regroup` finds them, for an algorithm that uses second moments.

A counterweight goes the other way: a body may keep any mass at its frame's origin, and the
parent's first moment changes by that mass times the offset between the two. Chosen right, one
component of the parent's first moment is zero, which saves five multiply-adds there and costs
three here.

Exact in real arithmetic; in floats every constant moves by a rounding error, and counterweights
are kept below a few times the real masses, for they cancel again at the parent. The result no
longer describes bodies: it is for computing joint torques only. Axes must lie along z, as
`reframe` leaves them.
"""

import numpy as np

from ...spatial import Symmetric, Vector
from ..joint import WORLD, Row
from ..pose import LEFTOVER
from .moments import Moments

HEAVIEST = 4.0  # a counterweight in masses of all that the parent carries


def lighten(robot, counterweights=True):
    """The bodies of a reframed robot with their masses moved: a list of Moments."""
    bodies = [_Body(body) for body in robot.inertias]
    below = [[] for _ in bodies]
    for k, joint in enumerate(robot.joints):
        if joint.parent != WORLD:
            below[joint.parent].append((joint, bodies[k]))
    for i in reversed(range(robot.n)):  # children first
        joint, body = robot.joints[i], bodies[i]
        if isinstance(joint, Row):  # it may move as it likes, and hands nothing over
            body.is_pulled = True
            continue
        body.is_pulled = not joint.is_revolute or any(child.is_pulled for _, child in below[i])
        if joint.is_revolute and counterweights:
            _balance(body, below[i])
        body.is_pulled |= any(body.first[:2])
        handed = body.hand_over_axis() if joint.is_revolute else body.hand_over_spread()
        if joint.parent != WORLD:
            bodies[joint.parent].receive(joint.placement, *handed)
            bodies[joint.parent].carried += body.carried
    return [body.moments() for body in bodies]


class _Body:
    """The moments of one body while they move, and the size of the numbers they are made of."""

    def __init__(self, inertia):
        com, matrix = np.array(inertia.com), inertia.matrix
        self.mass = self.carried = inertia.mass
        self.first = inertia.mass * com
        self.second = np.trace(matrix) / 2 * np.eye(3) - matrix + inertia.mass * np.outer(com, com)
        self.sizes = abs(self.first).max(), abs(self.second).max()
        self.is_pulled = False  # whether its acceleration is needed, for itself or what it carries

    def add(self, mass, first, second):
        self.mass += mass
        self.sizes = (
            max(self.sizes[0], abs(first).max()),
            max(self.sizes[1], abs(second).max()),
        )
        self.first = _tidy(self.first + first, self.sizes[0])
        self.second = _tidy(self.second + second, self.sizes[1])

    def receive(self, pose, mass, first, second):
        """Add what a child hands over, which lies in the child's frame."""
        turn, arm = np.array(pose.rotation), np.array(pose.translation)
        first, mixed = turn @ first, np.outer(turn @ first, arm)
        second = turn @ second @ turn.T + mixed + mixed.T + mass * np.outer(arm, arm)
        self.add(mass, first + mass * arm, second)

    def hand_over_axis(self):
        """Give away what lies on the z axis.

        A body that is round about z keeps the zz that leaves it no transverse moment of inertia.
        """
        xx, yy, zz = np.diagonal(self.second)
        is_round = abs(xx - yy) <= 8 * LEFTOVER * self.sizes[1] and self.second[0, 1] == 0
        kept = -xx if is_round else 0.0
        handed = self.mass, self.first * (0, 0, 1), np.diag((0, 0, zz - kept))
        self.mass, self.first = 0.0, self.first * (1, 1, 0)
        self.second = self.second.copy()
        self.second[2, 2], self.second[1, 1] = kept, xx if is_round else yy
        return handed

    def hand_over_spread(self):
        """Give away all second moments."""
        handed = 0.0, np.zeros(3), self.second
        self.second = np.zeros((3, 3))
        return handed

    def moments(self):
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.second.tolist()
        first = Vector(*self.first.tolist())
        return Moments(float(self.mass), first, Symmetric(xx, yy, zz, xy, xz, yz))


def _balance(body, children):
    """Let a child keep the mass that takes away one component of a body's first moment."""
    for joint, child in children:
        if not joint.is_revolute or not child.is_pulled:
            continue
        arm = np.array(joint.placement.translation)
        for k in (0, 1):
            if arm[k] and body.first[k] and abs(body.first[k] / arm[k]) <= HEAVIEST * body.carried:
                weight = body.first[k] / arm[k]
                child.mass += weight
                body.add(-weight, -weight * arm, -weight * np.outer(arm, arm))
                body.first[k] = 0.0
                return


def _tidy(values, size):
    return np.where(abs(values) < 8 * LEFTOVER * size, 0.0, values)
