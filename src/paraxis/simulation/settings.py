"""Settings of a function, usually a controller: what it takes by name, one set per robot."""

import inspect
from types import FunctionType

import numpy as np

from ..errors import ArgumentError

STATE = ("t", "q", "qd")


def as_settings(given, batch, memory, of="controller", besides=STATE):
    """Settings as arrays whose first axes are the batch, or 1 where shared; or a single number.

    `of` is what takes them, `besides` its other arguments.
    """
    settings = {}
    for name, value in given.items():
        if not name.isascii():
            raise ArgumentError(f"{name}: the name of a setting of the {of} must be ASCII")
        if name in besides:
            raise ArgumentError(
                f"{name}: choose another name for this setting of the {of}, which already takes "
                f"{', '.join(besides)}"
            )
        settings[name] = array = memory.array(value, name, ())
        if array.ndim and not reaches(array.shape[: len(batch)], batch):
            shared = f"{name}[{', '.join(['None'] * len(batch))}]"
            raise ArgumentError(
                f"{name}: expected the batch {batch} as first axes of this setting of the {of}, "
                f"found shape {array.shape}; write {shared} to share it among all robots"
            )
    return settings


def reaches(shape, batch):
    """Does it broadcast to the whole batch, axis by axis?"""
    return len(shape) == len(batch) and all(
        own in (1, size) for own, size in zip(shape, batch, strict=True)
    )


def settings_of_robot(settings, batch, index):
    """The settings of one robot of the batch."""
    axes, own = len(batch), {}
    for name, array in settings.items():
        whole = np.broadcast_to(array, (*batch, *array.shape[axes:]))
        own[name] = whole[index]
    return own


def require_takes(function, settings, of="controller", besides=STATE):
    """Raise where a function does not take its arguments, (t, q, qd) say, and these settings."""
    if not settings and takes_exactly(function, len(besides)):
        return
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some callables have none; a call will tell
        return
    try:
        signature.bind(*besides, **dict.fromkeys(settings))
    except TypeError as error:
        call = ", ".join([*besides, *(f"{name}={name}" for name in settings)])
        raise ArgumentError(
            f"{of}: it must be callable as {of}({call}), but its signature is {signature}: {error}"
        ) from None


def takes_exactly(function, count):
    """Is it a plain function of so many arguments? Asking for a signature takes much longer."""
    code = getattr(function, "__code__", None)
    return isinstance(function, FunctionType) and (code.co_argcount, code.co_kwonlyargcount) == (
        count,
        0,
    )
