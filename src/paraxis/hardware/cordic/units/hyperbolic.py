"""√(x² - y²), √(x y) and hyperbolic angles, and hyperbolic rotations.

A hyperbolic rotation by z stretches u = x + y by e^z and v = x - y by e^-z. Factors of two are
shifts, so that the remaining angle is always within reach of the micro-rotations: Walther's
prescaling in terms of u and v.
"""

from dataclasses import dataclass
from functools import cached_property

from ..constants import HYPERBOLIC, inverse, log_2, rounded
from .table import table
from .unit import Unit, moved, normalised, own_fractions, width

ROUGH = 8  # fraction bits
PER_LOG_2 = inverse(log_2(ROUGH), ROUGH)


@dataclass(frozen=True, kw_only=True)
class Root(Unit):
    """X = √(x² - y²), and optionally Z = z + artanh(y / x); valid if x > |y|."""

    # It can spare a second clock: X converges twice as fast as an angle.
    loads_alone, ends_alone = 2, True

    @cached_property
    def turns(self):
        return self.z is not None

    @cached_property
    def places(self):
        """Bits of u and v before they are shifted, and their fraction bits."""
        fraction = max(p.format.fraction for p in (self.x, self.y) if p.constant is None)
        return width(self.x.most + self.y.most, fraction) - 1, fraction

    @cached_property
    def z_fraction(self):
        return self.gives["Z"].format.fraction + self.guard if self.turns else 0

    @cached_property
    def table(self):
        return table(HYPERBOLIC, self.rotations, self.z_fraction, self.compensation)

    @cached_property
    def widths(self):
        places, _ = self.places
        plane = places + self.guard + 3
        far = places.bit_length() + 2
        state = {"x": plane, "y": plane, "far": far, "v_far": far, "right": 1}
        if self.turns:
            state["z"] = width(self.z.most + places, self.z_fraction)
        return state

    def load(self, ops, words):
        """u and v, stored as x and y, without leading zeros."""
        places, _ = self.places
        u, v = self.factors(words)
        right = ops.both(u > 0, v > 0)
        u, u_far = normalised(ops, ops.where(u > 0, u, 1), places)
        v, v_far = normalised(ops, ops.where(v > 0, v, 1), places)
        state = {"x": u, "y": v, "far": u_far, "v_far": v_far, "right": right}
        if self.turns:
            state["z"] = self.number(words, "z", self.z_fraction)
        return state

    def settle(self, ops, state):
        u, v, u_far, v_far = (state[name] for name in ("x", "y", "far", "v_far"))
        # √(u v) is shifted half as far, so the number of shifts must be even.
        u_odd, v_odd = (u_far & 1) > (v_far & 1), (v_far & 1) > (u_far & 1)
        u, u_far = ops.where(u_odd, u >> 1, u), u_far - ops.where(u_odd, 1, 0)
        v, v_far = ops.where(v_odd, v >> 1, v), v_far - ops.where(v_odd, 1, 0)
        settled = {
            "x": (u + v) << self.guard,
            "y": (u - v) << self.guard,
            "far": (u_far + v_far) >> 1,
            "right": state["right"],
        }
        if self.turns:
            ln_2 = rounded(log_2(self.z_fraction) * (1 << self.z_fraction))
            settled["z"] = state["z"] + ((v_far - u_far) >> 1) * ln_2
        return settled

    def factors(self, words):
        """u and v, whose √(u v) is computed."""
        _, fraction = self.places
        x, y = self.number(words, "x", fraction), self.number(words, "y", fraction)
        return x + y, x - y

    def step(self, ops, iteration, state):
        return self.turned_and_scaled(ops, -1, iteration, state["y"] < 0, state)

    def finish(self, ops, state):
        words, right = {}, state["right"]
        _, fraction = self.places
        for name, value in (("X", state["x"]), ("Y", state["y"])):
            if name in self.gives:
                length, bits = self.without_gain(value, fraction + self.guard + 1)
                length = ops.where(state["right"], length, 0)
                words[name], fits = self.number_given_back(ops, name, length, bits, state["far"])
                right = ops.both(right, fits)
        if self.turns:
            words["Z"], fits = self.number_given(ops, "Z", state["z"], self.z_fraction)
            right = ops.both(right, fits)
        return words, right


@dataclass(frozen=True, kw_only=True)
class Mean(Root):
    """X = √(x y), valid if x, y > 0: with u = x and v = y, however different in size they are."""

    @cached_property
    def places(self):
        """Bits of the longer one, and fraction bits of √(u v): half of those of u v."""
        ports = zip((self.x, self.y), self.fractions, strict=True)
        return max(width(port.most, f) - 1 for port, f in ports), sum(self.fractions) // 2

    @cached_property
    def fractions(self):
        """Fraction bits of x and y, an even number together."""
        x, y = own_fractions(self.x, self.y)
        return x + (x + y) % 2, y

    def factors(self, words):
        return [self.number(words, name, f) for name, f in zip("xy", self.fractions, strict=True)]


@dataclass(frozen=True, kw_only=True)
class HyperbolicRotate(Unit):
    """X = x cosh z + y sinh z, Y = y cosh z + x sinh z."""

    loads_alone = 1

    @cached_property
    def farthest(self):
        """The largest number of factors of two in e^z."""
        return int(self.z.most * 1.4427) + 1

    @cached_property
    def fraction(self):
        """The internal fraction bits of x and y: one of u and v is shifted to the right."""
        wanted = [given.format.fraction for name, given in self.gives.items() if name != "Z"]
        return max(wanted) + self.guard

    @cached_property
    def z_fraction(self):
        return self.z.format.fraction + self.guard

    @cached_property
    def table(self):
        return table(HYPERBOLIC, self.rotations, self.z_fraction, self.compensation)

    @cached_property
    def widths(self):
        plane = width(self.x.most + self.y.most, self.fraction) + self.farthest + 2
        return {"x": plane, "y": plane, "z": self.z_fraction + 2}

    def load(self, ops, words):
        x, y = self.number(words, "x", self.fraction), self.number(words, "y", self.fraction)
        z = self.number(words, "z", self.z_fraction)
        # The number of factors of two in e^z may be approximate, with a larger remainder.
        factors = moved(moved(z, ROUGH - self.z_fraction) * PER_LOG_2, -2 * ROUGH)
        ln_2 = rounded(log_2(self.z_fraction) * (1 << self.z_fraction))
        # Shifted to the left by the largest possible amount, then back to the right by the excess.
        bits = (2 * self.farthest).bit_length()
        u = ((x + y) << self.farthest) >> ops.distance(self.farthest - factors, bits)
        v = ((x - y) << self.farthest) >> ops.distance(self.farthest + factors, bits)
        return {"x": (u + v) >> 1, "y": (u - v) >> 1, "z": z - factors * ln_2}

    def step(self, ops, iteration, state):
        return self.turned_and_scaled(ops, -1, iteration, state["z"] >= 0, state)

    def finish(self, ops, state):
        words, right = self.lengths_given(ops, state)
        if "Z" in self.gives:
            words["Z"], fits = self.number_given(ops, "Z", state["z"], self.z_fraction)
            right = ops.both(right, fits)
        return words, right
