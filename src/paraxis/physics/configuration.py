"""Positions and the velocities that change them, joint by joint.

The position of a spherical joint is a unit quaternion (x, y, z, w), that of a free joint a point
and such a quaternion, that of a planar joint two lengths and an angle; velocities are along the
axes of the body, linear before angular. `integrate` moves a position along a constant velocity for
a unit of time, `difference` is the velocity that leads from one to another. Symbols:
docs/concepts/notation.md.
"""

from itertools import accumulate, pairwise

from ..robots.joint import Row
from ..robots.model import quaternion_rotation
from ..scalar import atan2, cos, less, select, sin, sqrt
from ..spatial import Vector, cross

# Below this angle, squared, series are used: their next terms are beyond float64, and above it
# cancellation costs few digits, also in second derivatives.
SMALL = 0.01


def integrate(robot, q, v):
    """Return the positions after a unit of time at the constant velocity v."""
    return _by_joint(robot, _MOVED, _positions(robot, q), _velocities(robot, v))


def move_straight(robot, q, v, dt):
    """Return positions, and velocities, a time dt later, if free bodies move straight.

    The velocity of a free joint is along the axes of its body: v is along the present ones, and the
    result along the later ones. A body without forces therefore keeps its linear momentum, however
    fast it spins; `integrate` moves it along a screw.
    """
    moved, turned = [], []
    parts = zip(robot.described.joints, _positions(robot, q), _velocities(robot, v), strict=True)
    for joint, own, rates in parts:
        way = [dt * rate for rate in rates]
        if joint.kind != "free":
            moved += _MOVED.get(joint.kind, _MOVED["single"])(own, way)
            turned += rates
            continue
        turn, spin = quaternion_rotation(*own[3:]), _exponential(way[3:])
        moved += [*(Vector(*own[:3]) + turn @ Vector(*way[:3])), *_product(own[3:], spin)]
        turned += [*(quaternion_rotation(*spin).T @ Vector(*rates[:3])), *rates[3:]]
    return moved, turned


def turning_axes(robot, v):
    """Return the rates of velocities along axes of free bodies that are due to their rotation."""
    return _by_joint(robot, _TURNING, _velocities(robot, v))


def integrate_rows(rows, q, v):
    """Return the same for all rows (robots/rows.py), as if none followed another."""
    moved, begin = [], 0
    for group in rows.groups:
        first, end = rows.joints[group[0]], begin + sum(rows.joints[k].nq for k in group)
        rule = _MOVED[first.of if isinstance(first, Row) else "single"]
        moved += rule(q[begin:end], v[group.start : group.stop])
        begin = end
    return moved


def difference(robot, q0, q1):
    """Return the velocity that leads from q0 to q1 in a unit of time."""
    return _by_joint(robot, _APART, _positions(robot, q0), _positions(robot, q1))


def normalize(robot, q):
    """Return the positions with quaternions of unit length."""
    return _by_joint(robot, _UNIT, _positions(robot, q))


def velocities(robot, q, rates):
    """Return the velocity at which the numbers of q change at these rates."""
    return _by_joint(robot, _VELOCITIES, _positions(robot, q), _positions(robot, rates))


def straight_rate(robot, u, v):
    """Return u̇ for a position that is displaced by u and has the velocity v.

    They are equal except for the order of the rotations in u and v: this is the inverse of the
    derivative of the exponential, as a series up to the fifth power of u.
    """
    return _by_joint(robot, _STRAIGHT, _velocities(robot, u), _velocities(robot, v))


def seen_from(robot, q0, q1, v):
    """Return the velocity v of bodies at q1 along the axes, and at the origins, of those at q0."""
    parts = _positions(robot, q0), _positions(robot, q1), _velocities(robot, v)
    return _by_joint(robot, _SEEN, *parts)


def carried_along(robot, u, v):
    """Return [u, v]: the rate of velocities v along the axes of bodies that move by u."""
    return _by_joint(robot, _BRACKETS, _velocities(robot, u), _velocities(robot, v))


def single_positions(robot, q):
    """Return an entry per degree of freedom: the position of a single joint, 0 for others."""
    return _by_joint(robot, _SIZES, _positions(robot, q))


def _by_joint(robot, rules, *parts):
    """Each joint's rule on its own parts, all results in one list."""
    results = []
    for joint, *own in zip(robot.described.joints, *parts, strict=True):
        results += rules.get(joint.kind, rules["single"])(*own)
    return results


def _positions(robot, q):
    ends = [*accumulate((joint.nq for joint in robot.described.joints), initial=0)]
    return [q[a:b] for a, b in pairwise(ends)]


def _velocities(robot, v):
    ends = [*accumulate((joint.nv for joint in robot.described.joints), initial=0)]
    return [v[a:b] for a, b in pairwise(ends)]


# -- quaternions -------------------------------------------------------------------------------


