"""URDF files: one read into a Robot, or an error that says what is wrong with it.

What is read: links with their mass, joints with their seat, axis, limits and friction: that of
`<dynamics>`, damping as viscous and friction as Coulomb's. A `fixed` joint welds its child link
onto the body of its parent; every link, moving or welded, becomes a Frame, the root link first.
The mass of a link that is fixed to the world moves nothing and is dropped. A `mimic` joint is an
independent joint here: its coupling is not read. Neither are `<transmission>`, which names
controllers and no losses, shapes and the extensions of simulators.

A file is anyone's text. It is parsed with document types and entities refused, its size is
bounded, every step takes time n log n at most, and its names are only ever compared and quoted.
"""

import heapq
import math
import os
import re
from dataclasses import dataclass

import numpy as np
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import ParseError, fromstring

from ..checks import did_you_mean, listing, one_of, quoted
from ..errors import RobotError
from .check import warn_if_implausible
from .friction import NO_FRICTION, Friction
from .inertia import Inertia, welded
from .joint import KINDS, WORLD, Joint, checked_axis
from .pose import Pose
from .robot import Frame, Robot
from .text import contents, naming, number

MAX_BYTES = 64 * 2**20  # the largest URDF at hand has 0.2 MB; a chain of 100 000 links has 30 MB

WORD = re.compile(r"[^ \t\r\n]+")  # XML's white space, where str.split() takes Unicode's

MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")  # in the order of Inertia.about_com


def read_urdf(path, tip=None, name=None, drives=None):
    """The Robot of a URDF file, with `drives` as of `Robot.with_drives` where there are any.

    `tip` is as of `px.load`.
    """
    try:
        path = os.fspath(path)
    except TypeError:
        raise RobotError(f"URDF: expected a path, found {type(path).__name__}") from None
    with naming(quoted(path, most=300)):
        return parse_urdf(contents(path, "URDF", MAX_BYTES), tip=tip, name=name, drives=drives)


def parse_urdf(text, tip=None, name=None, drives=None):
    """The Robot of a URDF given as str or bytes; `name` replaces the name in the text."""
    root = _hardened_xml(text)
    with np.errstate(all="ignore"):  # absurd numbers overflow, and the checks then say where
        links = _read_links(root)
        edges = _read_joints(root, links)
        trunk, edges = _parents_first(links, edges)
        name = _text(root, "name") if name is None else name
        robot = _assemble(name, links, trunk, edges)
        if drives is not None:  # before the tip: they may speak of joints that are beyond it
            robot = robot.with_drives(drives)
        robot = robot if tip is None else robot.subchain(tip)
        for frame in robot.frames:  # each link as it was written, before it was welded to others
            if frame.body != WORLD:
                joint = quoted(robot.joints[frame.body].name)
                link = f"link {quoted(frame.name)} of joint {joint}"
                warn_if_implausible(links[frame.name], f"robot {quoted(robot.name)}, {link}")
        return robot


@dataclass(frozen=True, slots=True)
class Edge:
    """A joint of the file, between two links by name, before bodies are known."""

    name: str
    kind: str  # one of KINDS, or "fixed"
    parent: str
    child: str
    placement: Pose  # the child link at q = 0, in the parent link's frame
    axis: tuple  # None when fixed
    limits: dict
    friction: Friction


# -- from bytes to XML -----------------------------------------------------------------------------


def _hardened_xml(text):
    """The <robot> element of `text`, its own namespace taken off the tags."""
    if not isinstance(text, str | bytes):
        raise RobotError(f"URDF text: expected str or bytes, found {type(text).__name__}")
    if len(text) > MAX_BYTES:
        raise RobotError(f"URDF text: expected at most {MAX_BYTES // 2**20} MB, found more")
    try:
        root = fromstring(text, forbid_dtd=True, forbid_entities=True, forbid_external=True)
    except DefusedXmlException:
        raise RobotError(
            "XML: expected no document type (<!DOCTYPE>), found one; it is refused because "
            "entities declared there can grow without bound or reach for other files"
        ) from None
    except ParseError as error:
        line, column = error.position
        reason = quoted(str(error).split(":")[0])[1:-1]
        prefix = "; an unexpanded xacro file?" if reason == "unbound prefix" else ""
        raise RobotError(
            f"XML: broken at line {line}, column {column + 1}: {reason}{prefix}"
        ) from None
    except (ValueError, LookupError) as error:  # what Python's decoders raise
        raise RobotError(f"XML: text that cannot be decoded: {quoted(str(error))}") from None

    namespace = root.tag[: root.tag.rfind("}") + 1]
    for element in root.iter():
        if "xacro" in element.tag.partition("}")[0] and element.tag.startswith("{"):
            tag = quoted("xacro:" + element.tag.partition("}")[2])
            raise RobotError(f"found the xacro element {tag}: expand the file with xacro first")
        element.tag = element.tag.removeprefix(namespace)
    if root.tag == "mujoco":
        raise RobotError("expected URDF (<robot>), found MJCF (<mujoco>), which is not read yet")
    if root.tag != "robot":
        raise RobotError(f"expected URDF, whose root is <robot>, found {quoted(root.tag)}")
    return root


