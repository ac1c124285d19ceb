"""The self-test of Python."""

import pprint

from ..python import LANGUAGE
from ..text import WIDTH, function_name


def self_test(graph, vectors, name=None):
    """A program that compares the function with `vectors`; it exits with 0 if they agree."""
    name = function_name(graph, name, LANGUAGE)

    wanted = f"at most {vectors.tolerance:.0e} wanted"

    def literal(arrays):
        states = [[array[k].tolist() for array in arrays] for k in range(vectors.states)]
        return pprint.pformat(states, width=WIDTH, compact=True)

    large = pprint.pformat([size.tolist() for size in vectors.sizes], width=WIDTH, compact=True)

    return f'''"""Compares {name} with results of the interpreter of Paraxis.

Prints the error and exits with 0 when it is small, else with 1.
"""

import sys

from {name} import {name}

GIVEN = {literal(vectors.inputs)}

EXPECTED = {literal(vectors.outputs)}

LARGE = {large}  # for each entry, over all states


def flat(value):
    return [v for each in value for v in flat(each)] if hasattr(value, "__len__") else [value]


def error(found, expected, large):
    """The largest difference, each as a share of what is large for its entry."""
    entries = zip(flat(found), flat(expected), flat(large))
    differences = [abs(a - b) / size for a, b, size in entries]
    return float("nan") if any(d != d for d in differences) else max(differences)


errors = []
for given, expected in zip(GIVEN, EXPECTED):
    found = {name}(*given)
    for each in zip(found if len(expected) > 1 else [found], expected, LARGE):
        errors.append(error(*each))
worst = max(errors) if all(e == e for e in errors) else float("nan")
print(f"{name}: error {{worst:.1e}} over {{len(GIVEN)}} states, {wanted}")
sys.exit(0 if worst <= {vectors.tolerance!r} else 1)
'''
