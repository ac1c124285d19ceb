"""Elementary functions of generic scalars; arrays and nested lists of them entry by entry.

Algorithms call these instead of `math`, so that one text serves floats, NumPy
scalars (extended precision), complex numbers (complex-step derivatives) and graph
nodes. A scalar type that is not a plain number brings methods of the same names.
"""

import cmath
import math
from functools import wraps
from inspect import signature

import numpy as np

SEVERAL = (np.ndarray, list, tuple)


def _unary(name, numpy_name=None):
    real, complex_ = getattr(math, name), getattr(cmath, name)
    of_numbers = getattr(np, numpy_name or name)

    def function(x):
        method = getattr(x, name, None)
        if method is not None:
            return method()
        if isinstance(x, SEVERAL):
            x = np.asanyarray(x)
            return of_entries(x) if x.dtype.kind == "O" else of_numbers(x)
        if isinstance(x, np.generic):
            return of_numbers(x)
        if isinstance(x, complex):
            return complex_(x)
        try:
            return real(x)
        except (ValueError, OverflowError):  # the root of a negative number, ...: as in arrays
            with np.errstate(all="ignore"):
                return float(of_numbers(float(x)))

    of_entries = np.frompyfunc(function, 1, 1)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The {name} of a generic scalar, or of an array entry by entry."
    return function


sin, cos, tan = _unary("sin"), _unary("cos"), _unary("tan")
asin, acos = _unary("asin", "arcsin"), _unary("acos", "arccos")
exp, log, tanh, sqrt = _unary("exp"), _unary("log"), _unary("tanh"), _unary("sqrt")


def _first_with(method, *scalars):
    """The first scalar whose type defines `method`, or None when all are plain numbers."""
    return next((s for s in scalars if hasattr(s, method)), None)


def _each_entry(function):
    """`function` of scalars, which also takes arrays and lists of them, entry by entry."""
    own = signature(function)
    of_arrays = np.frompyfunc(function, len(own.parameters), 1)

    @wraps(function)
    def either(*scalars, **named):
        scalars = own.bind(*scalars, **named).args if named else scalars
        for x in scalars:
            if isinstance(x, SEVERAL):  # seldom, so that what follows may take its time
                arrays = [np.asanyarray(x) for x in scalars]
                traced = any(array.dtype.kind == "O" for array in arrays)
                return of_arrays(*arrays) if traced else function(*arrays)
        return function(*scalars)

    return either


@_each_entry
def atan2(y, x):
    """The angle of the point (x, y)."""
    traced = _first_with("atan2", y, x)
    if traced is not None:
        return traced.lift(y).atan2(traced.lift(x))
    return np.arctan2(y, x) if isinstance(y, np.generic | np.ndarray) else math.atan2(y, x)


@_each_entry
def sign(x):
    """-1, 0 or 1."""
    if hasattr(x, "sign"):
        return x.sign()
    return np.sign(x) if isinstance(x, np.ndarray) else float(np.sign(x))


@_each_entry
def absolute(x):
    """The absolute value, as abs(x)."""
    return abs(x)


@_each_entry
def rint(x):
    """The nearest integer, of two equally near ones the even one; NaN and inf as they are."""
    return x.rint() if hasattr(x, "rint") else np.rint(x)


@_each_entry
def floor(x):
    """The largest integer that is not above x; NaN and inf as they are."""
    return x.floor() if hasattr(x, "floor") else np.floor(x)


@_each_entry
def fmod(x, y):
    """The remainder of x / y with the sign of x, exact; x % y has the sign of y. NaN for y = 0."""
    traced = _first_with("fmod", x, y)
    return traced.lift(x).fmod(y) if traced is not None else np.fmod(x, y)


@_each_entry
def minimum(a, b):
    """The smaller of two scalars, or of arrays entry by entry; NaN if either is NaN."""
    traced = _first_with("minimum", a, b)
    return traced.lift(a).minimum(b) if traced is not None else np.minimum(a, b)


@_each_entry
def maximum(a, b):
    """The larger of two scalars, or of arrays entry by entry; NaN if either is NaN."""
    traced = _first_with("maximum", a, b)
    return traced.lift(a).maximum(b) if traced is not None else np.maximum(a, b)


@_each_entry
def less(a, b):
    """The condition a < b, for `select`."""
    traced = _first_with("less", a, b)
    return traced.lift(a).less(b) if traced is not None else a < b


@_each_entry
def less_equal(a, b):
    """The condition a <= b, for `select`."""
    traced = _first_with("less_equal", a, b)
    return traced.lift(a).less_equal(b) if traced is not None else a <= b


@_each_entry
def equal(a, b):
    """The condition a == b, for `select`."""
    traced = _first_with("equal", a, b)
    return traced.lift(a).equal(b) if traced is not None else a == b


@_each_entry
def logical_and(a, b):
    """The condition that both are true, for `select`."""
    traced = _first_with("logical_and", a, b)
    return traced.lift(a).logical_and(b) if traced is not None else np.logical_and(a, b)


@_each_entry
def logical_or(a, b):
    """The condition that at least one is true, for `select`."""
    traced = _first_with("logical_or", a, b)
    return traced.lift(a).logical_or(b) if traced is not None else np.logical_or(a, b)


@_each_entry
def logical_not(a):
    """The condition that it is not true, for `select`."""
    return a.logical_not() if hasattr(a, "logical_not") else np.logical_not(a)


@_each_entry
def select(condition, if_true, if_false):
    """One of two scalars, both of which are computed."""
    if hasattr(condition, "select"):
        return condition.select(if_true, if_false)
    if isinstance(condition, np.ndarray):
        return np.where(condition, if_true, if_false)
    return if_true if condition else if_false


def known(x):
    """The number that a scalar is whatever the inputs are, or None."""
    if hasattr(x, "known"):
        return x.known()
    return x if isinstance(x, (int, float)) else None


def mark(name, link, value):
    """Name an intermediate value of a link, and return it.

    On plain numbers this does nothing. On graph nodes the name stays with the value through every
    simplification, so that later passes can find it; what is returned is the value, or a symbol
    that stands for it where the trace keeps marked values apart (graph/variables.py).
    """
    if hasattr(value, "scalars"):
        scalars = tuple(value.scalars())
    elif isinstance(value, np.ndarray):
        scalars = tuple(value.ravel().tolist())
    else:
        scalars = value if isinstance(value, (list, tuple)) else (value,)
    traced = _first_with("mark", *scalars)
    marked = scalars if traced is None else traced.mark(name, link, scalars)
    if marked is scalars:
        return value
    if hasattr(value, "scalars"):
        return type(value)(*marked)
    if isinstance(value, np.ndarray):
        return np.array(marked, dtype=object).reshape(value.shape)
    return list(marked) if isinstance(value, (list, tuple)) else marked[0]
