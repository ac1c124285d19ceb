"""Simulates the array tick by tick; a tick is a flop.

In every tick, finished results first leave their processors and shift the delay lines, then
processors that are due load their operands. Every value carries its state and its identity, and its
reader checks both, so that the alignment of streams is tested rather than assumed. Before the first
state and after the last one the array runs on empty values, like hardware.
"""

from collections import defaultdict, deque
from typing import NamedTuple

import numpy as np

from ...drivers.map import in_main_memory
from ...errors import ArgumentError, ScheduleError
from .wiring import OUTSIDE, Constant

EMPTY = None


class Item(NamedTuple):
    """The content of a register."""

    state: int
    source: object
    value: object


class Stream(NamedTuple):
    """The `torques`, (..., n), and `departures`: the tick at which each state's torques left."""

    torques: np.ndarray
    departures: list[int]


def run(array, q, qd, qdd):
    """Feed states, one every interval, until the last torques have left."""
    shape, states = _states(array, q, qd, qdd)
    machine = Machine(array, states)
    ticks = array.latency + array.interval * (len(states) - 1) + 1
    for tick in range(-array.latency, ticks if states else 0):
        machine.step(tick)
    return Stream(np.reshape(machine.torques, shape), machine.departures)


class Machine:
    """The registers of an array and their contents."""

    def __init__(self, array, states):
        self.array, self.states = array, states
        lengths = defaultdict(int)
        for source, taker, position, _ in array.reads:
            line = array.line_of(source)
            lengths[line] = max(lengths[line], array.taps[taker, position])
        self.lines = {line: deque(maxlen=taps + 1) for line, taps in lengths.items()}
        self.inputs = _by_link(array.wiring.inputs)
        self.due = defaultdict(list)  # tick within the interval -> operations that start
        for operation, start in array.starts.items():
            self.due[start % array.interval].append(operation)
        self.results = defaultdict(list)  # tick -> items that will be available
        self.busy = {}  # processor -> tick until which it is
        self.torques, self.departures = [], []

    def step(self, tick):
        array = self.array
        arriving, late = divmod(tick, array.interval)
        if not late:
            self.arrive(arriving)
        for item in self.results.pop(tick, ()):
            self.lines[array.line_of(item.source)].appendleft(item)
        for operation in self.due[tick % array.interval]:
            self.start(operation, (tick - array.starts[operation]) // array.interval, tick)
        leaving, late = divmod(tick - array.latency, array.interval)
        if not late and self.fed(leaving):
            self.depart(leaving, tick)

    def fed(self, state):
        """Whether this state exists; the others are empty."""
        return 0 <= state < len(self.states)

    def arrive(self, state):
        """The inputs of a state, or none, enter their lines."""
        for link, inputs in self.inputs.items():
            values = dict.fromkeys(inputs, EMPTY)
            if self.fed(state):
                q, qd, qdd = self.states[state]
                values = self.array.links.values(link, inputs, q, qd[link], qdd[link])
            for quantity, source in inputs.items():
                self.lines[source].appendleft(Item(state, source, values[quantity]))

    def start(self, operation, state, tick):
        """A processor loads its operands; its result is available some flops later."""
        processor, done = self.array.processor[operation], tick + operation.operator.flops
        if self.busy.get(processor, tick) > tick:
            raise ScheduleError(f"tick {tick}: the processor of {operation} is still busy")
        self.busy[processor] = done
        value = EMPTY
        if self.fed(state):
            value = operation.operator.apply(*self.load(operation, state, tick))
        self.results[done].append(Item(state, operation, value))

    def load(self, operation, state, tick):
        """The operands of an operation."""
        for position, (source, transposed) in enumerate(operation.operands):
            if isinstance(source, Constant):
                value = source.value
            else:
                value = self.read(source, operation, position, state, tick)
            yield value.T if transposed else value

    def read(self, source, taker, position, state, tick):
        """The value at a reader's tap, which must be the expected one."""
        line, tap = self.lines[self.array.line_of(source)], self.array.taps[taker, position]
        found = line[tap] if 0 <= tap < len(line) else None
        if found is None or found.state != state or found.source is not source:
            what = f"{found.source} of state {found.state}" if found else "nothing"
            raise ScheduleError(
                f"tick {tick}: {taker or 'the outside'}: expected {source} of state {state}, "
                f"found {what}"
            )
        return found.value

    def depart(self, state, tick):
        """All torques of a state leave together."""
        outputs = enumerate(self.array.wiring.outputs)
        self.torques.append(
            [self.read(output, OUTSIDE, joint, state, tick) for joint, output in outputs]
        )
        self.departures.append(tick)


def _by_link(inputs):
    """link -> quantity -> Input."""
    found = defaultdict(dict)
    for each in inputs:
        found[each.link][each.quantity] = each
    return found


def _states(array, *arrays):
    """The shape of the torques, and for each state its q, qd, qdd as lists of floats."""
    n = array.links.model.n
    given = []
    for name, each in zip(("q", "qd", "qdd"), arrays, strict=True):
        in_main_memory(each, name)
        try:
            given.append(np.asarray(each, float))
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"{name}: expected an array of numbers: {error}") from None
        if given[-1].shape[-1:] != (n,):
            raise ArgumentError(f"{name}: expected shape (..., {n}), found {given[-1].shape}")
    try:
        given = np.broadcast_arrays(*given)
    except ValueError:
        shapes = ", ".join(str(each.shape) for each in given)
        raise ArgumentError(f"q, qd, qdd: expected shapes that broadcast, found {shapes}") from None
    rows = [each.reshape(-1, n).tolist() for each in given]
    return given[0].shape, list(zip(*rows, strict=True))
