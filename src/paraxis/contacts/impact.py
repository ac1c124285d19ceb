"""`px.project_velocity`: the rates that a robot is left with when it comes into contact."""

import numpy as np

from .. import api
from ..errors import ArgumentError
from ..functions import MATTERS
from ..robot.robot import a_robot
from .contact import Contact
from .dynamics import constrained_forward_dynamics


def project_velocity(robot, q, qd, contact, **parameters):
    """The rates (..., n) nearest to qd with which the contact stays: those after an impact.

    An impulse of the contact, without friction, takes away what moves against it and leaves all
    other momentum, so that M (qd - result) does no work along rates that the contact allows: of
    all these, the result differs from qd by the least kinetic energy. `contact` is a px.Contact or
    a list of them; where its constraints are not independent, rates are NaN, as for
    px.constrained_forward_dynamics. Keywords are parameters of the robot.
    """
    several = contact if isinstance(contact, list | tuple) else [contact]
    only_directions = [require_directions(each).with_data({}) for each in several]
    of_masses = {name: parameters[name] for name in parameters if name in MATTERS["mass_matrix"]}
    single = all(getattr(array, "dtype", None) == np.float32 for array in (q, qd))
    rest = np.zeros(robot.nv, np.float32 if single else np.float64)
    weightless = _weightless(robot)
    # Rates after an impact obey the equations of accelerations from rest, in which momentum stands
    # for torque, and an impulse for a force.
    momentum = api.inverse_dynamics(weightless, q, rest, qd, **of_masses)
    motion = constrained_forward_dynamics(
        weightless, q, rest, momentum, only_directions, **of_masses
    )
    return motion.qdd


def _weightless(robot):
    """The robot without gravity, and with it what is compiled for it."""
    if "weightless" not in a_robot(robot)._functions:
        robot._functions["weightless"] = robot.with_gravity((0.0, 0.0, 0.0))
    return robot._functions["weightless"]


def require_directions(contact):
    """The contact itself, if it is one of which a velocity can be wrong."""
    if not isinstance(contact, Contact):
        found = type(contact).__name__
        raise ArgumentError(f"contact: expected a px.Contact with directions, found {found}")
    return contact
