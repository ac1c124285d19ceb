"""A line on stderr for people who wait for a compiler.

Most functions compile in a fraction of a second, the derivatives of a humanoid in many. Whoever
waits longer than two seconds reads what is being compiled, once per call, while it is compiled.
PARAXIS_QUIET=1 silences it.
"""

import atexit
import os
import sys
import threading
import time
from contextlib import contextmanager, suppress

PATIENCE = 2.0  # seconds
QUIET = "PARAXIS_QUIET"

_thread = threading.local()  # .call: the _Call that this thread is in, if any
_ending = threading.Event()
atexit.register(_ending.set)  # a thread that prints while Python ends can crash it


class _Call:
    """One call by a user, which may compile several things."""

    def __init__(self, what):
        self.what, self.spent = what, 0.0
        self.timing = self.said = False

    def say(self, doing, note):
        self.said = True
        if _ending.is_set():
            return
        what = self.what or "a Program"
        line = f"paraxis: {doing} {what} ({PATIENCE:g} s so far{note}). Silence: {QUIET}=1\n"
        with suppress(Exception):  # stderr may be closed or missing
            sys.stderr.write(line)
            sys.stderr.flush()


class one_call:
    """What is compiled inside is part of one call, about `what`: one notice is enough for it."""

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


@contextmanager
def compiling(doing="compiling", note=""):
    """Around everything that may take long; a timer gives notice while it does."""
    with one_call(None):
        call = _thread.call
        if call.timing or call.said or os.environ.get(QUIET, "0") not in ("", "0"):
            yield
            return
        timer = threading.Timer(max(PATIENCE - call.spent, 0.0), call.say, (doing, note))
        timer.daemon = True
        began, call.timing = time.monotonic(), True
        try:
            with suppress(RuntimeError):  # no further thread can be started
                timer.start()
            yield
        finally:
            timer.cancel()
            call.timing = False
            call.spent += time.monotonic() - began


def about(what):
    """Name what this thread is compiling, unless its call has a name already."""
    call = getattr(_thread, "call", None)
    if call is not None and call.what is None:
        call.what = what
