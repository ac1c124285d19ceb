"""Dhanaraj's modified Newton-Euler, in the steps that his Table 4.1 divides into subtasks.

`step(link, *numbers)` is called before the operations of those subtasks, `step(link, extra=...)`
before operations for which the table has no numbers. The base is at rest. Scalars are generic.
Vectors are 3-D, each in its own body's frame. Symbols: docs/concepts/notation.md.
"""

from functools import partial

from ...robots.joint import WORLD
from ...scalar import known
from ...spatial import ZERO3, Matrix, Spatial, Vector, cross


def inverse_dynamics(robot, q, qd, qdd, step):
    """Return the torques that make the robot move as (q, qd, qdd), and the joints' reactions."""
    X, k, squares, a_com = {}, {}, {}, {}
    ω, α, λ = {WORLD: ZERO3}, {WORLD: ZERO3}, {WORLD: Matrix(ZERO3, ZERO3, ZERO3)}
    a = {WORLD: robot.base_acceleration.linear}
    for i, p in robot.outward:  # parents first
        step(i, extra="place of the joint")
        X[i] = robot.transform(i, q)
        back, z = X[i].turn.T, robot.axis[i]
        step(i, 1, 2)
        ω[i] = back @ ω[p]
        step(i, 3)
        if robot.is_revolute[i]:
            c = z * qdd[i] + cross(ω[i], z * qd[i])
            ω[i] = ω[i] + z * qd[i]
        else:
            c = z * qdd[i] + cross(ω[i], z * (qd[i] + qd[i]))
        step(i, 4, 5)
        α[i] = back @ α[p]
        step(i, 6)
        if robot.is_revolute[i]:
            α[i] = α[i] + c
        k[i], squares[i] = products(ω[i], partial(step, i))
        λ[i] = rate_matrix(k[i], squares[i], α[i], partial(step, i))
        step(i, *range(12, 18))
        a[i] = carried(a[p], λ[p], X[i].origin)
        step(i, 18, 19)
        a[i] = back @ a[i]
        if not robot.is_revolute[i]:
            a[i] = a[i] + c
        step(i, *range(20, 26))
        a_com[i] = carried(a[i], λ[i], robot.inertia[i].com)
    f, n, tau = {}, {}, {}
    children = {i: [] for i in X}
    for i, p in robot.inward:  # children first
        m, s, I = robot.inertia[i].mass, robot.inertia[i].com, robot.inertia[i].about_com
        step(i, 26)
        F = a_com[i] * m
        step(i, 27, 28, 29)
        N = inertial_moment(I, α[i], k[i], squares[i], λ[i])
        step(i, 30, 31)
        pulls = [X[j].turn @ f[j] for j in children[i]]
        step(i, 32)
        f[i] = sum(pulls, F)
        step(i, 33, 34, 35)
        levers = [cross(X[j].origin, pull) for j, pull in zip(children[i], pulls, strict=True)]
        step(i, 36, 37, 38)
        lever = cross(s, F)
        step(i, 39, 40)
        turned = [X[j].turn @ n[j] for j in children[i]]
        step(i, 41, 42, 43)
        n[i] = sum([lever, *levers, *turned], N)  # the value available last is added last
        tau[i] = robot.axis[i] @ (n[i] if robot.is_revolute[i] else f[i])
        step(i, extra="rotor")
        tau[i] = tau[i] + robot.rotor_inertia[i] * qdd[i]
        if p != WORLD:
            children[p].append(i)
    reactions = [Spatial(n[i], f[i]) for i, _ in robot.outward]
    return [tau[i] for i, _ in robot.outward], reactions


def products(ω, step):
    """ω_y ω_z, ω_z ω_x, ω_x ω_y; and the squares."""
    step(7)
    k = Vector(ω.y * ω.z, ω.z * ω.x, ω.x * ω.y)
    step(8 if known(ω.x) != 0 or known(ω.y) != 0 else 10)  # Table 4.2 keeps one square, as T10
    return k, Vector(ω.x * ω.x, ω.y * ω.y, ω.z * ω.z)


def rate_matrix(k, squares, α, step):
    """λ = [α]ₓ + [ω]ₓ², from the products of ω."""
    step(9)
    xx = -(squares.y + squares.z)
    yy = -(squares.z + squares.x)
    zz = -(squares.x + squares.y)
    step(10)
    zy, xz, yx = k + α
    step(11)
    yz, zx, xy = k - α
    return Matrix((xx, xy, xz), (yx, yy, yz), (zx, zy, zz))


def carried(a, λ, r):
    """a + λ r: the acceleration of the point r.

    Products come first, so that only sums wait for `a`, one component after the other. If r has two
    components, the products of the second are computed with the sums: three operations each.
    """
    columns = [(column, x) for column, x in zip(λ.T, r, strict=True) if known(x) != 0]
    if len(columns) == 2:
        (first, x), (second, y) = columns
        return Vector(*(u + v * y + w for u, v, w in zip(first * x, second, a, strict=True)))
    return Vector(*map(sum, zip(*(column * x for column, x in columns), a, strict=True)))


def inertial_moment(I, α, k, squares, λ):
    """I α + ω × (I ω), using products already in λ."""
    (_, xy, xz), (yx, _, yz), (zx, zy, _) = λ
    xx, yy, zz = squares
    return Vector(
        I.xx * α.x + (I.zz - I.yy) * k.x + I.xz * yx - I.xy * zx + I.yz * (yy - zz),
        I.yy * α.y + (I.xx - I.zz) * k.y + I.xy * zy - I.yz * xy + I.xz * (zz - xx),
        I.zz * α.z + (I.yy - I.xx) * k.z + I.yz * xz - I.xz * yz + I.xy * (xx - yy),
    )
