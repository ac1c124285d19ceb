"""What yosys made of the circuits, as benchmarks/synthesis.py wrote it down. No number is new."""

import json
from functools import cache
from importlib.resources import files

from ..document import Row, Table, text_of
from .circuits import HERE

FILE, PATH = "synthesis.json", "longest_path"
COMMAND = f"python benchmarks/synthesis.py --json papers/paraxis_papers/cordic/{FILE}"
TARGETS = {"gates": "gates of two inputs", "ecp5": "an ECP5 FPGA"}
CELLS = {"luts": "tables", "carries": "carry cells", "wide_muxes": "wide multiplexers"}
CONVENTIONS = (
    "Pipelined: a row of processors for each task, one an iteration, a pose every clock. "
    "Iterative: one processor a task, used again for every iteration, a pose every stage.",
    "Path: cells from register to register, whatever a wire takes.",
)


@cache
def results():
    """What the benchmark wrote down, or None where it has not run."""
    found = files(__package__).joinpath(FILE)
    return json.loads(found.read_text("utf-8")) if found.is_file() else None


def hardware_table():
    """Cells, flip-flops and paths."""
    found = results()
    rows = [] if found is None else [row for case in found["rows"] for row in _rows(case)]
    lead = f"Not synthesised yet: run {COMMAND}."
    if found is not None:
        version = found["rows"][0]["yosys"]
        lead = (
            f"The PUMA's inverse kinematics as Verilog, synthesised by {version}; counted by "
            "benchmarks/synthesis.py and not for this report."
        )
    return Table("Gates", lead, rows, CONVENTIONS)


def _rows(case):
    what = f"{case['word']} bits, {case['architecture']}, {TARGETS[case['target']]}"
    total = case["total"]
    lines = case["modules"][case["circuit"]]["flip_flops"]
    pace = f"{text_of(case['latency_clocks'])} clocks to a solution, one every"
    interval = case["interval_clocks"]
    cells = {name: count for name, count in total.items() if name not in ("flip_flops", PATH)}
    kinds = ", ".join(f"{text_of(n)} {CELLS[name]}" for name, n in cells.items() if name in CELLS)
    return [
        Row(HERE, f"{what}: cells", None, sum(cells.values()), kinds),
        Row(
            HERE,
            f"{what}: flip-flops",
            None,
            total["flip_flops"],
            f"{text_of(lines)} of them in delay lines and around the processors",
        ),
        Row(
            HERE,
            f"{what}: longest path",
            None,
            total[PATH],
            f"{pace} clock" if interval == 1 else f"{pace} {interval}",
        ),
    ]
