"""Arguments of trajectories, checked and as arrays."""

import numpy as np

from ..checks import counted
from ..drivers.map import in_main_memory
from ..errors import ArgumentError
from .axes import axes_of


def array(name, value, ndim):
    """`value` as an array of finite floats with `ndim` dimensions."""
    in_main_memory(value, name)
    try:
        value = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: expected numbers, found {value!r}") from None
    if value.ndim != ndim:
        raise ArgumentError(
            f"{name}: expected {counted(ndim, 'dimension')}, found shape {value.shape}"
        )
    if not np.isfinite(value).all():
        raise ArgumentError(
            f"{name}: expected finite numbers, found {value[~np.isfinite(value)][0]}"
        )
    return value


def vector(name, value, size=None):
    """`value` as `size` numbers, usually one per joint; without a size, as any number of them."""
    value = array(name, value, 1)
    if not value.size or size not in (None, value.size):
        expected = counted(size, "number") if size else "some numbers"
        raise ArgumentError(f"{name}: expected {expected}, found {value.size}")
    return value


def each_joint(name, value, n):
    """One number per joint, from these or from one number for all."""
    return np.full(n, array(name, value, 0)) if np.ndim(value) == 0 else vector(name, value, n)


def limits(name, value, n, names=None):
    """One positive limit per joint, or one for all; infinite where there is none."""
    in_main_memory(value, name)
    try:
        value = np.broadcast_to(np.array(value, dtype=float), (n,))
    except (TypeError, ValueError):
        expected = f"a number or {n} numbers" if n > 1 else "a number"
        raise ArgumentError(f"{name}: expected {expected}, found {value!r}") from None
    for i, limit in enumerate(value):
        if not limit > 0:
            joint = names[i] if names else i
            raise ArgumentError(f"{name}: expected numbers > 0, found {limit} for joint {joint!r}")
    return value


def positive(name, value):
    """A finite number > 0."""
    value = float(array(name, value, 0))
    if value <= 0:
        raise ArgumentError(f"{name}: expected a number > 0, found {value}")
    return value


def joint_count(robot):
    """How many axes a robot has; None where there is no robot."""
    return None if robot is None else len(axes_of(robot))
