"""A few threads that wait for native work. They are started once and cost microseconds to wake."""

import os
import threading
from functools import partial


def available():
    """How many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        return os.cpu_count() or 1


class _Worker:
    def __init__(self):
        self._start = threading.Lock()
        self._start.acquire()
        self._task = self._finished = None
        threading.Thread(target=self._loop, name="paraxis", daemon=True).start()

    def _loop(self):
        while True:
            self._start.acquire()
            finished = self._finished
            try:
                self._task()
            finally:
                self._task = None
                finished.release()

    def begin(self, task):
        # A lock for each task, so that waiting can be broken off at any point and taken up again.
        self._finished = threading.Lock()
        self._finished.acquire()
        self._task = task
        self._start.release()

    def wait(self):
        if self._task is not None:
            self._finished.acquire()


_idle, _guard = [], threading.Lock()


def _forget():
    """After a fork the child has none of the parent's threads."""
    global _guard
    _idle.clear()
    _guard = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def run_together(function, argument, threads):
    """Call `function(argument)` on `threads` threads, this one among them; wait for all.

    The function must be native code that releases the interpreter lock and shares out the
    work by itself.
    """
    with _guard:
        workers = [_idle.pop() if _idle else _Worker() for _ in range(threads - 1)]
    task = partial(function, argument)
    try:
        for worker in workers:
            worker.begin(task)
        function(argument)
    finally:
        _wait_for(workers)
        with _guard:
            _idle.extend(workers)


def _wait_for(workers):
    try:
        for worker in workers:
            worker.wait()
    except BaseException:  # Ctrl-C: they are still at work on the caller's arrays
        _wait_for(workers)
        raise
