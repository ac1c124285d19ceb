"""The operations of CORDIC units on wires, which turn the same description into hardware.

A number is an Amaranth Value, or a Python integer if it is known; so is a condition.
"""

from amaranth.hdl import Array, Module, Mux, Signal, signed, unsigned


class Wires:
    """The operations for one module; those in hardware/cordic/integers.py do the same on NumPy.

    Every result gets its own wire, because most are used more than once: otherwise Amaranth would
    repeat the whole expression each time, and simulators would compute it as often.
    """

    def __init__(self, module: Module):
        self.module = module

    def where(self, condition, if_true, if_false):
        if isinstance(condition, bool):
            return if_true if condition else if_false
        return self._named(Mux(condition, if_true, if_false), "chosen")

    def fit(self, value, width):
        return self._wire(value, signed(width))

    def wrap(self, value, width):
        """A wire drops the bits that do not fit."""
        return self._wire(value, signed(width))

    def distance(self, value, width):
        return self._wire(value, unsigned(width))

    def both(self, a, b):
        return a & b

    def either(self, a, b):
        return a | b

    def neither(self, a, b):
        return ~(a | b)

    def plus(self, value, times, change):
        if isinstance(times, int):
            return value if times == 0 else value + change if times > 0 else value - change
        value, change = self._named(value, "value"), self._named(change, "change")
        down = times < 0  # the negative is all bits inverted plus one, which is a carry
        return value + Mux(down, ~change, Mux(times > 0, change, 0)) + down

    def at(self, entries, iteration):
        if isinstance(iteration, int):
            return entries[iteration]
        return self._named(Array(entries)[iteration], "entry")

    def _named(self, value, name):
        return self._wire(value, value.shape(), name)

    def _wire(self, value, shape, name="fitted"):
        wire = Signal(shape, name=name)
        self.module.d.comb += wire.eq(value)
        return wire
