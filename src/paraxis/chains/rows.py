"""A chain cut into rows of equal length, one per lane, and the memory that sweeps along them need.

Element i = row · steps + step. Before the first link and beyond the last may be links without mass,
whose joints do not move: the end of the last row is the end of the chain.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..drivers.sweep import APART, Place
from ..targets.target import CPU
from .bodies import across, along

LEAST_ROWS = 16
SHIFTS = 6  # tried, so that rows end with links that have mass: of universal joints every other
NUMBER = 8  # bytes
VECTORS = tuple((name, APART) for name in ("q", "qd", "qdd", "tau"))


def rows_of(n):
    """How many rows a chain of n links is cut into: about √n / 4, a power of two."""
    rows = LEAST_ROWS
    while 16 * rows * rows < n:
        rows *= 2
    return rows


def cuts(n, lanes):
    """The ways to cut n links, the best first.

    Rows of an odd length are better: with a power of two between lanes, all would compete for the
    same few lines of a cache. Others, and links before the first, move the ends of rows.
    """
    rows = -(-rows_of(n) // lanes) * lanes
    for before in range(SHIFTS):
        least = -(-(n + before) // rows)
        lengths = range(least, least + SHIFTS)
        for steps in sorted(lengths, key=lambda steps: (steps % 2 == 0, steps)):
            yield Cut(n, rows, lanes, steps, before)


@dataclass(frozen=True)
class Cut:
    """`rows` rows of `steps` links each, in groups of `lanes`, with links `before` the first."""

    n: int
    rows: int
    lanes: int
    steps: int
    before: int = 0

    @property
    def groups(self):
        return self.rows // self.lanes

    @property
    def own(self):
        """The elements that are links of the chain."""
        return slice(self.before, self.before + self.n)

    @property
    def padded(self):
        """The elements of all rows."""
        return self.groups * self.lanes * self.steps

    def tile(self, entries):
        """Memory for so many numbers per link."""
        return CPU.tiles(self.groups, self.steps, entries, self.lanes)

    def tiled(self, array, padding):
        """A copy of an array (n, entries) in tiles."""
        entries = array.shape[1]
        whole = np.empty((self.padded, entries))
        whole[...], whole[self.own] = padding, array
        result = self.tile(entries)
        rows = whole.reshape(self.groups, self.lanes, self.steps, entries)
        result[...] = rows.transpose(0, 2, 3, 1)
        return result

    @property
    def outward(self):
        """How a sweep from the root on walks a vector of one number per link."""
        row = self.steps * NUMBER
        return Place(None, self.lanes * row, NUMBER, row)

    @property
    def inward(self):
        """The same from the tip."""
        return replace(self.outward, step=-NUMBER, first=(self.steps - 1) * NUMBER)


class Heads:
    """Memory for some numbers per row, by name: in tiles for sweeps along all rows at once, and row
    after row for what goes from one row to the next."""

    def __init__(self, cut, **entries):
        total = sum(entries.values())
        self._tile = CPU.tiles(cut.groups, 1, total, cut.lanes)
        self._flat = np.zeros((cut.groups * cut.lanes, total))
        self._initial = np.zeros_like(self._tile)
        self._slices, first = {}, 0
        for name, count in entries.items():
            self._slices[name] = slice(first, first + count)
            first += count

    def start(self, name, values):
        """What `reset` makes of these numbers."""
        self._initial[:, 0, self._slices[name]] = np.asarray(values, float).reshape(-1, 1)

    def reset(self):
        np.copyto(self._tile, self._initial)

    def tile(self, name):
        """As sweeps along all rows see it."""
        part = self._tile[:, :, self._slices[name]]
        return Place(part, part.strides[0], 0)

    def flat(self, name, inward=False):
        """As a sweep from one row to the next sees it."""
        part = self._flat[:, self._slices[name]]
        step = part.strides[0]
        return (
            Place(part, 0, -step, first=(len(part) - 1) * step) if inward else Place(part, 0, step)
        )

    def flat_part(self, name):
        """The numbers of one name, (rows, entries)."""
        return self._flat[:, self._slices[name]]

    def to_flat(self):
        groups, _, total, lanes = self._tile.shape
        self._flat.reshape(groups, lanes, total)[...] = self._tile[:, 0].transpose(0, 2, 1)

    def to_tile(self):
        groups, _, total, lanes = self._tile.shape
        self._tile[:, 0] = self._flat.reshape(groups, lanes, total).transpose(0, 2, 1)


class RowSweeps:
    """What every solver that cuts a chain into rows does: bind sweeps along and across them."""

    def __init__(self, chain, cut):
        self._kinds, self._gravity, self._cut = chain.kinds, chain.gravity, cut

    def _bind(self, name, **places):
        """A sweep along all rows at once."""
        cut = self._cut
        sweep = along(name, self._kinds, cut.lanes > 1, VECTORS)
        return sweep.bind(cut.steps, cut.groups, **places)

    def _join(self, name, **places):
        """A sweep from one row to the next."""
        return across(name).bind(self._cut.rows, 1, **places)
