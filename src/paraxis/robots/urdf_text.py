"""A Robot as the text of a URDF file, which reads back as a robot that moves alike.

Bodies are links under the name of their first frame, if that is where the body's own frame is, or
else under the name of their joint; all other frames are links fixed to them. A universal joint is
two revolute ones with a massless link between. What URDF has no words for is listed in a warning,
except helical joints, which are refused.
"""

import math
import re
from collections import defaultdict
from dataclasses import replace
from xml.sax.saxutils import quoteattr

from ..checks import listing, quoted
from ..errors import RobotError
from .check import warn_of
from .friction import Friction
from .inertia import NOTHING
from .joint import WORLD
from .pose import Pose
from .transmission import IDEAL

TYPES = {"free": "floating"}  # kinds that URDF calls by another name
NO_LIMIT = 1e9  # where URDF requires a number, and there is no limit
MOST = 5  # names in each sentence
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def urdf_text(robot):
    """The text of a URDF file; a warning lists what it cannot hold."""
    screws = [joint.name for joint in robot.joints if joint.kind == "helical"]
    if screws:
        raise RobotError(
            f"URDF has no helical joints, and the robot has {listing(screws, MOST)}; "
            "robot.locked holds joints in place"
        )
    links = _link_names(robot)
    lines = ['<?xml version="1.0"?>', f"<robot name={_text(robot.name)}>"]
    if robot.base != Pose():
        above = _unused("world", links.values(), robot.frame_names)
        lines += [f"  <link name={_text(above)}/>"]
        lines += _fixed(f"{above}_to_{links[WORLD]}", above, links[WORLD], robot.base)
    shapes = defaultdict(list)
    for shape in robot.shapes:
        shapes[shape.body] += _shape(shape)
    lines += _link(links[WORLD], robot.root, shapes[WORLD])
    for i, (joint, body) in enumerate(zip(robot.joints, robot.inertias, strict=True)):
        parent = links[joint.parent]
        *before, last = _parts(joint, robot.joint_names)
        for part in before:
            between = _unused(f"{part.name}_link", links.values(), robot.frame_names)
            lines += [*_joint(part, parent, between), *_link(between, NOTHING)]
            parent = between
        lines += [*_joint(last, parent, links[i]), *_link(links[i], body, shapes[i])]
    for frame in robot.frames:
        if frame.name != links[frame.body]:
            lines += [f"  <link name={_text(frame.name)}/>"]
            lines += _fixed(f"{frame.name}_fixed", links[frame.body], frame.name, frame.pose)
    warn_of(f"URDF of robot {quoted(robot.name)}", _left_out(robot))
    return "\n".join([*lines, "</robot>", ""])


def _link_names(robot):
    """{body: the name of its link}, of the world too."""
    first, names = {}, {}
    for frame in robot.frames:
        first.setdefault(frame.body, frame)
    for body in (WORLD, *range(robot.n)):
        frame = first.get(body)
        if frame is not None and frame.pose == Pose():
            names[body] = frame.name
        else:
            wanted = "base" if body == WORLD else f"{robot.joints[body].name}_link"
            names[body] = _unused(wanted, names.values(), robot.frame_names)
    return names


def _unused(name, *taken):
    while any(name in names for names in taken):
        name += "_"
    return name


def _parts(joint, taken):
    """The joint, or the two that a universal one is in URDF, under names that are not taken."""
    if joint.kind != "universal":
        return [joint]
    seats, axes = (joint.placement, Pose()), (joint.axis, joint.second_axis)
    return [
        replace(
            joint,
            name=_unused(f"{joint.name}.{k}", taken),
            kind="revolute",
            placement=seat,
            axis=axis,
            second_axis=None,
        )
        for k, (seat, axis) in enumerate(zip(seats, axes, strict=True), start=1)
    ]


# -- elements --------------------------------------------------------------------------------------


def _link(name, body, shapes=()):
    inside = [*_inertial(body), *shapes]
    if not inside:
        return [f"  <link name={_text(name)}/>"]
    return [f"  <link name={_text(name)}>", *inside, "  </link>"]


def _inertial(body):
    if body.is_massless():
        return []
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    moments = " ".join(
        f'{key}="{_number(value)}"' for key, value in zip(names, body.about_com, strict=True)
    )
    return [
        "    <inertial>",
        f'      <origin xyz="{_numbers(body.com)}"/>',
        f'      <mass value="{_number(body.mass)}"/>',
        f"      <inertia {moments}/>",
        "    </inertial>",
    ]


def _shape(shape):
    """A shape in its link; nothing, if URDF has no such shapes."""
    if not _is_written(shape):
        return []
    return [
        f"    <{shape.purpose} name={_text(shape.name)}>",
        *(f"  {line}" for line in _origin(shape.pose)),
        f"      <geometry>{_geometry(shape)}</geometry>",
        *_material(shape.colour if shape.purpose == "visual" else None),
        f"    </{shape.purpose}>",
    ]


def _is_written(shape):
    return shape.kind in ("box", "sphere", "cylinder") or shape.path is not None


def _geometry(shape):
    numbers = [*map(_number, shape.size)]
    if shape.kind == "box":
        return f'<box size="{" ".join(numbers)}"/>'
    if shape.kind == "sphere":
        return f'<sphere radius="{numbers[0]}"/>'
    if shape.kind == "cylinder":
        return f'<cylinder radius="{numbers[0]}" length="{numbers[1]}"/>'
    return f'<mesh filename={_text(shape.path)} scale="{_numbers(shape.scale)}"/>'


