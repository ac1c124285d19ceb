"""Wavefront OBJ: positions, polygons, and the diffuse colours of its materials."""

import numpy as np

from ...errors import RobotError
from .mesh import MOST_TRIANGLES, Mesh, colour_of, fans, too_many


def read_obj(data, files):
    """A mesh for each material."""
    vertices, colours, groups, own = [], {}, {}, None
    corners = 0
    for line in data.decode("utf-8", "replace").splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            vertices.append(_numbers(words[1:4]))
        elif words[0] == "f":
            polygon = [_index(word, len(vertices)) for word in words[1:]]
            groups.setdefault(own, []).append(polygon)
            corners += len(polygon)
            if corners > 3 * MOST_TRIANGLES:
                raise too_many(corners)
        elif words[0] == "usemtl":
            own = " ".join(words[1:])
        elif words[0] == "mtllib":
            colours |= _materials(files.beside(line.split(None, 1)[1].strip()))
    points = np.array(vertices, float).reshape(-1, 3)
    found = []
    for name, polygons in groups.items():
        flat = [corner for polygon in polygons for corner in polygon]
        faces = fans([len(polygon) for polygon in polygons], np.array(flat, np.int64))
        found.append(Mesh(points, faces, colours.get(name)))
    return found


def _numbers(words):
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        numbers = []
    if len(numbers) != 3:
        raise RobotError("a vertex does not have three numbers")
    return numbers


def _index(word, count):
    """The index of `7/1/3`; those that are negative count from the end."""
    try:
        index = int(word.partition("/")[0])
    except ValueError:
        index = 0
    if index == 0:
        raise RobotError("a face has a corner that is no index")
    return index - 1 if index > 0 else count + index


def _materials(data):
    """The diffuse colour of each material; none where the file cannot be read."""
    found, own = {}, None
    for line in (data or b"").decode("utf-8", "replace").splitlines():
        words = line.split()
        if words[:1] == ["newmtl"]:
            own = " ".join(words[1:])
        elif words[:1] == ["Kd"] and own is not None:
            try:
                found[own] = colour_of(words[1:4])
            except ValueError:
                continue
    return found
