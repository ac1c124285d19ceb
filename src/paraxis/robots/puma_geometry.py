"""The PUMA family: arms whose inverse kinematics has a closed form, and what measures them.

Shoulder and elbow: joint 2 turns at a right angle to joint 1, joint 3 parallel to joint 2. Wrist:
the axes of joints 4, 5 and 6 meet in one point, each at a right angle to the one before. This is
found from the lines that the axes are at q = 0, so body frames may sit anywhere.

Lengths and angles are those of Craig's link frames (modified Denavit-Hartenberg), with twists
0, -90, 0, 90, -90 and 90 degrees. Frame 0 is at the height of axis 2, frame 6 in the wrist's
centre. About axes 1 and 6 they stand as the world and the tool do: where joints count from is in
their zeros, so that `base` and `tool`, what lies before and beyond, turn as little as they can.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..checks import quoted
from ..errors import RobotError
from .pose import Pose, clean

# An angle, or a length over the robot's size, within this of what it should be is taken as that:
# a description with right angles of ten digits passes, one with 1.5708 is another robot.
TOLERANCE = 1e-9
# Six placements, one after another, leave about this of a zero.
ROUNDING = 1e-14
NEARLY = 0.1  # the sine of an angle


@dataclass(frozen=True)
class ArmGeometry:
    """Shoulder and elbow, which bring a point anywhere: θ = sign q + zero for each joint."""

    joints: tuple  # their indices in the robot
    base: Pose  # frame 0 in the world
    a1: float  # from axis 1 to axis 2; 0 for the PUMA
    a2: float  # from axis 2 to axis 3
    a3: float  # from axis 3 to axis 4, or to the point
    d2: float  # along axes 2 and 3, from axis 1 to the wrist's centre or the point
    d4: float  # along axis 4, to the wrist's centre; 0 for a point
    signs: tuple
    zeros: tuple

    @property
    def forearm(self):
        """From axis 3 to the wrist's centre, or to the point; a2 where both are equal."""
        length = math.hypot(self.a3, self.d4)
        return self.a2 if math.isclose(length, self.a2, rel_tol=ROUNDING) else length

    @property
    def length(self):
        """How far it reaches from axis 1."""
        return abs(self.a1) + self.a2 + self.forearm + abs(self.d2)

    def positions(self, angles):
        """The joint positions q at the angles θ."""
        return [s * (θ - zero) for θ, s, zero in zip(angles, self.signs, self.zeros, strict=True)]

    def rates(self, rates):
        """Rates of joints from those of angles; accelerations too."""
        return [s * rate for rate, s in zip(rates, self.signs, strict=True)]


@dataclass(frozen=True)
class PumaGeometry(ArmGeometry):
    """An arm with a wrist, which brings a frame anywhere and turns it any way."""

    tool: Pose  # the frame, in frame 6


def puma_geometry(robot, frame):
    """What measures an arm of the family that carries `frame`; a RobotError where it is none."""
    axes = _Axes(robot, frame)
    axes.require_joints(exactly=6)
    axes.require_parallel(1, 2)
    for i, j in ((0, 1), (2, 3), (3, 4), (4, 5)):
        axes.require_right_angle(i, j)
    p, z = axes.points, axes.directions
    centre = p[3] + z[3] * (z[3] @ (p[4] - p[3]))
    for i in (4, 5):
        axes.require_through(i, centre, f"the axis of {axes.name(3)} in the wrist's centre")
    x3, x4, x5 = np.cross(z[1], z[3]), np.cross(z[4], z[3]), np.cross(z[4], z[5])
    x6 = _across(z[5], np.array(axes.place.rotation).T)
    zeros = (_angle(z[3], x3, x4), _angle(z[4], x4, x5), _angle(z[5], x5, x6))
    return PumaGeometry(
        **_arm(axes, centre, x3, z[3], (1.0, 1.0, 1.0), zeros),
        tool=axes.cleaned(axes.pose(z[5], x6, centre).inverse() @ axes.place),
    )


def arm_geometry(robot, frame):
    """What measures the shoulder and elbow that place the origin of `frame`; or a RobotError.

    Joints beyond the third may turn the frame as long as they leave its origin where it is.
    """
    axes = _Axes(robot, frame)
    axes.require_joints(at_least=3)
    axes.require_right_angle(0, 1)
    axes.require_parallel(1, 2)
    point = np.array(axes.place.translation)
    for i in range(3, len(axes.joints)):
        axes.require_through(i, point, f"the origin of frame {quoted(frame.name)}")
    z3 = axes.directions[1]
    x3 = axes.require_apart(2, point, f"the origin of frame {quoted(frame.name)}")
    return ArmGeometry(**_arm(axes, point, x3, np.cross(x3, z3)))


