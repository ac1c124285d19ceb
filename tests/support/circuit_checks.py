"""What circuits are held against: float64, an error bound made of all roundings, and room for
every number that a register ever holds.

The bound is first principles, value by value along the tasks: what the errors of the operands do
to a result, and what its unit adds. A unit of n micro-rotations leaves an angle of 2^(1 - n), or
2^-n of what a linear one can turn, and the digits that undo its gain leave a known excess. Its
guard bits see to it that all roundings inside make less than three steps of what it gives; one
more is what is given itself.
"""

import math

import numpy as np

from paraxis.hardware.cordic.formats import Angle
from paraxis.hardware.cordic.units.circular import Circular
from paraxis.hardware.tasks.tasks import Constant, Input, Result

UNSIGNED = ("far", "v_far", "right")
STEPS = 4
DOUBLE = 2.0**-50  # float64 is rounded, too


def registers_overflow(circuit, words):
    """(task, register) of all that do not fit at any time; what `run` must then not be taken for.

    Angles are let alone, they go round by nature.
    """
    found = set()
    ops = circuit.ops
    known = {source: np.asarray(word).astype(ops.KIND) for source, word in words.items()}
    for number, (task, unit) in enumerate(zip(circuit.tasks.tasks, circuit.units, strict=True)):
        state = unit.load(ops, {port: known[getattr(task, port).source] for port in unit.ports})
        for iteration in range(-1, unit.steps + 1):
            assert state.keys() <= unit.widths.keys()
            for name, value in state.items():
                if not (name == "z" and isinstance(unit, Circular)) and not held(
                    value, unit.widths[name], name in UNSIGNED
                ):
                    found.add((f"T{number + 1} {task.kind}", name))
            if iteration < 0:
                state = unit.settle(ops, state)
            elif iteration < unit.steps:
                state = unit.step(ops, iteration, state)
        given, _ = unit.finish(ops, state)
        for port, value in given.items():
            known[Result(number, port)] = value
            if not held(value, unit.gives[port].format.word):
                found.add((f"T{number + 1} {task.kind}", port))
    return found


def held(value, bits, unsigned=False):
    """Whether a register of so many bits holds a number."""
    value = np.asarray(value).astype(object)
    low, high = (0, 1 << bits) if unsigned else (-(1 << bits - 1), 1 << bits - 1)
    return bool(((value >= low) & (value < high)).all())


def model_values(circuit, words):
    """What the words of all Inputs and Results stand for, and which items are valid."""
    ops = circuit.ops
    known = {source: np.asarray(word).astype(ops.KIND) for source, word in words.items()}
    valid = circuit.run(words)[1]
    for number, (task, unit) in enumerate(zip(circuit.tasks.tasks, circuit.units, strict=True)):
        given, _ = unit(ops, {port: known[getattr(task, port).source] for port in unit.ports})
        known |= {Result(number, port): word for port, word in given.items()}
    return {source: circuit.formats[source].real(word) for source, word in known.items()}, valid


def exact_values(tasks, inputs):
    """All Inputs and Results over float64, of Input -> array."""
    count = max(np.size(values) for values in inputs.values())
    given = {name: np.zeros((count, math.prod(shape))) for name, shape in tasks.inputs.items()}
    for source, values in inputs.items():
        given[source.name][:, source.index] = values
    return dict(inputs) | tasks.results(given)


def exact(operand, known):
    source = operand.source
    value = source.value if isinstance(source, Constant) else known[source]
    return operand.sign * np.ldexp(value, operand.shift)


def error_bounds(circuit, known):
    """Result -> how far its words can be from float64, where exact values are `known`."""
    errors = {source: DOUBLE * abs(known[source]) for source in known if isinstance(source, Input)}

    def operand(which):
        source = which.source
        error = 0.0 if isinstance(source, Constant) else errors[source] * 2.0**which.shift
        return exact(which, known), error

    with np.errstate(divide="ignore", invalid="ignore"):
        for number, (task, unit) in enumerate(zip(circuit.tasks.tasks, circuit.units, strict=True)):
            steps = {port: STEPS * given.format.step for port, given in unit.gives.items()}
            ports = {name: operand(which) for name, which in task.operands.items()}
            for port, error in BOUNDS[task.kind](unit, steps, **ports).items():
                source = Result(number, port)
                errors[source] = error + DOUBLE * abs(known[source])
    return errors


