"""Inverse dynamics: the joint torques of a given motion.

Newton-Euler in link coordinates (Luh, Walker and Paul, 1980): sweep outward for motion, inward
for force. Scalars are generic: floats give numbers, graph nodes give a trace. Vectors are 3-D,
each in its own body's frame. Symbols: docs/concepts/notation.md.
"""

from ..robots.joint import WORLD
from ..scalar import mark
from ..spatial import ZERO3, cross
from .parts.inward import joint_torques


def inverse_dynamics(robot, q, qd, qdd):
    """Return the torques that make the robot move as (q, qd, qdd)."""
    X, f, n = {}, {}, {}
    ω = {WORLD: robot.base_velocity.angular}
    α, a = {WORLD: robot.base_acceleration.angular}, {WORLD: robot.base_acceleration.linear}
    for i, p in robot.outward:  # parents first
        z, s, m, I = robot.axis[i], robot.inertia[i].com, robot.inertia[i].mass, robot.inertia[i]
        X[i] = robot.transform(i, q)
        back, r = X[i].turn.T, X[i].origin
        spin, slide = (z, ZERO3) if robot.is_revolute[i] else (ZERO3, z)
        turned = back @ ω[p]
        ω[i] = mark("omega", i, turned + spin * qd[i])
        α[i] = mark("alpha", i, back @ α[p] + spin * qdd[i] + cross(turned, spin * qd[i]))
        a[i] = back @ (a[p] + cross(α[p], r) + cross(ω[p], cross(ω[p], r)))
        a[i] = a[i] + slide * qdd[i] + cross(turned, slide * (qd[i] + qd[i]))
        mark("acceleration", i, a[i])
        at_com = a[i] + cross(α[i], s) + cross(ω[i], cross(ω[i], s))
        F = mark("inertial_force", i, mark("com_acceleration", i, at_com) * m)
        N = mark("inertial_moment", i, I.about_com @ α[i] + cross(ω[i], I.about_com @ ω[i]))
        f[i], n[i] = F, mark("moment", i, N + cross(s, F))  # its own; the others follow inward
    return joint_torques(robot, X, f, n, qdd)
