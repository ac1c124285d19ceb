"""A serial multiplier: one adder, and one bit of a factor per clock.

Written as a unit like those of CORDIC, so that it is run, counted and synthesised as they are.
"""

from dataclasses import dataclass
from functools import cached_property

from paraxis.hardware.cordic.units.unit import Unit


@dataclass(frozen=True, kw_only=True)
class SerialMultiplier(Unit):
    """Y = x z; as many iterations as z has bits."""

    @cached_property
    def widths(self):
        return {"x": self.x.format.word, "y": self.x.format.word + 1, "z": self.iterations}

    def load(self, ops, words):
        return {"x": words["x"], "y": words["x"] & 0, "z": words["z"]}

    def step(self, ops, iteration, state):
        """Add x where the last bit of z is set, and shift; the product's last bits move into z.

        The sign of z counts -1: there x is taken away.
        """
        x, y, z = state["x"], state["y"], state["z"]
        sign = iteration == self.iterations - 1
        total = ops.plus(y, ops.where((z & 1) == 1, ops.where(sign, -1, 1), 0), x)
        below = (z >> 1) & (1 << self.iterations - 1) - 1
        z = ops.wrap(below | (total & 1) << self.iterations - 1, self.iterations)
        return {"x": x, "y": total >> 1, "z": z}

    def finish(self, ops, state):
        low = state["z"] & (1 << self.iterations) - 1
        fraction = self.x.format.fraction + self.z.format.fraction
        product = (state["y"] << self.iterations) | low
        word, right = self.number_given(ops, "Y", product, fraction)
        return {"Y": word}, right
