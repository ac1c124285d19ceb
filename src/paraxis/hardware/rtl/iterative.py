"""Iterative: one row of registers per unit, used for every iteration; a new item every stage."""

from amaranth.hdl import Module, Mux, Signal

from .processor import Processor, assigned
from .wires import Wires


class IterativeProcessor(Processor):
    """Adders, barrel shifters and tables shared by all iterations.

    `clock` counts the clocks of a stage; it drives all processors of a circuit.
    """

    def __init__(self, unit, kept, prefix=""):
        super().__init__(unit, kept, prefix)
        self.clock = Signal(range(unit.clocks), name=f"{prefix}clock")

    @property
    def ports(self):
        return [self.clock, *super().ports]

    def elaborate(self, platform):
        module, unit = Module(), self.unit
        wires, first = Wires(module), self.clock == 0
        loaded, held, after = map(self.registers, ("loaded", "held", "after"))

        def loaded_first(else_):
            return {name: Mux(first, loaded[name], value) for name, value in else_.items()}

        module.d.comb += assigned(loaded, unit.load(wires, self.words))
        if unit.loads_alone:
            iteration = Signal(range(unit.clocks))
            module.d.comb += iteration.eq(self.clock - unit.loads_alone)
            stepped = unit.step(wires, iteration, held)
            if unit.loads_alone == 2:
                for name, value in unit.settle(wires, held).items():
                    stepped[name] = Mux(self.clock == 1, value, stepped[name])
            stepped = loaded_first(stepped)
        else:
            turned = self.registers("turned")
            module.d.comb += assigned(turned, loaded_first(held))
            stepped = unit.step(wires, self.clock, turned)
        module.d.comb += assigned(after, stepped)
        module.d.sync += assigned(held, after)
        with module.If(self.clock == unit.clocks - 1):
            module.d.sync += self.keep(*unit.finish(wires, held if unit.ends_alone else after))
        return module


class Iterative:
    """The timing of a circuit: all stages begin together, every `iterations` clocks."""

    def __init__(self, module, iterations):
        self.module, self.clock = module, Signal(range(iterations), name="clock")
        self.first = self.clock == 0
        module.d.sync += self.clock.eq(Mux(self.clock == iterations - 1, 0, self.clock + 1))

    def processor(self, unit, kept, prefix):
        made = IterativeProcessor(unit, kept, prefix)
        self.module.d.comb += made.clock.eq(self.clock)
        return made

    def delayed(self, name, word, stages, reset=False):
        """The word now, and as it was one, two ... stages ago: one register each."""
        line = [word]
        for stage in range(1, stages + 1):
            kept = Signal(word.shape(), name=f"{name}_{stage}", reset_less=not reset)
            with self.module.If(self.first):
                self.module.d.sync += kept.eq(line[-1])
            line.append(kept)
        return line
