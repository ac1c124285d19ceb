"""The equations of a contact for the acceleration V̇ of its frame and the robot's force F on it.

Both are 6-D, angular part first, at the frame's origin. A contact has unknowns x, as many as it has
equations. With lists of generic scalars, these are

    rows V̇ = slack x + demanded,    F = force_directions x + known_force,

where `slack` is diagonal. The prescribed accelerations, and the directions of forces, may depend on
the frame's motion. If the force directions equal the rows and there is no slack, a contact is
`symmetric`. A closed loop has the same equations for its first frame, relative to the second
(loop_motion.py).
"""

from dataclasses import dataclass

from ...robots.frame import Frame
from ...robots.loop import Loop
from ...scalar import sqrt
from ...spatial import Matrix
from ..linear.dense import dot
from ..parts.pose_error import pose_error
from .loop_motion import along


@dataclass(frozen=True)
class SplitForm:
    """Types I and II: some directions are constrained, and along the others the force is given.

    x are the constraint forces K_C. Along the motion directions the force is
    K_F = coupling K_C + force. Friction is a coupling that follows the velocity: along the first
    two motion directions, a pressure -K_C drags the environment the way the frame slides.
    """

    frame: Frame
    coordinates: str
    constraint: list  # directions of constraint forces and of prescribed accelerations
    motion: list  # directions of the forces K_F
    acceleration: list  # prescribed along the constraint directions
    force: list | None = None
    coupling: list | None = None  # by rows, one per motion direction
    friction: tuple | None = None  # coefficient, and the rate below which it fades
    stabilisation: tuple | None = None  # frequency and damping ratio
    anchor: list | None = None  # 4x4, the pose to which constraint directions return

    @property
    def symmetric(self):
        return self.coupling is None and self.friction is None

    @property
    def rows(self):
        return self.constraint

    @property
    def slack(self):
        return [0.0] * len(self.constraint)

    def demanded(self, place):
        """The acceleration along the constraint directions, which lets errors decay."""
        if self.stabilisation is None:
            return self.acceleration
        frequency, damping = self.stabilisation
        astray = [0.0] * 6 if self.anchor is None else self.astray(place.pose)
        stiffness, resistance = frequency * frequency, frequency * damping * 2.0
        return [
            demanded - resistance * dot(row, place.velocity) - stiffness * dot(row, astray)
            for demanded, row in zip(self.acceleration, self.constraint, strict=True)
        ]

    def astray(self, pose):
        turned, moved = pose_error(self.anchor, pose)
        if self.coordinates == "body":
            back = Matrix(*(row[:3] for row in pose[:3])).T
            turned, moved = back @ turned, back @ moved
        return [*turned, *moved]

    def force_directions(self, place):
        """By columns."""
        if self.symmetric:
            return self.constraint
        rows = self.coupling
        if self.friction is not None:
            rows = [[-share] for share in self._dragged(place.velocity)]
        columns = zip(*rows, strict=True)
        return [
            _sum(own, *map(_times, self.motion, column))
            for own, column in zip(self.constraint, columns, strict=True)
        ]

    def _dragged(self, velocity):
        """The forces along the first two motion directions, for a unit of pressure."""
        coefficient, smoothing = self.friction
        slip = [dot(direction, velocity) for direction in self.motion[:2]]
        scale = coefficient / sqrt(dot(slip, slip) + smoothing * smoothing)
        return [rate * scale for rate in slip] + [0.0] * (len(self.motion) - 2)

    def known_force(self):
        if self.force is None:
            return [0.0] * 6
        return _sum([0.0] * 6, *map(_times, self.motion, self.force))


@dataclass(frozen=True)
class GeneralForm:
    """Lathrop's V̇ = M1 Ω + κ1 and F = M2 Ω + κ2, where M1 is U diag(slack) Vᵀ and x is Vᵀ Ω."""

    frame: Frame
    coordinates: str
    rows: list  # Uᵀ
    slack: list
    columns: list  # of M2 V
    acceleration: list  # Uᵀ κ1
    force: list  # κ2
    symmetric = False

    def demanded(self, place):
        return self.acceleration

    def force_directions(self, place):
        return self.columns

    def known_force(self):
        return self.force


@dataclass(frozen=True)
class LoopForm:
    """A closed loop: along its directions the first frame does not accelerate, or closes an open
    loop like a damped spring."""

    loop: Loop
    stabilised: bool = False

    @property
    def rows(self):
        return along(self.loop)

    def demanded(self, place):
        """The acceleration along the directions, given the gaps in a LoopPlace."""
        if not self.stabilised:
            return [0.0] * self.loop.constraints
        frequency, damping = self.loop.stabilisation
        resistance, stiffness = 2.0 * damping * frequency, frequency * frequency
        return [
            -(resistance * dot(row, place.velocity) + stiffness * error)
            for row, error in zip(self.rows, place.error, strict=True)
        ]

    def force_directions(self, place):
        """By columns."""
        return self.rows

    def known_force(self):
        return [0.0] * 6


def _times(vector, scalar):
    return [entry * scalar for entry in vector]


def _sum(*vectors):
    return [sum(entries[1:], entries[0]) for entries in zip(*vectors, strict=True)]
