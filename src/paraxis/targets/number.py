"""Numbers as a back end may write them."""

import numpy as np

from ..checks import one_of
from ..errors import ArgumentError

DTYPES = ("float64", "float32")


def checked_dtype(dtype):
    """The name of the type, or an error for one that nothing is computed in."""
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = dtype
    return one_of(name, DTYPES, "dtype")


def as_float32(value):
    """The nearest float32, or an error where there is none."""
    with np.errstate(over="ignore"):
        single = np.float32(value)
    if np.isinf(single) and not np.isinf(value):
        raise ArgumentError(f"float32: the constant {value} is beyond its range")
    return single


def digits(value, dtype):
    """The fewest decimal digits that read back to the same bits of that type."""
    return str(as_float32(value)) if dtype == "float32" else repr(float(value))


NOT_PICKLED = "a kernel is machine code of this process: pickle the robot, or program.text()"
