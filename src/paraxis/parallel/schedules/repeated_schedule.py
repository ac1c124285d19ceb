"""A repeated pass over tasks, where each pass reads values of the previous one.

A pass begins when the previous one has ended on all processors. Values that go from pass to pass
need messages too, but these travel while other tasks are computed. A pass may therefore begin
before all have arrived, if their readers start later.

Two networks: with `"links"` every two processors have a link, and no message waits for another. On
a `"bus"` one message is sent at a time, to all processors; others queue. There, all values of a
processor that the next pass reads are one message, sent when the last of them is computed.

Schedules are found as in heft.py and list_schedule.py, and compressed. Coarser tasks and fewer
processors send fewer messages: both are tried, and the shortest period is used.
"""

import math
from dataclasses import dataclass

from ..methods.bounds import bounds
from ..methods.heft import Gaps
from ..methods.list_schedule import list_plan
from ..methods.optimal.restarts import squeezed
from ..tasks.task_graph import TaskGraph

LINKS, BUS = NETWORKS = "links", "bus"
GRAINS = (None, 2, 4, 8, 16, 32)  # flops per task


@dataclass(frozen=True, eq=False, repr=False)
class RepeatedSchedule:
    """When and where each task of a pass runs, and how soon the next pass may begin.

    `sent` has (begin, end, sender) of the messages on a bus, including those to the next pass,
    where the sender is a task or a processor; with links it is empty.
    """

    tasks: TaskGraph
    stale: dict[int, tuple[int, ...]]  # task -> tasks that read its result in the next pass
    latency: float
    starts: tuple[float, ...]
    places: tuple[int, ...]
    sent: tuple[tuple[float, float, object], ...]
    period: float
    bound: float  # no period can be shorter


def repeated_schedule(program, carry, processors, latency=0, network=LINKS):
    """The shortest RepeatedSchedule found for a Program whose outputs become inputs by `carry`.

    Times are in flops. The bound is that of one pass, with links.
    """
    balanced = program.balanced()
    fine = TaskGraph.from_program(balanced, latency=latency)
    processors = min(processors, max(1, len(fine)))  # more would always be idle
    least, best = max(bounds(fine, processors).values()), None
    for grain in GRAINS:
        tasks = fine if grain is None else TaskGraph.from_program(balanced, grain, latency=latency)
        repeated = _Repeated(tasks, stale_readers(tasks, carry), latency, network, least)
        for used in _halved(processors):
            for plan in repeated.plans(used):
                found = repeated.schedule(*plan)
                best = found if best is None or found.period < best.period else best
                if best.period <= least:
                    return best
    return best


def pass_bound(program, processors, latency=0):
    """A lower bound of the length of one pass, in flops."""
    return max(
        bounds(TaskGraph.from_program(program.balanced(), latency=latency), processors).values()
    )


def _halved(processors):
    """All processors, half of them, and so on: with messages, fewer may be faster."""
    while processors:
        yield processors
        processors //= 2


@dataclass(frozen=True)
class _Repeated:
    tasks: TaskGraph
    stale: dict
    latency: float
    network: str
    bound: float

    def plans(self, processors):
        """Starts, places, and (begin, end, task) of messages on a bus."""
        starts, places, sent = _Placing(self, processors).placed()
        yield starts, places, sent
        if self.network == LINKS:
            for plan in ((starts, places), list_plan(self.tasks, processors)):
                for each in (plan, *squeezed(self.tasks, processors, plan, math.inf)):
                    yield *each, []

    def schedule(self, starts, places, sent):
        period, sent = _period(self, starts, places, sent)
        plan = tuple(starts), tuple(places), tuple(sorted(sent, key=lambda each: each[:2]))
        return RepeatedSchedule(self.tasks, self.stale, self.latency, *plan, period, self.bound)


def stale_readers(tasks, carry):
    """Task -> the tasks that read its result in the next pass. Sign changes are free."""
    graph = tasks.program.graph
    reads = {}  # input -> tasks that read it
    for task, nodes in enumerate(tasks.operations):
        for node in nodes:
            for entry in map(_behind, node.args):
                if entry.op == "input":
                    reads.setdefault(entry.value, {})[task] = None
    found = {}
    for given, made in carry.items():
        _, nodes = graph.outputs[made]
        for k, node in enumerate(map(_behind, nodes)):
            if node.index in tasks.task_of:
                maker = tasks.task_of[node.index]
                found.setdefault(maker, {}).update(reads.get((given, k), {}))
    return {maker: tuple(readers) for maker, readers in found.items() if readers}


