"""By what a CORDIC must scale its results, printed and exact."""

import numpy as np

from paraxis.hardware import Cordic
from paraxis.hardware.cordic.constants import (
    AFTER,
    CIRCULAR,
    COMPENSATIONS,
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
WAYS = {
    INTERLEAVED: "digits between iterations",
    AFTER: "digits after all iterations",
    MULTIPLY: "a multiplication at the end",
}

LEAD = (
    "Micro-rotations stretch a vector; k undoes it. The paper has digits γ for that, so that the "
    "product of all 1 + γ 2^-i is k: one an iteration (eq. 11), or after all of them (eq. 10), "
    "where every digit that is not 0 takes a clock."
)


def scale_factors():
    """The table."""
    found = printed("lee_chang")["cordic"]
    processor = Cordic(iterations=found["iterations"])
    rows = []
    for mode in MODES:
        table = processor.table(mode)
        factor = 1 / table.gain
        after = Cordic(iterations=found["iterations"], compensation=AFTER).table(mode)
        note = (
            f"{factor:.9f}; digits between iterations leave 1 {table.left - 1:+.0e}, "
            f"{len(after.scalings)} after them 1 {after.left - 1:+.0e}"
        ).replace("-", "−")
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
    rows += [_rotation_row(found["iterations"], way) for way in COMPENSATIONS]
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
    return Row(
        HERE,
        f"largest error of a rotation, {WAYS[compensation]}",
        None,
        round(off.max() / processor.number.step, 2),
        f"in last bits of {word}; {TURNS:,} random ones, proved to be below {proved:.2f}",
    )


def _as_words(format_, values):
    return format_.real(format_.raw(values)[0])


def _twice(shifts):
    repeated = sorted({str(s) for s in shifts if shifts.count(s) > 1}, key=int)
    return "the iterations of shift " + " and ".join(repeated)
