"""A joint: its kind, axis, placement, limits and drive."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..checks import one_of, quoted
from ..errors import RobotError
from .coupling import Coupling
from .friction import NO_FRICTION, Friction
from .pose import Pose, floats, freeze
from .spring import Spring
from .transmission import IDEAL, Transmission

WORLD = -1  # the parent index of a joint that is fixed to the world
REVOLUTE = ("revolute", "continuous")
SINGLE = (*REVOLUTE, "prismatic")
# kind -> how many numbers a position takes, and a velocity
SIZES = dict.fromkeys(SINGLE, (1, 1)) | {
    "helical": (1, 1),
    "universal": (2, 2),
    "planar": (3, 3),
    "spherical": (4, 3),
    "free": (7, 6),
    "fixed": (0, 0),
}
KINDS = tuple(SIZES)
PARALLEL = 1e-12  # 1 - cos of the angle between axes
LIMITED = (*SINGLE, "helical", "universal")  # the kinds whose positions may have limits


@dataclass(frozen=True, slots=True)
class Joint:
    """What a body may do on its parent body.

    **Arguments:**

    - `name`: of the joint.
    - `kind`: "revolute", "continuous", "prismatic", "helical", "universal", "spherical", "planar",
      "free" or "fixed". Their positions and velocities are those of
      docs/howto/models/joints.md. A robot merges the body of a fixed joint into the body that
      carries it, and keeps its frame under the joint's name.
    - `parent`: the index of the parent body, which is that of the joint carrying it; -1 for the
      world.
    - `placement`: the body's frame at q = 0 in the parent body's frame.
    - `axis`: a unit vector, the same in both frames. A universal joint turns about it first; a
      planar joint moves across it, and turns about it: its x and y are those of the frames if the
      axis is z, y and z if it is x, z and x if it is y, and close to these if it is tilted.
    - `second_axis`: of a universal joint, a unit vector in the body's frame that it turns about
      after that.
    - `pitch`: of a helical joint, how far it slides along its axis as it turns, m/rad.
    - `coupling`: a `px.robots.Coupling` if it follows another joint: then its position is no part
      of q.
    - `spring`: a `px.robots.Spring` that acts beside the motor.
    - `lower`, `upper`: position limits, rad or m; of both angles of a universal joint. Spherical,
      planar and free joints have none.
    - `max_velocity`: rad/s or m/s.
    - `max_effort`: N m or N.
    - `rotor_inertia`: as the joint feels it, kg m² or kg, besides the transmission's rotor: for a
      rotor without a transmission, or a table that gives it at the joint.
    - `friction`: a `px.robots.Friction`.
    - `transmission`: a `px.robots.Transmission`, with its own rotor inertia, about the rotor's
      shaft.

    Inverse kinematics, trajectories and simulations keep to the limits; dynamics do not.
    `reflected_inertia` is the inertia of both rotors as the joint feels it; printing a robot shows
    it.

    **Example:**

    >>> joint = px.robots.Joint("slide", "prismatic", axis=(1, 0, 0), lower=0.0, upper=0.5)
    >>> robot = px.Robot("slide", [joint], [px.robots.Inertia(2.0)])
    >>> px.mass_matrix(robot, [0.0]), robot.upper  # kg, m
    (array([[2.]]), array([0.5]))
    """

    name: str
    kind: str
    parent: int = WORLD
    placement: Pose = Pose()
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    lower: float = -math.inf
    upper: float = math.inf
    max_velocity: float = math.inf
    max_effort: float = math.inf
    rotor_inertia: float = 0.0
    friction: Friction = NO_FRICTION
    transmission: Transmission = IDEAL
    second_axis: Sequence[float] | None = None
    pitch: float = 0.0
    coupling: Coupling | None = None
    spring: Spring | None = None

    def __post_init__(self):
        if self.kind not in KINDS:  # first, as a chain may have a million joints
            one_of(self.kind, KINDS, f"joint {quoted(self.name)} kind", RobotError)
        freeze(self, axis=3, rotor_inertia=1, pitch=1)
        if self.kind not in SINGLE or self.pitch or self.second_axis is not None:
            self._check_kind()
        if self.coupling is not None and not isinstance(self.coupling, Coupling):
            found = type(self.coupling).__name__
            raise RobotError(
                f"joint {quoted(self.name)} coupling: expected a Coupling, found {found}"
            )

    def _check_kind(self):
        """Raise unless it has what its kind needs, and nothing that its kind does not have."""
        what = f"joint {quoted(self.name)}"
        if self.kind == "fixed" and self.coupling is not None:
            raise RobotError(f"{what}: a fixed joint cannot follow another")
        if self.pitch and self.kind != "helical":
            raise RobotError(f"{what}: a {self.kind} joint has no pitch; only helical joints do")
        if self.kind in ("spherical", "planar", "free") and self._is_limited():
            raise RobotError(f"{what}: positions of {self.kind} joints have no limits")
        if self.kind != "universal":
            if self.second_axis is not None:
                raise RobotError(f"{what}: only universal joints have a second_axis")
            return
        if self.second_axis is None:
            raise RobotError(f"{what}: a universal joint needs second_axis")
        second = checked_axis(self.second_axis, f"{what} second")
        object.__setattr__(self, "second_axis", second)
        first = checked_axis(self.axis, what)
        if abs(sum(a * b for a, b in zip(first, second, strict=True))) > 1.0 - PARALLEL:
            raise RobotError(f"{what}: the axes of a universal joint must not be parallel")

    def _is_limited(self):
        return (self.lower, self.upper) != (-math.inf, math.inf)

    @property
    def nq(self) -> int:
        """How many numbers its position has; none if it follows another joint."""
        return 0 if self.coupling else SIZES[self.kind][0]

    @property
    def nv(self) -> int:
        """How many degrees of freedom it has; none if it follows another joint."""
        return 0 if self.coupling else SIZES[self.kind][1]

    @property
    def is_revolute(self) -> bool:
        """Whether it turns, with or without limits, rather than slides."""
        return self.kind in REVOLUTE

    @property
    def reflected_inertia(self) -> float:
        """The inertia of all rotors as the joint feels it; it adds only to the diagonal of M."""
        return self.rotor_inertia + self.transmission.reflected_inertia

    @property
    def has_losses(self) -> bool:
        """Whether it has friction, or a transmission with losses."""
        return self.friction != NO_FRICTION or not self.transmission.is_ideal


@dataclass(frozen=True, slots=True)
class Row(Joint):
    """One degree of freedom of a joint of the kind `of`, among those of robots/rows.py.

    The `first` row has the joint's whole pose. `frame`: of a planar joint, its axes by columns.
    """

    of: str = "free"
    first: bool = False
    frame: Sequence[Sequence[float]] | None = None

    @property
    def nq(self) -> int:
        return SIZES[self.of][0] if self.first else 0


def checked_axis(axis, what):
    """A unit vector along `axis`, exact if it is along a coordinate axis."""
    axis = floats(axis, 3, f"{what} axis")
    largest = max(abs(v) for v in axis)
    if largest == 0.0:
        raise RobotError(f"{what} axis: expected a nonzero vector, found 0 0 0")
    scaled = [v / largest for v in axis]  # so that tiny and huge axes have a finite norm
    norm = math.sqrt(sum(v * v for v in scaled))
    return tuple(v / norm + 0.0 for v in scaled)
