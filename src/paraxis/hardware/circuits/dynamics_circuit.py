"""Inverse dynamics as a circuit: the torques of one state per clock."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ...api import program
from ...checks import quoted
from ...errors import ArgumentError, RobotError
from ...robots.refusals import single_joints, unsprung
from ...robots.robot import Robot
from ..tasks.decompose import decompose
from .circuit import Circuit
from .random_inputs import largest_seen
from .ranges import entry_ranges


def inverse_dynamics_circuit(
    robot: Robot,
    velocity: ArrayLike = 4.0,
    acceleration: ArrayLike = 20.0,
    word: int = 24,
    iterations: int | None = None,
) -> Circuit:
    """Return the Circuit that computes joint torques `tau` from states q, qd, qdd.

    **Arguments:**

    - `robot`: a `px.Robot`. Prismatic joints need limits, and must stay within them.
    - `velocity`, `acceleration`: the largest joint rates, rad/s or m/s, and accelerations, rad/s²
      or m/s²; a number, or one per joint. States beyond them are invalid.
    - `word`: the number of bits of all words.
    - `iterations`: clocks per stage; by default `word`.

    **Returns:** a `px.hardware.Circuit`. Its number formats come from interval arithmetic and a
    simulation of random states, with room for twice the largest value seen; a state with a larger
    value is invalid. Short words, or limits far above the actual rates, leave few bits for torques:
    check `errors` of the circuit.

    **Raises:** `px.ArgumentError` if an argument is out of range; `px.RobotError` if a prismatic
    joint has no limits.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> circuit = px.hardware.inverse_dynamics_circuit(robot, velocity=4.0, acceleration=20.0)
    >>> circuit([0.3, 0.4], [1.0, -1.0], [0.0, 5.0]).tau
    array([21.973,  5.613])
    >>> px.inverse_dynamics(robot, [0.3, 0.4], [1.0, -1.0], [0.0, 5.0])
    array([21.973,  5.613])
    """
    tasks = inverse_dynamics_tasks(robot)
    ranges = {
        "qd": largest("velocity", velocity, robot.n),
        "qdd": largest("acceleration", acceleration, robot.n),
    }
    if not all(joint.is_revolute for joint in robot.joints):
        ranges["q"] = tuple(np.array([joint_limits(robot, joint) for joint in robot.joints]).T)
    ranges = entry_ranges(tasks, ranges)
    notes = (
        f"Robot {robot.name}: joint torques tau, in N m, for joint positions q, rates qd and "
        "accelerations qdd, in rad, rad/s and rad/s^2; for prismatic joints in N and m.",
    )
    seen = largest_seen(tasks, ranges)
    return Circuit(tasks, ranges, word, iterations, seen=seen, notes=notes)


def inverse_dynamics_tasks(robot):
    """The CORDIC tasks of a robot's inverse dynamics."""
    plain = unsprung(single_joints(robot, "a circuit"), "a circuit")
    tasks = decompose(program(plain, "inverse_dynamics").graph)
    return replace(tasks, name=f"{robot.name}_inverse_dynamics")


def largest(name, given, joints):
    """The largest rate of each joint."""
    try:
        largest = np.broadcast_to(np.asarray(given, float), joints)
    except (TypeError, ValueError):
        largest = np.array(math.nan)
    if not (np.isfinite(largest) & (largest >= 0)).all():
        raise ArgumentError(
            f"{name}: expected a finite number >= 0, or one for each of {joints} joints, "
            f"found {given!r}"
        )
    return largest


def joint_limits(robot, joint):
    if joint.is_revolute:
        return 0.0, 0.0
    if not (math.isfinite(joint.lower) and math.isfinite(joint.upper)):
        raise RobotError(
            f"robot {quoted(robot.name)}: prismatic joint {quoted(joint.name)} has no limits, "
            "which a circuit needs to choose its number formats; set lower and upper of the joint"
        )
    return joint.lower, joint.upper
