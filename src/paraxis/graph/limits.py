"""How large a Program may be.

Far beyond any robot, and small enough that a short text cannot ask for all memory: an array takes a
few characters to declare, whatever its size.
"""

import math

from ..errors import ProgramError

MOST_ENTRIES = {"input": 100_000, "output": 1_000_000}  # numbers in all of them together
MOST_ARRAYS = 10_000  # inputs and outputs
MOST_AXES = 16  # of one of them
MOST_NODES = 5_000_000
LONGEST_NAME = 1_000  # characters
LONGEST_TEXT = 200_000_000  # characters


def check_arrays(what, shapes):
    """Are inputs or outputs, `what`, by name and shape, within the limits? Else a ProgramError."""
    if len(shapes) > MOST_ARRAYS:
        raise ProgramError(
            f"{what}s: expected at most {MOST_ARRAYS:,} arrays, found {len(shapes):,}"
        )
    total = 0
    for name, shape in shapes.items():
        if isinstance(name, str) and len(name) > LONGEST_NAME:
            raise ProgramError(
                f"{what} {name[:40]!r}...: expected a name of at most {LONGEST_NAME:,} characters, "
                f"found {len(name):,}"
            )
        if len(shape) > MOST_AXES:
            raise ProgramError(
                f"{what} {name!r}: expected at most {MOST_AXES} axes, found {len(shape):,}"
            )
        total += math.prod(shape)
    if total > MOST_ENTRIES[what]:
        raise ProgramError(
            f"{what}s: expected at most {MOST_ENTRIES[what]:,} entries in all, found {total:,}; "
            "put data that varies from state to state on a batch axis, which has no limit"
        )


def check_nodes(count):
    """Is a graph of so many nodes within the limits? Else a ProgramError."""
    if count > MOST_NODES:
        raise ProgramError(f"Program: expected at most {MOST_NODES:,} operations, found {count:,}")
