"""Settings of a function, usually a controller: what it takes by name, one set per robot."""

import inspect
from types import FunctionType

import numpy as np

from ..errors import ArgumentError
from ..trajectories.trajectory import Trajectory

STATE = ("t", "q", "qd")
WITH_MEMORY = (*STATE, "memory")


def default_settings(controller, batch, given=()):
    """The settings that a controller brings, as arrays with the batch, or 1, as first axes.

    Those `given` by the caller, by name, are left out.

    Its `settings` are name -> array of one robot, or a function of the batch that returns an array
    with the batch as first axes; where its `setting_shapes` has a shape of one robot, further axes
    before that are the batch's.
    """
    shapes = getattr(controller, "setting_shapes", None) or {}
    found = {}
    for name, value in (getattr(controller, "settings", None) or {}).items():
        if name in given:
            continue
        if callable(value):
            found[name] = np.asarray(value(batch), float)
            continue
        array = np.asarray(value, float)
        shape = tuple(shapes.get(name, array.shape))
        own = array.shape[: array.ndim - len(shape)]
        try:
            fits = np.broadcast_shapes(own, batch) == tuple(batch)
        except ValueError:
            fits = False
        if not fits or array.shape[len(own) :] != shape:
            raise ArgumentError(
                f"{name}: expected shape {shape}, or the batch {tuple(batch)} before it, found "
                f"{array.shape}"
            )
        found[name] = array.reshape((1,) * (len(batch) - len(own)) + array.shape)
    return found


def per_step_names(controller):
    """The names of what has a value for each step."""
    return tuple(getattr(controller, "per_step", ()))


def as_settings(given, batch, memory, of="controller", besides=STATE, steps=None):
    """Settings as arrays whose first axes are the batch, or 1 where shared; or a single number.

    `of` is what takes them, `besides` its other arguments. With `steps` they have a value for each
    step, along an axis before those of the batch.
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
        if steps is not None:
            _require_steps(name, array.shape, steps, batch)
            continue
        if array.ndim and not reaches(array.shape[: len(batch)], batch):
            shared = f"{name}[{', '.join(['None'] * len(batch))}]"
            raise ArgumentError(
                f"{name}: expected the batch {batch} as first axes of this setting of the {of}, "
                f"found shape {array.shape}; write {shared} to share it among all robots"
            )
    return settings


def _require_steps(name, shape, steps, batch):
    if shape[:1] == (steps,) and reaches(shape[1 : 1 + len(batch)], batch):
        return
    axes = f", then the batch {batch} or 1 in its place" if batch else ""
    raise ArgumentError(
        f"{name}: it has a value per step: expected the {steps} steps as first axis{axes}, found "
        f"shape {shape}"
    )


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


def require_callable(controller, what="controller"):
    if isinstance(controller, Trajectory):
        raise ArgumentError(
            f"{what}: a trajectory is a motion and has no torques; px.control.tracking(law, "
            "trajectory) makes a law such as px.control.computed_torque(robot, kp, kd) follow it"
        )
    if not callable(controller):
        raise ArgumentError(
            f"{what}: expected a function of (t, q, qd), found {type(controller).__name__}; "
            f"px.control.tracking(law, goal) makes one of a control law such as "
            f"px.control.computed_torque(robot, kp, kd)"
        )


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
        needed = _needed(signature, len(besides))
        missing = next((name for name in needed if name not in settings), None)
        advice = f"; give {missing}=..." if missing else ""
        raise ArgumentError(
            f"{of}: it must be callable as {of}({call}), but its signature is {signature}: "
            f"{error}{advice}"
        ) from None


def _needed(signature, count):
    """The names of arguments beyond so many that have no default."""
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    others = [*signature.parameters.values()][count:]
    return [each.name for each in others if each.kind in named and each.default is each.empty]


def takes_exactly(function, count):
    """Is it a plain function of so many arguments? Asking for a signature takes much longer."""
    code = getattr(function, "__code__", None)
    return isinstance(function, FunctionType) and (code.co_argcount, code.co_kwonlyargcount) == (
        count,
        0,
    )