# -- from XML to links and joints ------------------------------------------------------------------


def _read_links(root):
    """The inertia of every link in its own frame, by name, in file order."""
    links = {}
    for count, element in enumerate(root.iterfind("link"), start=1):
        with naming(f"<link> number {count}"):
            name = _text(element, "name")
        with naming(f"link {quoted(name)}"):
            if name in links:
                raise RobotError("expected one link of that name, found two")
            links[name] = _read_inertial(_child(element, "inertial"))
    if not links:
        raise RobotError("<robot>: expected at least one <link>, found none")
    return links


def _read_inertial(element):
    if element is None:
        return Inertia()
    (mass,) = _numbers(_child(element, "mass", required=True), "value", 1)
    moments = _child(element, "inertia", required=True)
    moments = [_numbers(moments, attribute, 1)[0] for attribute in MOMENTS]
    in_its_frame = Inertia.of(mass, (0, 0, 0), moments, "<inertial>")
    return in_its_frame.seen_from(_read_origin(element))


def _read_joints(root, links):
    """Every joint of the file, in file order, its links known."""
    edges, names = [], set()
    for count, element in enumerate(root.iterfind("joint"), start=1):
        with naming(f"<joint> number {count}"):
            name = _text(element, "name")
        with naming(f"joint {quoted(name)}"):
            if name in names:
                raise RobotError("expected one joint of that name, found two")
            names.add(name)
            edges.append(_read_joint(element, name, links))
    return edges


def _read_joint(element, name, links):
    kind = _text(element, "type")
    one_of(kind, (*KINDS, "fixed"), "type", RobotError)
    ends = [_text(_child(element, end, required=True), "link") for end in ("parent", "child")]
    for end, link in zip(("parent", "child"), ends, strict=True):
        if link not in links:
            raise RobotError(
                f"{end}: expected a link of this file, found {quoted(link)}"
                f"{did_you_mean(link, links)}"
            )
    axis, limits, friction = None, {}, NO_FRICTION
    if kind != "fixed":  # a fixed joint's axis means nothing, and is often written 0 0 0
        axis_element = _child(element, "axis")
        axis = (1, 0, 0) if axis_element is None else _numbers(axis_element, "xyz", 3)
        axis = checked_axis(axis, kind)
        limits = _read_limits(_child(element, "limit"), kind)
        friction = _read_friction(_child(element, "dynamics"))
    return Edge(name, kind, *ends, _read_origin(element), axis, limits, friction)


def _read_origin(element):
    origin = _child(element, "origin")
    if origin is None:
        return Pose()
    if "quat_xyzw" in origin.attrib:
        raise RobotError("<origin>: expected rpy, found quat_xyzw, which is not read")
    zero = (0.0, 0.0, 0.0)
    xyz, rpy = _numbers(origin, "xyz", 3, zero), _numbers(origin, "rpy", 3, zero)
    return Pose.from_rpy(xyz, rpy, "<origin>")


def _read_limits(element, kind):
    """What a <limit> states, as fields of Joint; what it does not state has no limit."""
    if element is None:
        return {}
    limits = {}
    for field, attribute in (("max_velocity", "velocity"), ("max_effort", "effort")):
        (limits[field],) = _numbers(element, attribute, 1, (math.inf,))
    if kind != "continuous" and ("lower" in element.attrib or "upper" in element.attrib):
        for bound in ("lower", "upper"):  # URDF: a bound left out is 0, where the other is there
            (limits[bound],) = _numbers(element, bound, 1, (0.0,))
    return limits


