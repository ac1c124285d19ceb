"""The functions of a robot and their graphs. Here algorithms meet graphs: the only place."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from .algorithms import ABOUT_ORIGIN, ALGORITHMS, CHEAP, INVERSE_DYNAMICS, MOVING_BASE
from .algorithms.forward_derivatives import forward_dynamics_derivatives
from .algorithms.spatial_newton_euler import inverse_dynamics
from .errors import ArgumentError
from .graph.derivative import jacobian
from .graph.graph import Graph
from .graph.splice import splice
from .graph.trace import trace
from .passes.count import count
from .robot.model import PARAMETERS, BodyInertia, Model
from .robot.reframe import reframe
from .robot.regroup import regroup
from .robot.robot import Robot
from .spatial import Symmetric, Vector

COORDINATES = ("world", "body")


@dataclass(frozen=True)
class Function:
    """What a function takes and gives, and on which equal robots it may be computed.

    same: "masses" when only joint torques matter, so that frames and masses may be moved
    (robot/regroup.py); "frames" when frames may be moved (robot/reframe.py); else "nothing".
    """

    inputs: tuple
    outputs: tuple
    same: str = "masses"
    options: tuple = ()
    derive: Callable | None = None  # (view, algorithm, parameters) -> outputs, from other graphs


@dataclass(frozen=True)
class View:
    """A robot as it is given to an algorithm: itself, or an equal one that costs less."""

    robot: Robot
    bodies: list | None = None  # regrouped masses


def algorithms_of(function):
    """The algorithms of a function, by name."""
    if not isinstance(function, str) or function not in FUNCTIONS:
        raise ArgumentError(f"function: expected one of {tuple(FUNCTIONS)}, found {function!r}")
    return ALGORITHMS[BASIS.get(function, function)]


def check_algorithm(function, name, parameters=()):
    known = algorithms_of(function)
    if not isinstance(name, str) or name not in known:
        raise ArgumentError(f"algorithm: expected one of {tuple(known)}, found {name!r}")
    moving = [each for each in parameters if each in ("base_velocity", "base_acceleration")]
    if moving and name in INVERSE_DYNAMICS and name not in MOVING_BASE:
        raise ArgumentError(
            f"{moving[0]}: {name} has no moving base; expected one of {MOVING_BASE}"
        )


def graph_of(robot, function, algorithm=None, parameters=(), coordinates=None):
    """The graph of a function. Without an algorithm, the cheapest way to compute it.

    The frames a function is about are the robot's frames: give a robot that has only those.
    """
    if algorithm is not None:
        check_algorithm(function, algorithm, parameters)
        return _graph(View(robot), function, algorithm, parameters, coordinates)
    # A derivative is taken of the cheapest: to try them all would take too long.
    basis = BASIS.get(function, function)
    best, least = None, None
    for view in _views(robot, FUNCTIONS[function].same if not parameters else "nothing"):
        for name in algorithms_of(function):
            if basis in ("inverse_dynamics", "bias_forces", "gravity_torques") and (
                name not in CHEAP or (view.bodies and name not in ABOUT_ORIGIN)
            ):
                continue
            graph = _graph(view, basis, name, parameters, coordinates)
            flops = count(graph).flops
            if best is None or flops < least:
                best, least = (view, name, graph), flops
    view, name, graph = best
    if basis != function:
        graph = _graph(view, function, name, parameters, coordinates)
    return graph if view.robot is robot else replace(graph, marks={})  # not the robot's own values


def _views(robot, same):
    yield View(robot)
    if same == "nothing":
        return
    for other in (reframe(robot, slide=False), reframe(robot)):
        yield View(other)
        if same == "masses":
            yield View(other, regroup(other))


def input_shapes(robot, function, parameters=()):
    """name -> shape, in calling order."""
    shapes = {name: (robot.nq if name == "q" else robot.nv,) for name in FUNCTIONS[function].inputs}
    for name in parameters:
        if name not in PARAMETERS:
            raise ArgumentError(f"parameters: expected some of {tuple(PARAMETERS)}, found {name!r}")
        shapes[name] = tuple(robot.n if size == "n" else size for size in PARAMETERS[name])
    return shapes


def _graph(view, function, algorithm, parameters, coordinates):
    known = FUNCTIONS[function]
    if known.derive is not None:
        return known.derive(view, algorithm, parameters)
    recursion = ALGORITHMS[function][algorithm]
    options = {}
    if "frames" in known.options:
        options["frames"] = list(view.robot.frames)
    elif "frame" in known.options:
        (options["frame"],) = view.robot.frames
    if "coordinates" in known.options:
        options["coordinates"] = coordinates

    def run(**arrays):
        model = Model(view.robot, {name: arrays[name] for name in parameters}, view.bodies)
        values = [arrays[name] for name in known.inputs]
        return {known.outputs[0]: recursion(model, *values, **options)}

    return trace(run, input_shapes(view.robot, function, parameters), function)


# -- functions made from the graphs of others --------------------------------------------------


def _inverse_dynamics_derivatives(view, algorithm, parameters):
    graph = _graph(view, "inverse_dynamics", algorithm, parameters, None)
    slopes = jacobian(graph, {"dtau_dq": ("tau", "q"), "dtau_dqd": ("tau", "qd")})
    return replace(slopes, name="inverse_dynamics_derivatives")


def _forward_dynamics_derivatives(view, algorithm, parameters):
    slopes = _inverse_dynamics_derivatives(view, algorithm, parameters)
    function = "forward_dynamics_derivatives"

    def run(q, qd, tau, **given):
        model = Model(view.robot, given, view.bodies)

        def inverse_dynamics_derivatives(q, qd, qdd):
            return splice(slopes, (q, qd, qdd, *given.values()))

        results = forward_dynamics_derivatives(model, q, qd, tau, inverse_dynamics_derivatives)
        return dict(zip(FUNCTIONS[function].outputs, results, strict=True))

    return trace(run, input_shapes(view.robot, function, parameters), function)


def _coriolis_matrix(view, algorithm, parameters):
    """Half the slope of the bias forces over the rates: these are quadratic in the rates, with
    Christoffel's symbols as coefficients, symmetric in the two rates they multiply."""
    graph = _graph(view, "bias_forces", algorithm, parameters, None)
    slope = jacobian(graph, {"dh_dqd": ("h", "qd")})

    def run(**arrays):
        (rows,) = splice(slope, arrays.values())
        return {"C": [[entry * 0.5 for entry in row] for row in rows]}

    return trace(run, graph.inputs, "coriolis_matrix")


