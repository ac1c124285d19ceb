"""One textbook algorithm per file, over generic scalars. These tables name them."""

from . import (
    articulated_body,
    base_frame_newton_euler,
    centroidal,
    closed_sums_newton_euler,
    composite_body,
    configuration,
    constraint_force,
    divide_and_conquer,
    energy,
    inverse_derivatives,
    joint_reactions,
    kinematics,
    lagrange_closed_form,
    lagrange_recursive_3x3,
    lagrange_recursive_4x4,
    logarithmic_constraint_force,
    logarithmic_newton_euler,
    modified_newton_euler,
    newton_euler,
    operational_space,
    spatial_newton_euler,
    springs,
    tensor_newton_euler,
)
from .friction import motor_torques

# inverse dynamics: algorithm name -> callable(model, q, qd, qdd)
INVERSE_DYNAMICS = {
    "newton_euler": newton_euler.inverse_dynamics,
    "spatial": spatial_newton_euler.inverse_dynamics,
    "modified_newton_euler": modified_newton_euler.inverse_dynamics,
    "tensor_newton_euler": tensor_newton_euler.inverse_dynamics,
    "base_frame_newton_euler": base_frame_newton_euler.inverse_dynamics,
    "logarithmic_newton_euler": logarithmic_newton_euler.inverse_dynamics,
    "closed_sums_newton_euler": closed_sums_newton_euler.inverse_dynamics,
    "lagrange_closed_form": lagrange_closed_form.inverse_dynamics,
    "lagrange_recursive_4x4": lagrange_recursive_4x4.inverse_dynamics,
    "lagrange_recursive_3x3": lagrange_recursive_3x3.inverse_dynamics,
}

# The likely cheapest.
CHEAP = ("newton_euler", "spatial", "modified_newton_euler", "tensor_newton_euler")

# Algorithms whose base may spin and accelerate. In the others it only has gravity.
MOVING_BASE = tuple(name for name in INVERSE_DYNAMICS if name != "lagrange_closed_form")

# Algorithms of forward dynamics that start from the mobility of every link: only for chains without
# massless links. They cost more, and take less time on many processors.
FROM_MOBILITIES = ("constraint_force", "logarithmic_constraint_force", "divide_and_conquer")


def _at_rest(recursion):
    """Gravity torques: the torques of a robot at rest."""

    def gravity_torques(robot, q):
        still = [0.0] * robot.nv
        return recursion(robot, q, still, still)

    return gravity_torques


def _coasting(recursion):
    """Bias forces: the torques of a robot with constant rates."""

    def bias_forces(robot, q, qd):
        return recursion(robot, q, qd, robot.coast(qd))

    return bias_forces


# function -> algorithm name -> callable(model, q, ...); the first is the default candidate
ALGORITHMS = {
    "inverse_dynamics": INVERSE_DYNAMICS,
    "bias_forces": {name: _coasting(each) for name, each in INVERSE_DYNAMICS.items()},
    "gravity_torques": {name: _at_rest(each) for name, each in INVERSE_DYNAMICS.items()},
    "forward_dynamics": {
        "articulated_body": articulated_body.forward_dynamics,
        "composite_body": composite_body.forward_dynamics,
        "constraint_force": constraint_force.forward_dynamics,
        "logarithmic_constraint_force": logarithmic_constraint_force.forward_dynamics,
        "divide_and_conquer": divide_and_conquer.forward_dynamics,
    },
    "motor_torques": {"modified_newton_euler": motor_torques.motor_torques},
    "joint_reactions": {"modified_newton_euler": joint_reactions.joint_reactions},
    "mass_matrix": {"composite_body": composite_body.mass_matrix},
    "mass_matrix_inverse": {
        "composite_body": composite_body.mass_matrix_inverse,
        "constraint_force": constraint_force.mass_matrix_inverse,
    },
    "inverse_dynamics_derivatives": {
        "composite_body": inverse_derivatives.inverse_dynamics_derivatives
    },
    "kinetic_energy": {"link_velocities": energy.kinetic_energy},
    "spring_torques": {"joint_positions": lambda robot, q: springs.spring_torques(robot.robot, q)},
    "potential_energy": {"first_moments": energy.potential_energy},
    "centre_of_mass": {"first_moments": energy.centre_of_mass},
    "centre_of_mass_jacobian": {"composite_body": centroidal.centre_of_mass_jacobian},
    "centroidal_momentum": {"link_velocities": centroidal.centroidal_momentum},
    "centroidal_momentum_matrix": {"composite_body": centroidal.centroidal_momentum_matrix},
    "centroidal_bias": {"newton_euler": centroidal.centroidal_bias},
    "forward_kinematics": {"link_poses": kinematics.forward_kinematics},
    "frame_poses": {"link_poses": kinematics.frame_poses},
    "jacobian": {"joint_axes": kinematics.jacobian},
    "bias_acceleration": {"link_accelerations": kinematics.bias_acceleration},
    "operational_space_inertia": {"composite_body": operational_space.operational_space_inertia},
    "operational_space_inertia_inverse": {
        "composite_body": operational_space.operational_space_inertia_inverse,
        "constraint_force": constraint_force.operational_space_inertia_inverse,
    },
    "integrate": {"exponential": configuration.integrate},
    "difference": {"logarithm": configuration.difference},
    "normalize": {"unit_quaternions": configuration.normalize},
    "regressor": {"spatial": spatial_newton_euler.inverse_dynamics},
}
