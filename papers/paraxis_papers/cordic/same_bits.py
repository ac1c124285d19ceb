"""Bit by bit: the pipeline and the hardware against the model that has neither."""

import json
from functools import cache
from importlib.resources import files

import numpy as np

from ..document import Row, Table
from .circuits import HERE, circuit, workspace

STREAMED = 500
FILE = "same_bits.json"
COMMAND = f"python benchmarks/same_bits.py --json papers/paraxis_papers/cordic/{FILE}"
LEAD = (
    "Items for which words and valid bit are those of the model, which computes one item after the "
    "other without a pipeline. The stream is of NumPy and run for this report; {}"
)


@cache
def results():
    """What the benchmark wrote down of hardware, or None where it has not run."""
    found = files(__package__).joinpath(FILE)
    return json.loads(found.read_text("utf-8")) if found.is_file() else None


def same_bits_table():
    """The table."""
    found = results()
    lead = LEAD.format(f"hardware was not compared yet: run {COMMAND}.")
    rows = [_stream_row()]
    if found is not None:
        lead = LEAD.format(
            f"hardware was compared on {found['date']} by benchmarks/same_bits.py, in the "
            f"simulator of Amaranth {found['amaranth']} and, as Verilog, in Icarus."
        )
        rows += [_hardware_row(row) for row in found["rows"]]
    return Table("The same bits", lead, rows)


def _stream_row():
    """A new pose every stage, through processors and delay lines."""
    words, _ = circuit().quantised(pose=workspace().pose[:STREAMED])
    (plain, valid), (streamed, right) = circuit().run(words), circuit().stream(words)
    same = (valid == right) & np.all([plain[key] == streamed[key] for key in plain], axis=0)
    return _row("PUMA, inverse kinematics, stream", same.sum(), STREAMED, valid.sum())


def _hardware_row(row):
    what = f"{row['circuit']}, {row['architecture']}, {row['simulator']}"
    return _row(what, row["same"], row["items"], row["valid"])


def _row(what, same, items, valid):
    return Row(HERE, what, None, int(same), f"of {items:,}; {valid:,} of them valid")
