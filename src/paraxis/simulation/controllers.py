"""Torques as a function of time and state: compiled with the physics when they can be traced.

A controller is called as controller(t, q, qd) and returns n torques; what else it takes, by name,
are its settings. While it is traced, q and qd are arrays of n traced scalars, so that both q[0] and
kp * (goal - q) work. One with memory (memory.py) also takes what it remembered and returns what it
will remember. A controller that cannot be traced asks `if`, calls something that wants floats, or
remembers something on its own.
"""

import numpy as np

from ..errors import ArgumentError, TraceError
from ..graph.arrays import traced_array
from ..graph.node import Node
from .memory import WrongMemory, require_same_names, returned, same_shape

ADVICE = (
    "px.math.random_normal makes random numbers that can be traced, px.control.with_memory "
    "a controller that remembers"
)


def traced_torques(controller, n):
    """`controller` on lists of traced scalars, checked."""

    def once(t, q, qd, settings):
        return torques_from(_called(controller, t, q, qd, settings), n)

    def torques(t, q, qd, settings):
        values, again = once(t, q, qd, settings), once(t, q, qd, settings)
        if not all(same(a, b) for a, b in zip(values, again, strict=True)):
            raise TraceError(f"it returns different torques when called again; {ADVICE}")
        return values

    return torques


def traced_row(controller, n):
    """`controller`, one with memory, on traced scalars: its torques and all that it remembers, as
    one row of scalars."""

    def once(t, q, qd, memory, settings):
        before = {name: traced_array(value) for name, value in memory.items()}
        tau, after = returned(_called(controller, t, q, qd, settings, before))
        require_same_names(after, before)
        row = torques_from(tau, n)
        for name, value in before.items():
            value = same_shape(after[name], value, name)
            row += scalars_of(np.asarray(value, object).ravel().tolist(), "memory")
        return row

    def twice(*arrays):
        row, again = once(*arrays), once(*arrays)
        if not all(same(a, b) for a, b in zip(row, again, strict=True)):
            raise TraceError(f"it returns something different when called again; {ADVICE}")
        return row

    return twice


def _called(controller, t, q, qd, settings, *memory):
    given = {name: traced_array(value) for name, value in settings.items()}
    memory = ({name: _copied(value) for name, value in each.items()} for each in memory)
    try:
        return controller(t, traced_array(q), traced_array(qd), *memory, **given)
    except WrongMemory:
        raise
    except Exception as error:  # it may be wrong, or only want floats: a call with them tells
        raise TraceError(str(error)) from error


def _copied(value):
    return value.copy() if isinstance(value, np.ndarray) else value


def torques_from(result, n):
    """n torques, checked."""
    shape = shape_of(result)
    if shape != (n,):
        raise wrong_shape(shape, (n,))
    entries = result.tolist() if isinstance(result, np.ndarray) else result
    return scalars_of(entries, "torques")


def scalars_of(entries, what):
    values = [value.item() if isinstance(value, np.generic) else value for value in entries]
    for value in values:
        if not isinstance(value, Node | int | float):
            raise wrong_kind(type(value).__name__, what)
    return values


def same(a, b):
    """Are two traced scalars, or two numbers, the same? NaN is."""
    return a is b or (not isinstance(a, Node) and not isinstance(b, Node) and repr(a) == repr(b))


def shape_of(result):
    """The shape of a controller's result, or words for one that has none."""
    if result is None:
        return "None: it returns nothing"
    try:
        return (
            np.shape(result) if isinstance(result, np.ndarray) else np.asarray(result, object).shape
        )
    except ValueError:
        return "rows of unequal lengths"


def wrong_shape(found, expected):
    whole_batch = " (q and qd are of the whole batch: q[..., j])" if len(expected) > 1 else ""
    return ArgumentError(
        f"controller: expected torques of shape {expected}{whole_batch}, found {found}"
    )


def wrong_kind(found, what="torques"):
    return ArgumentError(f"controller: expected numbers as {what}, found {found}")
