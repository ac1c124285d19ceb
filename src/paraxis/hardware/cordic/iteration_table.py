"""What a CORDIC does in each of its iterations, to look at."""

from typing import NamedTuple


class IterationTable(NamedTuple):
    """The micro-rotations of a mode, an entry for each iteration.

    `angles` are those of the words, in radians where the mode is circular. `gain` is by how much
    all micro-rotations together stretch, and `left` what the digits γ leave of it: the product of
    the gain and of all 1 + γ_i 2^-i, nearly one unless the digits are all zero.
    """

    shifts: tuple
    angles: tuple
    digits: tuple
    gain: float
    left: float

    def __str__(self):
        rows = zip(self.shifts, self.angles, self.digits, strict=True)
        lines = [f"{'i':>3}{'shift':>7}{'angle':>16}{'digit':>7}"]
        lines += [f"{i:3}{s:7}{a:16.12f}{d:7}" for i, (s, a, d) in enumerate(rows)]
        return "\n".join([*lines, f"gain {self.gain:.6f}, 1 / gain {1 / self.gain:.6f}"])
