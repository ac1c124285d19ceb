"""Forward dynamics of a chain in short rows: sweeps along all rows at once, their ends glued."""

from ..drivers.scan import Scan
from ..targets.cpu.sweep import ON_CPU
from .elimination import Elimination
from .operators import row_ends, spins
from .recursions import row_spans
from .short_rows import ShortRows


class ArticulatedGluedRows(ShortRows):
    """Featherstone's recursion along rows (chains/recursions/articulated_rows.py), and two scans of their
    ends. The first finds angular velocities, the second what moves and what pulls."""

    def __init__(self, chain, cut, on=ON_CPU):
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
