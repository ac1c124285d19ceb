"""Robots with one or two absurd numbers, all of them finite, and everything one may ask of a robot.

Whatever a robot is like, a call gives numbers, infinities and NaN as IEEE arithmetic has them, or
raises a ParaxisError: nothing else.
"""

import warnings
from dataclasses import replace

import numpy as np

import paraxis as px

ABSURD = (5e-324, 1e-310, 1e-200, 1e-155, 1e-30, 1e30, 1e155, 1e200, 1e300, 1.7e308)
CONTACT = px.Contact(constraint=np.eye(6)[:, 3])


def ordinary():
    """Two oblique links; joints turn about different axes, and the second has losses to set."""
    seats = px.robots.Pose.from_rpy((0.1, 0.2, 0.3), (0.2, 0.3, 0.4))
    joints = [
        px.robots.Joint("a", "revolute", -1, px.robots.Pose(), (0.0, 0.0, 1.0), rotor_inertia=0.1),
        px.robots.Joint("b", "revolute", 0, seats, (0.0, 1.0, 0.0), rotor_inertia=0.1),
    ]
    link = px.robots.Inertia.of(1.5, (0.3, 0.1, -0.2), (0.2, 0.25, 0.3))
    tip = px.robots.Frame("tip", 1, px.robots.Pose.from_rpy((0.4, 0.0, 0.1), (0.1, 0.0, 0.5)))
    return px.Robot("absurd", joints, [link, link], [tip])


# -- one absurd number -----------------------------------------------------------------------------


def _joint(robot, **changes):
    first, second = robot.joints
    return replace(robot, joints=[first, replace(second, **changes)], warn=False)


def _inertia(robot, **changes):
    first, second = robot.inertias
    return replace(robot, inertias=[first, replace(second, **changes)], warn=False)


def _friction(robot, **changes):
    friction = replace(robot.joints[1].friction, **changes)
    return _joint(robot, friction=friction)


CHANGES = {
    "mass": lambda robot, x: _inertia(robot, mass=x),
    "com": lambda robot, x: _inertia(robot, com=(x, 0.1, 0.0)),
    "inertia": lambda robot, x: _inertia(robot, about_com=(x, x, x, 0.0, 0.0, 0.0)),
    "all of a link": lambda robot, x: _inertia(
        robot, mass=x, com=(0.0, 0.0, 0.0), about_com=(x, x, x, 0.0, 0.0, 0.0)
    ),
    "length": lambda robot, x: _joint(
        robot, placement=px.robots.Pose.from_rpy((x, 0.1, 0), (0, 0, 0.3))
    ),
    "reach": lambda robot, x: replace(
        robot,
        frames=[px.robots.Frame("tip", 1, px.robots.Pose.from_rpy((x, 0, 0), (0, 0, 0)))],
        warn=False,
    ),
    "gravity": lambda robot, x: robot.with_gravity((0.0, x, -x)),
    "rotor": lambda robot, x: _joint(robot, rotor_inertia=x),
    "viscous": lambda robot, x: _friction(robot, viscous=x),
    "coulomb": lambda robot, x: _friction(robot, coulomb=x, static=x),
    "smoothing": lambda robot, x: _friction(robot, coulomb=0.1, static=0.1, smoothing=x),
    "stribeck": lambda robot, x: _friction(robot, coulomb=0.1, static=0.2, stribeck_velocity=x),
    "ratio": lambda robot, x: _joint(robot, transmission=px.robots.Transmission(ratio=x)),
    "limits": lambda robot, x: _joint(robot, lower=-x, upper=x, max_velocity=x, max_effort=x),
    "prismatic": lambda robot, x: _inertia(_joint(robot, kind="prismatic"), mass=x),
}


def absurd(rng, changes=1):
    """The robot with as many changes, and words for them; None where it is refused."""
    robot, words = ordinary(), []
    for _ in range(changes):
        name, x = rng.choice(list(CHANGES)), rng.choice(ABSURD)
        words.append(f"{name} {x}")
        try:
            robot = CHANGES[name](robot, x)
        except px.ParaxisError:
            return None, words
    return robot, words


# -- what one asks of a robot ----------------------------------------------------------------------

Q, QD, QDD = np.array([[0.3, -0.7], [0.2, 0.9]]), np.array([0.4, -0.6]), np.array([1.0, 2.0])


