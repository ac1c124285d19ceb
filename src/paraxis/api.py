"""The public functions of a robot: arrays in, arrays out, compiled on first use and kept.

Types are those of NumPy; arrays of CuPy, PyTorch and JAX on a GPU work too and give results of
their own kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from .calls import of_robot
from .compiling import about, compiling, one_call
from .errors import ArgumentError
from .function_bodies import function_body, label
from .graph.arrays import on_arrays
from .graph.parse import parse as parse_graph
from .graph.trace import trace as trace_graph
from .physics.configuration import neutral as neutral_position
from .physics.friction.motor_torques import MotorTorques
from .programs import Program
from .robot_functions import FUNCTIONS, algorithms_of
from .robots.linear_parameters import inertial_parameters
from .robots.model import parameter_values as model_values
from .robots.robot import Robot, a_robot


def algorithms(function: str = "inverse_dynamics") -> list[str]:
    """The names of the algorithms that compute a function; `px.functions()` lists those."""
    return list(algorithms_of(function))


def functions() -> list[str]:
    """The names of the functions that `px.program` makes Programs of."""
    return list(FUNCTIONS)


def program(
    robot: Robot,
    function: str = "inverse_dynamics",
    algorithm: str | None = None,
    parameters: Sequence[str] = (),
    frame: str | None = None,
    coordinates: str | None = None,
) -> Program:
    """The Program of a function for this robot.

    **Arguments:**

    - `robot`: the robot, as `px.load` returns it.
    - `function`: one of `px.functions()`.
    - `algorithm`: one of `px.algorithms(function)`. It is traced in the body frames and with the
      masses of the description, and its intermediate values are marked. By default the cheapest
      is taken, over all algorithms and over equivalent choices of body frames and masses.
    - `parameters`: names of parameters of the robot that become inputs: mass, com, inertia,
      origin, rotor_inertia, gravity, external_force, base_velocity, base_acceleration, in the
      shapes of `px.parameter_values`. Body frames are then those of the description.
    - `frame`: the name of a frame, for functions about one; by default the tool.
    - `coordinates`: "world" (the default) or "body", for functions that have coordinates.

    **Returns:** a `px.Program`.

    **Raises:** `px.ArgumentError` if a name is unknown or does not apply to this function,
    `px.RobotError` if the function does not exist for this robot (no frame of that name, a joint
    that moves no mass).
    """
    body = function_body(robot, function, algorithm, parameters, frame, coordinates)
    with one_call(label(robot, function)):
        return Program(*body.recipe)


def parameter_values(robot: Robot, name: str) -> np.ndarray:
    """The values of one parameter of `robot`, as an array.

    **Arguments:**

    - `robot`: the robot.
    - `name`: one of these, with the shape of its values:
        - `mass`: (n,), kg.
        - `com`: (n, 3), the centre of mass of each body in its own frame, m.
        - `inertia`: (n, 6), Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the centre of mass, kg m².
        - `origin`: (n, 3), the origin of each body's frame in its parent's, m.
        - `rotor_inertia`: (n,), as the joint feels it, kg m² (kg for a prismatic joint).
        - `gravity`: (3,), in the world, m/s².
        - `external_force`: (n, 6), the moment and force on each body from outside, about its
          frame's origin and along its axes, N m and N.
        - `base_velocity`, `base_acceleration`: (6,), of the root frame's origin, angular first,
          along the root frame's axes.

      The last three are not part of a robot's description, so their values are zero.

    **Returns:** the values, float64.

    **Raises:** `px.ArgumentError` if there is no parameter of that name.
    """
    a_robot(robot)
    return np.array(model_values(robot, name))


def trace(function: Callable, /, **shapes: int | Sequence[int]) -> Program:
    """The Program of any function of arrays and scalars.

    `px.trace(fn, q=6, A=(3, 3), k=())` calls `fn(q=..., A=..., k=...)` once, with NumPy arrays of
    traced scalars, here of shapes (6,) and (3, 3), and a traced scalar k. Inside, compute with
    arrays as usual; `px.math.sin`, `px.math.select`, ... take them entry by entry, and the
    functions of a robot take them as joint positions, rates and so on.

    **Arguments:**

    - `function`: returns an array, a nested list or a scalar, or a dict of these by name.
    - `shapes`: the shape of each input by name; an int is the length of a vector, () a scalar.

    **Returns:** a `px.Program` with these inputs.

    **Raises:** `px.TraceError` if the function does what a straight-line Program cannot, such as
    branching on a traced value; `px.ArgumentError` if a name or a shape is not valid.
    """
    inputs = {}
    for name, shape in shapes.items():
        inputs[name] = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
        if not name.isascii():
            raise ArgumentError(f"{name}: expected a name of ASCII letters and digits")
        if not all(type(k) is int and k > 0 for k in inputs[name]):
            raise ArgumentError(f"{name}: expected integer sizes >= 1, found {shape!r}")
    label = getattr(function, "__name__", "program")
    label = label if label.isidentifier() and label.isascii() else "program"
    with compiling("tracing"):
        about(label)
        return Program.of(trace_graph(on_arrays(function), inputs, name=label))


def parse(source: str) -> Program:
    """The Program that `program.text()` wrote.

    **Arguments:**

    - `source`: the text.

    **Returns:** a `px.Program` of the same operations, inputs, outputs and marks.

    **Raises:** `px.ProgramError` if the text is not that of a Program.
    """
    return Program.of(parse_graph(source))


# -- functions of arrays: what they take and mean; `of_robot` does the rest ------------------------


@of_robot
def inverse_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    out: np.ndarray | None = None,
    algorithm: str | None = None,
    **parameters: ArrayLike,
) -> np.ndarray:
    """The joint torques that make the robot move as (q, qd, qdd). Elsewhere: RNEA.

    With closed loops, those of its `independent` joints, or of least norm; loops must allow the
    motion (docs/howto/models/loops.md).

    **Arguments:**

    - `robot`: the robot.
    - `q`, `qd`, `qdd`: joint positions (..., nq), velocities and accelerations (..., nv), in rad or
      m and seconds. Batch shapes broadcast.
    - `out`: an array to write the result to.
    - `algorithm`: one of `px.algorithms("inverse_dynamics")`; by default the cheapest.
    - `parameters`: parameters of the robot that vary from state to state, in the shapes of
      `px.parameter_values` behind the batch: mass=(..., n), external_force=(..., n, 6), ...

    **Returns:** the torques (forces for prismatic joints), (..., nv), in N m or N. float32 arrays
    give float32, computed by a float32 kernel; everything else is computed in float64. Arrays on a
    GPU give an array of the same library there.

    **Raises:** `px.ArgumentError` if an array has the wrong shape, dtype or device, or a name is
    unknown.

    The kernel is compiled on first use and kept on disk. Inside `px.trace`, and in controllers,
    arrays of traced scalars give an array of traced torques. All of this holds for every function
    of a robot.
    """
    ...


@of_robot
def forward_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    *,
    out: np.ndarray | None = None,
    algorithm: str | None = None,
    **parameters: ArrayLike,
) -> np.ndarray:
    """The joint accelerations (..., nv) under the torques `tau`, in rad/s² or m/s². Elsewhere: ABA.

    With closed loops, those that they allow; `px.constrained_forward_dynamics` has their forces.

    **Arguments:**

    - `q`, `qd`, `tau`: joint positions (..., nq), velocities and torques (..., nv).
    - `algorithm`: one of `px.algorithms("forward_dynamics")`; by default the cheapest. Chains of
      more than 64 joints are swept link by link instead: "batched" for 4 states or more, "scan" for
      fewer states of 384 links or more, otherwise "serial". These three can also be named, for
      chains of any length; `px.chains.chain_dynamics` has more options.

    Everything else as in `px.inverse_dynamics`.
    """
    ...


@of_robot
def motor_torques(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    out: Sequence[np.ndarray] | None = None,
    algorithm: str | None = None,
    **parameters: ArrayLike,
) -> MotorTorques:
    """The torques behind a motion, losses included.

    **Arguments:**

    - `q`, `qd`, `qdd`: joint positions (..., nq), velocities and accelerations (..., nv).
    - `out`: five arrays to write the results to.

    **Returns:** five arrays (..., nv), as attributes. `dynamic` is inverse dynamics;
    `joint_friction` is added to it by the bearings, which feel the joint's reaction, and by tendons
    and joints that follow this one; `at_joint` is the sum; `transmission_friction` is what the
    drive takes in addition; `input` is the torque on the motor's shaft: ratio * input = at_joint +
    transmission_friction.

    A joint moves in the direction of qd or, where that is zero, of qdd. Where both are zero it
    sticks: bearings then resist nothing, and of all inputs that hold the joint the smallest is
    returned, zero while break_away holds efficiency * abs(at_joint).

    Everything else as in `px.inverse_dynamics`.
    """
    ...


@of_robot
def joint_reactions(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    out: np.ndarray | None = None,
    **parameters: ArrayLike,
) -> np.ndarray:
    """The moment and force on each body from its parent, structure and motor together.

    **Arguments:**

    - `q`, `qd`, `qdd`: joint positions (..., nq), velocities and accelerations (..., nv), in rad or
      m and seconds.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** (..., n, 6), about the origin of the body's frame and along its axes, moment
    first, in N m and N.

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def mass_matrix(
    robot: Robot, q: ArrayLike, *, out: np.ndarray | None = None, **parameters: ArrayLike
) -> np.ndarray:
    """The mass matrix M: the torques M q̈ accelerate the robot from rest, gravity aside.

    Elsewhere: CRBA.

    **Arguments:**

    - `q`: joint positions, (..., nq), rad or m.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** M, (..., nv, nv), in kg m² (kg between prismatic joints, kg m between the two
    kinds).

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def mass_matrix_inverse(
    robot: Robot,
    q: ArrayLike,
    *,
    out: np.ndarray | None = None,
    algorithm: str | None = None,
    **parameters: ArrayLike,
) -> np.ndarray:
    """The inverse of the mass matrix.

    Of a robot with closed loops, the matrix that takes torques to the accelerations they cause:
    symmetric, of as many independent rows as loops leave degrees of freedom.

    **Arguments:**

    - `q`: joint positions, (..., nq), rad or m.
    - `out`, `parameters`: as in `px.inverse_dynamics`.
    - `algorithm`: one of `px.algorithms("mass_matrix_inverse")`; by default the cheapest.

    **Returns:** M⁻¹, (..., nv, nv), in the reciprocal units of `px.mass_matrix`.

    **Raises:** `px.RobotError` if a joint moves no mass; otherwise as `px.inverse_dynamics`.
    """
    ...


@of_robot
def bias_forces(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    out: np.ndarray | None = None,
    algorithm: str | None = None,
    **parameters: ArrayLike,
) -> np.ndarray:
    """The torques that keep the velocities qd: Coriolis, centrifugal and gravity.

    **Arguments:**

    - `q`, `qd`: joint positions (..., nq) and velocities (..., nv), rad or m, and per second.
    - `out`, `parameters`: as in `px.inverse_dynamics`.
    - `algorithm`: one of `px.algorithms("bias_forces")`; by default the cheapest.

    **Returns:** the torques, (..., nv), in N m or N.

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def gravity_torques(
    robot: Robot,
    q: ArrayLike,
    *,
    out: np.ndarray | None = None,
    algorithm: str | None = None,
    **parameters: ArrayLike,
) -> np.ndarray:
    """The torques that hold the robot still, but for those of springs: see `px.spring_torques`.

    **Arguments:**

    - `q`: joint positions, (..., nq), rad or m.
    - `out`, `parameters`: as in `px.inverse_dynamics`.
    - `algorithm`: one of `px.algorithms("gravity_torques")`; by default the cheapest.

    **Returns:** the torques, (..., nv), in N m or N.

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def spring_torques(
    robot: Robot, q: ArrayLike, *, out: np.ndarray | None = None, **parameters: ArrayLike
) -> np.ndarray:
    """The torques that hold the springs of joints and tendons where they are.

    With springs, bias forces are C q̇ + gravity torques + spring torques. They are no part of
    `px.gravity_torques`, but of inverse and forward dynamics, of `px.motor_torques`, of contact and
    of simulation; their energy is part of `px.potential_energy`.

    **Arguments:**

    - `q`: joint positions, (..., nq), rad or m.
    - `out`: as in `px.inverse_dynamics`; there are no parameters.

    **Returns:** the torques, (..., nv), in N m or N; zero where there is no spring.

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def coriolis_matrix(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    out: np.ndarray | None = None,
    algorithm: str | None = None,
    **parameters: ArrayLike,
) -> np.ndarray:
    """The Coriolis matrix C by Christoffel symbols: bias forces are C q̇ + g, and s with springs.

    **Arguments:**

    - `q`, `qd`: joint positions (..., nq) and velocities (..., nv), rad or m, and per second.
    - `out`, `parameters`: as in `px.inverse_dynamics`.
    - `algorithm`: one of `px.algorithms("coriolis_matrix")`; by default the cheapest.

    **Returns:** C, (..., nv, nv), in the units of `px.mass_matrix` per second. Ṁ - 2 C is
    skew-symmetric.

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def kinetic_energy(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    out: np.ndarray | None = None,
    **parameters: ArrayLike,
) -> np.ndarray:
    """The kinetic energy of bodies and rotors.

    **Arguments:**

    - `q`, `qd`: joint positions (..., nq) and velocities (..., nv), rad or m, and per second.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** the energy, (...), in J.

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def potential_energy(
    robot: Robot, q: ArrayLike, *, out: np.ndarray | None = None, **parameters: ArrayLike
) -> np.ndarray:
    """The potential energy, zero for mass at the origin of the world and springs at rest.

    **Arguments:**

    - `q`: joint positions, (..., nq), rad or m.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** the energy, (...), in J.

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def centre_of_mass(
    robot: Robot, q: ArrayLike, *, out: np.ndarray | None = None, **parameters: ArrayLike
) -> np.ndarray:
    """The centre of mass of all moving bodies.

    **Arguments:**

    - `q`: joint positions, (..., nq), rad or m.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** its position in the world, (..., 3), in m.

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def centre_of_mass_jacobian(
    robot: Robot, q: ArrayLike, *, out: np.ndarray | None = None, **parameters: ArrayLike
) -> np.ndarray:
    """The Jacobian of the centre of mass.

    **Arguments:**

    - `q`: joint positions, (..., nq), rad or m.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** J, (..., 3, nv): the centre of mass moves in the world with J @ qd, in m/s.

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def centroidal_momentum(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    out: np.ndarray | None = None,
    **parameters: ArrayLike,
) -> np.ndarray:
    """The momentum of all moving bodies about their centre of mass.

    **Arguments:**

    - `q`, `qd`: joint positions (..., nq) and velocities (..., nv), rad or m, and per second.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** the moment of momentum and the momentum along the axes of the world, (..., 6), in
    kg m²/s and kg m/s. Rotors have no part in it.

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def centroidal_momentum_matrix(
    robot: Robot, q: ArrayLike, *, out: np.ndarray | None = None, **parameters: ArrayLike
) -> np.ndarray:
    """The matrix A with which `px.centroidal_momentum` is A @ qd.

    **Arguments:**

    - `q`: joint positions, (..., nq), rad or m.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** A, (..., 6, nv).

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def centroidal_bias(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    out: np.ndarray | None = None,
    **parameters: ArrayLike,
) -> np.ndarray:
    """The rate of the centroidal momentum while joints keep their velocities: Ȧ @ qd.

    **Arguments:**

    - `q`, `qd`: joint positions (..., nq) and velocities (..., nv), rad or m, and per second.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** the moment and force, (..., 6), in N m and N.

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def forward_kinematics(
    robot: Robot,
    q: ArrayLike,
    frame: str | None = None,
    *,
    out: np.ndarray | None = None,
    **parameters: ArrayLike,
) -> np.ndarray:
    """The pose of a frame in the world.

    **Arguments:**

    - `q`: joint positions, (..., nq), rad or m.
    - `frame`: the name of a frame; by default the tool.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** the poses, (..., 4, 4): rotation matrices and positions in m.

    **Raises:** `px.RobotError` if there is no such frame; otherwise as `px.inverse_dynamics`.
    """
    ...


