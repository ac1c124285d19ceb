"""What a controller remembers: named arrays that are carried from step to step.

A controller with memory has an attribute `memory`: name -> initial array of one robot, or a
function of the robot that returns such a dict. It is called as controller(t, q, qd, memory,
**settings), once per step, and returns (torques, memory), the latter with the same names and
shapes. Where arrays of `memory` have the batch as first axes, `memory_shapes` has the shapes of one
robot.

Inside a controller memories may be nested, one dict per part; outside they are flat: the entry
`line` of the part `planner` is called `planner_line`.
"""

import math
from typing import Any

import numpy as np

from ..checks import quoted
from ..errors import ArgumentError
from ..graph.limits import MOST_ENTRIES


class WrongMemory(ArgumentError):
    """The memory that a controller has, or returns, is not as it must be."""


class Memory(dict):
    """A dict whose entries are attributes, too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"memory has no {quoted(name)}, only {', '.join(self)}") from None

    def __setattr__(self, name, value):
        self[name] = value


def has_memory(controller: Any) -> bool:
    """Is it called with a memory, once per step?"""
    return getattr(controller, "memory", None) is not None


def takes_dt(controller: Any) -> bool:
    """Does it want the time from this call to the next, as dt=...?"""
    return bool(getattr(controller, "takes_dt", False))


def samples(controller: Any) -> bool:
    """Is it called once per step only, for its memory or the time to its next call?"""
    return has_memory(controller) or takes_dt(controller)


def initial_memory(controller, robot, batch=()):
    """name -> array with the batch as first axes, as it is before the first step."""
    given = controller.memory(robot) if callable(controller.memory) else controller.memory
    if not isinstance(given, dict):
        raise WrongMemory(
            f"controller: expected its memory as a dict of arrays, found {type(given).__name__}"
        )
    shapes = getattr(controller, "memory_shapes", None) or {}
    arrays, entries = {}, 0
    for name, value in given.items():
        _check_name(name)
        array = _numbers(value, name)
        shape = tuple(shapes.get(name, array.shape))
        entries += math.prod(shape)
        if entries > MOST_ENTRIES["input"]:
            raise WrongMemory(
                f"memory {quoted(name)}: expected at most {MOST_ENTRIES['input']:,} numbers per "
                f"robot in all, found {entries:,}"
            )
        try:
            arrays[name] = np.broadcast_to(array, (*batch, *shape)).copy()
        except ValueError:
            raise WrongMemory(
                f"memory {quoted(name)}: expected shape {shape}, or the batch {batch} before it, "
                f"found {array.shape}"
            ) from None
    return arrays


def memory_shapes(controller, robot):
    """name -> shape of one robot."""
    declared = getattr(controller, "memory_shapes", None) or {}
    given = controller.memory(robot) if callable(controller.memory) else controller.memory
    return {name: tuple(declared.get(name, np.shape(value))) for name, value in given.items()}


def returned(result):
    """A controller's result, taken apart."""
    if not isinstance(result, tuple) or len(result) != 2 or not isinstance(result[1], dict):
        found = type(result).__name__
        if isinstance(result, tuple):
            found = f"a tuple of {', '.join(type(each).__name__ for each in result) or 'nothing'}"
        raise WrongMemory(
            f"controller: with memory it must return torques and memory, (tau, memory), found "
            f"{found}"
        )
    return result


def require_same_names(found, expected, where=""):
    if set(found) != set(expected):
        other = sorted(set(found) ^ set(expected))[0]
        what = "is missing" if other in expected else "was not there before"
        raise WrongMemory(
            f"controller: it must return a memory with the same names, but {quoted(where + other)} "
            f"{what}"
        )


def same_shape(value, before, name):
    """An entry returned, with the shape that it had; what is smaller is repeated."""
    shape = np.shape(before)
    try:
        found = value.shape if isinstance(value, np.ndarray) else np.asarray(value, object).shape
    except ValueError:
        found = "rows of unequal lengths"
    if found == shape:
        return value
    try:
        return np.broadcast_to(value, shape)
    except (ValueError, TypeError):
        raise WrongMemory(
            f"controller: it must return a memory of the same shapes; of {quoted(name)} expected "
            f"{shape}, found {found}"
        ) from None


# -- nested memories ------------------------------------------------------------------------------


def structure(given, where=""):
    """Nested dicts of initial values; what has a memory of its own stands for that."""
    if not isinstance(given, dict):
        raise WrongMemory(f"memory: expected a dict of initial arrays, found {quoted(given)}")
    found = {}
    for name, value in given.items():
        _check_name(name)
        if hasattr(value, "structure"):
            value = value.structure
        elif has_memory(value):
            value = value.memory
        found[name] = structure(value, f"{where}{name}_") if isinstance(value, dict) else value
    names = flat_names(found)
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise WrongMemory(f"memory: two entries are called {quoted(where + twice)} in the end")
    return found


def flat_names(nested):
    """The names of all entries, those of parts after the part's."""
    names = []
    for name, value in nested.items():
        names += (
            [f"{name}_{each}" for each in flat_names(value)] if isinstance(value, dict) else [name]
        )
    return names


def leaves(nested):
    """The entries in that order."""
    values = []
    for value in nested.values():
        values += leaves(value) if isinstance(value, dict) else [value]
    return values


def flat_memory(nested, robot):
    """Initial values by flat names, those that depend on the robot made for it."""
    values = [value(robot) if callable(value) else value for value in leaves(nested)]
    pairs = zip(flat_names(nested), values, strict=True)
    return {name: _numbers(value, name) for name, value in pairs}


def nest(nested, flat, prefix=""):
    """Flat arrays as nested Memory; of arrays, copies, which may be changed in place."""
    found = Memory()
    for name, value in nested.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict):
            found[name] = nest(value, flat, f"{key}_")
        else:
            found[name] = flat[key].copy() if isinstance(flat[key], np.ndarray) else flat[key]
    return found


def flatten(nested, memory, before=None, prefix=""):
    """The nested memory that a function returned, flat; its shapes are those of `before`."""
    if not isinstance(memory, dict):
        name = prefix[:-1]
        raise WrongMemory(
            f"controller: expected a dict as memory {quoted(name)}, found {type(memory).__name__}"
        )
    require_same_names(memory, nested, prefix)
    flat = {}
    for name, value in nested.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict):
            flat |= flatten(value, memory[name], before, f"{key}_")
        else:
            kept = memory[name]
            flat[key] = kept if before is None else same_shape(kept, before[key], key)
    return flat


def _check_name(name):
    if not isinstance(name, str) or not (name.isascii() and name.isidentifier()):
        raise WrongMemory(
            f"memory: expected names of ASCII letters, digits and _, found {quoted(name)}"
        )


def _numbers(value, name):
    try:
        return np.array(value, float)
    except (TypeError, ValueError):
        raise WrongMemory(f"memory {quoted(name)}: expected numbers, found {value!r}") from None
