"""Hardware against the NumPy model, bit for bit: Amaranth, Verilog in Icarus, and yosys on it."""

import numpy as np
import pytest

pytest.importorskip("amaranth", reason="hardware needs amaranth: pip install 'paraxis[hdl]'")

from amaranth.sim import Simulator

from paraxis.backends.rtl.iterative import IterativeProcessor
from paraxis.backends.rtl.pipelined import PipelinedProcessor
from paraxis.cordic import integers
from paraxis.cordic.formats import Angle, Number
from paraxis.cordic.units.circular import Rotate, Vector
from paraxis.cordic.units.hyperbolic import HyperbolicRotate, Root
from paraxis.cordic.units.linear import Add, AddAngles, Divide, Multiply
from paraxis.cordic.units.unit import Given, Port

ITEMS = 60


# -- units -----------------------------------------------------------------------------------------

NUMBERS = {  # unit -> (ports in, ports out) that are numbers; the others are angles
    Rotate: ("xy", "XY"),
    Vector: ("xy", "X"),
    Root: ("xyz", "XZ"),
    HyperbolicRotate: ("xyz", "XY"),
    Multiply: ("xyz", "Y"),
    Divide: ("xyz", "Z"),
    Add: ("xy", "Y"),
    AddAngles: ("", ""),
}
ANGLES = {Rotate: ("z", ""), Vector: ("z", "Z"), AddAngles: ("xy", "Y")}


def random_unit(kind, rng):
    """A unit with ports of random formats and signs, one of them perhaps a constant."""
    iterations = int(rng.integers(8, 27))

    def number(whole=3):
        word = int(rng.integers(8, 27))
        return Number(word, word - 1 - int(rng.integers(-2, whole)))

    def port(name):
        sign = int(rng.choice([-1, 1]))
        if name in ANGLES.get(kind, ("",))[0]:
            return Port(Angle(int(rng.integers(8, 27))), sign)
        format = number(1 if kind is HyperbolicRotate else 3)
        return Port(format, sign, -format.least)

    numbers_in, numbers_out = NUMBERS[kind]
    angles_in, angles_out = ANGLES.get(kind, ("", ""))
    ports = {name: port(name) for name in numbers_in + angles_in}
    gives = {name: Given(number(), True, int(rng.choice([0, 3]))) for name in numbers_out}
    gives |= {name: Given(Angle(int(rng.integers(8, 27)))) for name in angles_out}
    turning = "z" if kind in (Rotate, HyperbolicRotate) else ""  # never a constant
    constant = rng.choice(["", "", "", *(name for name in ports if name != turning)])
    if constant:
        value = float(rng.uniform(-0.9, 0.9))
        ports[constant] = Port(None, ports[constant].sign, abs(value), value)
    return kind(
        **ports, gives=gives, iterations=iterations, guard=5, interleaved=bool(rng.integers(2))
    )


def random_words(unit, rng, count=ITEMS):
    """Words over the whole of each format, its ends included."""
    words = {}
    for name, port in unit.ports.items():
        half = 1 << port.format.word - 1
        words[name] = rng.integers(-half, half, size=count)
        words[name][:4] = [-half, half - 1, 0, -1]
        rng.shuffle(words[name][:8])
    return words


def simulated(processor, drive):
    simulator = Simulator(processor)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive)
    simulator.run()


def through_pipelined(unit, words):
    """One item a clock, each read `iterations` clocks later."""
    processor, found = PipelinedProcessor(unit, list(unit.gives)), []
    count = len(next(iter(words.values())))

    async def drive(context):
        for clock in range(count + unit.iterations - 1):
            for name, port in processor.words.items():
                context.set(port, int(words[name][min(clock, count - 1)]))
            await context.tick()
            if clock >= unit.iterations - 1:
                found.append(taken(context, processor))

    simulated(processor, drive)
    return found


def through_iterative(unit, words):
    """One item every `iterations` clocks; its words are there in the first of them alone."""
    processor, found = IterativeProcessor(unit, list(unit.gives)), []
    count = len(next(iter(words.values())))

    async def drive(context):
        for item in range(count):
            for clock in range(unit.iterations):
                context.set(processor.clock, clock)
                for name, port in processor.words.items():
                    context.set(port, int(words[name][item]) if clock == 0 else 1)
                await context.tick()
            found.append(taken(context, processor))

    simulated(processor, drive)
    return found


def taken(context, processor):
    given = {name: context.get(port) for name, port in processor.given.items()}
    return given, bool(context.get(processor.right))


@pytest.mark.parametrize("through", [through_pipelined, through_iterative])
@pytest.mark.parametrize("kind", NUMBERS, ids=lambda kind: kind.__name__)
def test_units_are_their_model(kind, through):
    rng = np.random.default_rng([len(kind.__name__), ord(kind.__name__[-1])])
    for _ in range(3):
        unit = random_unit(kind, rng)
        words = random_words(unit, rng)
        given, right = unit(integers, words)
        right = np.broadcast_to(right, ITEMS)
        for item, (found, found_right) in enumerate(through(unit, words)):
            expected = {name: int(np.broadcast_to(given[name], ITEMS)[item]) for name in given}
            assert (found, found_right) == (expected, right[item]), (unit, item)
