"""Paraxis: parallel robot dynamics. `import paraxis as px`.

Public names are those of `dir(px)`: functions of a robot, Programs, schedules, errors, and the
namespaces `px.math`, `px.robots`, `px.kinematics`, `px.trajectories`, `px.simulation`,
`px.control`, `px.optimal`, `px.parallel`, `px.sweeps`, `px.chains`, `px.hardware` and `px.gym`.
"""

from .api import (
    algorithms,
    bias_acceleration,
    bias_forces,
    centre_of_mass,
    centre_of_mass_jacobian,
    centroidal_bias,
    centroidal_momentum,
    centroidal_momentum_matrix,
    coriolis_matrix,
    difference,
    difference_derivatives,
    forward_dynamics,
    forward_dynamics_derivatives,
    forward_kinematics,
    frame_poses,
    functions,
    gravity_torques,
    inertial_parameters,
    integrate,
    integrate_derivatives,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    jacobian,
    joint_reactions,
    kinetic_energy,
    mass_matrix,
    mass_matrix_inverse,
    motor_torques,
    neutral,
    normalize,
    operational_space_inertia,
    operational_space_inertia_inverse,
    parameter_values,
    parse,
    potential_energy,
    program,
    regressor,
    spring_torques,
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
from .later import namespace as _namespace
from .programs import Program
from .robots.loading import load
from .robots.robot import Robot


def _drawn(robot: Robot) -> str:
    """A robot in a notebook. Robots themselves know nothing of scenes, which are made of robots."""
    from .scene.show import scene_of

    return scene_of(robot)._repr_html_()


Robot._drawn = _drawn

__version__ = "0.2.0"

_LATER = {  # name -> its module; most programs need none of these
    "Contact": "dynamics.contacts.contact",
    "TaskGraph": "parallel.tasks.task_graph",
    "base_parameters": "dynamics.identification",
    "closed_form": "dynamics.equations",
    "constrained_forward_dynamics": "dynamics.contacts.dynamics",
    "external_force": "dynamics.loads",
    "forward_dynamics_with_friction": "dynamics.friction.forward_dynamics",
    "inverse_kinematics": "kinematics.solve",
    "live_page": "live.page",
    "optimal_control": "optimal.control",
    "payload": "dynamics.loads",
    "pipeline": "parallel.pipelines.balance",
    "project_velocity": "dynamics.contacts.impact",
    "schedule": "parallel.schedules.scheduling",
    "show": "scene.show",
    "Simulator": "simulation.simulator",
    "simulate": "simulation.once",
    "streamlined_tasks": "parallel.streamlined.tasks",
    "sweep": "sweeps.study",
}
_NAMESPACES = (
    "chains",
    "control",
    "gym",
    "hardware",
    "kinematics",
    "math",
    "optimal",
    "parallel",
    "robots",
    "simulation",
    "sweeps",
    "trajectories",
)

# What is imported above, so that help(paraxis) shows it, and what is imported later.
_HERE = {name: "" for name in dir() if name[0] != "_" and hasattr(globals()[name], "__module__")}
__all__ = [*_HERE, *_LATER]
__getattr__, __dir__ = _namespace(__name__, _HERE | _LATER, _NAMESPACES)
