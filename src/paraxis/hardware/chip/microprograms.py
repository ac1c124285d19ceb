"""What a primitive module does in each clock: Lathrop's datapath of Figure 6 as a program.

A primitive module computes one coordinate of a result. It has three register pairs A0 B0, A1 B1, A2
B2 for its operands (pair 0 is that of its own coordinate, the others follow cyclically), two
multipliers, an adder, and two busses. Multiplier 1 is next to pair 1 and multiplier 2 next to pair
2; all their other operands, and those of the adder, come by bus. Each line is a clock.
"""

from typing import NamedTuple

from ...parallel.systolic.operators import MM, MV, SV, VA, VC, VV

BESIDE = {"mult_1": ("A1", "B1"), "mult_2": ("A2", "B2"), "adder": ()}
BUSSES = 2

DOT_PRODUCT = """
    mult_1 = A0 * B0, mult_2 = A2 * B2
    mult_1 = A1 * B1, adder = mult_1 + mult_2
    adder = adder + mult_1
"""
CROSS_PRODUCT = """
    mult_1 = A1 * B2, mult_2 = A2 * B1
    adder = mult_1 - mult_2
"""
PRODUCT = "mult_1 = A0 * B0"
SUM = "adder = A0 + B0"


class Use(NamedTuple):
    """The operation of a unit, mult_1, mult_2 or adder, in one clock: left sign right."""

    unit: str
    left: str
    sign: str
    right: str

    @property
    def by_bus(self):
        """The operands that come over a bus."""
        return [name for name in (self.left, self.right) if name not in BESIDE[self.unit]]


def microprogram(text):
    """The uses of units in each clock."""
    program = []
    for line in text.strip().splitlines():
        uses = []
        for statement in line.split(","):
            unit, _, left, sign, right = statement.split()
            uses.append(Use(unit, left, sign, right))
        program.append(tuple(uses))
    return tuple(program)


# operator -> the program of each module of its processor
MICROPROGRAMS = {
    operator: microprogram(text)
    for operator, text in (
        (VA, SUM),
        (SV, PRODUCT),
        (VC, CROSS_PRODUCT),
        (MV, DOT_PRODUCT),
        (MM, DOT_PRODUCT),
        (VV, DOT_PRODUCT),
    )
}


def units(operator):
    """The multipliers and adders that a module uses for an operator."""
    return {use.unit for clock in MICROPROGRAMS[operator] for use in clock}