def _material(colour):
    if colour is None:
        return []
    name = " ".join(f"{v:g}" for v in colour)  # URDF requires one, and one name is one material
    return [f'      <material name="{name}"><color rgba="{_numbers(colour)}"/></material>']


def _joint(joint, parent, child):
    kind = TYPES.get(joint.kind, joint.kind)
    if kind == "revolute" and math.isinf(joint.lower) and math.isinf(joint.upper):
        kind = "continuous"  # URDF's revolute joints have limits
    lines = [f'  <joint name={_text(joint.name)} type="{kind}">', *_ends(parent, child)]
    lines += _origin(joint.placement)
    if kind not in ("floating", "spherical"):
        lines.append(f'    <axis xyz="{_numbers(joint.axis)}"/>')
    lines += _limit(joint, kind)
    lines += _mimic(joint.coupling)
    if joint.friction.viscous or joint.friction.coulomb:
        damping, dry = joint.friction.viscous, joint.friction.coulomb
        lines.append(f'    <dynamics damping="{_number(damping)}" friction="{_number(dry)}"/>')
    return [*lines, "  </joint>"]


def _limit(joint, kind):
    """URDF requires all four numbers of revolute and prismatic joints; else those that exist."""
    values = {"effort": joint.max_effort, "velocity": joint.max_velocity}
    required = kind in ("revolute", "prismatic")
    if required:
        values |= {"lower": joint.lower, "upper": joint.upper}
    if not required and all(map(math.isinf, values.values())):
        return []
    finite = {key: min(max(value, -NO_LIMIT), NO_LIMIT) for key, value in values.items()}
    words = " ".join(f'{key}="{_number(value)}"' for key, value in finite.items())
    return [f"    <limit {words}/>"]


def _mimic(coupling):
    if coupling is None or not _has_words(coupling):
        return []
    ((name, polynomial),) = coupling.terms
    offset, factor = (*polynomial, 0.0, 0.0)[:2]
    leader = _text(name)
    return [
        f'    <mimic joint={leader} multiplier="{_number(factor)}" offset="{_number(offset)}"/>'
    ]


def _has_words(coupling):
    """Whether URDF has: those of linear couplings to one joint."""
    return coupling.is_linear and len(coupling.leaders) == 1


def _fixed(name, parent, child, pose):
    head = f'  <joint name={_text(name)} type="fixed">'
    return [head, *_ends(parent, child), *_origin(pose), "  </joint>"]


def _ends(parent, child):
    return [f"    <parent link={_text(parent)}/>", f"    <child link={_text(child)}/>"]


def _origin(pose):
    if pose == Pose():
        return []
    return [f'    <origin xyz="{_numbers(pose.translation)}" rpy="{_numbers(pose.rpy)}"/>']


def _numbers(values):
    return " ".join(map(_number, values))


def _number(value):
    return repr(float(value) + 0.0)


def _text(name):
    if NOT_XML.search(name):
        raise RobotError(f"URDF: the name {quoted(name)} has characters that XML cannot hold")
    return quoteattr(name, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


# -- what is left out ------------------------------------------------------------------------------


def _left_out(robot):
    """Sentences about what URDF has no words for."""

    def named(test):
        return [joint.name for joint in robot.joints if test(joint)]

    def lossy(joint):
        plain = Friction(viscous=joint.friction.viscous, coulomb=joint.friction.coulomb)
        return joint.friction != plain

    parts = {
        "rotor inertias": named(lambda joint: joint.reflected_inertia),
        "transmissions": named(lambda joint: joint.transmission != IDEAL),
        "bearings and static friction": named(lossy),
        "springs": named(lambda joint: joint.spring is not None),
    }
    sentences = [
        f"URDF has no {what}, so those of {listing(names, MOST)} are left out"
        for what, names in parts.items()
        if names
    ]
    if robot.tendons:
        names = listing(robot.tendon_names, MOST)
        sentences.append(f"URDF has no tendons, so these are left out: {names}")
    unsaid = named(lambda joint: joint.coupling and not _has_words(joint.coupling))
    if unsaid:
        sentences.append(
            "URDF has linear couplings to one joint only, so these follow no other joint there: "
            f"{listing(unsaid, MOST)}"
        )
    lost = [shape.name for shape in robot.shapes if not _is_written(shape)]
    if lost:
        sentences.append(
            "URDF has boxes, spheres, cylinders and files of meshes only, so other shapes are left "
            f"out: {listing(lost, MOST)}"
        )
    balls = named(lambda joint: joint.kind == "spherical")
    if balls:
        sentences.append(
            'URDF has no ball joints, so these are written with the type "spherical", which '
            f"Paraxis and some simulators read, and others refuse: {listing(balls, MOST)}"
        )
    if robot.loops:
        names = listing([loop.name for loop in robot.loops], MOST)
        sentences.append(
            f"URDF has no closed loops, so these are left open: {names}; use with_loops on "
            "reading it"
        )
    if robot.gravity != type(robot).gravity:  # the default
        down = " ".join(f"{v:g}" for v in robot.gravity)
        sentences.append(
            f"URDF has no gravity, so ({down}) m/s² is left out; use with_gravity on reading it"
        )
    return sentences
