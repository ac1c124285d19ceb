"""`px.optimal_control`: a solver for the optimal controls of a system, compiled once."""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .. import api
from ..checks import did_you_mean, integer, listing, one_of, quoted
from ..drivers.iterate import ARGUMENTS
from ..errors import ArgumentError, RobotWarning, warn
from ..programs import Program
from ..robot_functions import parameter_shapes
from ..robots.limits import effort_limit
from ..robots.model import PARAMETERS
from ..robots.refusals import open_tree, without_bearings
from ..robots.robot import Robot
from ..simulation.simulator import positive
from ..simulation.steps import RULES
from ..targets.number import checked_dtype
from .lagrangian import ALONG
from .objective import Objective
from .problem import METHODS, TAKEN, Problem
from .quadratic import unpacked
from .solver import Solver
from .systems import OwnSystem, RobotSystem

Shapes = Mapping[str, int | Sequence[int] | None]
OF_STATE = ("x", "q", "qd", "u")
OF_CALLS = (Solver.solve, Solver.mpc, Solver.sampling)  # which take parameters beside arguments
LARGE = 20  # velocities, beyond which compiling takes minutes
MANY = 40  # accelerations of joints in a step, likewise


def optimal_control(
    system: Robot | Program,
    cost: Callable,
    horizon: int,
    *,
    dt: float | None = None,
    terminal: Callable | None = None,
    method: str = "ilqr",
    integrator: str = "semi_implicit_euler",
    substeps: int = 1,
    actuation: Callable | None = None,
    controls: int | Sequence[str] | None = None,
    limits: bool | tuple[ArrayLike, ArrayLike] = True,
    inequality: Callable | None = None,
    equality: Callable | None = None,
    terminal_inequality: Callable | None = None,
    terminal_equality: Callable | None = None,
    parameters: Shapes | None = None,
    per_step: Sequence[str] = (),
    dtype: DTypeLike = "float64",
    threads: int | None = None,
    parallel_in_time: bool = False,
) -> Solver:
    """A solver for the controls that minimise a cost: trajectory optimisation.

    The controls u₀ … u_{N-1} minimise the sum of `cost` over N steps and `terminal` after the last
    one, for one problem or for many at once, each a lane of a vector or a thread of a GPU.
    Everything is traced and compiled on first use, and kept on disk.

    `cost`, `terminal` and constraints are functions of any of `q`, `qd`, `x` (both in one array),
    `u` (not at the end) and `parameters`, by the names of their arguments. They are traced, as
    functions of `px.trace` are.

    **Arguments:**

    - `system`: a robot, or a Program of `x`, `u` and any parameters that returns the next x.
    - `cost`: the cost of a step: a number, or an array of residuals r, for a cost of ½ rᵀ r. With
      residuals, Hessians are Gauss-Newton approximations.
    - `horizon`: N, the number of steps.
    - `dt`: seconds per step, of a robot.
    - `terminal`: the cost at the end, a function like `cost`; none by default.
    - `method`: `"ilqr"` (Gauss-Newton steps of the whole trajectory), `"ddp"` (with second
      derivatives of the dynamics: fewer and more expensive iterations) or `"sqp"` (multiple
      shooting: trajectories may have gaps until they converge).
    - `integrator`, `substeps`: `"semi_implicit_euler"` or `"rk4"`, and its number of steps per
      `dt`. They are the steps of `px.simulate`, to the bit.
    - `actuation`: a function of `q`, `qd` and `u` that returns the torques of all motors, `(nv,)`;
      `controls` is then the number of controls.
    - `controls`: the names of the joints whose motors are controlled; by default all except a
      floating base.
    - `limits`: limits of controls: `True` for the effort limits of the robot's description, `False`
      for none, or `(lowest, highest)`. They hold exactly.
    - `inequality`, `equality`: functions that return arrays that must be <= 0, or 0, in every step.
    - `terminal_inequality`, `terminal_equality`: the same at the end.
    - `parameters`: {name: shape} of parameters that may differ from problem to problem and from
      call to call: arguments of the functions, or, with None for the shape, parameters of the
      robot, such as `"mass"`.
    - `per_step`: the names of those parameters that have a value for each of the N + 1 times.
    - `dtype`: `"float64"` or `"float32"`.
    - `threads`: the largest number of CPU threads.
    - `parallel_in_time`: whether the passes through time are cut into rows of knots that are
      computed at once, for one problem with a long horizon (or a few, on a GPU). The result is
      the same except for rounding. The cost of a step must curve upward in every direction of u,
      and limits of controls are not supported. Damping, where a problem needs it, is in units of
      that curvature.

    **Returns:** a `px.optimal.Solver`: `.solve(x0, ...)`.

    **Raises:** `px.ArgumentError` if arguments do not fit together; `px.TraceError` if a function
    cannot be traced.

    **Example:**

    >>> def cost(q, qd, u):
    ...     return 0.1 * qd @ qd + 0.01 * u @ u
    ...
    >>> def at_the_end(q, qd):
    ...     return 1e4 * (q[0] - np.pi / 2) ** 2 + 100 * qd @ qd
    ...
    >>> rod = px.robots.planar(1)
    >>> solver = px.optimal_control(rod, cost, 50, dt=0.02, terminal=at_the_end)
    >>> plan = solver.solve([-np.pi / 2, 0.0])  # swing up from hanging at rest
    >>> plan.q[-1]  # upright
    array([1.569])
    >>> plan.us.shape
    (50, 1)
    """
    horizon = integer("horizon", horizon)
    one_of(method, METHODS, "method")
    shapes = _shapes(system, parameters)
    if isinstance(system, Robot):
        controlled, bounds = _robot_system(
            system, shapes, dt, integrator, substeps, actuation, controls, limits
        )
    else:
        given = {"dt": dt, "actuation": actuation, "controls": controls}
        controlled, bounds = _own_system(system, shapes, given, limits)
    own = controlled.own_inputs
    free = {name: shape for name, shape in shapes.items() if name not in own} | own
    for name in free:
        _check_name(name)
    stage = _objective(controlled, free, True, cost, inequality, equality, "")
    end = _objective(
        controlled, free, False, terminal, terminal_inequality, terminal_equality, "terminal_"
    )
    used = {*own, *stage.parameters, *end.parameters}
    for name in shapes:
        if name not in used:
            raise ArgumentError(f"parameters: no function reads {name!r}")
    per_step = (per_step,) if isinstance(per_step, str) else tuple(per_step)
    for name in per_step:
        if not used:
            raise ArgumentError(f"per_step: {quoted(name)}, but there are no parameters")
        one_of(name, used, "per_step")
        if isinstance(system, Robot) and name in own:
            raise ArgumentError(f"per_step: {name}, a parameter of the robot, cannot change")
    problem = Problem(controlled, stage, end, method, bounds, per_step, bool(parallel_in_time))
    if problem.parallel_in_time:
        _check_parallel(problem)
    return Solver(problem, horizon, checked_dtype(dtype), threads)


