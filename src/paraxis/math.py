"""Functions of floats or traced scalars, alone or in arrays."""

from .physics.linear.pivoting import solve
from .scalar import (
    atan2,
    cos,
    equal,
    less,
    less_equal,
    mark,
    maximum,
    minimum,
    rint,
    select,
    sign,
    sin,
    sqrt,
)

__all__ = [
    "atan2",
    "cos",
    "equal",
    "less",
    "less_equal",
    "mark",
    "maximum",
    "minimum",
    "rint",
    "select",
    "sign",
    "sin",
    "solve",
    "sqrt",
]


def __dir__():
    return sorted(__all__)
