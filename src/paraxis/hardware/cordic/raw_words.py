"""Words as passed by users: integers that fit their word, in shapes that broadcast."""

from collections.abc import Mapping

import numpy as np

from ...drivers.map import in_main_memory
from ...errors import ArgumentError
from ..tasks.tasks import entry
from .formats import integer_kind


def input_words(circuit, words):
    """Input -> flat array of a circuit's words, and the shape they broadcast to."""
    if not isinstance(words, Mapping):
        raise ArgumentError(
            f"words of {circuit.name}: expected a dict, Input -> array of words, "
            f"found a {type(words).__name__}; `quantised` makes such a dict from floats"
        )
    unknown = [key for key in words if key not in circuit.formats]
    missing = [source for source in circuit.inputs if source not in words]
    if unknown or missing:
        found = f"{unknown[0]!r}" if unknown else f"none for {missing[0]}"
        raise ArgumentError(
            f"words of {circuit.name}: expected an array for each of `circuit.inputs`, "
            f"such as {circuit.inputs[0]}, found {found}"
        )
    rows = []
    for source in circuit.inputs:
        name = entry(source.name, circuit.tasks.inputs[source.name], source.index)
        row = np.asarray(in_main_memory(words[source], name))
        if not are_whole(row):
            raise ArgumentError(f"{name}: expected words (integers), found {row.dtype}")
        rows.append(fitting(name, row, circuit.word))
    rows = together(f"words of {circuit.name}", rows)
    return dict(zip(circuit.inputs, map(np.ravel, rows), strict=True)), rows[0].shape


def are_whole(array):
    """Whether all entries are integers, of NumPy or of Python."""
    if array.dtype.kind == "O":
        return all(isinstance(each, int) for each in array.ravel())
    return array.dtype.kind in "iu"


def fitting(name, words, word):
    """Integers that fit `word` bits, as an array of the dtype of such words."""
    ends = [int(words.min()), int(words.max())] if words.size else [0]
    bits = max((end if end >= 0 else ~end).bit_length() + 1 for end in ends)
    if bits > word:
        raise ArgumentError(f"{name}: expected words of {word} bits, found one that needs {bits}")
    return words.astype(integer_kind(word))


def together(what, arrays):
    """The arrays, broadcast to one shape."""
    try:
        return np.broadcast_arrays(*arrays)
    except ValueError:
        shapes = ", ".join(str(shape) for shape in dict.fromkeys(array.shape for array in arrays))
        raise ArgumentError(f"{what}: expected shapes that broadcast, found {shapes}") from None
