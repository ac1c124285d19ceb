"""Paraxis: parallel robot dynamics. `import paraxis as px`."""

from .api import (
    algorithms,
    base_parameters,
    bias_acceleration,
    bias_forces,
    center_of_mass,
    closed_form,
    coriolis_matrix,
    external_force,
    forward_dynamics,
    forward_dynamics_derivatives,
    forward_kinematics,
    frame_poses,
    functions,
    gravity_torques,
    inertial_parameters,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    jacobian,
    kinetic_energy,
    mass_matrix,
    mass_matrix_inverse,
    operational_space_inertia,
    parameter_values,
    parse,
    payload,
    potential_energy,
    program,
    regressor,
    trace,
)
from .errors import (
    ArgumentError,
    MissingPackageError,
    ParaxisError,
    ProgramError,
    RobotError,
    RobotWarning,
    ScheduleError,
    TaskError,
    TraceError,
)
from .parallel.networks.network import Network, network
from .parallel.networks.recurrence import Recurrence, recurrence
from .parallel.pipelines.balance import pipeline
from .parallel.pipelines.pipeline import Pipeline
from .parallel.schedules.schedule import Schedule
from .parallel.schedules.scheduling import schedule
from .parallel.schedules.speedup_curve import speedup_curve
from .parallel.streamlined.tasks import streamlined_tasks
from .parallel.systolic.build import systolic_array
from .parallel.tasks.task_graph import TaskGraph
from .parallel.threads.thread_schedule import thread_schedule
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

# What is imported above, so that help(paraxis) shows it.
__all__ = [name for name in globals() if name[0] != "_" and hasattr(globals()[name], "__module__")]
