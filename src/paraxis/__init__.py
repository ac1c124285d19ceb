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
    joint_reactions,
    kinetic_energy,
    mass_matrix,
    mass_matrix_inverse,
    motor_torques,
    operational_space_inertia,
    operational_space_inertia_inverse,
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
    HardwareError,
    Interrupted,
    MissingPackageError,
    ParaxisError,
    ProgramError,
    RobotError,
    RobotWarning,
    ScheduleError,
    SimulationWarning,
    TaskError,
    TraceError,
)
from .later import imported as _imported
from .program import Program
from .robot.friction import Friction, JournalBearing, LinearBearing, ThrustBearing
from .robot.inertia import Inertia
from .robot.joint import Joint
from .robot.load import load
from .robot.pose import Pose
from .robot.robot import Frame, Robot
from .robot.transmission import Transmission
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
    rint,
    select,
    sign,
    sin,
    sqrt,
)

__version__ = "0.1.0"

# name -> its module; loaded when first asked for, since most programs need none.
_LATER = {
    "stability_atlas": "control.atlas.atlas",
    "closed_loop": "control.closed_loop",
    "ClosedLoop": "control.closed_loop",
    "computed_torque": "control.controller",
    "Controller": "control.controller",
    "feed_forward": "control.controller",
    "pd": "control.controller",
    "Cut": "control.policies",
    "policies": "control.policies",
    "policy": "control.policies",
    "safe_period": "control.safe_period",
    "SafePeriod": "control.safe_period",
    "simulated_safe_period": "control.simulated_period",
    "speculate": "control.speculate",
    "unsynchronised": "control.unsynchronised.scheme",
    "Contact": "contacts.contact",
    "constrained_forward_dynamics": "contacts.dynamics",
    "project_velocity": "contacts.impact",
    "chain_dynamics": "chains.dynamics",
    "forward_dynamics_with_friction": "friction.forward_dynamics",
    "inverse_kinematics": "kinematics.solve",
    "inverse_kinematics_solutions": "kinematics.closed_form",
    "positioning_solutions": "kinematics.positioning",
    "Network": "parallel.networks.network",
    "network": "parallel.networks.network",
    "Recurrence": "parallel.networks.recurrence",
    "recurrence": "parallel.networks.recurrence",
    "pipeline": "parallel.pipelines.balance",
    "Pipeline": "parallel.pipelines.pipeline",
    "Schedule": "parallel.schedules.schedule",
    "schedule": "parallel.schedules.scheduling",
    "Run": "simulation.run",
    "simulate": "simulation.simulator",
    "speedup_curve": "parallel.schedules.speedup_curve",
    "streamlined_tasks": "parallel.streamlined.tasks",
    "systolic_array": "parallel.systolic.build",
    "TaskGraph": "parallel.tasks.task_graph",
    "thread_schedule": "parallel.threads.thread_schedule",
    "two_array_plan": "parallel.two_arrays.plan",
    "cartesian_line": "trajectories.cartesian",
    "cartesian_via_points": "trajectories.cartesian",
    "quintic": "trajectories.spline",
    "via_points": "trajectories.spline",
    "Trajectory": "trajectories.trajectory",
    "trapezoidal": "trajectories.trapezoid",
}

# Modules with public names of their own, as px.cordic.Cordic; likewise loaded later.
_MODULES = ("cordic",)

# What is imported above, so that help(paraxis) shows it, and what is loaded later.
__all__ = [name for name in globals() if name[0] != "_" and hasattr(globals()[name], "__module__")]
__all__ += _LATER


def __getattr__(name):
    if name not in _LATER and name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _MODULES:
        return _imported(f".{name}", __name__)
    value = getattr(_imported(f".{_LATER[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_LATER, *_MODULES})
