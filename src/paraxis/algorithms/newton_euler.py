"""Inverse dynamics: the joint torques behind a given motion.

Newton-Euler in link coordinates (Luh, Walker and Paul, 1980): sweep outward for motion, inward
for force. Scalars are generic: floats give numbers, graph nodes give a trace. Vectors are 3-D,
each in its own body's frame. Symbols: docs/notation.md.
"""

from ..robot.joint import WORLD
from ..scalar import mark
from ..spatial import cross
from .inward import joint_torques


def inverse_dynamics(robot, q, qd, qdd):
    """Return the torques that make the robot move as (q, qd, qdd)."""
    X, f, n = {}, {}, {}
    ω = {WORLD: robot.base_velocity.angular}
    α, a = {WORLD: robot.base_acceleration.angular}, {WORLD: robot.base_acceleration.linear}
    for i, p in robot.outward:  # parents first
        z, s, m, I = robot.axis[i], robot.inertia[i].com, robot.inertia[i].mass, robot.inertia[i]
        X[i] = robot.transform(i, q[i])
        back, r = X[i].turn.T, X[i].origin
        ω[i], α[i] = back @ ω[p], back @ α[p]
        a[i] = back @ (a[p] + cross(α[p], r) + cross(ω[p], cross(ω[p], r)))
        if robot.is_revolute[i]:
            α[i] = α[i] + z * qdd[i] + cross(ω[i], z * qd[i])
            ω[i] = ω[i] + z * qd[i]
        else:
            a[i] = a[i] + z * qdd[i] + cross(ω[i], z * (qd[i] + qd[i]))
        mark("omega", i, ω[i]), mark("alpha", i, α[i]), mark("acceleration", i, a[i])
        F = (a[i] + cross(α[i], s) + cross(ω[i], cross(ω[i], s))) * m
        N = I.about_com @ α[i] + cross(ω[i], I.about_com @ ω[i])
        f[i], n[i] = F, N + cross(s, F)
    return joint_torques(robot, X, f, n, qdd)
