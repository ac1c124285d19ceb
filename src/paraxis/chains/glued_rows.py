"""Forward dynamics of a chain cut into many short rows, whose ends are glued in pairs.

As forward_rows.py, but junctions take logarithmic time: for a machine with a processor a row. There
is a power of two of rows, and they lie side by side: element i = row · steps + step of the chain is
in column step · rows + row.
"""

import numpy as np

from ..algorithms import row_spans
from ..backends.llvm.kernel import lanes_of
from ..backends.llvm.sweep import APART, COLUMN
from ..backends.llvm.sweep_kernel import ON_CPU
from ..drivers.columns import Columns
from ..drivers.elimination import Elimination
from ..drivers.scan import ROOM, Scan
from .bodies import along
from .operators import row_ends, spins
from .rows import SHIFTS, Cut

SHORTEST = 8  # steps of a row: a few more take no longer than one more level of gluing
VECTORS = ("q", "qd", "tau", "qdd")
WAYS = tuple((name, APART) for name in VECTORS)


def short_rows(chain):
    """How the chain is cut; None where every row would end with a link that moves nothing."""
    n, rows = chain.n, 1
    while 2 * rows * SHORTEST <= n:
        rows *= 2
    for before in range(SHIFTS):
        least = -(-(n + before) // rows)
        for steps in range(least, least + SHIFTS):
            cut = Cut(n, rows, 1, steps, before)
            if chain.bears(cut):
                return cut
    return None


class GluedRows:
    """Featherstone's recursion along all rows at once (algorithms/articulated_rows.py), and of
    their ends two scans. The first finds angular velocities, the second what moves and pulls."""

    def __init__(self, chain, cut, on=ON_CPU):
        self._cut, self._kinds, self._on = cut, chain.kinds, on
        turns, ends = spins(on), row_ends(on)
        self._spins = Scan(turns, cut.rows, "kogge_stone")
        self._ends = Elimination(ends, cut.rows, "odd_even_reduction")
        self._vectors = self._columns(dict.fromkeys(VECTORS, 1))
        self._still, self._free, self._rise = (
            on.arrays.asarray(np.array(numbers)[:, None])
            for numbers in (turns.identity, ends.identity, [0.0, 0.0, 0.0, *-chain.gravity])
        )
        self._bind(self._links(chain), self._columns({"angle": 2, "kept": 14}))
        self._run = on.recorded(self._levels)

    def _columns(self, parts):
        return Columns(parts, self._cut.padded, ROOM, arrays=self._on.arrays)

    def _links(self, chain):
        """The numbers of all links, side by side."""
        cut, arrays = self._cut, self._on.arrays
        whole = np.tile(chain.nothing, (cut.padded, 1))
        whole[cut.own] = chain.link
        links = self._columns({"link": whole.shape[1]})
        rows = whole.reshape(cut.rows, cut.steps, -1)
        links["link"][...] = arrays.asarray(rows.transpose(2, 1, 0).reshape(-1, cut.padded))
        return links

    def _bind(self, links, kept):
        rows, steps = self._cut.rows, self._cut.steps
        wide = rows % lanes_of("float64").count == 0
        rates, spans, x = self._spins.prefixes, self._ends.spans, self._ends.x

        def job(name, vectors, inward=False, **carried):
            sweep = along(name, self._kinds, wide, WAYS, self._on, COLUMN)
            walk = {"lanes": sweep.lanes, "step": -rows if inward else rows}
            walk["first"] = (steps - 1) * rows if inward else 0
            row = {"lanes": sweep.lanes, "every": steps, "step": -1 if inward else 1}
            row["first"] = steps - 1 if inward else 0
            places = links.places(**walk) | kept.places(**walk)
            places |= self._vectors.places(**row, only=vectors)
            for array, (columns, part, first) in carried.items():
                found = columns.places(first=first, lanes=sweep.lanes, only=(part,))
                places[array] = found[part]
            arrays = {array: places[array] for array in sweep.arrays}
            return sweep.bind(steps, rows // sweep.lanes, **arrays)

        starts = self._spins.columns
        self._spin = job("spin", ("q", "qd"), W=(starts, "W", 0), ω=(starts, "ω", 0))
        # The rate of a row's end goes inward to its start, and outward to its end again.
        rate = (rates, "ω", 0)
        ends = {part: (spans, part, 0) for part in row_spans.SPAN}
        self._inward = job("inward", ("q", "qd", "tau"), True, ω=rate, **ends)
        moved = {"a": (x, "A", 0), "force": (x, "e", 1)}
        self._outward = job("outward", ("q", "qd", "qdd"), ω=rate, **moved)

    def __call__(self, q, qd, tau, qdd, threads=1):
        """Write the accelerations."""
        own = self._cut.own
        for name, vector in (("q", q), ("qd", qd), ("tau", tau)):
            self._vectors[name][0, own] = vector
        self._run(threads)
        qdd[...] = self._vectors["qdd"][0, own]

    def _levels(self, threads):
        self._spins.columns.array[...] = self._still
        self._spin.run(threads)
        self._spins.run(threads)
        self._ends.spans.array[...] = self._free
        self._inward.run(threads)
        self._ends.x["A"][:, :1] = self._rise
        self._ends.run(threads)
        self._outward.run(threads)
