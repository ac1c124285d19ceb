"""Friction of a joint: that of its bearings, and friction that depends on speed only.

The friction of bearings follows from their load, the reaction force f and moment n of the joint
(Dhanaraj's Table 3.1), in the joint's own frame: z along its axis, x and y as in `align_z`. All
friction has the direction of motion, as it is the torque that the drive must add.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

from ..errors import RobotError
from .pose import freeze


@dataclass(frozen=True, slots=True)
class JournalBearing:
    """A shaft in a sleeve, or on two supports.

    **Arguments:**

    - `coefficient`: of friction.
    - `radius`: of the shaft, m.
    - `length`: of the sleeve, or the distance between the supports, m.

    Its two ends carry (f_x/2 ∓ n_y/length, f_y/2 ± n_x/length).

    **Example:**

    >>> bearing = px.robots.JournalBearing(coefficient=0.1, radius=0.02, length=0.1)
    >>> friction = {"friction": px.robots.Friction(bearings=bearing)}
    >>> robot = px.robots.planar(1).with_drives({"joint1": friction})
    >>> px.motor_torques(robot, [0.0], [1.0], [0.0]).joint_friction  # N m
    array([0.02])
    """

    coefficient: float
    radius: float
    length: float

    def __post_init__(self):
        _not_negative(self, "coefficient", "radius")
        _positive(self, "length")


@dataclass(frozen=True, slots=True)
class LinearBearing:
    """A slide with flat faces along x and y, on two supports.

    **Arguments:**

    - `coefficient`: of friction.
    - `length`: the distance between the supports, m.

    Its ends carry what those of a journal bearing do, on the faces apart.

    **Example:**

    >>> bearing = px.robots.LinearBearing(coefficient=0.1, length=0.2)
    >>> joint = px.robots.Joint(
    ...     "slide", "prismatic", axis=(0, 1, 0), friction=px.robots.Friction(bearings=bearing)
    ... )
    >>> robot = px.Robot("slide", [joint], [px.robots.Inertia(2.0)])
    >>> px.motor_torques(robot, [0.0], [1.0], [0.0]).joint_friction  # 0.1 of the weight, N
    array([1.962])
    """

    coefficient: float
    length: float

    def __post_init__(self):
        _not_negative(self, "coefficient")
        _positive(self, "length")


@dataclass(frozen=True, slots=True)
class ThrustBearing:
    """A collar that carries the force along the axis.

    **Arguments:**

    - `coefficient`: of friction.
    - `radius`: mean radius of the collar, m.

    **Example:**

    >>> bearing = px.robots.ThrustBearing(coefficient=0.1, radius=0.05)
    >>> friction = {"friction": px.robots.Friction(bearings=bearing)}
    >>> robot = px.load("ur5").with_drives({"shoulder_pan_joint": friction})
    >>> torques = px.motor_torques(robot, np.zeros(6), [1.0, 0, 0, 0, 0, 0], np.zeros(6))
    >>> torques.joint_friction[:1]  # N m: the weight of the arm rests on the collar
    array([0.834])
    """

    coefficient: float
    radius: float

    def __post_init__(self):
        _not_negative(self, "coefficient", "radius")


Bearing = JournalBearing | LinearBearing | ThrustBearing
BEARINGS = (JournalBearing, LinearBearing, ThrustBearing)
BEARING_NAMES = {kind: kind.__name__.removesuffix("Bearing").lower() for kind in BEARINGS}


@dataclass(frozen=True, slots=True)
class Friction:
    """Friction of one joint: that of its bearings, and a part that does not depend on the load.

    **Arguments:**

    - `bearings`: a sequence of `px.robots.JournalBearing`, `ThrustBearing` and `LinearBearing`, or
      one of these.
    - `viscous`: N m s/rad, or N s/m.
    - `coulomb`: N m, or N.
    - `static`: at rest, N m or N; by default as `coulomb`.
    - `stribeck_velocity`: rad/s or m/s, at which half of static - coulomb is gone.
    - `smoothing`: rad/s or m/s; in a simulation a joint at rest creeps at up to a few times this.

    Without load: viscous·q̇ + sgn(q̇)·(coulomb + (static − coulomb) / (1 + (q̇/stribeck_velocity)²)).
    In a simulation sgn(q̇) is the smooth q̇ / √(q̇² + smoothing²), so that it has a slope at rest,
    and static − coulomb is raised by as much as lets the largest friction still be `static`.

    **Example:**

    >>> friction = px.robots.Friction(viscous=0.1, coulomb=1.0, static=1.5)
    >>> robot = px.robots.planar(1).with_drives({"joint1": {"friction": friction}})
    >>> torques = px.motor_torques(robot, [0.0], [[0.001], [1.0], [10.0]], [0.0])
    >>> torques.joint_friction[:, 0]  # N m
    array([1.495, 1.1  , 2.   ])
    """

    bearings: Sequence[Bearing] = ()
    viscous: float = 0.0
    coulomb: float = 0.0
    static: float | None = None
    stribeck_velocity: float = 0.01
    smoothing: float = 1e-3

    def __post_init__(self):
        one = not isinstance(self.bearings, tuple | list)
        bearings = (self.bearings,) if one else tuple(self.bearings)
        object.__setattr__(self, "bearings", bearings)
        for bearing in bearings:
            if not isinstance(bearing, BEARINGS):
                names = ", ".join(kind.__name__ for kind in BEARINGS)
                raise RobotError(
                    f"Friction bearings: expected {names}, found {type(bearing).__name__}"
                )
        _not_negative(self, "viscous", "coulomb")
        if self.static is None:
            object.__setattr__(self, "static", self.coulomb)
        _not_negative(self, "static")
        if self.static < self.coulomb:
            raise RobotError(
                f"Friction static: expected at least coulomb ({self.coulomb}), found {self.static}"
            )
        _positive(self, "stribeck_velocity", "smoothing")

    @property
    def numbers(self) -> tuple[float, ...]:
        """All numbers that its torque depends on, for digests."""
        values = [getattr(self, each.name) for each in fields(self)[1:]]
        values.append(float(len(self.bearings)))  # so that what follows is not taken for one
        for bearing in self.bearings:
            values.append(float(BEARINGS.index(type(bearing))))
            values += (getattr(bearing, each.name) for each in fields(bearing))
        return tuple(values)


def _not_negative(thing, *names):
    _check(thing, names, lambda value: value >= 0, "a number >= 0")


def _positive(thing, *names):
    _check(thing, names, lambda value: value > 0, "a number > 0")


def _check(thing, names, good, expected):
    freeze(thing, **dict.fromkeys(names, 1))
    for name in names:
        value = getattr(thing, name)
        if not good(value) or math.isinf(value):
            raise RobotError(f"{type(thing).__name__} {name}: expected {expected}, found {value}")


NO_FRICTION = Friction()
