"""Forward dynamics of an arm in contact, as section VI.D lays it out on two arrays.

Step I makes A block diagonal and finds Λ⁻¹ on array 1; step II finds the bias forces and how the
arm would move without contact on array 2, which then has Λ⁻¹ sent, finds the contact force (III)
and what it does to the motion (IV). A part here is a step of the paper.

Recurrences are those of Lee and Chang: all vectors of step II are in the tip's coordinates, so
that each is a product or a sum. The force at the tip, and what joints do to the tip, are taken at
the tip too, where equations 86 and 87 are a sum and a broadcast.
"""

from functools import lru_cache

import numpy as np

from . import blocks, links
from .elimination import ALLOCATIONS, pass_on
from .flops import dense, symmetric_pattern
from .script import Read, Script
from .wiring import route_hops

CONSTRAINED = 3  # directions at the tip: a pin. More or fewer change step III alone.
COLUMNS = 6  # right-hand sides of Λ⁻¹
ONE, SIX, NONE = RIGHT_HAND_SIDES = ("one array", "six arrays", "left out")
FIRST, LAST = slice(1), slice(-1, None)
ALL_BUT_FIRST, ALL_BUT_LAST = slice(1, None), slice(-1)
GIVEN = {  # value -> (its pattern, which blocks have it)
    "cosine": (dense(), None),
    "sine": (dense(), None),
    "seat": (dense(3, 3), None),
    "com": (dense(3), None),
    "inverse about com": (symmetric_pattern(3), None),
    "inverse mass": (dense(), None),
    "mass": (dense(), None),
    "inertia": (symmetric_pattern(3), None),
    "arm": (dense(3), None),
    "rate": (dense(), None),
    "torque": (dense(), None),
    "inner inertia": (symmetric_pattern(6), ALL_BUT_FIRST),
    "coupling constant": (dense(6, 5), ALL_BUT_LAST),
    "nothing": (dense(5, COLUMNS), ALL_BUT_LAST),  # zero, which the paper makes no use of
    "tip constant": (dense(6, 6), LAST),
    "inertia at tip": (symmetric_pattern(6), LAST),
    "rise": (dense(3), FIRST),
    "constraint": (dense(6, CONSTRAINED), LAST),
    "motion": (dense(6, 6 - CONSTRAINED), LAST),
    "motion force": (dense(6 - CONSTRAINED), LAST),
    "constraint acceleration": (dense(CONSTRAINED), LAST),
}


@lru_cache(maxsize=64)  # of a thousand links, 10 MB each
def closed_chain(n, allocation, right_hand_sides, arrays):
    """The script for n links."""
    return _ClosedChain(n, ALLOCATIONS[allocation], right_hand_sides, arrays).script


