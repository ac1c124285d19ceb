"""The geoms of a MuJoCo model as shapes.

A geom is seen if its group is one of 0, 1 and 2, which MuJoCo's viewer shows unless asked
otherwise; it collides if `contype` or `conaffinity` is not zero, or a pair names it. One that does
both becomes two shapes. Meshes have the vertices that the compiler made of their files, in the
frame of the file; a height field is a mesh of its surface.
"""

import math
import os

import numpy as np

from ...checks import quoted
from ..shape import Shape
from .compiled import pose_of

SEEN = 3  # the groups below this one are seen
DEFAULT = (0.5, 0.5, 0.5, 1.0)  # MuJoCo's colour of what has none

# MuJoCo's type -> kind, and its size from the half sizes of MuJoCo
KINDS = {
    "PLANE": ("plane", lambda x, y, _: (2 * x or math.inf, 2 * y or math.inf)),
    "SPHERE": ("sphere", lambda radius, *_: (radius,)),
    "CAPSULE": ("capsule", lambda radius, half, _: (radius, 2 * half)),
    "ELLIPSOID": ("ellipsoid", lambda *radii: radii),
    "CYLINDER": ("cylinder", lambda radius, half, _: (radius, 2 * half)),
    "BOX": ("box", lambda x, y, z: (2 * x, 2 * y, 2 * z)),
    "MESH": ("mesh", lambda *_: ()),
    "SDF": ("mesh", lambda *_: ()),
    "HFIELD": ("mesh", lambda *_: ()),
}


def purposes(model):
    """What each geom is for; nothing, if it is neither seen nor collides."""
    paired = {*model.pair_geom1.tolist(), *model.pair_geom2.tolist()}
    touching = (model.geom_contype | model.geom_conaffinity).tolist()
    return [
        ["visual"] * (group < SEEN) + ["collision"] * bool(touching[g] or g in paired)
        for g, group in enumerate(model.geom_group.tolist())
    ]


class Geoms:
    """The geoms of a compiled model, those that share a mesh with the same arrays."""

    def __init__(self, compiled):
        self.compiled, self.meshes = compiled, {}
        words = compiled.mujoco.mjtGeom
        self.kinds = {int(getattr(words, f"mjGEOM_{word}")): word for word in KINDS}

    def shapes(self, stands, faulty):
        """All shapes; `stands` has a body here, and a pose on it, of each body of MuJoCo."""
        model = self.compiled.model
        for g, served in enumerate(purposes(model)):
            own = self.compiled.bodies[model.geom_bodyid[g]]
            name = self.compiled.name_of("geom", g) or own
            with faulty.leaving_out(f"geom {g} of body {quoted(own)}"):
                word = self.kinds[int(model.geom_type[g])]
                kind, size = KINDS[word]
                body, there = stands[model.geom_bodyid[g]]
                pose = there @ pose_of(model.geom_pos[g], model.geom_quat[g])
                mesh = {}
                if word == "HFIELD":
                    mesh = self._mesh("hfield", int(model.geom_dataid[g]), self._surface)
                elif kind == "mesh":
                    k = int(model.geom_dataid[g])
                    mesh = self._mesh("mesh", k, self._vertices)
                    pose = pose @ pose_of(model.mesh_pos[k], model.mesh_quat[k]).inverse()
                numbers = tuple(size(*model.geom_size[g].tolist()))
                colour = self._colour(g)
                for purpose in served:
                    yield Shape(name, body, pose, kind, numbers, purpose, colour, **mesh)

    def _colour(self, g):
        """That of the geom, or of its material while the geom's is the default."""
        model = self.compiled.model
        own, material = tuple(model.geom_rgba[g].tolist()), int(model.geom_matid[g])
        return tuple(model.mat_rgba[material].tolist()) if own == DEFAULT and material >= 0 else own

    def _mesh(self, what, k, arrays):
        """The fields of Shape that a mesh has, made once."""
        if (what, k) not in self.meshes:
            vertices, faces = arrays(k)
            vertices, faces = vertices.astype(np.float32), faces.astype(np.int32)
            for array in (vertices, faces):
                array.setflags(write=False)  # so that shapes share them
            self.meshes[what, k] = {"vertices": vertices, "faces": faces, **self._file(what, k)}
        return self.meshes[what, k]

    def _file(self, what, k):
        """The path of the file that it came from, if there was one, and its scale."""
        model = self.compiled.model
        starts = getattr(model, f"{what}_pathadr", None)  # since MuJoCo 3.1
        if starts is None or starts[k] < 0 or what == "hfield":
            return {}
        path = bytes(model.paths[int(starts[k]) :]).split(b"\0", 1)[0].decode(errors="replace")
        path = os.path.abspath(path) if os.path.isfile(path) else path
        return {"path": path, "scale": tuple(model.mesh_scale[k].tolist())}

    def _vertices(self, k):
        """Of a mesh, in the frame of its file: MuJoCo has them along its principal axes."""
        model = self.compiled.model
        first, count = int(model.mesh_vertadr[k]), int(model.mesh_vertnum[k])
        back = pose_of(model.mesh_pos[k], model.mesh_quat[k])
        vertices = model.mesh_vert[first : first + count] @ np.array(back.rotation).T
        first, count = int(model.mesh_faceadr[k]), int(model.mesh_facenum[k])
        return vertices + back.translation, model.mesh_face[first : first + count]

    def _surface(self, k):
        """Of a height field: two triangles per cell."""
        model = self.compiled.model
        rows, columns = int(model.hfield_nrow[k]), int(model.hfield_ncol[k])
        x, y, top, _ = model.hfield_size[k]
        first = int(model.hfield_adr[k])
        heights = top * model.hfield_data[first : first + rows * columns]
        across, along = np.meshgrid(np.linspace(-x, x, columns), np.linspace(-y, y, rows))
        corners = np.arange(rows * columns).reshape(rows, columns)
        a, b, c, d = corners[:-1, :-1], corners[:-1, 1:], corners[1:, 1:], corners[1:, :-1]
        faces = np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 3)
        return np.stack([across.ravel(), along.ravel(), heights], axis=-1), faces