def _shapes(system, parameters):
    """name -> shape of all parameters."""
    parameters = {} if parameters is None else parameters
    if not isinstance(parameters, Mapping) or not all(isinstance(k, str) for k in parameters):
        raise ArgumentError(
            f"parameters: expected shapes by name, such as {{'goal': 3}}, found "
            f"{quoted(parameters)}"
        )
    shapes = {}
    for name, shape in parameters.items():
        if name in OF_STATE:
            raise ArgumentError(
                f"parameters: {name!r} is the name of a state or control; rename it"
            )
        if isinstance(system, Robot) and name in PARAMETERS:
            shapes[name] = parameter_shapes(system, [name])[name]
            continue
        if shape is None:
            raise ArgumentError(
                f"parameters: {name!r} is not a parameter of the robot, so it needs a shape"
                f"{did_you_mean(name, PARAMETERS)}"
            )
        sizes = (shape,) if isinstance(shape, numbers.Integral) else shape
        if not isinstance(sizes, Sequence) or isinstance(sizes, str):
            raise ArgumentError(
                f"parameters: {name}: expected a shape such as 3, (2, 3) or (), found "
                f"{quoted(shape)}"
            )
        shapes[name] = tuple(integer(f"parameters: {name}", size) for size in sizes)
    return shapes


