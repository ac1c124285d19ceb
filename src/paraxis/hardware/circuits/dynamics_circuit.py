"""Inverse dynamics as a circuit: the torques of a new state every clock."""

import math
from dataclasses import replace

import numpy as np

from ...api import program
from ...checks import quoted
from ...errors import ArgumentError, RobotError
from ...robots.robot import a_robot
from ..tasks.decompose import decompose
from .circuit import Circuit
from .random_inputs import largest_seen
from .ranges import entry_ranges


def inverse_dynamics_circuit(robot, velocity=4.0, acceleration=20.0, word=24, iterations=None):
    """The Circuit that finds joint torques `tau` for states q, qd, qdd.

    Joint velocities and accelerations are at most `velocity` and `acceleration` (a number, or one
    for each joint); a state beyond that is not valid. Joints that slide stay within their limits.

    Words have their point where intervals and a simulation of random states say: room for twice
    the largest value seen. A state that makes a larger one would not be valid. Words that are short
    for such values, or for rates said to be far larger than they are, leave few bits for torques:
    `errors` of the circuit tells.
    """
    tasks = inverse_dynamics_tasks(robot)
    ranges = {
        "qd": _largest("velocity", velocity, robot.n),
        "qdd": _largest("acceleration", acceleration, robot.n),
    }
    if not all(joint.is_revolute for joint in robot.joints):
        ranges["q"] = tuple(np.array([_limits(robot, joint) for joint in robot.joints]).T)
    ranges = entry_ranges(tasks, ranges)
    notes = (
        f"Robot {robot.name}: joint torques tau, in N m, for joint positions q, rates qd and "
        "accelerations qdd, in rad, rad/s and rad/s^2; for joints that slide in N and m.",
    )
    seen = largest_seen(tasks, ranges)
    return Circuit(tasks, ranges, word, iterations, seen=seen, notes=notes)


def inverse_dynamics_tasks(robot):
    """The CORDIC tasks of a robot's inverse dynamics."""
    tasks = decompose(program(a_robot(robot), "inverse_dynamics").graph)
    return replace(tasks, name=f"{robot.name}_inverse_dynamics")


def _largest(name, given, joints):
    """How large a rate is at most, for each joint."""
    try:
        largest = np.broadcast_to(np.asarray(given, float), joints)
    except (TypeError, ValueError):
        largest = np.array(math.nan)
    if not (np.isfinite(largest) & (largest >= 0)).all():
        raise ArgumentError(
            f"{name}: expected a number, or one for each of {joints} joints, finite and not "
            f"negative, found {given!r}"
        )
    return largest


def _limits(robot, joint):
    if joint.is_revolute:
        return 0.0, 0.0
    if not (math.isfinite(joint.lower) and math.isfinite(joint.upper)):
        raise RobotError(
            f"robot {quoted(robot.name)}, joint {quoted(joint.name)}: expected limits of a joint "
            "that slides, found none; a circuit must know how far it goes"
        )
    return joint.lower, joint.upper
