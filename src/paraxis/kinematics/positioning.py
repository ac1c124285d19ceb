"""The motion of three joints from the motion of the point they carry, in closed form.

As in puma_solutions.py, solutions are checked by the robot's own kinematics.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError
from ..graph.trace import trace
from ..physics.inverse_kinematics.puma import arm_singularity
from ..physics.inverse_kinematics.puma_positioning import positioning
from ..physics.kinematics import bias_acceleration, forward_kinematics, jacobian
from ..robots.frame import Frame
from ..robots.model import Model
from ..robots.puma_geometry import arm_geometry
from ..robots.robot import Robot
from ..scalar import less, less_equal, maximum, minimum
from ..targets.target import target_of
from .puma_solutions import ARMS, SINGULAR, SOLVED, body_of, difference, within_a_turn


@dataclass(frozen=True, eq=False)
class PositioningSolutions:
    """Four solutions per point: arm 1 and -1, with each elbow 1 and -1.

    - `q`, `qd`, `qdd`: positions, rates and accelerations of the three joints; NaN where there is
      no solution, None if no velocity or acceleration was given.
    - `solved`: whether there is a solution.
    - `error`: the worst of position, velocity and acceleration, each max|Δ| relative to the largest
      entry that was asked for: of a position at least the arm's length, of an acceleration at least
      that of joints that keep their rates.
    - `singular`: the point is reached, but the arm loses a freedom. There rates are not determined,
      and none are solved. With rates, also where the arm is so near to it that rounding errors of
      the point decide the rates, which then do not lead to the motion asked for. So every point
      that can be reached has a solution that is solved or singular.
    """

    q: np.ndarray  # (..., 4, 3)
    qd: np.ndarray | None  # (..., 4, 3)
    qdd: np.ndarray | None  # (..., 4, 3)
    solved: np.ndarray  # (..., 4) of bool
    error: np.ndarray  # (..., 4)
    singular: np.ndarray  # (..., 4) of bool


def positioning_solutions(
    robot: Robot,
    position: ArrayLike,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    frame: str | None = None,
) -> PositioningSolutions:
    """Return all ways in which the first three joints can move a frame's origin as asked.

    The axis of joint 2 must be at a right angle to that of joint 1, and that of joint 3 parallel to
    it. Joints beyond the third may turn the frame, but its origin must be on their axes, as a
    PUMA's wrist is.

    **Arguments:**

    - `robot`: the arm.
    - `position`, `velocity`, `acceleration`: of the frame's origin in the world, each `(..., 3)`,
      m, m/s and m/s². An acceleration needs a velocity.
    - `frame`: name of the frame; by default the tool.

    **Returns:** `PositioningSolutions` with four rows per point; on a GPU if the arrays are (CuPy,
    PyTorch or JAX).

    **Raises:** `px.RobotError` explains why a robot is not such an arm; `px.ArgumentError` if an
    acceleration comes without a velocity.

    **Example:**

    >>> robot = px.load("puma560")
    >>> found = px.kinematics.positioning_solutions(robot, [0.4, 0.3, 0.2])
    >>> found.q[:, :3]
    array([[ 0.339,  0.536, -0.243],
           [ 0.339, -1.33 , -2.805],
           [-2.193, -1.812, -0.243],
           [-2.193,  2.606, -2.805]])
    """
    if velocity is None and acceleration is not None:
        raise ArgumentError("velocity: give one too when there is an acceleration")
    rates = {"velocity": velocity, "acceleration": acceleration}
    rates = {name: value for name, value in rates.items() if value is not None}
    motion = {"position": position, **rates}
    target = target_of(motion)
    kernel = target.map(body_of(_graph, robot, frame, tuple(motion)))
    with target.stream():
        motion = {name: target.array(value, name, (3,)) for name, value in motion.items()}
        *joints, error, reached, singular = kernel(**motion)
        singular = (reached > 0) & ((singular > 0) | (error > SOLVED))
        solved = error <= SOLVED
        if velocity is not None:
            solved &= ~singular
        joints = [target.arrays.where(solved[..., None], each, np.nan) for each in joints]
        found = [target.given_back(each) for each in (*joints, solved, error, singular)]
    missing = [None] * (3 - len(joints))
    return PositioningSolutions(*found[: len(joints)], *missing, *found[len(joints) :])


def positioning_body(robot, frame=None):
    """The Body of all solutions for one position: q, error, reached and singular."""
    return body_of(_graph, robot, frame, ("position",))


def _graph(robot, limits, frame, motion):
    geometry, model, point = arm_geometry(robot, frame), Model(robot), _on_third_body(robot, frame)
    limits = [limits[i] for i in geometry.joints]

    def positioning_solutions(position, velocity=None, acceleration=None):
        asked = ("q", "qd", "qdd")[: len(motion)]
        found = {name: [] for name in (*asked, "error", "reached", "singular")}
        for choice in ARMS:
            θ, θd, θdd = positioning(geometry, position, velocity, acceleration, *choice)
            q = within_a_turn(geometry.positions(θ), limits)
            found["q"].append(q)
            whole = _spread(q, geometry, robot)
            pose = forward_kinematics(model, whole, point)
            error = difference([row[3] for row in pose[:3]], position, geometry.length)
            found["reached"].append(less_equal(error, SOLVED))
            if velocity is not None:
                qd = geometry.rates(θd)
                found["qd"].append(qd)
                J = jacobian(model, whole, point, "world")[3:]
                error = maximum(difference(_applied(J, geometry, qd), velocity, 0.0), error)
            if acceleration is not None:
                qdd = geometry.rates(θdd)
                found["qdd"].append(qdd)
                rates = _spread(qd, geometry, robot)
                bias = bias_acceleration(model, whole, rates, point, "world")[3:]
                total = [a + b for a, b in zip(_applied(J, geometry, qdd), bias, strict=True)]
                coasting = maximum(maximum(*map(abs, bias[:2])), abs(bias[2]))
                error = maximum(difference(total, acceleration, coasting), error)
            found["error"].append(error)
            found["singular"].append(less(minimum(*arm_singularity(geometry, *θ[1:])), SINGULAR))
        return found

    return trace(positioning_solutions, dict.fromkeys(motion, (3,)), "positioning_solutions")


def _on_third_body(robot, frame):
    """A frame on what the third joint carries, with the origin that later joints do not move."""
    *beyond, third, _, _ = robot.path(frame.body)
    pose = frame.pose
    for i in beyond:
        pose = robot.joints[i].placement @ pose
    return Frame(frame.name, third, pose)


def _spread(values, geometry, robot):
    """Values of the three joints among those of all; the others stand still at zero."""
    known = dict(zip(geometry.joints, values, strict=True))
    return [known.get(i, 0.0) for i in range(robot.n)]


def _applied(J, geometry, rates):
    return [sum(row[i] * rate for i, rate in zip(geometry.joints, rates, strict=True)) for row in J]
