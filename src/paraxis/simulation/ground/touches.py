"""Where the candidates for contact are in a state: their gaps, axes and arms.

A candidate is a point against the nearest piece of the scene, or two points against each other. Its
axes are its normal, from the obstacle to the robot (from the second point to the first), and two
tangents; an arm leads from the origin of a body's frame to where the contact is. World coordinates.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from ...scalar import less, minimum, select
from ...spatial import Matrix, Vector, cross
from .points import Spot
from .scene import length_and_direction, nearest


class Touch(NamedTuple):
    gap: Any
    axes: Matrix  # rows: normal, first and second tangent
    arms: list  # of each use of a body


class Use(NamedTuple):
    """A body's part in a contact."""

    row: int
    sign: float  # -1 for the second of two


@dataclass(frozen=True)
class AgainstScene:
    spot: Spot
    pieces: tuple

    @property
    def uses(self):
        return [Use(self.spot.row, 1.0)]

    @property
    def axes(self):
        """If they are the same in all states, else None."""
        flat = self.pieces[0].flat if len(self.pieces) == 1 else None
        return axes_of(Vector(*flat)) if flat else None

    def touch(self, R, p, midway):
        centre = self.spot.at(R, p)
        distance, normal = nearest(self.pieces, centre)
        gap = distance - self.spot.radius
        reach = self.spot.radius + _half_depth(gap, midway)
        return Touch(gap, axes_of(normal), [centre - normal * reach - p[self.spot.row]])


@dataclass(frozen=True)
class Pair:
    first: Spot
    second: Spot

    axes = None

    @property
    def uses(self):
        return [Use(self.first.row, 1.0), Use(self.second.row, -1.0)]

    def touch(self, R, p, midway):
        a, b = self.first.at(R, p), self.second.at(R, p)
        distance, normal = length_and_direction(a - b)
        gap = distance - (self.first.radius + self.second.radius)
        half = _half_depth(gap, midway)
        arms = [
            a - normal * (self.first.radius + half) - p[self.first.row],
            b + normal * (self.second.radius + half) - p[self.second.row],
        ]
        return Touch(gap, axes_of(normal), arms)


def _half_depth(gap, midway):
    """Where MuJoCo has a contact: halfway between the surfaces, when they overlap."""
    return 0.5 * minimum(gap, 0.0) if midway else 0.0


def axes_of(normal):
    """The normal and two tangents, continuous but where it points straight down (Duff, 2017)."""
    x, y, z = normal
    side = select(less(z, 0.0), -1.0, 1.0)
    a = -1.0 / (side + z)
    b = x * y * a
    first = Vector(1.0 + side * x * x * a, side * b, -side * x)
    return Matrix(normal, first, Vector(b, side + y * y * a, -y))


def along_axes(axes, vector):
    return [row @ vector for row in axes]


def from_axes(axes, f):
    """The vector whose components along the axes are f."""
    a, b, c = axes
    return a * f[0] + b * f[1] + c * f[2]


def point_velocity(six, arm):
    """The velocity at an arm's end of a body that moves by (angular, linear)."""
    return Vector(*six[3:]) + cross(Vector(*six[:3]), arm)
