"""Sampled spaces: values that depend on a seed and on the index of a state, and on nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import integer, one_of
from ..errors import ArgumentError, MissingPackageError
from .space import Region, Space, check_name

METHODS = ("random", "latin_hypercube", "sobol")
BITS = 32  # of numbers of Sobol: scipy cannot skip points of longer ones
MOST_OF_SOBOL = 21_201  # that scipy has directions for
MOST_AT_ONCE = 2**25  # numbers of a Latin hypercube, which is made as a whole
SEEDS = 2**128
WORDS = 4  # of a counter of Philox


class Sampled(Space):
    """States whose variables are drawn between limits.

    **Example:**

    >>> px.sweeps.sampled(1000, seed=1, mass=(0.5, 2.0)).shape
    (1000,)
    """

    def __init__(
        self,
        count: int,
        ranges: dict[str, tuple[ArrayLike, ArrayLike]],
        method: str = "random",
        seed: int = 0,
    ):
        self.axes, self.cases = {"sample": integer("count", count)}, {}
        self.method, self.seed = one_of(method, METHODS, "method"), integer("seed", seed, least=0)
        if self.seed >= SEEDS:
            raise ArgumentError(f"seed: expected an integer below 2**128, found {seed}")
        if not ranges:
            raise ArgumentError("sampled: expected one variable or more, found none")
        self._ranges = {name: _limits(name, given) for name, given in ranges.items()}
        self.dimensions = sum(low.size for low, _ in self._ranges.values())
        if method == "latin_hypercube" and self.count * self.dimensions > MOST_AT_ONCE:
            raise ArgumentError(
                f"latin_hypercube: {self.count:,} states of {self.dimensions} numbers are too "
                'many, as they are drawn together; use method="sobol", which spreads as evenly'
            )
        if method == "sobol" and self.dimensions > MOST_OF_SOBOL:
            raise ArgumentError(
                f"sobol: expected at most {MOST_OF_SOBOL:,} numbers per state, found "
                f'{self.dimensions:,}; use method="random"'
            )
        if method == "sobol" and self.count > 2**BITS:
            raise ArgumentError(
                f"sobol: expected at most {2**BITS:,} states, found {self.count:,}; use "
                'method="random"'
            )
        self._design: Any = None  # what a process keeps of a method of scipy

    @property
    def names(self) -> tuple[str, ...]:
        return (*self._ranges,)

    @property
    def coordinates(self) -> dict[str, tuple[str, np.ndarray]]:
        return {}

    @property
    def identity(self) -> tuple:
        return "sampled", self.count, self.method, self.seed, self._ranges

    def values(self, region: Region) -> dict[str, Any]:
        numbers, at, values = self._between_0_and_1(region[0]), 0, {}
        for name, (low, high) in self._ranges.items():
            own = numbers[:, at : at + low.size].reshape(-1, *low.shape)
            values[name], at = low + (high - low) * own, at + low.size
        return values

    def _between_0_and_1(self, rows: slice) -> np.ndarray:
        if self.method == "random":
            return uniform(self.seed, rows, self.dimensions)
        if self.method == "sobol":
            return self._of_sobol(rows)
        if self._design is None:
            qmc = _qmc()
            self._design = qmc.LatinHypercube(self.dimensions, rng=self.seed).random(self.count)
        return self._design[rows]

    def _of_sobol(self, rows):
        """From where the last ones were: blocks come in rising order, more or less."""
        if self._design is None or self._design.num_generated > rows.start:
            self._design = _qmc().Sobol(self.dimensions, rng=self.seed, bits=BITS)
        if self._design.num_generated < rows.start:
            self._design.fast_forward(rows.start - self._design.num_generated)
        import warnings

        with warnings.catch_warnings():  # which asks for a power of two: all blocks together
            warnings.simplefilter("ignore")
            return self._design.random(rows.stop - rows.start)

    def __getstate__(self):
        return self.__dict__ | {"_design": None}


def uniform(seed: int, rows: slice, dimensions: int) -> np.ndarray:
    """Numbers in [0, 1), (states, dimensions): those of row k come from the counter k of Philox."""
    steps = -(-dimensions // WORDS)  # of the counter, per state
    bits = np.random.Philox(key=seed, counter=rows.start * steps)
    words = bits.random_raw((rows.stop - rows.start) * steps * WORDS)
    return (words.reshape(-1, steps * WORDS)[:, :dimensions] >> np.uint64(11)) * 2.0**-53


def sampled(
    count: int, *, method: str = "random", seed: int = 0, **ranges: Sequence[ArrayLike]
) -> Sampled:
    """States whose variables are drawn between limits.

    **Arguments:**

    - `count`: how many states.
    - `method`: "random", or "latin_hypercube" or "sobol" (scrambled), of `scipy.stats.qmc`, which
      fill the space more evenly.
    - `seed`: an integer >= 0.
    - `ranges`: (lowest, highest) of each variable by name, numbers or arrays.

    **Returns:** a `px.sweeps.Sampled`, a space with the axis "sample". The values of a state depend
    on the seed and on its index alone; of a Latin hypercube also on the count.

    **Raises:** `px.ArgumentError` if `count`, `method` or a range is not valid.

    **Example:**

    >>> limits = (-np.ones(6), np.ones(6))
    >>> space = px.sweeps.sampled(1000, method="sobol", mass=(0.5, 2.0), q=limits)
    >>> space.axes
    {'sample': 1000}
    """
    return Sampled(count, dict(ranges), method, seed)  # type: ignore[arg-type]


def _limits(name, given):
    check_name(name)
    try:
        low, high = (np.asarray(each, float) for each in given)
        low, high = (np.array(each) for each in np.broadcast_arrays(low, high))
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: expected (lowest, highest), found {given!r}") from None
    if not (np.isfinite(low).all() and np.isfinite(high).all() and (low <= high).all()):
        raise ArgumentError(
            f"{name}: expected finite limits, the lowest first, found {low.tolist()} and "
            f"{high.tolist()}"
        )
    with np.errstate(over="ignore"):
        if not np.isfinite(high - low).all():
            raise ArgumentError(f"{name}: expected limits less than 1e308 apart, found {given!r}")
    return low, high


def _qmc():
    try:
        from scipy.stats import qmc
    except ImportError:
        raise MissingPackageError(
            "this way to sample needs scipy: pip install 'paraxis[cluster]'"
        ) from None
    return qmc
