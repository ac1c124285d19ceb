"""The progress of a study: from its store, and live during a run."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from dataclasses import dataclass

from ..checks import counted, shown
from .amounts import duration_text
from .block import BEFORE, DONE, FAILED, Outcome
from .files import StoreError, files_at
from .layout import Layout
from .store import Store, found_at

RECENT = 200  # blocks whose rate gives the time left
OFTEN = 0.5  # seconds between lines


class SweepWarning(UserWarning):
    """A study in which blocks failed."""


@dataclass(frozen=True)
class Status:
    """The progress of a study.

    - `store`: the path or URL of the store.
    - `blocks`, `done`, `failed`: the numbers of all blocks, of committed and of failed ones.
    - `states`: the number of states of the study.
    - `errors`: the errors by number of block, one line each.

    **Example:**

    >>> def energy(speed, mass):
    ...     return {"energy": 0.5 * mass * speed**2}
    ...
    >>> study = px.sweep(energy, {"speed": [1.0, 2.0], "mass": [1.0, 3.0]}, "energy.zarr")
    >>> study.status.blocks, study.status.done, study.status.states
    (1, 1, 4)
    """

    store: str
    blocks: int
    done: int
    states: int
    errors: dict[int, str]

    @property
    def failed(self) -> int:
        """The number of blocks that failed and were not computed since."""
        return len(self.errors)

    @property
    def pending(self) -> int:
        """The number of blocks still to be computed."""
        return self.blocks - self.done - self.failed

    @property
    def complete(self) -> bool:
        """Whether all blocks are committed."""
        return self.done == self.blocks

    def __str__(self) -> str:
        text = f"{shown(self.store, 300)}: {self.done:,} of {counted(self.blocks, 'block')} done"
        if self.failed:
            text += f", {self.failed:,} failed"
        return text + (f", {self.pending:,} pending" if self.pending else "")


def status(store: str | os.PathLike) -> Status:
    """The progress of the study in a store, also while it runs.

    **Arguments:**

    - `store`: the path or URL of the store.

    **Returns:** a `Status`.

    **Raises:** `px.sweeps.StoreError` if there is no study.

    **Example:**

    >>> def energy(speed, mass):
    ...     return {"energy": 0.5 * mass * speed**2}
    ...
    >>> study = px.sweep(energy, {"speed": [1.0, 2.0], "mass": [1.0, 3.0]}, "energy.zarr")
    >>> px.sweeps.status("energy.zarr").complete
    True
    """
    found = found_at(files_at(store))
    if found is None:
        raise StoreError(f"{shown(store, 300)}: there is no study")
    return status_of(found)


def status_of(store: Store) -> Status:
    """The same of a store that is open."""
    done = store.done()
    errors = {k: each["error"] for k, each in store.errors().items() if k not in done}
    states = 1
    for length in store.layout.shape:
        states *= length
    return Status(str(store.files), store.layout.count, len(done), states, errors)


class Live:
    """A line on stderr while blocks are done; nothing unless stderr is a terminal.

    The time left follows from the rate at which blocks came lately, whatever slowed them.
    """

    def __init__(self, layout: Layout, done: int, failed: int):
        self._total, self._done, self._failed = layout.count, done, failed
        self._not_finite, self._shown = 0, 0.0
        self._came: deque[float] = deque([time.monotonic()], RECENT)
        self._visible = sys.stderr.isatty()

    def after(self, outcome: Outcome) -> None:
        """Count a block."""
        self._done += outcome.state in (DONE, BEFORE)
        self._failed += outcome.state == FAILED
        self._not_finite += outcome.not_finite
        now = time.monotonic()
        self._came.append(now)
        if self._visible and now - self._shown > OFTEN:
            self._shown = now
            sys.stderr.write(f"\r\x1b[K{self}")
            sys.stderr.flush()

    @property
    def seconds_left(self) -> float:
        """As long as the blocks that are left take at the rate of the last ones."""
        rate = (self._came[-1] - self._came[0]) / max(len(self._came) - 1, 1)
        return rate * (self._total - self._done - self._failed)

    def close(self) -> None:
        """Leave the line."""
        if self._visible and self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def __str__(self) -> str:
        text = f"{self._done:,} of {self._total:,} blocks"
        text += f", {self._failed:,} failed" if self._failed else ""
        text += f", {self._not_finite:,} numbers not finite" if self._not_finite else ""
        return f"{text}, {duration_text(self.seconds_left)} left"
