"""URDF files, read into a Robot, or an error that explains what is wrong.

What is read: links with their mass, joints with their seat, axis, limits and friction: that of
`<dynamics>`, damping as viscous and friction as Coulomb's. A `fixed` joint welds its child link
onto the body of its parent; every link, moving or welded, becomes a Frame, the root link first.
The mass of a link that is fixed to the world moves nothing, and is kept as the robot's root. A
`mimic` joint follows another, unless it is asked to be independent. Shapes are kept
(urdf_shapes.py). Not read are `<transmission>`, which names controllers and no losses, and the
extensions of simulators: `robot.ignored` lists them.

Files are untrusted: xml_text.py reads them within bounds. Each link and joint is made as its
element ends, every step takes time n log n at most, and names are only ever compared and quoted.
"""

import heapq
import math
import os
from collections import Counter
from dataclasses import dataclass

import numpy as np

from ...checks import did_you_mean, listing, one_of, quoted
from ...errors import RobotError
from ..check import implausible, warn_of
from ..coupling import COUPLINGS, Coupling
from ..floating import free_root, moving
from ..frame import Frame
from ..friction import NO_FRICTION, Friction
from ..inertia import NOTHING, Inertia
from ..joint import WORLD, Joint, checked_axis
from ..pose import HERE, Pose
from ..robot import Robot
from ..snapping import SNAP, checked_tolerance, snapped_axis
from ..text import contents, naming
from ..welding import carrier, weld
from .left_out import fixed_base, unread, weightless
from .urdf_elements import child, numbers, origin, text_of
from .urdf_mimics import Mimics
from .urdf_shapes import COLLISION, MATERIAL, VISUAL, Shapes
from .xml_text import MAX_BYTES, parse_xml

MAX_LINKS = 250_000
NO_LIMIT = 1e9  # rad, m, N, ...

# type -> kind; "spherical" is an extension that several simulators have
TYPES = {kind: kind for kind in ("revolute", "continuous", "prismatic", "fixed", "planar")}
TYPES |= {"floating": "free", "spherical": "spherical"}
ANYWHERE = ("continuous", "free", "planar", "spherical")  # joints whose positions have no limits

# the elements that are read, and where they are
INERTIAL = {"origin": {}, "mass": {}, "inertia": {}}
JOINT = {"origin": {}, "parent": {}, "child": {}, "axis": {}, "limit": {}, "dynamics": {}}
LINK = {"inertial": INERTIAL, "visual": VISUAL, "collision": COLLISION}
KNOWN = {"robot": {"link": LINK, "joint": JOINT | {"mimic": {}}, "material": MATERIAL}}

MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")  # in the order of Inertia.about_com


def read_urdf(path, tip=None, name=None, drives=None, **options):
    """The Robot of a URDF file; arguments as in `px.load`."""
    try:
        path = os.fspath(path)
    except TypeError:
        raise RobotError(f"URDF: expected a path, found {type(path).__name__}") from None
    with naming(quoted(path, most=300)):
        folder, file = os.path.split(os.fsdecode(path))
        kind = "URDF or MJCF" if file.lower().endswith(".xml") else "URDF"
        text = contents(path, kind, MAX_BYTES)
        return parse_urdf(text, tip, name, drives, folder=folder, **options)


