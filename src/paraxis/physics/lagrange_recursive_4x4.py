"""Inverse dynamics from Lagrange's equations by recursion on 4x4 matrices (Hollerbach, 1980).

Waters found that the sums of the closed form collect into second derivatives of the poses T,
propagated outward, and Hollerbach that the rest collects inward. Poses are in the root frame. A
base that turns starts the recursion; one that rises acts like gravity. Equations are from Dhanaraj
(1990, appendix A.2) with the accents that are missing in print. Symbols: docs/concepts/notation.md.
"""

from ..robots.joint import WORLD
from ..spatial import skew
from .modified_newton_euler import rate_matrix
from .parts.lagrange_matrices import (
    IDENTITY4,
    Homogeneous,
    generator,
    pose,
    pseudo_inertia,
    trace,
    wrench,
)


def inverse_dynamics(robot, q, qd, qdd):
    """Return the torques that make the robot move as (q, qd, qdd)."""
    A, U, D, c, tau = {}, {}, {}, {}, {}
    ω, α = robot.base_velocity.angular, robot.base_acceleration.angular
    T, Td = {WORLD: IDENTITY4}, {WORLD: Homogeneous.blocks(skew(ω))}
    Tdd = {WORLD: Homogeneous.blocks(rate_matrix(ω, α)[0])}
    for i, p in robot.outward:  # parents first
        I, Q = robot.inertia[i], generator(robot.axis[i], robot.is_revolute[i])
        A[i] = pose(robot.transform(i, q))
        dA = A[i] @ Q  # ∂A/∂q
        ddA = dA @ Q
        T[i], U[i] = T[p] @ A[i], T[p] @ dA
        Td[i] = Td[p] @ A[i] + U[i] * qd[i]
        Tdd[i] = (
            Tdd[p] @ A[i]
            + Td[p] @ dA * (qd[i] + qd[i])
            + T[p] @ ddA * (qd[i] * qd[i])
            + U[i] * qdd[i]
        )
        D[i] = pseudo_inertia(I) @ Tdd[i].T - wrench(robot.external_force[i]) @ T[i].T
        c[i] = [*I.moment, I.mass]
    rise = (*robot.base_acceleration.linear, 0.0)
    for i, p in robot.inward:  # children first
        lifted = sum(a * x for a, x in zip(rise, U[i].on(c[i]), strict=True))
        tau[i] = trace(U[i], D[i]) + lifted + robot.rotor_inertia[i] * qdd[i]
        if p != WORLD:
            D[p] = D[p] + A[i] @ D[i]
            c[p] = [x + y for x, y in zip(c[p], A[i].on(c[i]), strict=True)]
    return [tau[i] for i, _ in robot.outward]
