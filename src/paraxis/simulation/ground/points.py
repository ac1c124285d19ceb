"""Points and spheres of a robot that may touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...checks import quoted
from ...errors import ArgumentError
from ...robots.joint import WORLD
from ...robots.rows import rows_of
from ...spatial import Rotation, Vector
from .scene import number, numbers


@dataclass(frozen=True)
class ContactPoint:
    """A point of a robot that may touch the ground, or a sphere around it.

    **Arguments:**

    - `frame`: the name of the frame, such as a link, that it is fixed to.
    - `position`: in that frame, m.
    - `radius`: of the sphere around it, m; 0 for a point.
    - `friction`: the coefficient of friction, instead of the ground's.

    **Example:**

    >>> point = px.simulation.ContactPoint("FL_foot", radius=0.022, friction=1.0)
    >>> point.frame, point.radius
    ('FL_foot', 0.022)
    """

    frame: str
    position: Sequence[float] = (0.0, 0.0, 0.0)
    radius: float = 0.0
    friction: float | None = None

    def __post_init__(self):
        if not isinstance(self.frame, str):
            raise ArgumentError(
                f"ContactPoint frame: expected the name of a frame, found {quoted(self.frame)}"
            )
        position = numbers(self.position, 3, "ContactPoint position")
        object.__setattr__(self, "position", position)
        radius = number(self.radius, "ContactPoint radius", least=0.0)
        object.__setattr__(self, "radius", radius)
        if self.friction is not None:
            friction = number(self.friction, "ContactPoint friction", least=0.0)
            object.__setattr__(self, "friction", friction)


@dataclass(frozen=True)
class Spot:
    """A ContactPoint as recursions see it: on a row (robots/rows.py), in its coordinates."""

    row: int
    position: tuple[float, ...]
    radius: float

    def at(self, R, p):
        """Where it is in the world, from the poses of bodies."""
        return p[self.row] + R[self.row] @ Vector(*self.position)


def spot_of(robot, point):
    """The Spot of a ContactPoint."""
    frame = robot.frame(point.frame)
    if frame.body == WORLD:
        raise ArgumentError(
            f"ContactPoint: frame {quoted(point.frame)} does not move; obstacles are part of the "
            f"scene"
        )
    rows = rows_of(robot)
    turned = Rotation(*frame.pose.rotation) @ Vector(*point.position)
    position = tuple(turned + Vector(*frame.pose.translation))
    return Spot(rows.groups[frame.body][-1], position, point.radius)
