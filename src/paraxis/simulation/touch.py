"""Contacts and loops of simulated robots: the motion they allow, their forces, and their drift."""

from functools import partial

from .. import api
from ..body import Body
from ..dynamics.contacts.dynamics import (
    check_fixed_base,
    checked_contacts,
    contact_arrays,
    contact_frames,
    graph_inputs,
    spliced,
)
from ..dynamics.contacts.impact import require_directions
from ..errors import ArgumentError
from ..graph.trace import trace
from ..robots.rows import rows_of
from .drift import drift, of_places, require_closed, require_staying
from .losses import Losses
from .steps import IMPLICIT


class Touch:
    """The contacts of the robots of a run, all of which stay where they are, or slide, and the
    loops of the robot."""

    def __init__(self, robot, contact, method, parameters, target):
        self.robot, self.parameters, self.target = robot, parameters, target
        contact = () if contact is None else contact
        self._several = isinstance(contact, list | tuple)
        self.contacts = checked_contacts(contact if self._several else [contact], robot)
        check_fixed_base(tuple(parameters))
        for each in self.contacts:
            if "acceleration" in require_directions(each).data:
                raise ArgumentError(
                    "contact: a simulated contact must stay where it is, but this one has an "
                    "acceleration"
                )
        self._losses = None
        if robot.has_losses:
            require_explicit(robot, method)
            self._losses = Losses(robot, parameters)

    def hold(self, q, qd):
        """Let contacts hold robots where they begin to move, in states q and qd."""
        if self.robot.loops:
            require_closed(self.robot, q, qd, self.parameters, self.target)
        places, held = of_places(self.parameters), []
        self._anchors = []
        for contact in self.contacts:
            require_staying(self.robot, contact, q, qd, self.parameters, self.target)
            home = api.forward_kinematics(self.robot, q, contact.frame, **places)
            self._anchors.append(contact.data.get("anchor", home))
            # Directions that turn with the frame need not keep it anywhere: a blade glides.
            if "stabilisation" in contact.data and contact.coordinates == "world":
                contact = contact.with_data({"anchor": home} | contact.data)
            held.append(contact)
        self.contacts = tuple(held)

    # -- over traced scalars ---------------------------------------------------------------------

    @property
    def arrays(self):
        """What contacts take, by names of inputs."""
        arrays = contact_arrays(self.contacts)
        return {name: self.target.put(array) for name, array in arrays.items()}

    @property
    def shapes(self):
        shapes = graph_inputs(self.robot, self.contacts)
        return {name: shapes[name] for name in self.arrays}

    @property
    def identity(self):
        """What decides the equations; the numbers of a state do not."""
        return self.robot, self.contacts, contact_frames(self.robot, self.contacts)

    def motion(self, q, qd, motor, given, beside=None):
        """The ConstrainedMotion under torques of motors; `given` has parameters and `arrays`.

        `beside`: torques at the joints that pass no transmission, as those of stops.
        """
        if self._losses is None:
            tau = [
                torque * ratio
                for torque, ratio in zip(motor, rows_of(self.robot).ratios, strict=True)
            ]
        else:
            tau, _ = self._losses.net_torques(qd, motor, [0.0] * self.robot.nv)
        if beside is not None:
            tau = [a + b for a, b in zip(tau, beside, strict=True)]
        state = {"q": q, "qd": qd, "tau": tau}
        names = tuple(self.parameters)
        return spliced(self.robot, self.contacts, given | state, names, stabilised=True)

    # -- over arrays -----------------------------------------------------------------------------

    def kernel(self, outputs, step):
        """Parts of the ConstrainedMotion in states, at times t where the step has a law."""
        inputs = step.state_shapes | ({"t": ()} if step.law else {})
        run = partial(_parts_of_motion, step, outputs)
        return self.target.map(Body(trace, run, inputs, "simulated_contact"))

    @property
    def forces(self):
        """The parts of the ConstrainedMotion that a Run has, or that are checked after it."""
        of_contacts, of_loops = ("force", "rank"), ("loop_force",)
        return (of_contacts if self.contacts else ()) + (of_loops if self.robot.loops else ())

    @property
    def unknowns(self):
        return sum(contact.unknowns for contact in self.contacts)

    def drift(self, q, qd):
        anchors = map(self.target.put, self._anchors)
        return drift(self.robot, self.contacts, anchors, q, qd, self.parameters, self.target)

    def as_given(self, force):
        """Forces (..., k, 6), without their axis of contacts where only one was given."""
        return force if self._several else self.target.arrays.ascontiguousarray(force[..., 0, :])


def _parts_of_motion(step, outputs, q, qd, t=0.0, **given):
    motion = step.touch.motion(q, qd, step.torques(given)(t, q, qd), given)
    return {name: getattr(motion, name) for name in outputs}


def require_explicit(robot, method):
    """Raise where friction of joints would have to be balanced together with the contact."""
    if robot.has_bearings:
        raise ArgumentError(
            f"robot {robot.name!r} has bearings, whose friction would depend on the forces of "
            f"contacts and loops; simulating both together is not supported"
        )
    if method in IMPLICIT:
        raise ArgumentError(
            f"method {method!r} cannot simulate a robot in contact, or with closed loops, whose "
            f"joints have friction; use 'rk4' or 'adaptive'"
        )
