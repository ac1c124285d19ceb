"""The rows of a map: loops that differ in one respect: speed, gain or payload."""

import math
from dataclasses import dataclass, field

import numpy as np

from ...drivers.map import in_main_memory
from ...dynamics.loads import payload
from ...errors import ArgumentError

# name -> description of its values
AXES = {
    "speed": "factor of the motion's speed",
    "gain": "factor of kp, whose square root multiplies kd",
    "payload": "kg at the tip, unknown to the controller",
}
MANY_JOINTS = 4


@dataclass(frozen=True, eq=False)
class Rows:
    """Loops, one per row: speeds (rows,), gains (rows, n), parameters of the plant (rows, ...)."""

    speeds: np.ndarray
    kp: np.ndarray
    kd: np.ndarray
    parameters: dict = field(default_factory=dict)


def rows_of(axis, values, robot, kp, kd, frame=None):
    """The Rows along an axis; kp and kd are (n,), a frame carries payloads."""
    ones = np.ones(len(values))
    if axis == "speed":
        return Rows(values, ones[:, None] * kp, ones[:, None] * kd)
    if axis == "gain":
        return Rows(ones, values[:, None] * kp, np.sqrt(values)[:, None] * kd)
    held = payload(robot, mass=values, frame=frame)
    return Rows(ones, ones[:, None] * kp, ones[:, None] * kd, held)


def usual_axes(robot):
    """Defaults: 1/4 to 4 times the speed, 1/10 to 10 times the gain, up to half its own mass."""
    count = 25 if robot.n < MANY_JOINTS else 9
    half = sum(body.mass for body in robot.inertias) / 2
    return {
        "speed": np.geomspace(1 / 4, 4, count),
        "gain": np.geomspace(1 / 10, 10, count),
        "payload": np.linspace(0, _round_number(half), count),
    }


def checked_axes(axes):
    """The axes as arrays, which must be increasing."""
    if not isinstance(axes, dict) or not axes or set(axes) - set(AXES):
        found = list(axes) if isinstance(axes, dict) else axes
        raise ArgumentError(f"axes: expected a dict with some of {tuple(AXES)}, found {found!r}")
    return {
        name: rising(values, f"axes[{name!r}]", least=0.0 if name == "payload" else None)
        for name, values in axes.items()
    }


def rising(values, name, least=None):
    """Increasing numbers (k,), above zero or at least `least`."""
    in_main_memory(values, name)
    try:
        array = np.atleast_1d(np.asarray(values, float))
    except (TypeError, ValueError):
        array = np.empty(0)
    good = (
        array.ndim == 1 and array.size and np.isfinite(array).all() and (np.diff(array) > 0).all()
    )
    if not good or not (array[0] > 0 if least is None else array[0] >= least):
        bound = "> 0" if least is None else f">= {least:g}"
        raise ArgumentError(f"{name}: expected increasing numbers {bound}, found {values!r}")
    return array


def _round_number(value):
    """The largest of 1, 2 or 5 times a power of ten up to the value; 1 if there is none."""
    if not value > 0:
        return 1.0
    decade = 10.0 ** math.floor(math.log10(value))
    return max(k * decade for k in (1, 2, 5) if k * decade <= value)
