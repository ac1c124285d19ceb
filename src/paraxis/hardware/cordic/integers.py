"""Whole numbers as NumPy arrays, with the few operations that hardware gives them.

Units are written in these words. In `hardware/rtl/wires.py` the same words mean wires.
"""

import numpy as np

KIND = np.int64


def where(condition, if_true, if_false):
    """One of two numbers."""
    return np.where(condition, if_true, if_false)


def fit(value, width):
    """A number that is known to fit into a register of so many bits."""
    return value


def wrap(value, width):
    """The number a register of so many bits holds: angles go round."""
    half = 1 << width - 1
    return ((value + half) & ((1 << width) - 1)) - half


def distance(value, width):
    """A number that is not negative and fits so many bits, by which others are shifted."""
    return value


def both(a, b):
    return a & b


def either(a, b):
    return a | b


def neither(a, b):
    return ~(a | b)


def plus(value, times, change):
    """A number and -1, 0 or 1 times another."""
    return value + times * change


def at(entries, iteration):
    """The entry of a table for one iteration."""
    return entries[iteration]
