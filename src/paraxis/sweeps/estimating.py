"""A study measured on a few states: what its results are, and how long a state takes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .amounts import Estimate
from .compute import called
from .layout import Layout, layout_for
from .limits import limited
from .results import Result, kinds_of
from .space import Space, as_space

FEW, LARGER = 2, 8  # states of the first trial, and by how much each is larger than the last
LONG_ENOUGH = 0.2  # seconds of a trial that tells how long a state takes
BLOCK_SECONDS = 2.0  # how long a block should take
BLOCK_BYTES = 2**26  # how large it may be
TRIALS = 5  # places of a space at which the function may work


class Measured(NamedTuple):
    """What a trial has found."""

    results: dict[str, Result]
    seconds: float | None  # per state


def measured(
    function: Callable,
    space: Space,
    timed: bool = True,
    block: int | None = None,
    limit: float | None = None,
) -> Measured:
    """Compute a few states, no more than a block: the results' kinds and, if `timed`, the time per
    state."""
    most = space.count if block is None else block
    count = min(FEW, most)
    region, found = _works(function, space, count, limit)
    if not timed:
        return Measured(kinds_of(found), None)
    seconds = None
    while True:
        layout = layout_for(space, count)
        region = layout.region(_block_at(layout, space, region))
        states = int(np.prod([s.stop - s.start for s in region]))
        try:
            took = _seconds(function, space, region, limit)
            seconds = took / states
            if took > LONG_ENOUGH or states < count or count >= most:
                if count <= FEW:  # the first of a size compiles
                    seconds = _seconds(function, space, region, limit) / states
                return Measured(kinds_of(found), seconds)
        except Exception:  # which the block of these states will record
            return Measured(kinds_of(found), seconds)
        count = min(count * LARGER, most)


def _seconds(function, space, region, limit):
    """How long the function takes there."""
    with limited(limit):
        begin = time.perf_counter()
        called(function, space, region)
        return time.perf_counter() - begin


def _works(function, space, count, limit):
    """A region in which the function raises nothing, and what it returns there."""
    layout, error = layout_for(space, count), None
    last = layout.count - 1
    for number in sorted({k * last // (TRIALS - 1) for k in range(TRIALS)}):
        region = layout.region(number)
        try:
            with limited(limit):
                return region, called(function, space, region)
        except (Exception, SystemExit) as raised:
            error = error or raised
    raise error  # type: ignore[misc]


def _block_at(layout, space, region):
    """The block that has the first state of a region."""
    return layout.number(tuple(s.start // c for s, c in zip(region, layout.chunk, strict=True)))


def bytes_per_state(results: dict[str, Result], space: Space) -> int:
    """What is stored of a state."""
    own = sum(kind.bytes for kind in results.values())
    return own + sum(kind.bytes for kind in variables_stored(space).values())


def variables_stored(space: Space) -> dict[str, Result]:
    """Variables whose values are kept state by state."""
    if space.coordinates:
        return {}
    return kinds_of(space.values(layout_for(space, 1).region(0)))


def chosen_layout(space: Space, found: Measured, block: int | None) -> Layout:
    """Blocks of so many states, or such that one takes some seconds and is not too large."""
    if block is not None:
        return layout_for(space, block)
    states = BLOCK_SECONDS / max(found.seconds or 0.0, 1e-9)
    most = BLOCK_BYTES / max(bytes_per_state(found.results, space), 1)
    return layout_for(space, max(1, int(min(states, most, space.count))))


def estimated(space: Space, found: Measured, layout: Layout) -> Estimate:
    """The whole of a study."""
    size = space.count * bytes_per_state(found.results, space)
    if found.seconds is None:
        return Estimate(space.count, layout.count, size, None, None)
    each = found.seconds * min(layout.states, space.count)
    return Estimate(space.count, layout.count, size, found.seconds * space.count, each)


def estimate(function: Callable, space: Any, *, block: int | None = None) -> Estimate:
    """Estimate the size and duration of a study, by computing a few of its states.

    **Arguments:**

    - `function`, `space`, `block`: as of `px.sweep`.

    **Returns:** an `Estimate`; print it.

    **Raises:** the error of the function, if it fails for every state that was tried.

    **Example:**

    >>> def energy(speed, mass):
    ...     return {"energy": 0.5 * mass * speed**2}
    ...
    >>> space = px.sweeps.product(speed=np.arange(1000.0), mass=np.arange(1000.0))
    >>> estimate = px.sweeps.estimate(energy, space)
    >>> estimate.states
    1000000
    """
    space = as_space(space)
    found = measured(function, space, block=block)
    return estimated(space, found, chosen_layout(space, found, block))
