"""Networks of processors: their links, the routes of messages, and waiting for links.

Processors are numbered from 0. A link has one direction and carries one message at a time; a
message takes one hop time per link and waits where its next link is busy (store and forward).
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real

from ...checks import counted, integer, is_hashable, listing, one_of
from ...errors import ArgumentError
from ...physics.parts.orders import rotated, shuffled_bits

MOST_PROCESSORS = 2**16  # of a standard network: takes some seconds
MOST_SEARCHED = 2**10  # from each processor to all, for a repr


@dataclass(frozen=True)
class Delivery:
    """The cost of delivering messages; deliveries add up.

    `messages` is the number of messages, `hops` is their total number of hops, `conflicts` is how
    often a message had to wait for a busy link, and `time` is the arrival of the last one.
    """

    messages: int = 0
    hops: int = 0
    conflicts: int = 0
    time: float = 0

    def __add__(self, other: "Delivery") -> "Delivery":
        return Delivery(
            self.messages + other.messages,
            self.hops + other.hops,
            self.conflicts + other.conflicts,
            self.time + other.time,
        )


class Network:
    """A network of processors, numbered from 0; `px.parallel.network` creates standard ones.

    **Arguments:**

    - `name`: the name used in reprs and errors.
    - `neighbours`: for each processor, a list of those to which it has a link. Of several shortest
      routes, a message takes the one whose links are listed first.

    **Example:**

    >>> ring = px.parallel.Network("ring", [[1, 3], [2, 0], [3, 1], [0, 2]])
    >>> ring.diameter, ring.route(0, 2)
    (2, [0, 1, 2])
    >>> ring.deliver([(0, 2), (1, 3)]).time
    2.0
    """

    name: str
    neighbours: tuple[tuple[int, ...], ...]

    def __init__(self, name: str, neighbours: Sequence[Sequence[int]]):
        self.name = name
        self.neighbours = _checked(f"network {name}", neighbours)
        self._distances: dict[int, list[float]] = {}

    @property
    def processors(self) -> int:
        """The number of processors."""
        return len(self.neighbours)

    @property
    def links(self) -> int:
        """The number of links, each in one direction."""
        return sum(len(each) for each in self.neighbours)

    @cached_property
    def diameter(self) -> int:
        """The number of hops between the two processors that are farthest apart."""
        farthest = 0.0
        for end in range(self.processors):
            distances = self._hops_to(end)  # not stored: all of them are processors squared
            cut_off = [k for k, hops in enumerate(distances) if hops == math.inf]
            if cut_off:
                raise self._unreachable(cut_off, end)
            farthest = max(farthest, *distances)
        return int(farthest)

    def route(self, start: int, end: int) -> list[int]:
        """The processors along the route of a message, both ends included."""
        self._require_route(start, end)
        route = [start]
        while route[-1] != end:
            route.append(self._next(route[-1], end))
        return route

    def deliver(
        self, messages: Iterable[tuple], per_hop: float = 1.0, startup: float = 0.0
    ) -> Delivery:
        """Send messages all at once; each takes its `route`.

        **Arguments:**

        - `messages`: `(from, to)` or `(from, to, what)`. Messages that carry the same `what` travel
          together as long as their routes agree. If several wait for a link, the one with the
          longest remaining route goes first.
        - `per_hop`: the time of one hop.
        - `startup`: the time before the first hop, if there is anything to send.

        **Returns:** a `Delivery` with `messages`, `hops`, `conflicts` and `time`.
        """
        for name, cost in (("per_hop", per_hop), ("startup", startup)):
            if not isinstance(cost, Real) or not cost >= 0:
                raise ArgumentError(f"{name}: expected a time >= 0, found {cost!r}")
        if not isinstance(messages, Iterable):
            raise ArgumentError(f"messages: expected a list, found {messages!r}")
        sent = 0
        held: dict[tuple, list[int]] = {}  # (processor, content) -> remaining destinations
        for number, message in enumerate(messages):
            start, end, what = self._message(message, number)
            if start != end:
                held.setdefault((start, what), []).append(end)
                sent += 1
        ticks = hops = conflicts = 0
        while held:
            queues: dict[tuple[int, int], dict] = {}  # link -> waiting content -> destinations
            for (at, what), ends in held.items():
                for end in ends:
                    queue = queues.setdefault((at, self._next(at, end)), {})
                    queue.setdefault(what, []).append(end)
            held = {}
            for (at, to), queue in queues.items():
                carried = max(queue, key=lambda what: self._farthest(to, queue[what]))
                for what, ends in queue.items():
                    place = to if what == carried else at
                    ends = [end for end in ends if end != place]
                    if ends:
                        held.setdefault((place, what), []).extend(ends)
                conflicts += len(queue) - 1
            hops += len(queues)
            ticks += 1
        return Delivery(sent, hops, conflicts, startup + ticks * per_hop if sent else 0)

    def __repr__(self):
        size = f"{counted(self.processors, 'processor')}: {counted(self.links, 'link')}"
        if self.processors > MOST_SEARCHED:
            return f"<Network {self.name} of {size}>"
        try:
            hops = f"at most {counted(self.diameter, 'hop')}"
        except ArgumentError:
            hops = "not all of them connected"
        return f"<Network {self.name} of {size}, {hops}>"

    def _message(self, message, number):
        """Sender, receiver and content; a message without content travels alone."""
        try:
            start, end, *what = message
        except (TypeError, ValueError):
            what = [None, None]
        if len(what) > 1:
            raise ArgumentError(
                f"message: expected (from, to) or (from, to, what), found {message!r}"
            )
        if not all(map(is_hashable, what)):
            raise ArgumentError(
                f"message from {start} to {end}: expected a hashable name of its content, found "
                f"{what[0]!r}"
            )
        self._require_route(start, end)
        return start, end, (start, *what) if what else (number,)

    def _require_route(self, start, end):
        for processor in (start, end):
            integer("processor", processor, 0)
            if processor >= self.processors:
                raise ArgumentError(
                    f"processor: expected an integer from 0 to {self.processors - 1}, "
                    f"found {processor}"
                )
        if self._distances_to(end)[start] == math.inf:
            raise self._unreachable([start], end)

    def _unreachable(self, starts, end):
        """The error that lists the processors from which one cannot be reached."""
        return ArgumentError(
            f"network {self.name}: processor {end} cannot be reached from {listing(starts, most=8)}"
        )

    def _next(self, at, end):
        distance = self._distances_to(end)
        return min(self.neighbours[at], key=distance.__getitem__)

    def _farthest(self, at, ends):
        return max(self._distances_to(end)[at] for end in ends)

    def _distances_to(self, end):
        """The hops from every processor; infinite if there is no route."""
        if end not in self._distances:
            self._distances[end] = self._hops_to(end)
        return self._distances[end]

    def _hops_to(self, end):
        found = [math.inf] * self.processors
        found[end], reached = 0, [end]
        for near in reached:  # grows during the loop
            for each in self._linked_to[near]:
                if found[each] == math.inf:
                    found[each] = found[near] + 1
                    reached.append(each)
        return found

    @cached_property
    def _linked_to(self):
        """For each processor those that have a link to it."""
        sources = [[] for _ in self.neighbours]
        for k, after in enumerate(self.neighbours):
            for to in after:
                sources[to].append(k)
        return sources


def _checked(network, neighbours):
    """The neighbours of each processor, each once; an error unless they are processors."""
    if not _is_list(neighbours) or not len(neighbours):
        raise ArgumentError(
            f"{network}: expected a list with the neighbours of each processor, found "
            f"{neighbours!r}"
        )
    for k, each in enumerate(neighbours):
        if not _is_list(each):
            raise ArgumentError(
                f"{network}: expected a list of the neighbours of processor {k}, found {each!r}"
            )
        for to in each:
            if not isinstance(to, Integral) or not 0 <= to < len(neighbours):
                raise ArgumentError(
                    f"{network}: neighbours of processor {k}: expected integers from 0 to "
                    f"{len(neighbours) - 1}, found {to!r}"
                )
    return tuple(tuple(dict.fromkeys(each)) for each in neighbours)


def _is_list(value):
    return isinstance(value, Collection) and not isinstance(value, (str, Mapping))


def network(name: str, processors: int) -> Network:
    """Return a standard network with a given number of processors.

    **Arguments:**

    - `name`: one of

      - `"cascade"`: a row in which neighbours are linked in both directions.
      - `"perfect_shuffle"`: a link from k to its position after a perfect shuffle, and links in
        both directions within each pair 2k, 2k+1, without which the shuffle only goes in circles.
      - `"inverse_perfect_shuffle"`: the same with the shuffle's links reversed.
      - `"modified_inverse_perfect_shuffle"`: links from k to its position after the inverse
        shuffle, and to the neighbours of that, so that a step of recursive doubling is one hop in
        either direction along the row.
      - `"shuffle_exchange_neighbours"`: shuffle and inverse shuffle, and neighbours in both
        directions.
      - `"hypercube"`: log₂ p links each, numbered by a Gray code: k and k + 1 are neighbours, k and
        k + 2, 4, 8, ... two hops apart.

    - `processors`: the number of processors, at most 65,536; a power of two, except for a cascade.

    **Returns:** a `px.parallel.Network`.

    **Raises:** `px.ArgumentError` if the name is unknown, or the network does not exist with this
    number of processors.

    **Example:**

    >>> cube = px.parallel.network("hypercube", 8)
    >>> cube.diameter, cube.links
    (3, 24)
    >>> cube.route(0, 5)
    [0, 1, 2, 5]
    """
    one_of(name, NETWORKS, "network")
    count = integer("processors", processors)
    if count > MOST_PROCESSORS:
        raise ArgumentError(
            f"network {name}: expected at most {MOST_PROCESSORS:,} processors, found {count:,}"
        )
    bits = None if name == "cascade" else shuffled_bits(f"network {name}", count)
    links = NETWORKS[name]
    return Network(
        name, [[j for j in links(k, bits) if 0 <= j < count and j != k] for k in range(count)]
    )


def _shuffle(k, bits):
    return rotated(k, bits, 1)


def _unshuffle(k, bits):
    return rotated(k, bits, -1)


def _pair(k):
    return k ^ 1


def gray(k):
    """The Gray code of k: that of k + 1 differs in one bit, those of k + 2, 4, 8, ... in two."""
    return k ^ (k >> 1)


def _ungray(code):
    k = 0
    while code:
        k, code = k ^ code, code >> 1
    return k


def _across(k, bits):
    return [_ungray(gray(k) ^ (1 << bit)) for bit in range(bits)]


# name -> links of processor k, of 2^bits. Those to itself or beyond the row are omitted.
NETWORKS = {
    "cascade": lambda k, bits: (k - 1, k + 1),
    "perfect_shuffle": lambda k, bits: (_shuffle(k, bits), _pair(k)),
    "inverse_perfect_shuffle": lambda k, bits: (_unshuffle(k, bits), _pair(k)),
    "modified_inverse_perfect_shuffle": lambda k, bits: (
        _unshuffle(k, bits),
        _unshuffle(k, bits) + 1,
        _unshuffle(k, bits) - 1,
    ),
    "shuffle_exchange_neighbours": lambda k, bits: (
        _unshuffle(k, bits),
        _shuffle(k, bits),
        k - 1,
        k + 1,
    ),
    "hypercube": _across,
}