def _check_name(name):
    """Refuse what would be taken for an argument of the Solver's, or for a value of its own."""
    if name in TAKEN or name in ARGUMENTS or name.startswith(ALONG):
        raise ArgumentError(
            f"parameters: {name!r} is a name that solvers use themselves; rename it, in the "
            f"functions or the Program that read it"
        )
    for call in OF_CALLS:
        if name in inspect.signature(call).parameters:
            raise ArgumentError(
                f"parameters: {name!r} is an argument of Solver.{call.__name__}; rename it"
            )


# -- systems ---------------------------------------------------------------------------------------


def _robot_system(robot, shapes, dt, integrator, substeps, actuation, controls, limits):
    without_bearings(robot, "optimal control")
    open_tree(robot, "optimal control")
    if robot.nv > LARGE:
        warn(
            f"robot {quoted(robot.name)}: optimal control of {robot.nv} velocities takes minutes "
            f"to compile, as its code grows with their cube; lock joints with robot.locked",
            RobotWarning,
        )
    if dt is None:
        raise ArgumentError("dt: a robot needs the seconds per step, such as dt=0.01")
    one_of(integrator, RULES, "integrator")
    dt, substeps = positive(dt, "dt"), integer("substeps", substeps)
    own = tuple(name for name in shapes if name in PARAMETERS)
    driven, graph = (), None
    if actuation is None:
        driven = _driven(robot, controls)
        efforts = effort_limit(robot)[list(driven)]
    else:
        nu = integer("controls", controls) if controls is not None else None
        if nu is None:
            raise ArgumentError("controls: with an actuation, give the number of controls")
        graph, efforts = _actuation(robot, actuation, nu), np.full(nu, np.inf)
    system = RobotSystem(robot, integrator, dt, substeps, driven, graph, own)
    if system.calls > 1 and system.calls * robot.nv > MANY:
        warn(
            f"substeps: a step evaluates {system.calls} accelerations of {robot.nv} joints, and "
            f"its code, which grows with the cube of both, takes minutes to compile; use a "
            f"shorter dt with a longer horizon",
            RobotWarning,
        )
    if limits is True:
        limits = (-efforts, efforts) if np.isfinite(efforts).any() else False
    return system, _bounds(limits, system.nu)


def _driven(robot, names):
    """The entries of the velocity that have controls."""
    entries, begin = [], 0
    known = [joint.name for joint in robot.described.joints]
    if names is not None and (isinstance(names, int) or not isinstance(names, Sequence)):
        raise ArgumentError(
            f"controls: expected names of joints, found {quoted(names)}; a number of controls "
            f"belongs to an actuation"
        )
    names = [names] if isinstance(names, str) else names
    for name in names or ():
        one_of(name, known, "controls")
    for joint in robot.described.joints:
        wanted = joint.kind != "free" if names is None else joint.name in names
        if wanted:
            entries += range(begin, begin + joint.nv)
        begin += joint.nv
    if not entries:
        raise ArgumentError(
            f"controls: robot {quoted(robot.name)} has no joint that is driven; give an actuation"
        )
    return tuple(entries)


def _actuation(robot, actuation, nu):
    names = _names(actuation, ("q", "qd", "u"), "actuation")
    shapes = {"q": robot.nq, "qd": robot.nv, "u": nu}

    def torques(q, qd, u):
        given = {"q": q, "qd": qd, "u": u}
        return {"tau": actuation(**{name: given[name] for name in names})}

    graph = api.trace(torques, **shapes).graph
    if graph.outputs["tau"][0] != (robot.nv,):
        raise ArgumentError(
            f"actuation: expected torques of shape ({robot.nv},), found {graph.outputs['tau'][0]}"
        )
    return graph


def _own_system(program, shapes, given, limits):
    if not isinstance(program, Program):
        raise ArgumentError(
            f"system: expected a robot or a Program, found {type(program).__name__}; "
            f"px.trace(f, x=4, u=1) makes a Program of a function"
        )
    for name, value in given.items():
        if value is not None:
            raise ArgumentError(f"{name}: only a robot takes this; a Program is itself a step")
    inputs = program.inputs
    for name in ("x", "u"):
        if len(inputs.get(name, ())) != 1:
            raise ArgumentError(f"system: expected a Program with a vector {name!r} as an input")
    if [*program.outputs.values()] != [inputs["x"]]:
        raise ArgumentError(
            f"system: expected one output of the shape of x, {inputs['x']}, found "
            f"{listing([*program.outputs])} of shapes {[*program.outputs.values()]}"
        )
    system = OwnSystem(program.graph)
    for name, shape in system.own_inputs.items():
        if shapes.setdefault(name, shape) != shape:
            raise ArgumentError(f"parameters: {name} has shape {shape} in the Program")
    limits = False if limits is True else limits
    return system, _bounds(limits, system.nu)


