"""A graph divided among processors that meet at barriers.

All processors work in phases, with a barrier after each. A value that one of them makes and another
needs travels through a memory that they share: it is stored in the phase in which it is made, and
loaded in the first later phase that uses it. What is free (constants, inputs, sign changes) does
not travel, and a few values in a row that another processor makes in the same phase are made again.

Phases are made one after another, by list schedules: the operation with the longest path to the
end first, on the processor that is done with it soonest, until a phase is as long as it should be.
Of several lengths the one is best after which the least time is left, by an estimate. What the
estimate should weigh depends on the graph, so that several weights are tried.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import islice, product

from ..graph.operations import LEAVES

FREE = (*LEAVES, "neg")
PAIR = ("sin", "cos")  # of one angle: one operation
AGAIN = 5  # values in a row that are made again rather than waited for
BESIDE = 8  # cycles that it is worth to be where another argument of the same user is
CRITICAL = 2.0  # what is left after a phase is taken to last so many times the critical path
# What is tried: lengths of phases, in times what comes with the end of a phase; how much longer the
# rest of the work takes than if it were evenly divided; cycles of delay that a load is worth
LENGTHS = (2, 3, 4, 6), (4, 6, 8)
UNEVEN = 1.6, 2.2
LOADED = 30, 10
MOST_TRIED = 10_000  # operations, those of each trial counted


@dataclass(frozen=True)
class Machine:
    """Processors as a schedule sees them; times in cycles.

    issue: operation -> how long its processor begins no other; latency: until its value can be
    used. `load` is the latency of a load from shared memory, `move` how long a load or a store is
    issued; `end` is what a phase takes besides: the latency of its last value, its store, the
    barrier.
    """

    processors: int
    issue: Mapping
    latency: Mapping
    load: int = 30
    move: int = 2
    end: int = 60


@dataclass(frozen=True)
class Division:
    """What each processor does.

    `rows[k][p]` are the nodes that processor k computes in phase p, in order, with sign changes.
    `senders` maps a node index to the processor that stores its value, `places` to the place where
    it is stored: one is used again when a barrier separates the last load from the next store.
    `cycles` is how long it takes, roughly, and `alone` how long a single processor would.
    """

    graph: object
    rows: tuple
    senders: dict
    places: dict
    cycles: int
    alone: int

    @property
    def phases(self):
        return len(self.rows[0])

    @cached_property
    def homes(self):
        """node index -> (the first phase that makes it, a processor that does then)."""
        homes = {}
        for phase in range(self.phases):
            for k, rows in enumerate(self.rows):
                for node in rows[phase]:
                    homes.setdefault(node.index, (phase, k))
        return homes

    def home(self, node):
        """The processor that stores a result; leaves are the first one's."""
        return self.homes.get(node.index, (0, 0))[1]

    @property
    def size(self):
        """How many places there are."""
        return max(self.places.values(), default=-1) + 1


