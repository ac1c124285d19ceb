"""Torques as a function of time and state: compiled with the physics when they can be traced.

A controller is called as controller(t, q, qd) and returns n torques. While it is traced, q and qd
are arrays of n traced scalars, so that both q[0] and kp * (goal - q) work. A controller that cannot
be traced (it asks `if`, or calls something that wants floats) is called with floats at every stage
of every step, with q and qd of the whole batch, (..., n).
"""

import warnings

import numpy as np

from ..errors import ArgumentError, SimulationWarning, TraceError
from ..graph.node import Node


def traced_torques(controller, n):
    """`controller` on lists of traced scalars, checked."""

    def torques(t, q, qd):
        try:
            result = controller(t, as_objects(q), as_objects(qd))
        except (
            TypeError,
            AttributeError,
        ) as error:  # wants floats, or is wrong
            raise TraceError(str(error)) from error
        flat = np.asarray(result, dtype=object)
        if flat.shape != (n,):
            raise wrong_shape(flat.shape, (n,))
        for value in flat:
            if not isinstance(value, Node | int | float | np.number):
                raise TraceError(f"controller: expected numbers, found {type(value).__name__}")
        return list(flat)

    return torques


def as_objects(scalars):
    """An array of scalars that NumPy leaves as they are."""
    array = np.empty(len(scalars), dtype=object)
    array[:] = scalars
    return array


def called_torques(controller, batch, n):
    """`controller` on arrays of floats, checked at each call."""

    def torques(t, q, qd):
        result = np.asarray(controller(t, q, qd))
        try:
            if result.dtype.kind not in "fiu":
                raise ValueError
            return np.broadcast_to(result, (*batch, n)).astype(float, copy=False)
        except ValueError:
            raise wrong_shape(result.shape, (*batch, n)) from None

    return torques


def wrong_shape(found, expected):
    return ArgumentError(f"controller: expected torques of shape {expected}, found {found}")


def say_uncompiled(reason):
    text = str(reason).partition("\n")[0]
    warnings.warn(
        f"controller: runs uncompiled, as Python at every step, because tracing it gave: {text}",
        SimulationWarning,
        stacklevel=3,
    )
