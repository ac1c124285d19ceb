"""One CORDIC processor of any word length: six functions in three modes, on floats or words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...checks import one_of
from ...drivers.map import in_main_memory
from ...errors import ArgumentError
from . import integers, long_integers
from .bounds import bound
from .constants import (
    CIRCULAR,
    COMPENSATIONS,
    HYPERBOLIC,
    INTERLEAVED,
    LINEAR,
    MODES,
    MULTIPLY,
)
from .formats import SHORTEST, WIDEST, Angle, Number, guard_bits, integer_kind, number_of_bits
from .raw_words import are_whole, fitting, together
from .units.circular import Rotate, Vector
from .units.hyperbolic import HyperbolicRotate, Root
from .units.linear import Divide, Multiply
from .units.unit import Given, Port, Unit

REACH = 4.0  # numbers are in [-4, 4)
UNITS = {
    (CIRCULAR, "rotate"): Rotate,
    (LINEAR, "rotate"): Multiply,
    (HYPERBOLIC, "rotate"): HyperbolicRotate,
    (CIRCULAR, "vector"): Vector,
    (LINEAR, "vector"): Divide,
    (HYPERBOLIC, "vector"): Root,
}


class IterationTable(NamedTuple):
    """The micro-rotations of a mode, one entry per iteration.

    - `shifts`: the shift i of each micro-rotation.
    - `angles`: their angles as words represent them, in radians if the mode is circular.
    - `digits`: the digits γ_i of the scalings that undo the gain.
    - `gain`: the factor by which all micro-rotations together stretch.
    - `left`: the part of it that remains after the digits γ: the product of the gain and of all 1 +
      γ_i 2^-i, nearly one unless all digits are zero.
    - `scalings`: pairs (i, γ_i) if the digits come after all micro-rotations.
    """

    shifts: tuple[int, ...]
    angles: tuple[float, ...]
    digits: tuple[int, ...]
    gain: float
    left: float
    scalings: tuple[tuple[int, int], ...] = ()

    def __str__(self):
        rows = zip(self.shifts, self.angles, self.digits, strict=True)
        lines = [f"{'i':>3}{'shift':>7}{'angle':>16}{'digit':>7}"]
        lines += [f"{i:3}{s:7}{a:16.12f}{d:7}" for i, (s, a, d) in enumerate(rows)]
        return "\n".join([*lines, f"gain {self.gain:.6f}, 1 / gain {1 / self.gain:.6f}"])


class CordicResult(NamedTuple):
    """The results of a CORDIC processor.

    - `x`, `y`, `z`: their values after the last iteration.
    - `valid`: where all three are valid.
    """

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    valid: np.ndarray

    def __str__(self):
        return ", ".join(f"{name} = {value}" for name, value in self._asdict().items())


@dataclass(frozen=True)
class Cordic:
    """A CORDIC processor, which rotates vectors by shifts and additions::

        mode        rotate: z is brought to 0               vector: y is brought to 0
        circular    x cos z - y sin z, y cos z + x sin z    √(x² + y²), z + atan2(y, x)
        linear      x, y + x z                              x, z + y / x
        hyperbolic  likewise with cosh and sinh, all plus   √(x² - y²), z + artanh(y / x)

    Numbers are in [-4, 4), in words with `word - 3` fraction bits: `cordic.number`. A circular z is
    any angle in radians, in words where 2^(word - 1) is π: `cordic.angle`. Floats are rounded to
    words, and results are floats, with angles in [-π, π). Integers are taken as words, and results
    are then words as well.

    **Arguments:**

    - `word`: the number of bits of a word.
    - `iterations`: the number of micro-rotations, including the repeated ones of hyperbolic modes.
    - `guard`: additional low-order bits that are kept until the end; by default enough that
      internal rounding costs no more than about the rounding of words.
    - `compensation`: how the gain is undone. `"interleaved"` adds shifted numbers between
      micro-rotations, `"after"` adds them after all micro-rotations with the same adders (Lee and
      Chang's equations 11 and 10), `"multiply"` multiplies by a constant at the end.

    **Example:**

    >>> cordic = px.hardware.Cordic(word=24)
    >>> turned = cordic.rotate("circular", 1.0, 0.0, np.pi / np.array([6, 4]))
    >>> turned.x, turned.y  # cosines and sines of 30 and 45 degrees
    (array([0.866, 0.707]), array([0.5  , 0.707]))
    >>> cordic.vector("linear", [2.0, 3.0], 1.0, 0.0).z  # 1 / 2, 1 / 3
    array([0.5  , 0.333])
    """

    word: int = 24
    iterations: int = 24
    guard: int | None = None
    compensation: str = INTERLEAVED

    def __post_init__(self):
        word = number_of_bits("word", self.word, SHORTEST)
        iterations = number_of_bits("iterations", self.iterations, 1)
        guard = guard_bits(iterations) if self.guard is None else self.guard
        guard = number_of_bits("guard", guard, 0)
        for name, value in (("word", word), ("iterations", iterations), ("guard", guard)):
            object.__setattr__(self, name, value)
        one_of(self.compensation, COMPENSATIONS, "compensation")

    @property
    def number(self) -> Number:
        """The format of x and y, and of z except in circular modes."""
        return Number(self.word, self.word - 3)

    @property
    def angle(self) -> Angle:
        """The format of a circular z."""
        return Angle(self.word)

    def rotate(self, mode: str, x: ArrayLike, y: ArrayLike, z: ArrayLike) -> CordicResult:
        """(x, y) rotated by z; the z of the result is the remainder, about 0.

        `mode` is "circular", "linear" or "hyperbolic". The arrays broadcast; see the class for
        their ranges.
        """
        return self._run(mode, "rotate", x, y, z)

    def vector(self, mode: str, x: ArrayLike, y: ArrayLike, z: ArrayLike) -> CordicResult:
        """(x, y) rotated until y is about 0: its length as x, and its angle added to z.

        A result is invalid if the number does not exist or does not fit: a circular vector (0, 0),
        which has no angle; a quotient of 4 or more, or by 0; a hyperbolic vector with x <= abs(y).
        """
        return self._run(mode, "vector", x, y, z)

    def bound(self, mode: str, direction: str, x: ArrayLike, y: ArrayLike, z: ArrayLike):
        """Upper bounds of the errors of x, y and z of a valid result.

        **Arguments:**

        - `mode`: "circular", "linear" or "hyperbolic".
        - `direction`: "rotate" or "vector".
        - `x`, `y`, `z`: floats that broadcast. Words are exact; only the numbers they represent
          have errors.

        **Returns:** three arrays: the largest possible distances of x, y and z from exact
        arithmetic; infinite if no bound is known.
        """
        reals = _alike(x, y, z)
        if reals[0].dtype != float:
            raise ArgumentError("x, y, z: expected floats; integers are words, which are exact")
        return bound(self, self.unit(mode, direction), *reals)

    def table(self, mode: str) -> IterationTable:
        """Shifts, angles, digits and gain of a mode."""
        unit: Any = self.unit(mode, "rotate")
        table = unit.table
        if mode == CIRCULAR:
            one = math.pi * 2.0 ** (1 - unit.angle_word)
        else:
            one = 2.0**-unit.z_fraction
        return IterationTable(
            table.shifts,
            tuple(one * angle for angle in table.angles),
            table.digits,
            float(table.gain),
            float(table.left),
            table.scalings,
        )

    def unit(self, mode: str, direction: str) -> Unit:
        """The unit that computes one of the six functions, with its registers."""
        one_of(mode, MODES, "mode")
        if (mode, direction) not in UNITS:
            raise ArgumentError(f'direction: expected "rotate" or "vector", found {direction!r}')
        return self._units[mode, direction]

    @cached_property
    def _units(self):
        plain, given = Port(self.number, most=REACH), Given(self.number, saturates=True)
        units = {}
        for (mode, direction), kind in UNITS.items():
            circular, clocks = mode == CIRCULAR, kind.loads_alone + kind.ends_alone
            gives = {"X": given, "Y": given, "Z": Given(self.angle) if circular else given}
            units[mode, direction] = kind(
                x=plain,
                y=plain,
                z=Port(self.angle) if circular else plain,
                gives={k: v for k, v in gives.items() if mode != LINEAR or k != "X"},
                iterations=self.iterations + clocks,
                guard=self.guard,
                compensation=self.compensation,
            )
        return units

    def _run(self, mode, direction, x, y, z):
        unit = self.unit(mode, direction)
        formats = {"x": self.number, "y": self.number, "z": unit.z.format}
        arrays = _alike(x, y, z)
        shape, raw = arrays[0].shape, arrays[0].dtype != float
        given = {name: each.ravel() for name, each in zip("xyz", arrays, strict=True)}
        words, fits = {}, True
        for name, format in formats.items():
            if raw:
                words[name] = fitting(name, given[name], self.word)
            else:
                words[name], fits_too = format.raw(given[name])
                fits = fits & fits_too
        results, valid = self._words(unit, words)
        if not raw:
            results = [formats[name].real(word) for name, word in zip("xyz", results, strict=True)]
        else:
            results = [word.astype(integer_kind(self.word)) for word in results]
        return CordicResult(*(each.reshape(shape)[()] for each in (*results, valid & fits)))

    def _words(self, unit, words):
        """Words x, y, z after all iterations, and where they are valid."""
        ops, x, y = integers, words["x"], words["y"]
        if _inside(unit) > WIDEST:
            ops = long_integers
            words = {name: word.astype(object) for name, word in words.items()}
        found, valid = unit(ops, words)
        found = {"X": x} | found  # linear modes leave x alone
        if isinstance(unit, Vector):
            valid = valid & ((x != 0) | (y != 0))
        elif isinstance(unit, Divide):
            found["Z"] = self._held(abs(y) >= int(REACH) * abs(x), (x < 0) ^ (y < 0), found["Z"])
        elif isinstance(unit, Root):
            found["Z"] = self._held(x <= abs(y), y < 0, found["Z"])
        return [np.asarray(found[name]) for name in "XYZ"], valid

    def _held(self, beyond, below, words):
        """Saturates quotients and angles beyond the range of numbers."""
        return np.where(beyond, self.number.ends[(~below).astype(int)], words)


def _inside(unit):
    """The longest internal number of a unit, in bits."""
    widest = max(unit.widths.values())
    if unit.compensation != MULTIPLY:
        return widest
    return widest + unit.rotations + unit.guard + 1  # times the constant that undoes the gain


def _alike(*values):
    """Three arrays of one shape: of floats, or of integers if all of them are integers."""
    arrays = [
        np.asarray(in_main_memory(value, name)) for name, value in zip("xyz", values, strict=True)
    ]
    if not all(array.dtype.kind == "f" or are_whole(array) for array in arrays):
        found = ", ".join(str(array.dtype) for array in arrays)
        raise ArgumentError(f"x, y, z: expected floats or integers, found {found}")
    if any(array.dtype.kind == "f" for array in arrays):
        words = [name for name, v in zip("xyz", values, strict=True) if _has_words(v)]
        if words:
            raise ArgumentError(
                "x, y, z: expected floats, or words in all three, "
                f"found words only in {', '.join(words)}"
            )
        arrays = [array.astype(float) for array in arrays]
    return together("x, y, z", arrays)


def _has_words(value):
    """An array of integers has words; a Python int is a word only next to other words."""
    return not isinstance(value, int) and np.asarray(value).dtype.kind != "f"
