"""The public `inverse_dynamics_chip`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...checks import one_of
from ...parallel.systolic.build import systolic_array
from ...robots.robot import Robot
from ..circuits.dynamics_circuit import joint_limits, largest
from ..circuits.random_inputs import ANY_ANGLE
from ..cordic.formats import number_of_bits
from .chip import Chip

SHORTEST, LONGEST = 8, 64  # words
FORMS = ("linear", "logarithmic")


def inverse_dynamics_chip(
    robot: Robot,
    velocity: ArrayLike = 4.0,
    acceleration: ArrayLike = 20.0,
    word: int = 24,
    interval: int | None = None,
    form: str = "linear",
) -> Chip:
    """Return Lathrop's robot chip (1985): the systolic array of a chain as hardware.

    **Arguments:**

    - `robot`: a `px.Robot` that is a chain. Prismatic joints need limits, and must stay within
      them.
    - `velocity`, `acceleration`: the largest joint rates, rad/s or m/s, and accelerations, rad/s²
      or m/s²; a number, or one per joint.
    - `word`: the number of bits of all words.
    - `interval`: clocks from one state to the next; by default the shortest possible, 3 (Lathrop
      has 4). In one clock a processor multiplies or adds.
    - `form`: the form of the array, `"linear"` or `"logarithmic"`.

    **Returns:** a `px.hardware.Chip`. Its number formats come from a simulation of random states,
    with room for twice the largest value seen; a state with a larger value is invalid.

    **Raises:** `px.ArgumentError` if the robot is a tree or an argument is out of range;
    `px.RobotError` if a prismatic joint has no limits.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> chip = px.hardware.inverse_dynamics_chip(robot)
    >>> chip.interval, chip.latency, chip.multipliers  # clocks, clocks
    (3, 30, 214)
    """
    array = systolic_array(robot, one_of(form, FORMS, "form"))
    word = number_of_bits("word", word, SHORTEST, LONGEST)
    array = array.with_interval(array.shortest_interval if interval is None else interval)
    limits = [
        ANY_ANGLE if joint.is_revolute else joint_limits(robot, joint) for joint in robot.joints
    ]
    rates = largest("velocity", velocity, robot.n)
    accelerations = largest("acceleration", acceleration, robot.n)
    ranges = {
        "q": tuple(np.array(limits).T),
        "qd": (-rates, rates),
        "qdd": (-accelerations, accelerations),
    }
    return Chip(array, word, ranges)
