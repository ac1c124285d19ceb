"""Lathrop's matrix-vector processor: a primitive module per coordinate, and their control.

One counter drives all processors of a chip. Comparators find the clocks of this processor's steps
in it. A validity bit travels with the words: whether all their operands fit.
"""

from functools import reduce
from operator import and_

from amaranth.hdl import Elaboratable, Module, Signal

from ...parallel.systolic.operators import MV, SV, VA, VC, VV
from .primitive_module import PrimitiveModule


class MatrixVectorProcessor(Elaboratable):
    """A processor for one operator. `rows` has the operands' words of each module: port -> signal.

    It starts when `phase`, which counts to `interval`, is `start`. `right` is whether its operands
    are valid when it starts.
    """

    def __init__(self, operator, word, rounding, rows, right, phase, start, interval):
        self.rows, self.right_in, self.phase = rows, right, phase
        self.start, self.interval = start, interval
        self.modules = [PrimitiveModule(operator, word, rounding) for _ in rows]
        self.right = Signal(name="right")

    @property
    def words(self):
        return [each.result for each in self.modules]

    def elaborate(self, platform):
        module, clocks = Module(), len(self.modules[0].program)
        step = Signal(clocks, name="step")
        for clock in range(clocks):
            at = (self.start + clock) % self.interval
            module.d.comb += step[clock].eq(self.phase == at)
        for k, (each, row) in enumerate(zip(self.modules, self.rows, strict=True)):
            module.submodules[f"m{k}"] = each
            module.d.comb += each.step.eq(step)
            module.d.comb += [port.eq(row[name]) for name, port in each.operands.items()]
        so_far = self.right_in
        if clocks > 1:
            so_far = Signal(name="right_so_far", reset_less=True)
            with module.If(step[0]):
                module.d.sync += so_far.eq(self.right_in)
        operands_right = Signal(name="operands_right", reset_less=True)
        with module.If(step[-1]):
            module.d.sync += operands_right.eq(so_far)
        fits = reduce(and_, (each.fits for each in self.modules))
        module.d.comb += self.right.eq(operands_right & fits)
        return module


def operand_rows(operator, left, right):
    """The operands of each module of a processor, by the ports of a PrimitiveModule.

    `left` and `right` are nested lists of words. Pair 0 is that of the module's own coordinate.
    """
    if operator is VV:
        return [_pairs(0, left, right)]
    if operator is MV:
        return [_pairs(k, row, right) for k, row in enumerate(left)]
    if operator is VC:
        return [_pairs(k, left, right) for k in range(3)]
    if operator is SV:
        return [{"A0": each, "B0": right} for each in left]
    if operator is VA and isinstance(left, list):
        return [{"A0": a, "B0": b} for a, b in zip(left, right, strict=True)]
    return [{"A0": left, "B0": right}]


def _pairs(own, left, right):
    found = {}
    for k in range(3):
        found |= {f"A{k}": left[(own + k) % 3], f"B{k}": right[(own + k) % 3]}
    return found
