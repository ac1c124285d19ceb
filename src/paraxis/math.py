"""Elementary functions of floats, traced scalars, and arrays of either."""

from typing import Any

from .counter_random import random_normal, random_uniform
from .later import imported, no_attribute
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
    "random_normal",
    "random_uniform",
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


def __getattr__(name: str) -> Any:
    hint = "" if name.startswith("_") else _in_numpy(name)
    if hint:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; {hint}")
    raise no_attribute(__name__, name, __all__)


def _in_numpy(name: str) -> str:
    """What to write for a function of NumPy, or of the table of operations; empty if unknown."""
    operations = imported(".graph.operations", __package__).OPS  # here: these import this module
    arrays = imported(".graph.arrays", __package__)
    for key, op in operations.items():
        if op.numpy and name in (key, op.numpy):
            return f"it is {__name__}.{op.called}" if op.called else f"write {op.c.format(*'xy')}"
    if name in arrays.INSTEAD:
        return f"write {arrays.INSTEAD[name]}"
    if name in arrays.UFUNCS:
        return f"np.{name} takes traced values too"
    return "write x**n" if name in ("pow", "power") else ""
