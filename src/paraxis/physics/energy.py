"""Energies, and the centre of mass. Symbols: docs/concepts/notation.md."""

from ..errors import RobotError
from ..robots.joint import WORLD
from ..scalar import known


def kinetic_energy(robot, q, qd):
    """Return the kinetic energy of every body and every rotor."""
    v, twice = {WORLD: robot.base_velocity}, 0.0
    for i, p in robot.outward:
        v[i] = robot.transform(i, q) @ v[p] + robot.subspace[i] * qd[i]
        twice = twice + v[i] @ (robot.inertia[i] @ v[i])
        twice = twice + robot.rotor_inertia[i] * qd[i] * qd[i]
    return twice * 0.5


def potential_energy(robot, q):
    """Return the gravitational energy; zero for mass at the origin of the world."""
    mass, moment = first_moment(robot, q)
    return -((moment + (robot.base_turn.T @ robot.base_origin) * mass) @ robot.gravity)


def centre_of_mass(robot, q):
    """Return the centre of mass in the world."""
    mass, moment = first_moment(robot, q)
    if known(mass) == 0.0:
        raise RobotError(f"robot {robot.robot.name!r} has no mass, and thus no centre of mass")
    return robot.base_origin + robot.base_turn @ (moment * (1.0 / mass))


def first_moment(robot, q):
    """The mass of all bodies and their first moment about the root's origin, along its axes."""
    h = {i: body.moment for i, body in enumerate(robot.inertia)}
    m = {i: body.mass for i, body in enumerate(robot.inertia)}
    for i, p in robot.inward:
        X = robot.transform(i, q)
        carried = X.turn @ h[i] + X.origin * m[i]
        h[p] = h[p] + carried if p in h else carried
        m[p] = m[p] + m[i] if p in m else m[i]
    return m[WORLD], h[WORLD]
