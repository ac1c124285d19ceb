"""Arrays of traced scalars: what a user's own function is called with while it is traced.

They are NumPy's arrays of objects, one node per entry, so that arithmetic, broadcasting, slicing,
`@` and stacking are NumPy's own and mean what they mean for numbers. What NumPy would do by asking
an entry for its truth (comparisons, np.where, np.maximum, ...) is done entry by entry by the
operation of that name (operations.py). Wherever a function of a user's is traced (`px.trace`, a
controller of `px.simulate`, a trajectory of `px.control.closed_loop`), it gets these arrays, and
functions of robots return them.
"""

import math
import re

import numpy as np

from ..errors import TraceError
from ..math import solve
from .operations import OPS


class TracedArray(np.ndarray):
    """An array of traced scalars, of which some may be numbers."""

    __array_priority__ = 1.0  # what is stacked or joined with one is one

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return ufunc_of_arrays(ufunc, method, inputs, options)

    def __array_function__(self, function, types, arguments, options):
        return call_function(function, arguments, options)

    def __getitem__(self, index):
        try:
            return super().__getitem__(index)
        except IndexError:
            raise_if_traced(index)
            raise

    def __setitem__(self, index, value):
        try:
            super().__setitem__(index, value)
        except IndexError:
            raise_if_traced(index)
            raise


def traced_array(scalars):
    """Nested lists of scalars as an array; a single scalar stays itself."""
    if not isinstance(scalars, (list, tuple)):
        return scalars
    return np.array(scalars, dtype=object).view(TracedArray)


def on_arrays(function):
    """`function`, called with arrays in place of the nested lists that a trace has."""

    def called(**inputs):
        given = {name: traced_array(scalars) for name, scalars in inputs.items()}
        try:
            return function(**given)
        except (TypeError, AttributeError) as error:
            raise_if_mixed(error)
            raise

    return called


def raise_if_mixed(error):
    """Raise with advice if NumPy asked a number among traced scalars for a method of theirs."""
    found = ASKED.search(str(error))
    name = found and found[1]
    if name in _OF_SCALARS:
        raise TraceError(
            f"np.{name} of an array in which some entries are traced and some are numbers; use "
            f"px.math.{OPS[_OF_SCALARS[name]].called}, or make the array with np.stack"
        ) from error


def raise_if_traced(index):
    if any(isinstance(each, TracedArray) for each in (index if type(index) is tuple else (index,))):
        raise TraceError(
            "an array cannot be indexed by traced values, which are not known yet; use "
            "px.math.select(condition, if_true, if_false) to choose by a condition"
        )


ASKED = re.compile(r"(?:no callable |object has no attribute ')(\w+)")  # in errors of NumPy


# -- NumPy's functions -------------------------------------------------------------------------


NUMBERS = (np.ndarray, np.generic, float, int, list, tuple)


def _is_traced(x):
    return hasattr(x, "builder")


def _of_entries(name):
    """An operation as a ufunc of entries, traced or numbers."""
    op = OPS[name]

    def of_scalars(*scalars):
        for scalar in scalars:
            if _is_traced(scalar):
                return scalar.builder.make(name, *map(scalar.builder.lift, scalars))
        return op.meaning(*map(float, scalars))

    return np.frompyfunc(of_scalars, op.arity, 1)


_OF_ENTRIES = {op.numpy: _of_entries(name) for name, op in OPS.items() if op.called is not None}
_less, _less_equal, _not = (_OF_ENTRIES[k] for k in ("less", "less_equal", "logical_not"))
_maximum, _minimum = _OF_ENTRIES["maximum"], _OF_ENTRIES["minimum"]
# ufunc -> what does it in its place
UFUNCS = _OF_ENTRIES | {
    "greater": lambda a, b: _less(b, a),
    "greater_equal": lambda a, b: _less_equal(b, a),
    "not_equal": lambda a, b: _not(_OF_ENTRIES["equal"](a, b)),
    "clip": lambda x, least, most: _minimum(_maximum(x, least), most),
    "fabs": _OF_ENTRIES["absolute"],
    "arctan": lambda x: _OF_ENTRIES["arctan2"](x, 1.0),
    "deg2rad": lambda x: np.multiply(x, math.pi / 180),
    "rad2deg": lambda x: np.multiply(x, 180 / math.pi),
    "divmod": lambda a, b: (np.floor_divide(a, b), np.remainder(a, b)),
}
AS_FOR_NUMBERS = {np.add, np.subtract, np.multiply, np.divide, np.negative, np.matmul}
UFUNCS |= {"radians": UFUNCS["deg2rad"], "degrees": UFUNCS["rad2deg"]}

