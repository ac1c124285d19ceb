"""The functions of a robot and their graphs. Only here are algorithms turned into graphs."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from .checks import did_you_mean, one_of, quoted
from .coupled_functions import OF_MASSES, coupled_graph, follow_linearly
from .errors import ArgumentError
from .graph.along import jacobian_along
from .graph.derivative import jacobian
from .graph.graph import Graph
from .graph.splice import splice
from .graph.trace import trace
from .later import elsewhere
from .looped_functions import LOOPED, OF_TORQUES, looped_graph, require_open
from .passes.cheapen import cheapen_unless_long, price
from .physics import (
    ALGORITHMS,
    CHEAP,
    INVERSE_DYNAMICS,
    MOVING_BASE,
    articulated_body,
    composite_body,
)
from .physics.configuration import integrate, integrate_rows, neutral, velocities
from .physics.forward_derivatives import forward_dynamics_derivatives
from .physics.friction.motor_torques import MotorTorques, directions, with_losses
from .physics.friction.shared_friction import driven_rows, felt, shared_friction
from .physics.gyroscopic_matrix import gyroscopic_matrix
from .physics.inverse_derivatives import inverse_dynamics_derivatives
from .physics.modified_newton_euler import torques_and_reactions
from .physics.parts.massless import require_mobile
from .physics.spatial_newton_euler import inverse_dynamics
from .robots.equal.cheap_models import cheap_models
from .robots.equal.reframe import reframe
from .robots.equal.regroup import regroup
from .robots.model import PARAMETERS, BodyInertia, Model
from .robots.robot import Robot
from .robots.rows import rows_of
from .spatial import Symmetric, Vector
from .spring_functions import SPRUNG, spring_graph, sprung_graph

COORDINATES = ("world", "body")
DEEP = 20  # joints in a row; well beyond where articulated bodies cost less than composite ones
SHORT = 300  # nodes per joint of derivatives by composite bodies; beyond, no other way cost less


@dataclass(frozen=True)
class Function:
    """What a function takes and gives, and on which equal robots it may be computed.

    same: "masses" when only joint torques matter, so that frames and masses may be moved
    (robots/equal/regroup.py); "frames" when frames may be moved (robots/equal/reframe.py); else
    "nothing".
    """

    inputs: tuple
    outputs: tuple
    same: str = "masses"
    options: tuple = ()


@dataclass(frozen=True)
class View:
    """A robot as it is given to an algorithm: itself, or an equal one that costs less."""

    robot: Robot
    bodies: list | None = None  # regrouped masses
    of_torques: Callable | None = None  # q -> a model that has the same torques, and only those

    def model(self, arrays, parameters=()):
        if self.of_torques is not None:
            return self.of_torques(arrays["q"])
        return Model(self.robot, {name: arrays[name] for name in parameters}, self.bodies)


def algorithms_of(function: str) -> dict[str, Callable]:
    """The algorithms of a function, by name."""
    if isinstance(function, str) and function not in FUNCTIONS and (place := elsewhere(function)):
        raise ArgumentError(
            f"function: {function!r} has no Program{place}; px.functions() lists those that have"
        )
    one_of(function, FUNCTIONS, "function")
    if function in DERIVED:  # by a recursion, or by differentiating a torque graph
        return ALGORITHMS["inverse_dynamics_derivatives"] | INVERSE_DYNAMICS
    return ALGORITHMS[BASIS.get(function, function)]


def check_algorithm(function, name, parameters=()):
    one_of(name, algorithms_of(function), "algorithm")
    moving = [each for each in parameters if each in ("base_velocity", "base_acceleration")]
    if moving and name in INVERSE_DYNAMICS and name not in MOVING_BASE:
        raise ArgumentError(
            f"{moving[0]}: algorithm {name!r} does not support a moving base; use one of "
            f"{MOVING_BASE}"
        )


def _other_keywords(function):
    others = [name for name in ("frame", "coordinates") if name in FUNCTIONS[function].options]
    return f"; besides them, {function} takes {' and '.join(others)}" if others else ""


def check_parameters(function, parameters):
    for k, name in enumerate(parameters):
        if name not in PARAMETERS:
            raise ArgumentError(
                f"parameters: expected some of {tuple(PARAMETERS)}, found {name!r}"
                f"{did_you_mean(name, PARAMETERS) or _other_keywords(function)}"
            )
        if name in parameters[:k]:
            raise ArgumentError(f"parameters: {name} appears twice")
        if name not in MATTERS[function]:
            raise ArgumentError(
                f"parameters: {function} does not depend on {name}, or is not defined with it; "
                f"expected some of {MATTERS[function]}"
            )


def input_shapes(robot, function, parameters=()):
    """name -> shape, in calling order."""
    known = FUNCTIONS[function].inputs
    shapes = {name: (robot.nq if name in POSITIONS else robot.nv,) for name in known}
    return shapes | parameter_shapes(robot, parameters)


def parameter_shapes(robot, parameters):
    """name -> shape of parameters of a robot, or of its rows."""
    n = robot.described.n
    return {
        name: tuple(n if size == "n" else size for size in PARAMETERS[name]) for name in parameters
    }


def graph_of(robot, function, algorithm=None, parameters=(), coordinates=None):
    """The graph of a function. Without an algorithm, the cheapest that is known.

    The frames a function is about are the robot's frames: give a robot that has only those.
    """
    if function in OF_POSITIONS:  # of the joints, whatever recursions see of them
        return _cheapened(_position_graph(robot, function))
    if function == "spring_torques":
        return _cheapened(spring_graph(robot))
    require_open(robot, function)
    if function == "motor_torques" and _is_shared(robot):
        return _shared_motor_torques(robot, algorithm, parameters)
    if robot.loops and BASIS_OF_SLOPES.get(function, function) in LOOPED:
        return _looped_graph(robot, function, algorithm, parameters)
    return _graph_of_tree(robot, function, algorithm, parameters, coordinates)


def _looped_graph(robot, function, algorithm, parameters):
    """The graph of a function that closed loops change."""
    if function in WANTED:
        graph = _looped_graph(robot, BASIS_OF_SLOPES[function], algorithm, parameters)
        return replace(slopes_of(robot, graph, WANTED[function]), name=function)
    rows, tree = rows_of(robot), None
    if function in OF_TORQUES:
        tree = _graph_of_tree(robot, function, algorithm, parameters, None)
    elif not rows.followers and not {*parameters} & {*MATTERS["mass_matrix"]}:
        require_mobile(rows)
    views = _views(rows, "nothing" if parameters else "masses")
    shapes = input_shapes(robot, function, parameters)
    return looped_graph(function, algorithm, views, tree, shapes, parameters)


def _graph_of_tree(robot, function, algorithm, parameters, coordinates):
    """The graph of a function of the tree of joints."""
    ideal = _ideal_graph(robot, function, algorithm, parameters, coordinates)
    if not robot.has_springs or function not in SPRUNG:
        return ideal
    stiffness = None
    if function in WANTED:
        stiffness = slopes_of(robot, spring_graph(robot), {"K": ("s", "q")})
    graph = sprung_graph(robot, function, ideal, stiffness)
    return graph if algorithm else _cheapened(graph)


def _ideal_graph(robot, function, algorithm, parameters, coordinates):
    """The same without springs."""
    rows = rows_of(robot)
    if not rows.followers:
        return _graph_of_rows(rows, function, algorithm, parameters, coordinates)

    def mattering(name):
        return tuple(each for each in parameters if each in MATTERS[name])

    if algorithm not in (None, "composite_body") and function in OF_MASSES:
        raise ArgumentError(
            f"algorithm: robot {rows.name!r} has coupled or helical joints, for which {function} "
            f"is solved with the mass matrix, by 'composite_body'; found {algorithm!r}"
        )
    basis = {"bias_forces": "inverse_dynamics", "inverse_dynamics_derivatives": "inverse_dynamics"}

    def whole(name):
        of_it = name in (function, basis.get(function)) and algorithm in algorithms_of(name)
        chosen = algorithm if of_it else None
        return _graph_of_rows(rows, name, chosen, mattering(name), coordinates)

    def coupled(name):
        if name == "inverse_dynamics_derivatives" and not follow_linearly(rows):
            if function == name and algorithm == "composite_body":
                raise ArgumentError(
                    f"algorithm: robot {quoted(rows.name)} has joints that follow others by a "
                    "polynomial, of which 'composite_body' makes no derivatives; leave it out"
                )
            return _slopes_of(rows.described, coupled("inverse_dynamics"))
        shapes = input_shapes(rows.described, name, mattering(name))
        return coupled_graph(rows, name, whole, coupled, shapes)

    return coupled(function)


def _position_graph(robot, function):
    if function in SLOPES_OF_POSITIONS:
        basis = _position_graph(robot, BASIS[function])
        return replace(SLOPES_OF_POSITIONS[function](robot, basis), name=function)
    (rule,), (name,) = ALGORITHMS[function].values(), FUNCTIONS[function].outputs
    return trace(
        lambda **arrays: {name: rule(robot, *arrays.values())},
        input_shapes(robot, function),
        function,
    )


def _graph_of_rows(robot, function, algorithm, parameters, coordinates):
    """The same of a robot of single joints, or of rows that move independently."""
    if function in OF_THE_INVERSE and not {*parameters} & {*MATTERS["mass_matrix"]}:
        require_mobile(robot)
    if algorithm is None:
        return _cheapest_graph(robot, function, parameters, coordinates)
    if function == "regressor":
        return _regressor(robot, parameters)
    if function in DERIVED:
        (slopes,) = _slope_graphs(robot, parameters, algorithm)
        bias_forces = _graph(View(robot), "bias_forces", BIAS.get(algorithm, algorithm), parameters)
        return DERIVED[function](robot, parameters, slopes, bias_forces)
    return _graph(View(robot), function, algorithm, parameters, coordinates)


def _graph(view, function, algorithm, parameters=(), coordinates=None):
    """One algorithm traced on one view of a robot."""
    known, recursion = FUNCTIONS[function], ALGORITHMS[function][algorithm]
    options = {}
    if "frames" in known.options:
        options["frames"] = list(view.robot.frames)
    elif "frame" in known.options:
        (options["frame"],) = view.robot.frames
    if "coordinates" in known.options:
        options["coordinates"] = coordinates

    def run(**arrays):
        model = view.model(arrays, parameters)
        values = {name: arrays[name] for name in known.inputs}
        if "tau" in values:
            values["tau"] = model.rows_torques(values["qd"], values["tau"])
        if "qdd" in values:
            values["qdd"] = model.rows_accelerations(values["qd"], values["qdd"])
        results = recursion(model, *values.values(), **options)
        several = results if len(known.outputs) > 1 else (results,)
        named = dict(zip(known.outputs, several, strict=True))
        if "qdd" in named:
            named["qdd"] = model.joint_accelerations(values["qd"], named["qdd"])
        for name in {"tau", "h"} & {*named}:
            named[name] = model.joint_torques(values["qd"], named[name])
        if "wrench" in named:
            named["wrench"] = view.robot.gathered(named["wrench"])
        return named

    return trace(run, input_shapes(view.robot, function, parameters), function)


def _sum(x, y):
    return [a + b for a, b in zip(x, y, strict=True)]


# -- the cheapest way --------------------------------------------------------------------------


def _cheapest_graph(robot, function, parameters, coordinates):
    """The cheapest of the likely ways, cheapened. It has no marks: its values are its own."""
    if function in DERIVED:
        slopes = _cheapened(min(_slope_graphs(robot, parameters), key=price))
        bias_forces = None
        if function == "forward_dynamics_derivatives":
            bias_forces = _cheapest_graph(robot, "bias_forces", parameters, None)
        graphs = [DERIVED[function](robot, parameters, slopes, bias_forces)]
    elif function == "regressor":
        graphs = [_regressor(robot, parameters)]
    elif function in TORQUES:
        graphs = _torque_graphs(robot, function, parameters)
    elif function == "forward_dynamics":
        graphs = _forward_dynamics_graphs(robot, parameters)
    elif function == "motor_torques":
        graphs = _motor_torques_graphs(robot, parameters)
    else:
        name, *_ = algorithms_of(function)  # any others cost more
        graphs = [
            _graph(view, function, name, parameters, coordinates)
            for view in _views(robot, "nothing" if parameters else FUNCTIONS[function].same)
        ]
    return _cheapened(min(graphs, key=price))


def _cheapened(graph):
    return cheapen_unless_long(replace(graph, marks={}))


def _views(robot, same):
    yield View(robot)
    if same == "nothing":
        return
    for other in (reframe(robot, slide=False), reframe(robot)):
        yield View(other)
        if same == "masses":
            yield View(other, regroup(other))


def _torque_graphs(robot, function, parameters):
    if not parameters:
        for model in cheap_models(robot):
            yield _graph(View(robot, of_torques=model), function, "tensor_newton_euler")
    for name in CHEAP:
        yield _graph(View(robot), function, name, parameters)


def _slope_graphs(robot, parameters, algorithm=None):
    """Graphs of the derivatives of torques. Without an algorithm, those that are likely cheap: of
    composite bodies, and of torque graphs where limbs are short: these have more in common."""
    if algorithm in INVERSE_DYNAMICS:
        return [_slopes_of(robot, _graph(View(robot), "inverse_dynamics", algorithm, parameters))]
    views = _views(robot, "nothing" if parameters or algorithm else "masses")
    graphs = [_composite_slopes(view, parameters) for view in views]
    if algorithm is None and min(len(graph.nodes) for graph in graphs) < SHORT * robot.n:
        torques = map(_cheapened, _torque_graphs(robot, "inverse_dynamics", parameters))
        graphs += [_slopes_of(robot, graph) for graph in sorted(torques, key=price)[:3]]
    return graphs


def _composite_slopes(view, parameters):
    function = "inverse_dynamics_derivatives"

    def run(q, qd, qdd, **given):
        results = inverse_dynamics_derivatives(view.model(given, parameters), q, qd, qdd)
        return dict(zip(FUNCTIONS[function].outputs, results, strict=True))

    return trace(run, input_shapes(view.robot, function, parameters), function)


def _slopes_of(robot, torques):
    function = "inverse_dynamics_derivatives"
    return replace(slopes_of(robot, torques, WANTED[function]), name=function)


def _forward_dynamics_graphs(robot, parameters):
    """Bias forces the cheapest way, and then one of two ways to solve with the mass matrix."""
    bias_forces = _cheapest_graph(robot, "bias_forces", parameters, None)
    ways = []
    if robot.depth <= DEEP:
        ways.append((composite_body, _view_for_masses(robot, parameters)))
    for view in _views(robot, "nothing" if parameters else "masses"):
        ways.append((articulated_body, view))
    for algorithm, view in ways:

        def run(q, qd, tau, algorithm=algorithm, view=view, **given):
            (h,) = splice(bias_forces, (q, qd, *given.values()))
            model = view.model(given, parameters)
            return {"qdd": algorithm.accelerations(model, q, tau, h)}

        yield trace(run, input_shapes(robot, "forward_dynamics", parameters), "forward_dynamics")


def _motor_torques_graphs(robot, parameters):
    """One recursion for torques and reactions, or the cheapest torques and reactions apart: these
    are then left out where no bearing feels them."""
    yield _graph(View(robot), "motor_torques", "modified_newton_euler", parameters)
    torques = _cheapest_graph(robot, "inverse_dynamics", parameters, None)

    def run(q, qd, qdd, **given):
        (dynamic,) = splice(torques, (q, qd, qdd, *given.values()))
        model = View(robot).model(given, parameters)
        _, reactions = torques_and_reactions(model, q, qd, model.rows_accelerations(qd, qdd))
        signs = directions(qd, qdd)
        return with_losses(robot.joints, qd, dynamic, reactions, signs)._asdict()

    yield trace(run, input_shapes(robot, "motor_torques", parameters), "motor_torques")


def _is_shared(robot):
    """Whether torques at joints are not those that recursions find, joint by joint."""
    return bool(robot.has_springs or robot.tendons or rows_of(robot).followers)


def _shared_motor_torques(robot, algorithm, parameters):
    """With springs, tendons and joints that follow others."""
    joints, shared = driven_rows(robot), shared_friction(robot)
    if robot.has_bearings and rows_of(robot).followers:
        raise ArgumentError(
            f"motor_torques: robot {quoted(robot.name)} has bearings and coupled joints, whose "
            "friction is not defined together; use robot.without_friction(), or load it with "
            'couplings="independent"'
        )
    torques = graph_of(robot, "inverse_dynamics", algorithm, parameters)

    def run(q, qd, qdd, **given):
        (dynamic,) = splice(torques, (q, qd, qdd, *given.values()))
        reactions = [None] * robot.nv  # which only bearings feel
        if robot.has_bearings:
            model = View(rows_of(robot)).model(given, parameters)
            _, reactions = torques_and_reactions(model, q, qd, model.rows_accelerations(qd, qdd))
        rates, changes = ([each.rate(x) for each in shared] for x in (qd, qdd))
        along = zip(shared, rates, directions(rates, changes), strict=True)
        forces = [each.force(rate, direction) for each, rate, direction in along]
        taken = felt(shared, forces, robot.nv)
        losses = with_losses(joints, qd, dynamic, reactions, directions(qd, qdd), taken)
        return losses._asdict()

    graph = trace(run, input_shapes(robot, "motor_torques", parameters), "motor_torques")
    return graph if algorithm else _cheapened(graph)


def _view_for_masses(robot, parameters):
    """The view with the cheapest mass matrix."""
    return min(
        _views(robot, "nothing" if parameters else "masses"),
        key=lambda view: price(_graph(view, "mass_matrix", "composite_body", parameters)),
    )


# -- functions made from the graph of another --------------------------------------------------


def slopes_of(robot, graph, wanted):
    """The Jacobians of a graph; those over positions are over the velocities that change them.

    The graph is of a robot's joints, or of all its rows, whether they follow others or not.
    """
    if not {joint.kind for joint in robot.described.joints} & {"planar", "spherical", "free"}:
        return jacobian(graph, wanted)
    rule = integrate_rows if robot.followers else integrate
    shapes = input_shapes(robot, "integrate")
    move = trace(lambda q, v: {"moved": rule(robot, q, v)}, shapes, "integrate")
    return jacobian_along(graph, wanted, {name: move for name in POSITIONS if name in graph.inputs})


def _integrate_derivatives(robot, graph):
    """Over the velocities that change q, and v; both of the velocity that the result then has.

    They do not depend on q, as the velocities are along the axes of the bodies: they are made at
    the neutral position, where they cost least.
    """

    def run(q, v, there):
        (moved,) = splice(graph, (q, v))
        return {"velocity": velocities(robot, there, moved)}  # linear in the rates of `moved`

    slopes = slopes_of(
        robot,
        trace(run, graph.inputs | {"there": (robot.nq,)}),
        {"dmoved_dq": ("velocity", "q"), "dmoved_dv": ("velocity", "v")},
    )
    here = neutral(robot)

    def from_neutral(q, v):
        results = splice(slopes, (here, v, integrate(robot, here, v)))
        return dict(zip(slopes.outputs, results, strict=True))

    return trace(from_neutral, graph.inputs)


def _difference_derivatives(robot, graph):
    return slopes_of(robot, graph, {"dv_dq0": ("v", "q0"), "dv_dq1": ("v", "q1")})


def _inverse_dynamics_derivatives(robot, parameters, slopes, _):
    return slopes


def _forward_dynamics_derivatives(robot, parameters, slopes, bias_forces):
    function = "forward_dynamics_derivatives"
    view = _view_for_masses(robot, parameters)

    def run(q, qd, tau, **given):
        (h,) = splice(bias_forces, (q, qd, *given.values()))
        factors = composite_body.factored(view.model(given, parameters), q)
        results = forward_dynamics_derivatives(
            factors, tau, h, lambda qdd: splice(slopes, (q, qd, qdd, *given.values()))
        )
        return dict(zip(FUNCTIONS[function].outputs, results, strict=True))

    return trace(run, input_shapes(robot, function, parameters), function)


def _coriolis_matrix(robot, parameters, slopes, _):
    """Half the slope of the bias forces over the rates: these are quadratic in the rates, with
    Christoffel's symbols as coefficients, symmetric in the two rates they multiply."""
    model, still = Model(robot), [0.0] * robot.nv
    masses = None
    if model.turning_rows:
        masses = _cheapest_graph(robot, "mass_matrix", parameters, None)

    def run(q, qd, **given):
        _, rows = splice(slopes, (q, qd, still, *given.values()))
        C = [[entry * 0.5 for entry in row] for row in rows]
        if masses is not None:
            (M,) = splice(masses, (q, *given.values()))
            pairs = zip(C, gyroscopic_matrix(model, qd, M), strict=True)
            C = [_sum(*rows) for rows in pairs]
        return {"C": C}

    return trace(run, input_shapes(robot, "coriolis_matrix", parameters), "coriolis_matrix")


