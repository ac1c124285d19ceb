"""A robot that carries a load along a whole trajectory, for the limits of its drives.

A load is parameters of the robot, as px.payload or px.external_force make them for one state.
Kernels take them as inputs, so that another load compiles nothing.
"""

from .. import api
from ..drivers.map import as_array
from ..errors import ArgumentError
from ..robot_functions import check_parameters, input_shapes
from .axes import axes_of

FUNCTION = "motor_torques"  # what limits are about, friction included


class Loaded:
    """A robot with parameters; everything else is the robot's."""

    def __init__(self, robot, parameters):
        axes_of(robot)  # refuses a robot that has none
        self.robot = robot
        check_parameters(FUNCTION, tuple(parameters))
        shapes = input_shapes(robot, FUNCTION, tuple(parameters))
        self.parameters = {}
        for name, value in parameters.items():
            array = as_array(value, name, shapes[name])
            if array.shape != shapes[name]:
                raise ArgumentError(
                    f"{name}: expected shape {shapes[name]}, one load for the whole trajectory, "
                    f"found {array.shape}"
                )
            self.parameters[name] = array

    def __getattr__(self, name):
        return getattr(self.robot, name)


def with_load(robot, parameters):
    """The robot itself if there are no parameters."""
    return Loaded(robot, parameters) if parameters else robot


def axes(robot):
    """A single joint for each number of q, of a robot with or without a load."""
    return axes_of(*_unloaded(robot))


def inverse_dynamics(robot, q, qd, qdd):
    """As of paraxis, of a robot with or without a load."""
    return api.inverse_dynamics(*_unloaded(robot, q, qd, qdd), **_parameters(robot))


def motor_torques(robot, q, qd, qdd):
    """As of paraxis, of a robot with or without a load."""
    return api.motor_torques(*_unloaded(robot, q, qd, qdd), **_parameters(robot))


def _unloaded(robot, *motion):
    return (robot.robot if isinstance(robot, Loaded) else robot, *motion)


def _parameters(robot):
    return robot.parameters if isinstance(robot, Loaded) else {}
