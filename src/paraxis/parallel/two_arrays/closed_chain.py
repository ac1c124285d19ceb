"""Forward dynamics of an arm in contact, as divided among two arrays in section VI.D.

Step I makes A block diagonal and computes Λ⁻¹ on array 1; step II computes the bias forces and the
motion of the arm without contact on array 2, which then receives Λ⁻¹ and computes the contact force
(III) and its effect on the motion (IV). A part here is a step of the paper.

Recurrences are those of Lee and Chang: all vectors of step II are in tip coordinates, so that each
is a product or a sum. The force at the tip, and the motion of the tip due to joints, are also taken
at the tip, where equations 86 and 87 are a sum and a broadcast.
"""

from functools import cache, lru_cache

import numpy as np

from . import blocks, links
from .elimination import ALLOCATIONS, pass_on
from .flops import ZERO, dense, symmetric_pattern
from .script import Read, Script

CONSTRAINED = 3  # directions at the tip: a pin. Other numbers only change step III.
COLUMNS = 6  # right-hand sides of Λ⁻¹
ONE, SIX, NONE = RIGHT_HAND_SIDES = ("one array", "six arrays", "left out")
LAST, ALL_BUT_LAST = slice(-1, None), slice(-1)
SCALAR, THREE, TURN = dense(), dense(3), dense(3, 3)
NO_TRAVEL = np.array(ZERO)
INERTIA, SPATIAL_INERTIA = symmetric_pattern(3), symmetric_pattern(6)


def given(joints):
    """value -> its pattern for each block, None for blocks without it."""
    n, beyond = len(joints), [*joints[1:], None]
    every = {
        "seat": TURN,
        "com at rest": THREE,
        "inverse about com": INERTIA,
        "inverse mass": SCALAR,
        "mass": SCALAR,
        "inertia": INERTIA,
        "arm at rest": THREE,
    }
    own = {
        "rotation": [joint.rotation for joint in joints],
        "travel": [SCALAR if joint.slides else NO_TRAVEL for joint in joints],
        "H": [joint.H for joint in joints],
        "W": [joint.W for joint in joints],
        "yields": [joint.yields for joint in joints],
        "rate": [_dense(joint.degrees) for joint in joints],
        "torque": [_dense(joint.degrees) for joint in joints],
        "nothing": [_dense(joint.holding, COLUMNS) for joint in joints[:-1]] + [None],  # zeros
        "inner inertia": [None] + [SPATIAL_INERTIA] * (n - 1),
        "coupling constant": [joint and _dense(6, joint.holding) for joint in beyond],
        "outer H": [joint and joint.H for joint in beyond],
        "outer W": [joint and joint.W for joint in beyond],
        "rise": [THREE] + [None] * (n - 1),
    }
    last = {
        "tip constant": _dense(6, 6),
        "inertia at tip": SPATIAL_INERTIA,
        "constraint": _dense(6, CONSTRAINED),
        "motion": _dense(6, 6 - CONSTRAINED),
        "motion force": _dense(6 - CONSTRAINED),
        "constraint acceleration": _dense(CONSTRAINED),
    }
    return (
        {name: [pattern] * n for name, pattern in every.items()}
        | own
        | {name: [None] * (n - 1) + [pattern] for name, pattern in last.items()}
    )


_dense = cache(dense)  # so that equal patterns are one object


@lru_cache(maxsize=64)  # of a thousand links, 10 MB each
def closed_chain(joints, allocation, right_hand_sides, arrays, wiring):
    """The script for an arm with these joints (joints.py)."""
    return _ClosedChain(joints, ALLOCATIONS[allocation], right_hand_sides, arrays, wiring).script


