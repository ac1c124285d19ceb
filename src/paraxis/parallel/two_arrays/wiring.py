"""Where blocks are on an array, and how many links their messages cross.

An array is a row of 2^k processors, each of which has the same number of adjacent blocks. As long
as partners 2^j apart are fewer than that, a block's partner is on the same processor or on the
next. Beyond, on a *shuffle-exchange network with neighbours*, every block moves by one more inverse
shuffle before each round, so that partners are on neighbours again: a message to a partner's next
position crosses two links, the block's own move a single one, and finally all are home. On a
*hypercube* blocks stay where they are, since processors 2^j apart along the row are two links
apart. Processors with the same number in different arrays are linked, each array to the next one.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from ...physics.parts.orders import rotated
from ..networks.network import Network, network

SHUFFLED, HYPERCUBE = NETWORKS = ("shuffle_exchange_neighbours", "hypercube")


def rounds(n):
    """⌈log₂n⌉."""
    return (n - 1).bit_length()


def row(n):
    """The processors of an array with one for each of n blocks: the next power of two."""
    return 2 ** rounds(n)


@dataclass(frozen=True)
class Wiring:
    """An array with this many processors, a power of two, for n blocks."""

    network: str
    n: int
    processors: int

    @property
    def rounds(self):
        return rounds(self.n)

    @cached_property
    def share(self):
        """The blocks of a processor."""
        return row(self.n) // self.processors

    @cached_property
    def home(self):
        """The initial processor of each block."""
        return np.arange(self.n) // self.share

    def places(self, layout):
        """The processor of each block after this many rounds."""
        return _places(self, self.moves(layout))

    def moves(self, layout):
        """How often blocks have moved after this many rounds."""
        if self.network == HYPERCUBE:
            return 0
        return max(0, layout - rounds(self.share))

    def hops(self, source, target, offset, blocks):
        """The links to each of these blocks from those an offset away, between two layouts."""
        apart = abs(self.home[blocks + offset] - self.home[blocks])
        if self.network == HYPERCUBE:
            return np.minimum(apart, 2)
        return np.minimum(apart, 1) + (self.moves(source) != self.moves(target))

    def route_hops(self, start, end):
        """The links on a shortest path along the row, between the homes of two blocks."""
        ends = int(self.home[start]), int(self.home[end])
        return len(network(self.network, self.processors).route(*ends)) - 1

    def two_arrays(self):
        """The Network of two arrays, the second one's processors numbered after the first one's."""
        size, one = self.processors, network(self.network, self.processors).neighbours
        first = [(*linked, k + size) for k, linked in enumerate(one)]
        second = [(*(size + to for to in linked), k) for k, linked in enumerate(one)]
        return Network("two arrays", first + second)


@lru_cache(maxsize=256)
def _places(wiring, moves):
    bits = rounds(wiring.processors)
    turned = np.array([rotated(k, bits, -moves) for k in range(wiring.processors)])
    return turned[wiring.home]