def _regressor(robot, parameters):
    """The slope of the torques over the inertial parameters, in which they are linear."""
    n, nv = robot.described.n, robot.nv
    inputs = input_shapes(robot, "regressor", parameters)

    def run(q, qd, qdd, bodies, rotors, **given):
        model = Model(robot, given | {"rotor_inertia": rotors})
        model.inertia = [
            BodyInertia.about_frame(m, Vector(hx, hy, hz), Symmetric(*inertia))
            for m, hx, hy, hz, *inertia in robot.spread("bodies", bodies)
        ]
        tau = inverse_dynamics(model, q, qd, model.rows_accelerations(qd, qdd))
        return {"tau": model.joint_torques(qd, tau)}

    graph = trace(run, {**inputs, "bodies": (n, 10), "rotors": (n,)})
    slope = jacobian(graph, {"bodies": ("tau", "bodies"), "rotors": ("tau", "rotors")})
    (_, bodies), (_, rotors) = slope.outputs.values()
    rows = []
    for i in range(nv):
        rows += [*bodies[10 * n * i : 10 * n * (i + 1)], *rotors[n * i : n * (i + 1)]]
    return Graph(inputs, {"Y": ((nv, 11 * n), tuple(rows))}, {}, "regressor")


FUNCTIONS = {
    "inverse_dynamics": Function(("q", "qd", "qdd"), ("tau",)),
    "forward_dynamics": Function(("q", "qd", "tau"), ("qdd",)),
    "motor_torques": Function(("q", "qd", "qdd"), MotorTorques._fields, "nothing"),
    "joint_reactions": Function(("q", "qd", "qdd"), ("wrench",), "nothing"),
    "mass_matrix": Function(("q",), ("M",)),
    "mass_matrix_inverse": Function(("q",), ("M_inverse",)),
    "bias_forces": Function(("q", "qd"), ("h",)),
    "gravity_torques": Function(("q",), ("g",)),
    "spring_torques": Function(("q",), ("s",), "nothing"),
    "coriolis_matrix": Function(("q", "qd"), ("C",)),
    "kinetic_energy": Function(("q", "qd"), ("energy",)),
    "potential_energy": Function(("q",), ("energy",), "frames"),
    "centre_of_mass": Function(("q",), ("centre",), "frames"),
    "centre_of_mass_jacobian": Function(("q",), ("J",), "frames"),
    "centroidal_momentum": Function(("q", "qd"), ("momentum",), "frames"),
    "centroidal_momentum_matrix": Function(("q",), ("A",), "frames"),
    "centroidal_bias": Function(("q", "qd"), ("rate",), "frames"),
    "forward_kinematics": Function(("q",), ("pose",), "frames", ("frame",)),
    "frame_poses": Function(("q",), ("poses",), "frames", ("frames",)),
    "jacobian": Function(("q",), ("J",), "frames", ("frame", "coordinates")),
    "bias_acceleration": Function(("q", "qd"), ("a",), "frames", ("frame", "coordinates")),
    "operational_space_inertia": Function(("q",), ("inertia",), "frames", ("frame", "coordinates")),
    "operational_space_inertia_inverse": Function(
        ("q",), ("inertia_inverse",), "frames", ("frame", "coordinates")
    ),
    "inverse_dynamics_derivatives": Function(("q", "qd", "qdd"), ("dtau_dq", "dtau_dqd")),
    "forward_dynamics_derivatives": Function(
        ("q", "qd", "tau"),
        ("dqdd_dq", "dqdd_dqd", "dqdd_dtau"),
    ),
    "regressor": Function(("q", "qd", "qdd"), ("Y",), "nothing"),
    "integrate": Function(("q", "v"), ("moved",), "nothing"),
    "difference": Function(("q0", "q1"), ("v",), "nothing"),
    "integrate_derivatives": Function(("q", "v"), ("dmoved_dq", "dmoved_dv"), "nothing"),
    "difference_derivatives": Function(("q0", "q1"), ("dv_dq0", "dv_dq1"), "nothing"),
    "normalize": Function(("q",), ("normalized",), "nothing"),
}

