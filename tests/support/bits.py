"""Whether two results are the same, to the bit."""

import numpy as np


def same_bits(one, other):
    """Equal shape, dtype and bits."""
    return (
        one.shape == other.shape and one.dtype == other.dtype and one.tobytes() == other.tobytes()
    )


def same_bits_or_nan(one, other):
    """Equal shape, dtype and bits, but for the bits of a NaN."""
    one, other = np.asarray(one), np.asarray(other)
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    words = f"u{one.dtype.itemsize}"
    one, other = np.ascontiguousarray(one), np.ascontiguousarray(other)
    alike = one.view(words) == other.view(words)
    if one.dtype.kind == "f":
        alike |= np.isnan(one) & np.isnan(other)
    return bool(alike.all())