def _behind(node):
    while node.op == "neg":
        node = node.args[0]
    return node


class _Placing:
    """Tasks, the most urgent first, each placed where it ends first."""

    def __init__(self, repeated, processors):
        self.tasks, self.stale, self.processors = repeated.tasks, repeated.stale, processors
        self.latency, self.network = repeated.latency, repeated.network
        self.starts, self.places = [0] * len(self.tasks), [0] * len(self.tasks)
        self.bus, self.sent = Gaps(), {}  # task -> (begin, end) of its message

    def placed(self):
        """Starts, places, and (begin, end, task) of messages on a bus."""
        tasks, gaps = self.tasks, [Gaps()]
        rank = self._ranks()
        for task in sorted(tasks.order, key=lambda k: -rank[k]):
            weight = tasks.weights[task]
            self.starts[task], self.places[task] = min(
                (idle.earliest(self._ready(task, place), weight), place)
                for place, idle in enumerate(gaps)
            )
            if self.network == BUS:
                self._send(task)
            gaps[self.places[task]].fill(self.starts[task], weight)
            if self.places[task] == len(gaps) - 1 < self.processors - 1:
                gaps.append(Gaps())
        return self.starts, self.places, [(*when, task) for task, when in self.sent.items()]

    def _ranks(self):
        """The longest path to the end of all, including messages to the next pass."""
        tasks, rank = self.tasks, [0] * len(self.tasks)
        for task in reversed(tasks.order):
            ways = [
                tasks.messages.get((task, then), 0) + rank[then] for then in tasks.successors[task]
            ]
            rank[task] = tasks.weights[task] + max(ways, default=0)
            if task in self.stale:
                rank[task] = max(rank[task], tasks.weights[task] + self.latency)
        return rank

    def _ready(self, task, place):
        """When all inputs of a task are on a processor."""
        ready, waiting = 0, []
        for first in self.tasks.predecessors[task]:
            end = self.starts[first] + self.tasks.weights[first]
            if self.places[first] == place:
                ready = max(ready, end)
            elif self.network == LINKS:
                ready = max(ready, end + self.tasks.messages.get((first, task), 0))
            elif first in self.sent:
                ready = max(ready, self.sent[first][1])
            else:
                waiting.append((end, first))
        return max([ready, *(end for _, end, _ in self._queued(waiting))])

    def _queued(self, waiting):
        """(begin, end, task) of messages, one after another when the bus is free."""
        free = 0
        for end, first in sorted(waiting):
            begin = self.bus.earliest(max(end, free), self.latency)
            free = begin + self.latency
            yield begin, free, first

    def _send(self, task):
        waiting = [
            (self.starts[first] + self.tasks.weights[first], first)
            for first in self.tasks.predecessors[task]
            if self.places[first] != self.places[task] and first not in self.sent
        ]
        for begin, end, first in list(self._queued(waiting)):
            self.sent[first] = begin, end
            self.bus.fill(begin, self.latency)


def _period(repeated, starts, places, sent):
    """How soon the next pass may begin, and everything that is sent on a bus."""
    tasks, latency = repeated.tasks, repeated.latency
    ends = [start + weight for start, weight in zip(starts, tasks.weights, strict=True)]
    period = max(ends, default=0)
    elsewhere = [
        (maker, reader)
        for maker, readers in repeated.stale.items()
        for reader in readers
        if places[maker] != places[reader]
    ]
    if repeated.network == LINKS:
        late = [ends[maker] + latency - starts[reader] for maker, reader in elsewhere]
        return max([period, *late]), []
    due, ready = {}, {}  # by processor
    for maker, reader in elsewhere:
        place = places[maker]
        ready[place] = max(ready.get(place, 0), ends[maker])
        due[place] = min(due.get(place, math.inf), starts[reader])
    bus = Gaps()
    for begin, _, _ in sent:
        bus.fill(begin, latency)
    sent = list(sent)
    for place in sorted(ready, key=lambda k: ready[k] - due[k]):
        begin = bus.earliest(ready[place], latency)
        bus.fill(begin, latency)
        sent.append((begin, begin + latency, f"processor {place}"))
        period = max(period, begin + latency - due[place])
    if sent:  # the next pass sends nothing before this one has sent everything
        period = max(period, max(end for _, end, _ in sent) - min(begin for begin, _, _ in sent))
    return period, sent
