"""The public functions: arrays in, arrays out, compiled on first use and remembered."""

import warnings
from dataclasses import replace
from functools import cache, partial

import numpy as np

from .checks import did_you_mean, one_of, quoted
from .drivers.map import as_array, is_single
from .dynamics import loads
from .dynamics.identification import base_parameters as find_base_parameters
from .dynamics.loads import frame_on_a_body
from .errors import ArgumentError, RobotError, RobotWarning
from .graph import text as text_form
from .graph.arrays import on_arrays, traced_array
from .graph.splice import splice, traced_value
from .graph.trace import trace as trace_graph
from .physics.friction.motor_torques import MotorTorques
from .programs import Program, work
from .robot_functions import (
    COORDINATES,
    FUNCTIONS,
    LONGEST_PROGRAM,
    MATTERS,
    TORQUES,
    algorithms_of,
    check_algorithm,
    check_parameters,
    graph_of,
)
from .robots.inertial_parameters import inertial_parameters
from .robots.model import parameter_values as model_values
from .robots.robot import a_robot, check_frame_name
from .targets.compiling import compiling, one_call
from .targets.cpu.map import compile_kernel
from .targets.cuda.arrays import on_a_gpu
from .targets.cuda.map import KernelsByType
from .targets.places import CPU, place_of

ALONG_CHAINS = ("forward_dynamics", *TORQUES)
CHAIN_WAYS = ("serial", "batched", "scan")  # of chains/dynamics.py


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
    request = _request(robot, function, algorithm, parameters, frame, coordinates)
    with one_call(request.label), compiling("tracing"):
        return Program(request.graph(), request.identity)


class _Request:
    """One function of one robot, with everything that decides its graph."""

    def __init__(self, robot, function, algorithm, parameters, coordinates):
        self.robot, self.function, self.algorithm = robot, function, algorithm
        self.parameters, self.coordinates = parameters, coordinates

    @property
    def identity(self):
        about = [(frame.body, frame.pose) for frame in self.robot.frames]
        about = about if FUNCTIONS[self.function].options else ()  # else they do not matter
        return (
            f"{self.robot.digest} {self.function} {self.algorithm} {self.parameters} "
            f"{about} {self.coordinates}"
        )

    @property
    def label(self):
        return f"{self.function} of {quoted(self.robot.name)}"

    def graph(self):
        return graph_of(
            self.robot, self.function, self.algorithm, self.parameters, self.coordinates
        )


def _check_coordinates(coordinates):
    one_of(coordinates, COORDINATES, "coordinates")


def _request(robot, function, algorithm, parameters, frame, coordinates):
    a_robot(robot)
    algorithms_of(function)
    if isinstance(parameters, str):
        raise ArgumentError(f"parameters: expected a sequence of names, found {parameters!r}")
    parameters = tuple(parameters)
    check_parameters(function, parameters)
    if algorithm is not None:
        check_algorithm(function, algorithm, parameters)
    options = FUNCTIONS[function].options
    check_frame_name(frame)
    if "frame" in options:
        place = robot.tool() if frame is None else robot.frame(frame)
        if function == "operational_space_inertia":
            _check_free(robot, place)
        robot = replace(robot, frames=(place,), warn=False)
    elif "frames" in options and not robot.frames:
        raise RobotError(f"robot {quoted(robot.name)} has no frames")
    elif frame is not None:
        raise ArgumentError(f"frame: {function} is not about one frame, found {frame!r}")
    if "coordinates" in options:
        coordinates = COORDINATES[0] if coordinates is None else coordinates
        _check_coordinates(coordinates)
    elif coordinates is not None:
        raise ArgumentError(f"coordinates: {function} has none to choose, found {coordinates!r}")
    return _Request(robot, function, algorithm, parameters, coordinates)


def _check_free(robot, frame):
    moving = len(robot.path(frame.body))
    if moving < 6:
        raise ArgumentError(
            f"frame {frame.name!r}: expected one that 6 joints or more move, so that it can go "
            f"every way, found {moving}"
        )


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
    return Program(trace_graph(on_arrays(function), inputs, name=label))


def parse(source):
    """The Program written by `program.text()`."""
    return Program(text_form.parse(source))


# -- functions of arrays -----------------------------------------------------------------------


