"""Functions of scalars, floats or traced, alone or in arrays: what a traced function computes with."""

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
    "sqrt",
]


def __dir__():
    return sorted(__all__)
