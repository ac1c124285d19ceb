"""The functions of a robot for the arrays of another framework.

Each has the signature of its namesake in `paraxis`, but for `out`. What a framework brings is how
one of its arrays goes through a Program.
"""

import inspect

from .. import api
from ..errors import ArgumentError
from ..physics.friction.motor_torques import MotorTorques
from ..robot_functions import FUNCTIONS
from ..robots.robot import a_robot


def functions_of_robots(framework, prepare):
    """name -> function. `prepare(program)` makes a callable of the Program's inputs, in order.

    It is kept with the robot, so that it is made once for each choice of options.
    """
    functions = {name: _function(name, framework, prepare) for name in FUNCTIONS}
    for name, (load, options) in LOADS.items():
        functions[name] = _load(name, load, options, framework, prepare)
    return functions


def _function(name, framework, prepare):
    model = getattr(api, name)
    given = inspect.signature(model)
    signature = given.replace(parameters=[p for p in given.parameters.values() if p.name != "out"])
    options = [key for key in ("algorithm", "frame", "coordinates") if key in signature.parameters]
    inputs = FUNCTIONS[name].inputs
    usual = (framework, name, *(signature.parameters[key].default for key in options))

    def function(*arguments, **keywords):
        if not keywords and len(arguments) == 1 + len(inputs):  # the short way to what is there
            known = getattr(arguments[0], "_functions", {}).get(usual)
            if known is not None:
                return known(*arguments[1:])
        bound = signature.bind(*arguments, **keywords)
        bound.apply_defaults()
        values = bound.arguments
        if "out" in values["parameters"]:
            raise ArgumentError(
                f"{name}: paraxis.{framework} has no out to write results to, found 'out'"
            )
        robot, parameters = a_robot(values["robot"]), values["parameters"]
        chosen = {key: values[key] for key in options}
        key = (framework, name, *chosen.values(), *parameters)
        try:
            prepared = robot._functions[key]
        except (KeyError, TypeError):  # an option that is no key is none at all: that is said here
            program = api.program(robot, name, parameters=tuple(parameters), **chosen)
            prepared = prepare(program)
            if name == "motor_torques":
                prepared = _named(prepared)
            robot._functions[key] = prepared
        return prepared(*(values[array] for array in inputs), *parameters.values())

    _describe(function, model, framework, signature)
    return function


def _describe(function, model, framework, signature):
    function.__name__ = function.__qualname__ = model.__name__
    function.__module__ = f"paraxis.{framework}"
    function.__signature__ = signature
    function.__doc__ = (
        f"{inspect.cleandoc(model.__doc__)}\n\n"
        f"Of arrays of {framework}, with derivatives of any order by every one of them."
    )


LOADS = {  # name -> what makes its Program, and of which options
    "payload": (api.Payload, ("frame",)),
    "external_force": (api.Push, ("frame", "coordinates")),
}


def _load(name, load, options, framework, prepare):
    """What a robot holds, or what pushes it, as parameters for the other functions."""
    model = getattr(api, name)
    signature = inspect.signature(model)

    def function(*arguments, **keywords):
        bound = signature.bind(*arguments, **keywords)
        bound.apply_defaults()
        values = bound.arguments
        made = load(values["robot"], *(values[key] for key in options))
        known, key = made.robot._functions, (framework, *made.key)
        if key not in known:
            known[key] = prepare(made.program())
        results = known[key](*(values[array] for array in made.inputs))
        return dict(zip(made.inputs, results, strict=True)) if name == "payload" else results

    _describe(function, model, framework, signature)
    return function


def _named(prepared):
    return lambda *arrays: MotorTorques(*prepared(*arrays))
