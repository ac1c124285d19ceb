"""The parts of a robot as triangles: one mesh for each body and colour, in the body's frame."""

from dataclasses import dataclass

import numpy as np

from ..robots.joint import WORLD
from ..scene.looks import Looks
from ..scene.meshes.simplify import simplified

CLOSE = (24, 6)  # sides of what is round; rings from a pole to the middle
CROWD = (8, 1)  # the same for robots in a crowd
CROWD_FACES = 300  # of a mesh in a crowd, about
PLAIN = (0.62, 0.66, 0.71, 1.0)  # of shapes without a colour
FOOT = (0.32, 0.35, 0.40, 1.0)
# Okabe and Ito's, without the yellow that is lost on white: colours of joints
HUES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a6fd0")
FAR = 20.0  # m: what an endless plane is drawn as
SHOWN = ("visual", "collision", "skeleton")  # the first of these that there is


@dataclass(frozen=True, eq=False)
class Solid:
    """`body` counts from 0, the one that carries the root joints; `colour` is from 0 to 255."""

    body: int
    colour: tuple
    vertices: np.ndarray
    faces: np.ndarray


def solids_of(robot):
    """(the solids of a robot, the same of fewer triangles, notes about what is not drawn)."""
    looks = Looks(robot)
    few = [simplified(mesh, CROWD_FACES) for mesh in looks.pieces]
    close, crowd = _solids(looks, looks.pieces, CLOSE), _solids(looks, few, CROWD)
    return close, crowd, looks.notes


def _solids(looks, meshes, fine):
    there = {part.look for part in looks.parts}
    look = next(each for each in SHOWN if each in there)
    groups = {}
    for part in looks.parts:
        if part.look == look:
            vertices, faces = _of_part(part, meshes, fine)
            groups.setdefault((part.body - WORLD, _colour(part)), []).append((vertices, faces))
    solids = []
    for (body, colour), pieces in groups.items():
        starts = np.cumsum([0] + [len(vertices) for vertices, _ in pieces[:-1]])
        vertices = np.concatenate([vertices for vertices, _ in pieces]).astype(np.float32)
        faces = [faces + start for (_, faces), start in zip(pieces, starts, strict=True)]
        solids.append(Solid(body, colour, vertices, np.concatenate(faces).astype(np.uint32)))
    return solids


def _of_part(part, meshes, fine):
    vertices, faces = _geometry(part, meshes, *fine)
    scale = np.array(part.scale, float)
    if scale.prod() < 0:
        faces = faces[:, ::-1]
    rotation, shift = np.array(part.pose.rotation), np.array(part.pose.translation)
    return (vertices * scale) @ rotation.T + shift, faces


def _colour(part):
    if part.colour is None and part.look == "skeleton" and part.joint is not None:
        hue = HUES[part.joint % len(HUES)]
        return tuple(int(hue[k : k + 2], 16) for k in (1, 3, 5))
    plain = FOOT if part.look == "skeleton" and part.body == WORLD else PLAIN
    return tuple(round(255 * x) for x in (part.colour or plain)[:3])


def _geometry(part, meshes, sides, rings):
    size = [min(x, FAR) for x in part.size]
    match part.kind:
        case "mesh":
            return meshes[part.mesh].vertices, meshes[part.mesh].faces
        case "box":
            return _box(*size)
        case "plane":
            return _box(*size, 1e-3)
        case "sphere":
            return _turned(sides, *_arc(rings, size[0], 0.0))
        case "ellipsoid":
            vertices, faces = _turned(sides, *_arc(rings, 1.0, 0.0))
            return vertices * size, faces
        case "capsule":
            return _turned(sides, *_arc(rings, *size))
        case _:  # a cylinder
            radius, half = size[0], size[1] / 2
            return _turned(sides, [0, *[radius] * 4, 0], [-half] * 3 + [half] * 3)


def _box(x, y, z):
    corners = np.indices((2, 2, 2)).reshape(3, 8).T - 0.5
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    vertices = (corners * (x, y, z))[
        np.array(sides).ravel()
    ]  # four for each side: edges stay sharp
    first = 4 * np.arange(6)[:, None, None]
    return vertices, (first + np.array([(0, 1, 2), (0, 2, 3)])).reshape(-1, 3)


def _arc(rings, radius, length):
    """Radii and heights from pole to pole of a ball that is drawn out along z."""
    angles = np.linspace(-np.pi / 2, np.pi / 2, 2 * rings + 1)
    angles = np.insert(angles, rings, 0.0)  # the middle twice, at either end of the straight part
    shift = np.repeat((-length / 2, length / 2), rings + 1)
    return radius * np.cos(angles), radius * np.sin(angles) + shift


def _turned(sides, radii, heights):
    """A curve from the bottom to the top, turned about z."""
    radii, heights = np.asarray(radii, float), np.asarray(heights, float)
    turn = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    ring = np.stack([np.cos(turn), np.sin(turn)], -1)
    vertices = np.empty((len(radii), sides, 3))
    vertices[..., :2] = radii[:, None, None] * ring
    vertices[..., 2] = heights[:, None]
    k, j = np.meshgrid(np.arange(len(radii) - 1), np.arange(sides), indexing="ij")
    a, b = k * sides + j, k * sides + (j + 1) % sides
    c, d = a + sides, b + sides
    faces = np.stack([a, b, d, a, d, c], -1).reshape(-1, 3)
    return vertices.reshape(-1, 3), faces
