"""A robot as a plant: accelerations under the torques of its motors, losses included."""

from .. import api
from ..robots.rows import rows_of
from ..scalar import less, maximum
from .losses import Losses


class Plant:
    """Over traced scalars; `parameters` are the names of those of the robot that are given."""

    def __init__(self, robot, parameters=()):
        self.robot = robot
        self._losses = Losses(robot, parameters) if robot.has_losses else None

    def accelerations(self, q, qd, motor, dt=None, beside=None, **given):
        """The accelerations, and the missing torque, as of Losses.

        `beside`: torques at the joints that pass no transmission, as those of stops.
        """
        if self._losses is not None:
            return self._losses.accelerations(q, qd, motor, dt, beside, **given)
        tau = self.at_joints(qd, motor)
        if beside is not None:
            tau = [a + b for a, b in zip(tau, beside, strict=True)]
        return api.forward_dynamics(self.robot, q, qd, tau, **given), 0.0

    def at_joints(self, qd, motor):
        """What motors bring to joints at these rates, of a robot without bearings."""
        if self._losses is not None:
            return self._losses.at_joints(qd, motor)
        ratios = rows_of(self.robot).ratios
        return [torque * ratio for torque, ratio in zip(motor, ratios, strict=True)]


def finite(values):
    """The condition that all of them are."""
    size = 0.0
    for value in values:
        size = maximum(abs(value), size)
    return less(size, size * 2.0 + 1.0)  # not so for infinity and what is no number
