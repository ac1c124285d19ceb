"""Products, quotients and sums."""

from dataclasses import dataclass
from functools import cached_property

from ..constants import LINEAR
from ..formats import Number
from .table import table
from .unit import Unit, normalised, own_fractions, width


@dataclass(frozen=True, kw_only=True)
class Multiply(Unit):
    """Y = y + x z, where z is reduced to zero in steps of 2^(exponent - s)."""

    @cached_property
    def exponent(self):
        """z is at most 2^exponent."""
        if self.z.constant is None:
            return self.z.format.word - 1 - self.z.format.fraction
        return max(width(self.z.most, 40, 0) - 41, -40)

    @cached_property
    def fraction(self):
        """The internal fraction bits of y; x is shifted up by the exponent."""
        return self.gives["Y"].format.fraction + self.guard

    @cached_property
    def z_fraction(self):
        port = 0 if self.z.constant is not None else self.z.format.fraction
        return max(self.rotations - self.exponent, port)

    @cached_property
    def table(self):
        return table(LINEAR, self.rotations, self.exponent + self.z_fraction, self.compensation)

    @cached_property
    def widths(self):
        product = self.x.most * 2.0**self.exponent
        return {
            "x": width(product, self.fraction),
            "y": width(self.y.most + product, self.fraction, 4 * self.rotations),
            "z": self.exponent + self.z_fraction + 2,
        }

    def load(self, ops, words):
        return {
            "x": self.number(words, "x", self.fraction + self.exponent),
            "y": self.number(words, "y", self.fraction),
            "z": self.number(words, "z", self.z_fraction),
        }

    def step(self, ops, iteration, state):
        return self.turned(ops, 0, iteration, state["z"] >= 0, state)

    def finish(self, ops, state):
        words, right = {}, True
        for name, fraction in (("Y", self.fraction), ("Z", self.z_fraction)):
            if name in self.gives:
                words[name], fits = self.number_given(ops, name, state[name.lower()], fraction)
                right = ops.both(right, fits)
        return words, right


@dataclass(frozen=True, kw_only=True)
class Divide(Unit):
    """Z = z + y / x. Both are shifted until x has no leading zeros.

    A quotient of 2^exponent or more, beyond all expected ones, saturates and is invalid.
    """

    quotient: Number | None = None  # the format of y / x, which may be larger than Z

    loads_alone = 1

    @cached_property
    def exponent(self):
        formats = [each for each in (self.gives["Z"].format, self.quotient) if each]
        return max(each.word - 1 - each.fraction for each in formats)

    @cached_property
    def fractions(self):
        """Fraction bits of x and y."""
        return own_fractions(self.x, self.y)

    @cached_property
    def places(self):
        """Bits of |x| and |y| before they are shifted."""
        ports = zip((self.x, self.y), self.fractions, strict=True)
        return max(width(port.most, fraction) for port, fraction in ports) - 1

    @cached_property
    def above(self):
        """The exponent of quotients of words, which have no binary points."""
        x, y = self.fractions
        return self.exponent + y - x

    @cached_property
    def spare(self):
        """Bits below those of words: x is shifted by `above`, which may be negative."""
        return self.guard + max(-self.above, 0)

    @cached_property
    def z_fraction(self):
        return max(self.rotations - self.exponent, self.gives["Z"].format.fraction + self.guard)

    @cached_property
    def table(self):
        return table(LINEAR, self.rotations, self.exponent + self.z_fraction, self.compensation)

    @cached_property
    def widths(self):
        plane = self.places + self.spare + max(self.above, 0) + 2
        total = width(self.z.most + 2.0 * 2.0**self.exponent, self.z_fraction)
        state = {"x": plane, "y": plane, "z": total, "right": 1}
        return state | ({"far": self.places.bit_length() + 1} if "Y" in self.gives else {})

    def load(self, ops, words):
        x, y = (self.number(words, name, f) for name, f in zip("xy", self.fractions, strict=True))
        behind = x < 0
        x, y = ops.where(behind, -x, x), ops.where(behind, -y, y)
        most, size = x << max(self.above, 0), ops.where(y < 0, -y, y) << max(-self.above, 0)
        right = ops.both(x > 0, size < most)
        y = ops.where(right, y, 0)
        x, far = normalised(ops, x, self.places)
        state = {
            "x": x << self.spare + self.above,
            "y": ops.fit(y << far, self.places + max(self.above, 0) + 1) << self.spare,
            "z": self.number(words, "z", self.z_fraction),
            "right": right,
        }
        return state | ({"far": far} if "Y" in self.gives else {})

    def step(self, ops, iteration, state):
        return self.turned(ops, 0, iteration, state["y"] < 0, state)

    def finish(self, ops, state):
        words, right = {}, state["right"]
        if "Y" in self.gives:
            y, fraction = state["y"], self.fractions[1] + self.spare
            words["Y"], fits = self.number_given_back(ops, "Y", y, fraction, state["far"])
            right = ops.both(right, fits)
        words["Z"], fits = self.number_given(ops, "Z", state["z"], self.z_fraction)
        return words, ops.both(right, fits)


@dataclass(frozen=True, kw_only=True)
class Add(Unit):
    """Y = y + x, for numbers: a product with one, reduced to its sum."""

    @cached_property
    def fraction(self):
        return self.gives["Y"].format.fraction

    @cached_property
    def widths(self):
        return {"y": width(self.x.most + self.y.most, self.fraction)}

    def load(self, ops, words):
        x, y = self.number(words, "x", self.fraction), self.number(words, "y", self.fraction)
        return {"y": x + y}

    def step(self, ops, iteration, state):
        return state

    def finish(self, ops, state):
        word, right = self.number_given(ops, "Y", state["y"], self.fraction)
        return {"Y": word}, right


@dataclass(frozen=True, kw_only=True)
class AddAngles(Unit):
    """Y = y + x, for angles."""

    @cached_property
    def widths(self):
        return {"y": self.gives["Y"].format.word}

    def load(self, ops, words):
        word = self.gives["Y"].format.word
        total = self.angle(words, "x", word) + self.angle(words, "y", word)
        return {"y": ops.wrap(total, word)}

    def step(self, ops, iteration, state):
        return state

    def finish(self, ops, state):
        return {"Y": state["y"]}, True
