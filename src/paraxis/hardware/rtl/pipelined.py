"""Fully pipelined: a row of registers for every iteration, a new item every clock."""

from amaranth.hdl import Cat, Const, Module, Signal

from .processor import Processor, assigned, like
from .wires import Wires


class PipelinedProcessor(Processor):
    """Each iteration has its own adders; shifts and angles are wires."""

    def elaborate(self, platform):
        module, unit = Module(), self.unit
        wires, state = Wires(module), self.registers("loaded")
        module.d.comb += assigned(state, unit.load(wires, self.words))
        for clock in range(unit.clocks):
            iteration = clock - unit.loads_alone
            if clock and iteration < 0:
                state = unit.settle(wires, state)
            elif 0 <= iteration < unit.steps:
                state = unit.step(wires, iteration, state)
            after = self.registers(f"{clock}")
            last = clock == unit.clocks - 1
            module.d["comb" if last else "sync"] += assigned(after, state)
            state = {name: after[name] for name in state}
        module.d.sync += self.keep(*unit.finish(wires, state))
        return module


class Pipelined:
    """The timing of a circuit: a stage begins at every clock."""

    first = Const(1, 1)

    def __init__(self, module, iterations):
        self.module, self.iterations = module, iterations

    def processor(self, unit, kept, prefix):
        return PipelinedProcessor(unit, kept, prefix)

    def delayed(self, name, word, stages, reset=False):
        """The word now, and as it was one, two ... stages ago: taps of a shift register."""
        taps = [word]
        for stage in range(1, stages + 1):
            bits = self.iterations * len(word)
            line = Signal(bits, name=f"{name}_{stage}", reset_less=not reset)
            self.module.d.sync += line.eq(Cat(taps[-1], line))  # the oldest word drops out
            taps.append(like(word, line[-len(word) :]))
        return taps