def _read_friction(element):
    if element is None:
        return NO_FRICTION
    found = {}
    for field, attribute in (("viscous", "damping"), ("coulomb", "friction")):
        (found[field],) = _numbers(element, attribute, 1, (0.0,))
        if found[field] < 0:
            value = f"{found[field]:g}"
            raise RobotError(f"<dynamics> {attribute}: expected a number >= 0, found {value}")
    return Friction(**found)


# -- from joints to a robot ------------------------------------------------------------------------


def _parents_first(links, edges):
    """The root link, and the joints sorted so that each parent link is placed before its children.

    Again and again the first joint of the file whose parent link is placed: a heap, n log n.
    """
    above = {}  # the joint that carries a link
    below = {link: [] for link in links}  # the indices of the joints that stand on it
    for i, edge in enumerate(edges):
        if edge.child in above:
            names = listing([above[edge.child].name, edge.name])
            raise RobotError(
                f"link {quoted(edge.child)}: expected to be the child of one joint, found {names}"
            )
        above[edge.child] = edge
        below[edge.parent].append(i)
    roots = [link for link in links if link not in above]
    if len(roots) > 1:
        raise RobotError(f"expected one root link, found {len(roots)}: {listing(roots)}")
    if not roots:
        raise RobotError(f"expected a root link, found none: {_a_cycle(above, next(iter(links)))}")

    placed, ready = [], list(below[roots[0]])  # in file order, so already a heap
    while ready:
        placed.append(edges[heapq.heappop(ready)])
        for i in below[placed[-1].child]:
            heapq.heappush(ready, i)
    if len(placed) < len(edges):
        reached = {roots[0], *(edge.child for edge in placed)}
        lost = next(link for link in links if link not in reached)
        raise RobotError(f"expected a tree, found {_a_cycle(above, lost)}")
    return roots[0], placed


def _a_cycle(above, link):
    """The joints of the cycle that one meets going from `link` to its parent, and on."""
    seen = {}
    while link not in seen:
        seen[link] = above[link].name
        link = above[link].parent
    names = list(seen.values())[list(seen).index(link) :]
    return f"a cycle of the joints {listing(names[::-1])}"


def _assemble(name, links, trunk, edges):
    """Weld what is fixed, number what moves."""
    joints, inertias = [], []
    frames = {trunk: Frame(trunk, WORLD)}
    for edge in edges:
        with naming(f"joint {quoted(edge.name)}"):
            stand, link = frames[edge.parent], links[edge.child]
            pose = stand.pose @ edge.placement
            if edge.kind == "fixed":
                frames[edge.child] = Frame(edge.child, stand.body, pose)
                if stand.body != WORLD:
                    inertias[stand.body] = welded(inertias[stand.body], link.seen_from(pose))
            else:
                frames[edge.child] = Frame(edge.child, len(joints))
                place = (stand.body, pose, edge.axis)
                joints.append(
                    Joint(edge.name, edge.kind, *place, friction=edge.friction, **edge.limits)
                )
                inertias.append(link)
    return Robot(name, joints, inertias, tuple(frames.values()), warn=False)


# -- words and numbers -----------------------------------------------------------------------------


def _child(element, tag, required=False):
    """The one child of that tag, or None when there is none and none is required."""
    found = element.findall(tag)
    if len(found) > 1 or (required and not found):
        count = len(found) or "none"
        raise RobotError(f"expected one <{tag}> in <{element.tag}>, found {count}")
    return found[0] if found else None


def _text(element, attribute):
    text = element.get(attribute)
    if not text:
        found = "an empty one" if text == "" else "none"
        raise RobotError(f"<{element.tag}>: expected the attribute {attribute!r}, found {found}")
    if "${" in text or "$(" in text:
        raise RobotError(
            f"<{element.tag}> {attribute}: found the xacro expression {quoted(text)}: "
            "expand the file with xacro first"
        )
    return text


def _numbers(element, attribute, count, default=None):
    """The numbers of an attribute, which may be left out when there is a default."""
    if default is not None and attribute not in element.attrib:
        return default
    text = _text(element, attribute)
    words = WORD.findall(text)
    plural = "number" if count == 1 else "numbers"
    if len(words) != count:
        raise RobotError(
            f"<{element.tag}> {attribute}: expected {count} {plural}, "
            f"found {len(words)} in {quoted(text)}"
        )
    values = tuple(number(word) for word in words)
    if None in values:
        raise RobotError(
            f"<{element.tag}> {attribute}: expected {count} finite decimal {plural}, "
            f"found {quoted(words[values.index(None)])}"
        )
    return values