def inverse_dynamics(robot, q, qd, qdd, *, out=None, algorithm=None, **parameters):
    """The joint torques (..., n) that make the robot move as (q, qd, qdd), each (..., n).

    Batch shapes broadcast. float32 arrays in give float32 out, by a float32 kernel; everything
    else is computed in float64. The kernel is compiled on first use and kept on disk. Inside
    `px.trace`, and in controllers, arrays of traced scalars give an array of traced torques.

    Further keywords are parameters of the robot that vary from state to state, in the shapes of
    `px.parameter_values`: mass=(..., n), external_force=(..., n, 6), ... This and the above holds
    for every function of a robot.
    """
    if out is None and not parameters:
        try:  # the short way to a kernel that is there
            return robot._functions["inverse_dynamics", algorithm](q, qd, qdd)
        except (AttributeError, KeyError, TypeError):
            pass
    return _call(robot, "inverse_dynamics", (q, qd, qdd), out, algorithm, parameters)


def forward_dynamics(robot, q, qd, tau, *, out=None, algorithm=None, **parameters):
    """The joint accelerations (..., n) under the torques tau.

    algorithm: one of `px.algorithms("forward_dynamics")`; by default the cheapest. Chains of more
    than 64 joints go along the links instead, by default and where named: "batched" for 4 states or
    more, "scan" for fewer of 384 links or more, else "serial"; `px.chains.chain_dynamics` has more.
    """
    return _call(robot, "forward_dynamics", (q, qd, tau), out, algorithm, parameters)


def motor_torques(robot, q, qd, qdd, *, out=None, algorithm=None, **parameters):
    """The torques behind a motion, losses included: five arrays (..., n), as attributes.

    `dynamic` is inverse dynamics; `joint_friction` comes on top, in bearings that feel the joint's
    reaction; `at_joint` is the sum; `transmission_friction` is what the drive takes in addition;
    `input` is on the motor's shaft: ratio * input = at_joint + transmission_friction.

    A joint moves in the direction of qd or, where that is zero, of qdd. Where both are zero it
    sticks: bearings then resist nothing, and of all inputs that hold the joint the least is given,
    zero while break_away holds efficiency * abs(at_joint).
    """
    return MotorTorques(*_call(robot, "motor_torques", (q, qd, qdd), out, algorithm, parameters))


def joint_reactions(robot, q, qd, qdd, *, out=None, **parameters):
    """The moment and force (..., n, 6) on each body from its parent, structure and motor together.

    About the origin of the body's frame and along its axes, moment first.
    """
    return _call(robot, "joint_reactions", (q, qd, qdd), out, None, parameters)


def mass_matrix(robot, q, *, out=None, **parameters):
    """M (..., n, n): the torques M q̈ accelerate the robot from rest without gravity."""
    return _call(robot, "mass_matrix", (q,), out, None, parameters)


def mass_matrix_inverse(robot, q, *, out=None, algorithm=None, **parameters):
    """The inverse of the mass matrix, (..., n, n)."""
    return _call(robot, "mass_matrix_inverse", (q,), out, algorithm, parameters)


def bias_forces(robot, q, qd, *, out=None, algorithm=None, **parameters):
    """The torques (..., n) that keep the rates qd: Coriolis, centrifugal and gravity."""
    return _call(robot, "bias_forces", (q, qd), out, algorithm, parameters)


def gravity_torques(robot, q, *, out=None, algorithm=None, **parameters):
    """The torques (..., n) that hold the robot still."""
    return _call(robot, "gravity_torques", (q,), out, algorithm, parameters)


def coriolis_matrix(robot, q, qd, *, out=None, algorithm=None, **parameters):
    """C (..., n, n) with bias forces C q̇ + g, by Christoffel's symbols: Ṁ - 2 C is skew."""
    return _call(robot, "coriolis_matrix", (q, qd), out, algorithm, parameters)


def kinetic_energy(robot, q, qd, *, out=None, **parameters):
    """The energy of motion (...), of bodies and rotors, in joules."""
    return _call(robot, "kinetic_energy", (q, qd), out, None, parameters)


def potential_energy(robot, q, *, out=None, **parameters):
    """The energy of height (...) in joules, zero for mass at the origin of the world."""
    return _call(robot, "potential_energy", (q,), out, None, parameters)


def centre_of_mass(robot, q, *, out=None, **parameters):
    """The centre of mass of all moving bodies, (..., 3) in the world."""
    return _call(robot, "centre_of_mass", (q,), out, None, parameters)


def forward_kinematics(robot, q, frame=None, *, out=None, **parameters):
    """The pose of a frame in the world, (..., 4, 4); by default of the last one, the tool."""
    return _call(robot, "forward_kinematics", (q,), out, None, parameters, frame)


def frame_poses(robot, q, *, out=None, **parameters):
    """The poses of all frames in the world, (..., frames, 4, 4), in the order of frame_names."""
    return _call(robot, "frame_poses", (q,), out, None, parameters)


