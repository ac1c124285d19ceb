"""The public functions. Here algorithms meet graphs: the only place that knows both."""

from dataclasses import replace
from functools import cache

import numpy as np

from .algorithms import ABOUT_ORIGIN, ALGORITHMS
from .backends.llvm.kernel import compile_kernel
from .errors import ArgumentError
from .graph import text as text_form
from .graph.splice import splice, traced_value
from .graph.trace import trace as trace_graph
from .passes.count import count
from .program import Program, work
from .robot.model import PARAMETERS, Model, parameter_values
from .robot.reframe import reframe
from .robot.regroup import regroup
from .robot.robot import Robot

# function -> (inputs, output): every array has one entry a joint
FUNCTIONS = {"inverse_dynamics": (("q", "qd", "qdd"), "tau")}


def algorithms(function="inverse_dynamics"):
    """The names of the algorithms that compute a function."""
    return list(_known(function))


def _known(function):
    if not isinstance(function, str) or function not in ALGORITHMS:
        raise ArgumentError(f"function: expected one of {tuple(ALGORITHMS)}, found {function!r}")
    return ALGORITHMS[function]


def _algorithm(function, name):
    known = _known(function)
    if not isinstance(name, str) or name not in known:
        raise ArgumentError(f"algorithm: expected one of {tuple(known)}, found {name!r}")


def program(robot, function="inverse_dynamics", algorithm=None, parameters=()):
    """The Program of a function for this robot.

    With an algorithm named, it is traced in the body frames and with the masses of the
    description, and its intermediate values are marked. Without, the cheapest is taken, over
    all algorithms and over equivalent choices of body frames and masses. Names in
    `parameters` (mass, com, inertia, origin, rotor_inertia, gravity) become inputs, with one
    value a joint as in `px.parameter_values`; frames are then as described.
    """
    _robot(robot)
    if isinstance(parameters, str):
        raise ArgumentError(f"parameters: expected a sequence of names, found {parameters!r}")
    parameters = tuple(parameters)
    identity = _identity(robot, function, algorithm, parameters)
    return Program(_graph(robot, function, algorithm, parameters), identity)


def _robot(robot):
    if not isinstance(robot, Robot):
        raise ArgumentError(
            f"robot: expected a Robot (px.load makes one), found {type(robot).__name__}"
        )


def _identity(robot, function, algorithm, parameters):
    return f"{robot.digest} {function} {algorithm} {parameters}"


def _graph(robot, function, algorithm, parameters):
    known = _known(function)
    if algorithm is not None:
        _algorithm(function, algorithm)
        return _traced(robot, function, algorithm, parameters)
    candidates = [_traced(robot, function, name, parameters) for name in known]
    if not parameters:
        for view in (reframe(robot, slide=False), reframe(robot)):
            bodies = regroup(view)
            for name in known:
                regrouped = bodies if name in ABOUT_ORIGIN[function] else None
                graph = _traced(view, function, name, (), regrouped)
                candidates.append(replace(graph, marks={}))  # these are not the robot's own values
    return min(candidates, key=lambda graph: count(graph).flops)


def _traced(robot, function, algorithm, parameters, bodies=None):
    names, output = FUNCTIONS[function]
    inputs = {name: (robot.nq if name == "q" else robot.nv,) for name in names}
    for name in parameters:
        if name not in PARAMETERS:
            raise ArgumentError(f"parameters: expected some of {tuple(PARAMETERS)}, found {name!r}")
        inputs[name] = tuple(robot.n if size == "n" else size for size in PARAMETERS[name])
    recursion = ALGORITHMS[function][algorithm]

    def run(**arrays):
        model = Model(robot, {name: arrays[name] for name in parameters}, bodies)
        return {output: recursion(model, *(arrays[name] for name in names))}

    return trace_graph(run, inputs, name=function)


def trace(function, **shapes):
    """The Program of any function of scalars.

    `px.trace(fn, q=6, k=())` calls fn(q=[six scalars], k=scalar) once on traced scalars; fn
    returns a scalar, a nested list, or a dict of such. Use px.sin, px.select, ... inside, and
    px.inverse_dynamics on lists of scalars for the dynamics of a robot.
    """
    inputs = {}
    for name, shape in shapes.items():
        inputs[name] = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
        if name == "out":
            raise ArgumentError("out: the name is taken by the argument for results")
        if not name.isascii() or not all(type(k) is int and k > 0 for k in inputs[name]):
            raise ArgumentError(
                f"{name}: expected an ASCII name and positive sizes, found {shape!r}"
            )
    label = getattr(function, "__name__", "program")
    label = label if label.isidentifier() and label.isascii() else "program"
    return Program(trace_graph(function, inputs, name=label))


def parse(source):
    """The Program written by `program.text()`."""
    return Program(text_form.parse(source))


def inverse_dynamics(robot, q, qd, qdd, *, out=None, algorithm=None):
    """The joint torques (..., n) that make the robot move as (q, qd, qdd), each (..., n).

    Batch shapes broadcast. float32 arrays in give float32 out, by a float32 kernel; everything
    else is computed in float64. The kernel is compiled on first use and kept on disk. Inside
    `px.trace`, with lists of traced scalars, it returns a list of traced torques.
    """
    try:
        function = robot._functions["inverse_dynamics", algorithm]
    except (AttributeError, KeyError, TypeError):
        if out is None and traced_value((q, qd, qdd)) is not None:
            return _spliced(robot, "inverse_dynamics", algorithm, (q, qd, qdd))
        function = _compiled(robot, "inverse_dynamics", algorithm)
    return function(q, qd, qdd) if out is None else function(q, qd, qdd, out=out)


def _spliced(robot, function, algorithm, values):
    """A function of a robot as part of the trace under way."""
    _robot(robot)
    graphs = robot._graphs
    if (function, algorithm) not in graphs:
        graphs[function, algorithm] = _graph(robot, function, algorithm, ())
    (result,) = splice(graphs[function, algorithm], values)
    return result


def _compiled(robot, function, algorithm):
    """A function of a robot as one native callable, remembered with the robot.

    float64 arrays go straight to machine code; whatever that does not take comes back to
    `general`, which knows the float32 kernel too.
    """
    _robot(robot)
    if algorithm is not None:
        _algorithm(function, algorithm)

    @cache
    def kernel(dtype, fallback=None):
        return compile_kernel(
            _identity(robot, function, algorithm, ()),
            lambda: _graph(robot, function, algorithm, ()),
            work,
            dtype,
            fallback=fallback,
        )

    def general(*arrays, out=None):
        if out is None and traced_value(arrays) is not None:
            return _spliced(robot, function, algorithm, arrays)
        single = all(getattr(array, "dtype", None) == np.float32 for array in arrays)
        if single:
            native = kernel("float32").native
            return native(*arrays) if out is None else native(*arrays, out=out)
        return double.general(*arrays, out=out)

    double = kernel("float64", general)
    robot._functions[function, algorithm] = double.native
    return double.native


__all__ = ["algorithms", "inverse_dynamics", "parameter_values", "parse", "program", "trace"]
