"""Inverse dynamics in base coordinates (Lee and Chang, 1988, equations 15 to 31).

All vectors are along the axes of the root frame. Nothing is then turned on its way from link to
link: rotations follow by a product and everything else by a sum, each a homogeneous linear
recurrence x[i] = x[p] ∘ b[i], whose terms b are found for all links at once. Body frames sit on
their joints' axes here, at the far end of the link in the paper. Symbols: docs/notation.md.
"""

from operator import add, matmul

from ..robots.joint import WORLD
from ..scalar import mark
from ..spatial import IDENTITY, ZERO3, cross


def inverse_dynamics(robot, q, qd, qdd):
    """Return the torques that make the robot move as (q, qd, qdd)."""
    base, links = robot.base_acceleration, robot.outward
    X = {i: robot.transform(i, q) for i, _ in links}
    R = outward(robot, matmul, IDENTITY, {i: X[i].turn.matrix() for i, _ in links})  # 15
    r = {i: R[p] @ X[i].origin for i, p in links}  # 16
    z = {i: R[i] @ robot.axis[i] for i, _ in links}
    turn = {i: z[i] if robot.is_revolute[i] else ZERO3 for i, _ in links}
    slide = {i: ZERO3 if robot.is_revolute[i] else z[i] for i, _ in links}

    b = {i: turn[i] * qd[i] for i, _ in links}  # 17, with the rate instead of the acceleration
    ω = outward(robot, add, robot.base_velocity.angular, b)  # 18
    b = {i: turn[i] * qdd[i] + cross(ω[p], turn[i] * qd[i]) for i, p in links}  # 19
    α = outward(robot, add, base.angular, b)  # 20
    b = {
        i: cross(α[p], r[i])
        + cross(ω[p], cross(ω[p], r[i]))
        + slide[i] * qdd[i]
        + cross(ω[p], slide[i] * (qd[i] + qd[i]))
        for i, p in links
    }  # 21
    a = outward(robot, add, base.linear, b)  # 22

    F, b = {}, {}
    for i, _ in links:
        mark("omega", i, ω[i]), mark("alpha", i, α[i]), mark("acceleration", i, a[i])
        I, s, out = robot.inertia[i], R[i] @ robot.inertia[i].com, robot.external_force[i]
        F[i] = (a[i] + cross(α[i], s) + cross(ω[i], cross(ω[i], s))) * I.mass  # 23, 24
        ωi, αi = R[i].T @ ω[i], R[i].T @ α[i]  # 26: the inertia is constant in the body's frame
        Ni = I.about_com @ αi + cross(ωi, I.about_com @ ωi)  # 27
        b[i] = R[i] @ (Ni - out.angular) + cross(s, F[i])
        F[i] = F[i] - R[i] @ out.linear

    f = inward(robot, F)  # 28
    for i, p in links:
        if p != WORLD:
            b[p] = b[p] + cross(r[i], f[i])  # 29
    n = inward(robot, b)  # 30
    tau = []
    for i, _ in links:
        mark("force", i, f[i]), mark("moment", i, n[i])
        along = z[i] @ (n[i] if robot.is_revolute[i] else f[i])  # 31
        tau.append(along + robot.rotor_inertia[i] * qdd[i])
    return tau


def outward(robot, combine, first, terms):
    """Solve x[i] = combine(x[p], terms[i]), where x of the base is `first`."""
    x = {WORLD: first}
    for i, p in robot.outward:  # parents first
        x[i] = combine(x[p], terms[i])
    return x


def inward(robot, terms):
    """Sum the terms of every body and of all beyond it."""
    x = dict(terms)
    for i, p in robot.inward:  # children first
        if p != WORLD:
            x[p] = x[p] + x[i]
    return x