class _ClosedChain:
    """Writes the script, with one method per part."""

    def __init__(self, joints, allocation, right_hand_sides, arrays, wiring):
        extra = COLUMNS - 1 if right_hand_sides == SIX else 0
        self.script, self.allocation = Script(wiring, arrays + extra, given(joints)), allocation
        self.slides = any(joint.slides for joint in joints)
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
        com, _ = self._placed(here)
        script.do("turn", links.turn, ["rotation", "seat"], "turn", here)
        reads = ["turn", com, "inverse about com", "inverse mass"]
        script.do("I⁻¹", links.inverse_inertia, reads, "inverse inertia", here)
        script.send("inverse inertia", here, script.site(self.second))
        for name, constant in (("B", "coupling constant"), ("E", "tip constant")):
            if self.slides:
                slid, reads = f"{constant} slid", [constant, "seat", "travel"]
                script.do(slid, links.slid_columns, reads, slid, here)
                constant = slid
            script.do(name, links.held_rows, ["turn", constant, "W"], name, here)
        reads = ["inverse inertia", Read("inner inertia", optional=True), "W", "yields"]
        script.do("A", links.diagonal_block, reads, "A", here)

    def _placed(self, here):
        """The names of the links' centres of mass and arms, which change if joints slide."""
        if not self.slides:
            return "com at rest", "arm at rest"
        for name in ("com", "arm"):
            reads = [f"{name} at rest", "seat", "travel"]
            self.script.do(name, links.slid, reads, name, here)
        return "com", "arm"

    def diagonalise(self):
        chains = [[self.second]] if self.second else []
        chains += [self.more] if self.more else []
        self.done = self.allocation.diagonalise(self.script, self.first, chains)
        here = self.script.site(self.first)
        self.script.send(self.done, here, self.script.site(self.second))

    def tip_inertia(self):
        """Λ⁻¹: six right-hand sides, of which only the last block is nonzero at first."""
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
        """Each column on its own array; finally they are one block again."""
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
        """All directions and positions, in tip coordinates."""
        script, here = self.script, self.script.site(self.second)
        com, self.arm = self._placed(here)
        script.do("turn", links.turn, ["rotation", "seat"], "turn", here)
        script.do("back", links.transposed, ["turn"], "to tip", here)
        to_tip = script.recurrence("to tip", links.product, 1, self.second)
        script.send(to_tip, here, here, 1)
        self.to_tip, self.beyond = to_tip, Read(to_tip, 1, optional=True)
        script.do("z", links.axes, [to_tip, "H"], "axes", here)
        script.do("s", links.to_tip, [self.beyond, com], "com at tip", here)
        script.do("p", links.to_tip, [self.beyond, self.arm], "arm at tip", here)

    def bias(self):
        """The torques that keep all joints at their rates, and the remaining ones."""
        script, here, second = self.script, self.script.site(self.second), self.second
        do, recurrence = script.do, script.recurrence
        do("ż", links.spin, ["axes", "rate"], "ω", here)
        spin = recurrence("ω", links.total, -1, second)
        do("ω × ż", links.spin_change, [spin, "ω"], "α", here)
        change = recurrence("α", links.total, -1, second)
        do("e", links.swing, [spin, change, "arm at tip"], "swing", here)
        do("g", links.lift, [self.to_tip, "rise"], "lift", here)
        terms = ["swing", Read("lift", optional=True)]
        if self.slides:
            do("2 ω × ż", links.slide_change, [spin, "axes", "rate"], "slide", here)
            terms.append("slide")
        do("e + g", links.total, terms, "a", here)
        beyond = recurrence("a", links.total, -1, second)
        reads = ["mass", spin, change, "com at tip", beyond, "swing"]
        do("F", links.force, reads, "f", here)
        carried = recurrence("f", links.total, 1, second)
        do("N", links.moment, [self.beyond, "inertia", spin, change], "moment", here)
        reads = ["moment", "com at tip", "f", "arm at tip", carried]
        do("n", links.joint_moment, reads, "n", here)
        moment = recurrence("n", links.total, 1, second)
        do("F_T", links.driving, ["torque", "axes", moment, carried], "driving", here)
        self._open_right_side("driving", "₀")
        script.send("lift", here, here, 1 - script.n, script.wiring.route_hops(0, -1))
        reads = [change, beyond, Read("lift", 1 - script.n)]
        do("J̇q̇", links.tip_bias, reads, "tip bias", here, LAST)
        way = recurrence("arm at tip", links.total, 1, second)
        do("J", links.tip_motion, ["axes", way], "tip motion", here)

    def open_chain(self):
        """q̈₀. The paper waits for the last A here; only X³ needs it, and right-hand sides are
        updated along with the elimination."""
        self._accelerations("₀")

    def open_tip(self):
        """The acceleration of the tip without contact."""
        script, here = self.script, self.script.site(self.second)
        script.do("J q̈", links.along, ["tip motion", "q̈₀"], "tip", here)
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
        outer = [Read("outer H", optional=True), Read(forces, 1, optional=True)]
        reads = ["inverse inertia", "turn", self.arm, "H", forces, *outer]
        script.do(free, links.free_acceleration, reads, free, here)
        on = f"{free} on"
        script.do(on, links.carried_out, ["turn", self.arm, free], on, here, ALL_BUT_LAST)
        script.send(on, here, here, -1)
        script.do(gap, links.gap, [free, Read(on, -1, optional=True), "W"], gap, here)

    def _accelerations(self, mark):
        """X³ to X⁵ and the accelerations of joints."""
        script, here = self.script, self.script.site(self.second)
        free, held, whole = (f"{name}{mark}" for name in ("X¹", "X³", "X⁵"))
        right_side = self.allocation.right_side(script, f"X²{mark}", self.second)
        script.do("LDLᵀ", blocks.factor, [self.done], "LD at last", here)
        script.do(held, blocks.solve, ["LD at last", right_side], held, here)
        script.send(held, here, here, 1)
        outer = [Read("outer W", optional=True), Read(held, 1, optional=True)]
        reads = ["inverse inertia", "turn", self.arm, free, "W", held, *outer]
        script.do(whole, links.held_acceleration, reads, whole, here)
        on = f"{whole} on"
        script.do(on, links.along_next, ["turn", self.arm, whole, "outer H"], on, here)
        script.send(on, here, here, -1)
        reads = [whole, Read(on, -1, optional=True), "H"]
        script.do(f"q̈{mark}", links.joint_acceleration, reads, f"q̈{mark}", here)


def _column(k):
    def column(block, nothing):
        return links.either(block, nothing)[:, k]

    return column


_COLUMN = tuple(map(_column, range(COLUMNS)))


def _together(*columns):
    return np.stack(columns, axis=1)
