"""Robots with joints of any kind, in floats: nothing is traced or compiled."""

import numpy as np

from paraxis.physics.spatial_newton_euler import inverse_dynamics
from paraxis.robots.model import Model
from paraxis.robots.rows import rows_of


def model_of_rows(robot):
    return Model(rows_of(robot))


def torques(model, q, qd, qdd):
    """Inverse dynamics of a model of rows."""
    found = inverse_dynamics(model, q, qd, model.rows_accelerations(qd, qdd))
    return np.array(model.joint_torques(qd, found))
