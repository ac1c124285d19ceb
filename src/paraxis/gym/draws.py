"""The random numbers that a task begins with."""

import numpy as np


class Draws:
    """Random numbers, taken one after another from a row of uniform ones between 0 and 1.

    The row may be of floats or of traced scalars; without one, it counts how many are taken.
    """

    def __init__(self, row=None):
        self.taken, self._row = 0, row

    def uniform(self, low=0.0, high=1.0, size=None):
        """A number between `low` and `high`, evenly distributed, or an array of `size` of them."""
        count = 1 if size is None else int(size)
        first, self.taken = self.taken, self.taken + count
        row = np.full(count, 0.5) if self._row is None else self._row[first : self.taken]
        found = low + (np.asarray(high) - low) * row
        return found[0] if size is None else found