def _of(name, *arguments):
    return lambda robot: getattr(px, name)(robot, *arguments)


def _simulated(**options):
    return lambda robot: px.simulate(robot, Q, 0 * QD, dt=1e-3, steps=3, **options)


def _trajectory():
    return px.trajectories.quintic(Q[0], Q[1], 1.0)


def _program(robot):
    program = px.program(robot, "forward_dynamics")
    program.count(), program.depth(), program.to_c(), program.to_fortran()
    return px.parse(program.text()).evaluate(q=Q[0], qd=QD, tau=QDD)


def _looked_at(robot):
    return str(robot) + repr(robot) + robot.digest


def _poses(robot):
    return px.forward_kinematics(robot, Q)


CALLS = {
    "print": _looked_at,
    "inverse_dynamics": _of("inverse_dynamics", Q, QD, QDD),
    "forward_dynamics": _of("forward_dynamics", Q, QD, QDD),
    "mass_matrix": _of("mass_matrix", Q),
    "mass_matrix_inverse": _of("mass_matrix_inverse", Q),
    "bias_forces": _of("bias_forces", Q, QD),
    "gravity_torques": _of("gravity_torques", Q),
    "coriolis_matrix": _of("coriolis_matrix", Q, QD),
    "jacobian": _of("jacobian", Q),
    "forward_kinematics": _poses,
    "frame_poses": _of("frame_poses", Q),
    "bias_acceleration": _of("bias_acceleration", Q, QD),
    "centre_of_mass": _of("centre_of_mass", Q),
    "kinetic_energy": _of("kinetic_energy", Q, QD),
    "potential_energy": _of("potential_energy", Q),
    "regressor": _of("regressor", Q, QD, QDD),
    "inertial_parameters": _of("inertial_parameters"),
    "base_parameters": lambda robot: str(px.base_parameters(robot)),
    "closed_form": lambda robot: str(px.closed_form(robot)),
    "joint_reactions": _of("joint_reactions", Q, QD, QDD),
    "motor_torques": _of("motor_torques", Q, QD, QDD),
    "inverse_dynamics_derivatives": _of("inverse_dynamics_derivatives", Q, QD, QDD),
    "forward_dynamics_derivatives": _of("forward_dynamics_derivatives", Q, QD, QDD),
    "operational_space_inertia": _of("operational_space_inertia_inverse", Q),
    "friction": _of("forward_dynamics_with_friction", Q, QD, QDD),
    "contact": _of("constrained_forward_dynamics", Q, QD, QDD, CONTACT),
    "project_velocity": _of("project_velocity", Q, QD, CONTACT),
    "rk4": _simulated(tau=QDD),
    "euler": _simulated(method="semi_implicit_euler"),
    "adaptive": _simulated(method="adaptive", max_attempts=200),
    "simulated contact": _simulated(contact=CONTACT),
    "controller": _simulated(controller=lambda t, q, qd: -q - qd),
    "called controller": _simulated(controller=lambda t, q, qd: float(t) - q),
    "program": _program,
    "inverse_kinematics": lambda robot: px.inverse_kinematics(
        robot, px.forward_kinematics(robot, Q[0])
    ),
    "chain_dynamics": lambda robot: px.chains.chain_dynamics(robot)(Q, QD, QDD),
    "payload": lambda robot: robot.with_payload(2.0),
    "streamlined_tasks": lambda robot: repr(px.streamlined_tasks(robot)),
    "systolic_array": lambda robot: str(px.parallel.systolic_array(robot)),
    "closed_loop": lambda robot: px.control.closed_loop(
        robot, px.control.computed_torque(robot, 100.0, 20.0), _trajectory(), 1e-2, duration=0.05
    ),
    "safe_period": lambda robot: px.control.safe_period(
        robot, px.control.pd(robot, 100.0, 20.0), Q[0]
    ),
    "fastest": lambda robot: _trajectory().scaled(robot, max_torque=100.0).duration,
    "cordic": lambda robot: repr(px.hardware.inverse_dynamics_circuit(robot)),
}


def asked(name, robot):
    """What became of a call: "answered", or "refused" by an error of Paraxis. Others escape."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = CALLS[name](robot)
        except px.ParaxisError as error:
            assert str(error).strip()
            return "refused"
    assert result is not None
    return "answered"
