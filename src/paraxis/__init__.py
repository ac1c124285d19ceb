"""Paraxis: parallel robot dynamics. `import paraxis as px`."""

from .api import algorithms, inverse_dynamics, parameter_values, parse, program, trace
from .errors import (
    ArgumentError,
    ParaxisError,
    ProgramError,
    RobotError,
    RobotWarning,
    TraceError,
)
from .program import Program
from .robot.inertia import Inertia
from .robot.joint import Joint
from .robot.load import load
from .robot.pose import Pose
from .robot.robot import Frame, Robot
from .robot.zoo import chain, planar
from .scalar import (
    atan2,
    cos,
    equal,
    less,
    less_equal,
    mark,
    maximum,
    minimum,
    select,
    sign,
    sin,
    sqrt,
)

__version__ = "0.1.0"
