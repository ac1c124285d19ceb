"""Inverse dynamics with one matrix for both accelerations (Dhanaraj, 1990).

A point at r in a body has the acceleration of the body's origin plus λ r, λ = [α]ₓ + [ω]ₓ². The
matrix is computed once per link and used for the next joint's origin, the first moment of mass,
and, through its products of ω, the gyroscopic moment. Vectors are 3-D, each in its own body's
frame.
Symbols: docs/concepts/notation.md.
"""

from typing import NamedTuple

from ..robots.joint import WORLD
from ..scalar import mark
from ..spatial import ZERO3, Matrix, Vector, cross
from .parts.inward import joint_loads


def inverse_dynamics(robot, q, qd, qdd):
    """Return the torques that make the robot move as (q, qd, qdd)."""
    torques, _ = torques_and_reactions(robot, q, qd, qdd)
    return torques


def torques_and_reactions(robot, q, qd, qdd):
    """Return the torques, and the moment and force that each joint transmits."""
    torques, reactions, _ = torques_reactions_and_motions(robot, q, qd, qdd)
    return torques, reactions


class Motion(NamedTuple):
    """The motion of a body, including gravity, in its own frame."""

    ω: Vector
    α: Vector
    a: Vector  # of the frame's origin
    λ: Matrix


def torques_reactions_and_motions(robot, q, qd, qdd):
    """Return the same and, by body, the Motion from the outward sweep."""
    X, f, n = {}, {}, {}
    ω = {WORLD: robot.base_velocity.angular}
    α, a = {WORLD: robot.base_acceleration.angular}, {WORLD: robot.base_acceleration.linear}
    λ = {WORLD: rate_matrix(ω[WORLD], α[WORLD])[0]}
    for i, p in robot.outward:  # parents first
        z, h, m, I = robot.axis[i], robot.inertia[i].moment, robot.inertia[i].mass, robot.inertia[i]
        X[i] = robot.transform(i, q)
        back, r = X[i].turn.T, X[i].origin
        spin, slide = (z, ZERO3) if robot.is_revolute[i] else (ZERO3, z)
        turned = back @ ω[p]
        ω[i] = mark("omega", i, turned + spin * qd[i])
        α[i] = mark("alpha", i, back @ α[p] + spin * qdd[i] + cross(turned, spin * qd[i]))
        λ[i], products = rate_matrix(ω[i], α[i])
        mark("lambda", i, λ[i])
        a[i] = back @ (a[p] + λ[p] @ r) + slide * qdd[i]
        a[i] = mark("acceleration", i, a[i] + cross(turned, slide * (qd[i] + qd[i])))
        f[i] = mark("inertial_force", i, a[i] * m + λ[i] @ h)
        N = I.about_origin @ α[i] + gyroscopic(I.about_origin, products)
        N = mark("inertial_moment", i, N)
        n[i] = mark("moment", i, N + cross(h, a[i]))  # its own; the others follow inward
    motions = {i: Motion(ω[i], α[i], a[i], λ[i]) for i, _ in robot.outward}
    return *joint_loads(robot, X, f, n, qdd), motions


def rate_matrix(ω, α):
    """λ = [α]ₓ + [ω]ₓ², and the products of ω it is made of: (xx, yy, zz, xy, xz, yz)."""
    xx, yy, zz = ω.x * ω.x, ω.y * ω.y, ω.z * ω.z
    xy, xz, yz = ω.x * ω.y, ω.x * ω.z, ω.y * ω.z
    λ = Matrix(
        (-(yy + zz), xy - α.z, xz + α.y),
        (xy + α.z, -(xx + zz), yz - α.x),
        (xz - α.y, yz + α.x, -(xx + yy)),
    )
    return λ, (xx, yy, zz, xy, xz, yz)


def gyroscopic(I, products):
    """ω × (I ω) from the products of ω."""
    xx, yy, zz, xy, xz, yz = products
    return Vector(
        (I.zz - I.yy) * yz + I.yz * (yy - zz) + I.xz * xy - I.xy * xz,
        (I.xx - I.zz) * xz + I.xz * (zz - xx) + I.xy * yz - I.yz * xy,
        (I.yy - I.xx) * xy + I.xy * (xx - yy) + I.yz * xz - I.xz * yz,
    )
