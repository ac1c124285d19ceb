"""Fully pipelined: a row of registers for every iteration, a new item every clock."""

from amaranth.hdl import Module

from .processor import Processor, assigned
from .wires import Wires


class PipelinedProcessor(Processor):
    """Each iteration has adders of its own; shifts and angles are wires."""

    def elaborate(self, platform):
        module, unit = Module(), self.unit
        wires = Wires(module)
        state = unit.load(wires, self.words)
        for clock in range(unit.iterations):
            iteration = clock - unit.loads_alone
            if 0 <= iteration < unit.rotations:
                state = unit.step(wires, iteration, state)
            after = self.registers(f"{clock}")
            last = clock == unit.iterations - 1
            module.d["comb" if last else "sync"] += assigned(after, state)
            state = after
        module.d.sync += self.keep(*unit.finish(wires, state))
        return module
