"""The format of every value and the unit of every task.

Formats come from how large values are expected to be (ranges.py). What could still be larger,
because inputs are not what they should be, is held at the largest number and lowers the valid bit.
So is what is too small: a vector of no length has no angle.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..errors import ArgumentError
from ..passes.cordic.tasks import Constant, Result, entry
from .formats import Angle, Number
from .ranges import ranges_of
from .units.circular import Rotate, Vector
from .units.hyperbolic import Root
from .units.linear import Add, AddAngles, Divide, Multiply
from .units.unit import Given, Port

UNITS = {
    "rotate": Rotate,
    "vector": Vector,
    "root": Root,
    "multiply": Multiply,
    "divide": Divide,
    "add": Add,
}
STEPS_TO_TELL = 4  # of a format: a length of fewer is not told from none
SLACK = 2.0**-10  # relative: what errors may add to the largest value,
STEPS_OFF = 4  # and in steps of its format


@dataclass(frozen=True)
class Words:
    """What all words of a circuit have in common."""

    word: int
    iterations: int
    guard: int
    near: float  # a length below this part of the largest it can be has no angle


@dataclass(frozen=True)
class Sizes:
    """`formats` of Inputs and Results; `limits`, the words that are valid, of Inputs; `units`."""

    formats: dict
    limits: dict
    units: tuple


def sizes(tasks, words, inputs, lengths=()):
    """Sizes for tasks whose inputs that are numbers have intervals: Input -> (least, most)."""
    expected = ranges_of(tasks, inputs, lengths)
    formats = {source: _format(tasks, source, expected, words) for source in _read(tasks)}
    limits = {
        source: tuple(_outward(formats[source], inputs[source]))
        for source in formats
        if source in inputs
    }
    _require_length(tasks, formats, expected, words)
    units = []
    for number, task in enumerate(tasks.tasks):
        ports = {name: _port(operand, formats) for name, operand in task.operands.items()}
        gives = {}
        for port in "XYZ":
            source = Result(number, port)
            if source in formats:
                gives[port] = _given(source, formats[source], expected, task, words)
        if task.kind == "vector" and "Z" not in gives:
            del ports["z"]
        kind = AddAngles if task.angle else UNITS[task.kind]
        units.append(kind(**ports, gives=gives, iterations=words.iterations, guard=words.guard))
    return Sizes(formats, limits, tuple(units))


def _read(tasks):
    """The Inputs and Results that are read; lengths always are, to see that there is one."""
    found = {}
    for number, task in enumerate(tasks.tasks):
        found |= dict.fromkeys(operand.source for operand in task.operands.values())
        if task.kind in ("vector", "root"):
            found[Result(number, "X")] = None
    for _, operands in tasks.outputs.values():
        found |= dict.fromkeys(operand.source for operand in operands)
    return [source for source in found if not isinstance(source, Constant)]


def _format(tasks, source, expected, words):
    if tasks.is_angle(source):
        return Angle(words.word)
    if source not in expected.intervals:
        name = entry(source.name, tasks.inputs[source.name], source.index)
        raise ArgumentError(f"ranges of {tasks.name}: expected one for {name}, found none")
    most = expected.most_of(source) * (1 + SLACK)
    exponent = math.frexp(most)[1] if most else 0
    exponent += most > 2.0**exponent * (1 - STEPS_OFF * 2.0 ** (1 - words.word))
    return Number(words.word, words.word - 1 - exponent)


def _outward(number, interval):
    """The words of an interval, a little wider."""
    low, high = interval
    wider = SLACK * max(abs(low), abs(high))
    return number.raw(np.array([low - wider, high + wider]))[0].tolist()


def _port(operand, formats):
    """Registers have room for all that a format can hold, sound or not: nothing wraps in them."""
    source = operand.source
    if isinstance(source, Constant):
        value = math.ldexp(source.value, operand.shift)
        return Port(None, operand.sign, abs(value), value)
    words = formats[source]
    if isinstance(words, Angle):
        return Port(words, operand.sign)
    moved = Number(words.word, words.fraction - operand.shift)
    return Port(moved, operand.sign, -moved.least)


def _given(source, words, expected, task, common):
    if isinstance(words, Angle):
        return Given(words)
    return Given(words, True, _least(source, words, expected, task, common))


def _least(source, words, expected, task, common):
    """The least word of a length that tells something; 0 for what is no length."""
    if task.kind not in ("vector", "root") or source.port != "X":
        return 0
    return math.ceil(common.near * _longest(source, expected, task) / words.step)


def _longest(source, expected, task):
    """The length that a length is near nothing of."""
    return expected.most_of(source) if task.kind == "vector" else expected.most(task.x)


def _require_length(tasks, formats, expected, words):
    """The word is long enough for a length that is near nothing to be told from nothing."""
    lacking = 0
    for number, task in enumerate(tasks.tasks):
        source = Result(number, "X")
        if task.kind in ("vector", "root"):
            steps = words.near * _longest(source, expected, task) / formats[source].step
            lacking = max(lacking, math.ceil(math.log2(STEPS_TO_TELL / steps)))
    if lacking > 0:
        raise ArgumentError(
            f"word: expected at least {words.word + lacking} bits for {tasks.name}, so that "
            f"lengths down to {words.near:.3g} of the largest are told from none, "
            f"found {words.word}"
        )
