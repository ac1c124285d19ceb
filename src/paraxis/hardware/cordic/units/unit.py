"""A CORDIC unit for one task: the contents of its registers from clock to clock.

Every unit is written once, with the operations of `ops` (operations.py): on NumPy's integers
(integers.py) it is the bit-exact model, on wires (hardware/rtl) it is the hardware. A unit defines
what it loads, what an iteration does, and its results; its caller decides whether iterations are a
series of registers or one register that is reused.

Symbols are those of the textbook: x, y, z and the shift s; `up` is whether the direction σ is 1, a
counter-clockwise rotation. A difference is a sum with all bits inverted, which is too small by one
in the last of the guard bits, and saves a carry.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ..constants import INTERLEAVED, MULTIPLY, inverse, rounded
from ..formats import Angle, Number
from ..operations import Condition, Operations, Word

State = dict[str, Word]  # register -> its value


@dataclass(frozen=True)
class Port:
    """An input: words of a format, or a constant; its sign; and its largest size.

    `most` is the largest |value|, which is meaningless for an angle.
    """

    format: Number | Angle | None
    sign: int = 1
    most: float = 0.0
    constant: float | None = None


@dataclass(frozen=True)
class Given:
    """An output: its format, whether it may be too large for it, and which words are too small.

    Below `least`, a word, a result is so small that dependent values are inaccurate.
    """

    format: Number | Angle
    saturates: bool = False
    least: int = 0


@dataclass(frozen=True, kw_only=True)
class Unit:
    """The base of all units. `gives` maps the requested ports, of X, Y and Z, to Given.

    The register that goes to zero, z or y, can also be requested: Z or Y is then its remainder.
    """

    gives: dict[str, Given]
    iterations: int
    guard: int
    x: Port | None = None
    y: Port | None = None
    z: Port | None = None
    compensation: str = INTERLEAVED  # how the gain is undone: one of COMPENSATIONS

    table = None  # a Table, in a unit that rotates
    loads_alone = 0  # clocks for loading alone; the second of two is for `settle`
    ends_alone = False  # whether the last clock is for finishing alone

    @cached_property
    def rotations(self) -> int:
        """The number of iterations that are micro-rotations."""
        return self.iterations - self.loads_alone - self.ends_alone

    @cached_property
    def scalings(self) -> tuple[tuple[int, int], ...]:
        """Pairs (i, γ_i) that undo the gain after all micro-rotations, one clock each."""
        return self.table.scalings if self.table else ()

    @cached_property
    def steps(self) -> int:
        """The number of micro-rotations, and of scalings after them."""
        return self.rotations + len(self.scalings)

    @cached_property
    def clocks(self) -> int:
        """The number of clocks from an input word to the result."""
        return self.iterations + len(self.scalings)

    @cached_property
    def ports(self) -> dict[str, Port]:
        """The ports that take words: name -> Port."""
        named = {"x": self.x, "y": self.y, "z": self.z}
        return {name: p for name, p in named.items() if p is not None and p.constant is None}

    # -- defined by each kind of unit ------------------------------------------------------------

    @cached_property
    def widths(self) -> dict[str, int]:
        """Register -> its bits, sign included."""
        raise NotImplementedError

    def load(self, ops: Operations, words: dict[str, Word]) -> State:
        """The initial values of the registers, from port -> word."""
        raise NotImplementedError

    def settle(self, ops: Operations, state: State) -> State:
        """The registers before the first micro-rotation; most units are ready once loaded."""
        return state

    def step(self, ops: Operations, iteration: Word, state: State) -> State:
        """The registers after one more micro-rotation or, after all of these, scaling."""
        raise NotImplementedError

    def finish(self, ops: Operations, state: State) -> tuple[dict[str, Word], Condition]:
        """Port -> word of the results, and whether all of them are valid."""
        raise NotImplementedError

    # -- shared by all units -----------------------------------------------------------------------

    def __call__(
        self, ops: Operations, words: dict[str, Word]
    ) -> tuple[dict[str, Word], Condition]:
        """Port -> word of the results after all iterations, and whether they are valid."""
        state = self.settle(ops, self.load(ops, words))
        for iteration in range(self.steps):
            state = self.step(ops, iteration, state)
        return self.finish(ops, state)

    def turned(self, ops, m, iteration, up, state):
        """The registers after one micro-rotation, counter-clockwise if `up`."""
        x, y = turn(ops, m, ops.at(self.table.shifts, iteration), up, state["x"], state["y"])
        after = {"x": x, "y": y}
        if "z" in state:  # the remaining or the accumulated angle
            angle = ops.at(self.table.angles, iteration)
            after["z"] = state["z"] + ops.where(up, -angle, angle)
        return state | after

    def turned_and_scaled(self, ops, m, iteration, up, state):
        """The same, with a part of the gain undone."""
        if self.scalings:
            return self.turned_or_scaled(ops, m, iteration, up, state)
        after = self.turned(ops, m, iteration, up, state)
        return after | {name: self.scaled(ops, iteration, after[name]) for name in "xy"}

    def turned_or_scaled(self, ops, m, iteration, up, state):
        """The registers after one micro-rotation, or after one scaling with the same adders."""
        table, (places, digits) = self.table, zip(*self.scalings, strict=True)
        scales = iteration >= self.rotations
        shift = ops.at((*table.shifts, *places), iteration)
        less = ops.at((*table.digits, *digits), iteration) < 0
        across, along = state["y"] >> shift, state["x"] >> shift
        turning = (~across, across) if m > 0 else (across, ~across)
        to_x = ops.where(scales, ops.where(less, ~along, along), ops.where(up, *turning))
        to_y = ops.where(scales, ops.where(less, ~across, across), ops.where(up, along, ~along))
        after = {"x": state["x"] + to_x, "y": state["y"] + to_y}
        if "z" in state:
            angle = ops.at((*table.angles, *(0 for _ in places)), iteration)
            after["z"] = state["z"] + ops.where(up, -angle, angle)
        return state | after

    def number(self, words, name, fraction):
        """A port's number with `fraction` fraction bits."""
        port = getattr(self, name)
        if port.constant is not None:
            return port.sign * nearest(port.constant, fraction)
        word = words[name] if port.sign > 0 else -words[name]
        return moved(word, fraction - port.format.fraction)

    def angle(self, words, name, word):
        """A port's angle in words of `word` bits."""
        port = getattr(self, name)
        if port.constant is not None:
            within = math.remainder(port.constant, 2 * math.pi)
            return port.sign * nearest(within / math.pi, word - 1)
        given = words[name] if port.sign > 0 else -words[name]
        return moved(given, word - port.format.word)

    def scaled(self, ops, iteration, value):
        """A length with a part of the gain undone, if that is interleaved."""
        if self.compensation != INTERLEAVED:
            return value
        return ops.plus(value, ops.at(self.table.digits, iteration), value >> iteration)

    def without_gain(self, value, fraction):
        """A final length, and its fraction bits."""
        if self.compensation != MULTIPLY:
            return value, fraction
        bits = self.rotations + self.guard
        return value * inverse(self.table.gain, bits), fraction + bits

    def number_given(self, ops, name, value, fraction):
        """An output number, rounded and saturated; and whether it is valid."""
        given, wanted = self.gives[name], self.gives[name].format
        value, right = moved(value, wanted.fraction - fraction), True
        if given.saturates:
            most = (1 << wanted.word - 1) - 1
            over, under = value > most, value < -most - 1
            value = ops.where(over, most, ops.where(under, -most - 1, value))
            right = ops.neither(over, under)
        if given.least:
            right = ops.both(right, value >= given.least)
        return ops.fit(value, wanted.word), right

    def lengths_given(self, ops, state):
        """X and Y, if requested, with the gain undone; and whether they are valid."""
        words, right = {}, True
        for name in "XY":
            if name in self.gives:
                length, fraction = self.without_gain(state[name.lower()], self.fraction)
                words[name], fits = self.number_given(ops, name, length, fraction)
                right = ops.both(right, fits)
        return words, right

    def number_given_back(self, ops, name, value, fraction, far):
        """The same for a number that was shifted to the left when loaded."""
        # One additional bit, for rounding.
        one_more = self.gives[name].format.fraction + 1
        value = moved(value, max(one_more - fraction, 0)) >> max(fraction - one_more, 0)
        return self.number_given(ops, name, value >> far, one_more)

    def angle_given(self, ops, name, value, word):
        """An output angle, rounded. It wraps around."""
        wanted = self.gives[name].format.word
        return ops.wrap(moved(value, wanted - word), wanted)


