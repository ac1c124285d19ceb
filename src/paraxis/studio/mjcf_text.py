"""MJCF that somebody brings, cut down to what needs no other file, nor time without bound.

MuJoCo's compiler reads files wherever they are, loads plug-ins, and repeats what a model asks it to
repeat. So only elements that are known to do none of this reach it; what is only for the eye is
left out, and a note says so.
"""

from collections import Counter
from xml.etree import ElementTree

from ..checks import listing, quoted, shown
from ..errors import RobotError
from ..robots.readers.xml_text import parse_xml

MOST_BODIES, MOST_ELEMENTS = 1_200, 20_000
SECTIONS = ("actuator", "asset", "compiler", "contact", "default", "equality", "keyframe")
SECTIONS += ("mujoco", "option", "tendon", "worldbody")
IN_TREES = ("body", "camera", "frame", "freejoint", "geom", "inertial", "joint", "light", "site")
IN_SECTIONS = ("adhesion", "connect", "cylinder", "damper", "exclude", "fixed", "flag", "general")
IN_SECTIONS += ("intvelocity", "key", "material", "mesh", "motor", "muscle", "pair", "position")
IN_SECTIONS += ("pulley", "spatial", "tendon", "velocity", "weld")
KNOWN = {*SECTIONS, *IN_TREES, *IN_SECTIONS}
FOR_THE_EYE = {"custom", "sensor", "size", "skin", "statistic", "texture", "visual"}
FOLDERS = ("assetdir", "meshdir", "texturedir")  # of the compiler
HERE = "`paraxis studio FILE` opens files of this machine with all that belongs to them"


def is_mjcf(text):
    """Whether the root element is that of MJCF; raises for what is no XML that is read here."""
    found = []
    parse_xml(text, {}, lambda root: found.append(root.tag), {})
    return found == ["mujoco"]


def without_files(text):
    """(the text that the compiler is given, notes about what is left out)."""
    root, left = ElementTree.fromstring(text), Counter()  # which has no document type: see is_mjcf
    bodies = sum(1 for _ in root.iter("body"))
    if bodies > MOST_BODIES or sum(1 for _ in root.iter()) > MOST_ELEMENTS:
        raise RobotError(
            f"MJCF: expected at most {MOST_BODIES:,} bodies and {MOST_ELEMENTS:,} elements"
        )
    _cut(root, left)
    meshes = _meshes_in_files(root)
    if meshes:
        _without_meshes(root, meshes, None, left)
    for element in root.iter():
        for name in element.attrib:
            if name.startswith("file") or name == "plugin":
                raise _refused(element.tag, f"with {quoted(name)}")
    notes = []
    if left:
        what = listing([f"{name} ({count})" if count > 1 else name for name, count in left.items()])
        notes = [f"Left out, as a browser brings one file and nothing but itself is read: {what}."]
    return ElementTree.tostring(root, encoding="unicode"), notes


def _cut(element, left):
    """Take out what is for the eye; refuse what is not known."""
    for child in list(element):
        if child.tag in FOR_THE_EYE:
            left[child.tag] += 1
            element.remove(child)
        elif child.tag not in KNOWN:
            raise _refused(child.tag)
        else:
            _cut(child, left)
    if element.tag == "compiler":
        for name in FOLDERS:
            element.attrib.pop(name, None)
    if element.tag == "material":
        element.attrib.pop("texture", None)


def _refused(tag, how=""):
    what = f"the element {quoted(tag, most=60)}" + (f" {how}" if how else "")
    return RobotError(f"MJCF: {what} is not read from what a browser brings; {HERE}")


def _meshes_in_files(root):
    """The names of meshes in files, which are taken out."""
    found = set()
    for asset in root.iter("asset"):
        for mesh in asset.findall("mesh"):
            if file := mesh.get("file"):
                found.add(mesh.get("name") or file.replace("\\", "/").split("/")[-1].split(".")[0])
                asset.remove(mesh)
    return found


def _without_meshes(element, meshes, body, left):
    """Take out geoms of these meshes. Where they give a body its mass, the robot is refused."""
    if element.tag == "compiler" and element.get("inertiafromgeom") == "true":
        raise RobotError(f"MJCF: masses come from meshes in other files (inertiafromgeom); {HERE}")
    if element.tag == "body":
        body = element
    for child in list(element):
        if child.get("mesh") not in meshes:
            _without_meshes(child, meshes, body, left)
        elif child.tag == "geom" and element.tag != "default":
            if body is not None and body.find("inertial") is None and child.get("mass") != "0":
                raise RobotError(
                    f"MJCF: the mass of body {quoted(body.get('name', ''), most=100)} comes from a "
                    f"mesh in another file, {shown(child.get('mesh'), 100)}; {HERE}"
                )
            element.remove(child)
            left[f"shape of mesh {shown(child.get('mesh'), 60)}"] += 1
        else:
            del child.attrib["mesh"]
