"""Inverse dynamics from Lagrange's equations by recursion on 3x3 matrices (Hollerbach, 1980).

As with 4x4 matrices, but with separate rotation and position, which avoids the products with the
constant last row. Everything is in the root frame. A base that turns starts the recursion; one that
rises acts like gravity. Sliding joints are added, and the inward equations are derived anew, since
those in Dhanaraj (1990, appendix A.3) are misprinted. Symbols: docs/concepts/notation.md.
"""

from ..robots.joint import WORLD
from ..spatial import IDENTITY, ZERO3, skew
from .modified_newton_euler import rate_matrix
from .parts.lagrange_matrices import couple, outer, second_moments, trace


def inverse_dynamics(robot, q, qd, qdd):
    """Return the torques that make the robot move as (q, qd, qdd)."""
    X, A, D, e, c, m, tau = {}, {}, {}, {}, {}, {}, {}
    ω, α = robot.base_velocity.angular, robot.base_acceleration.angular
    R, Rd, Rdd = {WORLD: IDENTITY}, {WORLD: skew(ω)}, {WORLD: rate_matrix(ω, α)[0]}
    pdd = {WORLD: ZERO3}
    for i, p in robot.outward:  # parents first
        z, I, out = robot.axis[i], robot.inertia[i], robot.external_force[i]
        X[i] = robot.transform(i, q)
        A[i] = X[i].turn.matrix()
        R[i], Rd[i], Rdd[i] = R[p] @ A[i], Rd[p] @ A[i], Rdd[p] @ A[i]
        pdd[i] = pdd[p] + Rdd[p] @ X[i].origin
        if robot.is_revolute[i]:
            own = R[i] @ rate_matrix(z * qd[i], z * qdd[i])[0]
            Rdd[i] = Rdd[i] + Rd[i] @ skew(z * (qd[i] + qd[i])) + own
            Rd[i] = Rd[i] + R[i] @ skew(z * qd[i])
        else:
            pdd[i] = pdd[i] + Rd[i] @ (z * (qd[i] + qd[i])) + R[i] @ (z * qdd[i])
        m[i], c[i] = I.mass, I.moment
        e[i] = pdd[i] * m[i] + Rdd[i] @ c[i] - R[i] @ out.linear
        D[i] = second_moments(I) @ Rdd[i].T + outer(c[i], pdd[i]) - couple(out.angular) @ R[i].T
    rise = robot.base_acceleration.linear
    for i, p in robot.inward:  # children first
        z = robot.axis[i]
        if robot.is_revolute[i]:
            U = R[i] @ skew(z)  # ∂R/∂q
            tau[i] = trace(U, D[i]) + rise @ (U @ c[i])
        else:
            tau[i] = (R[i] @ z) @ (e[i] + rise * m[i])
        tau[i] = tau[i] + robot.rotor_inertia[i] * qdd[i]
        if p != WORLD:
            r = X[i].origin
            D[p] = D[p] + A[i] @ D[i] + outer(r, e[i])
            e[p] = e[p] + e[i]
            c[p] = c[p] + A[i] @ c[i] + r * m[i]
            m[p] = m[p] + m[i]
    return [tau[i] for i, _ in robot.outward]
