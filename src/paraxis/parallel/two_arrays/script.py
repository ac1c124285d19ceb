"""A script: what the arrays compute and send, in the order in which each of them does it.

A `Do` is one task for every block whose processor has its inputs; a `Send` is one message from each
of them. Blocks are numbered from 0; the data of block i are placed by the layout (wiring.py), and a
task reads only data of its own processor. All costs follow from the tasks' functions (flops.py). A
script has no times; timing.py assigns them.
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from .flops import traced, words

ABSENT = -1  # the pattern of a block without the value


class Site(NamedTuple):
    """An array, from 0, and the number of rounds done."""

    array: int
    layout: int = 0


class Read(NamedTuple):
    """The value of block i + offset, as block i's processor needs it."""

    value: str
    offset: int = 0
    optional: bool = False  # the function takes None if there is none


@dataclass(frozen=True)
class Do:
    """`function` of the values read, by the processors of these blocks."""

    part: str
    name: str
    site: Site
    function: object
    reads: tuple
    value: str  # its result
    blocks: np.ndarray
    flops: np.ndarray  # of each block's task
    round: int  # of a recurrence or an elimination, from 1; otherwise 0


@dataclass(frozen=True)
class Send:
    """The value of block i + offset goes from its processor to that of block i, for some i."""

    part: str
    value: str
    source: Site
    target: Site
    offset: int
    blocks: np.ndarray  # that receive
    words: np.ndarray  # of the message to each of them
    hops: np.ndarray  # the links that it crosses

    @property
    def senders(self):
        return self.blocks + self.offset


class Script:
    """`given` is the initial content of all memories: name -> pattern of each block, or None."""

    def __init__(self, wiring, arrays, given):
        self.wiring, self.n, self.arrays = wiring, wiring.n, arrays
        self.rounds, self.row = wiring.rounds, wiring.processors
        self.items, self.part, self.round = [], "", 0
        self.given = tuple(given)
        self._table = _Table()
        self._patterns = {}  # value -> the pattern number of each block, or ABSENT
        self._there = {}  # (value, site, offset) -> which blocks' processors have it
        for name, patterns in given.items():
            self._patterns[name] = found = self._table.numbers(patterns)
            for array in range(arrays):
                self._there[name, Site(array), 0] = found != ABSENT

    def places(self, layout):
        return self.wiring.places(layout)

    def site(self, array, layout=0):
        """Where blocks are after this many rounds; after the last one they are home."""
        return Site(array, layout % max(1, self.rounds))

    def words(self, value):
        """The distinct scalars of each block's value."""
        return self._table.words(self._patterns[value])

    def do(self, name, function, reads, value, site, only=None):
        """A task that computes a value wherever its inputs are, unless the array has it already."""
        if (value, site, 0) in self._there:
            return
        reads = tuple(each if isinstance(each, Read) else Read(each) for each in reads)
        there = np.array([self._there[each.value, site, each.offset] for each in reads])
        optional = np.array([each.optional for each in reads])
        able = there.any(axis=0) if optional.all() else there[~optional].all(axis=0)
        able &= _mask(self.n, only)
        blocks = np.flatnonzero(able)
        if len(blocks):
            flops = self._costs(function, reads, value, there, blocks)
            self.items.append(
                Do(self.part, name, site, function, reads, value, blocks, flops, self.round)
            )
        self._there[value, site, 0] = able

    def send(self, value, source, target, offset=0, crossed=None, only=None):
        """Every block, or some, with a partner i + offset that has the value receives it.

        `crossed` are the links on the path if it is not that of a round.
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
        blocks = np.flatnonzero(receives)
        if crossed is None:
            across = source.array != target.array
            crossed = across + self.wiring.hops(source.layout, target.layout, offset, blocks)
        size, hops = self.words(value)[blocks + offset], np.broadcast_to(crossed, blocks.shape)
        self.items.append(Send(self.part, value, source, target, offset, blocks, size, hops))

    def each_round(self, array):
        """(j, 2^j, where blocks are before round j and where after it)."""
        for j in range(self.rounds):
            self.round = j + 1
            yield j, 2**j, self.site(array, j), self.site(array, j + 1)
        self.round = 0

    def recurrence(self, value, combine, direction, array):
        """All results of a recurrence by recursive doubling: the name of the last ones.

        `direction` is -1 if block i needs all before it, 1 if it needs all beyond.
        """
        for j, s, here, there in self.each_round(array):
            partner = Read(numbered(value, j), direction * s, optional=True)
            self.send(partner.value, here, there, partner.offset)
            self.send(partner.value, here, there)
            own = Read(numbered(value, j), optional=True)
            new = numbered(value, j + 1)
            self.do(new, combine, (own, partner), new, there)
        return numbered(value, self.rounds)

    def _costs(self, function, reads, value, there, blocks):
        """The flops of each block's task, by the patterns of its inputs."""
        read = np.full((len(reads), len(blocks)), ABSENT)
        for row, each, has in zip(read, reads, there[:, blocks], strict=True):
            row[has] = self._patterns[each.value][blocks[has] + each.offset]
        kinds, which = np.unique(read, axis=1, return_inverse=True)
        costs, made = zip(*(self._table.traced(function, kind) for kind in kinds.T), strict=True)
        which = which.ravel()
        patterns = self._patterns.setdefault(value, np.full(self.n, ABSENT))
        patterns[blocks] = np.array(made)[which]
        return np.array(costs, dtype=int)[which]


class _Table:
    """Patterns by number, so that arrays of numbers give the pattern of each block."""

    def __init__(self):
        self._patterns, self._numbers = [], {}

    def number(self, pattern):
        if pattern is None:
            return ABSENT
        frozen = pattern.shape, tuple(pattern.flat)
        if frozen not in self._numbers:
            self._numbers[frozen] = len(self._patterns)
            self._patterns.append(frozen)
        return self._numbers[frozen]

    def numbers(self, patterns):
        """The numbers of many patterns, most of which are the same few objects."""
        known = {}
        for each in patterns:
            if id(each) not in known:
                known[id(each)] = self.number(each)
        return np.array([known[id(each)] for each in patterns])

    def words(self, numbers):
        sizes = np.array([*map(_words, self._patterns), 0])  # the last one is for ABSENT
        return sizes[numbers]

    def traced(self, function, numbers):
        """The flops of a function of such arrays, and the number of its result."""
        frozen = [None if k == ABSENT else self._patterns[k] for k in numbers]
        flops, pattern = _traced(function, *frozen)
        return flops, self.number(pattern)


def numbered(value, j):
    """The name of a value after this many rounds."""
    return f"{value} {j}" if j else value


def _mask(n, having):
    """Which blocks: all, or those of a slice of the chain."""
    mask = np.zeros(n, dtype=bool)
    mask[slice(None) if having is None else having] = True
    return mask


def _thawed(frozen):
    shape, entries = frozen
    return np.array(entries, dtype=int).reshape(shape)


@cache
def _words(frozen):
    return words(_thawed(frozen))


@cache
def _traced(function, *patterns):
    """Patterns as tuples, so that a trace is cached."""
    return traced(function, [None if each is None else _thawed(each) for each in patterns])
