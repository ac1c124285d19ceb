"""The robot chip of section 7.2 as hardware: words, bits, gates and clocks."""

import json
from functools import cache
from importlib.resources import files

import numpy as np

from paraxis import load
from paraxis.hardware import inverse_dynamics_chip
from paraxis.parallel.systolic.operators import MM, MV, VV
from paraxis.robots import planar

from ..document import Row, Table, text_of
from .arrays import FORMS

HERE = "Paraxis"
ROBOTS = {"planar2": lambda: planar(2), "puma560": lambda: load("puma560")}
NAMES = {"planar2": "planar arm, 2 joints", "puma560": "PUMA, 6 joints"}
WORDS = (16, 24, 32)
STATES = 1000
GATES, BITS = "gates.json", "same_bits.json"
COMMAND = "make hardware"

LEAD = (
    "His section 7.2 sketches a chip: a primitive module of two multipliers, an adder, registers "
    "and two busses, three to a matrix-vector processor, all of them controlled by counters. Here "
    "both arrays are built of these, on fixed-point words, a clock for a flop: "
    "px.hardware.inverse_dynamics_chip."
)
CONVENTIONS = (
    "A model computes with the words of the hardware; errors are its largest over "
    f"{STATES:,} random states, rates up to 4 rad/s and accelerations up to 20 rad/s². The bound "
    "is proved for every valid state, and says what rounding can do at worst.",
    "Same bits: states whose words and valid bit are those of the model in a simulation of the "
    "hardware, clock by clock; from benchmarks/chip_bits.py.",
)
GATES_LEAD = (
    "Inverse dynamics as Verilog, words of 16 bits, synthesised to gates of two inputs by {}: the "
    "robot chip beside circuits of CORDIC processors (report cordic). Counted by "
    "benchmarks/chip_synthesis.py and not for this report."
)
GATES_CONVENTIONS = (
    "Path: gates from register to register, whatever a wire takes. Gate delays per set: clocks "
    "from one set of torques to the next, times the path.",
    "CORDIC circuits are made of the simplified equations of this very arm, and compute sines "
    "too. The chip does the same vector operations for any arm, zeros included, and its host "
    "computes the sines.",
    "Added up: gates of single modules, with nothing known of their operands, times how many "
    "modules of a kind there are. Yosys, which sees the robot's constants, needs fewer.",
)


@cache
def results(file):
    """What a benchmark wrote down, or None where it has not run."""
    found = files(__package__).joinpath(file)
    return json.loads(found.read_text("utf-8"))["rows"] if found.is_file() else None


@cache
def chip(name, form="linear", word=24, interval=None):
    return inverse_dynamics_chip(ROBOTS[name](), word=word, form=form, interval=interval)


@cache
def errors(name, form, word):
    """The largest error of a torque, what it can be, and the largest torque."""
    made = chip(name, form, word)
    return (
        float(made.errors(STATES).max()),
        float(made.error_bounds().max()),
        float(np.nanmax(abs(made(*made.random_states(STATES)).tau))),
    )


def chip_table():
    """What the chip is made of, how far its torques are off, and that its bits are the model's."""
    rows = []
    for name in ROBOTS:
        for form in FORMS:
            made = chip(name, form)
            what = f"{NAMES[name]}, {form}"
            rows.append(
                Row(
                    HERE,
                    f"{what}: matrix-vector processors",
                    None,
                    made.processors,
                    f"{made.modules} primitive modules, {made.multipliers} multipliers, "
                    f"{made.adders} adders, {text_of(made.buffers)} words in buffers; a set every "
                    f"{made.interval} clocks, {made.latency} clocks after its state",
                )
            )
            for word in WORDS:
                worst, bound, most = errors(name, form, word)
                note = f"bound {bound:.1e}; torques up to {most:.0f} N m"
                label = f"{what}, {word} bits: error, N m"
                rows.append(Row(HERE, label, None, float(f"{worst:.1e}"), note))
    for row in results(BITS) or ():
        label = f"{row['chip']}, {row['word']} bits: same bits in {row['simulator']}"
        note = f"of {row['states']}, {row['valid']} of them valid; a set every {row['interval']}"
        rows.append(Row(HERE, label, None, row["same"], f"{note} clocks"))
    return Table("The robot chip", LEAD, rows, CONVENTIONS)


def gates_table():
    """What yosys makes of it, beside CORDIC circuits."""
    found = results(GATES)
    if found is None:
        return Table("Gates", f"Not synthesised yet: run {COMMAND}.", [])
    rows = [_row(row) for row in found]
    rows += [
        Row(HERE, f"chip {name}, 16 bits: gates, added up", None, added_up(name), _added_note(name))
        for name in ROBOTS
    ]
    return Table("Gates", GATES_LEAD.format(found[0]["yosys"]), rows, GATES_CONVENTIONS)


def _row(row):
    total = row["total"]
    note = f"{text_of(total['flip_flops'])} flip-flops, path {total['longest_path']}"
    if "interval_clocks" in row:
        delays = row["interval_clocks"] * total["longest_path"]
        clocks = row["interval_clocks"]
        every = "clock" if clocks == 1 else f"{clocks} clocks"
        note += (
            f"; a set every {every}, {row['latency_clocks']} clocks after its state; "
            f"{text_of(delays)} gate delays per set"
        )
    label = row["case"] if "operator" in row else f"{row['case']}, {row['word']} bits"
    return Row(HERE, f"{label}: gates", None, total["gates"], note)


def added_up(name):
    """Gates of a chip from those of its modules."""
    module = {
        row["operator"]: row["total"]["gates"]
        for row in results(GATES)
        if row.get("operator") and row["word"] == 16
    }
    return sum(
        operation.words * module[_kind(operation.operator)]
        for operation in chip(name).array.wiring.operations
    )


def _added_note(name):
    made = {row["case"]: row["total"]["gates"] for row in results(GATES)}.get(f"chip {name}")
    share = f"{made / added_up(name):.0%} of that as a whole; " if made else ""
    return f"{share}{chip(name).modules} modules"


def _kind(operator):
    """Of a module: products of two matrices and scalar products are made of the same."""
    return (MV if operator in (MM, VV) else operator).name
