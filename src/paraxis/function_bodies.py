"""The Body of a function of a robot, from the checked arguments of a call."""

from dataclasses import replace

from .body import BY_LANES, Body
from .checks import counted, one_of, quoted
from .errors import ArgumentError, RobotError, RobotWarning, warn
from .joint_functions.plans import lanes_plan
from .robot_functions import (
    COORDINATES,
    FUNCTIONS,
    LONGEST_PROGRAM,
    algorithms_of,
    check_algorithm,
    check_parameters,
    graph_of,
)
from .robots.robot import a_robot, check_frame_name


def function_body(robot, function, algorithm=None, parameters=(), frame=None, coordinates=None):
    """The Body of a function for this robot; every argument is checked."""
    a_robot(robot)
    algorithms_of(function)
    if isinstance(parameters, str):
        raise ArgumentError(f"parameters: expected a sequence of names, found {parameters!r}")
    parameters = tuple(parameters)
    check_parameters(function, parameters)
    if algorithm is not None:
        check_algorithm(function, algorithm, parameters)
    options, frames = FUNCTIONS[function].options, ()
    check_frame_name(frame)
    if "frame" in options:
        frames = (robot.tool() if frame is None else robot.frame(frame),)
        if function == "operational_space_inertia":
            _check_free(robot, *frames)
    elif frame is not None:
        raise ArgumentError(f"frame: {function} does not take a frame, found {frame!r}")
    elif "frames" in options:
        frames = robot.frames
        if not frames:
            raise RobotError(f"robot {quoted(robot.name)} has no frames")
    if "coordinates" in options:
        coordinates = COORDINATES[0] if coordinates is None else coordinates
        one_of(coordinates, COORDINATES, "coordinates")
    elif coordinates is not None:
        raise ArgumentError(
            f"coordinates: {function} does not take coordinates, found {coordinates!r}"
        )
    return Body(function_graph, robot, function, algorithm, parameters, frames, coordinates)


def function_graph(robot, function, algorithm, parameters, frames, coordinates):
    if algorithm is None:
        warn_if_long(robot, function)
    if frames:
        robot = replace(robot, frames=frames, warn=False)
    return graph_of(robot, function, algorithm, parameters, coordinates)


BY_LANES[function_graph] = lanes_plan


def warn_if_long(robot, function):
    """Warn where the Program of a function takes long to make."""
    if robot.n > LONGEST_PROGRAM:
        warn(
            f"{function} of a robot with {robot.n} joints: the Program grows with the robot, and "
            "making it may take minutes",
            RobotWarning,
        )


def label(robot, function):
    """The name of this computation in progress messages."""
    return f"{function} of {quoted(robot.name)}"


def _check_free(robot, frame):
    moving = sum(robot.joints[i].nv for i in robot.path(frame.body))
    if moving < 6:
        raise ArgumentError(
            f"frame {frame.name!r} is moved by only {counted(moving, 'degree of freedom')}; this "
            "function needs at least 6"
        )
