"""Dynamics of a chain in short rows: sweeps along all rows at once, scans that glue their ends."""

from ..drivers.elimination import Elimination
from ..drivers.scan import Scan
from ..targets.target import CPU
from .operators import row_ends, row_loads, row_motions, spins
from .recursions import row_spans
from .short_rows import ShortRows


class ArticulatedGluedRows(ShortRows):
    """Forward dynamics: Featherstone's recursion along rows (recursions/articulated_rows.py).

    Of the two scans of their ends, the first finds angular velocities, the second what moves and
    what pulls.
    """

    def __init__(self, chain, cut, on=CPU):
        super().__init__(chain, cut, on, ("q", "qd", "tau"), "qdd", {"angle": 2, "kept": 14})
        turns, ends = spins(on), row_ends(on)
        self._spins = Scan(turns, cut.rows, "kogge_stone")
        self._ends = Elimination(ends, cut.rows, "odd_even_reduction")
        self._still, self._free = self._column(turns.identity), self._column(ends.identity)
        self._rise = self._column([0.0, 0.0, 0.0, *-chain.gravity])
        before, after = self._spins.columns, self._spins.prefixes
        spans, x = self._ends.spans, self._ends.x
        self._spin = self._bind("spin", W=(before, "W", 0), ω=(before, "ω", 0))
        # The rate of a row's end goes inward to its start, and outward to its end again.
        rate = (after, "ω", 0)
        parts = {part: (spans, part, 0) for part in row_spans.SPAN}
        self._inward = self._bind("inward", inward=True, ω=rate, **parts)
        self._outward = self._bind("outward", ω=rate, a=(x, "A", 0), force=(x, "e", 1))

    def _levels(self, threads):
        self._spins.columns.array[...] = self._still
        self._spin.run(threads)
        self._spins.run(threads)
        self._ends.spans.array[...] = self._free
        self._inward.run(threads)
        self._ends.x["A"][:, :1] = self._rise
        self._ends.run(threads)
        self._outward.run(threads)


class NewtonEulerGluedRows(ShortRows):
    """Inverse dynamics: Newton-Euler along rows (recursions/newton_euler_rows.py).

    The two scans of their ends are of motions outward, and of loads inward, for which rows are in
    the other order.
    """

    def __init__(self, chain, cut, on=CPU):
        super().__init__(chain, cut, on, ("q", "qd", "qdd"), "tau", {"angle": 2, "load": 6})
        rows, moved, loaded = cut.rows, row_motions(on), row_loads(on)
        self._motions = Scan(moved, rows, "kogge_stone")
        self._loads = Scan(loaded, rows, "kogge_stone")
        self._still, self._unloaded = self._column(moved.identity), self._column(loaded.identity)
        base = moved.identity.copy()
        base[-3:] = -chain.gravity  # it rises, which is how gravity is felt
        self._motions.begin_with(on.arrays.asarray(base))
        self._starts = self._columns({"ω": 3, "a": 6}, rows)
        self._ends = self._columns({"sum_": 6}, rows)
        spans, sums = self._motions.columns, self._loads.columns
        self._reach = self._bind("reach", **{part: (spans, part, 0) for part in moved.parts})
        self._motion = self._bind(
            "motion",
            ω=(self._starts, "ω", 0),
            a=(self._starts, "a", 0),
            **{part: (sums, part, rows - 1, -1) for part in loaded.parts},
        )
        self._torque = self._bind("torque", inward=True, carried=(self._ends, "sum_", rows - 1, -1))

    def _levels(self, threads):
        self._motions.columns.array[...] = self._still
        self._reach.run(threads)
        self._motions.run(threads)
        self._motions.prefixes.copy_before(self._starts)
        self._loads.columns.array[...] = self._unloaded
        self._motion.run(threads)
        self._loads.run(threads)
        self._loads.prefixes.copy_before(self._ends)
        self._torque.run(threads)
