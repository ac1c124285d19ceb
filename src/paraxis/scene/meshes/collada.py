"""Collada (.dae): triangles and polygons of its scene, and the diffuse colours of its materials.

As in ROS, lengths are scaled to metres, and the up axis that a file names does not matter.
"""

import math
from xml.parsers import expat

import numpy as np

from ...errors import RobotError
from .mesh import DEEPEST, MOST_PARTS, Mesh, colour_of, fans

MOST_ELEMENTS = 400_000
WITH_TEXT = {"float_array", "p", "vcount", "color", "matrix", "translate", "rotate", "scale"}
CHUNK = 2**18


class Element:
    """A tag without its namespace, its attributes, its children, and its text if it has numbers."""

    __slots__ = ("attributes", "children", "tag", "text")

    def __init__(self, tag, attributes):
        self.tag, self.attributes, self.children, self.text = tag, attributes, [], []

    def all(self, *path):
        """The elements at the end of a path of tags."""
        found = [self]
        for tag in path:
            found = [child for each in found for child in each.children if child.tag == tag]
        return found

    def first(self, *path):
        return next(iter(self.all(*path)), None)

    def numbers(self):
        try:
            return np.array("".join(self.text).split(), float)
        except ValueError:
            raise RobotError(f"<{self.tag[:40]}> has a word that is no number") from None


def read_collada(data, files):
    """A mesh for each piece of each geometry in the scene."""
    root = _parsed(data)
    if root is None or root.tag != "COLLADA":
        raise RobotError("expected a <COLLADA> document")
    return _Scene(root).meshes()


