"""The equations of contact, solved on Python's floats."""

from paraxis.dynamics.contacts.dynamics import TOLERANCE
from paraxis.physics.contact.constrained_dynamics import constrained_forward_dynamics
from paraxis.robots.model import Model


def on_floats(robot, q, qd, tau, contacts):
    """The recursion on Python's floats, for one state and contacts whose numbers are of one."""
    forms = [
        each.form(each.frame_of(robot), {name: array.tolist() for name, array in each.data.items()})
        for each in contacts
    ]
    state = (array.tolist() for array in (q, qd, tau))
    return constrained_forward_dynamics(Model(robot), *state, forms, TOLERANCE["float64"])
