"""Triangles, and the bounds within which they are read."""

from dataclasses import dataclass

import numpy as np

from ...errors import RobotError

MOST_BYTES = 64 * 2**20  # of a file, and of each that it names
MOST_TRIANGLES = 4_000_000  # of a file
MOST_PARTS = 20_000  # pieces of a file, with those that are there several times
DEEPEST = 64  # nodes within nodes


@dataclass(frozen=True, eq=False)
class Mesh:
    """`vertices` (k, 3), finite, in the unit of the file; `faces` (m, 3) of their indices;
    `colour` is red, green, blue and opacity, from 0 to 1, or None."""

    vertices: np.ndarray
    faces: np.ndarray
    colour: tuple | None = None

    def __post_init__(self):
        vertices = np.asarray(self.vertices, np.float64).reshape(-1, 3)
        faces = np.asarray(self.faces, np.int64).reshape(-1, 3)
        if len(faces) > MOST_TRIANGLES:
            raise too_many(len(faces))
        if len(faces) and not (faces.min() >= 0 and faces.max() < len(vertices)):
            raise RobotError("a triangle names a vertex that there is not")
        if not np.isfinite(vertices).all():
            raise RobotError("a vertex is not finite")
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)

    def moved(self, matrix):
        """The same under a 4x4 matrix."""
        with np.errstate(all="ignore"):
            there = self.vertices @ matrix[:3, :3].T + matrix[:3, 3]
        faces = self.faces if np.linalg.det(matrix[:3, :3]) >= 0 else self.faces[:, ::-1]
        return Mesh(there, faces, self.colour)


def fans(counts, corners):
    """Triangles of polygons: how many corners each has, and all corners, one after another."""
    counts = np.asarray(counts, np.int64)
    if (counts < 0).any() or counts.sum() > len(corners):
        raise RobotError("polygons have more corners than there are")
    triangles = np.maximum(counts - 2, 0)
    total = int(triangles.sum())
    if total > MOST_TRIANGLES:
        raise too_many(total)
    first = np.cumsum(counts) - counts
    begin = np.repeat(first, triangles)
    k = np.arange(total) - np.repeat(np.cumsum(triangles) - triangles, triangles)
    return np.asarray(corners)[np.stack([begin, begin + k + 1, begin + k + 2], -1)]


def colour_of(numbers):
    """Three or four numbers as a colour, or None if they are none."""
    found = tuple(float(x) for x in numbers)
    if len(found) == 3:
        found += (1.0,)
    good = len(found) == 4 and all(np.isfinite(found))
    return tuple(min(max(x, 0.0), 1.0) for x in found) if good else None


def too_many(count):
    return RobotError(f"it has {count:,} triangles; at most {MOST_TRIANGLES:,} are read")