SLOPES_OF_POSITIONS = {
    "integrate_derivatives": _integrate_derivatives,
    "difference_derivatives": _difference_derivatives,
}
OF_POSITIONS = ("integrate", "difference", "normalize", *SLOPES_OF_POSITIONS)
POSITIONS = ("q", "q0", "q1")  # inputs that are positions; the others have an entry per velocity
LONGEST_PROGRAM = 64  # joints of a robot for which a Program is made without being asked for

TORQUES = ("inverse_dynamics", "bias_forces", "gravity_torques")
OF_THE_INVERSE = (  # of the mass matrix
    *("forward_dynamics", "mass_matrix_inverse", "forward_dynamics_derivatives"),
    *("operational_space_inertia", "operational_space_inertia_inverse"),
)

# The Jacobians that functions are made of: name -> of what, over what.
WANTED = {
    "inverse_dynamics_derivatives": {"dtau_dq": ("tau", "q"), "dtau_dqd": ("tau", "qd")},
    "forward_dynamics_derivatives": {
        "dqdd_dq": ("qdd", "q"),
        "dqdd_dqd": ("qdd", "qd"),
        "dqdd_dtau": ("qdd", "tau"),
    },
}
BASIS_OF_SLOPES = {
    "inverse_dynamics_derivatives": "inverse_dynamics",
    "forward_dynamics_derivatives": "forward_dynamics",
}

