"""Elementary functions of generic scalars, and of arrays and nested lists of them entry by entry.

Algorithms call these instead of `math`, so that the same code works on floats, NumPy scalars
(extended precision), complex numbers (complex-step derivatives) and graph nodes. A scalar type
that is not a plain number has methods of the same names (`Scalar`).
"""

import cmath
import math
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, Protocol, TypeVar

import numpy as np

SEVERAL = (np.ndarray, list, tuple)


class Scalar(Protocol):
    """What the functions here ask of a scalar that is not a plain number, such as a graph node.

    Arithmetic mixes with floats. Conditions (`less`, ...) are Scalars too, for `select`.
    """

    def lift(self, other: Any) -> Any:
        """A number as a Scalar of the same trace."""
        ...

    def __add__(self, other: Any) -> Any: ...
    def __radd__(self, other: Any) -> Any: ...
    def __sub__(self, other: Any) -> Any: ...
    def __rsub__(self, other: Any) -> Any: ...
    def __mul__(self, other: Any) -> Any: ...
    def __rmul__(self, other: Any) -> Any: ...
    def __truediv__(self, other: Any) -> Any: ...
    def __rtruediv__(self, other: Any) -> Any: ...
    def __pow__(self, exponent: int) -> Any: ...
    def __neg__(self) -> Any: ...
    def __abs__(self) -> Any: ...

    def sin(self) -> Any: ...
    def cos(self) -> Any: ...
    def tan(self) -> Any: ...
    def asin(self) -> Any: ...
    def acos(self) -> Any: ...
    def atan2(self, x: Any) -> Any: ...
    def exp(self) -> Any: ...
    def log(self) -> Any: ...
    def tanh(self) -> Any: ...
    def sqrt(self) -> Any: ...
    def sign(self) -> Any: ...
    def rint(self) -> Any: ...
    def floor(self) -> Any: ...
    def fmod(self, y: Any) -> Any: ...
    def minimum(self, other: Any) -> Any: ...
    def maximum(self, other: Any) -> Any: ...
    def less(self, other: Any) -> Any: ...
    def less_equal(self, other: Any) -> Any: ...
    def equal(self, other: Any) -> Any: ...
    def logical_and(self, other: Any) -> Any: ...
    def logical_or(self, other: Any) -> Any: ...
    def logical_not(self) -> Any: ...
    def select(self, if_true: Any, if_false: Any) -> Any: ...

    def known(self) -> float | None:
        """Its value if it does not depend on the inputs."""
        ...

    def mark(self, name: str, link: int, scalars: tuple) -> tuple:
        """Name these scalars; see `mark` below."""
        ...


Values = Any  # a number, a Scalar, or an array or nested list of these
Function = TypeVar("Function", bound=Callable)


