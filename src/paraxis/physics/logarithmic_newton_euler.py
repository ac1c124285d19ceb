"""Inverse dynamics in logarithmic time (Lathrop, 1985).

Any two adjacent spans of a chain can be combined into one: the contribution of a span to motion
outward, and to force inward, depends only on those of its two parts. With a processor for every
operation both sweeps then take ⌈log₂(n+1)⌉ steps of a matrix-vector product and a sum. The base,
which may spin and accelerate, is the first element. Vectors are 3-D.

The combining forms are derived anew, since body frames are at their joints' axes here, at the far
end of the link in the paper. They are bracketed so that the last value to arrive is added last.
Symbols: docs/concepts/notation.md.
"""

from typing import NamedTuple

from ..robots.branching import require_chain
from ..scalar import mark
from ..spatial import IDENTITY, ZERO3, Matrix, Transform, Turn, Vector, cross
from .parts.orders import prefixes, suffixes


def inverse_dynamics(robot, q, qd, qdd):
    """Return the torques that make the robot move as (q, qd, qdd)."""
    require_chain(robot, "logarithmic_newton_euler")
    X = [robot.transform(i, q) for i in range(robot.n)]
    steps = [one_joint(robot, i, X[i], qd[i], qdd[i]) for i in range(robot.n)]
    motions = prefixes(glue_motions, [base(robot), *steps])[1:]
    loads = [one_body(robot, i, motions[i], beyond) for i, beyond in enumerate([*X[1:], NOTHING])]
    tau = []
    for i, load in enumerate(suffixes(glue_loads, loads)):
        f, n = mark("force", i, load.f), mark("moment", i, load.n)
        along = robot.axis[i] @ (n if robot.is_revolute[i] else f)
        tau.append(along + robot.rotor_inertia[i] * qdd[i])
    return tau


class Motion(NamedTuple):
    """The motion of the last body of a span relative to the body before the span.

    Vectors are along the last body's axes; a span that includes the base gives its absolute motion.
    """

    W: Matrix  # the last body's coordinates to those of the body before the span
    ω: Vector
    α: Vector
    r: Vector  # from the origin of the body before the span to the last body's
    v: Vector  # its rate and
    a: Vector  # acceleration, relative to the body before the span


def base(robot):
    """The base, relative to a point at rest; nothing depends on the velocity of its origin."""
    spin, rise = robot.base_velocity.angular, robot.base_acceleration
    return Motion(IDENTITY, spin, rise.angular, ZERO3, ZERO3, rise.linear)


def one_joint(robot, i, X, qd, qdd):
    """Body i, relative to the parent of its joint."""
    W, z = X.turn.matrix(), robot.axis[i]
    if robot.is_revolute[i]:
        return Motion(W, z * qd, z * qdd, W.T @ X.origin, ZERO3, ZERO3)
    return Motion(W, ZERO3, ZERO3, W.T @ X.origin, z * qd, z * qdd)


def glue_motions(left, right):
    """Two adjacent spans as one. The paper has v in two parts, S and Q, of which only the sum
    is ever used."""
    back = right.W.T
    ω, α = back @ left.ω, back @ left.α
    swept = cross(ω, right.r)
    turning = cross(α, right.r) + cross(ω, swept + (right.v + right.v))
    return Motion(
        left.W @ right.W,
        ω + right.ω,
        α + (cross(ω, right.ω) + right.α),
        back @ left.r + right.r,
        back @ left.v + (swept + right.v),
        back @ left.a + (right.a + turning),
    )


class Load(NamedTuple):
    """The loads of a span's bodies, as if held at the first one, and the vector to the next span.

    Vectors are along the first body's axes.
    """

    f: Vector
    n: Vector  # about the first body's origin
    U: Matrix  # the next span's coordinates to those of the first body
    r: Vector  # to the origin of the next span


NOTHING = Transform(Turn(), ZERO3)  # beyond the last body


def one_body(robot, i, motion, beyond):
    """The load of body i by itself; `beyond` is the position of the next body."""
    I, h, out = robot.inertia[i], robot.inertia[i].moment, robot.external_force[i]
    ω, α = mark("omega", i, motion.ω), mark("alpha", i, motion.α)
    a = mark("acceleration", i, motion.a)
    f = a * I.mass + (cross(α, h) + cross(ω, cross(ω, h)) - out.linear)
    n = cross(h, a) + (I.about_origin @ α + cross(ω, I.about_origin @ ω) - out.angular)
    return Load(f, n, beyond.turn.matrix(), beyond.origin)


def glue_loads(left, right):
    """Two adjacent spans as one."""
    carried = left.U @ right.f
    return Load(
        left.f + carried,
        left.U @ right.n + (left.n + cross(left.r, carried)),
        left.U @ right.U,
        left.r + left.U @ right.r,
    )
