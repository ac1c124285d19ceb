"""The momentum of a whole robot about its centre of mass, and how that centre moves.

Momenta are 6-D, moment of momentum first, along the axes of the world. Rotors do not contribute.
Symbols: docs/concepts/notation.md.
"""

from copy import copy

from ..robots.joint import WORLD
from ..spatial import ZERO, Spatial, Vector, cross
from .energy import centre_of_mass
from .kinematics import body_poses
from .modified_newton_euler import torques_and_reactions


def centroidal_momentum_matrix(robot, q):
    """Return A, by rows: the momentum about the centre of mass is A q̇."""
    Ic = dict(enumerate(robot.inertia))  # of everything that body i carries, itself included
    for i, p in robot.inward:  # children first
        if p != WORLD:
            Ic[p] = Ic[p] + Ic[i].seen_from(robot.transform(i, q))
    to_centre = _about_centre(robot, q)
    columns = [to_centre(i, Ic[i] @ robot.subspace[i]).scalars() for i, _ in robot.outward]
    return [list(row) for row in zip(*columns, strict=True)]


def centroidal_momentum(robot, q, qd):
    """Return A q̇."""
    v, total = {WORLD: ZERO}, ZERO
    to_centre = _about_centre(robot, q)
    for i, p in robot.outward:
        v[i] = robot.transform(i, q) @ v[p] + robot.subspace[i] * qd[i]
        total = total + to_centre(i, robot.inertia[i] @ v[i])
    return list(total.scalars())


def centroidal_bias(robot, q, qd):
    """Return Ȧ q̇: the external force that keeps the rates constant, without gravity."""
    floating = copy(robot)
    floating.base_acceleration = ZERO
    _, reactions = torques_and_reactions(floating, q, qd, robot.coast(qd))
    to_centre, total = _about_centre(robot, q), ZERO
    for i, p in robot.outward:
        if p == WORLD:
            total = total + to_centre(i, reactions[i])
    return list(total.scalars())


def centre_of_mass_jacobian(robot, q):
    """Return J, by rows: the centre of mass moves with J q̇."""
    share = 1.0 / sum((body.mass for body in robot.inertia), 0.0)
    _, _, _, *linear = centroidal_momentum_matrix(robot, q)
    return [[entry * share for entry in row] for row in linear]


def _about_centre(robot, q):
    """From a force or momentum in a body's frame to the same about the centre of mass."""
    R, p = body_poses(robot, q)
    centre = Vector(*centre_of_mass(robot, q))

    def moved(i, force):
        linear = R[i] @ force.linear
        return Spatial(R[i] @ force.angular + cross(p[i] - centre, linear), linear)

    return moved
