"""The time that a function may take."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import ParaxisError


class TimeLimit(ParaxisError):
    """A block that took longer than it may."""


def can_limit() -> bool:
    """Whether `limited` can end anything here: signals come to the main thread, and on Unix."""
    here = threading.current_thread() is threading.main_thread()
    return here and hasattr(signal, "setitimer")


@contextmanager
def limited(limit: float | None) -> Iterator[None]:
    """Raise in the function when time is up; in code that is not Python's, when it returns."""
    if limit is None or not can_limit():
        yield
        return

    def up(number, frame):
        raise TimeLimit(too_long(limit))

    before = signal.signal(signal.SIGALRM, up)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def too_long(limit: float) -> str:
    """What is said of such a block."""
    return f"the block took longer than its limit of {limit:g} s"
