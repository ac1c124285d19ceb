"""Random expressions of every operation, on numbers and on traced values."""

import math

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

import paraxis as px
from paraxis.errors import TraceError
from paraxis.graph.trace import trace

NAN, INF = math.nan, math.inf

# What each operation of a random expression means on plain floats, and on traced ones.
PLAIN = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b if b else NAN,
    "neg": lambda a: -a,
    "abs": abs,
    "sqrt": lambda a: math.sqrt(a) if a >= 0 else NAN,
    "sin": math.sin,
    "cos": math.cos,
    "sign": lambda a: float((a > 0) - (a < 0)),
    "rint": lambda a: float(np.rint(a)),
    "min": min,
    "max": max,
    "if_less": lambda a, b, c, d: c if a < b else d,
    "if_equal": lambda a, b, c, d: c if a == b else d,
    "if_less_equal": lambda a, b, c, d: c if a <= b else d,
}
TRACED = {
    **{name: PLAIN[name] for name in ("add", "sub", "mul", "neg", "abs")},
    "div": lambda a, b: a / b,
    "sqrt": px.math.sqrt,
    "sin": px.math.sin,
    "cos": px.math.cos,
    "sign": px.math.sign,
    "rint": px.math.rint,
    "min": px.math.minimum,
    "max": px.math.maximum,
    "if_less": lambda a, b, c, d: px.math.select(px.math.less(a, b), c, d),
    "if_equal": lambda a, b, c, d: px.math.select(px.math.equal(a, b), c, d),
    "if_less_equal": lambda a, b, c, d: px.math.select(px.math.less_equal(a, b), c, d),
}
ARITY = {name: 2 for name in PLAIN} | {
    name: 1 for name in ("neg", "abs", "sqrt", "sin", "cos", "sign", "rint")
} | {name: 4 for name in ("if_less", "if_equal", "if_less_equal")}  # fmt: skip
ARITHMETIC = ("add", "sub", "mul", "neg")  # drawn more often, as they have the rules

X = 4  # how many inputs an expression may use
LEAVES = st.integers(0, X - 1) | st.sampled_from([0.0, 1.0, -1.0, 2.0, -0.5, 3.25])
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.sampled_from([*ARITHMETIC * 3, *PLAIN]).flatmap(
        lambda op: st.tuples(st.just(op), *[inner] * ARITY[op])
    ),
    max_leaves=25,
)
POINTS = st.lists(
    st.sampled_from([0.0, 1.0, -1.0]) | st.floats(-8, 8, allow_subnormal=False),
    min_size=X,
    max_size=X,
)


def build(expression, x, table):
    """The value of an expression (an input's number, a constant, or a tuple) over any scalars."""
    if isinstance(expression, int):
        return x[expression]
    if isinstance(expression, float):
        return expression
    op, *inner = expression
    return table[op](*(build(each, x, table) for each in inner))


def finite(expression, x):
    """Its value on floats, where no part of it is infinite or not a number; else the example goes.

    Paraxis's rules are exact for finite values: 0 times infinity is their 0.
    """
    if not isinstance(expression, tuple):
        return x[expression] if isinstance(expression, int) else expression
    op, *inner = expression
    value = PLAIN[op](*(finite(each, x) for each in inner))
    assume(math.isfinite(value))
    return value


def graph_of(*expressions):
    with np.errstate(all="ignore"):  # of constants, which NumPy may compute before we fold them
        return trace(lambda x: [build(each, x, TRACED) for each in expressions], {"x": (X,)})


def traceable(*expressions):
    """The graph, unless a constant part of it, done by Python or by folding, has no value."""
    try:
        return graph_of(*expressions)
    except (TraceError, ValueError, ZeroDivisionError):
        assume(False)
