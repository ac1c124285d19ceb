"""glTF 2.0, as text or binary: triangles, and the base colours of their materials."""

import json
from base64 import b64decode

import numpy as np

from ...errors import RobotError
from .mesh import DEEPEST, MOST_BYTES, MOST_PARTS, Mesh, colour_of

MAGIC, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942
NUMBERS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
TRIANGLES, STRIP, FAN = 4, 5, 6


def read_gltf(data, files):
    """A mesh for each piece of each node of the scene."""
    try:
        return _Reader(data, files).meshes()
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        if isinstance(error, RobotError):
            raise
        raise RobotError("it is no valid glTF 2.0") from None
    except RecursionError:
        raise RobotError("its JSON is nested too deeply") from None


class _Reader:
    def __init__(self, data, files):
        self.files, self.binary = files, None
        self.json = json.loads(self._text(data))
        required = self.json.get("extensionsRequired", [])
        if required:
            raise RobotError(f"it needs extensions that are not read: {str(required)[:100]}")
        self.buffers, self.found = {}, []

    def _text(self, data):
        if len(data) < 12 or int.from_bytes(data[:4], "little") != MAGIC:
            return data.decode("utf-8", "replace")
        text, at = "", 12
        while at + 8 <= len(data):
            size, kind = (int.from_bytes(data[at + k : at + k + 4], "little") for k in (0, 4))
            chunk, at = data[at + 8 : at + 8 + size], at + 8 + size
            if kind == JSON_CHUNK:
                text = chunk.decode("utf-8", "replace")
            elif kind == BINARY_CHUNK:
                self.binary = chunk
        return text

    def meshes(self):
        scenes = self.json.get("scenes", [])
        if scenes:
            roots = scenes[self.json.get("scene", 0)].get("nodes", [])
        else:
            roots = range(len(self.json.get("nodes", [])))
        for node in roots:
            self._node(node, np.eye(4), 0)
        return self.found

    def _node(self, index, there, depth):
        if depth > DEEPEST:
            raise RobotError(f"its nodes are more than {DEEPEST} deep, or contain themselves")
        node = self.json["nodes"][_natural(index)]
        there = there @ _matrix(node)
        if "mesh" in node:
            for piece in self.json["meshes"][_natural(node["mesh"])]["primitives"]:
                if len(self.found) >= MOST_PARTS:
                    raise RobotError(f"it has more than {MOST_PARTS:,} pieces")
                mesh = self._piece(piece)
                if mesh is not None:
                    self.found.append(mesh.moved(there))
        for child in node.get("children", []):
            self._node(child, there, depth + 1)

    def _piece(self, piece):
        mode = piece.get("mode", TRIANGLES)
        if mode not in (TRIANGLES, STRIP, FAN):
            return None  # points and lines
        points = self._accessor(piece["attributes"]["POSITION"], 3).astype(float)
        corners = np.arange(len(points))
        if "indices" in piece:
            corners = self._accessor(piece["indices"], 1).ravel().astype(np.int64)
        if mode == TRIANGLES:
            faces = corners[: len(corners) // 3 * 3].reshape(-1, 3)
        elif mode == FAN:
            k = np.arange(max(len(corners) - 2, 0))
            faces = corners[np.stack([0 * k, k + 1, k + 2], -1)]
        else:
            k = np.arange(max(len(corners) - 2, 0))
            faces = corners[np.stack([k, k + 1 + k % 2, k + 2 - k % 2], -1)]
        return Mesh(points, faces, self._colour(piece))

    def _colour(self, piece):
        if "material" not in piece:
            return None
        material = self.json["materials"][_natural(piece["material"])]
        return colour_of(material.get("pbrMetallicRoughness", {}).get("baseColorFactor", (1, 1, 1)))

    def _accessor(self, index, width):
        accessor = self.json["accessors"][_natural(index)]
        if "sparse" in accessor or "bufferView" not in accessor:
            raise RobotError("it has sparse arrays, which are not read")
        view = self.json["bufferViews"][_natural(accessor["bufferView"])]
        kind = np.dtype(NUMBERS[accessor["componentType"]])
        if WIDTHS.get(accessor["type"]) != width:
            raise RobotError("it has an array of another kind than expected")
        data = self._buffer(_natural(view["buffer"]))
        begin = _natural(view.get("byteOffset", 0)) + _natural(accessor.get("byteOffset", 0))
        count, row = _natural(accessor["count"]), kind.itemsize * width
        stride = _natural(view.get("byteStride", row)) or row
        if count > MOST_BYTES or begin + (count - 1) * stride + row > len(data):
            raise RobotError("an array goes beyond the end of its buffer")
        if count == 0:
            return np.zeros((0, width), kind)
        return np.ndarray((count, width), kind, data, begin, (stride, kind.itemsize))

    def _buffer(self, index):
        if index not in self.buffers:
            buffer = self.json["buffers"][index]
            name = buffer.get("uri")
            if name is None:
                found = self.binary
            elif name.startswith("data:"):
                found = b64decode(name.partition(",")[2])
            else:
                found = self.files.beside(name)
            if found is None:
                raise RobotError("a buffer cannot be read")
            self.buffers[index] = found
        return self.buffers[index]


def _natural(value):
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(value)
    return value


def _matrix(node):
    if "matrix" in node:
        return np.array(node["matrix"], float).reshape(4, 4).T
    found = np.eye(4)
    x, y, z, w = np.array(node.get("rotation", (0, 0, 0, 1)), float)
    found[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    found[:3, :3] *= np.array(node.get("scale", (1, 1, 1)), float)
    found[:3, 3] = node.get("translation", (0, 0, 0))
    return found
