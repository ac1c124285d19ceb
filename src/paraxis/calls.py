"""From a public name to a kernel: a Body called on arrays on any device."""

import inspect
from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, TypeVar

import numpy as np

from .body import Body
from .checks import did_you_mean
from .compiling import one_call
from .drivers.map import Signature, is_single
from .errors import ArgumentError
from .function_bodies import function_body, label
from .graph.arrays import traced_array
from .graph.splice import splice, traced_value
from .physics.friction.motor_torques import MotorTorques
from .robot_functions import FUNCTIONS, LONGEST_PROGRAM, TORQUES, algorithms_of, input_shapes
from .robots.robot import a_robot
from .targets.blocks import Recipe, is_lazy, kernel_over_blocks, signature_over_blocks
from .targets.cpu.map import kernel_with_fallback, map_kernel
from .targets.cuda.arrays import on_a_gpu, together
from .targets.cuda.remembered import Remembered

ALONG_CHAINS = ("forward_dynamics", *TORQUES)
CHAIN_ALGORITHMS = ("serial", "batched", "scan")  # of chains/dynamics.py
FEWEST_BATCHED = 4  # states of a batch that is swept at once, of chains/dynamics.py
OPTIONS = {  # name -> what it must be
    "algorithm": "the name of an algorithm",
    "frame": "the name of a frame",
    "coordinates": "a name",
}
RESULTS = {"motor_torques": MotorTorques}  # of functions whose outputs have names


class Call:
    """`run` takes the arrays of a Body: traced values, NumPy's arrays, or arrays on a GPU.

    Once there is a CPU kernel, `run` is its native function: nothing is between a caller with
    float64 arrays and machine code. Calls that it cannot handle come back to `anywhere`, which
    knows those on a GPU that were made before.
    """

    __slots__ = ("_again", "_body", "_cuda", "_double", "_float", "_label", "_names", "run")

    def __init__(self, body, label, names):
        self._body, self._label, self._names = body, label, names
        self._double = self._float = None
        self._cuda, self._again = {}, Remembered()
        self.run = self.anywhere

    def anywhere(self, *arrays, out=None):
        found = self._again(arrays, out)
        if found is not None:
            return found
        if out is None and traced_value(arrays) is not None:
            results = [traced_array(result) for result in splice(self._body.graph, arrays)]
            return results[0] if len(results) == 1 else tuple(results)
        if any(map(is_lazy, arrays)):
            return self._by_blocks(arrays, out)
        if any(map(on_a_gpu, arrays)):
            return self._on_gpu(arrays, out)
        run = self._single if all(map(is_single, arrays)) else self._general
        return run(*arrays) if out is None else run(*arrays, out=out)

    @property
    def _single(self):
        if self._float is None:
            with one_call(self._label):
                self._float = map_kernel(self._body, "float32")
        return self._float.native

    @property
    def _general(self):
        if self._double is None:
            with one_call(self._label):
                self._double = kernel_with_fallback(self._body, "float64", self.anywhere)
            self.run = self._double.native
            return self.run
        return self._double.general

    def _by_blocks(self, arrays, out):
        body, single = self._body, all(map(is_single, arrays))
        given = body.recipe, self._label, self._names
        name = self._label.partition(" ")[0]
        recipe = Recipe(name, _call_of_body, *given, identity=body.key)
        return kernel_over_blocks(recipe, self._kernel_of(single), arrays, out)

    def _kernel_of(self, single):
        """For the shapes of its arrays: compiled where no block of them is yet."""
        return map_kernel(self._body, "float32" if single else "float64")

    def _on_gpu(self, arrays, out):
        together(arrays, self._names)  # before a GPU is looked for
        dtype = "float32" if all(map(is_single, arrays)) else "float64"
        if dtype not in self._cuda:
            from .targets.cuda.map import CudaKernel  # here, because not everyone has a GPU

            self._cuda[dtype] = CudaKernel(self._body, dtype)
        with one_call(self._label):
            return self._cuda[dtype].compute(arrays, out, self._again)


def _call_of_body(recipe, label, names):
    """What computes the blocks of Dask arrays, in the process that does."""
    call = Call(Body(*recipe), label, names)
    return lambda *blocks: call.run(*blocks)


class ChainCall:
    """A Call that sweeps along a long chain; it needs a Program only inside a trace."""

    def __init__(self, robot, function, algorithm):
        self._robot, self._function, self._algorithm = robot, function, algorithm
        self._given = len(FUNCTIONS[function].inputs)
        self._still = np.zeros(robot.nv, np.float32)  # rates and accelerations that are not given

    def run(self, *arrays, out=None):
        if out is None and traced_value(arrays) is not None:
            graph = function_body(self._robot, self._function).graph
            (result,) = splice(graph, arrays)
            return traced_array(result)
        if any(map(is_lazy, arrays)):
            return self._by_blocks(arrays, out)
        if any(map(on_a_gpu, arrays)):
            return self._on_gpu(*arrays, out=out)
        return self._on_cpu(*arrays, *[self._still] * (3 - self._given), out=out)

    @cached_property
    def _on_cpu(self):
        from .chains.dynamics import ChainDynamics  # here and below, because few robots are so long

        return ChainDynamics(self._robot, self._whole, self._algorithm)

    @cached_property
    def _on_gpu(self):
        from .chains.on_gpu import ChainOnGpu

        return ChainOnGpu(self._robot, self._whole, self._algorithm, given=self._given)

    def _by_blocks(self, arrays, out):
        """The algorithm is that of the whole batch, so that blocks have the bits it would have."""
        name, shapes = self._function, input_shapes(self._robot, self._function)
        (output,) = FUNCTIONS[name].outputs
        signature = Signature(shapes, {output: (self._robot.nv,)})
        algorithm = self._algorithm
        if algorithm is None and max(map(_states, arrays, shapes.values())) >= FEWEST_BATCHED:
            algorithm = "batched"
        identity = f"{self._robot.digest} {algorithm}"
        recipe = Recipe(name, _chain_call, self._robot, name, algorithm, identity=identity)
        dtype = np.dtype("float32" if all(map(is_single, arrays)) else "float64")
        return signature_over_blocks(recipe, signature, dtype, arrays, out)

    @property
    def _whole(self):
        """The function along a chain that this one is, or is with some inputs zero."""
        return "inverse_dynamics" if self._function in TORQUES else self._function