class _ClosedChain:
    """Writes the script, a method a part."""

    def __init__(self, n, allocation, right_hand_sides, arrays):
        extra = COLUMNS - 1 if right_hand_sides == SIX else 0
        self.script, self.allocation = Script(n, arrays + extra, GIVEN), allocation
        self.first, self.second = 0, arrays - 1
        self.more = list(range(arrays, arrays + extra))
        self.columns = right_hand_sides
        for part, steps in (
            ("I.a", self.system),
            ("I.b", self.diagonalise),
            ("I.c", self.tip_inertia),
            ("II.a", self.projection),
            ("II.b", self.bias),
            ("II.c", self.open_chain),
            ("II.d", self.open_tip),
            ("III", self.contact),
            ("IV.a", self.contact_torques),
            ("IV.b", self.correction),
        ):
            self.script.part = part
            steps()

    # -- array 1 -----------------------------------------------------------------------------------

    def system(self):
        """The blocks A, B and E."""
        script, here = self.script, self.script.site(self.first)
        script.do("turn", links.turn, ["cosine", "sine", "seat"], "turn", here)
        reads = ["turn", "com", "inverse about com", "inverse mass"]
        script.do("I⁻¹", links.inverse_inertia, reads, "inverse inertia", here)
        script.send("inverse inertia", here, script.site(self.second))
        script.do("B", links.held_rows, ["turn", "coupling constant"], "B", here)
        script.do("E", links.held_rows, ["turn", "tip constant"], "E", here)  # in place of a B
        reads = ["inverse inertia", Read("inner inertia", optional=True)]
        script.do("A", links.diagonal_block, reads, "A", here)

    def diagonalise(self):
        chains = [[self.second]] if self.second else []
        chains += [self.more] if self.more else []
        self.done = self.allocation.diagonalise(self.script, self.first, chains)
        here = self.script.site(self.first)
        self.script.send(self.done, here, self.script.site(self.second))

    def tip_inertia(self):
        """Λ⁻¹: six right-hand sides, of which only the last block is not zero at first."""
        script, here = self.script, self.script.site(self.first)
        right_side = "E"
        if self.columns == ONE:
            reads = [Read("E", optional=True), Read("nothing", optional=True)]
            script.do("ψ", links.either, reads, "ψ", here)
            right_side = self.allocation.right_side(script, "ψ", self.first)
        elif self.columns == SIX:
            right_side = self._columns_apart()
        script.do("LDLᵀ of the tip", blocks.factor, [self.done], "tip LD", here, LAST)
        reads = ["tip LD", "E", right_side, "inertia at tip"]
        script.do("Λ⁻¹", links.tip_inverse_inertia, reads, "Λ⁻¹", here)
        script.send("Λ⁻¹", here, script.site(self.second))

    def _columns_apart(self):
        """Each column on an array of its own; in the end they are one block again."""
        script, here = self.script, self.script.site(self.first)
        pass_on(script, "E", here, [self.more])
        ends = []
        for k, array in enumerate((self.first, *self.more)):
            there, name = script.site(array), f"ψ{k + 1}"
            reads = [Read("E", optional=True), Read("nothing", optional=True)]
            script.do(name, _COLUMN[k], reads, name, there)
            ends.append(self.allocation.right_side(script, name, array))
            script.send(ends[-1], there, here, crossed=k, only=LAST)
        script.do("ψ", _together, ends, "ψ", here, LAST)
        return "ψ"

    # -- array 2 -----------------------------------------------------------------------------------

    def projection(self):
        """What points where, in the coordinates of the tip."""
        script, here = self.script, self.script.site(self.second)
        script.do("turn", links.turn, ["cosine", "sine", "seat"], "turn", here)
        script.do("back", links.transposed, ["turn"], "to tip", here)
        to_tip = script.recurrence("to tip", links.product, 1, self.second)
        script.send(to_tip, here, here, 1)
        self.to_tip, self.beyond = to_tip, Read(to_tip, 1, optional=True)
        script.do("z", links.axis, [to_tip], "axis", here)
        script.do("s", links.to_tip, [self.beyond, "com"], "com at tip", here)
        script.do("p", links.to_tip, [self.beyond, "arm"], "arm at tip", here)

    def bias(self):
        """The torques that keep all joints at their rates, and what the others do."""
        script, here, second = self.script, self.script.site(self.second), self.second
        do, recurrence = script.do, script.recurrence
        do("ż", links.spin, ["axis", "rate"], "ω", here)
        spin = recurrence("ω", links.total, -1, second)
        do("ω × ż", links.spin_change, [spin, "ω"], "α", here)
        change = recurrence("α", links.total, -1, second)
        do("e", links.swing, [spin, change, "arm at tip"], "swing", here)
        do("g", links.lift, [self.to_tip, "rise"], "lift", here)
        do("e + g", links.total, ["swing", Read("lift", optional=True)], "a", here)
        beyond = recurrence("a", links.total, -1, second)
        reads = ["mass", spin, change, "com at tip", beyond, "swing"]
        do("F", links.force, reads, "f", here)
        carried = recurrence("f", links.total, 1, second)
        do("N", links.moment, [self.beyond, "inertia", spin, change], "moment", here)
        reads = ["moment", "com at tip", "f", "arm at tip", carried]
        do("n", links.joint_moment, reads, "n", here)
        moment = recurrence("n", links.total, 1, second)
        do("F_T", links.driving, ["torque", "axis", moment], "driving", here)
        self._open_right_side("driving", "₀")
        script.send("lift", here, here, 1 - script.n, route_hops(script.n, 0, script.n - 1))
        reads = [change, beyond, Read("lift", 1 - script.n)]
        do("J̇q̇", links.tip_bias, reads, "tip bias", here, LAST)
        way = recurrence("arm at tip", links.total, 1, second)
        do("J", links.tip_motion, ["axis", way], "tip motion", here)

    def open_chain(self):
        """q̈₀. The paper waits for the last A here; only X³ needs it, and right-hand sides go
        along with the elimination."""
        self._accelerations("₀")

    def open_tip(self):
        """How the tip would accelerate without contact."""
        script, here = self.script, self.script.site(self.second)
        script.do("J q̈", links.scaled, ["tip motion", "q̈₀"], "tip", here)
        self.tip = script.recurrence("tip", links.total, -1, self.second)

    def contact(self):
        here = self.script.site(self.second)
        reads = ["Λ⁻¹", self.tip, "tip bias", "constraint", "motion", "motion force"]
        reads.append("constraint acceleration")
        self.script.do("contact", links.contact_force, reads, "force", here)

    def contact_torques(self):
        script, here = self.script, self.script.site(self.second)
        force = script.recurrence("force", links.either, 1, self.second)
        script.do("τ'", links.held_torque, ["tip motion", force], "contact torque", here)

    def correction(self):
        here = self.script.site(self.second)
        self._open_right_side("contact torque", "ᶜ")
        self._accelerations("ᶜ")
        self.script.do("q̈", links.closed, ["q̈₀", "q̈ᶜ"], "q̈", here)

    # -- M⁻¹ times a vector, in two pieces ---------------------------------------------------------

    def _open_right_side(self, forces, mark):
        """X¹ and X²."""
        script, here = self.script, self.script.site(self.second)
        free, gap = f"X¹{mark}", f"X²{mark}"
        script.send(forces, here, here, 1)
        reads = ["inverse inertia", "turn", forces, Read(forces, 1, optional=True)]
        script.do(free, links.free_acceleration, reads, free, here)
        on = f"{free} on"
        script.do(on, links.carried_out, ["turn", "arm", free], on, here, ALL_BUT_LAST)
        script.send(on, here, here, -1)
        script.do(gap, links.gap, [free, Read(on, -1, optional=True)], gap, here)

    def _accelerations(self, mark):
        """X³ to X⁵ and the accelerations of joints."""
        script, here = self.script, self.script.site(self.second)
        free, held, whole = (f"{name}{mark}" for name in ("X¹", "X³", "X⁵"))
        right_side = self.allocation.right_side(script, f"X²{mark}", self.second)
        script.do("LDLᵀ", blocks.factor, [self.done], "LD at last", here)
        script.do(held, blocks.solve, ["LD at last", right_side], held, here)
        script.send(held, here, here, 1)
        reads = ["inverse inertia", "turn", "arm", free, held, Read(held, 1, optional=True)]
        script.do(whole, links.held_acceleration, reads, whole, here)
        on = f"{whole} on"
        script.do(on, links.along_next_axis, ["turn", whole], on, here, ALL_BUT_LAST)
        script.send(on, here, here, -1)
        reads = [whole, Read(on, -1, optional=True)]
        script.do(f"q̈{mark}", links.joint_acceleration, reads, f"q̈{mark}", here)


def _column(k):
    def column(block, nothing):
        return links.either(block, nothing)[:, k]

    return column


_COLUMN = tuple(map(_column, range(COLUMNS)))


def _together(*columns):
    return np.stack(columns, axis=1)
