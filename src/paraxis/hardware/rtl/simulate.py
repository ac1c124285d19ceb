"""Sends items through a design in Amaranth's simulator."""

from typing import NamedTuple

import numpy as np
from amaranth.sim import Simulator

from ...errors import HardwareError


class Simulated(NamedTuple):
    """The results of simulated hardware.

    - `words`: (name, index) -> array, as returned by `px.hardware.Circuit.run`.
    - `valid`: which items are valid.
    - `clocks`: the number of simulated clocks.
    """

    words: dict
    valid: np.ndarray
    clocks: int


def simulate(design, words, gaps=()):
    """Simulate a design for arrays of words (Input -> array), one item after the other.

    An item is sent as soon as it can be accepted; before each of those in `gaps`, given by number,
    one turn is skipped. The simulation checks that each is at the outputs exactly when it should
    be.
    """
    name = design.circuit.name
    sent = clocks_and_items(design, words, gaps)
    expected = [clock + design.latency for clock in sent]
    inputs, outputs = list(design.inputs.values()), [design.valid, *design.outputs.values()]
    found, seen, clocks = [], [], max(expected) + 1

    async def drive(context):
        for clock in range(clocks):
            context.set(design.start, clock in sent)
            for port, word in zip(inputs, sent.get(clock, ()), strict=False):
                context.set(port, word)
            if design.ready is not None and context.get(design.ready) != (
                clock % design.interval == 0
            ):
                raise HardwareError(f"{name}: ready is wrong in clock {clock}")
            if context.get(design.done):
                seen.append(clock)
                found.append([context.get(port) for port in outputs])
            await context.tick()

    simulator = Simulator(design.module())
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive)
    simulator.run()
    if seen != expected:
        raise HardwareError(
            f"{name}: expected items at the outputs in clocks {expected}, found {seen}"
        )
    valid, *columns = np.array(found).T
    return Simulated(dict(zip(design.outputs, columns, strict=True)), valid.astype(bool), clocks)


def clocks_and_items(design, words, gaps=()):
    """Clock -> the words, one per input, of the item that is sent in it."""
    rows = zip(*(np.asarray(words[source]).tolist() for source in design.inputs), strict=True)
    sent, turn = {}, 0
    for number, row in enumerate(rows):
        turn += number in gaps
        sent[turn * design.interval] = row
        turn += 1
    return sent
