"""Lathrop's primitive module: two multipliers, an adder, registers and two busses.

It computes one number of a result by a microprogram (microprograms.py), each clock of which has a
bit in `step`. In the first clock operands are at the ports; those needed later are stored. The
result remains until the next one is available; `fits` is whether it fits into its word.
"""

from functools import reduce
from operator import add, mul, or_, sub

from amaranth.hdl import Elaboratable, Module, Mux, Signal, signed

from .microprograms import BUSSES, MICROPROGRAMS

OPERATIONS = {"*": mul, "+": add, "-": sub}


class PrimitiveModule(Elaboratable):
    """A module for one operator with words of `word` bits; `rounding`: a Rounding of formats.py."""

    def __init__(self, operator, word, rounding):
        self.program, self.word, self.rounding = MICROPROGRAMS[operator], word, rounding
        names = {name for clock in self.program for use in clock for name in (use.left, use.right)}
        self.operands = {
            name: Signal(signed(word), name=name) for name in sorted(names) if name[0] in "AB"
        }
        self.step = Signal(len(self.program), name="step")
        self.result = Signal(signed(word), name="result", reset_less=True)
        self.fits = Signal(name="fits", reset_less=True)

    @property
    def ports(self):
        return [self.step, *self.operands.values(), self.result, self.fits]

    def elaborate(self, platform):
        module, last = Module(), len(self.program) - 1
        lifted = self._lifted()
        product = 2 * self.word
        wide = max(product + 2, *(len(each) + 1 for each in lifted.values()))
        sizes = {"mult_1": product, "mult_2": product, "adder": wide}
        kept = {
            unit: Signal(signed(bits), name=unit, reset_less=True) for unit, bits in sizes.items()
        }
        known = [lifted | kept] + [self._held(module, lifted) | kept] * last  # in each clock
        for unit, uses in self._routed(module, known, wide).items():
            made = self._unit(module, unit, uses, sizes[unit])
            clocks = [clock for clock, _, _ in uses]
            if last in clocks:
                self._round(module, made, self.step[last])
                clocks.remove(last)
            if clocks:
                with module.If(self._any(clocks)):
                    module.d.sync += kept[unit].eq(made)
        return module

    def _routed(self, module, known, wide):
        """Unit -> its uses: clock, sign and operands, from a bus or from adjacent registers."""
        busses = [Signal(signed(wide), name=f"bus_{k + 1}") for k in range(BUSSES)]
        carried, uses_of = [[] for _ in busses], {}
        for clock, uses in enumerate(self.program):
            free = iter(range(BUSSES))
            for use in uses:
                sides = [known[clock][name] for name in (use.left, use.right)]
                for side, name in enumerate((use.left, use.right)):
                    if name in use.by_bus:
                        bus = next(free)
                        carried[bus].append((clock, sides[side]))
                        sides[side] = busses[bus]
                uses_of.setdefault(use.unit, []).append((clock, use.sign, sides))
        for bus, values in zip(busses, carried, strict=True):
            if values:
                module.d.comb += bus.eq(self._chosen(values))
        return uses_of

    def _lifted(self):
        """Operands with aligned binary points."""
        lifts = dict(zip("AB", self.rounding.lifts, strict=True))
        return {name: each.shift_left(lifts[name[0]]) for name, each in self.operands.items()}

    def _held(self, module, lifted):
        """Registers for the operands that are read after the first clock."""
        later = {
            name
            for clock in self.program[1:]
            for use in clock
            for name in (use.left, use.right)
            if name in lifted
        }
        held = {}
        for name in sorted(later):
            value = lifted[name]
            held[name] = Signal(value.shape(), name=f"{name}_kept", reset_less=True)
            with module.If(self.step[0]):
                module.d.sync += held[name].eq(value)
        return held

    def _unit(self, module, unit, uses, bits):
        """The output of a multiplier or of the adder, a wire."""
        size = self.word if unit != "adder" else bits
        left, right = (Signal(signed(size), name=f"{unit}_{side}") for side in ("left", "right"))
        for side, signal in enumerate((left, right)):
            module.d.comb += signal.eq(self._chosen([(clock, s[side]) for clock, _, s in uses]))
        made = Signal(signed(bits), name=f"{unit}_made")
        (sign,) = {sign for _, sign, _ in uses}
        module.d.comb += made.eq(OPERATIONS[sign](left, right))
        return made

    def _chosen(self, values):
        """The value in the current clock; `values` are pairs of a clock and a value."""
        distinct = {}
        for clock, value in values:
            distinct.setdefault(id(value), (value, []))[1].append(clock)
        (found, _), *others = distinct.values()
        for value, clocks in others:
            found = Mux(self._any(clocks), value, found)
        return found

    def _any(self, clocks):
        return reduce(or_, (self.step[clock] for clock in clocks))

    def _round(self, module, outcome, now):
        """Rounds like arithmetic.py."""
        drop = self.rounding.drop
        value = Signal(signed(len(outcome) + 1), name="rounded")
        half = (1 << drop - 1) if drop else 0
        module.d.comb += value.eq((outcome + half).shift_right(drop))
        with module.If(now):
            module.d.sync += [
                self.result.eq(value),
                self.fits.eq(value == value[: self.word].as_signed()),
            ]
