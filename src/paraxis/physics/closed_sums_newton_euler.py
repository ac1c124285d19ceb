"""Inverse dynamics by closed sums, without a recursion (Lathrop, 1985, appendix A).

He derives the combining forms of spans from these sums: every velocity, acceleration, force and
moment is one sum over the links before or beyond, with each term rotated between two links. Given
those rotations, all terms of a sum can be computed at once. The operations grow as the square of
the number of links. Frames are at their joints' axes here, at the far ends of links in the paper.
Equations are his. Symbols: docs/concepts/notation.md.
"""

from functools import reduce
from operator import add

from ..robots.branching import require_chain
from ..scalar import mark
from ..spatial import IDENTITY, ZERO3, cross


def inverse_dynamics(robot, q, qd, qdd):
    """Return the torques that make the robot move as (q, qd, qdd)."""
    require_chain(robot, "closed_sums_newton_euler")
    links, base = range(robot.n), robot.base_acceleration
    X = [robot.transform(i, q) for i in links]
    W = rotations([each.turn.matrix() for each in X])  # 10
    turn = [robot.axis[i] if robot.is_revolute[i] else ZERO3 for i in links]
    slide = [ZERO3 if robot.is_revolute[i] else robot.axis[i] for i in links]

    def outward(start, term):
        """For each link, the value at the base plus the terms of all links up to it."""
        return [
            total([W[0, i].T @ start, *(W[j + 1, i].T @ term[j] for j in range(i + 1))])
            for i in links
        ]

    def inward(term):
        """For each link, the terms of all links from it on."""
        return [total([W[i + 1, j] @ term[j] for j in range(i, robot.n)]) for i in links]

    def seen(vector, at_base):
        """The vector of the previous link, along the axes of each one."""
        return [X[i].turn.T @ each for i, each in enumerate([at_base, *vector[:-1]])]

    spin = [turn[i] * qd[i] for i in links]
    ω = outward(robot.base_velocity.angular, spin)  # 11
    turning = seen(ω, robot.base_velocity.angular)
    α = outward(base.angular, [turn[i] * qdd[i] + cross(turning[i], spin[i]) for i in links])  # A1
    speeding = seen(α, base.angular)
    r = [X[i].turn.T @ X[i].origin for i in links]
    gained = [
        cross(speeding[i], r[i])
        + cross(turning[i], cross(turning[i], r[i]))
        + slide[i] * qdd[i]
        + cross(turning[i], slide[i] * (qd[i] + qd[i]))
        for i in links
    ]
    a = outward(base.linear, gained)  # A5

    F, N = [], []
    for i in links:
        mark("omega", i, ω[i]), mark("alpha", i, α[i]), mark("acceleration", i, a[i])
        I, s, out = robot.inertia[i], robot.inertia[i].com, robot.external_force[i]
        moving = (a[i] + cross(α[i], s) + cross(ω[i], cross(ω[i], s))) * I.mass
        spinning = I.about_com @ α[i] + cross(ω[i], I.about_com @ ω[i])
        F.append(moving - out.linear)
        N.append(spinning + cross(s, moving) - out.angular)
    f = inward(F)  # A9
    beyond = [*(cross(X[i].origin, X[i].turn @ f[i]) for i in links[1:]), ZERO3]
    n = inward([N[i] + beyond[i] for i in links])  # A11

    tau = []
    for i in links:
        mark("force", i, f[i]), mark("moment", i, n[i])
        along = robot.axis[i] @ (n[i] if robot.is_revolute[i] else f[i])
        tau.append(along + robot.rotor_inertia[i] * qdd[i])
    return tau


def rotations(A):
    """(a, b) -> the rotation from link b to link a - 1: the product of A[a] to A[b].

    The identity where a = b + 1.
    """
    W = {}
    for b in range(len(A)):
        W[b + 1, b] = IDENTITY
        for a in range(b, -1, -1):
            W[a, b] = A[a] if a == b else A[a] @ W[a + 1, b]
    return W


def total(terms):
    return reduce(add, terms)
