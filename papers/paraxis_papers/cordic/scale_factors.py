"""By what a CORDIC must scale its results, printed and exact."""

import numpy as np

from paraxis.hardware import Cordic
from paraxis.hardware.cordic.constants import (
    CIRCULAR,
    HYPERBOLIC,
    INTERLEAVED,
    LINEAR,
    MODES,
    MULTIPLY,
    gain,
)

from ..document import Row, Table
from ..printed import printed
from .circuits import HERE, PAPER

TURNS = 20_000

LEAD = (
    "Micro-rotations stretch a vector; k undoes it. The paper has digits γ for that, one an "
    "iteration, so that the product of all 1 + γ 2^-i is k."
)


def scale_factors():
    """The table."""
    found = printed("lee_chang")["cordic"]
    processor = Cordic(iterations=found["iterations"])
    rows = []
    for mode in MODES:
        table = processor.table(mode)
        factor = 1 / table.gain
        note = f"{factor:.9f}; the digits leave 1 {table.left - 1:+.0e}".replace("-", "−")
        if mode == LINEAR:
            note = "nothing is stretched"
        if mode == HYPERBOLIC:
            once = sorted(set(table.shifts))
            plain = 1 / float(gain(mode, once, 2 * len(once)))
            note += (
                f"; {plain:.4f} if no iteration came twice, as {_twice(table.shifts)} must: "
                "without them some vectors never come to rest"
            )
        rows.append(Row(PAPER, f"k, {mode}", found["scale"][mode], round(factor, 4), note))
    rows += [_rotation_row(found["iterations"], way) for way in (INTERLEAVED, MULTIPLY)]
    return Table("Scale factors", LEAD, rows)


def _rotation_row(word, compensation):
    """Vectors of length one at most, turned by any angle."""
    processor = Cordic(word=word, iterations=word, compensation=compensation)
    rng = np.random.default_rng(0)
    length, way, turn = rng.uniform(0, 1, TURNS), *rng.uniform(-np.pi, np.pi, (2, TURNS))
    x, y = (_as_words(processor.number, length * part(way)) for part in (np.cos, np.sin))
    z = _as_words(processor.angle, turn)
    found = processor.rotate(CIRCULAR, x, y, z)
    off = np.hypot(
        found.x - (x * np.cos(z) - y * np.sin(z)), found.y - (y * np.cos(z) + x * np.sin(z))
    )
    bound = processor.bound(CIRCULAR, "rotate", x, y, z)
    proved = np.hypot(bound.x, bound.y).max() / processor.number.step
    ways = {INTERLEAVED: "digits between iterations", MULTIPLY: "a multiplication in the end"}
    return Row(
        HERE,
        f"largest error of a rotation, {ways[compensation]}",
        None,
        round(off.max() / processor.number.step, 2),
        f"in last bits of {word}; {TURNS:,} random ones, proved to be below {proved:.2f}",
    )


def _as_words(format_, values):
    return format_.real(format_.raw(values)[0])


def _twice(shifts):
    repeated = sorted({str(s) for s in shifts if shifts.count(s) > 1}, key=int)
    return "the iterations of shift " + " and ".join(repeated)