def _unary(
    name: str, meaning: str, given: str, found: str, numpy_name: str | None = None
) -> Callable[[Values], Any]:
    """A function of one value, with an example: what it finds where `given`."""
    real, complex_ = getattr(math, name), getattr(cmath, name)
    of_numbers = getattr(np, numpy_name or name)

    def function(x: Any) -> Any:
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
        except (ValueError, OverflowError):  # such as the root of a negative number: as in arrays
            with np.errstate(all="ignore"):
                return float(of_numbers(float(x)))

    of_entries = np.frompyfunc(function, 1, 1)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{meaning}, of a number, a traced scalar, or an array entry by entry.

    **Example:**

    >>> px.math.{name}(np.array([{given}]))
    array([{found}])
    """
    return function


sin = _unary("sin", "The sine of an angle in rad", "0.0, 1.0", "0.   , 0.841")
cos = _unary("cos", "The cosine of an angle in rad", "0.0, 1.0", "1.  , 0.54")
tan = _unary("tan", "The tangent of an angle in rad", "0.0, 1.0", "0.   , 1.557")
asin = _unary("asin", "The arc sine, in [-π/2, π/2]", "0.0, 1.0", "0.   , 1.571", "arcsin")
acos = _unary("acos", "The arc cosine, in [0, π]", "0.0, 1.0", "1.571, 0.   ", "arccos")
exp = _unary("exp", "The exponential function", "0.0, 1.0", "1.   , 2.718")
log = _unary("log", "The natural logarithm", "1.0, 2.0", "0.   , 0.693")
tanh = _unary("tanh", "The hyperbolic tangent", "0.0, 1.0", "0.   , 0.762")
sqrt = _unary("sqrt", "The square root, NaN below zero", "4.0, 9.0", "2., 3.")


def _first_with(method: str, *scalars: Any) -> Any:
    """The first scalar whose type defines `method`, or None if all are plain numbers."""
    return next((s for s in scalars if hasattr(s, method)), None)


def _each_entry(function: Function) -> Function:
    """`function` of scalars, extended to arrays and lists of them, entry by entry."""
    own = signature(function)
    of_arrays = np.frompyfunc(function, len(own.parameters), 1)

    @wraps(function)
    def either(*scalars: Any, **named: Any) -> Any:
        scalars = own.bind(*scalars, **named).args if named else scalars
        for x in scalars:
            if isinstance(x, SEVERAL):  # seldom, so this may take its time
                arrays = [np.asanyarray(x) for x in scalars]
                traced = any(array.dtype.kind == "O" for array in arrays)
                return of_arrays(*arrays) if traced else function(*arrays)
        return function(*scalars)

    return either  # type: ignore[return-value]


@_each_entry
def atan2(y: Values, x: Values) -> Any:
    """The angle of the point (x, y), in (-π, π].

    **Example:**

    >>> px.math.atan2(np.array([1.0, -1.0]), -1.0)  # 3π/4, -3π/4
    array([ 2.356, -2.356])
    """
    traced = _first_with("atan2", y, x)
    if traced is not None:
        return traced.lift(y).atan2(traced.lift(x))
    return np.arctan2(y, x) if isinstance(y, np.generic | np.ndarray) else math.atan2(y, x)


@_each_entry
def sign(x: Values) -> Any:
    """-1, 0 or 1.

    **Example:**

    >>> px.math.sign(np.array([-2.0, 0.0, 5.0]))
    array([-1.,  0.,  1.])
    """
    if hasattr(x, "sign"):
        return x.sign()
    return np.sign(x) if isinstance(x, np.ndarray) else float(np.sign(x))


@_each_entry
def absolute(x: Values) -> Any:
    """The absolute value, as abs(x).

    **Example:**

    >>> px.math.absolute(np.array([-1.5, 2.0]))
    array([1.5, 2. ])
    """
    return abs(x)


@_each_entry
def rint(x: Values) -> Any:
    """The nearest integer, halves to the even one; NaN and inf stay as they are.

    **Example:**

    >>> px.math.rint(np.array([0.4, 0.5, 1.5]))
    array([0., 0., 2.])
    """
    return x.rint() if hasattr(x, "rint") else np.rint(x)


@_each_entry
def floor(x: Values) -> Any:
    """The largest integer <= x; NaN and inf stay as they are.

    **Example:**

    >>> px.math.floor(np.array([-1.5, 1.5]))
    array([-2.,  1.])
    """
    return x.floor() if hasattr(x, "floor") else np.floor(x)


@_each_entry
def fmod(x: Values, y: Values) -> Any:
    """The remainder of x / y with the sign of x, exact; x % y has the sign of y. NaN for y = 0.

    **Example:**

    >>> px.math.fmod(np.array([-7.0, 7.0]), 3.0), np.array([-7.0, 7.0]) % 3.0
    (array([-1.,  1.]), array([2., 1.]))
    """
    traced = _first_with("fmod", x, y)
    if traced is not None:
        return traced.lift(x).fmod(y)
    with np.errstate(invalid="ignore"):
        return np.fmod(x, y * 1.0)  # a float, as an integer has no NaN


@_each_entry
def minimum(a: Values, b: Values) -> Any:
    """The smaller of two scalars, or of arrays entry by entry; NaN if either is NaN.

    **Example:**

    >>> px.math.minimum(np.array([-1.0, 2.0]), 0.0)
    array([-1.,  0.])
    """
    traced = _first_with("minimum", a, b)
    return traced.lift(a).minimum(b) if traced is not None else np.minimum(a, b)


@_each_entry
def maximum(a: Values, b: Values) -> Any:
    """The larger of two scalars, or of arrays entry by entry; NaN if either is NaN.

    **Example:**

    >>> px.math.maximum(np.array([-1.0, 2.0]), 0.0)
    array([0., 2.])
    """
    traced = _first_with("maximum", a, b)
    return traced.lift(a).maximum(b) if traced is not None else np.maximum(a, b)


@_each_entry
def less(a: Values, b: Values) -> Any:
    """The condition a < b, for `select`.

    **Example:**

    >>> program = px.trace(lambda x: px.math.select(px.math.less(x, 0.0), -x, x), x=())
    >>> program.evaluate(x=[-2.0, 3.0])
    array([2., 3.])
    """
    traced = _first_with("less", a, b)
    return traced.lift(a).less(b) if traced is not None else a < b


@_each_entry
def less_equal(a: Values, b: Values) -> Any:
    """The condition a <= b, for `select`.

    **Example:**

    >>> px.math.select(px.math.less_equal(np.array([1.0, 2.0, 3.0]), 2.0), 1.0, 0.0)
    array([1., 1., 0.])
    """
    traced = _first_with("less_equal", a, b)
    return traced.lift(a).less_equal(b) if traced is not None else a <= b


@_each_entry
def equal(a: Values, b: Values) -> Any:
    """The condition a == b, for `select`.

    **Example:**

    >>> px.math.select(px.math.equal(2.0, 2.0), 10.0, 20.0)
    10.0
    """
    traced = _first_with("equal", a, b)
    return traced.lift(a).equal(b) if traced is not None else a == b


@_each_entry
def logical_and(a: Values, b: Values) -> Any:
    """The condition that both are true, for `select`.

    **Example:**

    >>> x = np.array([-1.0, 0.5, 2.0])
    >>> inside = px.math.logical_and(px.math.less(0.0, x), px.math.less(x, 1.0))
    >>> px.math.select(inside, x, 0.0)
    array([0. , 0.5, 0. ])
    """
    traced = _first_with("logical_and", a, b)
    return traced.lift(a).logical_and(b) if traced is not None else np.logical_and(a, b)


@_each_entry
def logical_or(a: Values, b: Values) -> Any:
    """The condition that at least one is true, for `select`.

    **Example:**

    >>> x = np.array([-1.0, 0.5, 2.0])
    >>> outside = px.math.logical_or(px.math.less(x, 0.0), px.math.less(1.0, x))
    >>> px.math.select(outside, 0.0, x)
    array([0. , 0.5, 0. ])
    """
    traced = _first_with("logical_or", a, b)
    return traced.lift(a).logical_or(b) if traced is not None else np.logical_or(a, b)


@_each_entry
def logical_not(a: Values) -> Any:
    """The condition that a is false, for `select`.

    **Example:**

    >>> px.math.select(px.math.logical_not(px.math.less(2.0, 1.0)), 10.0, 20.0)
    10.0
    """
    return a.logical_not() if hasattr(a, "logical_not") else np.logical_not(a)


@_each_entry
def select(condition: Values, if_true: Values, if_false: Values) -> Any:
    """`if_true` where the condition holds, else `if_false`. Both are computed.

    **Example:**

    >>> program = px.trace(lambda x: px.math.select(x > 0, px.math.sqrt(abs(x)), 0.0), x=())
    >>> program.evaluate(x=[-4.0, 9.0])
    array([0., 3.])
    """
    if hasattr(condition, "select"):
        return condition.select(if_true, if_false)
    if isinstance(condition, np.ndarray):
        return np.where(condition, if_true, if_false)
    return if_true if condition else if_false


def known(x: Any) -> float | None:
    """The value of a scalar that does not depend on the inputs, or None if it does."""
    if hasattr(x, "known"):
        return x.known()
    return x if isinstance(x, (int, float)) else None


def mark(name: str, link: int, value: Any) -> Any:
    """Name an intermediate value of a link, and return it.

    On plain numbers this does nothing. On graph nodes the name stays with the value through every
    simplification, so that later passes can find it; the result is then the value, or a symbol that
    stands for it where the trace keeps marked values apart (graph/variables.py).

    **Arguments:**

    - `name`: such as "omega".
    - `link`: the index of the link.
    - `value`: a scalar, or a vector, array or list of them.

    **Example:**

    >>> program = px.trace(lambda x: px.math.mark("square", 0, x * x) + 1.0, x=())
    >>> program.marks
    ['square']
    >>> program.with_marks(*program.marks).evaluate(x=3.0)
    {'result': array(10.), 'square.0': array([9.])}
    """
    scalars: Any
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
