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
    """The names of the algorithms that compute a function.

    **Arguments:**

    - `function`: one of `px.functions()`.

    **Returns:** the names, a list of str.

    **Raises:** `px.ArgumentError` if there is no function of that name.

    **Example:**

    >>> px.algorithms("mass_matrix_inverse")
    ['composite_body', 'constraint_force']
    """
    return list(algorithms_of(function))


def functions() -> list[str]:
    """The names of the functions of a robot that `px.program` makes Programs of.

    **Returns:** the names, a list of str.

    **Example:**

    >>> px.functions()[:3]
    ['inverse_dynamics', 'forward_dynamics', 'motor_torques']
    """
    return list(FUNCTIONS)


def program(
    robot: Robot,
    function: str = "inverse_dynamics",
    algorithm: str | None = None,
    parameters: Sequence[str] = (),
    frame: str | None = None,
    coordinates: str | None = None,
) -> Program:
    """The Program of a function of a robot.

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

    **Example:**

    >>> robot = px.load("ur5")
    >>> program = px.program(robot, "gravity_torques")
    >>> program.inputs, program.outputs
    ({'q': (6,)}, {'g': (6,)})
    >>> program.count().flops
    16
    >>> px.program(robot, "inverse_dynamics", parameters=["mass"]).inputs["mass"]
    (6,)
    """
    body = function_body(robot, function, algorithm, parameters, frame, coordinates)
    with one_call(label(robot, function)):
        return Program(*body.recipe)


def parameter_values(robot: Robot, name: str) -> np.ndarray:
    """The values of one parameter of `robot`, as an array.

    **Arguments:**

    - `robot`: the robot.
    - `name`: one of these, with the shape of its values:

      - `mass`: `(n,)`, kg.
      - `com`: `(n, 3)`, the centre of mass of each body in its own frame, m.
      - `inertia`: `(n, 6)`, Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the centre of mass, kg m².
      - `origin`: `(n, 3)`, the origin of each body's frame in its parent's, m.
      - `rotor_inertia`: `(n,)`, as the joint feels it, kg m² (kg for a prismatic joint).
      - `gravity`: `(3,)`, in the world, m/s².
      - `external_force`: `(n, 6)`, the moment and force on each body from outside, about its
        frame's origin and along its axes, N m and N.
      - `base_velocity`, `base_acceleration`: `(6,)`, of the root frame's origin, angular first,
        along the root frame's axes.

      The last three are not part of a robot's description, so their values are zero.

    **Returns:** the values, float64.

    **Raises:** `px.ArgumentError` if there is no parameter of that name.

    **Example:**

    >>> px.parameter_values(px.load("ur5"), "mass")
    array([3.7  , 8.393, 2.275, 1.219, 1.219, 0.188])
    """
    a_robot(robot)
    return np.array(model_values(robot, name))


