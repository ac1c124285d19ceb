"""One link of a long chain, all of whose numbers are inputs.

Body frames have the joint's axis along z. The frame of a body may still turn about its own axis,
and is turned so that the seat of the next joint is a mere twist about x: two elementary rotations,
twist and joint, then take the place of a general one. Symbols: docs/concepts/notation.md.
"""

from typing import NamedTuple

from ...robots.model import BodyInertia
from ...scalar import cos, sin
from ...spatial import AxisRotation, Spatial, Symmetric, Transform, Turn, Vector, cross

NUMBERS = 17  # cos and sin of the twist, zero angle, origin, mass, moment, inertia, rotor
REVOLUTE, PRISMATIC, MIXED = "revolute", "prismatic", "mixed"


class Link(NamedTuple):
    """A body and the joint that carries it."""

    twist: AxisRotation
    zero: object  # what the joint's angle is at q = 0
    origin: Vector  # of the body's frame, in its parent's
    inertia: BodyInertia
    rotor: object
    turns: object  # 1 if the joint is revolute, else 0
    slides: object

    @classmethod
    def of(cls, numbers, kinds=REVOLUTE):
        """From its numbers; where kinds are mixed, one more number says how it `turns`."""
        turns = {REVOLUTE: 1.0, PRISMATIC: 0.0}.get(kinds)
        if turns is None:
            *numbers, turns = numbers
        cosine, sine, zero, x, y, z, mass, hx, hy, hz, *inertia, rotor = numbers
        body = BodyInertia.about_frame(mass, Vector(hx, hy, hz), Symmetric(*inertia))
        twist = AxisRotation(0, cosine, sine)
        return cls(twist, zero, Vector(x, y, z), body, rotor, turns, 1.0 - turns)

    @property
    def subspace(self):
        return Spatial(Vector(0.0, 0.0, self.turns), Vector(0.0, 0.0, self.slides))

    def angle(self, q):
        """The cosine and sine of the joint's angle."""
        angle = self.zero + q * self.turns
        return [cos(angle), sin(angle)]

    def transform(self, angle, q):
        """The body in its parent's frame."""
        slid = self.twist @ Vector(0.0, 0.0, q * self.slides)
        return Transform(Turn(self.twist, AxisRotation(2, *angle)), self.origin + slid)

    def spun(self, X, ω, qd):
        """The body's angular velocity, from that of its parent."""
        return X.turn.T @ ω + Vector(0.0, 0.0, qd * self.turns)

    def unspun(self, X, ω, qd):
        """The parent's angular velocity, from that of the body."""
        return X.turn @ (ω - Vector(0.0, 0.0, qd * self.turns))

    def drift(self, X, ω, qd):
        """The acceleration of the body's origin that its parent's and the joint's do not explain.

        `ω` is the parent's. Accelerations are those of points, not of 6-D motions: so nothing here
        depends on how fast anything moves, which for the far end of a long chain is very fast.
        """
        back, z = X.turn.T, Vector(0.0, 0.0, 1.0)
        carried = back @ ω
        turning, sliding = z * (qd * self.turns), z * (qd * self.slides)
        swept = back @ cross(ω, cross(ω, X.origin))
        return Spatial(cross(carried, turning), swept + cross(carried, sliding + sliding))

    def gyroscopic(self, ω):
        """The force that keeps the body spinning as it does."""
        I, h = self.inertia.about_origin, self.inertia.moment
        return Spatial(cross(ω, I @ ω), cross(ω, cross(ω, h)))