def _bounds(limits, nu):
    """(lowest, highest) as tuples, or None."""
    if limits is False:
        return None
    if not isinstance(limits, tuple) or len(limits) != 2:
        raise ArgumentError(f"limits: expected True, False or (lowest, highest), found {limits!r}")
    bounds = []
    for value in limits:
        try:
            array = np.asarray(value, float)
        except (TypeError, ValueError):
            array = np.array(np.nan)
        if array.shape not in ((), (nu,)) or np.isnan(array).any():
            raise ArgumentError(f"limits: expected one number or {nu}, found {quoted(value)}")
        bounds.append(tuple(np.broadcast_to(array, (nu,)).tolist()))
    if any(a >= b for a, b in zip(*bounds, strict=True)):
        raise ArgumentError("limits: expected lowest < highest for every control")
    return tuple(bounds)


def _check_parallel(problem):
    """Refuse what cannot be cut into rows of knots."""
    if problem.limits is not None:
        raise ArgumentError(
            "parallel_in_time: limits of controls cannot be kept; use limits=False, and an "
            "inequality where there must be limits"
        )
    n, nu = problem.system.ndx, problem.system.nu
    curvature = [row[n:] for row in unpacked(problem.fixed, n + nu)[n:]]
    known = not any(entry is None for row in curvature for entry in row)
    if known and np.linalg.eigvalsh(curvature).min() <= 0.0:
        raise ArgumentError(
            "parallel_in_time: the cost of a step must curve upward in every direction of u; "
            "add a term such as 1e-6 * (u @ u)"
        )


# -- functions -------------------------------------------------------------------------------------


def _objective(system, shapes, with_u, cost, inequality, equality, prefix):
    """The Objective of these functions, as one graph."""
    functions = {"cost": cost, "inequality": inequality, "equality": equality}
    state = [name for name in system.arguments([])] + (["u"] if with_u else [])
    names = {}
    for kind, function in functions.items():
        if function is not None:
            label = "terminal" if prefix and kind == "cost" else prefix + kind
            names[kind] = _names(function, [*state, *shapes], label)
    read = {name for each in names.values() for name in each}
    inputs: dict[str, Any] = {"x": system.nx} | ({"u": system.nu} if with_u else {})
    inputs |= {name: shape for name, shape in shapes.items() if name in read}

    def run(**arrays):
        known = system.arguments(arrays["x"]) | arrays
        found = {
            kind: functions[kind](**{name: known[name] for name in each})
            for kind, each in names.items()
        }
        if "cost" not in found:
            found["cost"] = 0.0
        for kind in ("inequality", "equality"):
            if kind in found:
                found[kind] = np.atleast_1d(np.asarray(found[kind]))
        return found

    graph = api.trace(run, **inputs).graph
    for kind, (shape, _) in graph.outputs.items():
        if len(shape) > 1:
            label = "terminal" if prefix and kind == "cost" else prefix + kind
            raise ArgumentError(f"{label}: expected a number or a vector, found shape {shape}")
    return Objective(system, graph)


def _names(function, known, label):
    """The names of the arguments of a user's function."""
    if not callable(function):
        found = type(function).__name__
        raise ArgumentError(f"{label}: expected a function, found {found}")
    names = []
    for each in inspect.signature(function).parameters.values():
        if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            raise ArgumentError(f"{label}: name its arguments, without * and **")
        if each.kind is each.POSITIONAL_ONLY:
            raise ArgumentError(f"{label}: arguments are given by name, so leave out the /")
        if each.name in known:
            names.append(each.name)
        elif each.default is each.empty:
            raise ArgumentError(
                f"{label}: {each.name!r} is neither of {listing(list(known))}; a value of your own "
                f"needs parameters={{{each.name!r}: shape}}{did_you_mean(each.name, known)}"
            )
    return names