def jacobian(robot, q, frame=None, coordinates="world", *, out=None, **parameters):
    """J (..., 6, n): a frame moves with J q̇, angular part first.

    The motion is that of the frame's origin, along the axes of the world or, with
    coordinates="body", along the frame's own.
    """
    return _call(robot, "jacobian", (q,), out, None, parameters, frame, coordinates)


def bias_acceleration(robot, q, qd, frame=None, coordinates="world", *, out=None, **parameters):
    """J̇ q̇ (..., 6): how a frame accelerates while the joints keep their rates."""
    return _call(robot, "bias_acceleration", (q, qd), out, None, parameters, frame, coordinates)


def operational_space_inertia(robot, q, frame=None, coordinates="world", *, out=None, **parameters):
    """Λ = (J M⁻¹ Jᵀ)⁻¹ (..., 6, 6): the inertia a frame shows to a force on it.

    Where the robot is singular there is none: entries grow without bound nearby, and right there
    rounding decides what they are. Look at the Jacobian's smallest singular value.
    """
    name = "operational_space_inertia"
    return _call(robot, name, (q,), out, None, parameters, frame, coordinates)


def operational_space_inertia_inverse(
    robot, q, frame=None, coordinates="world", *, out=None, algorithm=None, **parameters
):
    """Λ⁻¹ = J M⁻¹ Jᵀ (..., 6, 6): how a frame accelerates under a force on it.

    There always is one: where the robot is singular it has lost rank, no more.
    """
    name = "operational_space_inertia_inverse"
    return _call(robot, name, (q,), out, algorithm, parameters, frame, coordinates)


def inverse_dynamics_derivatives(robot, q, qd, qdd, *, out=None, algorithm=None, **parameters):
    """∂τ/∂q and ∂τ/∂q̇, each (..., n, n); ∂τ/∂q̈ is the mass matrix."""
    name = "inverse_dynamics_derivatives"
    return _call(robot, name, (q, qd, qdd), out, algorithm, parameters)


def forward_dynamics_derivatives(robot, q, qd, tau, *, out=None, algorithm=None, **parameters):
    """∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ, each (..., n, n); the last is the inverse mass matrix."""
    name = "forward_dynamics_derivatives"
    return _call(robot, name, (q, qd, tau), out, algorithm, parameters)


def regressor(robot, q, qd, qdd, *, out=None, **parameters):
    """Y (..., n, 11 n) with torques Y π, where π are `px.inertial_parameters`."""
    return _call(robot, "regressor", (q, qd, qdd), out, None, parameters)


def payload(robot, mass, com=(0.0, 0.0, 0.0), inertia=(0.0,) * 6, frame=None):
    """Parameters for a robot that holds another body in every state: give them as keywords.

    `px.inverse_dynamics(robot, q, qd, qdd, **px.payload(robot, mass=masses))`. The body, of mass
    (...), has its centre of mass `com` (..., 3) and its inertia about that (..., 6: Ixx, Iyy, Izz,
    Ixy, Ixz, Iyz) in `frame`, by default the tool. One body in all states: robot.with_payload.

    Where arrays are on a GPU nobody waits to look at them: a mass below zero gives NaN there, as it
    does inside px.trace.
    """
    load, arrays = Payload(robot, frame), {"mass": mass, "com": com, "inertia": inertia}
    if traced_value(tuple(arrays.values())) is not None:
        results = load.spliced(arrays)
    else:
        where = place_of(arrays)
        if where is CPU:
            mass = arrays["mass"] = as_array(mass, "mass", ())
            if not (mass >= 0.0).all():
                raise ArgumentError(f"mass: expected numbers >= 0, found {mass[~(mass >= 0.0)][0]}")
        results = load.of_arrays(arrays, where)
    return dict(zip(load.inputs, results, strict=True))


def external_force(robot, q, wrench, frame=None, coordinates="world"):
    """The parameter external_force (..., n, 6) of a push on a frame, by default the tool.

    `wrench` (..., 6) is the moment and the force at the frame's origin, along the axes of the world
    or, with coordinates="body", along the frame's own. The robot feels it as Jᵀ wrench.
    """
    load, arrays = Push(robot, frame, coordinates), {"q": q, "wrench": wrench}
    if traced_value((q, wrench)) is not None:
        (forces,) = load.spliced(arrays)
    else:
        (forces,) = load.of_arrays(arrays, place_of(arrays))
    return forces


