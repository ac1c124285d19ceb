"""A chain's links as the papers of the time have them, each with its frame at its far end.

The frame of link i has its axes along those of body i, and its origin at joint i+1. So
both frames of a revolute joint are on its axis, and what a link adds does not depend on its angle.
"""

from ...spatial import Vector
from .wiring import Constant, Input

WORDS = {"A": 9, "rotor_torque": 1}  # the others are vectors


class Links:
    """What is constant, and what changes with the state."""

    def __init__(self, model):
        self.model = model
        origins = [Vector(*joint.placement.translation) for joint in model.robot.joints]
        self.ends = [*origins[1:], Vector(0.0, 0.0, 0.0)]  # the last link may end anywhere
        self.scopes = [self._scope(i) for i in range(model.n)]

    def _scope(self, i):
        """What the processors of link i know of it: name -> Input or Constant."""
        inertia, sliding = self.model.inertia[i], not self.model.is_revolute[i]
        known = {
            "m": inertia.mass,
            "J": inertia.about_com,
            "z": self.model.axis[i],
            "p": self.ends[i],
            "r": inertia.com - self.ends[i],
            "s": inertia.com,
        }
        scope = {name: Constant(value) for name, value in known.items()}
        moving = ["A", "rate", "twice_rate", "rise", "rate_before", "rise_before", "rotor_torque"]
        if sliding:
            moving += ["p", "s"]
        return scope | {name: Input(name, i, WORDS.get(name, 3)) for name in moving}

    def values(self, i, wanted, q, qd, qdd):
        """The inputs of link i in one state: quantity -> value, for those wanted."""
        z, slid = self.model.axis[i], self.model.axis[i] * q[i]
        A = self.model.transform(i, q).turn.matrix()  # to coordinates of the link before
        ways = {
            "A": lambda: A,
            "rate": lambda: z * qd,
            "twice_rate": lambda: z * (qd + qd),
            "rise": lambda: z * qdd,
            "rate_before": lambda: (A @ z) * qd,
            "rise_before": lambda: (A @ z) * qdd,
            "p": lambda: slid + self.ends[i],
            "s": lambda: slid + self.model.inertia[i].com,
            "rotor_torque": lambda: self.model.rotor_inertia[i] * qdd,
        }
        return {quantity: ways[quantity]() for quantity in wanted}
