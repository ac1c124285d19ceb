"""The numbers in which joint torques are linear: ten a body and the inertia of each rotor."""

import numpy as np

from .inertia import six_of, swing

OF_BODY = ("m", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


def inertial_parameters(robot):
    """π, of 11 n numbers: torques are Y π with the regressor Y.

    First ten for each body, in its own frame: the mass, the first moment h = mass times centre of
    mass, and the inertia about the frame's origin. Then the rotor inertia of each joint.
    """
    values = []
    for body in robot.inertias:
        com = np.array(body.com)
        about_origin = body.matrix + swing(body.mass, com)
        values += [body.mass, *(body.mass * com), *six_of(about_origin)]
    return np.array([*values, *(joint.reflected_inertia for joint in robot.joints)])


def parameter_labels(robot):
    """What each of them is: "Ixx elbow", ..., "rotor elbow"."""
    labels = [f"{what} {joint.name}" for joint in robot.joints for what in OF_BODY]
    return labels + [f"rotor {joint.name}" for joint in robot.joints]