def _product(p, q):
    """p q, in the order x, y, z, w."""
    (px, py, pz, pw), (qx, qy, qz, qw) = p, q
    return [
        pw * qx + px * qw + py * qz - pz * qy,
        pw * qy - px * qz + py * qw + pz * qx,
        pw * qz + px * qy - py * qx + pz * qw,
        pw * qw - px * qx - py * qy - pz * qz,
    ]


def _inverse(q):
    x, y, z, w = q
    return [-x, -y, -z, w]


def _exponential(ω):
    """The turn by the rotation vector ω, as a quaternion."""
    square = _square(ω)
    small = less(square, SMALL)
    angle = sqrt(select(small, 1.0, square))  # both sides of a select are computed
    sine = _series(square, 1 / 2, -1 / 48, 1 / 3840, -1 / 645120, 1 / 185794560)
    cosine = _series(square, 1.0, -1 / 8, 1 / 384, -1 / 46080, 1 / 10321920)
    half = select(small, sine, sin(0.5 * angle) / angle)
    w = select(small, cosine, cos(0.5 * angle))
    return [half * x for x in ω] + [w]


def _logarithm(q):
    """The rotation vector of a quaternion, no longer than π."""
    x, y, z, w = q
    sign = select(less(w, 0.0), -1.0, 1.0)  # -q is the same rotation
    w = sign * w
    square = x * x + y * y + z * z
    small = less(square, 0.25 * SMALL)
    length = sqrt(select(small, 1.0, square))
    tangent = _series(square / (w * w), 2.0, -2 / 3, 2 / 5, -2 / 7, 2 / 9, -2 / 11, 2 / 13) / w
    scale = sign * select(small, tangent, 2.0 * atan2(length, w) / length)
    return [scale * x, scale * y, scale * z]


def rotation_between(q0, q1):
    """The rotation vector from one quaternion to another, the same along the axes of both."""
    return _logarithm(_product(_inverse(q0), q1))


def _square(ω):
    x, y, z = ω
    return x * x + y * y + z * z


def _series(x, *coefficients):
    """The sum of these coefficients times powers of x."""
    *lower, total = coefficients
    for each in reversed(lower):
        total = each + x * total
    return total


def _turned(q, ω):
    return _product(q, _exponential(ω))


def _unit(q):
    x, y, z, w = q
    scale = 1.0 / sqrt(x * x + y * y + z * z + w * w)
    return [scale * each for each in q]


def _angular_velocity(q, rates):
    x, y, z, _ = _product(_inverse(q), rates)
    return [2.0 * x, 2.0 * y, 2.0 * z]


# -- screws ------------------------------------------------------------------------------------


def _screw(ω, v):
    """The displacement, after a unit of time, of a body that moves along v while it turns by ω."""
    square = _square(ω)
    small = less(square, SMALL)
    safe = select(small, 1.0, square)
    angle = sqrt(safe)
    cosine = _series(square, 1 / 2, -1 / 24, 1 / 720, -1 / 40320, 1 / 3628800)
    sine = _series(square, 1 / 6, -1 / 120, 1 / 5040, -1 / 362880, 1 / 39916800)
    swept = select(small, cosine, (1.0 - cos(angle)) / safe)
    drawn = select(small, sine, (angle - sin(angle)) / (safe * angle))
    ω, v = Vector(*ω), Vector(*v)
    sideways = cross(ω, v)
    return v + sideways * swept + cross(ω, sideways) * drawn


def _unscrewed(ω, p):
    """The v from which `_screw` gives p."""
    square = _square(ω)
    small = less(square, SMALL)
    safe = select(small, 1.0, square)
    angle = sqrt(safe)
    half = 0.5 * angle
    cotangent = _series(square, 1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160)
    bent = select(small, cotangent, (1.0 - half * cos(half) / sin(half)) / safe)
    ω, p = Vector(*ω), Vector(*p)
    sideways = cross(ω, p)
    return p - sideways * 0.5 + cross(ω, sideways) * bent


def _bracket(u, v):
    """[u, v] of velocities, linear before angular: the rate of v as it is carried along by u."""
    (a, α), (b, β) = ((Vector(*each[:3]), Vector(*each[3:])) for each in (u, v))
    return [*(cross(α, b) + cross(a, β)), *cross(α, β)]


def _straight(u, v):
    first = _bracket(u, v)
    second = _bracket(u, first)
    fourth = _bracket(u, _bracket(u, second))
    each = zip(v, first, second, fourth, strict=True)
    return [x + 0.5 * a + b * (1 / 12) - d * (1 / 720) for x, a, b, d in each]


def _planar_bracket(u, v):
    (ux, uy, α), (vx, vy, β) = u, v
    return [uy * β - α * vy, α * vx - ux * β, 0.0]


def _straight_turn(u, v):
    return _straight([0.0] * 3 + list(u), [0.0] * 3 + list(v))[3:]


