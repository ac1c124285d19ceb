"""Mesh files: which reader takes which, and what they may open.

A mesh may name further files (materials, buffers). They are read only where they are in the folder
of the mesh or below, and only if they are plain files.
"""

import os
import stat

from ...checks import quoted
from ...errors import RobotError
from ...robots.text import naming
from .collada import read_collada
from .gltf import read_gltf
from .mesh import MOST_BYTES, MOST_TRIANGLES, too_many
from .obj import read_obj
from .stl import read_stl

READERS = {
    ".stl": read_stl,
    ".obj": read_obj,
    ".dae": read_collada,
    ".gltf": read_gltf,
    ".glb": read_gltf,
}


def read_mesh(path):
    """The meshes of a file, in its unit and frame; `px.RobotError` if it is none."""
    with naming(quoted(os.path.basename(path), most=100)):
        reader = READERS.get(os.path.splitext(path)[1].lower())
        if reader is None:
            raise RobotError(f"expected a mesh file ({', '.join(READERS)})")
        found = reader(_contents(path), Beside(path))
        total = sum(len(mesh.faces) for mesh in found)
        if total > MOST_TRIANGLES:
            raise too_many(total)
        if not total:
            raise RobotError("it has no triangles")
        return [mesh for mesh in found if len(mesh.faces)]


class Beside:
    """The files that a mesh file may name."""

    def __init__(self, path):
        self.folder = os.path.realpath(os.path.dirname(os.path.abspath(path)))
        self.left = 8  # so that a file cannot name thousands of large ones

    def beside(self, name):
        """The bytes of a file in this folder or below, or None."""
        self.left -= 1
        if self.left < 0 or "\0" in name or len(name) > 1000:
            return None
        path = os.path.realpath(os.path.join(self.folder, name))
        try:
            if os.path.commonpath([path, self.folder]) != self.folder:
                return None
            return _contents(path)
        except (RobotError, ValueError):
            return None


def _contents(path):
    """The bytes of a plain file of a size that is allowed."""
    try:
        with open(path, "rb", opener=_plain) as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise RobotError("there is no such file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no plain file"
        raise RobotError(f"it cannot be read: {reason}") from None
    if len(data) > MOST_BYTES:
        raise RobotError(f"it has more than {MOST_BYTES // 2**20} MB")
    return data


def _plain(path, flags):
    """Open without waiting for whoever is at the other end of a pipe."""
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise ValueError(path)
    return handle
