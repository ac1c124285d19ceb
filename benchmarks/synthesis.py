"""The PUMA's inverse kinematics as hardware: what yosys counts in both architectures.

Gates have two inputs and carries that look ahead; their words are 16 and 24 bits long. ECP5 is
an FPGA with four-input tables and carry chains, at 24 bits. Paths are counted in cells between
registers, wires without delay. The first run of yosys compiles itself, once, in half a minute.

    python benchmarks/synthesis.py [--quick] [--json papers/paraxis_papers/cordic/synthesis.json]
"""

import argparse
import time
from pathlib import Path

import peers
from rich.console import Console
from rich.table import Table

import paraxis as px
from paraxis.hardware.rtl.design import ARCHITECTURES, Design
from paraxis.hardware.rtl.synthesis import synthesise

RESULTS = Path(__file__).parent / "results" / "synthesis.json"
# word, target
CASES = ((16, "gates"), (24, "gates"), (24, "ecp5"))
QUICK = ((16, "gates"),)


def measure(word, target, architecture):
    circuit = px.hardware.inverse_kinematics_circuit(px.load("puma560"), word=word)
    begin = time.perf_counter()
    found = synthesise(Design(circuit, architecture), target)
    seconds = time.perf_counter() - begin
    return {"word": word, "stages": circuit.stages} | found | {"seconds": seconds}


def show(rows, console):
    table = Table(title="Inverse kinematics of the PUMA 560, by yosys")
    for heading in ("bits", "architecture", "target"):
        table.add_column(heading)
    for heading in ("cells", "flip-flops", "in delay lines", "longest path", "s"):
        table.add_column(heading, justify="right")
    for row in rows:
        total = dict(row["total"])
        path, flip_flops = total.pop("longest_path"), total.pop("flip_flops")
        cells = ", ".join(f"{count:,} {what}" for what, count in total.items())
        around = row["modules"][row["circuit"]]["flip_flops"]
        table.add_row(
            str(row["word"]),
            row["architecture"],
            row["target"],
            cells,
            f"{flip_flops:,}",
            f"{around:,}",
            str(path),
            f"{row['seconds']:.0f}",
        )
    console.print(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="short words, gates only")
    parser.add_argument("--json", type=Path, default=None, help=f"e.g. {RESULTS.name}")
    options = parser.parse_args()
    console, rows = Console(width=120), []
    for word, target in QUICK if options.quick else CASES:
        for architecture in ARCHITECTURES:
            with console.status(f"{word} bits, {architecture}, {target}"):
                rows.append(measure(word, target, architecture))
    show(rows, console)
    peers.keep({"machine": peers.machine(), "rows": rows}, options.json)


if __name__ == "__main__":
    main()
