"""A lock that a forked child finds free: the thread that held it is not there to release it."""

import os
import threading
import weakref

_made = weakref.WeakSet()


class Exclusive:
    """`with exclusive:` one thread at a time."""

    def __init__(self):
        self._lock = threading.Lock()
        _made.add(self)

    def __enter__(self):
        self._lock.acquire()

    def __exit__(self, *_):
        self._lock.release()


def _renew():
    for each in _made:
        each._lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
