"""The `sweep` driver: a body along rows of elements, many rows side by side.

Where `map` has independent states and `iterate` steps in time, a sweep goes along rows and reads
and writes arrays at every element on its way. It is what a scan over the links of a chain is made
of: the chain is cut into rows of equal length, one per lane.

An array in tiles is (groups, steps, entries, lanes): what a register of lanes needs at one step
lies side by side. Other arrays keep the layout of their owners.
"""

from dataclasses import dataclass, replace

# Layouts of an array's lanes and entries at one step
TILE = "tile"  # entry k is a whole vector, k vectors from the start
SAME = "same"  # one value for all lanes, entries side by side
COLUMN = "column"  # lanes side by side, entries at some distance
PAIRS = "pairs"  # as a column of which every other lane is taken
APART = "apart"  # lanes and entries at some distance


@dataclass(frozen=True)
class Place:
    """An array as a sweep walks it: bytes between groups of lanes, steps, lanes and entries.

    Without an array it is a place in one that comes with each run.
    """

    array: object  # of the array module of the target
    group: int
    step: int
    lane: int = 0
    entry: int = 0
    first: int = 0  # bytes to the first element

    @property
    def words(self):
        """As native code reads it."""
        address = 0 if self.array is None else self.array.ctypes.data
        return address + self.first, self.group, self.step, self.lane, self.entry


def outward(tile):
    """From the first step to the last."""
    group, step, entry, lane = tile.strides
    return Place(tile, group, step, lane, entry)


def inward(tile):
    """From the last step to the first."""
    place = outward(tile)
    return replace(place, step=-place.step, first=(tile.shape[1] - 1) * place.step)


def carried(tile):
    """One element a row, (groups, 1, entries, lanes), that stays under the hand."""
    return replace(outward(tile), step=0)