# The operations of scalars, by ufunc, for which no array need be made.
_OF_SCALARS = {op.numpy: name for name, op in OPS.items() if op.numpy not in (None, "where")}

INSTEAD = {  # what a Program does not have -> what to write
    "sinh": "(px.math.exp(x) - px.math.exp(-x)) / 2",
    "cosh": "(px.math.exp(x) + px.math.exp(-x)) / 2",
    "arcsinh": "px.math.sign(x) * px.math.log(abs(x) + px.math.sqrt(x * x + 1.0))",
    "arccosh": "px.math.log(x + px.math.sqrt(x * x - 1.0))",
    "arctanh": "px.math.log((1.0 + x) / (1.0 - x)) / 2",
    "exp2": "px.math.exp(np.log(2) * x)",
    "expm1": "px.math.exp(x) - 1.0",
    "log2": "px.math.log(x) / np.log(2)",
    "log10": "px.math.log(x) / np.log(10)",
    "log1p": "px.math.log(1.0 + x)",
    "logaddexp": "px.math.maximum(x, y) + px.math.log(1.0 + px.math.exp(-abs(x - y)))",
    "cbrt": "px.math.sign(x) * px.math.exp(px.math.log(abs(x)) / 3)",
    "float_power": "px.math.exp(y * px.math.log(x))",
    "hypot": "px.math.sqrt(x * x + y * y)",
    "copysign": "px.math.select(px.math.less(y, 0.0), -abs(x), abs(x))",
    "fmax": "px.math.select((x < y) | ~px.math.equal(x, x), y, x)",
    "fmin": "px.math.select((y < x) | ~px.math.equal(x, x), y, x)",
    "logical_xor": "px.math.logical_not(px.math.equal(x, y))",
    "heaviside": "px.math.select(px.math.equal(x, 0.0), y, (px.math.sign(x) + 1.0) / 2)",
    "isnan": "px.math.logical_not(px.math.equal(x, x))",
    "isfinite": "px.math.less_equal(abs(x), np.finfo(float).max)",
    "isinf": "px.math.less(np.finfo(float).max, abs(x))",
}


def absent(name):
    return TraceError(f"np.{name}: a Program has no such operation; write {INSTEAD[name]}")


def ufunc_of_scalars(ufunc, method, inputs, options):
    """A ufunc of which an input is a traced scalar."""
    name = ufunc.__name__
    if method == "__call__" and not options and name in _OF_SCALARS:
        builder = _builder_of_scalars(inputs)
        if builder is not None:
            return builder.make(_OF_SCALARS[name], *map(builder.lift, inputs))
    return ufunc_of_arrays(ufunc, method, inputs, options)


def ufunc_of_arrays(ufunc, method, inputs, options):
    """A ufunc of which an input, or where the result goes, is an array of traced scalars."""
    inputs = [_plain(x) for x in inputs]
    if ufunc in AS_FOR_NUMBERS and method == "__call__" and not options:  # as for most
        return _traced(ufunc(*inputs))
    name = ufunc.__name__
    if name in INSTEAD:
        raise absent(name)
    rule, outputs = UFUNCS.get(name, ufunc), options.get("out", ())
    if rule is not ufunc:
        options.pop("dtype", None)  # that of conditions, in np.all
    if outputs:
        options["out"] = tuple(map(_plain, outputs))
    if method == "reduce" and rule is not ufunc:
        result = _reduced(rule, *inputs, **options)
    else:
        result = (rule if method == "__call__" else getattr(rule, method))(*inputs, **options)
    if outputs:
        return outputs[0] if len(outputs) == 1 else outputs
    return tuple(map(_traced, result)) if isinstance(result, tuple) else _traced(result)