def trace(function: Callable, /, **shapes: int | Sequence[int]) -> Program:
    """The Program of any function of arrays and scalars, by running it once on symbols.

    `px.trace(fn, q=6, A=(3, 3), k=())` calls `fn(q=..., A=..., k=...)` once, with NumPy arrays of
    traced scalars, here of shapes `(6,)` and `(3, 3)`, and a traced scalar k. Inside, compute with
    arrays as usual; `px.math.sin`, `px.math.select`, ... take them entry by entry, and the
    functions of a robot take them as joint positions, rates and so on.

    **Arguments:**

    - `function`: returns an array, a nested list or a scalar, or a dict of these by name.
    - `shapes`: the shape of each input by name; an int is the length of a vector, () a scalar.

    **Returns:** a `px.Program` with these inputs.

    **Raises:** `px.TraceError` if the function does what a straight-line Program cannot, such as
    branching on a traced value; `px.ArgumentError` if a name or a shape is not valid.

    **Example:**

    >>> program = px.trace(lambda x, y: px.math.sqrt(x * x + y * y), x=(), y=())
    >>> print(program.text())
    program program
    input x y
    %0 = input x 0
    %1 = input y 0
    %2 = mul %0 %0
    %3 = mul %1 %1
    %4 = add %2 %3
    %5 = sqrt %4
    output result = %5
    >>> program.evaluate(x=[3.0, 5.0], y=[4.0, 12.0])
    array([ 5., 13.])
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
    """The Program of a text that `px.Program.text` wrote.

    **Arguments:**

    - `source`: the text.

    **Returns:** a `px.Program` of the same operations, inputs, outputs and marks.

    **Raises:** `px.ProgramError` if the text is not that of a Program.

    **Example:**

    >>> program = px.parse(px.trace(lambda x: x * x, x=()).text())
    >>> program.evaluate(x=[1.0, 2.0, 3.0])
    array([1., 4., 9.])
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
    """The joint torques of a motion: inverse dynamics, the recursive Newton-Euler algorithm (RNEA).

    For a robot with closed loops, these are the torques of its `independent` joints or, where none
    are named, those of least norm. The motion must keep the loops closed.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `qd`: joint velocities, `(..., nv)`, rad/s or m/s.
    - `qdd`: joint accelerations, `(..., nv)`, rad/s² or m/s². Batch shapes of all arrays broadcast.
    - `out`: an array for the result; by default a new one is made.
    - `algorithm`: one of `px.algorithms("inverse_dynamics")`; by default the cheapest.
    - `parameters`: parameters of the robot that vary from state to state, in the shapes of
      `px.parameter_values` behind the batch: `mass=(..., n)`, `external_force=(..., n, 6)`, ...

    **Returns:** the torques, `(..., nv)`, N m (N for prismatic joints). float32 arrays give
    float32, computed by a float32 kernel; everything else is computed in float64. Arrays on a GPU
    (CuPy, PyTorch or JAX) give an array of the same library there.

    **Raises:** `px.ArgumentError` if an array has the wrong shape, dtype or device, or a name is
    unknown.

    The kernel is compiled on first use and kept on disk. Inside `px.trace`, and in controllers,
    arrays of traced scalars give an array of traced torques. All of this holds for every function
    of a robot.

    **Example:**

    >>> robot = px.load("ur5")
    >>> q = [0.0, -1.0, 1.2, 0.0, 0.5, 0.0]
    >>> px.inverse_dynamics(robot, q, np.zeros(6), np.ones(6))
    array([  1.901, -34.749, -13.15 ,   0.768,   0.005,   0.061])
    >>> states = np.random.default_rng(0).uniform(-1, 1, (3, 1000, 6))
    >>> px.inverse_dynamics(robot, *states).shape
    (1000, 6)
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
    """The accelerations under torques: forward dynamics, the articulated-body algorithm (ABA).

    For a robot with closed loops, these are the accelerations that keep its loops closed;
    `px.constrained_forward_dynamics` also returns the forces in the loops.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `qd`: joint velocities, `(..., nv)`, rad/s or m/s.
    - `tau`: joint torques, `(..., nv)`, N m (N for prismatic joints).
    - `out`: an array for the result; by default a new one is made.
    - `algorithm`: one of `px.algorithms("forward_dynamics")`; by default the cheapest. Chains of
      more than 64 joints are swept link by link instead: "batched" for 4 states or more, "scan" for
      fewer states of 384 links or more, otherwise "serial". These three can also be named, for
      chains of any length; `px.chains.chain_dynamics` has more options.
    - `parameters`: as in `px.inverse_dynamics`.

    **Returns:** the accelerations, `(..., nv)`, rad/s² or m/s².

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(2)  # two rods of 1 m and 1 kg, level
    >>> px.forward_dynamics(robot, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])  # they fall
    array([-12.613,  16.817])
    >>> tau = px.gravity_torques(robot, [0.0, 0.0])
    >>> px.forward_dynamics(robot, [0.0, 0.0], [0.0, 0.0], tau)
    array([-0.,  0.])
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
    """The motor torques of a motion: inverse dynamics with friction and transmission losses.

    **Arguments:**

    - `robot`: the robot, with friction and transmissions.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `qd`: joint velocities, `(..., nv)`, rad/s or m/s.
    - `qdd`: joint accelerations, `(..., nv)`, rad/s² or m/s².
    - `out`: five arrays for the results; by default new ones are made.
    - `algorithm`: one of `px.algorithms("motor_torques")`; by default the cheapest.
    - `parameters`: as in `px.inverse_dynamics`.

    **Returns:** a named tuple of five arrays `(..., nv)`, N m (N for prismatic joints):

    - `dynamic`: the torques of `px.inverse_dynamics`.
    - `joint_friction`: friction of bearings, which feel the joint's reaction, of tendons, and of
      joints that follow this one.
    - `at_joint`: the sum of these two.
    - `transmission_friction`: what the drive takes in addition.
    - `input`: the torque on the motor's shaft: ratio * input = at_joint + transmission_friction.

    **Raises:** as `px.inverse_dynamics`.

    A joint moves in the direction of qd or, where that is zero, of qdd. Where both are zero it
    sticks: bearings then resist nothing, and of all inputs that hold the joint the smallest is
    returned, zero while break_away holds efficiency * abs(at_joint).

    **Example:**

    >>> gear = {"transmission": px.robots.Transmission(ratio=100.0, efficiency=0.8)}
    >>> robot = px.robots.planar(1).with_drives({"joint1": gear})
    >>> torques = px.motor_torques(robot, [0.0], [1.0], [0.0])  # raising the rod
    >>> torques.at_joint, torques.input  # N m at the rod, N m on the motor's shaft
    (array([4.905]), array([0.061]))
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
    """The moment and force on each body from its parent: structure and motor together.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `qd`: joint velocities, `(..., nv)`, rad/s or m/s.
    - `qdd`: joint accelerations, `(..., nv)`, rad/s² or m/s².
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** `(..., n, 6)`, about the origin of the body's frame and along its axes, moment
    first, in N m and N.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(2)  # two level rods of 1 kg
    >>> wrench = px.joint_reactions(robot, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
    >>> wrench[:, 3:]  # N: each joint carries the rods beyond it
    array([[ 0.  ,  0.  , 19.62],
           [-0.  ,  0.  ,  9.81]])
    """
    ...


@of_robot
def mass_matrix(
    robot: Robot, q: ArrayLike, *, out: np.ndarray | None = None, **parameters: ArrayLike
) -> np.ndarray:
    """The mass matrix M (joint-space inertia), as by the composite-rigid-body algorithm (CRBA).

    Without gravity, the torques M q̈ accelerate the robot from rest.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** M, `(..., nv, nv)`, in kg m² (kg between prismatic joints, kg m between the two
    kinds).

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> px.mass_matrix(robot, [[0.0, 0.0], [0.0, np.pi]])  # stretched and folded
    array([[[ 2.667,  0.833],
            [ 0.833,  0.333]],
    <BLANKLINE>
           [[ 0.667, -0.167],
            [-0.167,  0.333]]])
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
    """The inverse M⁻¹ of the mass matrix.

    For a robot with closed loops, it is the matrix that maps torques to the accelerations they
    cause: symmetric, with a rank equal to the degrees of freedom that the loops leave.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `out`, `parameters`: as in `px.inverse_dynamics`.
    - `algorithm`: one of `px.algorithms("mass_matrix_inverse")`; by default the cheapest.

    **Returns:** M⁻¹, `(..., nv, nv)`, in the reciprocal units of `px.mass_matrix`.

    **Raises:** `px.RobotError` if a joint moves no mass; otherwise as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> inverse = px.mass_matrix_inverse(robot, [0.0, 1.0])
    >>> inverse @ px.mass_matrix(robot, [0.0, 1.0])
    array([[ 1.,  0.],
           [-0.,  1.]])
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
    """The bias forces: torques of Coriolis, centrifugal and gravity forces at zero acceleration.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `qd`: joint velocities, `(..., nv)`, rad/s or m/s.
    - `out`, `parameters`: as in `px.inverse_dynamics`.
    - `algorithm`: one of `px.algorithms("bias_forces")`; by default the cheapest.

    **Returns:** the torques, `(..., nv)`, in N m or N.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(2).with_gravity([0, 0, 0])
    >>> px.bias_forces(robot, [0.0, np.pi / 2], [1.0, 0.0])  # centrifugal only
    array([0. , 0.5])
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
    """The torques that hold the robot still against gravity.

    Torques that hold springs are not included: see `px.spring_torques`.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `out`, `parameters`: as in `px.inverse_dynamics`.
    - `algorithm`: one of `px.algorithms("gravity_torques")`; by default the cheapest.

    **Returns:** the torques, `(..., nv)`, in N m or N.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.load("ur5")
    >>> upright = [0.0, -np.pi / 2, 0.0, 0.0, 0.0, 0.0]
    >>> px.gravity_torques(robot, [np.zeros(6), upright])  # stretched out, then upright
    array([[  0.   , -59.171, -15.684,   0.   ,   0.   ,   0.   ],
           [  0.   ,  -0.174,  -0.174,  -0.174,   0.   ,   0.   ]])
    """
    ...


@of_robot
def spring_torques(
    robot: Robot, q: ArrayLike, *, out: np.ndarray | None = None, **parameters: ArrayLike
) -> np.ndarray:
    """The torques that hold the springs of joints and tendons.

    They are not part of `px.gravity_torques`; inverse and forward dynamics, `px.motor_torques`,
    contact and simulation include them, and `px.potential_energy` includes their energy. Bias
    forces are C q̇ + gravity torques + spring torques.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `out`: as in `px.inverse_dynamics`.
    - `parameters`: none has an effect here.

    **Returns:** the torques, `(..., nv)`, in N m or N; zero where there is no spring.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> import dataclasses
    >>> rod = px.robots.planar(1)
    >>> joint = dataclasses.replace(rod.joints[0], spring=px.robots.Spring(stiffness=20.0))
    >>> robot = px.Robot("sprung rod", [joint], rod.inertias, rod.frames)
    >>> px.spring_torques(robot, [[0.0], [0.1], [0.2]])
    array([[0.],
           [2.],
           [4.]])
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
    """The Coriolis matrix C, by Christoffel symbols.

    Bias forces are C q̇ plus gravity torques plus spring torques.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `qd`: joint velocities, `(..., nv)`, rad/s or m/s.
    - `out`, `parameters`: as in `px.inverse_dynamics`.
    - `algorithm`: one of `px.algorithms("coriolis_matrix")`; by default the cheapest.

    **Returns:** C, `(..., nv, nv)`, in the units of `px.mass_matrix` per second. Ṁ - 2 C is
    skew-symmetric.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> q, qd = np.array([0.3, 1.0]), np.array([1.0, -2.0])
    >>> C = px.coriolis_matrix(robot, q, qd)
    >>> C
    array([[0.841, 0.421],
           [0.421, 0.   ]])
    >>> np.allclose(C @ qd + px.gravity_torques(robot, q), px.bias_forces(robot, q, qd))
    True
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
    """The kinetic energy of all bodies and rotors.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `qd`: joint velocities, `(..., nv)`, rad/s or m/s.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** the energy, `(...)`, in J.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(1)  # a rod of 1 m and 1 kg: 1/3 kg m² about its end
    >>> px.kinetic_energy(robot, [0.0], [[1.0], [2.0]])  # J
    array([0.167, 0.667])
    """
    ...


@of_robot
def potential_energy(
    robot: Robot, q: ArrayLike, *, out: np.ndarray | None = None, **parameters: ArrayLike
) -> np.ndarray:
    """The potential energy of gravity and springs.

    It is zero for a mass at the origin of the world and for springs at rest.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** the energy, `(...)`, in J.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(1)  # its centre is 0.5 m from the joint
    >>> px.potential_energy(robot, [[0.0], [np.pi / 2], [-np.pi / 2]])  # level, up, down
    array([ 0.   ,  4.905, -4.905])
    """
    ...


@of_robot
def centre_of_mass(
    robot: Robot, q: ArrayLike, *, out: np.ndarray | None = None, **parameters: ArrayLike
) -> np.ndarray:
    """The centre of mass (COM) of all moving bodies.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** its position in the world, `(..., 3)`, in m.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> px.centre_of_mass(px.load("ur5"), [0.0, -np.pi / 2, 0.0, 0.0, 0.0, 0.0])
    array([0.001, 0.079, 0.444])
    """
    ...


@of_robot
def centre_of_mass_jacobian(
    robot: Robot, q: ArrayLike, *, out: np.ndarray | None = None, **parameters: ArrayLike
) -> np.ndarray:
    """The Jacobian of the centre of mass (COM).

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** J, `(..., 3, nv)`: the centre of mass moves in the world with J @ qd, in m/s.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> px.centre_of_mass_jacobian(robot, [0.0, 0.0])
    array([[-0.  , -0.  ],
           [ 0.  ,  0.  ],
           [ 1.  ,  0.25]])
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
    """The centroidal momentum: that of all moving bodies about their centre of mass.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `qd`: joint velocities, `(..., nv)`, rad/s or m/s.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** angular and linear momentum along the axes of the world, `(..., 6)`, kg m²/s and
    kg m/s. Rotors are not included.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(1)
    >>> h = px.centroidal_momentum(robot, [0.0], [2.0])
    >>> h  # 1/12 kg m² and, at 0.5 m, 1 kg
    array([ 0.   , -0.167,  0.   , -0.   ,  0.   ,  1.   ])
    """
    ...


@of_robot
def centroidal_momentum_matrix(
    robot: Robot, q: ArrayLike, *, out: np.ndarray | None = None, **parameters: ArrayLike
) -> np.ndarray:
    """The centroidal momentum matrix A (CMM): `px.centroidal_momentum` is A @ qd.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** A, `(..., 6, nv)`, angular part first: kg m²/s and kg m/s per unit of joint
    velocity.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.load("ur5")
    >>> A = px.centroidal_momentum_matrix(robot, np.zeros(6))
    >>> A.shape
    (6, 6)
    >>> np.allclose(A @ np.ones(6), px.centroidal_momentum(robot, np.zeros(6), np.ones(6)))
    True
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
    """The rate of change Ȧ q̇ of the centroidal momentum at constant joint velocities.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `qd`: joint velocities, `(..., nv)`, rad/s or m/s.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** the moment and force, `(..., 6)`, in N m and N.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(1)
    >>> px.centroidal_bias(robot, [0.0], [2.0])  # 1 kg on a circle of 0.5 m
    array([ 0.,  0.,  0., -2.,  0., -0.])
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
    """The pose of a frame in the world: forward kinematics (FK).

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `frame`: the name of a frame; by default the tool.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** the poses, `(..., 4, 4)`: rotation matrices and positions in m.

    **Raises:** `px.RobotError` if there is no such frame; otherwise as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.load("ur5")
    >>> px.forward_kinematics(robot, np.zeros(6))
    array([[-1.   ,  0.   ,  0.   ,  0.817],
           [-0.   ,  0.   ,  1.   ,  0.191],
           [ 0.   ,  1.   , -0.   , -0.005],
           [ 0.   ,  0.   ,  0.   ,  1.   ]])
    >>> px.forward_kinematics(robot, np.zeros((1000, 6)), "forearm_link").shape
    (1000, 4, 4)
    """
    ...


@of_robot
def frame_poses(
    robot: Robot, q: ArrayLike, *, out: np.ndarray | None = None, **parameters: ArrayLike
) -> np.ndarray:
    """The poses of all frames in the world, in one call.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** the poses, `(..., frames, 4, 4)`, in the order of `robot.frame_names`, positions in
    m.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(3)
    >>> poses = px.frame_poses(robot, [0.0, np.pi / 2, 0.0])
    >>> robot.frame_names
    ['base', 'link1', 'link2', 'link3', 'tip']
    >>> poses[:, [0, 2], 3]  # x and z of each frame
    array([[0., 0.],
           [0., 0.],
           [1., 0.],
           [1., 1.],
           [1., 2.]])
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
    """The geometric Jacobian J of a frame: its velocity is J q̇.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `frame`: the name of a frame; by default the tool.
    - `coordinates`: the axes of the velocity, which is that of the frame's origin: "world" or
      "body", the frame's own.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** J, `(..., 6, nv)`, angular part first: rad/s and m/s per unit of joint velocity.

    **Raises:** `px.RobotError` if there is no such frame; otherwise as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> px.jacobian(robot, [0.0, 0.0])  # the tip rises as joints turn
    array([[ 0.,  0.],
           [-1., -1.],
           [ 0.,  0.],
           [-0.,  0.],
           [ 0.,  0.],
           [ 2.,  1.]])
    >>> px.jacobian(robot, [0.5, 0.0], coordinates="body")[3:]
    array([[0., 0.],
           [0., 0.],
           [2., 1.]])
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
    """The acceleration J̇ q̇ of a frame at constant joint velocities.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `qd`: joint velocities, `(..., nv)`, rad/s or m/s.
    - `frame`: the name of a frame; by default the tool.
    - `coordinates`: "world" or "body", as in `px.jacobian`.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** the acceleration, `(..., 6)`, angular part first, in rad/s² and m/s².

    **Raises:** `px.RobotError` if there is no such frame; otherwise as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(1)
    >>> px.bias_acceleration(robot, [0.0], [3.0])[3:]  # towards the joint
    array([-9.,  0., -0.])
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
    """The operational-space inertia matrix Λ = (J M⁻¹ Jᵀ)⁻¹ of a frame (OSIM).

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `frame`: the name of a frame; by default the tool.
    - `coordinates`: "world" or "body", as in `px.jacobian`.
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** Λ, `(..., 6, 6)`, angular part first, in kg m², kg m and kg.

    **Raises:** `px.RobotError` if a joint moves no mass or there is no such frame; otherwise as
    `px.inverse_dynamics`.

    It does not exist where the robot is singular: entries grow without bound nearby, and at the
    singularity itself they are determined by rounding. Check the Jacobian's smallest singular
    value.

    **Example:**

    >>> robot = px.load("ur5")
    >>> inertia = px.operational_space_inertia(robot, [0.0, -1.0, 1.2, 0.0, 0.5, 0.0])
    >>> inertia.shape
    (6, 6)
    >>> np.diag(inertia)[3:]  # kg, felt by a force along x, y, z at the tool
    array([10.336,  6.126,  4.169])
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
    """The inverse Λ⁻¹ = J M⁻¹ Jᵀ of the operational-space inertia of a frame.

    It maps a force on the frame to the frame's acceleration.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `frame`: the name of a frame; by default the tool.
    - `coordinates`: "world" or "body", as in `px.jacobian`.
    - `out`, `parameters`: as in `px.inverse_dynamics`.
    - `algorithm`: one of `px.algorithms("operational_space_inertia_inverse")`; by
      default the cheapest.

    **Returns:** Λ⁻¹, `(..., 6, 6)`, angular part first, in the reciprocal units of Λ. It always
    exists: where the robot is singular it only loses rank.

    **Raises:** `px.RobotError` if a joint moves no mass or there is no such frame; otherwise as
    `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> mobility = px.operational_space_inertia_inverse(robot, [0.0, np.pi / 2])
    >>> mobility[3:, 3:]  # 1/kg: the tip does not move along y
    array([[ 3.  ,  0.  , -0.  ],
           [ 0.  ,  0.  ,  0.  ],
           [-0.  ,  0.  ,  0.75]])
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
    """The derivatives of `px.inverse_dynamics` with respect to q and q̇.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `qd`: joint velocities, `(..., nv)`, rad/s or m/s.
    - `qdd`: joint accelerations, `(..., nv)`, rad/s² or m/s².
    - `out`: an array for each result.
    - `parameters`: as in `px.inverse_dynamics`.
    - `algorithm`: one of `px.algorithms("inverse_dynamics_derivatives")`; by default the cheapest.

    **Returns:** ∂τ/∂q and ∂τ/∂q̇, each `(..., nv, nv)`, in N m or N per rad or m, and per rad/s or
    m/s. ∂τ/∂q̈ is the mass matrix.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> by_q, by_qd = px.inverse_dynamics_derivatives(robot, [0.0, 0.5], [1.0, 0.0], [0.0, 0.0])
    >>> by_q
    array([[-2.352, -2.352],
           [-2.352, -1.913]])
    >>> by_qd
    array([[-0.   , -0.479],
           [ 0.479,  0.   ]])
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
    """The derivatives of `px.forward_dynamics` with respect to q, q̇ and τ.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `qd`: joint velocities, `(..., nv)`, rad/s or m/s.
    - `tau`: joint torques, `(..., nv)`, N m (N for prismatic joints).
    - `out`: an array for each result.
    - `parameters`: as in `px.inverse_dynamics`.
    - `algorithm`: one of `px.algorithms("forward_dynamics_derivatives")`; by default the cheapest.

    **Returns:** ∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ, each `(..., nv, nv)`, in rad/s² or m/s² per unit of
    each. The last is the inverse mass matrix.

    **Raises:** `px.RobotError` if a joint moves no mass; otherwise as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> q, qd, tau = [0.0, 0.5], [1.0, 0.0], [0.0, 0.0]
    >>> by_q, by_qd, by_tau = px.forward_dynamics_derivatives(robot, q, qd, tau)
    >>> by_q
    array([[-4.096,  2.31 ],
           [16.543, -7.695]])
    >>> np.allclose(by_tau, px.mass_matrix_inverse(robot, [0.0, 0.5]))
    True
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
    """The positions after moving for a unit of time at a constant velocity.

    For joints with one degree of freedom this is q + v. Quaternions are rotated, and the body of a
    free joint moves along a screw (the exponential map).

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `v`: the velocity times the time, `(..., nv)`, rad or m.
    - `out`: as in `px.inverse_dynamics`.
    - `parameters`: none has an effect here.

    **Returns:** the positions, `(..., nq)`, rad or m.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> brick = px.robots.Inertia(1.0, about_com=(0.01, 0.02, 0.03, 0.0, 0.0, 0.0))
    >>> robot = px.Robot("brick", [px.robots.Joint("base", "free")], [brick])
    >>> q = px.neutral(robot)  # x, y, z and a quaternion x, y, z, w
    >>> v = [0.0, 0.0, 1.0, 0.0, 0.0, np.pi / 2]  # 1 m up, a quarter turn about z
    >>> px.integrate(robot, q, v)
    array([0.   , 0.   , 1.   , 0.   , 0.   , 0.707, 0.707])
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

    It inverts `px.integrate` (the logarithm map): `px.integrate(robot, q0, v)` is q1, up to the
    sign of quaternions. Rotations take the short way round.

    **Arguments:**

    - `robot`: the robot.
    - `q0`, `q1`: joint positions, `(..., nq)`, rad or m, with unit quaternions.
    - `out`: as in `px.inverse_dynamics`.
    - `parameters`: none has an effect here.

    **Returns:** v, `(..., nv)`, rad or m.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> brick = px.robots.Inertia(1.0, about_com=(0.01, 0.02, 0.03, 0.0, 0.0, 0.0))
    >>> robot = px.Robot("brick", [px.robots.Joint("base", "free")], [brick])
    >>> q1 = [0.0, 0.0, 1.0, 0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)]  # higher, and turned about z
    >>> px.difference(robot, px.neutral(robot), q1)
    array([ 0.   , -0.   ,  1.   ,  0.   ,  0.   ,  1.571])
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

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `v`: the velocity times the time, `(..., nv)`, rad or m.
    - `out`: an array for each result.
    - `parameters`: none has an effect here.

    **Returns:** ∂/∂q and ∂/∂v, each `(..., nv, nv)`.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> brick = px.robots.Inertia(1.0, about_com=(0.01, 0.02, 0.03, 0.0, 0.0, 0.0))
    >>> robot = px.Robot("brick", [px.robots.Joint("base", "free")], [brick])
    >>> by_q, by_v = px.integrate_derivatives(robot, px.neutral(robot), np.zeros(6))
    >>> by_q.shape, np.allclose(by_v, np.eye(6))
    ((6, 6), True)
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

    - `robot`: the robot.
    - `q0`, `q1`: joint positions, `(..., nq)`, rad or m, with unit quaternions.
    - `out`: an array for each result.
    - `parameters`: none has an effect here.

    **Returns:** ∂/∂q0 and ∂/∂q1, each `(..., nv, nv)`.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> by_q0, by_q1 = px.difference_derivatives(robot, [0.0, 0.0], [0.3, 0.1])
    >>> by_q0, by_q1
    (array([[-1.,  0.],
           [ 0., -1.]]), array([[1., 0.],
           [0., 1.]]))
    """
    ...


@of_robot
def normalize(
    robot: Robot, q: ArrayLike, *, out: np.ndarray | None = None, **parameters: ArrayLike
) -> np.ndarray:
    """The same positions with quaternions scaled to unit length.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `out`: as in `px.inverse_dynamics`.
    - `parameters`: none has an effect here.

    **Returns:** the positions, `(..., nq)`, rad or m; NaN where a quaternion is zero.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> brick = px.robots.Inertia(1.0, about_com=(0.01, 0.02, 0.03, 0.0, 0.0, 0.0))
    >>> robot = px.Robot("brick", [px.robots.Joint("base", "free")], [brick])
    >>> px.normalize(robot, [0.0, 0.0, 1.0, 0.0, 0.0, 3.0, 4.0])
    array([0. , 0. , 1. , 0. , 0. , 0.6, 0.8])
    """
    ...


def neutral(robot: Robot) -> np.ndarray:
    """The neutral position: every joint at zero, without rotation.

    **Arguments:**

    - `robot`: the robot.

    **Returns:** q, `(nq,)`, rad or m: zeros, except for the last entry (w) of each quaternion,
    which is 1.

    **Raises:** `px.ArgumentError` if `robot` is not a Robot.

    **Example:**

    >>> brick = px.robots.Inertia(1.0, about_com=(0.01, 0.02, 0.03, 0.0, 0.0, 0.0))
    >>> robot = px.Robot("brick", [px.robots.Joint("base", "free")], [brick])
    >>> px.neutral(robot)
    array([0., 0., 0., 0., 0., 0., 1.])
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
    """The regressor Y: joint torques are Y π, with π the `px.inertial_parameters`.

    With springs, torques are Y π plus `px.spring_torques`. With closed loops, they are those of
    `px.inverse_dynamics`, for motions that keep the loops closed.

    **Arguments:**

    - `robot`: the robot.
    - `q`: joint positions, `(..., nq)`, rad or m.
    - `qd`: joint velocities, `(..., nv)`, rad/s or m/s.
    - `qdd`: joint accelerations, `(..., nv)`, rad/s² or m/s².
    - `out`, `parameters`: as in `px.inverse_dynamics`.

    **Returns:** Y, `(..., nv, 11 n)`, in N m or N per unit of each parameter.

    **Raises:** as `px.inverse_dynamics`.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> q, qd, qdd = [0.3, 1.0], [1.0, -2.0], [0.5, 0.5]
    >>> Y = px.regressor(robot, q, qd, qdd)
    >>> Y.shape
    (2, 22)
    >>> Y @ px.inertial_parameters(robot) - px.inverse_dynamics(robot, q, qd, qdd) < 1e-9
    array([ True,  True])
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
