"""Elementary functions of one generic scalar.

Algorithms call these instead of `math`, so that one text serves floats, NumPy
scalars (extended precision), complex numbers (complex-step derivatives) and graph
nodes. A scalar type that is not a plain number brings methods of the same names.
"""

import cmath
import math
from functools import wraps

import numpy as np


def _unary(name):
    real, complex_ = getattr(math, name), getattr(cmath, name)

    def function(x):
        method = getattr(x, name, None)
        if method is not None:
            return method()
        if isinstance(x, np.generic):
            return getattr(np, name)(x)
        return complex_(x) if isinstance(x, complex) else real(x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The {name} of a generic scalar."
    return function


sin, cos, sqrt = _unary("sin"), _unary("cos"), _unary("sqrt")


def _first_with(method, *scalars):
    """The first scalar whose type defines `method`, or None when all are plain numbers."""
    return next((s for s in scalars if hasattr(s, method)), None)


def atan2(y, x):
    """The angle of the point (x, y)."""
    traced = _first_with("atan2", y, x)
    if traced is not None:
        return traced.lift(y).atan2(traced.lift(x))
    return np.arctan2(y, x) if isinstance(y, np.generic) else math.atan2(y, x)


def sign(x):
    """-1, 0 or 1."""
    return x.sign() if hasattr(x, "sign") else float(np.sign(x))


def _each_pair(function):
    """`function` of two scalars, which also takes arrays of scalars, entry by entry."""
    of_arrays = np.frompyfunc(function, 2, 1)

    @wraps(function)
    def either(a, b):
        arrays = isinstance(a, np.ndarray) or isinstance(b, np.ndarray)
        traced = arrays and np.result_type(np.asarray(a), np.asarray(b)).kind == "O"
        return of_arrays(a, b) if traced else function(a, b)

    return either


@_each_pair
def minimum(a, b):
    """The smaller of two scalars, or of arrays entry by entry; NaN if either is NaN."""
    traced = _first_with("minimum", a, b)
    return traced.lift(a).minimum(b) if traced is not None else np.minimum(a, b)


@_each_pair
def maximum(a, b):
    """The larger of two scalars, or of arrays entry by entry; NaN if either is NaN."""
    traced = _first_with("maximum", a, b)
    return traced.lift(a).maximum(b) if traced is not None else np.maximum(a, b)


def less(a, b):
    """The condition a < b, for `select`."""
    traced = _first_with("less", a, b)
    return traced.lift(a).less(b) if traced is not None else a < b


def less_equal(a, b):
    """The condition a <= b, for `select`."""
    traced = _first_with("less_equal", a, b)
    return traced.lift(a).less_equal(b) if traced is not None else a <= b


def equal(a, b):
    """The condition a == b, for `select`."""
    traced = _first_with("equal", a, b)
    return traced.lift(a).equal(b) if traced is not None else a == b


def select(condition, if_true, if_false):
    """One of two scalars, both of which are computed."""
    if hasattr(condition, "select"):
        return condition.select(if_true, if_false)
    return if_true if condition else if_false


def known(x):
    """The number that a scalar is whatever the inputs are, or None."""
    if hasattr(x, "known"):
        return x.known()
    return x if isinstance(x, (int, float)) else None


def mark(name, link, value):
    """Name an intermediate value of a link, and return it unchanged.

    On plain numbers this does nothing. On graph nodes the name stays with the value
    through every simplification, so that later passes can find it.
    """
    if hasattr(value, "scalars"):
        scalars = tuple(value.scalars())
    else:
        scalars = value if isinstance(value, (list, tuple)) else (value,)
    traced = _first_with("mark", *scalars)
    if traced is not None:
        traced.mark(name, link, scalars)
    return value
