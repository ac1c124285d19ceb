"""Elementary functions of floats, traced scalars, and arrays of either."""

from .physics.linear.pivoting import solve
from .scalar import (
    absolute,
    acos,
    asin,
    atan2,
    cos,
    equal,
    exp,
    floor,
    fmod,
    less,
    less_equal,
    log,
    logical_and,
    logical_not,
    logical_or,
    mark,
    maximum,
    minimum,
    rint,
    select,
    sign,
    sin,
    sqrt,
    tan,
    tanh,
)

__all__ = [
    "absolute",
    "acos",
    "asin",
    "atan2",
    "cos",
    "equal",
    "exp",
    "floor",
    "fmod",
    "less",
    "less_equal",
    "log",
    "logical_and",
    "logical_not",
    "logical_or",
    "mark",
    "maximum",
    "minimum",
    "rint",
    "select",
    "sign",
    "sin",
    "solve",
    "sqrt",
    "tan",
    "tanh",
]


def __dir__() -> list[str]:
    return sorted(__all__)
