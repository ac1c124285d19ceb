"""The space of a study: named variables, and the states that their values form.

A space is an array of states: its axes have names and lengths, and the values of a state depend on
its place alone. So a block can be computed anywhere, at any time, and again.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import quoted
from ..errors import ArgumentError

Region = tuple[slice, ...]  # of a space: one slice, with its ends, per axis
TAKEN = ("index", "blocks", "errors")  # names that a study has for something else


class Space(ABC):
    """The states of a study. `px.sweeps.product`, `points` and `sampled` make spaces.

    - `axes`: lengths by name.
    - `cases`: the values of axes whose values are strings. A block has a single one of each, so
      that the function is called with a string.

    **Example:**

    >>> space = px.sweeps.product(mass=[1.0, 2.0])
    >>> space.shape, space.count, isinstance(space, px.sweeps.Space)
    ((2,), 2, True)
    """

    axes: dict[str, int]
    cases: dict[str, tuple[str, ...]]

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return tuple(self.axes.values())

    @property
    def count(self) -> int:
        """The number of states."""
        return math.prod(self.shape)

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""

    @property
    @abstractmethod
    def coordinates(self) -> dict[str, tuple[str, np.ndarray]]:
        """name -> (axis, values) of variables whose values are known by heart."""

    @abstractmethod
    def values(self, region: Region) -> dict[str, Any]:
        """The values of each variable in a region: arrays with all its states as first axis."""

    @property
    @abstractmethod
    def identity(self) -> tuple:
        """What tells it from other spaces."""

    def index(self, region: Region) -> np.ndarray:
        """The numbers of the states of a region, in the order of `values`."""
        places = np.meshgrid(*(np.arange(s.start, s.stop) for s in region), indexing="ij")
        flat = [place.ravel() for place in places]
        return np.ravel_multi_index(flat, self.shape).astype(np.int64)

    def __repr__(self) -> str:
        lengths = " x ".join(f"{name} {length:,}" for name, length in self.axes.items())
        return f"<{type(self).__name__}: {self.count:,} states, {lengths}>"


class Product(Space):
    """Every combination of the values of several variables, each an axis.

    **Example:**

    >>> px.sweeps.product(mass=[1.0, 2.0], policy=["exact", "hamilton"]).shape
    (2, 2)
    """

    def __init__(self, variables: Mapping[str, ArrayLike]):
        self._values = {name: as_values(name, values) for name, values in variables.items()}
        if not self._values:
            raise ArgumentError("space: expected one variable or more, found none")
        self.axes = {name: len(values) for name, values in self._values.items()}
        self.cases = {
            name: tuple(map(str, values))
            for name, values in self._values.items()
            if values.dtype.kind == "U"
        }

    @property
    def names(self) -> tuple[str, ...]:
        return (*self._values,)

    @property
    def coordinates(self) -> dict[str, tuple[str, np.ndarray]]:
        return {name: (name, values) for name, values in self._values.items()}

    def values(self, region: Region) -> dict[str, Any]:
        lengths = [s.stop - s.start for s in region]
        places = np.indices(lengths).reshape(len(region), -1)
        return {
            name: str(values[s][0]) if name in self.cases else values[s][place]
            for (name, values), s, place in zip(self._values.items(), region, places, strict=True)
        }

    @property
    def identity(self) -> tuple:
        return "product", self._values


class Points(Space):
    """A list of states: the values of all variables, one after another.

    **Example:**

    >>> px.sweeps.points(mass=[1.0, 2.0, 3.0]).count
    3
    """

    def __init__(self, variables: Mapping[str, ArrayLike]):
        self._values = {name: as_values(name, values) for name, values in variables.items()}
        lengths = {name: len(values) for name, values in self._values.items()}
        if len({*lengths.values()}) != 1:
            raise ArgumentError(f"points: expected as many values of each, found {lengths}")
        for name, values in self._values.items():
            if values.dtype.kind == "U":
                raise ArgumentError(
                    f"{name}: words can be an axis of px.sweeps.product, not of points"
                )
        self.axes, self.cases = {"point": next(iter(lengths.values()))}, {}

    @property
    def names(self) -> tuple[str, ...]:
        return (*self._values,)

    @property
    def coordinates(self) -> dict[str, tuple[str, np.ndarray]]:
        return {name: ("point", values) for name, values in self._values.items()}

    def values(self, region: Region) -> dict[str, Any]:
        return {name: values[region[0]].copy() for name, values in self._values.items()}

    @property
    def identity(self) -> tuple:
        return "points", self._values


def product(**variables: ArrayLike) -> Product:
    """Every combination of the values of variables.

    **Arguments:**

    - `variables`: the values of each by name, `(k,)`, or `(k, ...)` for one whose values are
      arrays. Values may also be strings, such as names of policies: the function is then called
      with one of them at a time.

    **Returns:** a `px.sweeps.Product`, a space with an axis for each variable.

    **Raises:** `px.ArgumentError` if there are no variables, or one has no values.

    **Example:**

    >>> space = px.sweeps.product(period=np.geomspace(1e-3, 0.1, 20), payload=[0.0, 0.5, 1.0])
    >>> space.axes, space.count
    ({'period': 20, 'payload': 3}, 60)
    """
    return Product(variables)


def points(**variables: ArrayLike) -> Points:
    """States given one by one.

    **Arguments:**

    - `variables`: the values of each by name, `(count, ...)`.

    **Returns:** a `px.sweeps.Points`, a space with the axis "point".

    **Raises:** `px.ArgumentError` if variables have different numbers of values.

    **Example:**

    >>> space = px.sweeps.points(q=np.zeros((100, 6)), mass=np.linspace(0.0, 5.0, 100))
    >>> space.axes
    {'point': 100}
    """
    return Points(variables)


def as_values(name: str, values: Any) -> np.ndarray:
    """Values of a variable as an array with at least one of them."""
    check_name(name)
    try:
        array = np.atleast_1d(np.asarray(values))
    except ValueError:
        raise ArgumentError(f"{name}: expected values of one shape, found several") from None
    if array.dtype.kind == "O" or array.dtype.kind not in "fiubU" or not len(array):
        raise ArgumentError(f"{name}: expected numbers or words, found {quoted(values)}")
    if array.dtype.kind == "U" and array.ndim != 1:
        raise ArgumentError(f"{name}: expected a list of words, found an array {array.shape}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ArgumentError(f"{name}: expected finite numbers, found NaN or infinity")
    return array


def check_name(name: str) -> None:
    """Raise unless a variable or a result can have this name."""
    if not (isinstance(name, str) and name.isidentifier() and name.isascii()) or name in TAKEN:
        raise ArgumentError(
            f"{quoted(name)}: expected a name of ASCII letters and digits, none of {TAKEN}"
        )


def as_space(given: Any) -> Space:
    """The space that a caller means: a dict is a product."""
    if isinstance(given, Space):
        return given
    if isinstance(given, Mapping):
        return Product(given)
    raise ArgumentError(
        "space: expected a dict of values by name, or what px.sweeps.product, px.sweeps.points or "
        f"px.sweeps.sampled make, found {type(given).__name__}"
    )
