"""The operations of CORDIC units (operations.py) on NumPy arrays of int64."""

import numpy as np

KIND = np.int64


def where(condition, if_true, if_false):
    """One of two numbers."""
    return np.where(condition, if_true, if_false)


def fit(value, width):
    """A number that is known to fit into a register of `width` bits."""
    return value


def wrap(value, width):
    """The number modulo 2^width, as in a register of `width` bits; angles wrap around."""
    half = 1 << width - 1
    return ((value + half) & ((1 << width) - 1)) - half


def distance(value, width):
    """A shift distance, a number >= 0 of at most `width` bits."""
    return value


def both(a, b):
    return a & b


def either(a, b):
    return a | b


def neither(a, b):
    return ~(a | b)


def plus(value, times, change):
    """value + times * change, where times is -1, 0 or 1."""
    return value + times * change


def at(entries, iteration):
    """The entry of a table for one iteration."""
    return entries[iteration]
