"""Number types, and numbers as text of a target."""

import numpy as np
from numpy.typing import DTypeLike

from ..checks import one_of
from ..errors import ArgumentError

DTYPES = ("float64", "float32")


def checked_dtype(dtype: DTypeLike) -> str:
    """The name of the type, or an error if it is not one that kernels compute in."""
    if dtype is DTYPES[0] or dtype is DTYPES[1]:  # as in most calls
        return dtype
    try:
        name = np.dtype(dtype).name
    except TypeError:
        return one_of(dtype, DTYPES, "dtype")
    return one_of(name, DTYPES, "dtype")


def as_float32(value):
    """The nearest float32, or an error where there is none."""
    with np.errstate(over="ignore"):
        single = np.float32(value)
    if np.isinf(single) and not np.isinf(value):
        raise ArgumentError(f"float32: the constant {value} is out of range")
    return single


def digits(value, dtype):
    """The fewest decimal digits that read back to the same bits of that type."""
    return str(as_float32(value)) if dtype == "float32" else repr(float(value))


NOT_PICKLED = "a kernel cannot be pickled: pickle the robot, or program.text()"
