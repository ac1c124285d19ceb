"""How large values can be: intervals, and lengths of vectors that rotations preserve.

A pose's axes have length one in any orientation, which intervals of their entries do not express.
In addition to the interval of each value there are therefore bounds of lengths: sets of values with
a bound of the sum of their squares. A rotation of two values of a set replaces them by two others.

A value without a root is invalid, and its size does not matter. Ranges are therefore propagated
forward along the tasks and then back: under √(x² - y²), y is at most x, which bounds the values
from which y was computed, and so on. A wrist within reach is where the arm can be, however long the
hand is.

Intervals ignore that values may never be large together, and in a long chain of tasks this
accumulates. If a simulation has found the largest value, twice that is used as a bound.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from ...errors import ArgumentError
from ..tasks.tasks import Constant, Input, Result, entry

TWICE = 2.0  # a value may be this many times its largest in simulation
LEAST_LEFT = 2.0**-4  # of an interval, even if simulated values are smaller


@dataclass
class Ranges:
    """source -> (least, most) of its values; and `lengths`, pairs of a set of sources and a bound.

    Angles have no interval, as they wrap around.
    """

    intervals: dict
    lengths: list = field(default_factory=list)
    seen: dict = field(default_factory=dict)  # Result -> its largest |value| in simulation

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
        """Adds the values of a task's results, from those of its operands."""
        if not task.angle:
            FORWARD[task.kind](self, number, task)

    def go_back(self, number, task):
        """Narrows the values of a task's operands, from those of its valid results."""
        if not task.angle:
            BACK[task.kind](self, number, task)

    def set(self, source, interval):
        """Sets a value's interval, within the bound of its length and its previous interval."""
        bound = min((b for members, b in self.lengths if source in members), default=math.inf)
        interval = _common((-bound, bound), interval)
        if source in self.seen:
            # A value that is only a rounding error of its operands keeps room for that error.
            most = max(TWICE * self.seen[source], LEAST_LEFT * max(map(abs, interval)))
            interval = _common(interval, (-most, most))
        self.intervals[source] = _common(self.intervals.get(source, interval), interval)

    def narrow(self, operand, interval):
        """Narrows an operand's interval to this one; inputs keep the ranges given by the user."""
        source = operand.source
        if isinstance(source, Result):
            factor = operand.sign * 2.0**-operand.shift
            interval = tuple(sorted(end * factor for end in interval))
            self.intervals[source] = _common(self.intervals[source], interval)


def entry_ranges(tasks, ranges):
    """Input -> (least, most), from a bound of |value| or a pair for each input."""
    unknown = [name for name in ranges if name not in tasks.inputs]
    if unknown:
        raise ArgumentError(
            f"ranges: expected names from {list(tasks.inputs)}, found {unknown[0]!r}"
        )
    found = {}
    for name, given in ranges.items():
        shape = tasks.inputs[name]
        try:
            low, high = given if isinstance(given, tuple) else (np.negative(given), given)
            low, high = (np.broadcast_to(np.asarray(x, float), shape).ravel() for x in (low, high))
        except (TypeError, ValueError):
            raise ArgumentError(
                f"range of {name}: expected the largest |value| or a pair (least, largest), "
                f"numbers that broadcast to shape {shape}, found {given!r}"
            ) from None
        if not (np.isfinite(low) & np.isfinite(high) & (low <= high)).all():
            expected = (
                "finite numbers, least <= largest"
                if isinstance(given, tuple)
                else "a finite number >= 0"
            )
            raise ArgumentError(f"range of {name}: expected {expected}, found {given!r}")
        for index, interval in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
            source = Input(name, index)
            if source not in tasks.angles:
                found[source] = interval
    return found


def require_ranges(tasks, inputs):
    """Requires a range for every used entry of an input, unless it is an angle."""
    operands = [o for task in tasks.tasks for o in task.operands.values()]
    operands += [operand for _, given in tasks.outputs.values() for operand in given]
    for source in dict.fromkeys(operand.source for operand in operands):
        if isinstance(source, Input) and not tasks.is_angle(source) and source not in inputs:
            name = entry(source.name, tasks.inputs[source.name], source.index)
            raise ArgumentError(f"ranges of {tasks.name}: {name} needs one, found none")


def ranges_of(tasks, inputs, lengths=(), seen=None):
    """The Ranges of all values, from those of the inputs that are numbers: Input -> (least, most).

    `lengths` are pairs of a set of Inputs and an upper bound of the length of their vector; `seen`
    maps Results to their largest |value| in simulation.
    """
    found = Ranges({}, [(frozenset(members), bound) for members, bound in lengths], seen or {})
    for source, interval in inputs.items():
        found.set(source, interval)
    numbered = list(enumerate(tasks.tasks))
    for number, task in numbered:
        found.add(number, task)
    for number, task in reversed(numbered):
        found.go_back(number, task)
    for number, task in numbered:
        found.add(number, task)
    return found


def _rotate(found, number, task):
    given = {Result(number, "X"), Result(number, "Y")}
    length = _replaced(found, task, given)
    for source in given:
        found.set(source, (-length, length))


