"""The public functions of a robot: arrays in, arrays out, compiled on first use and kept."""

import numpy as np

from .calls import of_robot
from .errors import ArgumentError
from .function_bodies import function_body, label
from .graph.arrays import on_arrays
from .graph.parse import parse as parse_graph
from .graph.trace import trace as trace_graph
from .programs import Program
from .robot_functions import FUNCTIONS, algorithms_of
from .robots.inertial_parameters import inertial_parameters
from .robots.model import parameter_values as model_values
from .robots.robot import a_robot
from .targets.compiling import compiling, one_call


def algorithms(function="inverse_dynamics"):
    """The names of the algorithms that compute a function."""
    return list(algorithms_of(function))


def functions():
    """The names of the functions that `px.program` makes Programs of."""
    return list(FUNCTIONS)


def program(
    robot,
    function="inverse_dynamics",
    algorithm=None,
    parameters=(),
    frame=None,
    coordinates=None,
):
    """The Program of a function for this robot.

    With an algorithm named, it is traced in the body frames and with the masses of the
    description, and its intermediate values are marked. Without, the cheapest is taken, over
    all algorithms and over equivalent choices of body frames and masses. Names in
    `parameters` (mass, com, inertia, origin, rotor_inertia, gravity, external_force,
    base_velocity, base_acceleration) become inputs, in the shapes of `px.parameter_values`;
    frames are then as described. `frame` and `coordinates` are for functions about a frame.
    """
    body = function_body(robot, function, algorithm, parameters, frame, coordinates)
    with one_call(label(robot, function)), compiling("tracing"):
        return Program(*body.recipe)


def parameter_values(robot, name):
    """The numbers of one parameter of `robot`, as an array.

    mass (n), com (n, 3), inertia (n, 6: Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the centre of mass),
    origin (n, 3: of each body's frame in its parent's), rotor_inertia (n), gravity (3, in the
    world), and three that a robot has none of, so that they are zero: external_force (n, 6: the
    moment and force on each body from outside, about its frame's origin and along its axes),
    base_velocity (6) and base_acceleration (6: of the root frame's origin, as of any point, angular
    first, along the root frame's axes).
    """
    a_robot(robot)
    return np.array(model_values(robot, name))


def trace(function, /, **shapes):
    """The Program of any function of arrays and scalars.

    `px.trace(fn, q=6, A=(3, 3), k=())` calls fn(q=..., A=..., k=...) once, with NumPy arrays of
    traced scalars, here of shapes (6,) and (3, 3), and a traced scalar k. fn returns an array, a
    nested list or a scalar, or a dict of such. Inside, arrays are computed with as usual, and
    px.math.sin, px.math.select, ... and the functions of a robot take them entry by entry or whole.
    """
    inputs = {}
    for name, shape in shapes.items():
        inputs[name] = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
        if not name.isascii() or not all(type(k) is int and k > 0 for k in inputs[name]):
            raise ArgumentError(
                f"{name}: expected an ASCII name and positive sizes, found {shape!r}"
            )
    label = getattr(function, "__name__", "program")
    label = label if label.isidentifier() and label.isascii() else "program"
    return Program.of(trace_graph(on_arrays(function), inputs, name=label))


def parse(source):
    """The Program written by `program.text()`."""
    return Program.of(parse_graph(source))


# -- functions of arrays: what they take and mean; `of_robot` does the rest ------------------------


@of_robot
def inverse_dynamics(robot, q, qd, qdd, *, out=None, algorithm=None, **parameters):
    """The joint torques (..., n) that make the robot move as (q, qd, qdd), each (..., n).

    Batch shapes broadcast. float32 arrays in give float32 out, by a float32 kernel; everything
    else is computed in float64. The kernel is compiled on first use and kept on disk. Inside
    `px.trace`, and in controllers, arrays of traced scalars give an array of traced torques.

    Further keywords are parameters of the robot that vary from state to state, in the shapes of
    `px.parameter_values`: mass=(..., n), external_force=(..., n, 6), ... This and the above holds
    for every function of a robot.
    """


@of_robot
def forward_dynamics(robot, q, qd, tau, *, out=None, algorithm=None, **parameters):
    """The joint accelerations (..., n) under the torques tau.

    algorithm: one of `px.algorithms("forward_dynamics")`; by default the cheapest. Chains of more
    than 64 joints go along the links instead, by default and where named: "batched" for 4 states or
    more, "scan" for fewer of 384 links or more, else "serial"; `px.chains.chain_dynamics` has more.
    """


