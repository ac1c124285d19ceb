"""Derivatives of inverse dynamics from composite bodies (Singh, Russell and Wensing, 2022).

A change of one joint's position or velocity changes the motion of all bodies beyond it as if they
were one. The forces on them therefore change by their composite inertia times a change of
acceleration, and by their composite `Swirl` times a change of velocity; carried inward, these act
on the other joints. Vectors are 6-D, angular part first, each in its own body's frame. Symbols:
docs/concepts/notation.md.
"""

from dataclasses import dataclass

from ..robots.joint import WORLD
from ..spatial import Matrix, Spatial, Vector, cross, cross_force, cross_motion
from .spatial_newton_euler import base_acceleration


def inverse_dynamics_derivatives(robot, q, qd, qdd):
    """Return ∂τ/∂q and ∂τ/∂q̇, by rows; q̈ are the accelerations of joints, not of their rows.

    The position of a joint of several degrees of freedom changes along the axes of its body.
    """
    S, X = robot.subspace, {}
    v, a = {WORLD: robot.base_velocity}, {WORLD: base_acceleration(robot)}
    Ic, B, F = {}, {}, {}  # of everything that body i carries, itself included
    ψ1, ψ2, σ = {}, {}, {}  # by row
    joint = {}  # that carries body i: its rows, and its parent
    n = robot.nv
    over_q, over_qd = [[0.0] * n for _ in range(n)], [[0.0] * n for _ in range(n)]

    def outward(rows, p):
        i = rows[-1]
        joint[i] = rows, p
        X[i] = robot.transform(rows[0], q)
        v_p, a_p = X[i] @ v[p], X[i] @ a[p]
        v_J, a_J = _along(S, rows, qd), _along(S, rows, qdd)
        v[i], a[i] = v_p + v_J, a_p + a_J + cross_motion(v_p, v_J)
        for k in rows:
            ψ1[k] = cross_motion(v_p, S[k])
            ψ2[k] = cross_motion(a_p, S[k]) + cross_motion(v_p, ψ1[k])
            σ[k] = ψ1[k] + cross_motion(v_p if len(rows) == 1 else v[i], S[k])
        Ic[i] = robot.inertia[i]
        B[i] = Swirl.of(Ic[i], v[i])
        F[i] = Ic[i] @ a[i] + (B[i] @ v[i]) * 0.5 - robot.external_force[i]

    def inward(rows, p):
        i = rows[-1]
        for c in rows:
            h, w = Ic[i] @ S[c], B[i].across(S[c])
            f, g = Ic[i] @ ψ2[c] + B[i] @ ψ1[c], Ic[i] @ σ[c] + B[i] @ S[c]
            for b in rows:
                over_q[b][c], over_qd[b][c] = S[b] @ f, S[b] @ g
            f = f + cross_force(S[c], F[i])  # only other joints are affected
            below, above = i, p
            while above != WORLD:
                back = X[below].T
                h, f, g, w = back @ h, back @ f, back @ g, X[below].turn @ w
                others, further = joint[above]
                for b in others:
                    over_q[b][c], over_qd[b][c] = S[b] @ f, S[b] @ g
                    over_q[c][b] = h @ ψ2[b] + w @ ψ1[b].angular
                    over_qd[c][b] = h @ σ[b] + w @ S[b].angular
                below, above = above, further
        if p != WORLD:
            Ic[p] = Ic[p] + Ic[i].seen_from(X[i])
            B[p] = B[p] + B[i].seen_from(X[i])
            F[p] = F[p] + X[i].T @ F[i]

    for rows, p, is_outward in robot.limb_by_limb:
        (outward if is_outward else inward)(rows, p)
    return over_q, over_qd


def _along(S, rows, rates):
    first, *others = (S[k] * rates[k] for k in rows)
    return sum(others, first)


@dataclass(frozen=True, slots=True)
class Swirl:
    """The change of forces on moving bodies with their velocities.

    Adding the motion u = (ω, ·) to all of them requires B u = 2 ∫ (r × (ω × ṙ), ω × ṙ) dm over
    their points r, in addition to the force of accelerations: v ×* I u + u ×* I v - I (v × u) for a
    body that moves by v. B v is thus twice its v ×* I v. Swirls add up, like inertias.
    """

    angular: Matrix  # 2 ∫ (r·ṙ) 1 - ṙ rᵀ dm
    linear: Vector  # 2 ∫ ṙ dm

    @classmethod
    def of(cls, I, v):
        """The Swirl of a body that moves by v."""
        J, ω = I.about_origin, v.angular
        P = (v.linear * I.mass + cross(ω, I.moment)) * 2.0
        trace = J.xx + J.yy + J.zz  # with r rᵀ integrated, twice: trace 1 - 2 J
        second = (
            (trace - 2.0 * J.xx, -2.0 * J.xy, -2.0 * J.xz),
            (-2.0 * J.xy, trace - 2.0 * J.yy, -2.0 * J.yz),
            (-2.0 * J.xz, -2.0 * J.yz, trace - 2.0 * J.zz),
        )
        turning = Matrix(*(cross(ω, Vector(*column)) for column in second)).T
        return cls(swing(I.moment * 2.0, v.linear) - turning, P)

    def __matmul__(self, u):
        return Spatial(self.angular @ u.angular, cross(u.angular, self.linear))

    def __add__(self, other):
        return Swirl(self.angular + other.angular, self.linear + other.linear)

    def seen_from(self, X):
        """The same in the parent frame of the transform X."""
        P = X.turn @ self.linear
        return Swirl(X.turn.tensor(self.angular) + swing(X.origin, P), P)

    def across(self, s):
        """The angular part of Bᵀ s; the linear part is zero."""
        return self.angular.T @ s.angular + cross(self.linear, s.linear)


def swing(r, u):
    """(r·u) 1 - u rᵀ."""
    along = (r.x * u.x, r.y * u.y, r.z * u.z)
    return Matrix(
        (along[1] + along[2], -(u.x * r.y), -(u.x * r.z)),
        (-(u.y * r.x), along[0] + along[2], -(u.y * r.z)),
        (-(u.z * r.x), -(u.z * r.y), along[0] + along[1]),
    )
