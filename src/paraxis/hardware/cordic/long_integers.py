"""The words of integers.py for numbers that are too long for 64 bits: Python's, in arrays."""

import numpy as np

from .integers import at, both, distance, either, fit, neither, plus, wrap

__all__ = ["KIND", "at", "both", "distance", "either", "fit", "neither", "plus", "where", "wrap"]

KIND = object


def where(condition, if_true, if_false):
    """One of two numbers. NumPy would make them short ones if it could, which cannot grow."""
    return np.where(condition, np.asarray(if_true, object), np.asarray(if_false, object))