@of_robot
def frame_poses(
    robot: Robot, q: ArrayLike, *, out: np.ndarray | None = None, **parameters: ArrayLike
) -> np.ndarray:
    """The poses of all frames in the world.

    **Arguments:**

    - `q`: joint positions, (..., nq), rad or m.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** the poses, (..., frames, 4, 4), in the order of `robot.frame_names`, positions in
    m.

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def jacobian(
    robot: Robot,
    q: ArrayLike,
    frame: str | None = None,
    coordinates: str = "world",
    *,
    out: np.ndarray | None = None,
    **parameters: ArrayLike,
) -> np.ndarray:
    """The Jacobian J of a frame, which moves with velocity J q̇.

    **Arguments:**

    - `q`: joint positions, (..., nq), rad or m.
    - `frame`: the name of a frame; by default the tool.
    - `coordinates`: "world" or "body": whether the velocity, which is that of the frame's origin,
      is along the axes of the world or along the frame's own.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** J, (..., 6, nv), angular part first: rad/s and m/s per unit of joint velocity.

    **Raises:** `px.RobotError` if there is no such frame; otherwise as `px.inverse_dynamics`.
    """
    ...


@of_robot
def bias_acceleration(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    frame: str | None = None,
    coordinates: str = "world",
    *,
    out: np.ndarray | None = None,
    **parameters: ArrayLike,
) -> np.ndarray:
    """The acceleration J̇ q̇ of a frame while the joints keep their velocities.

    **Arguments:**

    - `q`, `qd`: joint positions (..., nq) and velocities (..., nv), rad or m, and per second.
    - `frame`: the name of a frame; by default the tool.
    - `coordinates`: "world" or "body", as in `px.jacobian`.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** the acceleration, (..., 6), angular part first, in rad/s² and m/s².

    **Raises:** `px.RobotError` if there is no such frame; otherwise as `px.inverse_dynamics`.
    """
    ...


@of_robot
def operational_space_inertia(
    robot: Robot,
    q: ArrayLike,
    frame: str | None = None,
    coordinates: str = "world",
    *,
    out: np.ndarray | None = None,
    **parameters: ArrayLike,
) -> np.ndarray:
    """The inertia Λ = (J M⁻¹ Jᵀ)⁻¹ of a frame, as a force on it feels it.

    **Arguments:**

    - `q`: joint positions, (..., nq), rad or m.
    - `frame`: the name of a frame; by default the tool.
    - `coordinates`: "world" or "body", as in `px.jacobian`.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** Λ, (..., 6, 6), angular part first, in kg m², kg m and kg.

    **Raises:** `px.RobotError` if a joint moves no mass or there is no such frame; otherwise as
    `px.inverse_dynamics`.

    It does not exist where the robot is singular: entries grow without bound nearby, and exactly
    there they are decided by rounding. Check the Jacobian's smallest singular value.
    """
    ...


@of_robot
def operational_space_inertia_inverse(
    robot: Robot,
    q: ArrayLike,
    frame: str | None = None,
    coordinates: str = "world",
    *,
    out: np.ndarray | None = None,
    algorithm: str | None = None,
    **parameters: ArrayLike,
) -> np.ndarray:
    """The inverse inertia Λ⁻¹ = J M⁻¹ Jᵀ of a frame: how it accelerates under a force on it.

    **Arguments:**

    - `q`: joint positions, (..., nq), rad or m.
    - `frame`: the name of a frame; by default the tool.
    - `coordinates`: "world" or "body", as in `px.jacobian`.
    - `out`, `parameters`: as in `px.inverse_dynamics`.
    - `algorithm`: one of `px.algorithms("operational_space_inertia_inverse")`; by
      default the cheapest.

    **Returns:** Λ⁻¹, (..., 6, 6), angular part first, in the reciprocal units of Λ. It always
    exists: where the robot is singular it only loses rank.

    **Raises:** `px.RobotError` if a joint moves no mass or there is no such frame; otherwise as
    `px.inverse_dynamics`.
    """
    ...


@of_robot
def inverse_dynamics_derivatives(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    out: Sequence[np.ndarray] | None = None,
    algorithm: str | None = None,
    **parameters: ArrayLike,
) -> tuple[np.ndarray, np.ndarray]:
    """The derivatives of the torques of `px.inverse_dynamics` by q and q̇.

    **Arguments:**

    - `q`, `qd`, `qdd`: joint positions (..., nq), velocities and accelerations (..., nv), in rad or
      m and seconds.
    - `out`: an array for each result.
    - `parameters`: as in `px.inverse_dynamics`.
    - `algorithm`: one of `px.algorithms("inverse_dynamics_derivatives")`; by default the cheapest.

    **Returns:** ∂τ/∂q and ∂τ/∂q̇, each (..., nv, nv), in N m or N per rad or m, and per rad/s or
    m/s.
    ∂τ/∂q̈ is the mass matrix.

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def forward_dynamics_derivatives(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    *,
    out: Sequence[np.ndarray] | None = None,
    algorithm: str | None = None,
    **parameters: ArrayLike,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The derivatives of the accelerations of `px.forward_dynamics` by q, q̇ and τ.

    **Arguments:**

    - `q`, `qd`, `tau`: joint positions (..., nq), velocities and torques (..., nv), in rad or m,
      seconds, and N m or N.
    - `out`: an array for each result.
    - `parameters`: as in `px.inverse_dynamics`.
    - `algorithm`: one of `px.algorithms("forward_dynamics_derivatives")`; by default the cheapest.

    **Returns:** ∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ, each (..., nv, nv), in rad/s² or m/s² per unit of each. The
    last is the inverse mass matrix.

    **Raises:** `px.RobotError` if a joint moves no mass; otherwise as `px.inverse_dynamics`.
    """
    ...


@of_robot
def integrate(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    *,
    out: np.ndarray | None = None,
    **parameters: ArrayLike,
) -> np.ndarray:
    """The positions after a unit of time at a constant velocity.

    For joints of one degree of freedom this is q + v; a quaternion turns, and the body of a free
    joint moves along a screw.

    **Arguments:**

    - `q`: joint positions, (..., nq), rad or m.
    - `v`: the velocity times the time, (..., nv), rad or m.
    - `out`: as in `px.inverse_dynamics`; there are no parameters.

    **Returns:** the positions, (..., nq).

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def difference(
    robot: Robot,
    q0: ArrayLike,
    q1: ArrayLike,
    *,
    out: np.ndarray | None = None,
    **parameters: ArrayLike,
) -> np.ndarray:
    """The velocity that leads from one position to another in a unit of time.

    `px.integrate(robot, q0, px.difference(robot, q0, q1))` is q1, or has its quaternions with the
    other sign, which are the same rotations. Rotations are the short way round.

    **Arguments:**

    - `q0`, `q1`: joint positions, (..., nq), rad or m, with unit quaternions.
    - `out`: as in `px.inverse_dynamics`; there are no parameters.

    **Returns:** v, (..., nv), rad or m.

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def integrate_derivatives(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    *,
    out: Sequence[np.ndarray] | None = None,
    **parameters: ArrayLike,
) -> tuple[np.ndarray, np.ndarray]:
    """The derivatives of `px.integrate` over the tangent space.

    If q moves with a velocity δ and v changes at the rate ν, the result moves with the velocity
    ∂/∂q δ + ∂/∂v ν; each velocity is along the axes of the bodies where they are. For joints of one
    degree of freedom both are the identity. They do not depend on q.

    **Arguments:**

    - `q`: joint positions, (..., nq), rad or m.
    - `v`: the velocity times the time, (..., nv), rad or m.
    - `out`: an array for each result; there are no parameters.

    **Returns:** ∂/∂q and ∂/∂v, each (..., nv, nv).

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def difference_derivatives(
    robot: Robot,
    q0: ArrayLike,
    q1: ArrayLike,
    *,
    out: Sequence[np.ndarray] | None = None,
    **parameters: ArrayLike,
) -> tuple[np.ndarray, np.ndarray]:
    """The derivatives of `px.difference` over the tangent space.

    If q0 and q1 move with velocities δ0 and δ1, the difference changes at the rate
    ∂/∂q0 δ0 + ∂/∂q1 δ1. At half a turn the difference jumps, and has no derivatives.

    **Arguments:**

    - `q0`, `q1`: joint positions, (..., nq), rad or m, with unit quaternions.
    - `out`: an array for each result; there are no parameters.

    **Returns:** ∂/∂q0 and ∂/∂q1, each (..., nv, nv).

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


@of_robot
def normalize(
    robot: Robot, q: ArrayLike, *, out: np.ndarray | None = None, **parameters: ArrayLike
) -> np.ndarray:
    """The same positions with quaternions of unit length; NaN where a quaternion is zero.

    **Arguments:**

    - `q`: joint positions, (..., nq), rad or m.
    - `out`: as in `px.inverse_dynamics`; there are no parameters.

    **Returns:** the positions, (..., nq).

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


def neutral(robot: Robot) -> np.ndarray:
    """The position with every joint at zero and no rotation.

    **Arguments:**

    - `robot`: the robot.

    **Returns:** q, (nq,): zeros, but for the last number of each quaternion, which is 1.
    """
    return np.array(neutral_position(a_robot(robot)))


@of_robot
def regressor(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    out: np.ndarray | None = None,
    **parameters: ArrayLike,
) -> np.ndarray:
    """The regressor Y: joint torques are Y π, where π are `px.inertial_parameters`.

    Of a robot with springs they are Y π + `px.spring_torques`. Of one with closed loops they are
    those of `px.inverse_dynamics`, for motions that loops allow.

    **Arguments:**

    - `q`, `qd`, `qdd`: joint positions (..., nq), velocities and accelerations (..., nv), in rad or
      m and seconds.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** Y, (..., nv, 11 n), in N m or N per unit of each parameter.

    **Raises:** as `px.inverse_dynamics`.
    """
    ...


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