def _vector(found, number, task):
    given = Result(number, "X")
    length = _replaced(found, task, {given})
    least = math.hypot(*(least_size(found.of(operand)) for operand in (task.x, task.y)))
    found.set(given, (min(least, length), length))


def _replaced(found, task, given):
    """Bounds of lengths with x and y replaced by their images; and that of (x, y) itself."""
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
    least, most = least_size(found.of(task.y)), found.most(task.y)
    for members, bound in list(found.lengths):
        if task.x.source in members and not task.x.shift and bound > least:
            rest = math.sqrt(bound**2 - least**2)
            found.lengths.append((members - {task.x.source} | {given}, rest))
    top = math.sqrt(max(max(high, 0.0) ** 2 - least**2, 0.0))
    found.set(given, (math.sqrt(max(max(low, 0.0) ** 2 - most**2, 0.0)), top))


def _mean(found, number, task):
    sides = [found.of(operand) for operand in (task.x, task.y)]
    ends = (math.prod(math.sqrt(max(side[end], 0.0)) for side in sides) for end in (0, 1))
    found.set(Result(number, "X"), tuple(ends))


def _multiply(found, number, task):
    x, z = found.of(task.x), found.of(task.z)
    products = [a * b for a in x for b in z]
    low, high = min(products), max(products)
    if task.x.source == task.z.source:  # a square
        sign = task.x.sign * task.z.sign
        least = least_size(x) * least_size(z)
        low, high = (least, high) if sign > 0 else (low, -least)
    added = found.of(task.y)
    found.set(Result(number, "Y"), (low + added[0], high + added[1]))


def _divide(found, number, task):
    x, y, z = found.of(task.x), found.of(task.y), found.of(task.z)
    if x[0] <= 0 <= x[1]:
        raise ArgumentError(
            f"task T{number + 1}: the divisor may be zero, as it is in [{x[0]:.3g}, {x[1]:.3g}]; "
            "the ranges of the inputs may be too wide"
        )
    quotients = [a / b for a in y for b in x]
    found.set(Result(number, "Z"), (min(quotients) + z[0], max(quotients) + z[1]))


def _add(found, number, task):
    x, y = found.of(task.x), found.of(task.y)
    found.set(Result(number, "Y"), (x[0] + y[0], x[1] + y[1]))


def _rotate_back(found, number, task):
    _within(found, task, math.hypot(*(found.most_of(Result(number, port)) for port in "XY")))


def _vector_back(found, number, task):
    _within(found, task, found.most_of(Result(number, "X")))


def _within(found, task, length):
    for operand in (task.x, task.y):
        found.narrow(operand, (-length, length))


def _root_back(found, number, task):
    most = found.most(task.x)
    found.narrow(task.y, (-most, most))
    top = math.hypot(found.most_of(Result(number, "X")), found.most(task.y))
    found.narrow(task.x, (least_size(found.of(task.y)), top))


def _mean_back(found, number, task):
    most = found.most_of(Result(number, "X"))
    for one, other in ((task.x, task.y), (task.y, task.x)):
        least = max(found.of(other)[0], 0.0)
        found.narrow(one, (0.0, most / least * most if least else math.inf))


def _multiply_back(found, number, task):
    total, added = found.intervals[Result(number, "Y")], found.of(task.y)
    x, z = found.of(task.x), found.of(task.z)
    products = [a * b for a in x for b in z]
    found.narrow(task.y, (total[0] - max(products), total[1] - min(products)))
    product = (total[0] - added[1], total[1] - added[0])
    if task.x.source == task.z.source:  # a square
        relative = task.z.sign * task.x.sign * 2.0 ** (task.z.shift - task.x.shift)
        most = math.sqrt(max(0.0, *(end / relative for end in product)))
        found.narrow(task.x, (-most, most))
    elif isinstance(task.z.source, Constant) and z[0]:
        found.narrow(task.x, tuple(sorted(end / z[0] for end in product)))


def _divide_back(found, number, task):
    """A division does not narrow its operands."""


def _add_back(found, number, task):
    low, high = found.intervals[Result(number, "Y")]
    for one, other in ((task.x, task.y), (task.y, task.x)):
        added = found.of(other)
        found.narrow(one, (low - added[1], high - added[0]))


def _common(first, second):
    """The intersection of two intervals; the first if it is empty."""
    low, high = max(first[0], second[0]), min(first[1], second[1])
    return (low, high) if low <= high else first


def least_size(interval):
    """The smallest |value| in an interval."""
    low, high = interval
    return 0.0 if low <= 0 <= high else min(abs(low), abs(high))


FORWARD = {
    "rotate": _rotate,
    "vector": _vector,
    "root": _root,
    "mean": _mean,
    "multiply": _multiply,
    "divide": _divide,
    "add": _add,
}
BACK = {
    "rotate": _rotate_back,
    "vector": _vector_back,
    "root": _root_back,
    "mean": _mean_back,
    "multiply": _multiply_back,
    "divide": _divide_back,
    "add": _add_back,
}