# Functions made from the derivatives of torques, and bias forces.
DERIVED = {
    "inverse_dynamics_derivatives": _inverse_dynamics_derivatives,
    "forward_dynamics_derivatives": _forward_dynamics_derivatives,
    "coriolis_matrix": _coriolis_matrix,
}
BIAS = {"composite_body": "modified_newton_euler"}  # of derivatives -> of the bias forces
# Functions made from the graph of another, whose algorithms they have too.
BASIS = {
    "integrate_derivatives": "integrate",
    "difference_derivatives": "difference",
}

# function -> the parameters it depends on. Left out are also those with which a function would not
# be what it says: C q̇ + g are the bias forces and J̇ q̇ the acceleration only on a base at rest, and
# forces from outside are not linear in masses.
CENTROIDAL = ("centroidal_momentum", "centroidal_momentum_matrix", "centroidal_bias")
_BODIES, _PLACES = ("mass", "com", "inertia", "rotor_inertia"), ("origin",)
MATTERS = dict.fromkeys(FUNCTIONS, tuple(PARAMETERS)) | {
    "joint_reactions": tuple(name for name in PARAMETERS if name != "rotor_inertia"),
    "mass_matrix": (*_BODIES, *_PLACES),
    "mass_matrix_inverse": (*_BODIES, *_PLACES),
    "operational_space_inertia": (*_BODIES, *_PLACES),
    "operational_space_inertia_inverse": (*_BODIES, *_PLACES),
    "coriolis_matrix": ("mass", "com", "inertia", *_PLACES),
    "kinetic_energy": (*_BODIES, *_PLACES, "base_velocity"),
    "potential_energy": ("mass", "com", *_PLACES, "gravity"),
    "centre_of_mass": ("mass", "com", *_PLACES),
    **dict.fromkeys(CENTROIDAL, ("mass", "com", "inertia", *_PLACES)),
    "centre_of_mass_jacobian": ("mass", "com", *_PLACES),
    "forward_kinematics": _PLACES,
    "frame_poses": _PLACES,
    "jacobian": _PLACES,
    "bias_acceleration": _PLACES,
    "regressor": (*_PLACES, "gravity", "base_velocity", "base_acceleration"),
    "spring_torques": (),
    **dict.fromkeys(OF_POSITIONS, ()),
}
