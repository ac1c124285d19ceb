"""A graph as plain Python: one function of lists of floats that needs only `math`.

For reading, for teaching, and for places where nothing can be compiled.
"""

import keyword
import textwrap

import numpy as np

from ...graph.operations import OPS
from .text import (
    WIDTH,
    Language,
    Names,
    arrays,
    comment_lines,
    description,
    function_name,
    listed,
    with_strides,
    write,
)

LANGUAGE = Language(
    dtype="float64",
    operations={name: op.python for name, op in OPS.items()},
    let="{0} = {1}",
    put="",  # there is no memory to write: results are returned
    place="",
    number="{0}",
    nan="math.nan",
    infinity="math.inf",
    loop=("{0} = {1}", "for {2} in range({3}, {4} + 1):", "    {0} += {5} - {5}"),
    reserved=frozenset(
        [*keyword.kwlist, *keyword.softkwlist, "math", "abs", "float", "range", "round"]
    ),
)


def source(graph, name=None, notes=()):
    """The text of a Python file; `notes` are paragraphs for the text it begins with."""
    name = function_name(graph, name, LANGUAGE)
    every = arrays(graph, Names(LANGUAGE, name))
    inputs, outputs = every[: len(graph.inputs)], every[len(graph.inputs) :]
    straight = write(graph, LANGUAGE, every, _entry, in_pieces=False)
    usage = ("Arguments are nested sequences of numbers, results nested lists of floats.",)
    comment = comment_lines(description(graph, name, LANGUAGE, every, usage, notes))
    results = [
        _folded(f"    {array.name} = {_nested(values, array.shape)}")
        for array, values in zip(outputs, straight.results, strict=True)
    ]
    return "\n".join(
        [
            '"""' + "\n".join(comment),
            '"""',
            "",
            "import math",
            "",
            "",
            listed(f"def {name}(", [array.name for array in inputs], "):", "    "),
            *(f"    {line}" for line in straight.pieces[0].lines),
            *results,
            f"    return {', '.join(array.name for array in outputs)}",
            "",
        ]
    )


def _entry(array, k):
    if isinstance(k, str):
        place = [f"{k} // {n} % {length}" for length, n in with_strides(array.shape)]
    else:
        place = np.unravel_index(k, array.shape) if array.shape else ()
    return f"float({array.name}{''.join(f'[{i}]' for i in place)})"


def _nested(values, shape):
    if not shape:
        return values[0]
    step = len(values) // shape[0]
    rows = [_nested(values[k : k + step], shape[1:]) for k in range(0, len(values), step)]
    return f"[{', '.join(rows)}]"


def _folded(line):
    """A long statement on several lines; where it can be long it is inside brackets."""
    whole_words = {"break_long_words": False, "break_on_hyphens": False}
    return "\n".join(textwrap.wrap(line, WIDTH, subsequent_indent=" " * 8, **whole_words))
