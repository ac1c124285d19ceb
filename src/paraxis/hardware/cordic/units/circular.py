"""Rotating a vector in the plane by an angle, and finding its angle and length."""

import math
from dataclasses import dataclass
from functools import cached_property

from ..constants import CIRCULAR
from .table import table
from .unit import Unit, width


@dataclass(frozen=True, kw_only=True)
class Circular(Unit):
    """The base of rotation and vectoring. Half turns are removed when loading."""

    @cached_property
    def fraction(self):
        """The internal fraction bits of x and y."""
        wanted = [given.format.fraction for name, given in self.gives.items() if name != "Z"]
        ports = [p.format.fraction for p in (self.x, self.y) if p.constant is None]
        return max(wanted or ports) + self.guard

    @cached_property
    def table(self):
        bits = self.angle_word - 1 if self.turns else 0
        return table(CIRCULAR, self.rotations, bits, self.compensation)

    @cached_property
    def angle_word(self):
        """The internal word length of z; for a constant z, that of the result."""
        angle = self.gives["Z"].format if "Z" in self.gives else self.z.format
        word = angle.word if angle else max(given.format.word for given in self.gives.values())
        return word + self.guard

    @cached_property
    def widths(self):
        reach = math.hypot(self.x.most, self.y.most) * self.table.growth
        plane = width(reach, self.fraction, 8 * self.rotations)
        return {"x": plane, "y": plane} | ({"z": self.angle_word} if self.turns else {})

    @cached_property
    def turns(self):
        """Whether the angle is used."""
        return self.z is not None

    def step(self, ops, iteration, state):
        return self.turned_and_scaled(ops, 1, iteration, self.up(state), state)

    def finish(self, ops, state):
        words, right = self.lengths_given(ops, state)
        if "Z" in self.gives:
            words["Z"] = self.angle_given(ops, "Z", state["z"], self.angle_word)
        return words, right


@dataclass(frozen=True, kw_only=True)
class Rotate(Circular):
    """X = x cos z - y sin z, Y = y cos z + x sin z."""

    def load(self, ops, words):
        x, y = self.number(words, "x", self.fraction), self.number(words, "y", self.fraction)
        z, quarter = self.angle(words, "z", self.angle_word), 1 << self.angle_word - 2
        behind = ops.either(z >= quarter, z < -quarter)
        x, y = ops.where(behind, -x, x), ops.where(behind, -y, y)
        z = z + ops.where(behind, 2 * quarter, 0)
        return {"x": x, "y": y, "z": ops.wrap(z, self.angle_word)}

    def up(self, state):
        return state["z"] >= 0


@dataclass(frozen=True, kw_only=True)
class Vector(Circular):
    """X = √(x² + y²), Z = z + atan2(y, x)."""

    def load(self, ops, words):
        x, y = self.number(words, "x", self.fraction), self.number(words, "y", self.fraction)
        behind = x < 0
        state = {"x": ops.where(behind, -x, x), "y": ops.where(behind, -y, y)}
        if self.turns:
            z, half = self.angle(words, "z", self.angle_word), 1 << self.angle_word - 1
            state["z"] = ops.wrap(z + ops.where(behind, half, 0), self.angle_word)
        return state

    def up(self, state):
        return state["y"] < 0