def _parsed(data):
    """The document as Elements; without document types, so that there are no entities."""
    parser, path, roots, count = expat.ParserCreate(intern=None), [], [], 0

    def refuse(*_):
        raise RobotError("a document type (<!DOCTYPE>) is not allowed, as entities grow")

    def start(name, attributes):
        nonlocal count
        count += 1
        if count > MOST_ELEMENTS or len(path) >= 2 * DEEPEST:
            raise RobotError(
                f"it has more than {MOST_ELEMENTS:,} elements, or is nested too deeply"
            )
        element = Element(name.rpartition(":")[2], attributes)
        (path[-1].children if path else roots).append(element)
        path.append(element)

    def text(words):
        if path and path[-1].tag in WITH_TEXT:
            path[-1].text.append(words)

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = start, lambda _: path.pop()
    parser.CharacterDataHandler, parser.buffer_text = text, True
    try:
        for begin in range(0, len(data), CHUNK):
            parser.Parse(data[begin : begin + CHUNK], False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        words = expat.ErrorString(error.code)
        raise RobotError(f"XML: invalid at line {error.lineno}: {words}") from None
    except (ValueError, LookupError) as error:
        if isinstance(error, RobotError):
            raise
        raise RobotError("XML: the text cannot be decoded") from None
    return roots[0] if roots else None


class _Scene:
    def __init__(self, root):
        self.root, self.found = root, []
        unit = root.first("asset", "unit")
        self.unit = _number(unit.attributes.get("meter", "1")) if unit is not None else 1.0
        self.geometries = _by_id(root.all("library_geometries", "geometry"))
        self.nodes = _by_id(root.all("library_nodes", "node"))
        self.colours = self._colours()
        self.pieces = {}

    def _colours(self):
        """The diffuse colour of each material."""
        effects = {}
        for name, effect in _by_id(self.root.all("library_effects", "effect")).items():
            for kind in ("phong", "lambert", "blinn"):
                colour = effect.first("profile_COMMON", "technique", kind, "diffuse", "color")
                if colour is not None:
                    effects[name] = colour_of(colour.numbers())
        found = {}
        for name, material in _by_id(self.root.all("library_materials", "material")).items():
            effect = material.first("instance_effect")
            if effect is not None:
                found[name] = effects.get(_reference(effect))
        return found

    def meshes(self):
        start = np.diag([self.unit, self.unit, self.unit, 1.0])
        scenes = _by_id(self.root.all("library_visual_scenes", "visual_scene"))
        named = self.root.first("scene", "instance_visual_scene")
        scene = scenes.get(_reference(named)) if named is not None else None
        scene = scene or next(iter(scenes.values()), None)
        if scene is None:  # only geometry
            for name in self.geometries:
                self._add(name, start, {})
            return self.found
        for node in scene.all("node"):
            self._node(node, start, 0)
        return self.found

    def _node(self, node, there, depth):
        if depth > DEEPEST:
            raise RobotError(f"its nodes are more than {DEEPEST} deep, or contain themselves")
        for child in node.children:
            if child.tag in TURNS:
                there = there @ TURNS[child.tag](child.numbers())
        for child in node.children:
            if child.tag == "instance_geometry":
                bound = {}
                for each in child.all("bind_material", "technique_common", "instance_material"):
                    target = each.attributes.get("target", "").removeprefix("#")
                    bound[each.attributes.get("symbol", "")] = self.colours.get(target)
                self._add(_reference(child), there, bound)
            elif child.tag == "node":
                self._node(child, there, depth + 1)
            elif child.tag == "instance_node" and _reference(child) in self.nodes:
                self._node(self.nodes[_reference(child)], there, depth + 1)

    def _add(self, name, there, bound):
        if name not in self.pieces:
            self.pieces[name] = [*_pieces(self.geometries.get(name))]
        for mesh, symbol in self.pieces[name]:
            if len(self.found) >= MOST_PARTS:
                raise RobotError(f"it has more than {MOST_PARTS:,} pieces")
            colour = bound.get(symbol) or self.colours.get(symbol)
            self.found.append(Mesh(mesh.vertices, mesh.faces, colour).moved(there))


def _pieces(geometry):
    """(mesh, the symbol of its material) of a geometry."""
    mesh = None if geometry is None else geometry.first("mesh")
    if mesh is None:
        return
    sources = _by_id(mesh.all("source"))
    vertices = _by_id(mesh.all("vertices"))
    for piece in mesh.children:
        if piece.tag not in ("triangles", "polylist", "polygons"):
            continue
        inputs = piece.all("input")
        offsets = [int(_number(each.attributes.get("offset", "0"))) for each in inputs]
        own = [k for k, each in enumerate(inputs) if each.attributes.get("semantic") == "VERTEX"]
        if not own or not 0 <= min(offsets) <= max(offsets) < 64:
            raise RobotError(f"<{piece.tag}> has no vertices")
        stride, offset = max(offsets) + 1, offsets[own[0]]
        points = _points(sources, vertices.get(_reference(inputs[own[0]], "source")))
        listed = [each.numbers().astype(np.int64) for each in piece.all("p")]
        corners = np.concatenate(listed or [np.zeros(0, np.int64)])[offset::stride]
        if piece.tag == "triangles":
            faces = corners[: len(corners) // 3 * 3].reshape(-1, 3)
        elif piece.tag == "polylist":
            counts = piece.first("vcount")
            faces = fans([] if counts is None else counts.numbers().astype(np.int64), corners)
        else:
            faces = fans([len(each) // stride for each in listed], corners)
        yield Mesh(points, faces), piece.attributes.get("material", "")


def _points(sources, vertices):
    """The positions that <vertices> names."""
    for each in [] if vertices is None else vertices.all("input"):
        source = sources.get(_reference(each, "source"))
        if each.attributes.get("semantic") == "POSITION" and source is not None:
            array = source.first("float_array")
            numbers = np.zeros(0) if array is None else array.numbers()
            accessor = source.first("technique_common", "accessor")
            stride = 3
            if accessor is not None:
                stride = int(_number(accessor.attributes.get("stride", "3")))
            if stride < 3 or len(numbers) % stride:
                raise RobotError("positions do not have three numbers each")
            return numbers.reshape(-1, stride)[:, :3]
    raise RobotError("a geometry has no positions")


def _by_id(elements):
    return {each.attributes.get("id", ""): each for each in elements}


def _reference(element, name="url"):
    return element.attributes.get(name, "").removeprefix("#")


def _number(word):
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise RobotError("an attribute is no number")
    return value


def _sized(count):
    def decorate(make):
        def made(numbers):
            if len(numbers) != count:
                raise RobotError(f"expected {count} numbers in a transform, found {len(numbers)}")
            return make(numbers)

        return made

    return decorate


@_sized(3)
def _translation(numbers):
    found = np.eye(4)
    found[:3, 3] = numbers
    return found


@_sized(4)
def _rotation(numbers):
    axis, angle = numbers[:3], math.radians(numbers[3])
    length = np.linalg.norm(axis)
    found = np.eye(4)
    if length > 0:
        x, y, z = axis / length
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        found[:3, :3] += math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
    return found


TURNS = {
    "matrix": _sized(16)(lambda numbers: numbers.reshape(4, 4)),
    "translate": _translation,
    "rotate": _rotation,
    "scale": _sized(3)(lambda numbers: np.diag([*numbers, 1.0])),
}
