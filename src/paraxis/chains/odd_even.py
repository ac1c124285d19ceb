"""Odd-even elimination: every unknown at once, in ⌈log₂ n⌉ levels, no way back.

Each level is two maps over all unknowns; partners are 1, 2, 4, ... away. Beyond both ends of the
row are unknowns that are coupled to nothing.
"""

import numpy as np

from ..drivers.columns import Columns


class OddEvenElimination:
    """Spans and unknowns as in drivers/elimination.py; the first and the last unknown are zero.

    `operator.map(name)` gives the compiled bodies `equations`, `products`, `doubled`, `alone`.
    """

    def __init__(self, operator, elements):
        self._equations, products = operator.map("equations"), operator.map("products")
        doubled, alone = operator.map("doubled"), operator.map("alone")
        lanes, count = products.lanes, elements - 1
        groups = -(-count // lanes)
        padded = groups * lanes
        levels = max(count - 1, 0).bit_length()
        reach = 1 << levels
        arrays, k = operator.on.arrays, operator.unknown["x"]
        self._count, self._identity = count, arrays.asarray(np.eye(k)[np.triu_indices(k)][:, None])
        self.spans = Columns(operator.parts, elements, 2 * lanes + 1, arrays=arrays)
        self.x = Columns(operator.unknown, elements + 1, 2 * lanes + 1, arrays=arrays)
        self._held = [Columns(operator.equation, padded, reach, reach, arrays) for _ in range(2)]
        taken = Columns(operator.products, padded, reach, reach, arrays)
        first = self._held[0]
        self._start = self._equations.bind(
            1,
            groups,
            **self.spans.places(lanes=lanes, only=("far", "b_far")),
            **self.spans.places(first=1, lanes=lanes, only=("near", "across", "b_near")),
            **first.places(lanes=lanes),
        )
        self._levels = []
        for level in range(levels):
            now, later = self._held
            apart = 1 << level
            before = now.places(first=-apart, lanes=lanes, only=("B",))
            self._levels.append(
                products.bind(
                    1,
                    groups,
                    **now.places(lanes=lanes),
                    B_before=before["B"],
                    **taken.places(lanes=lanes),
                )
            )
            self._levels.append(
                doubled.bind(
                    1,
                    groups,
                    **taken.places(first=-apart, lanes=lanes, only=("from_after", "rest_after")),
                    **taken.places(
                        first=apart,
                        lanes=lanes,
                        only=("from_before", "rest_before", "left_between"),
                    ),
                    **_sides(now, later, lanes),
                )
            )
            self._held = self._held[::-1]
        last = self._held[0]
        self._first = first
        self._solve = alone.bind(
            1,
            groups,
            **last.places(lanes=lanes, only=("A", "ψ")),
            **self.x.places(first=1, lanes=lanes),
        )

    def run(self, threads=1):
        self._start.run(threads)
        rest = self._first
        rest["A"][:, self._count :] = self._identity
        rest["B"][:, self._count - 1 :] = 0.0
        rest["ψ"][:, self._count :] = 0.0
        for level in self._levels:
            level.run(threads)
        self._solve.run(threads)
        self.x.array[:, -1] = 0.0


def _sides(now, later, lanes):
    """A and ψ are read here and written there: old_ and new ones."""
    old = now.places("old_", lanes=lanes, only=("A", "ψ"))
    return old | later.places(lanes=lanes)
