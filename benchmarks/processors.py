"""One CORDIC processor and one serial multiplier as hardware: what yosys counts.

Each uses its adders again in every clock. Needs `pip install ./papers`, where the multiplier is.

    python benchmarks/processors.py [--json papers/paraxis_papers/cordic/processors.json]
"""

import argparse
from pathlib import Path

import peers
from paraxis_papers.cordic.adders import WAYS, unit
from rich.console import Console
from rich.table import Table

from paraxis.hardware.rtl.iterative import IterativeProcessor
from paraxis.hardware.rtl.synthesis import synthesise_verilog
from paraxis.hardware.rtl.verilog import converted

RESULTS = Path(__file__).parent / "results" / "processors.json"


def measure(way):
    made = unit(way)
    kept = [name for name in made.gives if name != "Z"]
    processor = IterativeProcessor(made, kept)
    found = synthesise_verilog(converted(processor, processor.ports, "processor"), "processor")
    return {"way": way, "clocks": made.clocks, "total": found["total"], "yosys": found["yosys"]}


def show(rows, console):
    table = Table(title="One processor of 24 bits, by yosys")
    table.add_column("processor")
    for heading in ("clocks", "gates", "flip-flops", "longest path"):
        table.add_column(heading, justify="right")
    for row in rows:
        counts = [row["total"][name] for name in ("gates", "flip_flops", "longest_path")]
        table.add_row(WAYS[row["way"]], *(f"{count:,}" for count in (row["clocks"], *counts)))
    console.print(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, default=None, help=f"e.g. {RESULTS.name}")
    options = parser.parse_args()
    console, rows = Console(width=120), []
    for way in WAYS:
        with console.status(WAYS[way]):
            rows.append(measure(way))
    show(rows, console)
    peers.keep({"machine": peers.machine(), "rows": rows}, options.json)


if __name__ == "__main__":
    main()
