"""The course of a search: how many problems are done after each round, and what all of them cost.

Rounds are evaluated many at a time, so that few of them wait for a GPU.
"""

import numpy as np

from .solution import History
from .status import RUNNING

TOGETHER = 16  # rounds


class Course:
    """That of a search of so many problems, on a target; `add` what is known after each round."""

    def __init__(self, target, count):
        self._target, self._xp = target, target.arrays
        self._costs = self._xp.full(count, np.nan)  # of all, after the last round that was read
        self._rows, self._rounds = None, 0
        self._found = [np.empty((0, 4))]

    def add(self, search, rows):
        """`rows`: the problems that are searched, of all."""
        if rows is not self._rows or self._rounds == TOGETHER:
            self._read()
            shape = TOGETHER, *search.shown.shape
            self._rows, self._past = rows, self._xp.empty(shape, search.shown.dtype)
        self._past[self._rounds] = search.shown
        self._rounds += 1

    def history(self):
        """Until the round after which all problems were done."""
        self._read()
        rounds = np.concatenate(self._found)
        over = np.flatnonzero(rounds[:, 0] == len(self._costs))
        return History(*rounds[: over[0] + 1 if over.size else None].T)

    def _read(self):
        if not self._rounds:
            return
        xp, count, total = self._xp, self._rounds, len(self._costs)
        status, merit, added = (self._past[:count, k] for k in range(3))
        costs = xp.repeat(self._costs[None], count, 0)
        costs[:, self._rows] = merit - added
        self._costs = costs[-1]
        done = total - (status == RUNNING).sum(1)
        rounds = xp.stack([done.astype(float), *_spread(xp, costs)], 1)
        self._found.append(self._target.in_main_memory(rounds))
        self._rounds = 0


def _spread(xp, costs):
    """The least, median and largest of those that are finite, per round."""
    finite = xp.isfinite(costs)
    count = finite.sum(1)[:, None]
    ordered = xp.sort(xp.where(finite, costs, np.inf), axis=1)
    for k in (xp.zeros_like(count), count // 2, count - 1):
        found = xp.take_along_axis(ordered, k, 1)
        yield xp.where(count > 0, found, np.nan)[:, 0]
