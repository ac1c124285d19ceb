"""Limits of the joints and drives of a robot."""

from typing import NamedTuple

import numpy as np

from ..checks import counted
from ..errors import ArgumentError
from . import given
from .loaded import axes, inverse_dynamics, motor_torques

MET = 1e-10  # by how much, relative, a limit that is met may be passed: rounding


class Limits(NamedTuple):
    """Of velocity, acceleration and torque, each (n,); infinite where there is none."""

    velocity: np.ndarray
    acceleration: np.ndarray
    torque: np.ndarray

    @classmethod
    def of(cls, robot, n, max_velocity, max_acceleration, max_torque):
        """As given for n joints; what is not given is the robot's own."""
        joints = axes(robot)
        if len(joints) != n:
            raise ArgumentError(f"robot: expected {counted(n, 'joint')}, found {len(joints)}")
        own = {
            "max_velocity": robot.velocity_limit,
            "max_acceleration": np.inf,
            "max_torque": [torque_limit(joint) for joint in joints],
        }
        names = [joint.name for joint in joints]
        asked = (max_velocity, max_acceleration, max_torque)
        every = cls(
            *(
                given.limits(name, default if value is None else value, n, names)
                for (name, default), value in zip(own.items(), asked, strict=True)
            )
        )
        if not np.isfinite(every).any():
            raise ArgumentError(
                f"limits: robot {robot.name!r} has no limits of velocity or torque; give "
                f"max_velocity, max_acceleration or max_torque"
            )
        return every


def torque_limit(joint):
    """What its drive can bring at the joint: of the transmission, or else of the description."""
    limit = joint.transmission.torque_limit
    return limit if np.isfinite(limit) else joint.max_effort


def drive_torques(robot, q, qd, qdd):
    """The torques (..., n) of the motors, as they would be at the joints without losses."""
    if not robot.has_losses:
        return inverse_dynamics(robot, q, qd, qdd)
    ratios = np.array([joint.transmission.ratio for joint in axes(robot)])
    return ratios * motor_torques(robot, q, qd, qdd).input
