"""A CORDIC unit as a module: words in, the words that it gives and whether they are right out.

What goes in is taken in the first of `unit.clocks` clocks, what comes out is there behind the
last. Data have no reset: what matters of them travels with a bit that has.
"""

from amaranth.hdl import Elaboratable, Signal, signed, unsigned

PLAIN = {"right", "far", "v_far"}  # registers without a sign


class Processor(Elaboratable):
    """What both architectures share: ports, and the registers of a unit.

    `kept` are those of the words it gives that somebody reads; `prefix` is for names of signals.
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
        """Signals for all that the unit holds from clock to clock."""
        return {
            name: Signal(
                unsigned(bits) if name in PLAIN else signed(bits),
                name=f"{name}_{when}",
                reset_less=True,
            )
            for name, bits in self.unit.widths.items()
        }

    def keep(self, words, right):
        """The statements that keep what the unit gives in the end."""
        return [kept.eq(words[name]) for name, kept in self.given.items()] + [self.right.eq(right)]

    def _word(self, name, format):
        return Signal(signed(format.word), name=self.prefix + name, reset_less=True)


def assigned(signals, state):
    return [signals[name].eq(value) for name, value in state.items()]


def like(word, bits):
    """Bits with a sign where a word has one."""
    return bits.as_signed() if word.shape().signed else bits
