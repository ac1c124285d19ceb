"""Torques as a function of time and state: compiled with the physics when they can be traced.

A controller is called as controller(t, q, qd) and returns n torques; what else it takes, by name,
are its settings. While it is traced, q and qd are arrays of n traced scalars, so that both q[0] and
kp * (goal - q) work. A controller that cannot be traced asks `if`, calls something that wants
floats, or remembers something.
"""

import numpy as np

from ..errors import ArgumentError, TraceError
from ..graph.arrays import traced_array
from ..graph.node import Node


def traced_torques(controller, n):
    """`controller` on lists of traced scalars, checked."""

    def once(t, q, qd, settings):
        given = {name: traced_array(value) for name, value in settings.items()}
        try:
            result = controller(t, traced_array(q), traced_array(qd), **given)
        except Exception as error:  # it may be wrong, or only want floats: a call with them tells
            raise TraceError(str(error)) from error
        shape = shape_of(result)
        if shape != (n,):
            raise wrong_shape(shape, (n,))
        entries = result.tolist() if isinstance(result, np.ndarray) else result
        values = [value.item() if isinstance(value, np.generic) else value for value in entries]
        for value in values:
            if not isinstance(value, Node | int | float):
                raise wrong_kind(type(value).__name__)
        return values

    def torques(t, q, qd, settings):
        values, again = once(t, q, qd, settings), once(t, q, qd, settings)
        if not all(same(a, b) for a, b in zip(values, again, strict=True)):
            raise TraceError("it returns different torques when called again")
        return values

    return torques


def same(a, b):
    """Are two traced scalars, or two numbers, the same? NaN is."""
    return a is b or (not isinstance(a, Node) and not isinstance(b, Node) and repr(a) == repr(b))


def shape_of(result):
    """The shape of a controller's result, or words for one that has none."""
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


def wrong_kind(found):
    return ArgumentError(f"controller: expected numbers as torques, found {found}")
