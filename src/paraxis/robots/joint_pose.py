"""The pose of a joint's body on its seat at a position of the joint, in floats."""

import math

import numpy as np

from .pose import Pose
from .seat import across

TURNING = ("spherical", "free")  # the kinds whose positions end in a quaternion
NUMBERS = {  # of a position, in words
    "universal": "two angles",
    "planar": "x, y and an angle",
    "spherical": "a unit quaternion x, y, z, w",
    "free": "x, y, z and a unit quaternion x, y, z, w",
}


def neutral_position(joint):
    """The numbers of its position at which the body is where its seat is."""
    return (0.0,) * (joint.nq - 1) + (1.0 if joint.kind in TURNING else 0.0,)


def pose_at(joint, position):
    """The pose of the joint's body in its seat; `position` has the joint's nq numbers."""
    kind, here = joint.kind, np.array(position)
    if joint.is_revolute:
        return Pose.of(_turn(joint.axis, *position), (0, 0, 0))
    if kind == "prismatic":
        return Pose(translation=tuple((np.array(joint.axis) * position).tolist()))
    if kind == "helical":
        (angle,) = position
        return Pose.of(_turn(joint.axis, angle), np.array(joint.axis) * joint.pitch * angle)
    if kind == "universal":
        first, second = position
        turn = _turn(joint.axis, first) @ _turn(joint.second_axis, second)
        return Pose.of(turn, (0, 0, 0))
    if kind == "planar":
        x, y, angle = position
        return Pose.of(_turn(joint.axis, angle), across(joint.axis) @ (x, y, 0.0))
    if kind in TURNING:
        return Pose.of(_of_quaternion(here[-4:]), here[:3] if kind == "free" else (0, 0, 0))
    raise NotImplementedError(f"joint kind {kind!r}")  # a new kind needs its pose here


def _turn(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


def _of_quaternion(quaternion):
    """Of a quaternion near unit length, x, y, z, w."""
    *axis, w = quaternion / np.linalg.norm(quaternion)
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross
