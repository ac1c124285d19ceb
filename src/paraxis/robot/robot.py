"""The robot: a tree of bodies joined one degree of freedom at a time. Immutable."""

import hashlib
import warnings
from collections import Counter
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np

from ..errors import ArgumentError, RobotError, RobotWarning
from .friction import NO_FRICTION, Friction, LinearBearing
from .inertia import Inertia
from .joint import KINDS, WORLD, checked_axis
from .pose import Pose, floats
from .text import listing, quoted
from .transmission import Transmission

STANDARD_GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, slots=True)
class Frame:
    """A named place on a body: every link of a description, moving or fixed, is one."""

    name: str
    body: int  # WORLD, or the index of the body it is fixed to
    pose: Pose = Pose()  # in that body's frame


@dataclass(frozen=True, repr=False)
class Robot:
    """Joints parents first; body i is what joint i carries. Build with `px.load` or `from_dh`."""

    name: str
    joints: tuple
    inertias: tuple  # one Inertia a joint: the body it carries, in that body's frame
    frames: tuple = ()
    gravity: tuple = STANDARD_GRAVITY  # m/s^2, in world coordinates
    base: Pose = Pose()  # of the root frame in the world
    warn: bool = field(default=True, compare=False)

    def __post_init__(self):
        set_ = object.__setattr__  # the one moment a frozen object may be written
        set_(self, "joints", tuple(self.joints))
        set_(self, "inertias", tuple(self.inertias))
        set_(self, "frames", tuple(self.frames))
        set_(self, "gravity", floats(self.gravity, 3, f"robot {self.name!r} gravity"))
        _check(self)

    # -- shape ---------------------------------------------------------------

    @property
    def n(self):
        """The number of joints."""
        return len(self.joints)

    nq = nv = n  # equal for one-degree-of-freedom joints; code asks for the one it means

    @property
    def joint_names(self):
        return [joint.name for joint in self.joints]

    @property
    def frame_names(self):
        return [frame.name for frame in self.frames]

    @cached_property
    def branching(self):
        """The indices of bodies (or WORLD) that carry more than one joint."""
        carried = Counter(joint.parent for joint in self.joints)
        return sorted(body for body, count in carried.items() if count > 1)

    @cached_property
    def ancestors(self):
        """Of each body: those that carry it, nearest first."""
        found = []
        for joint in self.joints:
            found.append(() if joint.parent == WORLD else (joint.parent, *found[joint.parent]))
        return found

    def path(self, body):
        """The joints that move a body (none for WORLD), nearest first."""
        return () if body == WORLD else (body, *self.ancestors[body])

    def frame(self, name):
        """The frame of that name."""
        for frame in self.frames:
            if frame.name == name:
                return frame
        raise RobotError(
            f"robot {quoted(self.name)} has no frame {quoted(name)}; "
            f"it has {listing(self.frame_names)}"
        )

    # -- variations ----------------------------------------------------------

    def with_gravity(self, gravity):
        """The same robot under another gravity (m/s^2, world coordinates)."""
        return replace(self, gravity=gravity, warn=False)

    def with_base(self, base):
        """The same robot standing elsewhere: `base` is a Pose or a 4x4 matrix in the world."""
        pose = base if isinstance(base, Pose) else Pose.from_matrix(base, "base")
        return replace(self, base=pose, warn=False)

    def with_drives(self, drives):
        """The same robot with other friction and transmissions, where `drives` names them.

        drives: {joint name: {"friction": Friction, "transmission": Transmission}}, either part may
        be left out; or the path of a YAML file that says so (see robot/drives.py).
        """
        from .drives import with_drives

        return with_drives(self, drives)

    def without_friction(self):
        """The same robot with bearings and transmissions that lose nothing."""
        return replace(
            self,
            joints=tuple(
                replace(
                    joint,
                    friction=NO_FRICTION,
                    transmission=replace(joint.transmission, efficiency=1.0, break_away=0.0),
                )
                for joint in self.joints
            ),
            warn=False,
        )

    @property
    def ratios(self):
        """How many times as fast as its joint each motor turns."""
        return tuple(joint.transmission.ratio for joint in self.joints)

    @property
    def has_losses(self):
        """Does any joint have friction, or a transmission that loses something?"""
        return any(joint.has_losses for joint in self.joints)

    def with_payload(self, mass, com=(0, 0, 0), inertia=(0, 0, 0), frame=None):
        """The same robot holding a body, described in `frame` (by default the last one)."""
        place = self.frame(frame) if frame is not None else self.tool()
        if place.body == WORLD:
            raise RobotError(f"payload: frame {place.name!r} is fixed to the world")
        load = Inertia.of(mass, com, inertia, "payload")
        warn_if_implausible(load, "payload")
        load = load.seen_from(place.pose)
        inertias = list(self.inertias)
        inertias[place.body] = inertias[place.body] + load
        return replace(self, inertias=tuple(inertias), warn=False)

    def tool(self):
        """The last frame of the robot's tip, which is what it works with."""
        parents = {joint.parent for joint in self.joints}
        tips = [i for i in range(self.n) if i not in parents]
        if len(tips) != 1:
            last = {frame.body: frame.name for frame in self.frames}
            names = [last.get(i, self.joints[i].name) for i in tips]
            raise RobotError(
                f"robot {quoted(self.name)}: name a frame, as it has {len(tips)} tips, with "
                f"{listing(names)}"
            )
        on_tip = [frame for frame in self.frames if frame.body == tips[0]]
        return on_tip[-1] if on_tip else Frame("tip", tips[0])

    def subchain(self, tip):
        """Only the joints between the root and the frame `tip`; other bodies are left out."""
        kept = self.path(self.frame(tip).body)[::-1]
        if not kept:
            raise RobotError(f"tip {tip!r} is fixed to the world: no joint moves it")
        index = {old: new for new, old in enumerate(kept)} | {WORLD: WORLD}
        return replace(
            self,
            joints=tuple(
                replace(self.joints[i], parent=index[self.joints[i].parent]) for i in kept
            ),
            inertias=tuple(self.inertias[i] for i in kept),
            frames=tuple(replace(f, body=index[f.body]) for f in self.frames if f.body in index),
            warn=False,
        )

    # -- readers -------------------------------------------------------------

    @classmethod
    def from_dh(
        cls,
        rows,
        links,
        convention="modified",
        kinds=None,
        name="robot",
        joint_names=None,
        gravity=STANDARD_GRAVITY,
        rotor_inertia=None,
        warn=True,
    ):
        """A serial chain from Denavit-Hartenberg rows.

        rows: (alpha, a, d, theta) a joint, in Craig's "modified" or the "standard" convention.
        links: (mass, com, inertia) a joint, in the convention's link frame; inertia about the
        centre of mass as 3, 6 (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) or 3x3 numbers. kinds: "revolute"
        or "prismatic" a joint.
        """
        from .dh import dh_chain

        chain = dh_chain(rows, links, convention, kinds, joint_names, rotor_inertia)
        return cls(name, *chain, gravity, warn=warn)

    # -- identity ------------------------------------------------------------

    @cached_property
    def digest(self):
        """A hash of every number that moves the robot; names do not enter."""
        h = hashlib.sha256()
        for joint, inertia in zip(self.joints, self.inertias, strict=True):
            h.update(f"{joint.is_revolute} {joint.parent}".encode())
            numbers = (*sum(joint.placement.rotation, ()), *joint.placement.translation)
            numbers += (*joint.axis, joint.reflected_inertia)
            numbers += (inertia.mass, *inertia.com, *inertia.about_com)
            h.update(np.array(numbers).tobytes())
            h.update(np.array((*joint.friction.numbers, *joint.transmission.numbers)).tobytes())
        h.update(np.array((*self.gravity, *self.base.matrix.flat)).tobytes())
        return h.hexdigest()

    @cached_property
    def _functions(self):
        """Compiled functions of this robot, kept by `api`."""
        return {}

    @cached_property
    def _graphs(self):
        """Traced functions of this robot, kept by `api` for use inside other traces."""
        return {}

    def __getstate__(self):
        """What a copy or a pickle keeps: the description, not the machine code."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __repr__(self):
        from .table import shown, summary

        return f"<Robot {shown(self.name)}: {summary(self)}>"

    def __str__(self):
        from .table import robot_table

        return robot_table(self)


def warn_if_implausible(inertia, what):
    """Say so when no solid body has this inertia; it can be computed with all the same."""
    reason = inertia.implausible()
    if reason:
        message = f"{what}: {reason}; computing with it as given"
        warnings.warn(message, RobotWarning, stacklevel=5)


def a_robot(robot):
    """The robot that a function was given, or an error when it is none."""
    if not isinstance(robot, Robot):
        found = type(robot).__name__
        raise ArgumentError(f"robot: expected a Robot (px.load makes one), found {found}")
    return robot


def check_frame_name(frame):
    """Raise when what should name a frame, or be None, is something else."""
    if frame is not None and not isinstance(frame, str):
        raise ArgumentError(f"frame: expected the name of a frame, found {type(frame).__name__}")


def _check(robot):
    """Raise on anything that is not a robot; warn on a body that could not be built."""
    name = quoted(robot.name)
    if not robot.joints:
        raise RobotError(f"robot {name}: expected at least one moving joint, found none")
    if len(robot.joints) != len(robot.inertias):
        raise RobotError(
            f"robot {name}: {len(robot.joints)} joints but {len(robot.inertias)} inertias"
        )
    seen, links = set(), {frame.body: frame.name for frame in reversed(robot.frames)}
    for i, (joint, inertia) in enumerate(zip(robot.joints, robot.inertias, strict=True)):
        what = f"joint {quoted(joint.name)}"
        if joint.name in seen:
            raise RobotError(f"{what}: the name is used twice")
        seen.add(joint.name)
        if joint.kind not in KINDS:
            raise RobotError(f"{what} kind: expected one of {KINDS}, found {joint.kind!r}")
        if not isinstance(joint.parent, int) or not WORLD <= joint.parent < i:
            raise RobotError(
                f"{what} parent: expected {WORLD} or an earlier joint, found {joint.parent!r}"
            )
        unit = checked_axis(joint.axis, what)
        if max(abs(a - b) for a, b in zip(unit, joint.axis, strict=True)) > 1e-12:
            raise RobotError(f"{what} axis: expected a unit vector, found {joint.axis}")
        _check_pose(joint.placement, f"{what} placement")
        if joint.rotor_inertia < 0:
            found = joint.rotor_inertia
            raise RobotError(f"{what} rotor inertia: expected a number >= 0, found {found}")
        _check_drive(joint, what)
        if not isinstance(inertia, Inertia):
            found = type(inertia).__name__
            raise RobotError(f"link of {what}: expected an Inertia, found {found}")
        Inertia.of(inertia.mass, inertia.com, inertia.about_com, f"link of {what}")
        if robot.warn:
            link = f"link {quoted(links[i])} of {what}" if i in links else f"link of {what}"
            warn_if_implausible(inertia, f"robot {name}, {link}")
    _check_pose(robot.base, f"robot {name} base")
    for frame in robot.frames:
        what = f"frame {quoted(frame.name)}"
        if not isinstance(frame.body, int) or not WORLD <= frame.body < robot.n:
            raise RobotError(
                f"{what} body: expected {WORLD} or the index of a joint, found {frame.body!r}"
            )
        _check_pose(frame.pose, f"{what} pose")
    frames = robot.frame_names
    if len(set(frames)) != len(frames):
        twice = next(name for name in frames if frames.count(name) > 1)
        raise RobotError(f"frame {quoted(twice)}: the name is used twice")


def _check_drive(joint, what):
    for part, kind in (("friction", Friction), ("transmission", Transmission)):
        if not isinstance(getattr(joint, part), kind):
            found = type(getattr(joint, part)).__name__
            raise RobotError(f"{what} {part}: expected a {kind.__name__}, found {found}")
    for bearing in joint.friction.bearings:
        if isinstance(bearing, LinearBearing) == joint.is_revolute:
            expected = "a journal or thrust bearing" if joint.is_revolute else "a linear bearing"
            found = type(bearing).__name__
            raise RobotError(f"{what} friction: expected {expected}, found a {found}")


def _check_pose(pose, what):
    if not isinstance(pose, Pose):
        raise RobotError(f"{what}: expected a Pose, found {type(pose).__name__}")
    Pose.of(pose.rotation, pose.translation, what)