def _builder_of_scalars(inputs):
    """The builder of traced scalars among numbers; None if there is an array."""
    builder = None
    for x in inputs:
        if isinstance(x, (np.ndarray, list, tuple)):
            return None
        if not isinstance(x, NUMBERS):
            builder = getattr(x, "builder", builder)
    return builder


def _reduced(rule, array, axis=0, keepdims=False, **options):
    """Along one axis, several, or all, as for ufuncs whose order does not matter."""
    array = np.asarray(array, dtype=object)
    axes = range(array.ndim) if axis is None else np.atleast_1d(axis).tolist()
    axes = sorted({int(each) % array.ndim for each in axes})
    rest = [k for k in range(array.ndim) if k not in axes]
    lengths = [array.shape[k] for k in rest]
    rows = np.transpose(array, (*axes, *rest)).reshape(-1, *lengths)
    result = rule.reduce(rows, axis=0, **options)
    if not keepdims:
        return result
    return np.reshape(result, [1 if k in axes else array.shape[k] for k in range(array.ndim)])


def _plain(x):
    """An argument that NumPy takes as its own."""
    if isinstance(x, TracedArray):
        return x.view(np.ndarray)
    if isinstance(x, NUMBERS) or not _is_traced(x):
        return x
    boxed = np.empty((), dtype=object)
    boxed[()] = x
    return boxed


def _traced(result):
    is_array = isinstance(result, np.ndarray) and result.dtype.kind == "O"
    return result.view(TracedArray) if is_array else result


def _where(condition, *choices):
    if not choices:
        raise TraceError(
            "np.where with only a condition: which entries are true is not known while a function "
            "is traced; use px.math.select(condition, if_true, if_false)"
        )
    return _traced(_OF_ENTRIES["where"](*map(_plain, (condition, *choices))))


def _select(condlist, choicelist, default=0):
    result = default
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        result = _where(condition, choice, result)
    return result


def _clip(a, a_min=None, a_max=None, *, min=None, max=None):
    least, most = min if a_min is None else a_min, max if a_max is None else a_max
    a = _plain(a) if least is None else _maximum(_plain(a), _plain(least))
    return _traced(a if most is None else _minimum(a, _plain(most)))


FUNCTIONS = {
    np.where: _where,
    np.select: _select,
    np.clip: _clip,
    np.linalg.solve: lambda a, b: _traced(solve(a, b)),
    np.linalg.inv: lambda a: _traced(solve(a, np.eye(len(a)))),
}
# Of numbers only: they are not a fixed number of steps.
ONLY_NUMBERS = {
    *(np.linalg.cholesky, np.linalg.cond, np.linalg.det, np.linalg.eig, np.linalg.eigh),
    *(np.linalg.eigvals, np.linalg.eigvalsh, np.linalg.lstsq, np.linalg.matrix_rank),
    *(np.linalg.pinv, np.linalg.qr, np.linalg.slogdet, np.linalg.svd),
}


OTHERWISE = {  # what NumPy would do wrong, or stumble over -> what to write
    np.nan_to_num: "px.math.select(px.math.equal(x, x), x, 0.0)",  # it would look at types only
    np.interp: "the straight lines with px.math.select(condition, if_true, if_false)",
}


def call_function(function, arguments, options):
    """A function of NumPy of which an argument is a traced scalar or an array of such."""
    rule = FUNCTIONS.get(function)
    if rule is not None:
        return rule(*arguments, **options)
    if function in OTHERWISE:
        name, instead = function.__name__, OTHERWISE[function]
        raise TraceError(f"np.{name} does not take traced values; write {instead}")
    if function in ONLY_NUMBERS:
        raise TraceError(
            f"np.linalg.{function.__name__} does not take traced values; use px.math.solve(A, b) "
            "for small linear systems"
        )
    result = np.ndarray.__array_function__(np.empty(0), function, (), arguments, options)
    return type(result)(map(_traced, result)) if type(result) in (list, tuple) else _traced(result)
