"""Settings of a function, a controller as a rule: what it takes by name, one set a robot."""

import inspect

import numpy as np

from ..errors import ArgumentError

STATE = ("t", "q", "qd")


def as_settings(given, batch, memory, of="controller", besides=STATE):
    """Arrays whose first axes are the batch; where robots share one, 1, or a single number.

    `of` is what takes them, `besides` its other arguments.
    """
    settings = {}
    for name, value in given.items():
        if not name.isascii():
            raise ArgumentError(f"{name}: expected an ASCII name for a setting of the {of}")
        if name in besides:
            raise ArgumentError(
                f"{name}: expected another name for a setting of the {of}, which is given "
                f"{', '.join(besides)} anyway"
            )
        settings[name] = array = memory.array(value, name, ())
        if array.ndim and not reaches(array.shape[: len(batch)], batch):
            shared = f"{name}[{', '.join(['None'] * len(batch))}]"
            raise ArgumentError(
                f"{name}: expected an array with the batch {batch} as first axes, as it is a "
                f"setting of the {of}, found shape {array.shape}; {shared} is the same for "
                f"all robots"
            )
    return settings


def reaches(shape, batch):
    """Does it broadcast to the whole batch, axis by axis?"""
    return len(shape) == len(batch) and all(
        own in (1, size) for own, size in zip(shape, batch, strict=True)
    )


def settings_of_robot(settings, batch, place):
    """The settings of one robot of the batch."""
    axes, own = len(batch), {}
    for name, array in settings.items():
        whole = np.broadcast_to(array, (*batch, *array.shape[axes:]))
        own[name] = whole[place]
    return own


def require_takes(function, settings, of="controller", besides=STATE):
    """Raise where a function does not take its arguments, (t, q, qd) say, and these settings."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some callables have none; a call will tell
        return
    try:
        signature.bind(*besides, **dict.fromkeys(settings))
    except TypeError as error:
        call = ", ".join([*besides, *(f"{name}={name}" for name in settings)])
        raise ArgumentError(
            f"{of}: expected one that can be called as {of}({call}), found one of {signature}: "
            f"{error}"
        ) from None
