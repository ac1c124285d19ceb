"""The meaning of the bits of a word."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ArgumentError
from .integers import wrap

SHORTEST, LONGEST = 4, 512  # words
WIDEST = 62  # bits that fit into a 64-bit integer with room for one carry


@dataclass(frozen=True)
class Number:
    """A signed fixed-point number of `word` bits: an integer over 2^fraction."""

    word: int
    fraction: int

    @property
    def step(self) -> float:
        """The value of the last bit."""
        return 2.0**-self.fraction

    @property
    def least(self) -> float:
        """The least number."""
        return -(2.0 ** (self.word - 1 - self.fraction))

    @property
    def most(self) -> float:
        """The largest number."""
        return -self.least - self.step

    @property
    def ends(self) -> np.ndarray:
        """The least word and the largest."""
        half = 1 << self.word - 1
        return np.array([-half, half - 1], dtype=integer_kind(self.word))

    def raw(self, values: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """The nearest words, and where the values fit."""
        values = np.asarray(values, dtype=float)
        fits = (values >= self.least - self.step / 2) & (values < self.most + self.step / 2)
        scaled = nearest_whole(np.ldexp(np.where(fits, values, 0.0), self.fraction))
        over = np.asarray(self.ends[(values > 0).astype(int)], integer_kind(self.word))
        return np.where(fits, whole(scaled, self.word), np.where(np.isnan(values), 0, over)), fits

    def real(self, words: ArrayLike) -> np.ndarray:
        """The numbers that words represent."""
        return np.ldexp(np.asarray(words).astype(float), -self.fraction)

    def shifted(self, bits: int) -> Number:
        """The format of the same words multiplied by 2^bits."""
        return Number(self.word, self.fraction - bits)

    def __str__(self):
        return f"{self.word} bits, {self.fraction} of them fraction bits"


@dataclass(frozen=True)
class Angle:
    """A binary angle: 2^(word - 1) is half a turn, so words wrap around as angles do."""

    word: int

    @property
    def step(self) -> float:
        """The angle of the last bit, in radians."""
        return math.pi * 2.0 ** (1 - self.word)

    def raw(self, values: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """The nearest words, and where the values are finite."""
        values = np.asarray(values, dtype=float)
        fits = np.isfinite(values)
        turns = np.where(fits, values, 0.0) / (2 * math.pi)
        scaled = nearest_whole((turns - np.round(turns)) * 2.0**self.word)
        return np.asarray(wrap(whole(scaled, self.word), self.word), integer_kind(self.word)), fits

    def real(self, words: ArrayLike) -> np.ndarray:
        """Radians, in [-π, π)."""
        return np.asarray(words).astype(float) * self.step

    def __str__(self):
        return f"{self.word} bits, half a turn is 2^{self.word - 1}"


def nearest_whole(values):
    """Halves upward. Floats beyond 2^52 are already integers; adding 0.5 would round them again."""
    down = np.floor(values)
    return down + (values - down >= 0.5)


def guard_bits(iterations):
    """Enough bits that rounding in all iterations costs about the last bit of a word in total."""
    return iterations.bit_length() + 1


def angle_between(first, second):
    """The distance between two angles, in [0, π], modulo full turns."""
    return abs((first - second + math.pi) % (2 * math.pi) - math.pi)


def whole(values, word):
    """Floats with integer values as integers: int64, or Python's if that is too short."""
    if word <= WIDEST:
        return values.astype(np.int64)
    return np.array([int(v) for v in values.ravel()], dtype=object).reshape(values.shape)


def integer_kind(word):
    """The dtype of words: int64, or object (Python integers) if that is too short."""
    return np.int64 if word <= WIDEST else object


def number_of_bits(name, value, least, most=LONGEST):
    """A number of bits, or of their iterations, as an int."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= value <= most:
        raise ArgumentError(f"{name}: expected an integer from {least} to {most}, found {value!r}")
    return int(value)
