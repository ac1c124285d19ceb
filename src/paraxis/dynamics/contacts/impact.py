"""`px.project_velocity`: the rates that a robot is left with when it comes into contact."""

from functools import lru_cache

import numpy as np

from ... import api
from ...errors import ArgumentError
from ...graph.splice import traced_value
from ...robot_functions import MATTERS, input_shapes
from ...robots.robot import a_robot
from ...targets.target import target_of
from .contact import Contact
from .dynamics import constrained_forward_dynamics


def project_velocity(robot, q, qd, contact, **parameters):
    """The rates (..., n) nearest to qd with which the contact stays: those after an impact.

    An impulse of the contact, without friction, takes away what moves against it and leaves all
    other momentum, so that M (qd - result) does no work along rates that the contact allows: of
    all these, the result differs from qd by the least kinetic energy. `contact` is a px.Contact or
    a list of them; where its constraints are not independent, rates are NaN, as for
    px.constrained_forward_dynamics. Keywords are parameters of the robot. As there, arrays may be
    on a GPU.
    """
    several = contact if isinstance(contact, list | tuple) else [contact]
    only_directions = [require_directions(each).with_data({}) for each in several]
    of_masses = {name: parameters[name] for name in parameters if name in MATTERS["mass_matrix"]}
    weightless = _weightless(a_robot(robot))
    given = {"q": q, "qd": qd, **of_masses}
    if traced_value(tuple(given.values())) is not None:
        return _projected(weightless, given, np.zeros(robot.nv), only_directions)
    place, shapes = target_of(given), input_shapes(robot, "bias_forces", tuple(of_masses))
    with place.stream():
        given = {name: place.array(value, name, shapes[name]) for name, value in given.items()}
        single = given["q"].dtype == given["qd"].dtype == np.float32
        rest = place.arrays.zeros(robot.nv, np.float32 if single else np.float64)
        return place.given_back(_projected(weightless, given, rest, only_directions))


def _projected(weightless, given, rest, contacts):
    """Rates after an impact obey the equations of accelerations from rest, in which momentum stands
    for torque, and an impulse for a force."""
    of_masses = dict(given)
    q, qd = of_masses.pop("q"), of_masses.pop("qd")
    momentum = api.inverse_dynamics(weightless, q, rest, qd, **of_masses)
    return constrained_forward_dynamics(weightless, q, rest, momentum, contacts, **of_masses).qdd


@lru_cache(maxsize=64)
def _weightless(robot):
    """The robot without gravity; the same one each time, as what is compiled for it goes by it."""
    return robot.with_gravity((0.0, 0.0, 0.0))


def require_directions(contact):
    """The contact itself, if it is one of which a velocity can be wrong."""
    if not isinstance(contact, Contact):
        found = type(contact).__name__
        raise ArgumentError(f"contact: expected a px.Contact with directions, found {found}")
    return contact
