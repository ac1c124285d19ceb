"""A block of a study: computed, written, committed; or its error recorded.

Whoever does it, once or again: the bytes are the same, so nothing is lost and nothing mixed when
two do.
"""

from __future__ import annotations

import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np

from ..errors import ArgumentError
from ..targets.blocks import Recipe
from .compute import called
from .files import Files, StoreError
from .limits import TimeLimit, can_limit, limited, too_long
from .results import check_same
from .space import Space
from .store import Store

LONGEST_TEXT = 4000  # characters of a traceback
DONE, FAILED, BEFORE = "done", "failed", "done before"


class Outcome(NamedTuple):
    """What became of a block."""

    number: int
    state: str  # DONE, FAILED or BEFORE
    seconds: float
    states: int = 0
    not_finite: int = 0  # numbers among the results
    error: str = ""


class Work:
    """What does blocks of a study, in any process.

    `expendable` is a process that may be ended when a block hangs: its scheduler starts another.
    """

    def __init__(
        self,
        function: Callable,
        space: Space,
        files: Files,
        root: bytes,
        limit: float | None,
        expendable: bool,
    ):
        self.function, self.space, self.limit = function, space, limit
        self.store, self.expendable = Store(files, root), expendable

    def __call__(self, number: int) -> Outcome:
        begin, store = time.perf_counter(), self.store
        store.check()
        if store.is_done(number):
            return Outcome(number, BEFORE, 0.0)
        known = store.error(number)
        if known is not None:  # another process hung here, or its machine died of it
            return Outcome(number, FAILED, 0.0, error=known["error"])
        region = store.layout.region(number)
        try:
            with self._within_limit(number):
                arrays = called(self.function, self.space, region)
                if not self.space.coordinates:
                    arrays |= self.space.values(region)
                check_same(arrays, store.results)
        except StoreError:
            raise
        except (Exception, SystemExit) as error:  # sys.exit() ends a block, and not the study
            store.failed(number, recorded(error))
            took = time.perf_counter() - begin
            return Outcome(number, FAILED, took, error=recorded(error)["error"])
        store.commit(number, arrays)
        states = int(np.prod([s.stop - s.start for s in region]))
        lost = sum(map(_not_finite, arrays.values()))
        return Outcome(number, DONE, time.perf_counter() - begin, states, lost)

    def _within_limit(self, number: int) -> AbstractContextManager[None]:
        if self.limit is None:
            return nullcontext()
        if self.expendable:
            return self._or_end(number)
        if not can_limit():
            raise StoreError("limit: blocks can only be ended in worker processes; give workers=1")
        return limited(self.limit)

    @contextmanager
    def _or_end(self, number: int) -> Iterator[None]:
        """End this process when time is up: nothing else stops code that does not return."""

        def end():
            self.store.failed(number, recorded(TimeLimit(too_long(self.limit))))
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

        timer = threading.Timer(self.limit, end)  # type: ignore[arg-type]
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def recorded(error: BaseException) -> dict[str, str]:
    """An error as it is kept: without addresses and times, so that bytes repeat."""
    text = "".join(traceback.format_exception(error))[-LONGEST_TEXT:]
    return {"error": f"{type(error).__name__}: {error}"[:LONGEST_TEXT], "traceback": text}


def _not_finite(array):
    if array.dtype.kind != "f":
        return 0
    with np.errstate(all="ignore"):
        if np.isfinite(array.sum()):  # one pass in place of two, and no memory
            return 0
    return int(array.size - np.isfinite(array).sum())


def recipe_of_work(label: str, *given: Any) -> Recipe:
    """The work as it travels to workers."""
    try:
        return Recipe(label, Work, *given)
    except ArgumentError as error:
        raise ArgumentError(f"function: {error}; make it from arguments that can") from None
