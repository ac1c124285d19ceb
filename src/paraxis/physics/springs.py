"""Springs of joints and of tendons: their energy, and the torques that hold them.

A spring that is stretched by x pulls with k1 x + k2 x² + ..., and has the energy k1 x²/2 + k2 x³/3
+ ...: it returns all energy that it takes, like gravity. Springs of spherical, planar and free
joints are stretched along vectors, and pull along them. Joints that follow others have springs too,
so positions and torques are those of all rows (robots/rows.py).
"""

from itertools import accumulate

from ..robots.coupling import value
from ..robots.joint import SIZES
from ..robots.model import quaternion_rotation
from ..robots.spring import coefficients
from ..scalar import cos, equal, less, select, sin, sqrt
from ..spatial import Vector
from .configuration import NEUTRAL, rotation_between


def spring_torques(rows, q):
    """Return the torque of each row that balances the springs."""
    torques = [0.0] * rows.n
    for stiffness, along, stretch in _springs_of_joints(rows, q):
        for k, pull in zip(along, _pull(stiffness, stretch), strict=True):
            torques[k] = torques[k] + pull
    for stiffness, arms, stretch in _springs_of_tendons(rows, q):
        (tension,) = _pull(stiffness, [stretch])
        for k, arm in arms:
            torques[k] = torques[k] + arm * tension
    return torques


def spring_energy(rows, q):
    """Return the energy of all springs; zero for springs that are not stretched."""
    energy = 0.0
    for stiffness, _, stretch in _springs_of_joints(rows, q):
        energy = energy + _stored(stiffness, stretch)
    for stiffness, _, stretch in _springs_of_tendons(rows, q):
        energy = energy + _stored(stiffness, [stretch])
    return energy


def tendon_arms(rows):
    """For each tendon, the rows over which it runs, and its change of length per unit of each."""
    first = {joint.name: own[0] for joint, own in _rows_by_joint(rows)}
    return [[(first[name], arm) for name, arm in each.arms] for each in rows.described.tendons]


# -- stretches ---------------------------------------------------------------------------------


def _springs_of_joints(rows, q):
    """Stiffnesses, the rows along which each spring pulls, and its stretch there."""
    starts = [*accumulate((row.nq for row in rows.joints), initial=0)]
    for joint, own in _rows_by_joint(rows):
        if joint.spring is None:
            continue
        count, _ = SIZES[joint.kind]  # one for a helical joint: the angle of its first row
        here, reference = q[starts[own[0]] :][:count], joint.spring.reference
        if not isinstance(reference, tuple):
            reference = NEUTRAL.get(joint.kind, [reference] * count)
        at = 0
        for stretch in _STRETCHES.get(joint.kind, _each)(reference, here):
            yield joint.spring.stiffness, own[at : at + len(stretch)], stretch
            at += len(stretch)


def _springs_of_tendons(rows, q):
    """Stiffnesses, rows and arms, and the stretch of the spring of each tendon."""
    starts = [*accumulate((row.nq for row in rows.joints), initial=0)]
    for tendon, arms in zip(rows.described.tendons, tendon_arms(rows), strict=True):
        if tendon.has_spring:
            length = sum((arm * q[starts[k]] for k, arm in arms), 0.0)
            yield tendon.stiffness, arms, _beyond(length, *tendon.rest)


def _rows_by_joint(rows):
    return zip(rows.described.joints, rows.groups, strict=True)


def _beyond(length, low, high):
    if low == high:
        return length - low
    slack = select(less(length, low), length - low, 0.0)
    return select(less(high, length), length - high, slack)


def _each(reference, q):
    """Numbers with one spring each."""
    return [[a - b] for a, b in zip(q, reference, strict=True)]


def _of_planar(reference, q):
    c, s, (dx, dy, turn) = cos(q[2]), sin(q[2]), (a - b for a, b in zip(q, reference, strict=True))
    return [[c * dx + s * dy, c * dy - s * dx], [turn]]


def _of_free(reference, q):
    way = Vector(*(a - b for a, b in zip(q[:3], reference, strict=False)))
    along_body = quaternion_rotation(*q[3:]).T @ way
    return [[*along_body], rotation_between(reference[3:], q[3:])]


_STRETCHES = {  # kind -> vectors along the joint's velocities
    "spherical": lambda reference, q: [rotation_between(reference, q)],
    "planar": _of_planar,
    "free": _of_free,
}

# -- forces and energies ------------------------------------------------------------------------


def _pull(stiffness, stretch):
    """The force along each entry of a stretch."""
    if len(stretch) == 1 or not isinstance(stiffness, tuple):
        return [value(coefficients(stiffness), x) * x for x in stretch]
    harder = value(stiffness, _length(stretch))
    return [harder * x for x in stretch]


def _stored(stiffness, stretch):
    """The energy in a spring."""
    shares = [k / (power + 2) for power, k in enumerate(coefficients(stiffness))]
    square = sum((x * x for x in stretch), 0.0)
    if len(shares) == 1:
        return shares[0] * square
    return value(shares, stretch[0] if len(stretch) == 1 else _length(stretch)) * square


def _length(vector):
    """The length of a vector, with slope 0 at zero."""
    square = sum((x * x for x in vector), 0.0)
    return select(equal(square, 0.0), 0.0, sqrt(square))
