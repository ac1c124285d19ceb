"""How large values can be: intervals, and lengths of vectors that rotations keep.

A pose's axes have length one however they are turned, which intervals of their entries alone do
not know. So beside the interval of each value there are bounds of lengths: sets of values whose
squares together are at most so much. A rotation of two of a set puts two others in their place.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from ..errors import ArgumentError
from ..passes.cordic.tasks import Constant, Input, Result


@dataclass
class Ranges:
    """source -> (least, most) of its values; and `lengths`, pairs of a set of sources and a bound.

    Angles have no interval: they go round.
    """

    intervals: dict
    lengths: list = field(default_factory=list)

    def of(self, operand):
        """The interval of an operand."""
        source = operand.source
        low, high = (
            (source.value, source.value) if isinstance(source, Constant) else self.intervals[source]
        )
        factor = operand.sign * 2.0**operand.shift
        return tuple(sorted((low * factor, high * factor)))

    def most(self, operand):
        """The largest |value| of an operand."""
        return max(map(abs, self.of(operand)))

    def most_of(self, source):
        """The largest |value| of a source."""
        return max(map(abs, self.intervals[source]))

    def add(self, number, task):
        """The values that a task gives, from those that it takes."""
        if not task.angle:
            RULES[task.kind](self, number, task)

    def set(self, source, interval):
        """A new value's interval, no wider than a bound of its length allows."""
        bound = min((b for members, b in self.lengths if source in members), default=math.inf)
        self.intervals[source] = (max(interval[0], -bound), min(interval[1], bound))


def entry_ranges(tasks, ranges):
    """Input -> (least, most), of what a user says of each input: a bound of |value|, or a pair."""
    unknown = [name for name in ranges if name not in tasks.inputs]
    if unknown:
        raise ArgumentError(f"ranges: expected names of {list(tasks.inputs)}, found {unknown[0]!r}")
    found = {}
    for name, given in ranges.items():
        shape = tasks.inputs[name]
        try:
            low, high = given if isinstance(given, tuple) else (np.negative(given), given)
            low, high = (np.broadcast_to(np.asarray(x, float), shape).ravel() for x in (low, high))
        except (TypeError, ValueError):
            raise ArgumentError(
                f"range of {name}: expected the largest |value| or a pair (least, largest), "
                f"numbers that fit the shape {shape}, found {given!r}"
            ) from None
        if not (np.isfinite(low) & np.isfinite(high) & (low <= high)).all():
            raise ArgumentError(f"range of {name}: expected least <= largest, found {given!r}")
        for index, interval in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
            source = Input(name, index)
            if source not in tasks.angles:
                found[source] = interval
    return found


def ranges_of(tasks, inputs, lengths=()):
    """The Ranges of all values, from those of the inputs that are numbers: Input -> (least, most).

    `lengths` are pairs of a set of Inputs and the length that their vector has at most.
    """
    found = Ranges({}, [(frozenset(members), bound) for members, bound in lengths])
    for source, interval in inputs.items():
        found.set(source, interval)
    for number, task in enumerate(tasks.tasks):
        found.add(number, task)
    for task in tasks.tasks:  # what has no root is not valid, so its size does not matter
        if task.kind == "root" and isinstance(task.y.source, Result):
            most = found.most(task.x) * 2.0**-task.y.shift
            low, high = found.intervals[task.y.source]
            found.intervals[task.y.source] = (max(low, -most), min(high, most))
    return found


def _rotate(found, number, task):
    given = {Result(number, "X"), Result(number, "Y")}
    length = _replaced(found, task, given)
    for source in given:
        found.set(source, (-length, length))


def _vector(found, number, task):
    given = Result(number, "X")
    length = _replaced(found, task, {given})
    least = math.hypot(*(_least(found.of(operand)) for operand in (task.x, task.y)))
    found.set(given, (min(least, length), length))


def _replaced(found, task, given):
    """Bounds of lengths with x and y replaced by what becomes of them; that of (x, y) itself."""
    pair = {operand.source for operand in (task.x, task.y)}
    plain = len(pair) == 2 and not (task.x.shift or task.y.shift)
    length = math.hypot(found.most(task.x), found.most(task.y))
    for members, bound in list(found.lengths):
        if plain and pair <= members:
            found.lengths.append((members - pair | given, bound))
            length = min(length, bound)
    found.lengths.append((frozenset(given), length))
    return length


def _root(found, number, task):
    given = Result(number, "X")
    low, high = found.of(task.x)
    least, most = _least(found.of(task.y)), found.most(task.y)
    for members, bound in list(found.lengths):
        if task.x.source in members and not task.x.shift and bound > least:
            rest = math.sqrt(bound**2 - least**2)
            found.lengths.append((members - {task.x.source} | {given}, rest))
    top = math.sqrt(max(max(high, 0.0) ** 2 - least**2, 0.0))
    found.set(given, (math.sqrt(max(max(low, 0.0) ** 2 - most**2, 0.0)), top))


def _multiply(found, number, task):
    x, z = found.of(task.x), found.of(task.z)
    products = [a * b for a in x for b in z]
    low, high = min(products), max(products)
    if task.x.source == task.z.source:  # a square
        sign = task.x.sign * task.z.sign
        least = _least(x) * _least(z)
        low, high = (least, high) if sign > 0 else (low, -least)
    added = found.of(task.y)
    found.set(Result(number, "Y"), (low + added[0], high + added[1]))


def _divide(found, number, task):
    x, y, z = found.of(task.x), found.of(task.y), found.of(task.z)
    if x[0] <= 0 <= x[1]:
        raise ArgumentError(
            f"task T{number + 1}: expected a divisor that cannot be zero, found one in "
            f"[{x[0]:.3g}, {x[1]:.3g}]; ranges of the inputs may be too wide"
        )
    quotients = [a / b for a in y for b in x]
    found.set(Result(number, "Z"), (min(quotients) + z[0], max(quotients) + z[1]))


def _add(found, number, task):
    x, y = found.of(task.x), found.of(task.y)
    found.set(Result(number, "Y"), (x[0] + y[0], x[1] + y[1]))


def _least(interval):
    """The smallest |value| in an interval."""
    low, high = interval
    return 0.0 if low <= 0 <= high else min(abs(low), abs(high))


RULES = {
    "rotate": _rotate,
    "vector": _vector,
    "root": _root,
    "multiply": _multiply,
    "divide": _divide,
    "add": _add,
}
