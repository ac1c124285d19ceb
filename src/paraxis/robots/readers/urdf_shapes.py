"""The shapes of a URDF file: every <visual> and <collision>, with its material.

A shape that is not valid is left out, and the robot is read without it.
"""

from collections import defaultdict

from ...checks import quoted
from ...errors import RobotError
from ..pose import HERE
from ..shape import Shape
from .left_out import Faulty
from .mesh_files import MeshFiles
from .urdf_elements import child, numbers, origin, text_of

MAX_SHAPES = 100_000

# geometry -> its numbers, in the order of Shape.size: attributes, and how many numbers each has
GEOMETRY = {
    "box": (("size", 3),),
    "sphere": (("radius", 1),),
    "cylinder": (("radius", 1), ("length", 1)),
    "capsule": (("radius", 1), ("length", 1)),  # which several simulators have
    "mesh": (),
}
# the elements that are read, and where they are
MATERIAL = {"color": {}}
COLLISION = {"origin": {}, "geometry": {kind: {} for kind in GEOMETRY}}
VISUAL = COLLISION | {"material": MATERIAL}


class Shapes:
    """The shapes and materials read so far, of a file in `folder`."""

    def __init__(self, folder, snap):
        self.files, self.snap = MeshFiles(folder), snap
        self.on_link = defaultdict(list)  # by its name: fields of shapes, names of materials
        self.colours = {}  # by the name of the material
        self.count, self.faulty = 0, Faulty()

    def close_shape(self, element, link):
        """Take in a <visual> or <collision> of a link."""
        self.count += 1
        if self.count > MAX_SHAPES:
            return
        name = link.attrib.get("name", "")
        with self.faulty.leaving_out(f"{element.tag} of link {quoted(name)}"):
            self.on_link[name].append(self._fields(element, name))

    def close_material(self, element, _):
        """Take in a <material> of the robot."""
        with self.faulty.leaving_out(f"material {quoted(element.attrib.get('name', ''))}"):
            colour = _colour(element)
            if colour is not None:
                self.colours[text_of(element, "name")] = colour

    def placed(self, stands):
        """All shapes; `stands` has a body, and the link's pose on it, by the names of links."""
        found = []
        for link, (body, there) in stands.items():
            for given, material in self.on_link.get(link, ()):
                pose, colour = given["pose"], given["colour"] or self.colours.get(material)
                pose = pose if there is HERE else there if pose is HERE else there @ pose
                with self.faulty.leaving_out(f"{given['purpose']} of link {quoted(link)}"):
                    found.append(Shape(**given | {"body": body, "pose": pose, "colour": colour}))
        return found

    @property
    def left_out(self):
        """Sentences about shapes that were not read."""
        found = self.faulty.sentences
        if self.count > MAX_SHAPES:
            found.append(f"all shapes but the first {MAX_SHAPES:,} of {self.count:,}")
        return found

    def _fields(self, element, link):
        """The fields of a shape in the frame of its link, and the name of its material."""
        geometry = child(element, "geometry", required=True)
        kinds = [kind for kind in GEOMETRY if kind in geometry.children]
        if len(kinds) != 1:
            found = " and ".join(kinds) or "none of these"
            raise RobotError(f"expected one of {', '.join(GEOMETRY)} in <geometry>, found {found}")
        (kind,) = kinds
        inner = child(geometry, kind)
        size = [v for attribute, count in GEOMETRY[kind] for v in numbers(inner, attribute, count)]
        mesh = {}
        if kind == "mesh":
            mesh["path"] = self.files.find(text_of(inner, "filename"))
            mesh["scale"] = numbers(inner, "scale", 3, (1.0, 1.0, 1.0))
        colour, name = None, None
        material = child(element, "material") if element.tag == "visual" else None
        if material is not None:
            colour, name = _colour(material), material.attrib.get("name")
            if colour is not None and name:  # others may use it by name
                self.colours.setdefault(name, colour)
        fields = {
            "name": element.attrib.get("name") or link,
            "pose": origin(element, self.snap),
            "kind": kind,
            "size": tuple(size),
            "purpose": element.tag,
            "colour": colour,
        }
        return fields | mesh, name


def _colour(material):
    colour = child(material, "color")
    return None if colour is None else numbers(colour, "rgba", 4)
