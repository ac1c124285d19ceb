"""Memory for a row of elements of named parts, for the levels of a scan to map over.

A level of a scan takes its operands from index sets: every element, or every other one, from some
place on. In columns each of these is a vector load.
"""

import numpy as np

from .sweep import Place

LINE = 8  # numbers


class Columns:
    """(entries, elements). Beyond the last element is room for the lanes of a register or two.

    `arrays` is the module of the arrays: NumPy, or another where bodies run elsewhere.
    """

    def __init__(self, parts, elements, room, before=0, arrays=np):
        self.parts, self.elements, self.before = dict(parts), elements, before
        total = sum(self.parts.values())
        # Entries an odd number of cache lines apart: at powers of two they would all compete for
        # the same few lines of a cache.
        lines = -(-(before + elements + room) // LINE) | 1
        self.whole = arrays.zeros((total, lines * LINE))
        self.array = self.whole[:, before : before + elements]
        self._slices, first = {}, 0
        for name, entries in self.parts.items():
            self._slices[name] = slice(first, first + entries)
            first += entries

    def __getitem__(self, name):
        """The numbers of one part, (entries, elements)."""
        return self.array[self._slices[name]]

    def copy_before(self, others):
        """To each of the others, which have some of the parts, what is before it here."""
        for name in others.parts:
            here = slice(self.before - 1, self.before - 1 + others.elements)
            others[name][...] = self.whole[self._slices[name], here]

    def places(self, prefix="", first=0, every=1, step=None, lanes=1, only=None):
        """Each part as a sweep takes it, from element `first` on, a lane for every `every`-th.

        `step` is how many elements a step goes on.
        """
        names = self.parts if only is None else only
        found = {}
        for name in names:
            rows = self.whole[self._slices[name]]
            entry, size = rows.strides
            found[prefix + name] = Place(
                rows,
                group=lanes * every * size,
                step=0 if step is None else step * size,
                lane=every * size,
                entry=entry,
                first=(self.before + first) * size,
            )
        return found


class Slots:
    """One element of named parts, which a sweep of one lane carries along."""

    def __init__(self, parts, arrays=np):
        self.columns = Columns(parts, 1, 0, arrays=arrays)

    def places(self, prefix="", only=None):
        return self.columns.places(prefix, only=only)
