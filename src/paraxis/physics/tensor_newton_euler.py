"""Inverse dynamics with Cartesian tensors (Balafoutis, Patel and Misra, 1988).

A point at r in a body has the acceleration of the body's origin plus λ r, λ = [α]ₓ + [ω]ₓ². With
the second moments of mass J = ∫ r rᵀ dm the required moment is ∫ r × λ r dm, the vector of the
antisymmetric part of λ J: half the operations of I α + ω × I ω once λ is known.
Vectors are 3-D, each in its own body's frame. Symbols: docs/concepts/notation.md.
"""

from ..robots.equal.moments import Moments
from ..robots.joint import WORLD
from ..scalar import mark
from ..spatial import Vector, cross
from .modified_newton_euler import rate_matrix
from .parts.inward import joint_torques


def inverse_dynamics(robot, q, qd, qdd):
    """Return the torques that make the robot move as (q, qd, qdd)."""
    X, f, n, λ = {}, {}, {}, {}
    ω = {WORLD: robot.base_velocity.angular}
    α, a = {WORLD: robot.base_acceleration.angular}, {WORLD: robot.base_acceleration.linear}
    λ[WORLD], _ = rate_matrix(ω[WORLD], α[WORLD])
    for i, p in robot.outward:  # parents first
        z, body = robot.axis[i], Moments.of(robot.inertia[i])
        m, h, J = body.mass, body.first, body.second
        X[i] = robot.transform(i, q)
        back, r = X[i].turn.T, X[i].origin
        ω[i], α[i] = back @ ω[p], back @ α[p]
        a[i] = back @ (a[p] + λ[p] @ r)
        if robot.is_revolute[i]:
            α[i] = α[i] + z * qdd[i] + cross(ω[i], z * qd[i])
            ω[i] = ω[i] + z * qd[i]
        else:
            a[i] = a[i] + z * qdd[i] + cross(ω[i], z * (qd[i] + qd[i]))
        mark("omega", i, ω[i]), mark("alpha", i, α[i]), mark("acceleration", i, a[i])
        λ[i], products = rate_matrix(ω[i], α[i])
        f[i] = a[i] * m + λ[i] @ h
        n[i] = spinning_moment(λ[i], products, J) + cross(h, a[i])
    return joint_torques(robot, X, f, n, qdd)


def spinning_moment(λ, products, J):
    """∫ r × λ r dm. On the diagonal of λ only the differences of the squares of ω matter."""
    x, y, z = λ
    xx, yy, zz, *_ = products
    return Vector(
        J.yy * z.y - J.zz * y.z + J.yz * (zz - yy) + J.xy * z.x - J.xz * y.x,
        J.zz * x.z - J.xx * z.x + J.xz * (xx - zz) + J.yz * x.y - J.xy * z.y,
        J.xx * y.x - J.yy * x.y + J.xy * (yy - xx) + J.xz * y.z - J.yz * x.z,
    )
