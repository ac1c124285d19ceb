"""Where blocks are on an array, and how many links their messages cross.

An array is a row of 2^k processors with links to neighbours and to where a shuffle and an inverse
shuffle lead. Before round j + 1 of an elimination or a recurrence every block has moved by one more
inverse shuffle, so that partners 2^j apart are neighbours in round j: a message to a partner's
next place crosses two links, one's own move a single one. After k rounds all are home.
Processors with the same number in different arrays are linked, each array to the next one.
"""

import numpy as np

from ...physics.parts.orders import rotated
from ..networks.network import Network, network

ARRAY = "shuffle_exchange_neighbours"


def rounds(n):
    """⌈log₂n⌉."""
    return (n - 1).bit_length()


def row(n):
    """The processors of an array: the next power of two."""
    return 2 ** rounds(n)


def places(n, layout):
    """The processor of each block after so many inverse shuffles."""
    return np.array([rotated(i, rounds(n), -layout) for i in range(n)])


def hops(offset, shuffled):
    """The links to the place of another block, a neighbour, or of the same; then a shuffle."""
    return bool(offset) + bool(shuffled)


def route_hops(n, start, end):
    """The links on a shortest way along one array."""
    return len(network(ARRAY, row(n)).route(start, end)) - 1


def wires(n):
    """The Network of two arrays: those of the second one are numbered after those of the first."""
    size = row(n)
    one = network(ARRAY, size).neighbours
    first = [(*linked, k + size) for k, linked in enumerate(one)]
    second = [(*(size + to for to in linked), k) for k, linked in enumerate(one)]
    return Network("two arrays", first + second)
