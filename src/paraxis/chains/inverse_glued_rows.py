"""Inverse dynamics of a chain in short rows: sweeps along all rows at once, their ends glued."""

from ..drivers.scan import Scan
from ..targets.cpu.sweep import ON_CPU
from .operators import row_loads, row_motions
from .short_rows import ShortRows


class NewtonEulerGluedRows(ShortRows):
    """Newton-Euler along rows (chains/recursions/newton_euler_rows.py), and two scans of their ends: of
    motions outward, and of loads inward, for which rows are in the other order."""

    def __init__(self, chain, cut, on=ON_CPU):
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