@of_robot
def motor_torques(robot, q, qd, qdd, *, out=None, algorithm=None, **parameters):
    """The torques behind a motion, losses included: five arrays (..., n), as attributes.

    `dynamic` is inverse dynamics; `joint_friction` comes on top, in bearings that feel the joint's
    reaction; `at_joint` is the sum; `transmission_friction` is what the drive takes in addition;
    `input` is on the motor's shaft: ratio * input = at_joint + transmission_friction.

    A joint moves in the direction of qd or, where that is zero, of qdd. Where both are zero it
    sticks: bearings then resist nothing, and of all inputs that hold the joint the least is given,
    zero while break_away holds efficiency * abs(at_joint).
    """


@of_robot
def joint_reactions(robot, q, qd, qdd, *, out=None, **parameters):
    """The moment and force (..., n, 6) on each body from its parent, structure and motor together.

    About the origin of the body's frame and along its axes, moment first.
    """


@of_robot
def mass_matrix(robot, q, *, out=None, **parameters):
    """M (..., n, n): the torques M q̈ accelerate the robot from rest without gravity."""


@of_robot
def mass_matrix_inverse(robot, q, *, out=None, algorithm=None, **parameters):
    """The inverse of the mass matrix, (..., n, n)."""


@of_robot
def bias_forces(robot, q, qd, *, out=None, algorithm=None, **parameters):
    """The torques (..., n) that keep the rates qd: Coriolis, centrifugal and gravity."""


@of_robot
def gravity_torques(robot, q, *, out=None, algorithm=None, **parameters):
    """The torques (..., n) that hold the robot still."""


@of_robot
def coriolis_matrix(robot, q, qd, *, out=None, algorithm=None, **parameters):
    """C (..., n, n) with bias forces C q̇ + g, by Christoffel's symbols: Ṁ - 2 C is skew."""


@of_robot
def kinetic_energy(robot, q, qd, *, out=None, **parameters):
    """The energy of motion (...), of bodies and rotors, in joules."""


@of_robot
def potential_energy(robot, q, *, out=None, **parameters):
    """The energy of height (...) in joules, zero for mass at the origin of the world."""


@of_robot
def centre_of_mass(robot, q, *, out=None, **parameters):
    """The centre of mass of all moving bodies, (..., 3) in the world."""


@of_robot
def forward_kinematics(robot, q, frame=None, *, out=None, **parameters):
    """The pose of a frame in the world, (..., 4, 4); by default of the last one, the tool."""


@of_robot
def frame_poses(robot, q, *, out=None, **parameters):
    """The poses of all frames in the world, (..., frames, 4, 4), in the order of frame_names."""


@of_robot
def jacobian(robot, q, frame=None, coordinates="world", *, out=None, **parameters):
    """J (..., 6, n): a frame moves with J q̇, angular part first.

    The motion is that of the frame's origin, along the axes of the world or, with
    coordinates="body", along the frame's own.
    """


@of_robot
def bias_acceleration(robot, q, qd, frame=None, coordinates="world", *, out=None, **parameters):
    """J̇ q̇ (..., 6): how a frame accelerates while the joints keep their rates."""


@of_robot
def operational_space_inertia(robot, q, frame=None, coordinates="world", *, out=None, **parameters):
    """Λ = (J M⁻¹ Jᵀ)⁻¹ (..., 6, 6): the inertia a frame shows to a force on it.

    Where the robot is singular there is none: entries grow without bound nearby, and right there
    rounding decides what they are. Look at the Jacobian's smallest singular value.
    """


@of_robot
def operational_space_inertia_inverse(
    robot, q, frame=None, coordinates="world", *, out=None, algorithm=None, **parameters
):
    """Λ⁻¹ = J M⁻¹ Jᵀ (..., 6, 6): how a frame accelerates under a force on it.

    There always is one: where the robot is singular it has lost rank, no more.
    """


@of_robot
def inverse_dynamics_derivatives(robot, q, qd, qdd, *, out=None, algorithm=None, **parameters):
    """∂τ/∂q and ∂τ/∂q̇, each (..., n, n); ∂τ/∂q̈ is the mass matrix."""


@of_robot
def forward_dynamics_derivatives(robot, q, qd, tau, *, out=None, algorithm=None, **parameters):
    """∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ, each (..., n, n); the last is the inverse mass matrix."""


@of_robot
def regressor(robot, q, qd, qdd, *, out=None, **parameters):
    """Y (..., n, 11 n) with torques Y π, where π are `px.inertial_parameters`."""


__all__ = [
    *FUNCTIONS,
    "algorithms",
    "functions",
    "inertial_parameters",
    "parameter_values",
    "parse",
    "program",
    "trace",
]