def _arm(axes, point, x3, z4, wrist_signs=(), wrist_zeros=()):
    """The members of an ArmGeometry that reaches for a point, by way of x3 and then z4."""
    p, z = axes.points, axes.directions
    origin = p[0] + z[0] * (z[0] @ (p[1] - p[0]))
    x0, x1 = _across(z[0], np.eye(3)), np.cross(z[1], z[0])
    x2 = axes.require_apart(1, p[2], f"the axis of {axes.name(2)}")
    axes.require_apart(2, point, "the wrist's centre")
    zeros = (_angle(z[0], x0, x1), _angle(z[1], x1, x2), _angle(z[1], x2, x3))
    lengths = {
        "a1": x1 @ (p[1] - origin),
        "a2": x2 @ (p[2] - p[1]),
        "a3": x3 @ (point - p[2]),
        "d2": z[1] @ (point - origin),
        "d4": z4 @ (point - p[2]),
    }
    signs = (1.0, 1.0, math.copysign(1.0, z[1] @ z[2]), *wrist_signs)
    return {
        "joints": axes.path[: len(signs)],
        "base": axes.pose(z[0], x0, origin),
        **{name: float(axes.length(length)) for name, length in lengths.items()},
        "signs": signs,
        "zeros": (*zeros, *wrist_zeros),
    }


class _Axes:
    """The lines about which the joints below a frame turn, in the world, at q = 0."""

    def __init__(self, robot, frame):
        self.robot, self.frame = robot, frame
        self.path = robot.path(frame.body)[::-1]
        self.joints = [robot.joints[i] for i in self.path]
        place, self.points, self.directions = robot.base.matrix, [], []
        for joint in self.joints:
            place = place @ joint.placement.matrix
            self.points.append(place[:3, 3])
            self.directions.append(place[:3, :3] @ joint.axis)
        self.place = Pose.from_matrix(place @ frame.pose.matrix)
        corners = [*self.points, np.array(self.place.translation)]
        self.size = max(float(np.linalg.norm(corner - corners[0])) for corner in corners)

    def name(self, i):
        return f"joint {quoted(self.joints[i].name)}"

    def require_joints(self, exactly=None, at_least=None):
        count, carried = len(self.joints), f"frame {quoted(self.frame.name)}"
        if exactly is not None and (count != exactly or self.robot.n != exactly):
            found = f"{self.robot.n}"
            if count != self.robot.n:
                found += f", of which {count} do"
            if count == exactly:
                found += " (lock the others with robot.subchain)"
            raise self.error(f"{exactly} joints, all of which move {carried}", found)
        if at_least is not None and count < at_least:
            raise self.error(f"{at_least} joints that move {carried}", f"{count}")
        for i, joint in enumerate(self.joints):
            if not joint.is_revolute:
                raise self.error(f"{self.name(i)} to be revolute", f"{joint.kind}")

    def require_right_angle(self, i, j):
        off = abs(self.directions[i] @ self.directions[j])
        if off > TOLERANCE:
            raise self.error(
                f"the axes of {self.name(i)} and {self.name(j)} at a right angle",
                f"{math.degrees(math.asin(min(off, 1.0))):.3g} degrees off it",
            )

    def require_parallel(self, i, j):
        off = np.linalg.norm(np.cross(self.directions[i], self.directions[j]))
        if off > TOLERANCE:
            raise self.error(
                f"the axes of {self.name(i)} and {self.name(j)} parallel",
                f"{math.degrees(math.asin(min(off, 1.0))):.3g} degrees between them",
            )

    def require_through(self, i, point, what):
        off = np.linalg.norm(self._arm_to(i, point))
        if off > TOLERANCE * self.size:
            raise self.error(f"the axis of {self.name(i)} to meet {what}", f"{off:.3g} m apart")

    def require_apart(self, i, point, what):
        """The unit vector from an axis to a point, at a right angle to the axis."""
        arm = self._arm_to(i, point)
        length = np.linalg.norm(arm)
        if length <= TOLERANCE * self.size:
            raise self.error(f"{what} off the axis of {self.name(i)}", f"{length:.3g} m apart")
        return clean(arm / length)

    def _arm_to(self, i, point):
        arm = point - self.points[i]
        return arm - self.directions[i] * (self.directions[i] @ arm)

    def pose(self, z, x, origin):
        """Of the frame with these axes, in the world."""
        return self.cleaned(Pose.of(np.column_stack((x, np.cross(z, x), z)), origin))

    def cleaned(self, pose):
        """A pose without what rounding leaves of nothing."""
        rotation = clean(pose.rotation, ROUNDING)
        return Pose.of(rotation, self.length(pose.translation))

    def length(self, lengths):
        """Lengths, with 0 for those that are rounding."""
        return np.where(np.abs(lengths) < ROUNDING * self.size, 0.0, lengths)

    def error(self, expected, found):
        return RobotError(
            f"robot {quoted(self.robot.name)}: no closed-form inverse kinematics for its geometry, "
            f"only for one like the PUMA's: expected {expected}, found {found}"
        )


def _angle(axis, start, end):
    """From one direction to another, about an axis at a right angle to both."""
    return float(clean(math.atan2(axis @ np.cross(start, end), start @ end), ROUNDING))


def _across(axis, directions):
    """The first of some directions, as seen along an axis that is not nearly that one."""
    seen = [direction - axis * (axis @ direction) for direction in directions]
    arm = next(arm for arm in seen if np.linalg.norm(arm) > NEARLY)
    return clean(arm / np.linalg.norm(arm), ROUNDING)
