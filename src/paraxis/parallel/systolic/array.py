"""An array of matrix-vector processors: its processors, their timetable, and its buffers.

A processor loads its operands when it starts, and keeps its result until it has the next one.
Values that are needed later wait in the delay line after it: a series of registers, shifted
whenever the processor has a result, and read by each reader at its own tap. A line thus has as many
registers as further results come before its last reader starts. An input has one more, at its
entry.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from ...checks import integer, one_of, shown
from ...errors import ArgumentError, ScheduleError
from .links import Links
from .wiring import OUTSIDE, Constant, Input, Operation, Wiring

if TYPE_CHECKING:
    from .simulation import Stream

INSIDE = "inside a node"
IDLE = "·"  # in charts
PARTIAL = re.compile(r"T\d+")  # results without names


@dataclass(frozen=True, eq=False, repr=False)
class SystolicArray:
    """An array of processors, created by `px.parallel.systolic_array`. Times are in flops.

    - `form`, `machine`: as for `px.parallel.systolic_array`.
    - `links`, `wiring`: the parameters of the links, and the operations with their operands.
    - `starts`: maps each operation to the flops from the arrival of its state to its start.
    - `processor`: maps each operation to its hardware: (node, part of that node, slot).
    - `interval`: the time from one state to the next.
    - `least_buffers`: a lower bound of buffer words over all timings, if known, otherwise None.
    """

    form: str
    machine: str
    links: Links
    wiring: Wiring
    starts: dict[Operation, int]
    processor: dict[Operation, tuple]
    interval: int
    least_buffers: int | None = None

    def __post_init__(self):
        for source, taker, _, tick in self.reads:
            if self.end(source) > tick:
                raise ScheduleError(
                    f"{self.title}: {taker} starts at {tick}, but needs {source}, which is not "
                    f"available before {self.end(source)}"
                )
        if clash := self._clash(self.interval):
            raise ScheduleError(
                f"{self.title}, a state every {self.interval} flops: the processor of {clash} must "
                "start its next operation before it is done"
            )

    # -- time -------------------------------------------------------------------------------------

    @cached_property
    def latency(self) -> int:
        """The flops from the arrival of a state to the departure of its torques."""
        return max(self.end(output) for output in self.wiring.outputs)

    def end(self, source) -> int:
        """When a value is available."""
        return 0 if isinstance(source, Input) else self.starts[source] + source.operator.flops

    @cached_property
    def shortest_interval(self) -> int:
        """The fewest flops from one state to the next at which every processor keeps up."""
        work: Counter = Counter()
        for operation in self.starts:
            work[self.processor[operation]] += operation.operator.flops
        flops = max(work.values())
        while self._clash(flops):
            flops += 1
        return flops

    def with_interval(self, flops: int) -> SystolicArray:
        """The same array, with a state every `flops`."""
        if isinstance(flops, bool) or not isinstance(flops, Integral) or flops < 1:
            raise ArgumentError(
                f"interval: expected an integer number of flops >= 1, found {flops!r}"
            )
        return replace(self, interval=int(flops), least_buffers=None)

    def _clash(self, interval):
        """An operation that overlaps with another on its processor, if there is one."""
        taken = {}  # (processor, flop within the interval) -> operation
        for operation, start in self.starts.items():
            for flop in range(start, start + operation.operator.flops):
                moment = self.processor[operation], flop % interval
                if moment in taken:
                    return taken[moment]
                taken[moment] = operation
        return None

    # -- processors and wires ---------------------------------------------------------------------

    @property
    def processors(self) -> int:
        """The number of matrix-vector processors."""
        return self.processors_of.total()

    @cached_property
    def processors_of(self) -> Counter:
        """(node, part) -> its number of processors."""
        sizes = {self.processor[each]: each.operator.processors for each in self.starts}
        found: Counter = Counter()
        for (place, part, _), size in sizes.items():
            found[place, part] += size
        return found

    @property
    def wires(self) -> int:
        """The number of point-to-point wires."""
        return self.wires_of.total()

    @cached_property
    def wires_of(self) -> Counter:
        """(node, part) -> the number of wires that lead to its processors.

        There is one wire for each operand and each processor of the same node from which it may
        come; all values from other nodes or from outside come by one wire. Constants need none.
        """
        wires = {}
        for source, taker, position, _ in self.reads:
            if taker is not OUTSIDE:
                near = kind(source, taker) == INSIDE
                start = self.processor[source] if near else OUTSIDE
                wires[start, self.processor[taker], position] = taker.operator.processors
        found: Counter = Counter()
        for (_, (place, part, _), _), count in wires.items():
            found[place, part] += count
        return found

    def place(self, operation):
        place, _, _ = self.processor[operation]
        return place

    # -- delay lines ------------------------------------------------------------------------------

    @cached_property
    def reads(self):
        """All reads: (source, reader, position among its operands, tick)."""
        found = [
            (source, operation, position, self.starts[operation])
            for operation in self.wiring.operations
            for position, (source, _) in enumerate(operation.operands)
            if not isinstance(source, Constant)
        ]
        outputs = enumerate(self.wiring.outputs)
        return found + [(output, OUTSIDE, joint, self.latency) for joint, output in outputs]

    def line_of(self, source):
        """All results of a processor go down one line; so do all values of an input."""
        return source if isinstance(source, Input) else self.processor[source]

    @cached_property
    def taps(self):
        """(reader, position among its operands) -> the number of registers before its tap."""
        ends = defaultdict(list)
        for source in dict.fromkeys(source for source, *_ in self.reads):
            ends[self.line_of(source)].append(self.end(source))

        def tap(source, tick):
            """The number of results, of any state, that follow this one up to a tick."""
            since, every = self.end(source), self.interval
            return sum(
                (tick - end) // every - (since - end) // every for end in ends[self.line_of(source)]
            )

        return {(taker, position): tap(source, at) for source, taker, position, at in self.reads}

    @property
    def buffers(self) -> int:
        """The number of words in registers of delay lines, including inputs at their entries."""
        return self.buffers_of.total()

    @cached_property
    def buffers_of(self) -> Counter:
        """Kind -> words; the last reader of a line determines its kind."""
        lines: dict = {}
        for source, taker, position, _ in self.reads:
            registers = self.taps[taker, position] + isinstance(source, Input)
            line = self.line_of(source)
            lines[line] = max(lines.get(line, (0,)), (registers, source.words, kind(source, taker)))
        found: Counter = Counter()
        for registers, words, name in lines.values():
            found[name] += registers * words
        return found

    # -- running it -------------------------------------------------------------------------------

    def run(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Stream:
        """Feed states to the array, one every `interval`, and simulate it tick by tick.

        **Arguments:**

        - `q`, `qd`, `qdd`: joint positions (rad or m), rates and accelerations, `(..., n)`.

        **Returns:** an object with `torques`, `(..., n)`, in N m or N, and `departures`: the tick
        at which each state's torques left.

        **Raises:** `px.ScheduleError` if streams lose their alignment.
        """
        from .simulation import run

        return run(self, q, qd, qdd)

    # -- showing it -------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """Form, robot and machine, in words."""
        robot = self.links.model.robot
        return f"{self.form} array for {shown(robot.name)}, {self.machine.replace('_', ' ')}"

    def chart(self, *results: str, states: int = 3) -> str:
        """A chart of busy processors, as text: a row for each operation with one of these results.

        Without results, all operations with named results in the recursions are shown. `states` is
        the number of states that are fed in.
        """

        return _chart(self, results, states)

    def __repr__(self):
        return (
            f"<SystolicArray: {self.title}, {self.processors} processors, latency {self.latency} "
            f"flops, a state every {self.interval}>"
        )

    def __str__(self):
        shares = Counter()
        for (place, part), count in self.processors_of.items():
            shares["torque" if part == "torque" else place.split()[0]] += count
        waiting = {name: words for name, words in self.buffers_of.items() if words}
        rows = [
            ("latency", self.latency, "flops"),
            ("interval", self.interval, f"flops; {self.shortest_interval} is possible"),
            ("processors", self.processors, _listed(shares)),
            ("wires", self.wires, f"at most {max(self.wires_of.values())} to a group"),
            ("buffers", self.buffers, f"words: {_listed(waiting)}"),
        ]
        return "\n".join([self.title, *(f"  {a:12}{b:6}  {c}" for a, b, c in rows)])


def kind(source, taker):
    """The kind of a value that waits between its source and its reader."""
    if isinstance(source, Input):
        return "input"
    if taker is OUTSIDE:
        return "output"
    if source.site.sweep != taker.site.sweep:
        return "outward to inward"
    return INSIDE if source.site.node == taker.site.node else "between nodes"


def _listed(counts):
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def _chart(array, results, states):
    """One row per operation with one of these results, one column per tick, digits for states."""
    states = integer("states", states)
    known = {operation.result for operation in array.starts}
    results = results or [name for name in known if not PARTIAL.fullmatch(name)]
    for result in results:
        one_of(result, sorted(known), "result")
    rows = {}  # in the order in which they start
    for operation in sorted(array.starts, key=array.starts.get):
        if operation.result in results:
            row = rows.setdefault(f"{operation.result} {array.place(operation)}", {})
            for state in range(states):
                start = array.starts[operation] + state * array.interval
                for tick in range(start, start + operation.operator.flops):
                    row[tick] = str(state % 10)
    ticks = max((tick + 1 for row in rows.values() for tick in row), default=0)
    width = max(map(len, rows), default=0)
    scale = "".join(f"{tick:<10}" for tick in range(0, ticks, 10))
    lines = [f"{'':{width}}  {scale}".rstrip()]
    for name, row in rows.items():
        lines.append(f"{name:{width}}  {''.join(row.get(tick, IDLE) for tick in range(ticks))}")
    return "\n".join(lines)
