"""Inverse dynamics in 6-D vectors (Featherstone).

Recursive Newton-Euler: sweep outward for motion, inward for force. Vectors are 6-D, angular
part first, each in its own body's frame. Symbols: docs/concepts/notation.md.
"""

from ..robots.joint import WORLD
from ..scalar import mark
from ..spatial import Spatial, cross, cross_force, cross_motion


def inverse_dynamics(robot, q, qd, qdd):
    """Return the torques that make the robot move as (q, qd, qdd)."""
    X, f, tau = {}, {}, {}
    v, a = {WORLD: robot.base_velocity}, {WORLD: base_acceleration(robot)}
    for i, p in robot.outward:  # parents first
        S, I = robot.subspace[i], robot.inertia[i]
        X[i] = robot.transform(i, q)
        vj = S * qd[i]
        v[i] = mark("velocity", i, X[i] @ v[p] + vj)
        a[i] = mark("acceleration", i, X[i] @ a[p] + S * qdd[i] + cross_motion(v[i], vj))
        f[i] = I @ a[i] + cross_force(v[i], I @ v[i]) - robot.external_force[i]
    for i, p in robot.inward:  # children first
        tau[i] = robot.subspace[i] @ mark("force", i, f[i]) + robot.rotor_inertia[i] * qdd[i]
        if p != WORLD:
            f[p] = f[p] + X[i].T @ f[i]
    return [tau[i] for i, _ in robot.outward]


def base_acceleration(robot):
    """The root's acceleration as a 6-D vector: that of the field of motion at its origin, not of
    the point that is there at present (Featherstone, section 2.11)."""
    v, a = robot.base_velocity, robot.base_acceleration
    return Spatial(a.angular, a.linear - cross(v.angular, v.linear))
