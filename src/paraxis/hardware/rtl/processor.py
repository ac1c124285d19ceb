"""A CORDIC unit as a module: words in; its results, and whether they are valid, out.

Inputs are read in the first of `unit.clocks` clocks, and outputs are available after the last. Data
have no reset: a bit that travels with them has one.
"""

from amaranth.hdl import Elaboratable, Signal, signed, unsigned

PLAIN = {"right", "far", "v_far"}  # registers without a sign


class Processor(Elaboratable):
    """The base of both architectures: ports, and the registers of a unit.

    `kept` are those of its results that are read; `prefix` is for names of signals.
    """

    def __init__(self, unit, kept, prefix=""):
        self.unit, self.prefix = unit, prefix
        self.words = {name: self._word(name, port.format) for name, port in unit.ports.items()}
        self.given = {name: self._word(name, unit.gives[name].format) for name in kept}
        self.right = Signal(name=f"{prefix}right", reset_less=True)

    @property
    def ports(self):
        return [*self.words.values(), *self.given.values(), self.right]

    def registers(self, when):
        """Signals for everything that the unit holds from clock to clock."""
        return {
            name: Signal(
                unsigned(bits) if name in PLAIN else signed(bits),
                name=f"{name}_{when}",
                reset_less=True,
            )
            for name, bits in self.unit.widths.items()
        }

    def keep(self, words, right):
        """The statements that store the unit's final results."""
        return [kept.eq(words[name]) for name, kept in self.given.items()] + [self.right.eq(right)]

    def _word(self, name, format):
        return Signal(signed(format.word), name=self.prefix + name, reset_less=True)


def assigned(signals, state):
    return [signals[name].eq(value) for name, value in state.items()]


def like(word, bits):
    """Bits with a sign if the word has one."""
    return bits.as_signed() if word.shape().signed else bits
