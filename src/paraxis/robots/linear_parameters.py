"""The parameters that joint torques are linear in: ten per body and the inertia of each rotor."""

import numpy as np

from .inertia import six_of, swing
from .robot import Robot, a_robot

OF_BODY = ("m", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


def inertial_parameters(robot: Robot) -> np.ndarray:
    """The inertial parameters π of a robot: joint torques are Y π, with the regressor Y.

    **Arguments:**

    - `robot`: the robot.

    **Returns:** π, `(11 n,)`: ten numbers for each body, in its own frame, and then the rotor
    inertia of each joint, as the joint feels it. The ten are the mass (kg), the first moment h =
    mass times centre of mass (kg m), and the inertia about the frame's origin (kg m²: Ixx, Iyy,
    Izz, Ixy, Ixz, Iyz).

    **Raises:** `px.ArgumentError` if `robot` is not a Robot.

    **Example:**

    >>> parameters = px.inertial_parameters(px.robots.planar(1)).reshape(-1, 11)
    >>> parameters[0]  # mass, h (3), inertia (6), rotor inertia
    array([1.   , 0.5  , 0.   , 0.   , 0.   , 0.333, 0.333, 0.   , 0.   ,
           0.   , 0.   ])
    """
    values = []
    for body in a_robot(robot).inertias:
        com = np.array(body.com)
        about_origin = body.matrix + swing(body.mass, com)
        values += [body.mass, *(body.mass * com), *six_of(about_origin)]
    return np.array([*values, *(joint.reflected_inertia for joint in robot.joints)])


def parameter_labels(robot):
    """The name of each parameter: "Ixx elbow", ..., "rotor elbow"."""
    labels = [f"{what} {joint.name}" for joint in robot.joints for what in OF_BODY]
    return labels + [f"rotor {joint.name}" for joint in robot.joints]
