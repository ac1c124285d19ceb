"""The operations of CORDIC units on single Python integers of any length.

For single numbers they are far faster than NumPy's, and share no arithmetic with those.
"""

from .integers import at, distance, fit, plus, wrap

__all__ = ["at", "both", "distance", "either", "fit", "neither", "plus", "where", "wrap"]


def where(condition, if_true, if_false):
    """One of two numbers."""
    return if_true if condition else if_false


def both(a, b):
    return a and b


def either(a, b):
    return a or b


def neither(a, b):
    return not (a or b)
