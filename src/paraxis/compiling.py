"""A line on stderr for people who wait for a compiler.

Most functions compile in a fraction of a second, the derivatives of a humanoid in a minute. After
two seconds, and again later, the logger `paraxis` warns: what is compiled, at which stage, for how
long so far. Python writes warnings to stderr, unless the program configures `logging` otherwise:
`logging.getLogger("paraxis").setLevel("ERROR")` turns them off.
"""

import atexit
import logging
import threading
import time
from contextlib import contextmanager, suppress

NOTICES = 2.0, 10.0, 30.0  # seconds of a call after which it is named, and then every ...
INTERVAL = 60.0
LOGGER = "paraxis"
SWITCH = f'logging.getLogger("{LOGGER}").setLevel("ERROR") turns this off'

_log = logging.getLogger(LOGGER)
_thread = threading.local()  # .call: the _Call that this thread is in, if any
_ending = threading.Event()
_explained = threading.Event()  # once per process
atexit.register(_ending.set)  # a thread that prints while Python ends can crash it


class _Call:
    """One call by a user, which may compile several things, one inside another."""

    def __init__(self, what):
        self.what, self.spent, self.said = what, 0.0, 0
        self.stages = []  # (doing, note), the innermost last
        self._timer, self._began, self._lock = None, 0.0, threading.Lock()

    def begin(self):
        self._began = time.monotonic()
        with self._lock:
            self._arm()

    def end(self):
        with self._lock:
            self._timer.cancel()
            self._timer = None
        self.spent += time.monotonic() - self._began

    @property
    def _due(self):
        """Seconds of this call after which the next notice is given."""
        later = self.said - len(NOTICES)
        return NOTICES[self.said] if later < 0 else NOTICES[-1] + (later + 1) * INTERVAL

    def _arm(self):
        so_far = self.spent + time.monotonic() - self._began
        self._timer = threading.Timer(max(self._due - so_far, 0.0), self._say)
        self._timer.daemon = True
        with suppress(RuntimeError):  # no further thread can be started
            self._timer.start()

    def _say(self):
        """Give notice, in the timer's thread, and wait for the next."""
        with self._lock:
            if self._timer is not threading.current_thread() or _ending.is_set():
                return
            doing, note = self.stages[-1]
            text = f"paraxis: {doing} {self.what or 'a Program'} ({self._due:g} s so far{note})"
            if not _explained.is_set():
                text += f"; {SWITCH}"
            self.said += 1
            self._arm()
        with suppress(Exception):  # stderr may be closed or missing
            _log.warning("%s", text)
        _explained.set()


class one_call:
    """What is compiled inside is part of one call, about `what`: its notices count together."""

    __slots__ = ("_is_outermost", "_what")

    def __init__(self, what):
        self._what = what

    def __enter__(self):
        self._is_outermost = getattr(_thread, "call", None) is None  # the user's own
        if self._is_outermost:
            _thread.call = _Call(self._what)

    def __exit__(self, *_):
        if self._is_outermost:
            _thread.call = None


def hide_switch():
    """Where the user writes no Python, as on the command line, notices do without the switch."""
    _explained.set()


@contextmanager
def compiling(doing, note=""):
    """Around everything that may take long, and each of its stages; a timer gives notice meanwhile.

    A stage without a note has that of the stage around it.
    """
    with one_call(None):
        call = _thread.call
        is_outermost = not call.stages
        call.stages.append((doing, note or (call.stages[-1][1] if call.stages else "")))
        if is_outermost:
            call.begin()
        try:
            yield
        finally:
            if is_outermost:
                call.end()
            call.stages.pop()


def about(what):
    """Name what this thread is compiling, unless its call has a name already."""
    call = getattr(_thread, "call", None)
    if call is not None and call.what is None:
        call.what = what