def parse_urdf(
    text,
    tip=None,
    name=None,
    drives=None,
    floating_base=False,
    couplings=COUPLINGS[0],
    snap=SNAP,
    folder=None,
):
    """The Robot of a URDF given as str or bytes.

    `name` replaces the name in the text; `folder` is where it comes from, to find its meshes.
    """
    with np.errstate(all="ignore"):  # absurd numbers overflow; checks then report where
        snap = checked_tolerance(snap)
        file, shapes = _File(snap), Shapes(folder, snap)
        closing = {
            ("robot", "link"): file.close,
            ("robot", "joint"): file.close,
            ("robot", "material"): shapes.close_material,
            ("link", "visual"): shapes.close_shape,
            ("link", "collision"): shapes.close_shape,
        }
        left = parse_xml(text, KNOWN, file.open_root, closing)
        links, edges = file.checked()
        trunk, edges = _parents_first(links, edges)
        name = text_of(file.root, "name") if name is None else name
        mimics = Mimics(edges, couplings)
        *parts, root = _assemble(links, trunk, edges, mimics.followed, shapes)
        if floating_base:
            parts, root = free_root(*parts, root, of=name), NOTHING
        joints, bodies, frames, placed = parts
        moving(joints, name)
        unbounded = [edge.name for edge in edges if edge.has_unread_limits]
        robot = Robot(
            name,
            joints,
            bodies,
            frames,
            root=root,
            warn=False,
            ignored=[*unread(left, mimics.independent, unbounded), *shapes.left_out],
            shapes=placed,
        )
        robot = robot.snapped(snap)  # what fixed joints add up to
        if drives is not None:  # before the tip: they may name joints beyond it
            robot = robot.with_drives(drives)
        standing = 0.0  # kg; a caller who names a tip knows that the rest is fixed
        if tip is None:
            standing = sum(links[f.name].mass for f in robot.frames if f.body == WORLD)
        else:
            robot = robot.subchain(tip)
        as_written = {  # each link before it was welded to others
            f"link {quoted(f.name)} of joint {quoted(robot.joints[f.body].name)}": links[f.name]
            for f in robot.frames
            if f.body != WORLD
        }
        sentences = [*fixed_base(robot, trunk, standing), *mimics.left_out(robot)]
        sentences += [*weightless(robot), *implausible(as_written)]
        warn_of(f"robot {quoted(robot.name)}", sentences)
        return robot


@dataclass(frozen=True, slots=True)
class Edge:
    """A joint of the file, between two links by name, before bodies are known."""

    name: str
    kind: str  # as Joint's, or "fixed"
    parent: str
    child: str
    placement: Pose  # the child link at q = 0, in the parent link's frame
    axis: tuple
    limits: dict
    friction: Friction
    mimic: Coupling | None  # if it should follow another joint
    has_unread_limits: bool  # whether its position has limits that no number of q has here


# -- from XML to links and joints ------------------------------------------------------------------


class _File:
    """The links and joints read so far."""

    def __init__(self, snap):
        self.snap = snap  # rad: how far right angles may be off
        self.links = {}  # the inertia of every link in its own frame, by name, in file order
        self.edges = {}  # every joint by name, in file order
        self.counts = Counter()

    def open_root(self, root):
        if root.tag != "robot":
            raise RobotError(f"expected URDF, whose root is <robot>, found {quoted(root.tag)}")
        self.root = root

    def close(self, element, _):
        """Take in a <link> or <joint>."""
        tag, known = element.tag, self.links if element.tag == "link" else self.edges
        self.counts[tag] += 1
        if self.counts[tag] > MAX_LINKS:
            raise RobotError(f"<robot>: expected at most {MAX_LINKS:,} <{tag}>, found more")
        with naming(f"<{tag}> number {self.counts[tag]}"):
            name = text_of(element, "name")
        with naming(f"{tag} {quoted(name)}"):
            if name in known:
                raise RobotError(f"expected one {tag} of that name, found two")
            if tag == "link":
                known[name] = _read_inertial(child(element, "inertial"), self.snap)
            else:
                known[name] = _read_joint(element, name, self.snap)

    def checked(self):
        """The links, and the joints, whose links are among them."""
        if not self.links:
            raise RobotError("<robot>: expected at least one <link>, found none")
        edges = list(self.edges.values())
        for edge in edges:
            for end in ("parent", "child"):
                link = getattr(edge, end)
                if link not in self.links:
                    raise RobotError(
                        f"joint {quoted(edge.name)}: {end}: expected a link of this file, found "
                        f"{quoted(link)}{did_you_mean(link, self.links)}"
                    )
        return self.links, edges


