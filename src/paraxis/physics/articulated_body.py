"""Forward dynamics: the accelerations under given torques, in one pass along the tree.

Featherstone's articulated bodies (1983): sweep outward for velocities, inward for the inertia and
the force that each body presents to its parent while its joints are free, outward for
accelerations. Vectors are 6-D, angular part first, each in its own body's frame.
Symbols: docs/concepts/notation.md.
"""

from ..robots.joint import WORLD
from ..scalar import mark
from ..spatial import ZERO, cross_force, cross_motion
from .parts.articulated_inertia import ArticulatedInertia
from .parts.massless import require_inertia
from .spatial_newton_euler import base_acceleration


def forward_dynamics(robot, q, qd, tau):
    """Return the accelerations of the joints under the torques tau."""
    X, c, IA, pA, U, reciprocal, u = {}, {}, {}, {}, {}, {}, {}
    v = {WORLD: robot.base_velocity}
    for i, p in robot.outward:  # parents first
        S, I = robot.subspace[i], robot.inertia[i]
        X[i] = robot.transform(i, q)
        vj = S * qd[i]
        v[i] = mark("velocity", i, X[i] @ v[p] + vj)
        c[i] = cross_motion(v[i], vj)
        IA[i] = ArticulatedInertia.of_body(I)
        pA[i] = cross_force(v[i], I @ v[i]) - robot.external_force[i]
    for i, p in robot.inward:  # children first
        S, rotor = robot.subspace[i], robot.rotor_inertia[i]
        mark("articulated_inertia", i, IA[i])
        U[i] = IA[i] @ S
        reciprocal[i] = 1.0 / require_inertia(robot, i, S @ U[i] + rotor)
        u[i] = tau[i] - S @ pA[i]
        if p != WORLD:
            Ia = IA[i].freed(S, U[i], reciprocal[i], rotor)
            pa = pA[i] + Ia @ c[i] + U[i] * (reciprocal[i] * u[i])
            IA[p] = IA[p] + Ia.seen_from(X[i])
            pA[p] = pA[p] + X[i].T @ pa
    a, qdd = {WORLD: base_acceleration(robot)}, {}
    for i, p in robot.outward:
        free = X[i] @ a[p] + c[i]  # as if the joint were locked
        qdd[i] = reciprocal[i] * (u[i] - U[i] @ free)
        a[i] = mark("acceleration", i, free + robot.subspace[i] * qdd[i])
    return [qdd[i] for i, _ in robot.outward]


def accelerations(robot, q, tau, h):
    """The accelerations under the torques tau with bias forces h: M q̈ = tau - h.

    They are those of the robot at rest, without gravity, under the torques minus the bias forces. A
    joint passes on only its own torque along its axis, except for the part of a rotor.
    """
    X = {i: robot.transform(i, q) for i, _ in robot.outward}
    IA = {i: ArticulatedInertia.of_body(I) for i, I in enumerate(robot.inertia)}
    f, y, W, held = dict.fromkeys(X, ZERO), {}, {}, {}
    for i, p in robot.inward:  # children first
        S, rotor, net = robot.subspace[i], robot.rotor_inertia[i], tau[i] - h[i]
        U = IA[i] @ S
        reciprocal = 1.0 / require_inertia(robot, i, S @ U + rotor)
        y[i] = reciprocal * (net - S @ f[i])  # q̈ if the parent stays at rest
        if p != WORLD:
            W[i], held[i] = _across(S, U * reciprocal), rotor * reciprocal
            passed = _across(S, f[i] + U * y[i]) + S * (net - rotor * y[i])
            IA[p] = IA[p] + IA[i].freed(S, U, reciprocal, rotor).seen_from(X[i])
            f[p] = f[p] + X[i].T @ passed
    a, qdd = {}, {}
    for i, p in robot.outward:
        S, free, along = robot.subspace[i], ZERO, y[i]
        if p != WORLD:
            free = X[i] @ a[p]  # as if the joint were locked
            along = y[i] - W[i] @ free + held[i] * (S @ free)
        qdd[i] = along - S @ free
        a[i] = _across(S, free) + S * along
    return [qdd[i] for i, _ in robot.outward]


def _across(S, v):
    """The part of v orthogonal to S, which has no entry there if S is a coordinate."""
    return v - S * (S @ v)