def _regressor(view, algorithm, parameters):
    """The slope of the torques over the inertial parameters, in which they are linear."""
    n = view.robot.n
    inputs = input_shapes(view.robot, "regressor", parameters)

    def run(q, qd, qdd, bodies, rotors, **given):
        model = Model(view.robot, given | {"rotor_inertia": rotors})
        model.inertia = [
            BodyInertia.about_frame(m, Vector(hx, hy, hz), Symmetric(*inertia))
            for m, hx, hy, hz, *inertia in bodies
        ]
        return {"tau": inverse_dynamics(model, q, qd, qdd)}

    graph = trace(run, {**inputs, "bodies": (n, 10), "rotors": (n,)})
    slope = jacobian(graph, {"bodies": ("tau", "bodies"), "rotors": ("tau", "rotors")})
    (_, bodies), (_, rotors) = slope.outputs.values()
    rows = []
    for i in range(n):
        rows += [*bodies[10 * n * i : 10 * n * (i + 1)], *rotors[n * i : n * (i + 1)]]
    return Graph(inputs, {"Y": ((n, 11 * n), tuple(rows))}, {}, "regressor")


FUNCTIONS = {
    "inverse_dynamics": Function(("q", "qd", "qdd"), ("tau",)),
    "forward_dynamics": Function(("q", "qd", "tau"), ("qdd",)),
    "mass_matrix": Function(("q",), ("M",)),
    "mass_matrix_inverse": Function(("q",), ("M_inverse",)),
    "bias_forces": Function(("q", "qd"), ("h",)),
    "gravity_torques": Function(("q",), ("g",)),
    "coriolis_matrix": Function(("q", "qd"), ("C",), derive=_coriolis_matrix),
    "kinetic_energy": Function(("q", "qd"), ("energy",)),
    "potential_energy": Function(("q",), ("energy",), "frames"),
    "center_of_mass": Function(("q",), ("center",), "frames"),
    "forward_kinematics": Function(("q",), ("pose",), "frames", ("frame",)),
    "frame_poses": Function(("q",), ("poses",), "frames", ("frames",)),
    "jacobian": Function(("q",), ("J",), "frames", ("frame", "coordinates")),
    "bias_acceleration": Function(("q", "qd"), ("a",), "frames", ("frame", "coordinates")),
    "operational_space_inertia": Function(("q",), ("inertia",), "frames", ("frame", "coordinates")),
    "inverse_dynamics_derivatives": Function(
        ("q", "qd", "qdd"), ("dtau_dq", "dtau_dqd"), derive=_inverse_dynamics_derivatives
    ),
    "forward_dynamics_derivatives": Function(
        ("q", "qd", "tau"),
        ("dqdd_dq", "dqdd_dqd", "dqdd_dtau"),
        derive=_forward_dynamics_derivatives,
    ),
    "regressor": Function(("q", "qd", "qdd"), ("Y",), "nothing", derive=_regressor),
}

# The function whose algorithms a derived one has, and whose cost decides between them.
BASIS = {
    "inverse_dynamics_derivatives": "inverse_dynamics",
    "forward_dynamics_derivatives": "inverse_dynamics",
    "coriolis_matrix": "bias_forces",
    "regressor": "inverse_dynamics",
}
