"""The operations of CORDIC units on arrays of Python integers, for more than 64 bits."""

import numpy as np

from .integers import at, both, distance, either, fit, neither, plus, wrap

__all__ = ["KIND", "at", "both", "distance", "either", "fit", "neither", "plus", "where", "wrap"]

KIND = object


def where(condition, if_true, if_false):
    """One of two numbers. NumPy would choose int64 if they fit, which cannot grow."""
    return np.where(condition, np.asarray(if_true, object), np.asarray(if_false, object))
