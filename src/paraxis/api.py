"""The public functions. Here algorithms meet graphs: the only place that knows both."""

import numpy as np

from .algorithms import ALGORITHMS
from .backends.llvm.kernel import compile_kernel
from .errors import ArgumentError
from .graph import text as text_form
from .graph.trace import trace as trace_graph
from .passes.count import count
from .program import Program, _work
from .robot.model import PARAMETERS, Model, parameter_values
from .robot.reframe import reframe
from .robot.robot import Robot

# function -> (inputs, output): every array has one entry a joint
FUNCTIONS = {"inverse_dynamics": (("q", "qd", "qdd"), "tau")}


def algorithms(function="inverse_dynamics"):
    """The names of the algorithms that compute a function."""
    return list(_known(function))


def _known(function):
    if function not in ALGORITHMS:
        raise ArgumentError(f"function: expected one of {tuple(ALGORITHMS)}, found {function!r}")
    return ALGORITHMS[function]


def program(robot, function="inverse_dynamics", algorithm=None, parameters=()):
    """The Program of a function for this robot.

    With an algorithm named, it is traced in the body frames of the description. Without, the
    cheapest is taken, over all algorithms and over equivalent choices of body frames. Names in
    `parameters` (mass, com, inertia, origin, rotor_inertia, gravity) become inputs, with one
    value a joint as in `px.parameter_values`; frames are then as described.
    """
    _robot(robot)
    identity = _identity(robot, function, algorithm, parameters)
    return Program(_graph(robot, function, algorithm, tuple(parameters)), identity)


def _robot(robot):
    if not isinstance(robot, Robot):
        raise ArgumentError(f"robot: expected a Robot (px.load makes one), found {type(robot).__name__}")


def _identity(robot, function, algorithm, parameters):
    return f"{robot.digest} {function} {algorithm} {tuple(parameters)}"


def _graph(robot, function, algorithm, parameters):
    known = _known(function)
    if algorithm is not None:
        if algorithm not in known:
            raise ArgumentError(f"algorithm: expected one of {tuple(known)}, found {algorithm!r}")
        return _traced(robot, function, algorithm, parameters)
    views = [robot] if parameters else [robot, reframe(robot, slide=False), reframe(robot)]
    candidates = [_traced(view, function, name, parameters) for view in views for name in known]
    return min(candidates, key=lambda graph: count(graph).flops)


def _traced(robot, function, algorithm, parameters):
    names, output = FUNCTIONS[function]
    inputs = {name: (robot.nq if name == "q" else robot.nv,) for name in names}
    for name in parameters:
        if name not in PARAMETERS:
            raise ArgumentError(f"parameters: expected some of {tuple(PARAMETERS)}, found {name!r}")
        inputs[name] = tuple(robot.n if size == "n" else size for size in PARAMETERS[name])
    recursion = ALGORITHMS[function][algorithm]

    def run(**arrays):
        model = Model(robot, {name: arrays[name] for name in parameters})
        return {output: recursion(model, *(arrays[name] for name in names))}

    return trace_graph(run, inputs, name=function)


def trace(function, **shapes):
    """The Program of any function of scalars.

    `px.trace(fn, q=6, k=())` calls fn(q=[six scalars], k=scalar) once on traced scalars; fn
    returns a scalar, a nested list, or a dict of such. Use px.sin, px.select, ... inside.
    """
    inputs = {}
    for name, shape in shapes.items():
        inputs[name] = (shape,) if isinstance(shape, int) else tuple(shape)
        if not name.isascii() or not all(isinstance(k, int) and k > 0 for k in inputs[name]):
            raise ArgumentError(f"{name}: expected an ASCII name and positive sizes, found {shape!r}")
    label = getattr(function, "__name__", "program")
    label = label if label.isidentifier() and label.isascii() else "program"
    return Program(trace_graph(function, inputs, name=label))


def parse(source):
    """The Program written by `program.text()`."""
    return Program(text_form.parse(source))


def inverse_dynamics(robot, q, qd, qdd, *, out=None, algorithm=None):
    """The joint torques (..., n) that make the robot move as (q, qd, qdd), each (..., n).

    Batch shapes broadcast. float32 arrays in give float32 out, by a float32 kernel; everything
    else is computed in float64. The kernel is compiled on first use and kept on disk.
    """
    try:
        kernel = robot._kernels["inverse_dynamics", algorithm, _dtype(q, qd, qdd)]
    except (KeyError, AttributeError):
        kernel = _kernel(robot, "inverse_dynamics", algorithm, _dtype(q, qd, qdd))
    return kernel(q, qd, qdd) if out is None else kernel(q, qd, qdd, out=out)


FLOAT32 = np.dtype("float32")


def _dtype(*arrays):
    """float32 if every array is."""
    for array in arrays:
        if getattr(array, "dtype", None) is not FLOAT32:
            return "float64"
    return "float32"


def _kernel(robot, function, algorithm, dtype):
    """The compiled function of a robot, remembered with it."""
    _robot(robot)
    if algorithm is not None and algorithm not in _known(function):
        raise ArgumentError(f"algorithm: expected one of {algorithms(function)}, found {algorithm!r}")
    identity = _identity(robot, function, algorithm, ())
    kernel = compile_kernel(identity, lambda: _graph(robot, function, algorithm, ()), _work, dtype)
    robot._kernels[function, algorithm, dtype] = kernel
    return kernel


__all__ = ["algorithms", "inverse_dynamics", "parameter_values", "parse", "program", "trace"]
