"""A Robot from a Pinocchio model.

Joints keep their names and their order, and bodies the frames of their joints. A joint that
Pinocchio composes of others becomes a chain of these. Only positions may be written differently:
Pinocchio writes an angle without limits as its cosine and sine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...checks import listing, quoted
from ...errors import RobotError
from ..check import implausible, warn_of
from ..convention import COSINE, SAME, Convention, Written
from ..coupling import Coupling
from ..floating import free_root, moving, one_further
from ..frame import Frame
from ..friction import NO_FRICTION, Friction
from ..inertia import NOTHING, Inertia
from ..joint import SIZES, WORLD, Joint, checked_axis
from ..pose import Pose
from ..robot import Robot
from ..text import naming
from .left_out import Faulty, weightless
from .pinocchio_loops import loops
from .pinocchio_package import a_pose, pinocchio_package
from .pinocchio_shapes import shapes

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ENDLESS = 1e300  # Pinocchio writes the largest float where there is no limit
MOST = 5  # names in a sentence

# Pinocchio's name -> what it is made of here: kinds with their axes; None where Pinocchio says it
KINDS = {
    **{f"R{axis}": [("revolute", None)] for axis in "XYZ"},
    **{f"P{axis}": [("prismatic", None)] for axis in "XYZ"},
    **{f"RUB{axis}": [("continuous", None)] for axis in "XYZ"},
    "RevoluteUnaligned": [("revolute", None)],
    "PrismaticUnaligned": [("prismatic", None)],
    "RevoluteUnboundedUnaligned": [("continuous", None)],
    **{f"H{axis}": [("helical", None)] for axis in "XYZ"},
    "HelicalUnaligned": [("helical", None)],
    "Universal": [("universal", None)],
    "Spherical": [("spherical", Z)],
    "Planar": [("planar", Z)],
    "FreeFlyer": [("free", Z)],
    "Translation": [("prismatic", X), ("prismatic", Y), ("prismatic", Z)],
    "SphericalZYX": [("revolute", Z), ("revolute", Y), ("revolute", X)],
}
HOW = {"planar": COSINE, "continuous": COSINE}


@dataclass(frozen=True, slots=True)
class Part:
    """A joint, or one of those that a joint of Pinocchio is made of."""

    written: Written
    placement: Pose  # on the part before it, or on the body that carries the first
    axis: tuple
    rest: dict  # what else a Joint of that kind has


def from_pinocchio(
    model,
    floating_base: bool = False,
    visual=None,
    collision=None,
    constraints: Sequence = (),
) -> Robot:
    """A robot from a Pinocchio model.

    **Arguments:**

    - `model`: a `pinocchio.Model`, with joints that are free flyers, spherical (also ZYX), planar,
      translations, universal, revolute, prismatic, helical, composed of these, or mimic others.
    - `floating_base`: put all that is fixed to the world on a free joint, as `px.load` does.
    - `visual`, `collision`: each a `pinocchio.GeometryModel` of the model, whose geometries become
      the robot's shapes; by default it has none.
    - `constraints`: a list of `pinocchio.RigidConstraintModel`, which become closed loops: 3D ones
      hold two points together, 6D ones two frames.

    **Returns:** a `px.Robot` with Pinocchio's joints and bodies in Pinocchio's order. Velocities
    and forces are the same numbers. So are positions, except that planar and unbounded revolute
    joints have an angle in place of its cosine and sine: `px.robots.pinocchio_convention` converts.
    Armature is the joints' `rotor_inertia`; damping and dry friction are their `friction`. Frames
    are Pinocchio's; of several with one name that of a body counts, or else the first.

    **Raises:** `px.RobotError` if it is not such a model, or has other joints;
    `px.MissingPackageError` if Pinocchio is not installed.

    **Example:**

    >>> import pinocchio
    >>> model = pinocchio.buildSampleModelManipulator()
    >>> robot = px.robots.from_pinocchio(model)
    >>> robot
    <Robot : 6 joints, a chain, 3.3 kg moving, gravity (0 0 -9.81) m/s²>
    >>> data, q = model.createData(), np.full(robot.nq, 0.3)
    >>> np.allclose(px.mass_matrix(robot, q), pinocchio.crba(model, data, q))
    True
    """
    model = _checked(model)
    what = f"robot {quoted(model.name)}"
    with naming("Pinocchio model"), np.errstate(all="ignore"):
        joints, bodies, last = _tree(model)
        frames, dropped = _frames(model, last)
        faulty, placed = Faulty(), []
        for purpose, given in (("visual", visual), ("collision", collision)):
            if given is not None:
                placed += shapes(given, purpose, last, faulty)
        closed = loops(constraints, last)
        root = _inertia(model.inertias[0])
        if floating_base:
            parts = free_root(joints, bodies, frames, placed, root, of=model.name)
            (joints, bodies, frames, placed), root = parts, NOTHING
            closed = [loop.carried(one_further) for loop in closed]
        moving(joints, model.name)
        robot = Robot(
            model.name,
            joints,
            bodies,
            frames,
            tuple(np.asarray(model.gravity.linear).tolist()),
            root=root,
            warn=False,
            ignored=[
                *[f"frames whose names others have: {listing(dropped, MOST)}"] * bool(dropped),
                *faulty.sentences,
            ],
            shapes=placed,
            loops=closed,
        )
        named = {
            f"the body of joint {quoted(joint.name)}": body
            for joint, body in zip(joints, bodies, strict=True)
        }
        warn_of(what, [*weightless(robot, "a body a mass"), *implausible(named)])
    return robot


def pinocchio_convention(robot: Robot, model) -> Convention:
    """How Pinocchio writes the states of a robot.

    **Arguments:**

    - `robot`: a `px.Robot`, from whatever description.
    - `model`: a `pinocchio.Model` with joints of the same names, in any order and perhaps with
      more.

    **Returns:** a `px.robots.Convention`.

    **Raises:** `px.RobotError` if the model lacks a joint of the robot, or has it of another kind.

    **Example:**

    >>> import pinocchio
    >>> model = pinocchio.buildSampleModelHumanoid()
    >>> robot = px.robots.from_pinocchio(model)
    >>> convention = px.robots.pinocchio_convention(robot, model)
    >>> q, qd = px.robots.random_states(robot, seed=0)
    >>> there = convention.to_position(q)
    >>> np.allclose(convention.from_position(there), q)
    True
    """
    pinocchio, model = pinocchio_package(), _checked(model)
    written = [part.written for i in range(1, model.njoints) for part in _parts(model, i)]
    return Convention(robot, written, "Pinocchio", pinocchio.neutral(model), model.nv)


def _checked(model):
    pinocchio = pinocchio_package()
    if not isinstance(model, pinocchio.Model):
        raise RobotError(f"model: expected a pinocchio.Model, found {type(model).__name__}")
    return model


def _tree(model):
    """Joints and inertias, and of each joint of Pinocchio the index of the body on it here."""
    joints, bodies, last = [], [], [WORLD]
    for i in range(1, model.njoints):
        with naming(f"joint {quoted(model.names[i])}"):
            body = last[model.parents[i]]
            for part in _parts(model, i):
                where = part.written
                place = (body, part.placement, part.axis)
                drive = _drive(model, where)
                joint = Joint(where.name, where.kind, *place, **part.rest, **drive)
                body = len(joints)
                joints.append(joint)
                bodies.append(NOTHING)
            bodies[body] = _inertia(model.inertias[i])
            last.append(body)
    return joints, bodies, last


def _parts(model, i):
    """The Parts of a joint of Pinocchio."""
    name, joint, seat = model.names[i], model.joints[i], a_pose(model.jointPlacements[i])
    if _word(joint) == "Mimic":
        kind, axis, coupling = _mimic(model, i)
        return [Part(Written(name, kind, None, None), seat, axis, {"coupling": coupling})]
    found = _expanded(joint, seat)
    parts, q, v = [], joint.idx_q, joint.idx_v
    for k, (kind, placement, axis, rest) in enumerate(found, start=1):
        own = name if len(found) == 1 else f"{name}.{k}"
        written = Written(own, kind, q, v, HOW.get(kind, SAME))
        parts.append(Part(written, placement, axis, rest))
        nq, nv = SIZES[kind]
        q, v = q + nq + (written.how == COSINE), v + nv
    return parts


def _word(joint):
    return joint.shortname().removeprefix("JointModel")


def _mimic(model, i):
    """The kind and axis of a mimic joint, and whom it follows."""
    joint, inner = model.joints[i], model.joints[i].extract()
    data = joint.createData()
    joint.calc(data, pinocchio_package().neutral(model))
    twist = np.asarray(data.S).ravel()
    if not inner.scaling:
        raise RobotError("expected a mimic joint that moves, found the scaling 0")
    kind, along = ("revolute", twist[3:]) if twist[3:].any() else ("prismatic", twist[:3])
    if twist[:3].any() and twist[3:].any():
        raise RobotError("expected a mimic joint that turns or slides, found one that does both")
    axis = checked_axis(tuple((along / inner.scaling).tolist()), kind)
    leader = dict(zip(model.mimicking_joints, model.mimicked_joints, strict=True))[i]
    return kind, axis, Coupling(model.names[leader], (inner.offset, inner.scaling))


def _expanded(joint, placement):
    """(kind, placement, axis, rest) of what a joint of Pinocchio is made of."""
    word = _word(joint)
    if word == "Composite":
        inner = joint.extract() if hasattr(joint, "extract") else joint
        found = []
        for each, seat in zip(inner.joints, inner.jointPlacements, strict=True):
            found += _expanded(each, placement @ a_pose(seat))
            placement = Pose()
        return found
    if word not in KINDS:
        raise RobotError(
            f"expected a joint that is read ({', '.join(KINDS)}, Composite), found {word}"
        )
    found = []
    for kind, axis in KINDS[word]:
        rest = {}
        if axis is None:
            axis, rest = _axes(joint, kind)
        found.append((kind, placement, axis, rest))
        placement = Pose()
    return found


def _axes(joint, kind):
    """The axis of a joint, and what else its velocities at zero tell of it."""
    data = joint.createData()
    zero = np.zeros(joint.idx_q + joint.nq)
    if kind == "continuous":
        zero[-2] = 1.0  # the cosine
    joint.calc(data, zero)
    subspace = np.asarray(data.S).reshape(6, -1)
    rows = subspace[:3] if kind == "prismatic" else subspace[3:]
    axes = [checked_axis(tuple(column.tolist()), kind) for column in rows.T]
    if kind == "universal":
        return axes[0], {"second_axis": axes[1]}
    if kind == "helical":
        return axes[0], {"pitch": float(subspace[:3, 0] @ axes[0])}
    return axes[0], {}


def _drive(model, where):
    """What a joint has of rotors, losses and limits, as fields of Joint."""
    if where.v is None:  # Pinocchio gives it to the joint that it follows
        return {}
    dofs = slice(where.v, where.v + SIZES[where.kind][1])
    drive = {"rotor_inertia": _one(model.armature[dofs], "armature")}
    viscous = _one(model.damping[dofs], "damping")
    upper = getattr(model, "upperDryFrictionLimit", None)
    dry = _one((model.friction if upper is None else upper)[dofs], "dry friction")
    drive["friction"] = Friction(viscous=viscous, coulomb=dry) if viscous or dry else NO_FRICTION
    drive["max_velocity"] = _limit(model.velocityLimit[dofs].min())
    drive["max_effort"] = _limit(model.effortLimit[dofs].min())
    if where.kind in ("revolute", "prismatic", "helical"):
        drive["lower"] = -_limit(-model.lowerPositionLimit[where.q])
        drive["upper"] = _limit(model.upperPositionLimit[where.q])
    return drive


def _one(values, what):
    """The value that all degrees of freedom of a joint have."""
    if (values != values[0]).any():
        raise RobotError(
            f"{what}: expected the same for all degrees of freedom of the joint, found "
            f"{values.tolist()}"
        )
    return float(values[0])


def _limit(value):
    return math.inf if not value < ENDLESS else float(value)


def _frames(model, last):
    """The frames of the model, one of each name, and the names of those left out."""
    chosen, dropped = {}, []
    body = pinocchio_package().FrameType.BODY
    for k, frame in enumerate(model.frames):
        if frame.name in chosen:
            dropped.append(frame.name)
            if model.frames[chosen[frame.name]].type == body or frame.type != body:
                continue
        chosen[frame.name] = k
    frames = []
    for name, k in sorted(chosen.items(), key=lambda item: item[1]):
        with naming(f"frame {quoted(name)}"):
            frame = model.frames[k]
            frames.append(Frame(name, last[frame.parentJoint], a_pose(frame.placement)))
    return frames, dropped


def _inertia(inertia):
    if inertia.mass == 0.0 and not np.any(inertia.inertia):
        return NOTHING
    return Inertia.of(inertia.mass, np.asarray(inertia.lever).tolist(), inertia.inertia, "body")
