"""What a robot may touch: planes, boxes, spheres and height fields that do not move.

Each gives, for a point of the world, the signed distance to its surface (negative inside) and the
direction in which that distance grows fastest, over generic scalars and in a straight line. Lengths
are in m, coordinates those of the world.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks import quoted
from ...errors import ArgumentError
from ...robots.pose import Pose
from ...scalar import floor, less, less_equal, maximum, minimum, select, sqrt
from ...spatial import Rotation, Vector

TINY = 1e-30  # under a root, where the direction would otherwise be 0 / 0
MOST_HEIGHTS = 1024


@dataclass(frozen=True)
class Plane:
    """The half-space below a plane.

    **Arguments:**

    - `point`: any point of the plane, `(3,)`, m.
    - `normal`: points out of the ground, `(3,)`; it need not have unit length.

    **Example:**

    >>> slope = px.simulation.Plane(normal=(-0.2, 0.0, 1.0))  # rises along x
    >>> ground = px.simulation.Ground([px.simulation.ContactPoint("foot")], scene=slope)
    """

    point: Sequence[float] = (0.0, 0.0, 0.0)
    normal: Sequence[float] = (0.0, 0.0, 1.0)

    def __post_init__(self):
        _keep(self, point=numbers(self.point, 3, "Plane point"))
        _keep(self, normal=_unit(self.normal, "Plane normal"))

    @property
    def flat(self) -> tuple[float, float, float] | None:
        """The normal, if it is the same everywhere."""
        return tuple(self.normal)  # type: ignore[return-value]

    def distance(self, point: Vector) -> tuple[Any, Vector]:
        normal = Vector(*self.normal)
        return normal @ (point - Vector(*self.point)), normal


@dataclass(frozen=True)
class Sphere:
    """A ball that stands still.

    **Arguments:**

    - `centre`: in the world, `(3,)`, m.
    - `radius`: m.

    **Example:**

    >>> stone = px.simulation.Sphere(centre=(1.0, 0.0, -0.2), radius=0.3)
    >>> scene = [px.simulation.Plane(), stone]  # 10 cm of it stick out
    >>> ground = px.simulation.Ground([px.simulation.ContactPoint("foot")], scene=scene)
    """

    centre: Sequence[float]
    radius: float

    flat = None

    def __post_init__(self):
        _keep(self, centre=numbers(self.centre, 3, "Sphere centre"))
        _keep(self, radius=number(self.radius, "Sphere radius", above=0.0))

    def distance(self, point: Vector) -> tuple[Any, Vector]:
        way = point - Vector(*self.centre)
        length, normal = length_and_direction(way)
        return length - self.radius, normal


@dataclass(frozen=True)
class Box:
    """A box that stands still.

    **Arguments:**

    - `size`: its lengths along its own axes, `(3,)`, m.
    - `pose`: of its centre in the world, a `px.robots.Pose` or a 4x4 matrix.

    Outside, the distance is the Euclidean one, so that edges and corners are round for spheres;
    inside, it is that to the nearest face.

    **Example:**

    >>> step = px.simulation.Box((1.0, 1.0, 0.2), px.robots.Pose(translation=(1.0, 0.0, 0.1)))
    >>> scene = [px.simulation.Plane(), step]  # a floor with a step on it
    >>> ground = px.simulation.Ground([px.simulation.ContactPoint("foot")], scene=scene)
    """

    size: Sequence[float]
    pose: Pose | ArrayLike = Pose()

    flat = None

    def __post_init__(self):
        size = numbers(self.size, 3, "Box size")
        if min(size) <= 0.0:
            raise ArgumentError(f"Box size: expected numbers > 0, found {size}")
        _keep(self, size=size)
        pose = self.pose if isinstance(self.pose, Pose) else Pose.from_matrix(self.pose, "Box pose")
        _keep(self, pose=pose)

    def distance(self, point: Vector) -> tuple[Any, Vector]:
        turn = Rotation(*self.pose.rotation)  # type: ignore[union-attr]
        way = turn.T @ (point - Vector(*self.pose.translation))  # type: ignore[union-attr]
        over = [abs(x) - 0.5 * length for x, length in zip(way, self.size, strict=True)]
        sides = [select(less(x, 0.0), -1.0, 1.0) for x in way]
        out = Vector(*(maximum(x, 0.0) for x in over))
        length, direction = length_and_direction(out)
        deepest = maximum(maximum(over[0], over[1]), over[2])
        inside = less(deepest, 0.0)
        nearest = _first(less_equal(deepest, x) for x in over)
        own = [
            side * select(inside, one, x)
            for side, one, x in zip(sides, nearest, direction, strict=True)
        ]
        return select(inside, deepest, length), turn @ Vector(*own)


@dataclass(frozen=True)
class HeightField:
    """Ground whose height is given on a grid, bilinear between.

    **Arguments:**

    - `heights`: `(nx, ny)` heights in m; entry (i, j) is at `origin` + (i, j) * `spacing`.
    - `spacing`: between grid points along x and y, a number or two.
    - `origin`: x and y of the first grid point.

    Beyond the grid, heights continue from its edge. The distance is the height above the surface
    times the cosine of the slope: right to first order near the surface, which is where contacts
    are. A sphere touches the surface only below its centre, so use spacings larger than radii.

    **Example:**

    >>> x, y = np.meshgrid(np.arange(0, 3, 0.1), np.arange(0, 3, 0.1), indexing="ij")
    >>> hills = px.simulation.HeightField(0.1 * np.sin(3 * x) * np.cos(3 * y), spacing=0.1)
    >>> ground = px.simulation.Ground([px.simulation.ContactPoint("foot")], scene=hills)
    """

    heights: ArrayLike
    spacing: float | Sequence[float]
    origin: Sequence[float] = (0.0, 0.0)

    flat = None

    def __post_init__(self):
        try:
            heights = np.array(self.heights, float)
        except (TypeError, ValueError):
            raise ArgumentError("HeightField heights: expected an array of numbers") from None
        if heights.ndim != 2 or min(heights.shape) < 2 or not np.isfinite(heights).all():
            raise ArgumentError(
                f"HeightField heights: expected finite numbers of shape (nx, ny), both at least "
                f"2, found shape {heights.shape}"
            )
        if heights.size > MOST_HEIGHTS:
            raise ArgumentError(
                f"HeightField heights: expected at most {MOST_HEIGHTS:,} numbers, as they become "
                f"part of the code, found {heights.size:,}"
            )
        both = (self.spacing,) * 2 if np.ndim(self.spacing) == 0 else self.spacing
        spacing = numbers(both, 2, "HeightField spacing")
        if min(spacing) <= 0.0:
            raise ArgumentError(f"HeightField spacing: expected numbers > 0, found {spacing}")
        rows = tuple(tuple(row) for row in heights.tolist())
        _keep(self, heights=rows, spacing=spacing)
        _keep(self, origin=numbers(self.origin, 2, "HeightField origin"))

    def distance(self, point: Vector) -> tuple[Any, Vector]:
        rows: Any = self.heights
        (dx, dy), (x0, y0) = self.spacing, self.origin  # type: ignore[misc]
        i, x = _cell((point.x - x0) / dx, len(rows))
        j, y = _cell((point.y - y0) / dy, len(rows[0]))
        low, high = [_at(row[:-1], j) for row in rows], [_at(row[1:], j) for row in rows]
        a, b = _at(low[:-1], i), _at(low[1:], i)  # the corners (0, 0) and (1, 0) of the cell
        c, d = _at(high[:-1], i), _at(high[1:], i)  # (0, 1) and (1, 1)
        slope_x = ((b - a) * (1.0 - y) + (d - c) * y) / dx
        slope_y = ((c - a) * (1.0 - x) + (d - b) * x) / dy
        height = (a * (1.0 - x) + b * x) * (1.0 - y) + (c * (1.0 - x) + d * x) * y
        scale = 1.0 / sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
        return (point.z - height) * scale, Vector(-slope_x * scale, -slope_y * scale, scale)


def nearest(pieces, point):
    """The distance to the nearest of several pieces, and its normal."""
    gap, normal = pieces[0].distance(point)
    for piece in pieces[1:]:
        other, direction = piece.distance(point)
        closer = less(other, gap)
        gap = select(closer, other, gap)
        pairs = zip(direction, normal, strict=True)
        normal = Vector(*(select(closer, a, b) for a, b in pairs))
    return gap, normal


def length_and_direction(way):
    """|way|, and the unit vector along it: up where there is none."""
    square = way @ way
    none = less(square, TINY)
    length = sqrt(select(none, 1.0, square))
    scale = select(none, 0.0, 1.0 / length)
    up = select(none, 1.0, 0.0)
    direction = Vector(way.x * scale, way.y * scale, way.z * scale + up)
    return select(none, 0.0, length), direction


def _cell(x, count):
    """The number of the cell, within the grid, and how far along it x is, in [0, 1]."""
    x = minimum(maximum(x, 0.0), count - 1.0)
    i = minimum(floor(x), count - 2.0)
    return i, x - i


def _at(values, i):
    """values[i] for a traced i: by halves, so that the depth is logarithmic."""
    values = list(values)

    def between(first, end):
        if end - first == 1:
            return values[first]
        middle = (first + end) // 2
        return select(less(i, float(middle)), between(first, middle), between(middle, end))

    return between(0, len(values))


def _first(conditions):
    """1.0 for the first condition that holds, 0.0 for others."""
    free, chosen = 1.0, []
    for condition in conditions:
        chosen.append(select(condition, free, 0.0))
        free = select(condition, 0.0, free)
    return chosen


# -- checks ------------------------------------------------------------------------------------


def _keep(thing, **values):
    for name, value in values.items():
        object.__setattr__(thing, name, value)


def number(value, what, least=-math.inf, above=-math.inf, most=math.inf):
    """A finite float within bounds."""
    try:
        good = not isinstance(value, bool | str) and math.isfinite(value)
        good = good and least <= value <= most and value > above
    except (TypeError, ValueError):
        good = False
    if not good:
        bounds = f" > {above:g}" if above > -math.inf else ""
        bounds = f" >= {least:g}" if least > -math.inf else bounds
        bounds += f" and <= {most:g}" if most < math.inf else ""
        raise ArgumentError(f"{what}: expected a number{bounds}, found {quoted(value)}")
    return float(value)


def numbers(values, count, what):
    """A tuple of so many finite floats."""
    try:
        listed = tuple(values)
    except TypeError:
        listed = ()
    if len(listed) != count:
        raise ArgumentError(f"{what}: expected {count} numbers, found {quoted(values)}")
    return tuple(number(value, what) for value in listed)


def _unit(values, what):
    vector = numbers(values, 3, what)
    length = math.hypot(*vector)
    if length < 1e-12:
        raise ArgumentError(f"{what}: expected a direction, found {vector}")
    return tuple(x / length for x in vector)
