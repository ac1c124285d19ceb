"""A script: what the arrays compute and send, in the order in which each of them does it.

A `Do` is one task on every processor of an array that has its inputs; a `Send` one message from
each of them. Blocks are numbered from 0; the data of block i are where the layout puts them
(wiring.py), and a task reads only data of its own processor. All costs follow from
the tasks' functions (flops.py). Time is no matter here: timing.py sets a script to time.
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from .flops import traced, words
from .wiring import hops, places, rounds, row


class Site(NamedTuple):
    """An array, from 0, and how often its blocks have been shuffled."""

    array: int
    layout: int = 0


class Read(NamedTuple):
    """The value of block i + offset, as block i's processor needs it."""

    value: str
    offset: int = 0
    optional: bool = False  # the function takes None where there is none


@dataclass(frozen=True)
class Do:
    """`function` of what is read, by the processors of these blocks."""

    part: str
    name: str
    site: Site
    function: object
    reads: tuple
    value: str  # what it makes
    blocks: np.ndarray
    flops: np.ndarray  # of each block's task
    round: int  # of a recurrence or an elimination, from 1; 0 if it is of none


@dataclass(frozen=True)
class Send:
    """The value of block i + offset goes from its processor to that of block i, for some i."""

    part: str
    value: str
    source: Site
    target: Site
    offset: int
    words: int
    hops: int
    blocks: np.ndarray  # that receive

    @property
    def senders(self):
        return self.blocks + self.offset


class Script:
    """`given` maps names to (pattern, slice of the chain): what is in all memories at first."""

    def __init__(self, n, arrays, given):
        self.n, self.arrays = n, arrays
        self.rounds, self.row = rounds(n), row(n)
        self.items, self.part, self.round = [], "", 0
        self.given = tuple(given)
        self._patterns = {name: pattern for name, (pattern, _) in given.items()}
        self._there = {}  # (value, site, offset) -> which blocks' processors have it
        for name, (_, having) in given.items():
            for array in range(arrays):
                self._there[name, Site(array), 0] = _mask(n, having)

    def places(self, layout):
        return _places(self.n, layout)

    def site(self, array, layout=0):
        """Where blocks are after so many rounds; after the last one they are home."""
        return Site(array, layout % max(1, self.rounds))

    def words(self, value):
        """The distinct scalars of a value."""
        return words(self._patterns[value])

    def do(self, name, function, reads, value, site, only=None):
        """A task that makes a value wherever its inputs are; none if the array has it already."""
        if (value, site, 0) in self._there:
            return
        reads = tuple(each if isinstance(each, Read) else Read(each) for each in reads)
        there = np.array([self._there[each.value, site, each.offset] for each in reads])
        optional = np.array([each.optional for each in reads])
        able = there.any(axis=0) if optional.all() else there[~optional].all(axis=0)
        able &= _mask(self.n, only)
        blocks = np.flatnonzero(able)
        if len(blocks):
            flops = self._costs(function, reads, value, there[:, blocks])
            self.items.append(
                Do(self.part, name, site, function, reads, value, blocks, flops, self.round)
            )
        self._there[value, site, 0] = able

    def send(self, value, source, target, offset=0, crossed=None, only=None):
        """Every block, or some, with a partner i + offset that has the value receives it.

        `crossed` are the links on the way where it is not that of a round.
        """
        if (source == target and not offset) or (value, target, offset) in self._there:
            return
        has = self._there[value, source, 0]
        partner = np.arange(self.n) + offset
        inside = (partner >= 0) & (partner < self.n)
        receives = inside & has[np.where(inside, partner, 0)] & _mask(self.n, only)
        self._there[value, target, offset] = receives
        if not receives.any():
            return
        if crossed is None:
            across = source.array != target.array
            crossed = across + hops(offset, source.layout != target.layout)
        size, blocks = self.words(value), np.flatnonzero(receives)
        self.items.append(Send(self.part, value, source, target, offset, size, crossed, blocks))

    def each_round(self, array):
        """(j, 2^j, where blocks are before round j and where after it)."""
        for j in range(self.rounds):
            self.round = j + 1
            yield j, 2**j, self.site(array, j), self.site(array, j + 1)
        self.round = 0

    def recurrence(self, value, combine, direction, array):
        """All results of a recurrence by recursive doubling: the name of the last ones.

        `direction` is -1 where block i needs all before it, 1 where it needs all beyond.
        """
        for j, s, here, there in self.each_round(array):
            partner = Read(numbered(value, j), direction * s, optional=True)
            self.send(partner.value, here, there, partner.offset)
            self.send(partner.value, here, there)
            own = Read(numbered(value, j), optional=True)
            new = numbered(value, j + 1)
            self.do(new, combine, (own, partner), new, there)
        return numbered(value, self.rounds)

    def _costs(self, function, reads, value, there):
        """The flops of each block's task; those at the ends of the chain have less to do."""
        _, first, which = np.unique(
            2 ** np.arange(len(reads)) @ there, return_index=True, return_inverse=True
        )
        costs = []
        for kind in there.T[first]:
            patterns = [
                self._patterns[each.value] if has else None
                for each, has in zip(reads, kind, strict=True)
            ]
            flops, pattern = _traced(function, *map(_frozen, patterns))
            costs.append(flops)
            if value not in self._patterns or words(pattern) > self.words(value):
                self._patterns[value] = pattern
        return np.array(costs, dtype=int)[which]


def numbered(value, j):
    """What a value is called after so many rounds."""
    return f"{value} {j}" if j else value


def _mask(n, having):
    """Which blocks: all, or those of a slice of the chain."""
    mask = np.zeros(n, dtype=bool)
    mask[slice(None) if having is None else having] = True
    return mask


def _frozen(pattern):
    return None if pattern is None else (pattern.shape, tuple(pattern.flat))


@cache
def _traced(function, *patterns):
    """Patterns as tuples, so that a trace is remembered."""
    return traced(
        function,
        [None if each is None else np.array(each[1]).reshape(each[0]) for each in patterns],
    )


@cache
def _places(n, layout):
    return places(n, layout)
