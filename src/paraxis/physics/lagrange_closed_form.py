"""Inverse dynamics from Lagrange's equations in closed form (Uicker, 1965; Kahn, 1969).

Every coefficient is a sum of traces over the bodies involved, from the first and second derivatives
U of the 4x4 poses T (Dhanaraj, 1990, appendix A.1). It is the definition written out, of order n⁴:
for small robots and for comparison. The base may rise, which represents gravity, but not turn.
Symbols: docs/concepts/notation.md.
"""

from collections import defaultdict

from ..robots.joint import WORLD
from .parts.lagrange_matrices import IDENTITY4, generator, pose, pseudo_inertia, trace, wrench


def inverse_dynamics(robot, q, qd, qdd):
    """Return the torques that make the robot move as (q, qd, qdd)."""
    T, U = derivatives(robot, q)
    D, h, c = defaultdict(float), defaultdict(float), defaultdict(float)
    rise = (*robot.base_acceleration.linear, 0.0)
    for j, _ in robot.outward:
        J, E = pseudo_inertia(robot.inertia[j]), wrench(robot.external_force[j])
        moment = (*robot.inertia[j].moment, robot.inertia[j].mass)
        for i in robot.path(j)[::-1]:
            turned = J @ U[j, i].T
            for k in robot.path(j)[::-1]:
                D[i, k] += trace(U[j, k], turned)
                for m in robot.path(j)[::-1]:
                    h[i, k, m] += trace(U[j, k, m], turned)
            c[i] += sum(a * x for a, x in zip(rise, U[j, i].on(moment), strict=True))
            c[i] -= trace(U[j, i], E @ T[j].T)
    tau = [c[i] + robot.rotor_inertia[i] * qdd[i] for i in range(robot.n)]
    for (i, k), coefficient in D.items():
        tau[i] += coefficient * qdd[k]
    for (i, k, m), coefficient in h.items():
        tau[i] += coefficient * (qd[k] * qd[m])
    return tau


def derivatives(robot, q):
    """The poses T[j] in the root frame, U[j, k] = ∂T[j]/∂q[k] and U[j, k, m] = ∂U[j, k]/∂q[m]."""
    T, U = {WORLD: IDENTITY4}, {}
    for j, p in robot.outward:
        A, Q = pose(robot.transform(j, q)), generator(robot.axis[j], robot.is_revolute[j])
        T[j] = T[p] @ A
        U[j, j] = T[j] @ Q
        U[j, j, j] = U[j, j] @ Q
        for k in robot.path(p)[::-1]:
            U[j, k] = U[p, k] @ A
            U[j, k, j] = U[j, j, k] = U[j, k] @ Q
            for m in robot.path(p)[::-1]:
                U[j, k, m] = U[p, k, m] @ A
    return T, U