def turn(ops, m, shift, up, x, y):
    """One micro-rotation, counter-clockwise if `up`."""
    across, along = y >> shift, x >> shift
    if m:
        x = x + ops.where(up, *((~across, across) if m > 0 else (across, ~across)))
    return x, y + ops.where(up, along, ~along)


def moved(value, bits):
    """A number with more or fewer fraction bits, rounded if bits are dropped."""
    if bits >= 0:
        return value << bits if bits else value
    return ((value >> -bits - 1) + 1) >> 1


def nearest(value, fraction):
    """A real number as an integer with `fraction` fraction bits."""
    return rounded(Fraction(value) * Fraction(2) ** fraction)


def own_fractions(*ports):
    """The fraction bits of each port; constants are as long as words."""
    word = max(port.format.word for port in ports if port.constant is None)
    return [
        port.format.fraction if port.constant is None else word - math.frexp(port.most)[1]
        for port in ports
    ]


def width(most, fraction, slack=2):
    """The bits, including the sign, of numbers up to `most` with errors in the last bit."""
    return int(Fraction(most) * Fraction(2) ** fraction + slack).bit_length() + 1


def normalised(ops, value, bits):
    """A number in [0, 2^bits) shifted left until its first bit is set, and the shift.

    It shifts by half of all places at once if they are empty, then by half of the rest, and so on.
    """
    far, step = 0, 1 << max(bits - 1, 1).bit_length() - 1
    while step:
        empty = value >> max(bits - step, 0) == 0
        value = ops.fit(ops.where(empty, value << step, value), bits + 1)
        far, step = far | ops.where(empty, step, 0), step >> 1
    return value, far
