"""The robot: a tree of bodies connected by joints. Immutable."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from os import PathLike
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..checks import did_you_mean, listing, quoted, shown
from ..errors import ArgumentError, RobotError
from .check import check, implausible, warn_of
from .digest import digest_of
from .frame import Frame
from .friction import NO_FRICTION
from .inertia import NOTHING, Inertia
from .joint import SINGLE, WORLD, Joint
from .limits import effort_limit, position_limits, velocity_limit
from .loop import Loop, check_loops
from .pose import Pose, floats
from .shape import Shape
from .tendon import Tendon
from .welding import without_fixed_joints

STANDARD_GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, repr=False)
class Robot:
    """A tree of bodies and joints. Immutable; made by `px.load`, `Robot.from_dh` or from its parts.

    **Arguments:**

    - `name`: any text.
    - `joints`: a list of `px.robots.Joint`, parents first. Joint i carries body i. Fixed joints are
      removed: the body of each becomes part of the body that carries it, a frame of the joint's
      name remains, and the other joints are renumbered.
    - `inertias`: one `px.robots.Inertia` per joint: body i, in its own frame.
    - `frames`: a list of `px.robots.Frame`, named poses on bodies; the last one on the tip is the
      tool.
    - `gravity`: `(3,)`, m/s², in world coordinates.
    - `base`: the `px.robots.Pose` of the root frame in the world.
    - `root`: the `px.robots.Inertia` of the link that is fixed to the world, in the root frame. It
      matters only once that link is free to move: see `with_floating_base`.
    - `tendons`: a list of `px.robots.Tendon`, springs and friction along sums of joint positions.
    - `warn`: whether to warn about bodies that cannot exist, and if none has any inertia.
    - `ignored`: sentences about parts of a description that were not read; readers fill it.
    - `shapes`: a list of `px.robots.Shape`, for pictures and collision. No function of a robot
      depends on them, and robots that differ only in them are equal.
    - `loops`, `independent`: a list of `px.robots.Loop`, and the names of the joints that torques
      act on: see `with_loops`.

    All but `warn` are attributes of the same names.

    **Raises:** `px.RobotError` if anything is not valid, with the name of the joint or frame.

    **Example:**

    >>> robot = px.load("ur5")
    >>> robot.nq, robot.effort_limit
    (6, array([150., 150., 150.,  28.,  28.,  28.]))
    >>> heavy = robot.with_payload(5.0, com=(0.0, 0.0, 0.1))
    >>> px.gravity_torques(heavy, np.zeros(6)) - px.gravity_torques(robot, np.zeros(6))
    array([  0.   , -40.086, -19.24 ,   0.   ,   0.   ,   0.   ])
    >>> robot.locked({"elbow_joint": 0.5}).n
    5
    >>> link = (2.0, (0.1, 0.0, 0.0), (0.01, 0.01, 0.01))  # mass, centre of mass, inertia
    >>> arm = px.Robot.from_dh([(0.0, 0.0, 0.3, 0.0)], [link])
    >>> px.mass_matrix(arm, [0.0])  # 0.01 + 2 * 0.1²
    array([[0.03]])
    """

    name: str
    joints: Sequence[Joint]
    inertias: Sequence[Inertia]
    frames: Sequence[Frame] = ()
    gravity: Sequence[float] = STANDARD_GRAVITY
    base: Pose = Pose()
    root: Inertia = NOTHING
    warn: bool = field(default=True, compare=False)
    ignored: Sequence[str] = field(default=(), compare=False)
    shapes: Sequence[Shape] = field(default=(), compare=False)
    loops: Sequence[Loop] = ()
    independent: Sequence[str] | None = None
    tendons: Sequence[Tendon] = ()

    def __post_init__(self):
        set_ = object.__setattr__  # the one moment a frozen object may be written
        set_(self, "joints", tuple(self.joints))
        set_(self, "inertias", tuple(self.inertias))
        set_(self, "frames", tuple(self.frames))
        set_(self, "ignored", tuple(self.ignored))
        set_(self, "shapes", tuple(self.shapes))
        set_(self, "loops", tuple(self.loops))
        if self.independent is not None:
            if isinstance(self.independent, str):
                raise RobotError(
                    f"independent: expected a sequence of names, found {self.independent!r}"
                )
            set_(self, "independent", tuple(self.independent))
        set_(self, "tendons", tuple(self.tendons))
        set_(self, "gravity", floats(self.gravity, 3, f"robot {self.name!r} gravity"))
        check(self)
        check_loops(self)
        if any(joint.kind == "fixed" for joint in self.joints):
            description = self.__getstate__() | without_fixed_joints(self)
            vars(self).clear()  # also of what the checks have asked for
            vars(self).update(description)

    # -- shape ---------------------------------------------------------------

    @property
    def n(self) -> int:
        """The number of joints."""
        return len(self.joints)

    @cached_property
    def nq(self) -> int:
        """How many numbers the positions of all joints have."""
        return sum(joint.nq for joint in self.joints)

    @cached_property
    def nv(self) -> int:
        """The number of degrees of freedom."""
        return sum(joint.nv for joint in self.joints)

    @cached_property
    def has_single_joints(self) -> bool:
        """Whether every joint has one degree of freedom and follows no other, without loops."""
        kinds = {joint.kind for joint in self.joints}
        alone = kinds <= {*SINGLE} and not any(joint.coupling for joint in self.joints)
        return alone and not self.loops

    @property
    def own_rows(self) -> Sequence[Joint]:
        """A single joint for each degree of freedom."""
        return self.joints

    def spread(self, name: str, values: Sequence) -> Sequence:
        """A parameter of the robot's joints, row by row (robots/rows.py)."""
        return values

    def gathered(self, values: Sequence) -> Sequence:
        """Of values row by row, those of the bodies themselves."""
        return values

    @property
    def described(self) -> Robot:
        """The robot that this one has the rows of (robots/rows.py): itself."""
        return self

    @cached_property
    def groups(self) -> Sequence[range]:
        """The rows of each joint, by index (robots/rows.py): itself."""
        return [range(i, i + 1) for i in range(self.n)]

    @cached_property
    def followers(self) -> dict:
        """{row: what it follows} of rows that follow others (robots/rows.py): none."""
        return {}

    @property
    def joint_names(self) -> list[str]:
        """The names of the joints, in the order of entries of q."""
        return [joint.name for joint in self.joints]

    @property
    def frame_names(self) -> list[str]:
        """The names of the frames, in the order of `px.frame_poses`."""
        return [frame.name for frame in self.frames]

    @property
    def tendon_names(self) -> list[str]:
        """The names of the tendons."""
        return [tendon.name for tendon in self.tendons]

    @cached_property
    def branching(self) -> list[int]:
        """The indices of bodies (or WORLD) that carry more than one joint."""
        carried = Counter(joint.parent for joint in self.joints)
        return sorted(body for body, count in carried.items() if count > 1)

    @cached_property
    def depth(self) -> int:
        """The number of joints on the longest path from the root to a tip."""
        depths: list[int] = []
        for joint in self.joints:
            depths.append(1 if joint.parent == WORLD else depths[joint.parent] + 1)
        return max(depths)

    @cached_property
    def ancestors(self) -> list[tuple[int, ...]]:
        """For each body, the bodies that carry it, nearest first: up to n² / 2 for a chain."""
        found: list[tuple[int, ...]] = []
        for joint in self.joints:
            found.append(() if joint.parent == WORLD else (joint.parent, *found[joint.parent]))
        return found

    def path(self, body: int, most: float = math.inf) -> tuple[int, ...]:
        """The joints that move a body (none for WORLD), nearest first, at most `most`."""
        found: list[int] = []
        while body != WORLD and len(found) < most:
            found.append(body)
            body = self.joints[body].parent
        return tuple(found)

    def frame(self, name: str) -> Frame:
        """The frame of that name; `px.RobotError` if there is none."""
        if name not in self._frames_by_name:
            raise RobotError(
                f"robot {quoted(self.name)} has no frame {quoted(name)}; "
                f"it has {listing(self.frame_names) if self.frames else 'none'}"
                f"{did_you_mean(name, self.frame_names) or self._frame_of_joint(name)}"
            )
        return self._frames_by_name[name]

    def _frame_of_joint(self, name):
        """A hint how to make a frame of the body of a joint of that name, if there is one."""
        if name not in self._joint_indices:
            return ""
        made = f"Frame({quoted(name)}, {self._joint_indices[name]})"
        return f"; it is a joint: px.Robot(..., frames=[px.robots.{made}]) has a frame on its body"

    def joint(self, name: str) -> Joint:
        """The joint of that name; `px.RobotError` if there is none."""
        return self.joints[self.joint_index(name)]

    def joint_index(self, name: str) -> int:
        """The index of the joint of that name in `joints`; `px.RobotError` if there is none."""
        if name not in self._joint_indices:
            hint = did_you_mean(name, self.joint_names)
            if not hint and name in self._frames_by_name:
                body = self._frames_by_name[name].body
                moved = "is fixed to the world"
                if body != WORLD:
                    moved = f"is on the body of joint {quoted(self.joints[body].name)}"
                hint = f"; {quoted(name)} is a frame, which {moved}"
            raise RobotError(
                f"robot {quoted(self.name)} has no joint {quoted(name)}; "
                f"it has {listing(self.joint_names)}{hint}"
            )
        return self._joint_indices[name]

    @cached_property
    def _joint_indices(self):
        return {name: i for i, name in enumerate(self.joint_names)}

    @cached_property
    def _frames_by_name(self):
        return {frame.name: frame for frame in self.frames}

    # -- limits --------------------------------------------------------------

    @property
    def lower(self) -> np.ndarray:
        """The lower position limits, `(nq,)`, rad or m.

        It is -inf where there is none: for quaternions, and for positions of planar and free
        joints. Limits of a joint that follows one other hold for that one, too, where they are
        a range of it.
        """
        return self._position_limits[0]

    @property
    def upper(self) -> np.ndarray:
        """The upper position limits, (nq,), rad or m; inf where there is none."""
        return self._position_limits[1]

    @cached_property
    def _position_limits(self):
        return position_limits(self)

    @cached_property
    def velocity_limit(self) -> np.ndarray:
        """The largest velocities, `(nv,)`, rad/s or m/s; inf where there is no limit.

        The limit of a joint that follows one other linearly holds for that one, too.
        """
        return velocity_limit(self)

    @cached_property
    def effort_limit(self) -> np.ndarray:
        """The largest torques and forces, (nv,), N m or N; inf where there is no limit."""
        return effort_limit(self)

    # -- variations ----------------------------------------------------------

    def with_gravity(self, gravity: Sequence[float]) -> Robot:
        """The same robot under another gravity, (3,), m/s², in world coordinates."""
        return replace(self, gravity=gravity, warn=False)

    def with_base(self, base: Pose | ArrayLike) -> Robot:
        """The same robot at another `base`: a Pose or a 4x4 matrix in the world."""
        pose = base if isinstance(base, Pose) else Pose.from_matrix(base, "base")
        return replace(self, base=pose, warn=False)

    def with_floating_base(self, name: str = "floating_base") -> Robot:
        """The same robot with its root link free to move: a free joint comes first.

        **Arguments:**

        - `name`: of the free joint.

        **Returns:** a robot whose position begins with that of the root link in the root frame (x,
        y, z and a unit quaternion x, y, z, w) and whose velocity begins with that of the root link
        along its own axes (linear, angular). Frames that were fixed to the world are on it.

        **Raises:** `px.RobotError` if there is a joint of that name.
        """
        from .floating import with_floating_base

        return with_floating_base(self, name)

    def with_loops(self, *loops: Loop, independent: Sequence[str] | None = None) -> Robot:
        """The same robot with further closed loops, between frames of its bodies.

        **Arguments:**

        - `loops`: `px.robots.Loop`s, such as `px.robots.Loop.connect("knee",
          robot.frame("rod_end"), robot.frame("crank_pin"))`.
        - `independent`: the names of the joints that torques act on; `px.inverse_dynamics` then
          finds those torques that are zero at all other joints. By default all joints, and the
          torques are those of least norm.

        **Raises:** `px.RobotError` if a frame is not on a body of the robot, both are on the same,
        a name is used twice, or the other joints have more degrees of freedom than loops can move.
        """
        named = self.independent if independent is None else independent
        return replace(self, loops=(*self.loops, *loops), independent=named, warn=False)

    def without_loops(self) -> Robot:
        """The same robot with all loops open: the tree of its joints."""
        return replace(self, loops=(), independent=None, warn=False) if self.loops else self

    def with_drives(self, drives: Mapping[str, Mapping] | str | PathLike) -> Robot:
        """The same robot with other friction and transmissions, where `drives` names them.

        **Arguments:**

        - `drives`: {joint name: {"friction": Friction, "transmission": Transmission}}, where either
          part may be omitted; or the path of a YAML file with the same content (robots/drives.py).

        **Raises:** `px.RobotError` if a joint or key is unknown, or the file cannot be read.
        """
        from .drives import with_drives

        return with_drives(self, drives)

    def without_friction(self) -> Robot:
        """The same robot with bearings and transmissions without losses."""
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
            tendons=tuple(replace(tendon, friction=NO_FRICTION) for tendon in self.tendons),
            warn=False,
        )

    def without_springs(self) -> Robot:
        """The same robot with no springs of joints and tendons, whose friction stays."""
        return replace(
            self,
            joints=tuple(replace(joint, spring=None) for joint in self.joints),
            tendons=tuple(replace(tendon, stiffness=0.0) for tendon in self.tendons),
            warn=False,
        )

    @cached_property
    def has_springs(self) -> bool:
        """Whether any joint or tendon has a spring."""
        if any(tendon.has_spring for tendon in self.tendons):
            return True
        return any(joint.spring is not None for joint in self.joints)

    @property
    def ratios(self) -> tuple[float, ...]:
        """For each degree of freedom, the speed of its motor over that of the joint."""
        return tuple(joint.transmission.ratio for joint in self.own_rows)

    @cached_property
    def has_losses(self) -> bool:
        """Whether any joint or tendon has friction, or a transmission has losses."""
        if any(tendon.has_losses for tendon in self.tendons):
            return True
        return any(joint.has_losses for joint in self.joints)

    @cached_property
    def has_bearings(self) -> bool:
        """Whether the friction of bearings makes accelerations depend on themselves."""
        return any(joint.friction.bearings for joint in self.joints)

    def with_payload(
        self,
        mass: float,
        com: Sequence[float] = (0, 0, 0),
        inertia: ArrayLike = (0, 0, 0),
        frame: str | None = None,
    ) -> Robot:
        """The same robot holding a body.

        **Arguments:**

        - `mass`: kg.
        - `com`: the centre of mass in `frame`, `(3,)`, m.
        - `inertia`: about the centre of mass, along the axes of `frame`, kg m²: 3 numbers (a
          diagonal), 6 (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) or a 3x3 matrix.
        - `frame`: the name of a frame; by default the tool.

        **Raises:** `px.RobotError` if the frame is unknown or fixed to the world.
        """
        held = self.frame(frame) if frame is not None else self.tool()
        if held.body == WORLD:
            raise RobotError(f"payload: frame {held.name!r} is fixed to the world")
        load = Inertia.of(mass, com, inertia, "payload")
        warn_of("payload", implausible({"its inertia": load}))
        load = load.seen_from(held.pose)
        inertias = list(self.inertias)
        inertias[held.body] = inertias[held.body] + load
        return replace(self, inertias=tuple(inertias), warn=False)

    @cached_property
    def tips(self) -> list[int]:
        """The bodies that carry no joint."""
        parents = {joint.parent for joint in self.joints}
        return [i for i in range(self.n) if i not in parents]

    def tool(self) -> Frame:
        """The last frame on the robot's tip; `px.RobotError` if it has several tips."""
        tips = self.tips
        if len(tips) != 1:
            raise RobotError(f"robot {quoted(self.name)} {self._tips_in_words()}")
        on_tip = [frame for frame in self.frames if frame.body == tips[0]]
        return on_tip[-1] if on_tip else Frame("tip", tips[0])

    def _tips_in_words(self):
        """The frames that may be meant as the tool: of the hand first, then of the fingers."""
        last = {frame.body: frame.name for frame in self.frames}
        names = [last.get(i, self.joints[i].name) for i in self.tips]
        carried = Counter(self.tips)  # how many tips each body carries, itself among them
        for i in range(self.n - 1, -1, -1):
            carried[self.joints[i].parent] += carried[i]
        hand = max((i for i in range(self.n) if carried[i] == len(self.tips)), default=WORLD)
        on_hand = [frame.name for frame in self.frames if frame.body == hand != WORLD]
        carries = f"{listing(on_hand[::-1])} (carrying all of them), or " if on_hand else ""
        return f"has {len(self.tips)} tips, so name a frame: {carries}{listing(names)}"

    def locked(self, positions: Mapping[str, float | ArrayLike]) -> Robot:
        """The same robot with some joints held in place.

        **Arguments:**

        - `positions`: {joint name: position}, rad or m; of a joint with several numbers in q, these
          numbers, with quaternions of unit length. Joints that follow one of them are held with it.

        **Returns:** a robot without these joints. The bodies they carry become part of the bodies
        that carry them, so all mass stays, and so do all frames; friction, transmissions and rotor
        inertias of joints that no longer move are gone.

        **Raises:** `px.RobotError` if a joint is unknown, a position is not one of it, or no joint
        is left to move.
        """
        from .locking import locked

        return locked(self, positions)

    def subchain(
        self,
        tip: str,
        locked: Mapping[str, float | ArrayLike] | None = None,
        drop_rest: bool = False,
    ) -> Robot:
        """Only the joints between the root and a frame, which becomes the tool.

        **Arguments:**

        - `tip`: the name of the frame.
        - `locked`: {joint name: position} for other joints, on side branches and beyond the tip;
          those not named are held at zero (quaternions: no rotation). The bodies they carry still
          weigh on the chain.
        - `drop_rest`: remove those bodies instead, with their mass.

        **Raises:** `px.RobotError` if a name is unknown, or no joint moves the tip.
        """
        from .locking import subchain

        return subchain(self, tip, locked, drop_rest)

    def with_attached(
        self,
        other: Robot,
        frame: str | None = None,
        pose: Pose | ArrayLike = Pose(),
        prefix: str = "",
    ) -> Robot:
        """The same robot with another one attached to it: a hand on an arm, an arm on a base.

        **Arguments:**

        - `other`: the robot to attach. Its root frame is fixed to `frame`, and what it has fixed
          to that (its `root`) with it. Its own base and gravity do not matter.
        - `frame`: the name of a frame of this robot; by default the tool.
        - `pose`: of the other robot's root frame in `frame`: a Pose or a 4x4 matrix.
        - `prefix`: put before the names of its joints and frames.

        **Returns:** a robot with its own joints first, then those of the other.

        **Raises:** `px.RobotError` if the frame is unknown, or both have a joint or frame of the
        same name.
        """
        from .attaching import with_attached

        return with_attached(self, other, frame, pose, prefix)

    def with_tool(
        self,
        name: str,
        inertia: Inertia = NOTHING,
        tip: Pose | ArrayLike = Pose(),
        frame: str | None = None,
    ) -> Robot:
        """The same robot with a tool fixed to it.

        **Arguments:**

        - `name`: of the new frame, the tool's tip: the robot's tool from now on.
        - `inertia`: a `px.robots.Inertia` in `frame`; by default the tool weighs nothing.
        - `tip`: the pose of the tip in `frame`: a Pose or a 4x4 matrix.
        - `frame`: the name of the frame that it is fixed to; by default the tool so far.

        **Raises:** `px.RobotError` if the frame is unknown, or the name is taken.
        """
        from .attaching import with_tool

        return with_tool(self, name, inertia, tip, frame)

    def without(self, *joints: str) -> Robot:
        """The same robot without some joints and all that they carry, with its mass.

        **Arguments:**

        - `joints`: their names. To keep the mass, lock the joints instead: see `locked`.

        **Raises:** `px.RobotError` if a joint is unknown, or none is left.
        """
        from .attaching import without

        return without(self, joints)

    def with_inertias(self, inertias: Mapping[str, Inertia]) -> Robot:
        """The same robot with other inertias of some bodies.

        **Arguments:**

        - `inertias`: {name: `px.robots.Inertia`}. The name of a joint stands for the body that it
          carries, in the body's frame; that of a link (a frame) for the body that it is part of,
          in the link's frame. It is the inertia of the whole body, with all links that are
          fixed to each other. A link that is fixed to the world stands for `root`.

        **Raises:** `px.RobotError` if a name is unknown, or two names are parts of one body.
        """
        from .reweighing import with_inertias

        return with_inertias(self, inertias)

    def snapped(self, tolerance: float) -> Robot:
        """The same robot with right angles exact where orientations and axes nearly have them.

        Descriptions write quarter and half turns with few digits (1.5708, 1.57079632679), and every
        one of them then costs operations in every state. Small angles are kept, as a zero needs few
        digits.

        **Arguments:**

        - `tolerance`: rad, at most 0.1. No orientation or axis is moved by more than this. Reading
          a robot has done so with 1e-9; 1.5708 needs 1e-5.

        **Raises:** `px.RobotError` if the tolerance is not valid.
        """
        from .snapping import snapped

        return snapped(self, tolerance)

    # -- readers -------------------------------------------------------------

    @classmethod
    def from_dh(
        cls,
        rows: Sequence[Sequence[float]],
        links: Sequence[tuple[float, Sequence[float], ArrayLike]],
        convention: str = "modified",
        kinds: Sequence[str] | None = None,
        name: str = "robot",
        joint_names: Sequence[str] | None = None,
        gravity: Sequence[float] = STANDARD_GRAVITY,
        rotor_inertia: Sequence[float] | None = None,
        warn: bool = True,
    ) -> Robot:
        """A serial chain from Denavit-Hartenberg rows.

        **Arguments:**

        - `rows`: (alpha, a, d, theta) per joint, rad and m.
        - `links`: (mass, com, inertia) per joint, in the convention's link frame, kg, m and kg m²;
          inertia about the centre of mass as 3, 6 (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) or 3x3 numbers.
        - `convention`: "modified" (Craig) or "standard".
        - `kinds`: "revolute" or "prismatic" per joint; by default all are revolute.
        - `name`: of the robot.
        - `joint_names`: by default joint1, joint2, ...
        - `gravity`: `(3,)`, m/s², in world coordinates.
        - `rotor_inertia`: per joint, as the joint feels it, kg m² or kg; by default 0.
        - `warn`: whether to warn about bodies that cannot exist, and if none has any inertia.

        **Raises:** `px.RobotError` if a row, a link or a number of them is not valid.
        """
        from .dh import dh_chain

        joints, inertias, frames = dh_chain(
            rows, links, convention, kinds, joint_names, rotor_inertia
        )
        return cls(name, joints, inertias, frames, gravity, warn=warn)

    def to_urdf(self, path: str | PathLike | None = None) -> str:
        """The robot as URDF.

        **Arguments:**

        - `path`: of the file to write; by default none is written.

        **Returns:** the text. Reading it gives a robot that moves alike: bodies without a frame
        of their own get one; a universal joint is two revolute ones; a revolute joint without
        limits is continuous; a base other than the identity becomes part of the tree. Meshes are
        written by the paths of their files. A `px.RobotWarning` lists what URDF has no words for
        and leaves out: rotor inertias, transmissions, bearings, springs, tendons, closed loops,
        gravity other than the standard one, other shapes than boxes, spheres, cylinders and meshes.

        **Raises:** `px.RobotError` if a joint is helical, or a name has characters that XML cannot
        hold.
        """
        from .urdf_text import urdf_text

        text = urdf_text(self)
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return text

    # -- identity ------------------------------------------------------------

    @cached_property
    def digest(self) -> str:
        """A hash of every number that affects the dynamics; names do not enter."""
        return digest_of(self)

    def __hash__(self):
        return hash(self.digest)

    @cached_property
    def calls(self) -> dict:
        """What calls.py has ready for this robot, and for as long as there is this robot."""
        return {}

    def __getstate__(self):
        """A copy or a pickle keeps only the description."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    _drawn: ClassVar[Callable[[Any], str | None] | None] = None  # set by the package: see __init__

    def _repr_html_(self) -> str | None:
        """In a notebook: the robot in 3-D."""
        return None if Robot._drawn is None else Robot._drawn(self)

    def __repr__(self):
        from .table import summary

        return f"<Robot {shown(self.name)}: {summary(self)}>"

    def __str__(self):
        from .table import robot_table

        return robot_table(self)


def a_robot(robot) -> Robot:
    """The argument `robot`, or an error if it is not a Robot."""
    if not isinstance(robot, Robot):
        found = type(robot).__name__
        raise ArgumentError(f"robot: expected a Robot (see px.load), found {found}")
    return robot


def check_frame_name(frame):
    """Raise unless `frame` is a str or None."""
    if frame is not None and not isinstance(frame, str):
        raise ArgumentError(f"frame: expected the name of a frame, found {type(frame).__name__}")
