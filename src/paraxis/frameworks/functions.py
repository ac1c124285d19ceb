"""The functions of a robot for the arrays of another framework.

Each has the signature of its namesake in `paraxis`, except `out`. A framework provides `prepare`,
which makes a Program a function of its arrays.
"""

import inspect
from collections.abc import Callable

from .. import api
from ..dynamics import loads
from ..errors import ArgumentError
from ..physics.friction.motor_torques import MotorTorques
from ..programs import Program
from ..robot_functions import FUNCTIONS
from ..robots.robot import a_robot


def functions_of_robots(
    framework: str, prepare: Callable[[Program], Callable]
) -> dict[str, Callable]:
    """name -> function. `prepare(program)` makes a callable of the Program's inputs, in order."""
    functions = {name: _function(name, framework, prepare) for name in FUNCTIONS}
    for name, (load, options) in LOADS.items():
        functions[name] = _load(name, load, options, framework, prepare)
    return functions


def _function(name, framework, prepare):
    model = getattr(api, name)
    given = inspect.signature(model)
    signature = given.replace(parameters=[p for p in given.parameters.values() if p.name != "out"])
    options = [key for key in ("algorithm", "frame", "coordinates") if key in signature.parameters]
    defaults = {key: signature.parameters[key].default for key in options}
    inputs = FUNCTIONS[name].inputs
    usual = framework, name

    def function(*arguments, **keywords):
        if not keywords and len(arguments) == 1 + len(inputs):  # the usual way, once it is there
            ready = getattr(arguments[0], "calls", {}).get(usual)
            if ready is not None:
                return ready(*arguments[1:])
        bound = signature.bind(*arguments, **keywords)
        bound.apply_defaults()
        values, parameters = bound.arguments, bound.arguments["parameters"]
        if "out" in parameters:
            raise ArgumentError(
                f"{name}: paraxis.{framework} does not support out; it returns new arrays"
            )
        robot, chosen = a_robot(values["robot"]), {key: values[key] for key in options}
        is_usual = not parameters and all(chosen[key] == defaults[key] for key in options)
        key = usual if is_usual else (*usual, *chosen.values(), *parameters)
        try:
            run = robot.calls[key]
        except (KeyError, TypeError):  # an option without a hash is no name: program() says so
            program = api.program(robot, name, parameters=tuple(parameters), **chosen)
            run = prepare(program)
            run = robot.calls[key] = RESULTS_OF[name](run) if name in RESULTS_OF else run
        return run(*(values[array] for array in inputs), *parameters.values())

    _describe(function, model, framework, signature)
    return function


def _describe(function, model, framework, signature):
    function.__name__ = function.__qualname__ = model.__name__
    function.__module__ = f"paraxis.{framework}"
    function.__signature__ = signature
    function.__doc__ = (
        f"{inspect.cleandoc(model.__doc__).partition('**Example:**')[0]}"
        f"Arrays are those of {framework}, and derivatives of any order by all of them work."
    )


LOADS = {  # name -> what makes its Body, and of which options
    "payload": (loads.payload_body, ("frame",)),
    "external_force": (loads.external_force_body, ("frame", "coordinates")),
}


def _load(name, body_of, options, framework, prepare):
    """A load of a robot, or a push on it, as parameters for the other functions."""
    model = getattr(loads, name)
    signature = inspect.signature(model)

    def function(*arguments, **keywords):
        bound = signature.bind(*arguments, **keywords)
        bound.apply_defaults()
        values = bound.arguments
        robot, chosen = a_robot(values["robot"]), [values[key] for key in options]
        key = (framework, name, *chosen)
        if key not in robot.calls:
            program = Program(*body_of(robot, *chosen).recipe)
            robot.calls[key] = prepare(program), tuple(program.inputs)
        run, inputs = robot.calls[key]
        results = run(*(values[array] for array in inputs))
        return dict(zip(inputs, results, strict=True)) if name == "payload" else results

    _describe(function, model, framework, signature)
    return function


def _named(run):
    return lambda *arrays: MotorTorques(*run(*arrays))


RESULTS_OF = {"motor_torques": _named}