def _rotate(unit, steps, x, y, z):
    length, wrong = np.hypot(x[0], y[0]), np.hypot(x[1], y[1])
    step = math.pi * 2.0 ** (1 - unit.angle_word + unit.guard)
    turned = z[1] + 2.0 ** (1 - unit.rotations) + step
    error = wrong + (length + wrong) * (turned + _excess(unit))
    return {port: error + step for port, step in steps.items()}


def _vector(unit, steps, x, y, z):
    length, wrong = np.hypot(x[0], y[0]), np.hypot(x[1], y[1])
    bounds = {"X": wrong + (length + wrong) * (_excess(unit) + _left(unit)) + steps["X"]}
    if "Z" in steps:
        wrong = wrong + steps["X"]
        seen = np.where(wrong < length, np.arcsin(np.minimum(wrong / length, 1)), math.pi)
        bounds["Z"] = z[1] + seen + 2.0 ** (1 - unit.rotations) + steps["Z"]
    return bounds


def _root(unit, steps, x, y):
    places, fraction = unit.places
    ex, ey = (each[1] + 2.0**-fraction for each in (x, y))  # constants are rounded, too
    square = (2 * abs(x[0]) + ex) * ex + (2 * abs(y[0]) + ey) * ey
    length = np.sqrt(np.maximum(x[0] ** 2 - y[0] ** 2, 0))
    own = length * (_excess(unit) + _left(unit) + STEPS * 2.0**-places)
    return {"X": square / length + own + steps["X"]}


def _mean(unit, steps, x, y):
    ends = []
    for sign in (-1, 0, 1):
        sides = [
            np.maximum(side + sign * (error + 2.0**-fraction), 0)  # constants are rounded, too
            for (side, error), fraction in zip((x, y), unit.fractions, strict=True)
        ]
        ends.append(np.sqrt(sides[0]) * np.sqrt(sides[1]))
    low, length, high = ends
    places, _ = unit.places
    own = length * (_excess(unit) + _left(unit) + STEPS * 2.0**-places)
    return {"X": np.maximum(high - length, length - low) + own + steps["X"]}


def _multiply(unit, steps, x, y, z):
    left = 1.5 * 2.0 ** (unit.exponent - unit.rotations)  # half of one where z is a constant
    product = abs(x[0]) * z[1] + abs(z[0]) * x[1] + x[1] * z[1]
    return {"Y": y[1] + product + (abs(x[0]) + x[1]) * left + steps["Y"]}


def _divide(unit, steps, x, y, z):
    quotient = abs(y[0] / x[0])
    wrong = (y[1] + quotient * x[1]) / np.maximum(abs(x[0]) - x[1], 0)
    # Z may have finer steps than y / x, of which it is what z leaves.
    own = 2.0**unit.exponent * (2.0**-unit.rotations + 2.0**-unit.places)
    return {"Z": z[1] + wrong + own + steps["Z"]}


def _add(unit, steps, x, y):
    return {"Y": x[1] + y[1] + steps["Y"]}


def _excess(unit):
    """What digits leave of the gain."""
    return abs(float(unit.table.left) - 1)


def _left(unit):
    """By how much a length is too short, or too long, for the angle that is left."""
    return 4.0 ** (1 - unit.rotations)


BOUNDS = {
    "rotate": _rotate,
    "vector": _vector,
    "root": _root,
    "mean": _mean,
    "multiply": _multiply,
    "divide": _divide,
    "add": _add,
}


def apart(circuit, source, a, b):
    """|a - b|, of angles on the circle."""
    if isinstance(circuit.formats[source], Angle):
        return abs((a - b + math.pi) % (2 * math.pi) - math.pi)
    return abs(a - b)
