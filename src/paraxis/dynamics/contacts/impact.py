"""`px.project_velocity`: joint rates right after a robot comes into contact."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ... import api
from ...compiling import one_call
from ...errors import ArgumentError
from ...function_bodies import label
from ...graph.splice import traced_value
from ...robot_functions import MATTERS, input_shapes
from ...robots.model import AXES
from ...robots.robot import Robot, a_robot
from ...targets.blocks import takes_blocks
from ...targets.target import target_of
from .contact import Contact
from .dynamics import constrained_forward_dynamics


@takes_blocks(q=1, qd=1, **AXES)
def project_velocity(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    contact: Contact | Sequence[Contact] | None = (),
    **parameters: ArrayLike,
) -> np.ndarray:
    """Return the joint rates nearest to `qd` that contacts and loops allow: those after an impact.

    The impulse of the contact, without friction, removes the velocity along the constraints: M (qd
    - result) does no work along rates that the contact allows. Of all these rates, the result is
    nearest to `qd` in kinetic energy. Arrays may be on a GPU, as for
    `px.constrained_forward_dynamics`.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `qd`: joint rates before the impact, `(..., nv)`, rad/s or m/s.
    - `contact`: a `px.Contact`, or a list of them, which may be empty for a robot with loops.
    - `parameters`: parameters of the robot.

    **Returns:** the rates after the impact, `(..., nv)`; NaN in states in which the constraints of
    contacts are dependent.

    **Raises:** `px.ArgumentError` if a contact is one of `px.Contact.general`, which has no
    directions, or a shape is wrong.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> stop = px.Contact("tip", constraint=np.eye(6)[:, 5:])  # hits the floor
    >>> q, qd = np.array([0.5, -1.0]), np.array([-1.0, -1.0])
    >>> after = px.project_velocity(robot, q, qd, stop)
    >>> after
    array([-0.832,  1.663])
    >>> np.stack([qd, after]) @ px.jacobian(robot, q)[5]  # m/s along z, before and after
    array([-2.633, -0.   ])
    """
    contact = () if contact is None else contact
    several = contact if isinstance(contact, list | tuple) else [contact]
    only_directions = [require_directions(each).with_data({}) for each in several]
    of_masses = {name: parameters[name] for name in parameters if name in MATTERS["mass_matrix"]}
    weightless = _weightless(a_robot(robot))
    given: dict[str, Any] = {"q": q, "qd": qd, **of_masses}
    if traced_value(tuple(given.values())) is not None:
        return _projected(weightless, given, np.zeros(robot.nv), only_directions)
    target, shapes = target_of(given), input_shapes(robot, "bias_forces", tuple(of_masses))
    with one_call(label(robot, "project_velocity")), target.stream():
        given = {name: target.array(value, name, shapes[name]) for name, value in given.items()}
        single = given["q"].dtype == given["qd"].dtype == np.float32
        rest = target.arrays.zeros(robot.nv, np.float32 if single else np.float64)
        return target.given_back(_projected(weightless, given, rest, only_directions))


def _projected(weightless, given, rest, contacts):
    """Rates after an impact: the equations of accelerations from rest, with momentum in place of
    torque and impulse in place of force."""
    of_masses = dict(given)
    q, qd = of_masses.pop("q"), of_masses.pop("qd")
    tree = _weightless(weightless.without_loops())
    momentum = api.inverse_dynamics(tree, q, rest, qd, **of_masses)
    return constrained_forward_dynamics(weightless, q, rest, momentum, contacts, **of_masses).qdd


@lru_cache(maxsize=64)
def _weightless(robot):
    """The robot without gravity; always the same object, as compiled kernels are stored with it."""
    return robot.with_gravity((0.0, 0.0, 0.0))


def require_directions(contact):
    """The contact itself, if it has directions along which a velocity can be wrong."""
    if not isinstance(contact, Contact):
        found = type(contact).__name__
        raise ArgumentError(f"contact: expected a px.Contact with directions, found {found}")
    return contact