class _Load:
    """A function of loads.py for one robot and frame: on arrays, in a trace, or as a Program."""

    def __init__(self, robot, frame, name, run, inputs):
        self.robot, self.frame, self.name, self.run, self.inputs = robot, frame, name, run, inputs

    @property
    def key(self):
        return (self.name, self.frame.body, self.frame.pose)

    @property
    def identity(self):
        return f"{self.robot.digest} {self.name} {self.frame.body} {self.frame.pose}"

    def graph(self):
        known = self.robot._graphs
        if self.identity not in known:
            known[self.identity] = trace_graph(self.run, self.inputs, self.name)
        return known[self.identity]

    def program(self):
        return Program(self.graph(), self.identity)

    def spliced(self, arrays):
        """Its results as part of the trace under way: arrays of traced scalars."""
        return [traced_array(result) for result in splice(self.graph(), tuple(arrays.values()))]

    def of_arrays(self, arrays, where):
        """Its results of arrays that are `where`; plain sequences (defaults) are brought there."""
        known, key = self.robot._functions, (*self.key, where.target)
        if key not in known:
            known[key] = where.kernel(self.identity, self.graph, work)
        with where.stream():
            given = [
                (where.brought if isinstance(array, tuple | list) else where.array)(
                    array, name, self.inputs[name]
                )
                for name, array in arrays.items()
            ]
            results = known[key](*given)
            several = results if isinstance(results, tuple) else (results,)
            return [where.given_back(result) for result in several]


class Payload(_Load):
    """Of mass, com and inertia: the same three of all bodies."""

    def __init__(self, robot, frame=None):
        place = frame_on_a_body(a_robot(robot), frame)
        inputs = {"mass": (), "com": (3,), "inertia": (6,)}
        super().__init__(robot, place, "payload", partial(loads.payload, robot, place), inputs)


class Push(_Load):
    """Of q and a wrench: the external forces."""

    def __init__(self, robot, frame=None, coordinates="world"):
        place = frame_on_a_body(a_robot(robot), frame)
        _check_coordinates(coordinates)
        run = partial(loads.external_force, robot, place, coordinates)
        inputs = {"q": (robot.nq,), "wrench": (6,)}
        super().__init__(robot, place, f"external_force_{coordinates}", run, inputs)


def base_parameters(robot):
    """The fewest parameters that torques depend on: τ = Y[..., columns] @ values.

    Columns, values, and the combination of `px.inertial_parameters` that each value is; print it.
    """
    # interpreted: a few states are not worth compiling for
    return find_base_parameters(robot, program(robot, "regressor").evaluate)


def closed_form(robot, parameters=()):
    """M(q) and h(q, qd) of a small arm written out as sums of products; print it.

    Terms below 1e-9 of the largest of their kind, which are rounding in the description (a right
    angle written 1.57079632679), are left out and listed in `.dropped`; `.rounded(below)` says what
    their kind is. Names in `parameters` stay symbols. Also `.latex()`, `.fortran()`, `.program()`,
    and `.angle_sums()` for the form with sines of sums of angles.
    """
    from .dynamics.equations import ClosedForm  # here, because few programs ask for it

    parameters = _request(robot, "bias_forces", None, parameters, None, None).parameters
    graphs = []
    for function in ("mass_matrix", "bias_forces"):
        own = tuple(name for name in parameters if name in MATTERS[function])
        graphs.append(_request(robot, function, None, own, None, None).graph())
    slides = [not joint.is_revolute for joint in robot.joints]
    return ClosedForm.of(*graphs, robot.joint_names, slides).rounded()


def _call(robot, function, arrays, out, algorithm, parameters, frame=None, coordinates=None):
    if parameters:
        arrays += tuple(parameters.values())
    key = (function, algorithm)
    if frame is not None or coordinates is not None or parameters:
        key += (frame, coordinates, *parameters)
    try:  # what the native function does not take, traced values too, comes back to us
        native = robot._functions[key]
    except (AttributeError, KeyError, TypeError):
        if out is None and traced_value(arrays) is not None:
            return _spliced(
                robot, function, algorithm, tuple(parameters), frame, coordinates, arrays
            )
        if any(map(on_a_gpu, arrays)):
            where = _on_gpu(robot, function, algorithm, tuple(parameters), frame, coordinates)
            return where(*arrays, out=out)
        native = _compiled(robot, function, algorithm, tuple(parameters), frame, coordinates)
        robot._functions[key] = native
    return native(*arrays) if out is None else native(*arrays, out=out)


def _spliced(robot, function, algorithm, parameters, frame, coordinates, values):
    """A function of a robot as part of the trace under way: arrays of traced scalars."""
    request = _request(robot, function, algorithm, parameters, frame, coordinates)
    graphs = robot._graphs
    if request.identity not in graphs:
        graphs[request.identity] = request.graph()
    results = [traced_array(result) for result in splice(graphs[request.identity], values)]
    return results[0] if len(results) == 1 else tuple(results)


