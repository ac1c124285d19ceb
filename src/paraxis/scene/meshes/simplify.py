"""Fewer triangles: vertices of a grid's cells become one, where their mean is.

It costs one sort, keeps outlines within a cell, and needs no mesh to be closed. (Rossignac and
Borrel, 1993.)
"""

import numpy as np

from .mesh import Mesh

LEVELS = 65_535  # of coordinates on a page, along each axis of a mesh's box


def welded(mesh):
    """The same with vertices in one place, to 16 bits of the mesh's box, as one."""
    return _clustered(mesh, np.full(3, LEVELS))


def simplified(mesh, most):
    """At most so many triangles, unless fewer than eight would be left."""
    low, high = mesh.vertices.min(0), mesh.vertices.max(0)
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    area = float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()) / 2
    side = max((2.0 * area / most) ** 0.5, 1e-9 * float((high - low).max() or 1.0))
    for _ in range(24):
        cells = np.clip((high - low) / side, 1, LEVELS)
        found = _clustered(mesh, cells)
        if len(found.faces) <= max(most, 8):
            return found
        side *= max(1.1, (len(found.faces) / most) ** 0.5)
    return found


def _clustered(mesh, cells):
    """One vertex per cell of a grid with so many cells along each axis."""
    low, high = mesh.vertices.min(0), mesh.vertices.max(0)
    span = np.where(high > low, high - low, 1.0)
    grid = np.rint((mesh.vertices - low) / span * cells).astype(np.int64)
    key = (grid[:, 0] << 34) | (grid[:, 1] << 17) | grid[:, 2]
    _, own, count = np.unique(key, return_inverse=True, return_counts=True)
    means = np.stack([np.bincount(own, mesh.vertices[:, e]) / count for e in range(3)], -1)
    faces = own[mesh.faces]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    faces = _once(faces, means)
    used, faces = np.unique(faces, return_inverse=True)
    return Mesh(means[used], faces.reshape(-1, 3), mesh.colour)


def _once(faces, points):
    """Each triangle once. Of the two sides of what has become thin, the one that looks outward."""
    if not len(faces):
        return faces
    _, own, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    found, several = faces[own], count > 1
    a, b, c = (points[found[several, k]] for k in range(3))
    normal, out = np.cross(b - a, c - a), (a + b + c) / 3 - (points.min(0) + points.max(0)) / 2
    inward = np.flatnonzero(several)[np.vecdot(normal, out) < 0]
    found[inward] = found[inward][:, ::-1]
    return found
