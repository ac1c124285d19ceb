"""A joint: what may move, about which line, and how far."""

import math
from dataclasses import dataclass

from ..checks import one_of, quoted
from ..errors import RobotError
from .friction import NO_FRICTION, Friction
from .pose import Pose, floats, freeze
from .transmission import IDEAL, Transmission

WORLD = -1  # the parent index of a joint that stands on the ground
REVOLUTE = ("revolute", "continuous")
KINDS = (*REVOLUTE, "prismatic")


@dataclass(frozen=True, slots=True)
class Joint:
    """One degree of freedom between a parent body and the body the joint carries.

    `placement` is the body's frame at q = 0 in the parent body's frame; `axis` is a unit
    vector, the same in both. Limits are what the description says: inverse kinematics and
    trajectories of a robot keep to them, dynamics and simulation do not.

    `rotor_inertia` is that of a rotor without a transmission, or of a table that gives it at the
    joint. The rotor of a `transmission` is in there, about its own shaft. `reflected_inertia` is
    what the joint feels of both, and what printing a robot shows.
    """

    name: str
    kind: str
    parent: int = WORLD  # index of the parent body, which is the body of that joint
    placement: Pose = Pose()
    axis: tuple = (0.0, 0.0, 1.0)
    lower: float = -math.inf
    upper: float = math.inf
    max_velocity: float = math.inf
    max_effort: float = math.inf
    rotor_inertia: float = 0.0  # at the joint, besides the transmission's rotor
    friction: Friction = NO_FRICTION
    transmission: Transmission = IDEAL

    def __post_init__(self):
        if self.kind not in KINDS:  # first, as a chain may have a million joints
            one_of(self.kind, KINDS, f"joint {quoted(self.name)} kind", RobotError)
        freeze(self, axis=3, rotor_inertia=1)

    @property
    def is_revolute(self):
        return self.kind in REVOLUTE

    @property
    def reflected_inertia(self):
        """The inertia of all rotors as the joint feels it: adds to the diagonal of M, no more."""
        return self.rotor_inertia + self.transmission.reflected_inertia

    @property
    def has_losses(self):
        """Does its motor do more than move the robot?"""
        return self.friction != NO_FRICTION or not self.transmission.is_ideal


def checked_axis(axis, what):
    """A unit vector along `axis`, exactly so when it lies along a coordinate axis."""
    axis = floats(axis, 3, f"{what} axis")
    largest = max(abs(v) for v in axis)
    if largest == 0.0:
        raise RobotError(f"{what} axis: expected a nonzero vector, found 0 0 0")
    scaled = [v / largest for v in axis]  # so that tiny and huge axes have a finite norm
    norm = math.sqrt(sum(v * v for v in scaled))
    return tuple(v / norm + 0.0 for v in scaled)
