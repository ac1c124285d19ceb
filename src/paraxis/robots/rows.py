"""The tree that recursions see: joints of several degrees of freedom as rows of single ones.

At an instant, a body on such a joint moves as if it stood on as many single joints, one right after
another, with nothing between them. The first of these rows has the joint's whole pose, the others
have none, and bodies between rows have no mass. So every recursion for single joints serves all of
them, and in a trace the rows cost next to nothing: their directions are coordinates.

Only accelerations differ. The velocities of a spherical, planar or free joint are along the axes of
the body, all at once, while a row would carry along those that follow it: see `Model.coast`.
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from .inertia import NOTHING
from .joint import SINGLE, WORLD, Joint, Row
from .pose import Pose
from .robot import Robot
from .seat import across

# kind -> its rows: name, kind, axis. Axes of a planar joint are those of a frame with its own as z.
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
SLIDES = (("vx", "prismatic", X), ("vy", "prismatic", Y), ("vz", "prismatic", Z))
TURNS = (("wx", "revolute", X), ("wy", "revolute", Y), ("wz", "revolute", Z))
ROWS = {"free": (*SLIDES, *TURNS), "spherical": TURNS, "planar": (*SLIDES[:2], TURNS[2])}


@dataclass(frozen=True, repr=False)
class Rows(Robot):
    """The rows of a robot's joints, as a robot of single joints.

    Its `followers` and `loops` tie rows to each other: recursions do not know of them.
    """

    described: Robot | None = None  # type: ignore[assignment]
    groups: tuple[range, ...] = ()  # type: ignore[assignment]
    # row -> ((leader's row, polynomial), ...)
    followers: dict = field(default_factory=dict)  # type: ignore[assignment]

    has_single_joints = True  # type: ignore[assignment]

    @property
    def own_rows(self):
        return [joint for k, joint in enumerate(self.joints) if k not in self.followers]

    def spread(self, name, values):
        """A parameter of the robot's joints, row by row."""
        if name in ("gravity", "base_velocity", "base_acceleration"):
            return values
        if name == "rotor_inertia":  # a screw's is about its axis, in its first row
            each = zip(values, self.described.joints, self.groups, strict=True)
            return [
                value if k == rows[0] or joint.kind != "helical" else 0.0
                for value, joint, rows in each
                for k in rows
            ]
        nothing = {"mass": 0.0, "inertia": (0.0,) * 6, "external_force": (0.0,) * 6}
        nothing["bodies"] = (0.0,) * 10
        spread = [nothing.get(name, (0.0,) * 3) for _ in self.joints]
        for value, rows in zip(values, self.groups, strict=True):
            spread[rows[0] if name == "origin" else rows[-1]] = value
        return spread

    def gathered(self, values):
        """Of values row by row, those of the bodies themselves."""
        return [values[rows[-1]] for rows in self.groups]


def rows_of(robot):
    """The tree that recursions see: the robot itself, if it has nothing but single joints, and no
    loops."""
    return robot if robot.has_single_joints else _rows_of(robot)


@lru_cache(maxsize=64)
def _rows_of(robot):
    joints, bodies, last, groups = [], [], {WORLD: WORLD}, []
    followers = {}
    for i, (joint, body) in enumerate(zip(robot.joints, robot.inertias, strict=True)):
        stand, first = last[joint.parent], len(joints)
        for row in _rows(joint):
            joints.append(replace(row, parent=stand))
            stand = len(joints) - 1
            bodies.append(NOTHING)
        bodies[-1], last[i] = body, stand
        groups.append(range(first, len(joints)))
        if joint.kind == "helical":
            followers[first + 1] = ((first, (0.0, joint.pitch)),)
    leads = {joint.name: rows[0] for joint, rows in zip(robot.joints, groups, strict=True)}
    for joint, rows in zip(robot.joints, groups, strict=True):
        if joint.coupling is not None:
            terms = joint.coupling.terms
            followers[rows[0]] = tuple((leads[name], polynomial) for name, polynomial in terms)

    def carried(frame):
        return replace(frame, body=last[frame.body])

    return Rows(
        robot.name,
        joints,
        bodies,
        tuple(map(carried, robot.frames)),
        robot.gravity,
        robot.base,
        loops=tuple(loop.carried(carried) for loop in robot.loops),
        warn=False,
        described=robot,
        groups=tuple(groups),
        followers=followers,
    )


def _rows(joint):
    """Single joints that move as this one does, the first on its seat."""
    if joint.kind in SINGLE:
        return [replace(joint, coupling=None) if joint.coupling else joint]
    if joint.kind == "helical":
        turn = replace(joint, kind="revolute", coupling=None, pitch=0.0)
        return [turn, Joint(f"{joint.name}.z", "prismatic", axis=joint.axis)]
    limits = {name: getattr(joint, name) for name in ("lower", "upper")}
    of_drive = ("max_velocity", "max_effort", "rotor_inertia", "friction", "transmission")
    drive = {name: getattr(joint, name) for name in of_drive}
    if joint.kind == "universal":
        axes = joint.axis, joint.second_axis
        seats = joint.placement, Pose()
        return [
            Joint(f"{joint.name}.{k}", "revolute", WORLD, seat, axis, **limits, **drive)
            for k, (seat, axis) in enumerate(zip(seats, axes, strict=True), start=1)
        ]
    frame = across(joint.axis) if joint.kind == "planar" else np.eye(3)
    return [
        Row(
            f"{joint.name}.{name}",
            kind,
            WORLD,
            Pose() if k else joint.placement,
            tuple((frame @ axis).tolist()),
            **drive,
            of=joint.kind,
            first=not k,
            frame=frame.tolist() if joint.kind == "planar" else None,
        )
        for k, (name, kind, axis) in enumerate(ROWS[joint.kind])
    ]
