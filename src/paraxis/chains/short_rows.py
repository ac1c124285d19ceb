"""A chain cut into many short rows, whose ends are glued in logarithmic time.

It is for a machine with one processor per row. The number of rows is a power of two, and they are
side by side: element i = row · steps + step of the chain is in column step · rows + row.
"""

import numpy as np

from ..drivers.columns import Columns
from ..drivers.scan import ROOM
from ..drivers.sweep import APART, COLUMN
from ..targets.cpu.map import lanes_of
from .bodies import along
from .rows import SHIFTS, Cut

SHORTEST = 8  # steps of a row: a few more take about as long as one more level of gluing
MOST = 2**16  # rows: more than there are processors are only more to glue
VECTORS = ("q", "qd", "qdd", "tau")


def short_rows(chain, free_ends=True):
    """How the chain is cut; None where every row would end with a link that moves nothing, if the
    ends of rows are to be free."""
    n, rows = chain.n, 1
    while 2 * rows * SHORTEST <= n and rows < MOST:
        rows *= 2
    for before in range(SHIFTS):
        least = -(-(n + before) // rows)
        for steps in range(least, least + SHIFTS):
            cut = Cut(n, rows, 1, steps, before)
            if not free_ends or chain.bears(cut):
                return cut
    return None


class ShortRows:
    """What solvers that cut a chain so have in common: its links, vectors, and sweeps along rows.

    `inputs` are the vectors that come, `result` is the one that goes; `kept` are numbers of a link
    that sweeps leave for each other, by name. A subclass binds its sweeps and has `_levels`.
    """

    def __init__(self, chain, cut, on, inputs, result, kept):
        self._cut, self._kinds, self._on = cut, chain.kinds, on
        self._inputs, self._result = inputs, result
        self._vectors = self._columns(dict.fromkeys((*inputs, result), 1), cut.padded)
        self._links, self._kept = self._side_by_side(chain), self._columns(kept, cut.padded)
        self._run = on.recorded(self._levels)

    def __call__(self, first, second, third, result, threads=1):
        """Write the result."""
        own = self._cut.own
        for name, vector in zip(self._inputs, (first, second, third), strict=True):
            self._vectors[name][0, own] = vector
        self._run(threads)
        result[...] = self._vectors[self._result][0, own]

    def _columns(self, parts, elements):
        return Columns(parts, elements, ROOM, arrays=self._on.arrays)

    def _column(self, numbers):
        """Numbers that all rows are given."""
        return self._on.arrays.asarray(np.array(numbers)[:, None])

    def _side_by_side(self, chain):
        """The numbers of all links."""
        cut = self._cut
        whole = np.tile(chain.nothing, (cut.padded, 1))
        whole[cut.own] = chain.link
        links = self._columns({"link": whole.shape[1]}, cut.padded)
        rows = whole.reshape(cut.rows, cut.steps, -1)
        numbers = rows.transpose(2, 1, 0).reshape(-1, cut.padded)
        links["link"][...] = self._on.arrays.asarray(numbers)
        return links

    def _bind(self, name, inward=False, **ends):
        """A sweep along all rows; `ends` are what a row has one of: columns, part, first column
        and, where rows are in the other order, -1."""
        rows, steps = self._cut.rows, self._cut.steps
        layouts = [(vector, APART) for vector in VECTORS]
        layouts += [(array, APART) for array, (_, _, _, *backward) in ends.items() if backward]
        wide = rows % lanes_of("float64").count == 0
        sweep = along(name, self._kinds, wide, tuple(layouts), self._on, COLUMN)
        last, lanes, on = (steps - 1 if inward else 0), sweep.lanes, (-1 if inward else 1)
        walk = {"first": last * rows, "step": on * rows, "lanes": lanes}
        places = self._links.places(**walk) | self._kept.places(**walk)
        places |= self._vectors.places(first=last, step=on, every=steps, lanes=lanes)
        for array, (columns, part, first, *backward) in ends.items():
            every = -1 if backward else 1
            found = columns.places(first=first, every=every, lanes=lanes, only=(part,))
            places[array] = found[part]
        arrays = {array: places[array] for array in sweep.arrays}
        return sweep.bind(steps, rows // lanes, **arrays)
