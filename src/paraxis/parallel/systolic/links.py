"""A chain's links in the convention of the older papers, each with its frame at its far end.

The frame of link i has its axes along those of body i, and its origin at joint i+1. Both frames of
a revolute joint are thus on its axis, and the terms of a link do not depend on its angle.
"""

from ...physics.modified_newton_euler import rate_matrix
from ...physics.parts.lagrange_matrices import second_moments
from ...spatial import Vector, skew
from .wiring import Constant, Input

WORDS = {"A": 9, "spin": 9, "twice_spin": 9, "own_rate": 9, "rotor_torque": 1}  # others: vectors


class Links:
    """The constants of the links, and their inputs that change with the state."""

    def __init__(self, model):
        self.model = model
        self.origins = [Vector(*joint.placement.translation) for joint in model.robot.joints]
        self.ends = [*self.origins[1:], Vector(0.0, 0.0, 0.0)]  # the last link may end anywhere
        self.scopes = [self._scope(i) for i in range(model.n)]

    def _scope(self, i):
        """The values available to the processors of link i: name -> Input or Constant."""
        inertia, sliding = self.model.inertia[i], not self.model.is_revolute[i]
        known = {
            "m": inertia.mass,
            "J": inertia.about_com,
            "z": self.model.axis[i],
            "p": self.ends[i],
            "r": inertia.com - self.ends[i],
            "s": inertia.com,
            "o": self.origins[i],
            "c": inertia.moment,
            "K": second_moments(inertia),
            "Z": skew(self.model.axis[i]),
        }
        scope = {name: Constant(value) for name, value in known.items()}
        moving = ["A", "rate", "twice_rate", "rise", "rate_before", "rise_before", "rotor_torque"]
        moving += ["spin", "twice_spin", "own_rate"]
        if sliding:
            moving += ["p", "s", "o"]
        return scope | {name: Input(name, i, WORDS.get(name, 3)) for name in moving}

    def values(self, i, wanted, q, qd, qdd):
        """The inputs of link i in one state: quantity -> value, for the requested ones."""
        z, slid = self.model.axis[i], self.model.axis[i] * q[i]
        A = self.model.transform(i, q).turn.matrix()  # to coordinates of the previous link
        ways = {
            "A": lambda: A,
            "rate": lambda: z * qd,
            "twice_rate": lambda: z * (qd + qd),
            "rise": lambda: z * qdd,
            "rate_before": lambda: (A @ z) * qd,
            "rise_before": lambda: (A @ z) * qdd,
            "p": lambda: slid + self.ends[i],
            "s": lambda: slid + self.model.inertia[i].com,
            "spin": lambda: skew(z * qd),
            "twice_spin": lambda: skew(z * (qd + qd)),
            "own_rate": lambda: rate_matrix(z * qd, z * qdd)[0],
            "o": lambda: self.model.transform(i, q).origin,
            "rotor_torque": lambda: self.model.rotor_inertia[i] * qdd,
        }
        return {quantity: ways[quantity]() for quantity in wanted}