def _states(array, shape):
    """How many there are in an array, as far as is known."""
    sizes = np.shape(array)[: np.ndim(array) - len(shape)]
    return np.nan_to_num(np.prod(sizes, dtype=float), nan=np.inf)


def _chain_call(robot, function, algorithm):
    call = ChainCall(robot, function, algorithm)
    return lambda *blocks: call.run(*blocks)


def call_of(robot, function, algorithm=None, frame=None, coordinates=None, parameters=()):
    """The Call of a function of a robot."""
    a_robot(robot)
    if _along_chain(robot, function, algorithm, parameters):
        return ChainCall(robot, function, algorithm)
    body = function_body(robot, function, algorithm, parameters, frame, coordinates)
    return Call(body, label(robot, function), (*FUNCTIONS[function].inputs, *parameters))


def _along_chain(robot, function, algorithm, parameters):
    """Is this done by sweeps along a chain, rather than by a Program that is as long as the robot?

    A Program is faster, but the time to make it grows with the robot: some ten seconds for a
    hundred joints. An algorithm that the caller names is always used.
    """
    if function not in ALONG_CHAINS:
        return False
    if algorithm in CHAIN_ALGORITHMS:
        if parameters:
            raise ArgumentError(
                f"{function}: algorithm {algorithm!r} takes no parameters, found "
                f"{tuple(parameters)}; use an algorithm of px.algorithms({function!r})"
            )
        return True
    if algorithm is not None:
        if algorithm not in tuple(algorithms_of(function)):
            raise ArgumentError(
                f"algorithm: expected one of {tuple(algorithms_of(function))} or, for chains, "
                f"one of {CHAIN_ALGORITHMS}, found {algorithm!r}"
                f"{did_you_mean(algorithm, (*algorithms_of(function), *CHAIN_ALGORITHMS))}"
            )
        return False
    is_chain = not robot.branching and robot.has_single_joints and not robot.has_springs
    return robot.n > LONGEST_PROGRAM and not parameters and is_chain


# -- public functions --------------------------------------------------------------------------

WRITTEN = """
def {name}({declared}):
    if parameters:
        return with_parameters(robot, {name!r}, dict({options}), ({inputs},), out, parameters)
    try:
        run = robot.calls[{key}].run
    except (AttributeError, KeyError, TypeError, ValueError):
        run = None
    if run is None:
        run = first(robot, {name!r}, dict({options}), dict({usual})).run
    return {result}
"""


Declared = TypeVar("Declared", bound=Callable)


def of_robot(declared: Declared) -> Declared:
    """The function of a robot that a signature and a docstring declare.

    It finds the Call for its robot, and runs it. It is written out, as the methods of dataclasses
    are, so that the usual call is one look into a dict and arrays go from hand to hand only once.
    """
    name, signature = declared.__name__, inspect.signature(declared)
    known = signature.parameters
    options = {key: known[key].default for key in OPTIONS if key in known}
    plain = [each.replace(annotation=each.empty) for each in known.values()]
    inputs = ", ".join(FUNCTIONS[name].inputs)
    usual = [
        f"{key} {'is' if default is None else '=='} {default!r}" for key, default in options.items()
    ]
    key = repr(name)
    if options:
        key = f"{name!r} if {' and '.join(usual)} else ({name!r}, {', '.join(options)})"
    results = "results(*{})" if name in RESULTS else "{}"
    without, with_out = (
        results.format(f"run({given})") for given in (inputs, f"{inputs}, out=out")
    )
    text = WRITTEN.format(
        name=name,
        declared=str(inspect.Signature(plain))[1:-1],
        key=key,
        options=", ".join(f"{each}={each}" for each in options),
        usual=", ".join(f"{each}={default!r}" for each, default in options.items()),
        inputs=inputs,
        result=f"{without} if out is None else {with_out}",
    )
    namespace = {"first": _first, "with_parameters": _with_parameters}
    namespace |= {"results": RESULTS.get(name), "__name__": __name__}
    exec(compile(text, f"<px.{name}>", "exec"), namespace)
    return wraps(declared)(namespace[name])  # type: ignore[return-value]


def _first(robot, function, options, usual):
    """The Call of a function with these options, kept where the text above looks for it."""
    _check_options(options)
    key = function if options == usual else (function, *options.values())
    call = a_robot(robot).calls[key] = call_of(robot, function, **options)
    return call


def _with_parameters(robot, function, options, arrays, out, parameters):
    _check_options(options)
    key, known = (function, *options.values(), *parameters), a_robot(robot).calls
    if key not in known:
        known[key] = call_of(robot, function, **options, parameters=tuple(parameters))
    values = (*arrays, *parameters.values())
    run = known[key].run
    results: Any = run(*values) if out is None else run(*values, out=out)
    return RESULTS[function](*results) if function in RESULTS else results


def _check_options(options):
    for key, value in options.items():
        if not isinstance(value, str | None):
            raise ArgumentError(f"{key}: expected {OPTIONS[key]}, found {type(value).__name__}")
