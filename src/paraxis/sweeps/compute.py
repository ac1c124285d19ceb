"""The function of a study called on some of its states."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np

from .results import arrays_of, check_names
from .space import Region, Space


def called(function: Callable, space: Space, region: Region) -> dict[str, np.ndarray]:
    """The results of the states of a region, by name."""
    values = space.values(region)
    if takes_index(function) and "index" not in values:
        values["index"] = space.index(region)
    states = 1
    for s in region:
        states *= s.stop - s.start
    arrays = arrays_of(function(**values), states)
    check_names(arrays, space)
    return arrays


def takes_index(function: Callable) -> bool:
    """Whether it has an argument of that name: the numbers of the states, for random numbers."""
    try:
        return "index" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
