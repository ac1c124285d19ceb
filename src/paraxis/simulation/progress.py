"""A progress bar for long runs, shown when stderr is a terminal; and a way to end them."""

import sys
import threading
import time
from contextlib import contextmanager

PATIENCE = 1.0  # seconds before it appears
PIECE = 0.1  # seconds between looks at the clock and the keyboard
FIRST_PIECE = 64  # steps; twice as many each time, until they take long enough


_asked = threading.local()  # `.stop`: an Event of this thread


@contextmanager
def stopped_by(event):
    """Where no Ctrl-C reaches a thread: in it, long runs end as by one, once `event` is set."""
    before, _asked.stop = getattr(_asked, "stop", None), event
    try:
        yield
    finally:
        _asked.stop = before


class Progress:
    """Use as a context; `at(done)` moves it, and raises KeyboardInterrupt if the run is to end.
    Within one that is seen no other appears."""

    _seen = False

    def __init__(self, what, total):
        self.what, self.total, self._bar, self._task = what, total, None, None
        self._begin = time.monotonic()

    def __enter__(self):
        return self

    @property
    def watched(self):
        """Is it visible, or will it be if the run takes long?"""
        return self._bar is not None or (not Progress._seen and sys.stderr.isatty())

    def at(self, done):
        stop = getattr(_asked, "stop", None)
        if stop is not None and stop.is_set():
            raise KeyboardInterrupt
        if self._bar is None:
            if not self.watched or time.monotonic() - self._begin < PATIENCE:
                return
            from rich.console import Console
            from rich.progress import Progress as Bar

            self._bar = Bar(console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(self.what, total=self.total)
            self._bar.start()
            Progress._seen = True
        self._bar.update(self._task, completed=done)

    def __exit__(self, *error):
        if self._bar is not None:
            self._bar.stop()
            Progress._seen = False


def in_pieces(iteration, progress):
    """Advance to the end; from time to time the caller may look at the clock and the keyboard.

    On a GPU, steps are waited for only if the progress is watched.
    """
    piece = FIRST_PIECE
    while not iteration.over:
        begin = time.monotonic()
        iteration.advance(piece)
        if progress.watched:
            iteration.wait()
        if time.monotonic() - begin < PIECE / 2:
            piece *= 2
        yield
