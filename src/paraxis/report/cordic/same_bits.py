"""Bit by bit: the pipeline against the model without one, and hardware against both."""

import numpy as np

from ..document import Row, Table
from .circuits import HERE, circuit, workspace

STREAMED = 500
LEAD = (
    "Words that are the same as those of the model, which computes one pose after the other "
    "without a pipeline."
)


def same_bits_table():
    """The table."""
    rows = [_stream_row()]
    return Table("The same bits", LEAD, rows)


def _stream_row():
    """A new pose every stage, through processors and delay lines."""
    words, _ = circuit().quantised(pose=workspace().pose[:STREAMED])
    (plain, valid), (streamed, right) = circuit().run(words), circuit().stream(words)
    same = (valid == right) & np.all([plain[key] == streamed[key] for key in plain], axis=0)
    return Row(
        HERE,
        "poses with the same words from the stream",
        None,
        int(same.sum()),
        f"of {STREAMED}, a new one every stage; {int(valid.sum())} valid",
    )