def _along_chain(robot, function, algorithm, parameters):
    """Is this done by sweeps along a chain, rather than by a Program that is as long as the robot?

    A Program is faster, but the time to make it grows with the robot: some ten seconds for a
    hundred joints. An algorithm that is named has its way.
    """
    if function not in ALONG_CHAINS:
        return False
    a_robot(robot)
    if algorithm in CHAIN_WAYS:
        if parameters:
            raise ArgumentError(
                f"{function}: {algorithm!r} has no parameters, found {tuple(parameters)}; name an "
                "algorithm of px.algorithms() for them"
            )
        return True
    if algorithm is not None:
        if algorithm not in tuple(algorithms_of(function)):
            raise ArgumentError(
                f"algorithm: expected one of {tuple(algorithms_of(function))} or, along a chain, "
                f"of {CHAIN_WAYS}, found {algorithm!r}"
                f"{did_you_mean(algorithm, (*algorithms_of(function), *CHAIN_WAYS))}"
            )
        return False
    return robot.n > LONGEST_PROGRAM and not parameters and not robot.branching


def _chain_dynamics(robot, function, algorithm):
    from .chains.dynamics import ChainDynamics  # here, because few robots are so long

    along = ChainDynamics(robot, _whole_function(function), algorithm)
    still = np.zeros(robot.nv, np.float32)  # the rates and accelerations that are not given

    def general(*arrays, out=None):
        if out is None and traced_value(arrays) is not None:
            return _spliced(robot, function, algorithm, (), None, None, arrays)
        if any(map(on_a_gpu, arrays)):
            return _on_gpu(robot, function, algorithm, (), None, None)(*arrays, out=out)
        missing = 3 - len(FUNCTIONS[function].inputs)
        return along(*arrays, *[still] * missing, out=out)

    return general


def _whole_function(function):
    """The function along a chain that this one is, or is with some inputs zero."""
    return "inverse_dynamics" if function in TORQUES else function


def _chain_on_gpu(robot, function, algorithm):
    from .chains.on_gpu import ChainOnGpu  # here, because few robots are so long

    inputs = len(FUNCTIONS[function].inputs)
    return ChainOnGpu(robot, _whole_function(function), algorithm, given=inputs)


def _on_gpu(robot, function, algorithm, parameters, frame, coordinates):
    """A function of a robot for arrays on a GPU."""
    key = ("cuda", function, algorithm, parameters, frame, coordinates)
    if key not in robot._functions and _along_chain(robot, function, algorithm, parameters):
        robot._functions[key] = _chain_on_gpu(robot, function, algorithm)
    if key not in robot._functions:
        request = _request(robot, function, algorithm, parameters, frame, coordinates)
        names = (*FUNCTIONS[function].inputs, *parameters)
        robot._functions[key] = KernelsByType(request.identity, request.graph, names)
    return robot._functions[key]


def _compiled(robot, function, algorithm, parameters, frame, coordinates):
    """A function of a robot as one native callable.

    float64 arrays go straight to machine code; whatever that does not take comes back to
    `general`, which knows the float32 kernel too.
    """
    if _along_chain(robot, function, algorithm, parameters):
        return _chain_dynamics(robot, function, algorithm)
    request = _request(robot, function, algorithm, parameters, frame, coordinates)

    def graph():
        if robot.n > LONGEST_PROGRAM and algorithm is None:
            warnings.warn(
                f"{function} of a robot with {robot.n} joints: its Program is as long as the "
                "robot, and making it may take minutes",
                RobotWarning,
                stacklevel=9,
            )
        return request.graph()

    @cache
    def kernel(dtype, fallback=None):
        with one_call(request.label):
            return compile_kernel(request.identity, graph, work, dtype, fallback=fallback)

    def general(*arrays, out=None):
        if out is None and traced_value(arrays) is not None:
            return _spliced(robot, function, algorithm, parameters, frame, coordinates, arrays)
        if any(map(on_a_gpu, arrays)):
            return _on_gpu(robot, function, algorithm, parameters, frame, coordinates)(
                *arrays, out=out
            )
        if all(map(is_single, arrays)):
            native = kernel("float32").native
            return native(*arrays) if out is None else native(*arrays, out=out)
        return double.general(*arrays, out=out)

    double = kernel("float64", general)
    return double.native


__all__ = [
    *FUNCTIONS,
    "algorithms",
    "base_parameters",
    "closed_form",
    "external_force",
    "functions",
    "inertial_parameters",
    "parameter_values",
    "parse",
    "payload",
    "program",
    "trace",
]
