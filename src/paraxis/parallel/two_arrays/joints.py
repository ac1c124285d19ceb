"""The joints of a planned arm: their directions of motion, and the structure of their matrices.

Frame i is just before joint i with its z along the joint's axis, where a joint moves along
coordinates of six-vectors, angular part first. H and W of Fijany's F = H F_T + W F_S select these
and the others. A rotor is one more column of W, √ρ along its joint's direction, that yields by one
(physics/parts/joint_split.py).
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from ...errors import RobotError
from ...robots.joint import REVOLUTE
from .flops import ONE, ZERO, dense

# kind -> the coordinates in which it moves
MOVING = dict.fromkeys(REVOLUTE, (2,)) | {"prismatic": (5,), "spherical": (0, 1, 2)}
ABOUT_Z = np.array([[0, 1, ZERO], [1, 0, ZERO], [ZERO, ZERO, ONE]])  # a cosine and a sine
STRAIGHT = np.where(np.eye(3, dtype=bool), ONE, ZERO)


class PlannedJoint(NamedTuple):
    """The properties of a joint that a plan uses before it has the robot."""

    kind: str
    geared: bool = False  # whether it has a rotor

    @property
    def moving(self):
        return MOVING[self.kind]

    @property
    def degrees(self):
        return len(self.moving)

    @property
    def slides(self):
        return self.kind == "prismatic"

    @property
    def holding(self):
        """The number of columns of W."""
        return 6 - self.degrees + (self.degrees if self.geared else 0)

    @property
    def H(self):
        return _selection(self.moving)

    @property
    def W(self):
        return _held(self.moving, self.geared)

    @property
    def yields(self):
        return _yields(self.degrees, self.geared)

    @property
    def rotation(self):
        """The rotation of frame i by the joint."""
        return {"prismatic": STRAIGHT, "spherical": _any_turn()}.get(self.kind, ABOUT_Z)


TURNING = PlannedJoint("revolute")


def joints_of(robot):
    """The joints of a chain, or an error that names the first unsupported one."""
    found = []
    for joint in robot.joints:
        if joint.kind not in MOVING or joint.coupling:
            kind = "coupled" if joint.coupling else joint.kind
            raise RobotError(
                f"joint {joint.name!r} is {kind}; the two-array plan is for revolute, prismatic "
                "and spherical joints only"
            )
        kind = "revolute" if joint.is_revolute else joint.kind
        found.append(PlannedJoint(kind, bool(joint.reflected_inertia)))
    return tuple(found)


# Patterns are created once, so that equal ones are the same object.


@cache
def _selection(coordinates):
    pattern = np.full((6, len(coordinates)), ZERO)
    pattern[list(coordinates), range(len(coordinates))] = ONE
    return pattern


@cache
def _held(moving, geared):
    still = _selection(tuple(k for k in range(6) if k not in moving))
    rotors = np.where(_selection(moving) == ONE, 0, ZERO)
    return np.hstack((still, rotors)) if geared else still


@cache
def _yields(degrees, geared):
    still = np.full(6 - degrees, ZERO)
    return np.concatenate((still, np.full(degrees, ONE))) if geared else still


@cache
def _any_turn():
    return dense(3, 3)