def _read_inertial(element, snap):
    if element is None:
        return NOTHING
    (mass,) = numbers(child(element, "mass", required=True), "value", 1)
    moments = child(element, "inertia", required=True)
    moments = [numbers(moments, attribute, 1)[0] for attribute in MOMENTS]
    in_its_frame = Inertia.of(mass, (0, 0, 0), moments, "<inertial>")
    return in_its_frame.seen_from(origin(element, snap))


def _read_joint(element, name, snap):
    kind = TYPES[one_of(text_of(element, "type"), TYPES, "type", RobotError)]
    ends = [text_of(child(element, end, required=True), "link") for end in ("parent", "child")]
    axis, limits, friction, unread_limits = (0.0, 0.0, 1.0), {}, NO_FRICTION, False
    if kind != "fixed":  # a fixed joint's axis means nothing, and is often written 0 0 0
        axis = _read_axis(child(element, "axis"), kind, snap)
        limit = child(element, "limit")
        limits = _read_limits(limit, kind)
        if limit is not None and kind in ANYWHERE[1:]:
            unread_limits = "lower" in limit.attrib or "upper" in limit.attrib
        friction = _read_friction(child(element, "dynamics"))
    mimic = None if kind == "fixed" else _read_mimic(child(element, "mimic"))
    seat = origin(element, snap)
    return Edge(name, kind, *ends, seat, axis, limits, friction, mimic, unread_limits)


def _read_mimic(element):
    if element is None:
        return None
    (ratio,) = numbers(element, "multiplier", 1, (1.0,))
    (offset,) = numbers(element, "offset", 1, (0.0,))
    return Coupling(text_of(element, "joint"), (offset, ratio))


def _read_axis(element, kind, snap):
    if kind in ("free", "spherical"):  # which have none
        return (0.0, 0.0, 1.0)
    axis = checked_axis((1, 0, 0) if element is None else numbers(element, "xyz", 3), kind)
    return snapped_axis(axis, snap)


def _read_limits(element, kind):
    """What a <limit> states, as fields of Joint; what it does not state has no limit."""
    if element is None:
        return {}
    limits = {}
    for field, attribute in (("max_velocity", "velocity"), ("max_effort", "effort")):
        limits[field] = _bound(element, attribute, math.inf)
    if kind not in ANYWHERE and ("lower" in element.attrib or "upper" in element.attrib):
        for bound in ("lower", "upper"):  # URDF: a bound left out is 0, where the other is there
            limits[bound] = _bound(element, bound, 0.0)
    return limits


def _bound(element, attribute, default):
    """A number of a <limit>. URDF must have one: where there is no limit, it is very large."""
    (value,) = numbers(element, attribute, 1, (default,))
    none = -math.inf if attribute == "lower" else math.inf
    return none if math.copysign(value, none) == value and abs(value) >= NO_LIMIT else value


def _read_friction(element):
    if element is None:
        return NO_FRICTION
    found = {}
    for field, attribute in (("viscous", "damping"), ("coulomb", "friction")):
        (found[field],) = numbers(element, attribute, 1, (0.0,))
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


def _assemble(links, trunk, edges, couplings, shapes):
    """A joint per edge, and those that are fixed welded.

    Returns joints, inertias, frames, shapes and the inertia of the root.
    """
    bodies = {trunk: WORLD}  # the index of each link's body
    joints = []
    for edge in edges:
        bodies[edge.child] = len(joints)
        place = (bodies[edge.parent], edge.placement, edge.axis)
        further = edge.limits | {"coupling": couplings.get(edge.name)}
        joints.append(Joint(edge.name, edge.kind, *place, friction=edge.friction, **further))
    still = {i: HERE for i, edge in enumerate(edges) if edge.kind == "fixed"}
    inertias = [links[edge.child] for edge in edges]
    joints, inertias, root, stands = weld(joints, inertias, links[trunk], still)
    frames = [Frame(link, body) for link, body in bodies.items()]
    frames = [*map(carrier(stands), frames)]
    placed = shapes.placed({link: stands[body] for link, body in bodies.items()})
    return joints, inertias, frames, placed, root