def _straight_planar(u, v):
    (ux, uy, α), (vx, vy, β) = u, v
    x, y, *_, rate = _straight([ux, uy, 0.0, 0.0, 0.0, α], [vx, vy, 0.0, 0.0, 0.0, β])
    return [x, y, rate]


# -- joints ------------------------------------------------------------------------------------


def _free_moved(q, v):
    turn = quaternion_rotation(*q[3:])
    return [*(Vector(*q[:3]) + turn @ _screw(v[3:], v[:3])), *_turned(q[3:], v[3:])]


def _free_apart(q0, q1):
    ω = rotation_between(q0[3:], q1[3:])
    way = quaternion_rotation(*q0[3:]).T @ (Vector(*q1[:3]) - Vector(*q0[:3]))
    return [*_unscrewed(ω, way), *ω]


def _free_velocity(q, rates):
    v = quaternion_rotation(*q[3:]).T @ Vector(*rates[:3])
    return [*v, *_angular_velocity(q[3:], rates[3:])]


def _turn_seen(q0, q1, ω):
    return [*(_turn_between(q0, q1) @ Vector(*ω))]


def _turn_between(q0, q1):
    return quaternion_rotation(*_product(_inverse(q0), q1))


def _free_seen(q0, q1, v):
    turn = _turn_between(q0[3:], q1[3:])
    way = quaternion_rotation(*q0[3:]).T @ (Vector(*q1[:3]) - Vector(*q0[:3]))
    ω = turn @ Vector(*v[3:])
    return [*(turn @ Vector(*v[:3]) + cross(way, ω)), *ω]


def _planar_moved(q, v):
    (x, y, angle), (vx, vy, ω) = q, v
    way = _screw((0.0, 0.0, ω), (vx, vy, 0.0))
    c, s = cos(angle), sin(angle)
    return [x + c * way.x - s * way.y, y + s * way.x + c * way.y, angle + ω]


def _planar_apart(q0, q1):
    (x, y, angle), (there_x, there_y, there) = q0, q1
    c, s, dx, dy = cos(angle), sin(angle), there_x - x, there_y - y
    ω = there - angle
    v = _unscrewed((0.0, 0.0, ω), (c * dx + s * dy, c * dy - s * dx, 0.0))
    return [v.x, v.y, ω]


def _planar_seen(q0, q1, v):
    (x, y, angle), (there_x, there_y, there), (vx, vy, ω) = q0, q1, v
    c, s, dx, dy = cos(angle), sin(angle), there_x - x, there_y - y
    way_x, way_y = c * dx + s * dy, c * dy - s * dx
    c, s = cos(there - angle), sin(there - angle)
    return [c * vx - s * vy + way_y * ω, s * vx + c * vy - way_x * ω, ω]


def _planar_velocity(q, rates):
    (_, _, angle), (x, y, ω) = q, rates
    c, s = cos(angle), sin(angle)
    return [c * x + s * y, c * y - s * x, ω]


_STRAIGHT = {
    "single": lambda u, v: list(v),
    "spherical": _straight_turn,
    "planar": _straight_planar,
    "free": _straight,
}
_SEEN = {
    "single": lambda q0, q1, v: list(v),
    "spherical": _turn_seen,
    "planar": _planar_seen,
    "free": _free_seen,
}
_BRACKETS = {
    "single": lambda u, v: [0.0] * len(v),
    "spherical": lambda u, v: [*cross(Vector(*u), Vector(*v))],
    "planar": _planar_bracket,
    "free": _bracket,
}
_TURNING = {
    "single": lambda v: [0.0] * len(v),
    "free": lambda v: [*cross(Vector(*v[3:]), Vector(*v[:3])), 0.0, 0.0, 0.0],
}
_SIZES = {
    "single": lambda q: list(q),
    "spherical": lambda q: [0.0] * 3,
    "planar": lambda q: [0.0] * 3,
    "free": lambda q: [0.0] * 6,
}
_MOVED = {
    "single": lambda q, v: [a + b for a, b in zip(q, v, strict=True)],
    "spherical": _turned,
    "planar": _planar_moved,
    "free": _free_moved,
}
_APART = {
    "single": lambda q0, q1: [b - a for a, b in zip(q0, q1, strict=True)],
    "spherical": rotation_between,
    "planar": _planar_apart,
    "free": _free_apart,
}
_UNIT = {
    "single": lambda q: list(q),
    "spherical": _unit,
    "free": lambda q: [*q[:3], *_unit(q[3:])],
}
_VELOCITIES = {
    "single": lambda q, rates: list(rates),
    "spherical": _angular_velocity,
    "planar": _planar_velocity,
    "free": _free_velocity,
}


NEUTRAL = {"spherical": [0.0, 0.0, 0.0, 1.0], "free": [0.0] * 6 + [1.0]}


def neutral(robot):
    """Return the position with every joint at zero and no rotation."""
    positions = [NEUTRAL.get(joint.kind, [0.0] * joint.nq) for joint in robot.described.joints]
    return [number for position in positions for number in position]
