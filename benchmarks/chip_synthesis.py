"""Torques as hardware: Lathrop's robot chip beside CORDIC circuits, by yosys.

Gates have two inputs. A case is one circuit, or one primitive module of the chip with nothing known
of its operands. Each case takes minutes, so that those that are already in the file are kept unless
they are asked for by name.

    python benchmarks/chip_synthesis.py [CASE ...]
        [--json papers/paraxis_papers/systolic/gates.json]
"""

import argparse
import json
import time
from functools import partial
from pathlib import Path

import peers
from rich.console import Console
from rich.table import Table

import paraxis as px
from paraxis.hardware.chip.design import ChipDesign
from paraxis.hardware.chip.formats import Rounding
from paraxis.hardware.chip.primitive_module import PrimitiveModule
from paraxis.hardware.rtl.design import Design
from paraxis.hardware.rtl.synthesis import synthesise, synthesise_verilog
from paraxis.hardware.rtl.verilog import converted
from paraxis.parallel.systolic.operators import MV, SV, VA, VC

WORD = 16
ROBOTS = {"planar2": partial(px.robots.planar, 2), "puma560": partial(px.load, "puma560")}


def module(operator, word):
    """A primitive module alone."""
    drop = 1 if operator is VA else word - 2
    made = PrimitiveModule(operator, word, Rounding((0, 0), drop))
    found = synthesise_verilog(converted(made, made.ports, "module"), "module")
    return {"operator": operator.name, "word": word} | found


def chip(name, form="linear"):
    made = px.hardware.inverse_dynamics_chip(ROBOTS[name](), word=WORD, form=form)
    return {"robot": name, "word": WORD} | synthesise(ChipDesign(made))


def cordic(name, architecture):
    circuit = px.hardware.inverse_dynamics_circuit(ROBOTS[name](), word=WORD)
    return {"robot": name, "word": WORD} | synthesise(Design(circuit, architecture))


CASES = {
    f"module {operator.name}, {word} bits": partial(module, operator, word)
    for word in (16, 24)
    for operator in (VA, SV, VC, MV)
} | {
    "CORDIC planar2 iterative": partial(cordic, "planar2", "iterative"),
    "CORDIC planar2 pipelined": partial(cordic, "planar2", "pipelined"),
    "chip planar2": partial(chip, "planar2"),
    "CORDIC puma560 iterative": partial(cordic, "puma560", "iterative"),
    "chip puma560": partial(chip, "puma560"),
}


def measure(case):
    begin = time.perf_counter()
    found = CASES[case]()
    del found["modules"]  # hundreds
    return {"case": case} | found | {"seconds": time.perf_counter() - begin}


def show(rows, console):
    table = Table(title="Torques as hardware, by yosys")
    table.add_column("case")
    for heading in ("gates", "flip-flops", "longest path", "clocks per state", "s"):
        table.add_column(heading, justify="right")
    for row in rows:
        total = row["total"]
        table.add_row(
            row["case"],
            f"{total['gates']:,}",
            f"{total['flip_flops']:,}",
            str(total["longest_path"]),
            str(row.get("interval_clocks", "")),
            f"{row['seconds']:.0f}",
        )
    console.print(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}")
    parser.add_argument("--json", type=Path, default=None, help="where results are kept")
    options = parser.parse_args()
    if unknown := [case for case in options.cases if case not in CASES]:
        parser.error(f"no case {unknown[0]!r}; expected one of {', '.join(map(repr, CASES))}")
    console = Console(width=120)
    known = (
        json.loads(options.json.read_text())["rows"]
        if options.json and options.json.exists()
        else []
    )
    rows = {row["case"]: row for row in known if row["case"] not in options.cases}
    for case in CASES:
        if case not in rows and case in (options.cases or CASES):
            with console.status(case):
                rows[case] = measure(case)
            ordered = [rows[each] for each in CASES if each in rows]
            peers.keep({"machine": peers.machine(), "rows": ordered}, options.json)
    show([rows[each] for each in CASES if each in rows], console)


if __name__ == "__main__":
    main()
