"""The format of every value and the unit of every task.

Formats follow from the expected ranges of values (ranges.py). Larger values, which can occur with
unexpected inputs, saturate and clear the valid bit. So do values that are too small: a vector of
zero length has no angle.
"""

import math
from dataclasses import dataclass

import numpy as np

from ...errors import ArgumentError
from ..cordic.formats import Angle, Number
from ..cordic.units.circular import Rotate, Vector
from ..cordic.units.hyperbolic import Mean, Root
from ..cordic.units.linear import Add, AddAngles, Divide, Multiply
from ..cordic.units.unit import Given, Port
from ..tasks.tasks import Constant, Result
from .ranges import least_size

UNITS = {
    "rotate": Rotate,
    "vector": Vector,
    "root": Root,
    "mean": Mean,
    "multiply": Multiply,
    "divide": Divide,
    "add": Add,
}
STEPS_TO_TELL = 16  # of a format: a shorter length cannot be distinguished from zero
LARGEST = 2.0**1000  # with room below the largest float
SLACK = 2.0**-10  # relative: how far errors may exceed the largest value,
STEPS_OFF = 4  # and in steps of its format


@dataclass(frozen=True)
class Words:
    """Properties shared by all words of a circuit."""

    word: int
    iterations: int
    guard: int
    near: float  # a length below this share of its largest value has no angle


@dataclass(frozen=True)
class Sizes:
    """`formats` of Inputs and Results; `limits`, the valid words of Inputs; `units`."""

    formats: dict
    limits: dict
    units: tuple


def sizes(tasks, words, expected, inputs):
    """Sizes for `expected` Ranges, and `inputs` that are numbers: Input -> (least, most)."""
    formats = {source: _format(tasks, source, expected, words) for source in _read(tasks)}
    limits = {
        source: tuple(_outward(formats[source], inputs[source]))
        for source in formats
        if source in inputs
    }
    least = _least_lengths(tasks, formats, expected, words)
    units = []
    for number, task in enumerate(tasks.tasks):
        ports = {name: _port(operand, formats) for name, operand in task.operands.items()}
        gives = {
            port: _given(formats[source], least.get(source, 0.0))
            for port in "XYZ"
            if (source := Result(number, port)) in formats
        }
        if task.kind == "vector" and "Z" not in gives:
            del ports["z"]
        if task.kind == "divide":
            ports["quotient"] = _quotient_format(number, task, expected, words)
        kind = AddAngles if task.angle else UNITS[task.kind]
        units.append(kind(**ports, gives=gives, iterations=words.iterations, guard=words.guard))
    return Sizes(formats, limits, tuple(units))


def _read(tasks):
    """The Inputs and Results that are used, including lengths that are only checked."""
    found = {}
    for task in tasks.tasks:
        found |= dict.fromkeys(operand.source for operand in task.operands.values())
    for _, operands in tasks.outputs.values():
        found |= dict.fromkeys(operand.source for operand in operands)
    found |= {
        Result(number, "X"): None
        for number, task in enumerate(tasks.tasks)
        if _must_be_told(found, number, task)
    }
    return [source for source in found if not isinstance(source, Constant)]


def _must_be_told(sources, number, task):
    """Whether results require a nonzero length: an angle that is used does, and so does a root."""
    if task.kind == "vector":
        return Result(number, "Z") in sources
    return task.kind in LEAST_ROOTS


def _format(tasks, source, expected, words):
    if tasks.is_angle(source):
        return Angle(words.word)
    most = expected.most_of(source)
    if not math.isfinite(most):
        raise ArgumentError(f"ranges of {tasks.name}: a value inside the circuit can be infinite")
    if most > LARGEST:
        raise ArgumentError(
            f"ranges of {tasks.name}: expected values up to {LARGEST:.0e}, found {most:.3g}"
        )
    return number_format(words.word, most)


def _quotient_format(number, task, expected, words):
    """The format of y / x before z is added, from both and from its final remainder."""
    largest = expected.most(task.y) / least_size(expected.of(task.x))
    in_the_end = expected.most_of(Result(number, "Z")) + expected.most(task.z)
    return number_format(words.word, min(largest, in_the_end))


def number_format(word, most):
    """A format for numbers up to `most`, with a little room for errors."""
    most = float(most) * (1 + SLACK)
    exponent = math.frexp(most)[1] if most else 0
    exponent += most > 2.0**exponent * (1 - STEPS_OFF * 2.0 ** (1 - word))
    return Number(word, word - 1 - exponent)


def _outward(number, interval):
    """The words of an interval, slightly widened."""
    low, high = interval
    wider = SLACK * max(abs(low), abs(high))
    return number.raw(np.array([low - wider, high + wider]))[0].tolist()


def _port(operand, formats):
    """Registers hold everything that a format can hold, valid or not, so that nothing wraps."""
    source = operand.source
    if isinstance(source, Constant):
        value = math.ldexp(source.value, operand.shift)
        return Port(None, operand.sign, abs(value), value)
    words = formats[source]
    if isinstance(words, Angle):
        return Port(words, operand.sign)
    moved = words.shifted(operand.shift)
    return Port(moved, operand.sign, -moved.least)


def _given(words, least):
    if isinstance(words, Angle):
        return Given(words)
    return Given(words, saturates=True, least=math.ceil(math.ldexp(least, words.fraction)))


def _least_lengths(tasks, formats, expected, words):
    """Result -> its least valid value, for the lengths on which others depend."""
    least, needed = {}, words.word
    for number, task in enumerate(tasks.tasks):
        source = Result(number, "X")
        if _must_be_told(formats, number, task):
            longest = expected.most(task.x) if task.kind == "root" else expected.most_of(source)
            if not longest:
                raise ArgumentError(
                    f"task T{number + 1}: the length is always 0; the ranges of the inputs may be "
                    "too narrow"
                )
            least[source] = words.near * longest
            needed = _word_to_tell(least[source], expected.most_of(source), needed)
            if task.kind in LEAST_ROOTS:
                lost = LEAST_ROOTS[task.kind](task, formats, expected)
                least[source] = max(least[source], lost)
    if needed > words.word:
        raise ArgumentError(
            f"word: expected at least {needed} bits for {tasks.name}, to distinguish lengths of "
            f"{words.near:.3g} of the largest from 0, found {words.word}"
        )
    for source, length in least.items():
        if expected.most_of(source) < length:
            raise ArgumentError(
                f"task T{source.task + 1}: expected a root that can be {length:.3g} or more, to "
                f"distinguish it from 0 with words of {words.word} bits and near = "
                f"{words.near:.3g}, found at most {expected.most_of(source):.3g}"
            )
    return least


def _word_to_tell(least, most, word):
    """The shortest word >= `word` that resolves numbers from `least` up to `most`."""
    while STEPS_TO_TELL * number_format(word, most).step > least:
        word += 1
    return word


def _least_root(task, formats, expected):
    """√(x² - y²) where x = |y| up to errors."""
    step = max(_step(operand, formats) for operand in (task.x, task.y))
    return math.sqrt(2 * expected.most(task.x) * STEPS_OFF * step)


def _least_mean(task, formats, expected):
    """√(x y) where x or y is 0 up to errors."""
    return max(
        math.sqrt(STEPS_OFF * _step(one, formats)) * math.sqrt(expected.most(other))
        for one, other in ((task.x, task.y), (task.y, task.x))
    )


def _step(operand, formats):
    """The step of its format; a constant has none."""
    port = _port(operand, formats)
    return port.format.step if port.constant is None else 0.0


LEAST_ROOTS = {"root": _least_root, "mean": _least_mean}
