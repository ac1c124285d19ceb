"""What sensors on a robot would read: `px.simulation.imu`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import api
from ..robots.robot import Robot


class Imu(NamedTuple):
    """The readings of an inertial measurement unit, along its own axes.

    - `rate`: the angular velocity, `(..., 3)`, rad/s.
    - `force`: the specific force, `(..., 3)`, m/s²: acceleration less gravity.

    **Example:**

    >>> robot = px.robots.planar(1)
    >>> still = px.simulation.imu(robot, [0.0], [0.0], [0.0], frame="tip")
    >>> still.force  # m/s²: what holds it against gravity
    array([0.  , 0.  , 9.81])
    """

    rate: Any  # (..., 3): angular velocity, rad/s
    force: Any  # (..., 3): specific force, acceleration less gravity, m/s²; at rest it points up


def imu(
    robot: Robot, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, frame: str, **parameters: Any
) -> Imu:
    """What an inertial measurement unit (gyroscope and accelerometer) at a frame reads.

    **Arguments:**

    - `robot`: the robot.
    - `q`, `qd`, `qdd`: positions `(..., nq)`, velocities and accelerations `(..., nv)`, in arrays
      or traced. Between two records of a simulation, `(qd[1:] - qd[:-1]) / dt` is the mean
      acceleration, impacts included.
    - `frame`: the name of the frame; its axes are those of the sensor.
    - `parameters`: of the robot that frames depend on, such as `origin=`.

    **Returns:** a `px.simulation.Imu`: the angular velocity and the specific force. There is no
    noise or bias.

    **Raises:** `px.RobotError` if there is no such frame; `px.ArgumentError` if a shape is wrong.

    **Example:**

    >>> robot = px.robots.planar(1)
    >>> reading = px.simulation.imu(robot, [0.0], [2.0], [0.0], frame="tip")
    >>> reading.rate, reading.force  # turns, and is pulled inward and held against gravity
    (array([ 0., -2.,  0.]), array([-4.  ,  0.  ,  9.81]))
    """
    qd, qdd = _array(qd), _array(qdd)
    J = _array(api.jacobian(robot, q, frame, **parameters))
    turned = np.swapaxes(_array(api.forward_kinematics(robot, q, frame, **parameters)), -1, -2)
    bias = _array(api.bias_acceleration(robot, q, qd, frame, **parameters))
    to_sensor = turned[..., :3, :3]
    rate = times(J[..., :3, :], qd)
    acceleration = times(J[..., 3:, :], qdd) + bias[..., 3:]
    felt = acceleration - np.array(robot.gravity)
    return Imu(times(to_sensor, rate), times(to_sensor, felt))


def times(matrix, vector):
    return (matrix @ vector[..., None])[..., 0]


def _array(value):
    return (
        value
        if hasattr(value, "__array_namespace__") or hasattr(value, "ndim")
        else np.array(value)
    )
