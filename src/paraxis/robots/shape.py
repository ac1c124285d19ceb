"""A shape of a body, for pictures and for collision: geometry as the description has it.

Dynamics does not depend on shapes. Meshes are references to files, which nothing here opens; those
that a library has read already carry their vertices and faces.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ..checks import one_of, quoted
from ..errors import RobotError
from .pose import Pose, floats

# kind -> how many numbers its size has
SIZES = {
    "box": 3,
    "sphere": 1,
    "cylinder": 2,
    "capsule": 2,
    "ellipsoid": 3,
    "plane": 2,
    "mesh": 0,
}
PURPOSES = ("visual", "collision")


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape on a body, to be seen or to collide.

    **Arguments:**

    - `name`: any text; several shapes may have the same. Readers take that of the link or body if
      the description has none.
    - `body`: the index of the body it is on, -1 for the world.
    - `pose`: of the shape's frame in the body's frame. The frame of a mesh is that of its file; all
      other shapes have their centre at its origin.
    - `kind`: "box", "sphere", "cylinder", "capsule", "ellipsoid", "plane" or "mesh".
    - `size`: m, never halves but radii: of a box its lengths along x, y and z; of a sphere its
      radius; of a cylinder along z its radius and length; of a capsule along z its radius and the
      length between the centres of its ends; of an ellipsoid its radii along x, y and z; of a
      plane its lengths along x and y, inf where it is endless; of a mesh nothing.
    - `purpose`: "visual" or "collision". What serves both is two shapes.
    - `colour`: red, green, blue and opacity, from 0 to 1, or None.
    - `path`: of a mesh's file; as the description has it if there is no such file.
    - `scale`: of a mesh, along x, y and z: factors for the numbers of its file; negative ones
      mirror it.
    - `vertices`, `faces`: of a mesh that has no file or was read already, `(k, 3)` in m and (m, 3)
      indices of vertices, not to be scaled. They take no part in comparisons.

    **Raises:** `px.RobotError` if anything is not valid.

    **Example:**

    >>> box = px.robots.Shape("base", -1, px.robots.Pose(), "box", size=(0.4, 0.4, 0.1))
    >>> box.kind, box.size, box.purpose
    ('box', (0.4, 0.4, 0.1), 'visual')
    """

    name: str
    body: int
    pose: Pose
    kind: str
    size: Sequence[float] = ()
    purpose: str = "visual"
    colour: Sequence[float] | None = None
    path: str | None = None
    scale: Sequence[float] = (1.0, 1.0, 1.0)
    vertices: ArrayLike | None = field(default=None, compare=False, repr=False)
    faces: ArrayLike | None = field(default=None, compare=False, repr=False)

    def __post_init__(self):
        what, set_ = f"shape {quoted(self.name)}", object.__setattr__
        one_of(self.kind, SIZES, f"{what} kind", RobotError)
        one_of(self.purpose, PURPOSES, f"{what} purpose", RobotError)
        set_(self, "size", _lengths(self.size, self.kind, what))
        set_(self, "scale", floats(self.scale, 3, f"{what} scale"))
        if 0.0 in self.scale:
            raise RobotError(f"{what} scale: expected numbers other than 0, found {self.scale}")
        if self.colour is not None:
            set_(self, "colour", floats(self.colour, 4, f"{what} colour"))
        if (
            self.kind == "mesh"
            and self.path is None
            and (self.vertices is None or self.faces is None)
        ):
            raise RobotError(f"{what}: a mesh needs a path, or vertices and faces")
        if self.vertices is not None:
            set_(self, "vertices", _rows_of_three(self.vertices, np.float32, f"{what} vertices"))
        if self.faces is not None:
            set_(self, "faces", _rows_of_three(self.faces, np.int32, f"{what} faces"))


def _lengths(size, kind, what):
    """The numbers of a size; those of a plane may be infinite."""
    count, what = SIZES[kind], f"{what} size"
    if kind == "plane" and np.ndim(size) == 1:
        finite = floats(tuple(1.0 if v == math.inf else v for v in size), count, what)
        numbers = tuple(v if v == math.inf else own for v, own in zip(size, finite, strict=True))
    else:
        numbers = floats(size, count, what)
    for v in numbers:
        if not v > 0:
            raise RobotError(f"{what}: expected numbers > 0, found {v:g}")
    return numbers


def _rows_of_three(values, dtype, what):
    """An array (k, 3) that nobody writes to; itself, if it is one already."""
    try:
        array = np.asarray(values, dtype)
    except (TypeError, ValueError):
        raise RobotError(f"{what}: expected an array (k, 3), found {quoted(values)}") from None
    if array.ndim != 2 or array.shape[1] != 3 or not np.isfinite(array).all():
        raise RobotError(f"{what}: expected finite numbers of shape (k, 3), found {array.shape}")
    if array.flags.writeable:
        array = array.copy()
        array.setflags(write=False)
    return array
