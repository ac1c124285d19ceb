"""Accelerate, cruise, brake: the quickest motion over a length within rate and acceleration."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError
from ..robots.robot import Robot
from . import given
from .axes import axes_of
from .piecewise import PiecewisePolynomial
from .trajectory import Leg, Trajectory


def trapezoidal(
    q0: ArrayLike,
    q1: ArrayLike,
    max_velocity: ArrayLike | None = None,
    max_acceleration: ArrayLike | None = None,
    *,
    robot: Robot | None = None,
) -> Trajectory:
    """Return the motion from `q0` to `q1`, straight in joint space, with trapezoidal velocities.

    All joints start and arrive together. The joint that needs longest is at its limits; the others
    move in proportion. Over short distances the profile is a triangle, without cruise.

    **Arguments:**

    - `q0`, `q1`: joint positions at the ends, `(n,)`, rad or m.
    - `max_velocity`: one number or `(n,)`, rad/s or m/s; by default the robot's.
    - `max_acceleration`: one number or `(n,)`, rad/s² or m/s².
    - `robot`: if given, its joint limits are checked.

    **Returns:** a `Trajectory`.

    **Raises:** `px.ArgumentError` if a limit is missing, `q0` and `q1` are equal, or a joint leaves
    its range.

    **Example:**

    >>> move = px.trajectories.trapezoidal([0.0, 0.0], [1.0, 0.5], 1.0, 4.0)
    >>> move.duration  # 1/4 s to speed up, 3/4 s at 1 rad/s, 1/4 s to slow down
    1.25
    >>> move([0.1, 0.5])[1]  # rad/s
    array([[0.4, 0.2],
           [1. , 0.5]])
    """
    q0 = given.vector("q0", q0, given.joint_count(robot))
    q1 = given.vector("q1", q1, q0.size)
    axes = [] if robot is None else axes_of(robot)
    names = [axis.name for axis in axes]
    if max_velocity is None and robot is not None:
        max_velocity = [axis.max_velocity for axis in axes]
    if max_velocity is None or max_acceleration is None:
        missing = "max_velocity" if max_velocity is None else "max_acceleration"
        raise ArgumentError(f"{missing}: expected one number or one per joint, found none")
    velocity = given.limits("max_velocity", max_velocity, q0.size, names)
    acceleration = given.limits("max_acceleration", max_acceleration, q0.size, names)
    way = abs(q1 - q0)
    moving = way > 0
    if not moving.any():
        raise ArgumentError("q1 is equal to q0: there is nothing to move")
    rate = (velocity[moving] / way[moving]).min()
    rise = (acceleration[moving] / way[moving]).min()
    if math.isinf(rise):
        raise ArgumentError("max_acceleration: expected a finite number, found inf")
    return Trajectory([Leg(PiecewisePolynomial.line(q0, q1), trapezoid(1.0, rate, rise))], robot)


def trapezoid(length, velocity, acceleration):
    """The profile over `length`; a triangle where it is too short to reach `velocity`."""
    top = min(velocity, math.sqrt(length * acceleration))
    ramp = top / acceleration
    cruise = max(length / top - ramp, 0.0)
    if cruise <= 1e-12 * ramp:  # rounding
        cruise = 0.0
    rising, falling = (
        [0.0, 0.0, acceleration / 2],
        [length - top * ramp / 2, top, -acceleration / 2],
    )
    pieces = [(ramp, rising), (cruise, [top * ramp / 2, top, 0.0]), (ramp, falling)]
    pieces = [piece for piece in pieces if piece[0] > 0]
    times = np.cumsum([0.0, *(time for time, _ in pieces)])
    return PiecewisePolynomial(times, np.array([powers for _, powers in pieces])[..., None])