def divide(graph, machine):
    """The best Division for these processors that is found."""
    work = _Work(graph, machine)
    trials = max(1, MOST_TRIED // max(1, len(work.units)))
    weights = islice(product(LENGTHS, UNEVEN, LOADED), trials)
    plans = (_Plan(work, *each).fill() for each in weights)
    return min(plans, key=lambda plan: plan.cycles).division()


def made_of(node):
    """What sign changes are made of."""
    while node.op == "neg":
        node = node.args[0]
    return node


class _Work:
    """The operations of a graph as units: a sine with its cosine is one."""

    def __init__(self, graph, machine):
        self.graph, self.machine = graph, machine
        self.units, self.unit = [], {}  # tuples of nodes; node index -> number of its unit
        pairs = defaultdict(list)
        for node in graph.nodes:
            if node.op in PAIR:
                pairs[node.args[0].index].append(node)
        for node in graph.nodes:
            if node.op not in FREE and node.index not in self.unit:
                nodes = tuple(pairs[node.args[0].index]) if node.op in PAIR else (node,)
                self.unit |= dict.fromkeys((each.index for each in nodes), len(self.units))
                self.units.append(nodes)
        self.args = [self._arguments(nodes[0]) for nodes in self.units]
        self.users = [[] for _ in self.units]
        for u, args in enumerate(self.args):
            for a in args:
                self.users[a].append(u)
        self.issue = [machine.issue[nodes[0].op] for nodes in self.units]
        self.latency = [machine.latency[nodes[0].op] for nodes in self.units]
        self.ahead = [0] * len(self.units)  # the longest path to the end
        for u in reversed(range(len(self.units))):
            self.ahead[u] = self.latency[u] + max((self.ahead[v] for v in self.users[u]), default=0)

    def _arguments(self, node):
        found = (self.unit.get(made_of(a).index) for a in node.args)
        return tuple(dict.fromkeys(u for u in found if u is not None))


class _Plan:
    """The phases so far."""

    def __init__(self, work, lengths, uneven, loaded):
        self.work, self._lengths, self._uneven, self._loaded = work, lengths, uneven, loaded
        count = range(work.machine.processors)
        self.made = {}  # unit -> (phase, processor)
        self.known = [set() for _ in count]  # [processor] units whose values it has
        self.rows, self.loads = [[] for _ in count], [[] for _ in count]  # [processor][phase]
        self.cycles = 0
        self.missing = set(range(len(work.units)))

    def fill(self):
        """With all phases."""
        end = self.work.machine.end + self.work.machine.load
        while self.missing:
            phases = [
                _Phase(self.work, self.made, self.known, length * end, self._loaded)
                for length in self._lengths
            ]
            self.add(min(phases, key=self.left_after))
        return self

    def left_after(self, phase):
        work = self.work
        left = self.missing - phase.makers.keys()
        path = max((work.ahead[u] for u in left), default=0)
        issued = sum(work.issue[u] for u in left) / work.machine.processors
        return phase.length + CRITICAL * path + self._uneven * issued

    def add(self, phase):
        number = len(self.rows[0])
        for k, starts in enumerate(phase.starts):
            self.rows[k].append(sorted(starts, key=lambda u, starts=starts: (starts[u], u)))
            self.loads[k].append(sorted(phase.loads[k]))
            self.known[k] |= phase.loads[k] | starts.keys()
        self.made |= {u: (number, k) for u, k in phase.makers.items()}
        self.missing -= phase.makers.keys()
        self.cycles += phase.length

    def division(self):
        """With nodes for units, and places for messages."""
        rows = [
            [[node for u in row for node in self.work.units[u]] for row in rows]
            for rows in self.rows
        ]
        last = {}  # node index -> the last phase that loads it
        for lines in rows:
            own = {node.index for line in lines for node in line}
            loaded = set()
            for phase, line in enumerate(lines):
                for source in (made_of(a) for node in line for a in node.args):
                    if source.op not in FREE and source.index not in own | loaded:
                        loaded.add(source.index)
                        last[source.index] = max(phase, last.get(source.index, 0))
        home = {index: self.made[self.work.unit[index]] for index in last}
        return Division(
            self.work.graph,
            _with_sign_changes(self.work.graph, rows),
            {index: k for index, (_, k) in home.items()},
            _places({index: (phase, last[index]) for index, (phase, _) in home.items()}),
            self.cycles,
            max(sum(self.work.issue), max(self.work.ahead, default=0)),
        )


class _Phase:
    """A phase that may follow: as much as fits into a time."""

    def __init__(self, work, made, known, most, loaded):
        self.work, self._made, self._known = work, made, known
        self._most, self._loaded = most, loaded
        count = range(work.machine.processors)
        self.starts = [{} for _ in count]  # [processor] unit -> time
        self.loads = [set() for _ in count]  # [processor] units
        self.makers = {}  # unit -> the first processor that makes it
        self._ready = [{} for _ in count]
        self._clocks = [_Clock() for _ in count]
        self._fill()
        ends = (start + work.issue[u] for starts in self.starts for u, start in starts.items())
        self.length = max(ends, default=0) + work.machine.end

    def _fill(self):
        work, made = self.work, self._made
        waits = {
            u: sum(a not in made for a in args) for u, args in enumerate(work.args) if u not in made
        }
        ready = [(-work.ahead[u], u) for u, count in waits.items() if not count]
        heapify(ready)
        while ready:
            _, u = heappop(ready)
            if self._place(u):
                for v in work.users[u]:
                    waits[v] -= 1
                    if not waits[v]:
                        heappush(ready, (-work.ahead[v], v))

    def _place(self, u):
        """Have a unit done where that is best, if that is in time."""
        best = None
        for k in range(len(self.starts)):
            want = self._for(u, k, AGAIN)
            start = want and self._clocks[k].free(want.time, self.work.issue[u])
            # The first of a phase is done in any case.
            if want is None or (self.makers and start + self.work.issue[u] > self._most):
                continue
            cost = start + want.cost - (BESIDE if self._is_beside(u, k) else 0)
            if best is None or (cost, start) < best[0]:
                best = (cost, start), k, want
        if best is None:
            return False
        _, k, want = best
        for a in want.loads:
            if a not in self.loads[k]:
                self.loads[k].add(a)
                self._clocks[k].take(0, self.work.machine.move)
        for a in (*want.again, u):
            self._do(a, k)
        return True

    def _is_beside(self, u, k):
        ready, work = self._ready[k], self.work
        return any(a in ready for v in work.users[u] for a in work.args[v] if a != u)

    def _for(self, u, k, again):
        """What it takes to have the arguments of a unit on processor k, if it can be had."""
        wants = []
        for a in self.work.args[u]:
            want = self._want(a, k, again)
            if want is None:
                return None
            wants.append(want)
        return _Want(
            max((want.time for want in wants), default=0),
            sum(want.cost for want in wants),
            tuple(a for want in wants for a in want.loads),
            tuple(a for want in wants for a in want.again),
        )

    def _want(self, u, k, again):
        """How processor k comes to have a value."""
        if u in self._ready[k]:
            return _Want(self._ready[k][u])
        if u in self._known[k]:
            return _Want(0)
        load = self.work.machine.load
        if u in self._made:
            return _Want(load) if u in self.loads[k] else _Want(load, self._loaded, (u,))
        if not again or self.work.latency[u] > load // 2:
            return None
        want = self._for(u, k, again - 1)
        if want is None:
            return None
        issue = self.work.issue[u]
        start = self._clocks[k].free(want.time, issue)
        time = start + self.work.latency[u]
        return _Want(time, want.cost + issue, want.loads, (*want.again, u))

    def _do(self, u, k):
        if u in self._ready[k]:
            return
        work, known, ready = self.work, self._known[k], self._ready[k]
        load = work.machine.load
        time = max((0 if a in known else ready.get(a, load) for a in work.args[u]), default=0)
        start = self.starts[k][u] = self._clocks[k].take(time, work.issue[u])
        ready[u] = start + work.latency[u]
        self.makers.setdefault(u, k)


@dataclass(frozen=True)
class _Want:
    """When a value is there, its cost in cycles, and what is loaded or made again for it."""

    time: int
    cost: float = 0
    loads: tuple = ()
    again: tuple = ()


class _Clock:
    """The cycles in which a processor begins something."""

    def __init__(self):
        self._taken = bytearray(1 << 10)

    def free(self, time, count):
        """The first cycle from `time` on that begins so many free ones."""
        while True:
            while len(self._taken) < time + count:
                self._taken.extend(bytes(len(self._taken)))
            last = self._taken.rfind(b"\1", time, time + count)
            if last < 0:
                return time
            time = last + 1

    def take(self, time, count):
        time = self.free(time, count)
        self._taken[time : time + count] = b"\1" * count
        return time


def _with_sign_changes(graph, rows):
    """The rows with the sign changes that each processor needs, and those that are results."""
    found = []
    for lines in rows:
        there, row = set(), []
        for line in lines:
            with_signs = []
            for node in line:
                for a in node.args:
                    with_signs += _sign_changes(a, there)
                with_signs.append(node)
                there.add(node.index)
            row.append(with_signs)
        found.append(row)
    makers = {
        node.index: line for row in reversed(found) for line in reversed(row) for node in line
    }
    for node in graph.results:
        if node.op == "neg" and node.index not in makers:
            line = makers.get(made_of(node).index, found[0][0])
            line += _sign_changes(node, {each.index for each in line})
            makers[node.index] = line
    return tuple(tuple(map(tuple, row)) for row in found)


def _sign_changes(node, there):
    """Those behind which a value is, the first one first, that are not there yet."""
    if node.op != "neg" or node.index in there:
        return []
    before = _sign_changes(node.args[0], there)
    there.add(node.index)
    return [*before, node]


def _places(lives):
    """node index -> place, for values that live from a phase that makes to one that loads them."""
    places, free, taken, count = {}, [], [], 0
    for begin, end, index in sorted((begin, end, index) for index, (begin, end) in lives.items()):
        while taken and taken[0][0] < begin:
            free.append(heappop(taken)[1])
        if not free:
            free, count = [count], count + 1
        places[index] = free.pop()
        heappush(taken, (end, places[index]))
    return places
