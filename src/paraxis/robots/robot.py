"""The robot: a tree of bodies joined one degree of freedom at a time. Immutable."""

import hashlib
import math
from collections import Counter
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np

from ..checks import did_you_mean, listing, quoted, shown
from ..errors import ArgumentError, RobotError
from .check import check, implausible, warn_of
from .frame import Frame
from .friction import NO_FRICTION
from .inertia import Inertia
from .joint import WORLD
from .numbers import array_of, flat, rotations
from .pose import Pose, floats

STANDARD_GRAVITY = (0.0, 0.0, -9.81)


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
        check(self)

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
    def depth(self):
        """The number of joints in a row on the longest way from the root to a tip."""
        depths = []
        for joint in self.joints:
            depths.append(1 if joint.parent == WORLD else depths[joint.parent] + 1)
        return max(depths)

    @cached_property
    def ancestors(self):
        """Of each body: those that carry it, nearest first. As many as n² / 2, for a chain."""
        found = []
        for joint in self.joints:
            found.append(() if joint.parent == WORLD else (joint.parent, *found[joint.parent]))
        return found

    def path(self, body, most=math.inf):
        """The joints that move a body (none for WORLD), nearest first, so many at most."""
        found = []
        while body != WORLD and len(found) < most:
            found.append(body)
            body = self.joints[body].parent
        return tuple(found)

    def frame(self, name):
        """The frame of that name."""
        if name not in self._frames_by_name:
            raise RobotError(
                f"robot {quoted(self.name)} has no frame {quoted(name)}; "
                f"it has {listing(self.frame_names) if self.frames else 'none'}"
                f"{did_you_mean(name, self.frame_names)}"
            )
        return self._frames_by_name[name]

    @cached_property
    def _frames_by_name(self):
        return {frame.name: frame for frame in self.frames}

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
        be left out; or the path of a YAML file that says so (see robots/drives.py).
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

    @cached_property
    def has_losses(self):
        """Does any joint have friction, or a transmission that loses something?"""
        return any(joint.has_losses for joint in self.joints)

    @cached_property
    def has_bearings(self):
        """Does a bearing's friction make accelerations depend on themselves?"""
        return any(joint.friction.bearings for joint in self.joints)

    def with_payload(self, mass, com=(0, 0, 0), inertia=(0, 0, 0), frame=None):
        """The same robot holding a body, described in `frame` (by default the last one)."""
        place = self.frame(frame) if frame is not None else self.tool()
        if place.body == WORLD:
            raise RobotError(f"payload: frame {place.name!r} is fixed to the world")
        load = Inertia.of(mass, com, inertia, "payload")
        warn_of("payload", implausible({"its inertia": load}))
        load = load.seen_from(place.pose)
        inertias = list(self.inertias)
        inertias[place.body] = inertias[place.body] + load
        return replace(self, inertias=tuple(inertias), warn=False)

    @cached_property
    def tips(self):
        """The bodies that carry no joint."""
        parents = {joint.parent for joint in self.joints}
        return [i for i in range(self.n) if i not in parents]

    def tool(self):
        """The last frame of the robot's tip, which is what it works with."""
        tips = self.tips
        if len(tips) != 1:
            raise RobotError(f"robot {quoted(self.name)} {self._tips_in_words()}")
        on_tip = [frame for frame in self.frames if frame.body == tips[0]]
        return on_tip[-1] if on_tip else Frame("tip", tips[0])

    def _tips_in_words(self):
        """Which frames may be meant by a robot's tool: of the hand first, then of its fingers."""
        last = {frame.body: frame.name for frame in self.frames}
        names = [last.get(i, self.joints[i].name) for i in self.tips]
        carried = Counter(self.tips)  # how many tips each body carries, itself among them
        for i in range(self.n - 1, -1, -1):
            carried[self.joints[i].parent] += carried[i]
        hand = max((i for i in range(self.n) if carried[i] == len(self.tips)), default=WORLD)
        on_hand = [frame.name for frame in self.frames if frame.body == hand != WORLD]
        carries = f"{listing(on_hand[::-1])} (carrying all of them), or " if on_hand else ""
        return f"has {len(self.tips)} tips, so name a frame: {carries}{listing(names)}"

    def locked(self, positions):
        """The same robot with joints held in place: `positions` is {joint name: position}.

        What they carry becomes part of the body that carries them, so all mass stays; friction,
        transmissions and rotor inertias of joints that no longer move are gone. Frames stay.
        """
        from .locking import locked

        return locked(self, positions)

    def subchain(self, tip, locked=None, drop_rest=False):
        """Only the joints between the root and the frame `tip`, which becomes the tool.

        All other joints, on side branches and beyond the tip, are held at zero, or where `locked`
        ({joint name: position}) says, so that what they carry still weighs on the chain. With
        `drop_rest` these bodies are left out instead, with their mass.
        """
        from .locking import subchain

        return subchain(self, tip, locked, drop_rest)

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
        joints, bodies, n = self.joints, self.inertias, self.n
        seats = [joint.placement for joint in joints]
        drives = [part for joint in joints for part in (joint.friction, joint.transmission)]
        of_drive = {key: part.numbers for key, part in {id(part): part for part in drives}.items()}
        h = hashlib.sha256()
        for numbers in (
            np.fromiter((joint.is_revolute for joint in joints), bool, n),
            np.fromiter((joint.parent for joint in joints), np.int64, n),
            rotations(seats),
            array_of((seat.translation for seat in seats), n, 3),
            array_of((joint.axis for joint in joints), n, 3),
            np.fromiter((joint.reflected_inertia for joint in joints), float, n),
            np.fromiter((body.mass for body in bodies), float, n),
            array_of((body.com for body in bodies), n, 3),
            array_of((body.about_com for body in bodies), n, 6),
            np.fromiter(flat(of_drive[id(part)] for part in drives), float),
            np.array((*self.gravity, *self.base.matrix.flat)),
        ):
            h.update(numbers)
        return h.hexdigest()

    def __hash__(self):
        return hash(self.digest)

    @cached_property
    def calls(self):
        """What calls.py has ready for this robot, and for as long as there is this robot."""
        return {}

    def __getstate__(self):
        """What a copy or a pickle keeps: the description."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __repr__(self):
        from .table import summary

        return f"<Robot {shown(self.name)}: {summary(self)}>"

    def __str__(self):
        from .table import robot_table

        return robot_table(self)


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
