"""Bounds of the errors of a chip's torques, over all valid states.

Errors are lengths of vectors (spectral norms of matrices), because rotations preserve these. Every
operand is off by its error and at most as long as its format allows; every rounding adds half a
step to each number.
"""

import math

import numpy as np

from ...parallel.systolic.operators import VA
from .arithmetic import as_array
from .formats import constants

ROTATION = 1.0  # the norm of the rotations A


def error_bounds(chip):
    """The largest error of each torque, `(n,)`, in N m or N."""
    wiring = chip.array.wiring
    norm, error = {}, {}
    for source in wiring.inputs:
        error[source] = _rounding(chip.formats[source], source.words)
        longest = _longest(chip, source) + error[source]
        norm[source] = ROTATION if source.quantity == "A" else longest
    for source in constants(wiring):
        exact = as_array(source.value)
        words = chip.formats[source].real(chip.constant_words(source))
        norm[source], error[source] = float(_norm(exact)), float(_norm(words - exact))
    for operation in wiring.operations:
        (a, b), (off_a, off_b) = (
            [found[source] for source, _ in operation.operands] for found in (norm, error)
        )
        if operation.operator is VA:
            longest, off = a + b, off_a + off_b
        else:
            longest, off = a * b, a * off_b + b * off_a + off_a * off_b
        dropped = chip.roundings[operation].drop > 0
        error[operation] = off + dropped * _rounding(chip.formats[operation], operation.words)
        norm[operation] = min(longest, _longest(chip, operation) + error[operation])
    return np.array([error[output] for output in wiring.outputs])


def _rounding(number, words):
    """Half a step in each of this many numbers."""
    return math.sqrt(words) * number.step / 2


def _longest(chip, source):
    """The largest value of a format."""
    return math.sqrt(source.words) * -chip.formats[source].least


def _norm(value):
    return np.linalg.norm(value, 2) if value.ndim == 2 else np.linalg.norm(value)
