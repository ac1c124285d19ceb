"""What a robot looks like: the shapes of its description, or a skeleton.

Meshes are read from their files, made of fewer triangles where they have too many for a page, and
become arrays of 16-bit integers. What cannot be read is left out, and a note says so.
"""

import numpy as np

from ..checks import counted, quoted
from ..errors import RobotError
from ..robots.joint import WORLD
from .meshes.files import read_mesh
from .meshes.mesh import Mesh
from .meshes.simplify import LEVELS, simplified, welded
from .packed import packed
from .part import Part
from .skeleton import inertia_boxes, skeleton

MOST_TRIANGLES = 80_000  # of all meshes of a page
MOST_SHAPES = 2_000  # of a page
MOST_NOTES = 8
ENOUGH = 1 / 3  # of the bodies: where fewer have shapes, the others are drawn as in the skeleton


class Looks:
    """`parts` of everything that may be drawn, `meshes` as the page takes them, and `notes`."""

    def __init__(self, robot, surroundings=()):
        self.parts, self.notes, self.found, self.pieces = [], [], {}, []
        self.faulty = {}
        bones = skeleton(robot)
        for purpose in ("visual", "collision"):
            shapes = [shape for shape in robot.shapes if shape.purpose == purpose]
            if len(shapes) > MOST_SHAPES:
                self.notes.append(
                    f"Of {len(shapes):,} shapes, the first {MOST_SHAPES:,} are drawn."
                )
                shapes = shapes[:MOST_SHAPES]
            if purpose == "collision" and any(part.look == "visual" for part in self.parts):
                shapes = [shape for shape in shapes if shape.kind != "mesh"]  # drawn already
            lost = [shape.body for shape in shapes if not self._add(shape, purpose)]
            drawn = {part.body for part in self.parts if part.look == purpose}
            sparse = len(drawn - {WORLD}) < ENOUGH * robot.n  # such as feet alone
            for part in bones if drawn else ():
                if part.body not in drawn and (sparse or part.body in lost):
                    self.parts.append(part.as_look(purpose))
        self.parts += [*bones, *inertia_boxes(robot)]
        self.surroundings, count = [], len(self.parts)
        for shape in surroundings:
            self._add(shape, "ground")
        self.parts, self.surroundings = self.parts[:count], self.parts[count:]
        self.meshes = self._packed()
        for reason in [*self.faulty][:MOST_NOTES]:
            self.notes.append(f"Not drawn: {reason}.")
        if len(self.faulty) > MOST_NOTES:
            self.notes.append(f"{len(self.faulty) - MOST_NOTES:,} more meshes are not drawn.")

    def _add(self, shape, look):
        """Whether the shape could be made parts of."""
        common = {"look": look, "body": shape.body, "pose": shape.pose, "colour": shape.colour}
        if shape.kind != "mesh":
            self.parts.append(Part(kind=shape.kind, size=shape.size, **common))
            return True
        try:
            pieces = self._mesh(shape)
        except RobotError as error:
            self.faulty[str(error)] = True
            return False
        for k in pieces:
            colour = shape.colour or self.pieces[k].colour
            scale = shape.scale if shape.vertices is None else (1.0, 1.0, 1.0)
            given = common | {"colour": colour, "scale": scale}
            self.parts.append(Part(kind="mesh", mesh=k, **given))
        return True

    def _mesh(self, shape):
        """The numbers of the meshes of a shape, which others may share."""
        key = shape.path if shape.vertices is None else (id(shape.vertices), id(shape.faces))
        if key not in self.found:
            try:
                self.found[key] = self._read(shape)
            except RobotError as error:
                self.found[key] = error
        if isinstance(self.found[key], RobotError):
            raise self.found[key]
        return self.found[key]

    def _read(self, shape):
        if shape.vertices is not None:
            own = [Mesh(shape.vertices, shape.faces)]
        else:
            own = _by_colour(read_mesh(shape.path))
        own = [mesh for mesh in map(welded, own) if len(mesh.faces)]
        if not own:
            raise RobotError(f"{quoted(shape.name)}: its triangles have no area")
        self.pieces += own
        return range(len(self.pieces) - len(own), len(self.pieces))

    def _packed(self):
        """All meshes; with fewer triangles where there are too many, the largest ones first."""
        counts = np.array([len(mesh.faces) for mesh in self.pieces])
        if counts.sum() > MOST_TRIANGLES:
            limit = _level(counts, MOST_TRIANGLES)
            self.pieces = [
                simplified(mesh, int(limit)) if len(mesh.faces) > limit else mesh
                for mesh in self.pieces
            ]
            left = sum(len(mesh.faces) for mesh in self.pieces)
            self.notes.append(
                f"Meshes of {counted(int(counts.sum()), 'triangle')} are drawn with {left:,}, so "
                f"that the page stays small."
            )
        return [_as_data(mesh) for mesh in self.pieces]


def _by_colour(meshes):
    """Meshes of one colour as one."""
    groups = {}
    for mesh in meshes:
        groups.setdefault(mesh.colour, []).append(mesh)
    found = []
    for colour, group in groups.items():
        starts = np.cumsum([0] + [len(mesh.vertices) for mesh in group[:-1]])
        faces = [mesh.faces + start for mesh, start in zip(group, starts, strict=True)]
        vertices = np.concatenate([mesh.vertices for mesh in group])
        found.append(Mesh(vertices, np.concatenate(faces), colour))
    return found


def _level(counts, most):
    """The number to which the largest must come down so that all are `most` together."""
    order = np.sort(counts)
    before = np.cumsum(order) - order
    after = len(order) - np.arange(len(order))
    level = (most - before) / after
    fits = np.flatnonzero(level <= order)
    return max(float(level[fits[0]]), 32.0) if len(fits) else float(order[-1])


def _as_data(mesh):
    low, high = mesh.vertices.min(0), mesh.vertices.max(0)
    span = np.where(high > low, high - low, 1.0)
    places = np.rint((mesh.vertices - low) / span * LEVELS)
    few = len(mesh.vertices) < 2**16
    return {
        "low": low.tolist(),
        "span": span.tolist(),
        "vertices": packed(places, np.uint16),
        "faces": packed(mesh.faces, np.uint16 if few else np.uint32),
    }
