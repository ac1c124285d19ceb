"""Lee and Chang's five shift-and-add modules, counted, beside a serial multiplier."""

import json
from functools import cache
from importlib.resources import files

from paraxis.hardware import Cordic
from paraxis.hardware.cordic.constants import AFTER, CIRCULAR, INTERLEAVED, LINEAR, MULTIPLY
from paraxis.hardware.cordic.units.unit import Given, Port

from ..document import Row, Table, text_of
from ..printed import printed
from .circuits import HERE, PAPER
from .serial_multiplier import SerialMultiplier

FILE = "processors.json"
COMMAND = f"python benchmarks/processors.py --json papers/paraxis_papers/cordic/{FILE}"
WAYS = {
    INTERLEAVED: "a rotation, digits between micro-rotations (eq. 11)",
    AFTER: "a rotation, digits after all of them (eq. 10)",
    MULTIPLY: "a rotation, a multiplication at the end",
    "product": "a product by CORDIC",
    "serial": "a serial multiplier",
}


@cache
def unit(way):
    """Of `WAYS`, for words of as many bits as the paper's."""
    word = printed("lee_chang")["cordic"]["iterations"]
    if way == "product":
        return Cordic(word, word).unit(LINEAR, "rotate")
    if way == "serial":
        number = Cordic(word, word).number
        port = Port(number, most=-number.least)
        gives = {"Y": Given(number, saturates=True)}
        return SerialMultiplier(x=port, z=port, gives=gives, iterations=word, guard=0)
    return Cordic(word, word, compensation=way).unit(CIRCULAR, "rotate")


def additions(made):
    """The adders of one clock, and how many additions one after another it takes."""
    count = Counting()
    registers = {name: Wire(count) for name in made.widths}
    after = made.step(count, Wire(count), registers)
    return count.adders, max(wire.depth for wire in after.values())


class Counting:
    """The operations of units, counted. All that is no addition is free: shifts, tables, choices,
    signs."""

    def __init__(self):
        self.adders = 0

    def plus(self, value, times, change):
        return value + self.where(times, change, 0)

    def where(self, condition, if_true, if_false):
        return Wire(self, _depth(condition, if_true, if_false))

    def at(self, entries, iteration):
        return Wire(self, _depth(iteration))

    def wrap(self, value, width):
        return value


class Wire:
    """A word, there after so many additions."""

    def __init__(self, count, depth=0):
        self.count, self.depth = count, depth

    def __add__(self, other):
        self.count.adders += 1
        return Wire(self.count, 1 + _depth(self, other))

    def _free(self, other=0):
        return Wire(self.count, _depth(self, other))

    __neg__ = __invert__ = __rshift__ = __lshift__ = __and__ = __or__ = _free
    __lt__ = __ge__ = __eq__ = _free
    __hash__ = None


def _depth(*values):
    return max(value.depth for value in values if isinstance(value, Wire))


@cache
def synthesised():
    """way -> what yosys made of it, as benchmarks/processors.py wrote it down."""
    found = files(__package__).joinpath(FILE)
    return json.loads(found.read_text("utf-8")) if found.is_file() else {"rows": []}


def adders_table():
    """Modules, clocks, additions and gates."""
    shown = printed("lee_chang")["cordic"]
    gates = {row["way"]: row for row in synthesised()["rows"]}
    rows = []
    for way, name in WAYS.items():
        made = unit(way)
        adders, chain = additions(made)
        modules = shown["shift_and_add_modules"] if way == INTERLEAVED else None
        note = f"in a row of {chain}" if chain > 1 else "none waits for another"
        if way == MULTIPLY:
            note += ", and a multiplier behind the last"
        rows.append(Row(PAPER if modules else HERE, f"{name}: adders", modules, adders, note))
        clocks = shown["iterations"] if way == INTERLEAVED else None
        note = f"{text_of(chain * made.clocks)} additions one after another"
        if way == AFTER:
            note += f"; {2 * made.rotations} clocks if digits of 0 took one, as the equation has it"
        if way in gates:
            total = gates[way]["total"]
            path = total["longest_path"] * made.clocks
            note += (
                f"; {text_of(total['gates'])} gates, a path of {total['longest_path']} in a clock, "
                f"{text_of(path)} in all clocks"
            )
        rows.append(Row(PAPER if clocks else HERE, f"{name}: clocks", clocks, made.clocks, note))
    lead = (
        f"One processor of {shown['iterations']} bits whose adders are used in every clock. Adders "
        "and their longest chain are found by running one clock of the model on words that count. "
    )
    if gates:
        version = next(iter(gates.values()))["yosys"]
        lead += f"Gates of two inputs by {version}, counted by benchmarks/processors.py."
    else:
        lead += f"Not synthesised yet: run {COMMAND}."
    return Table("Shift-and-add modules", lead, rows)
