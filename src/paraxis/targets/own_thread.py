"""Calls that keep to the thread they are made in: whoever makes them uses the other cores.

A worker of Dask has as many tasks under way as it was given threads. A task whose kernel took all
cores of the machine would take them from the others.
"""

import threading
from contextlib import contextmanager

_here = threading.local()


@contextmanager
def own_thread():
    """Kernels that are called inside, and are not compiled for so many threads, use this one."""
    before = kept()
    _here.kept = True
    try:
        yield
    finally:
        _here.kept = before


def kept():
    """Whether this thread is in such a call."""
    return getattr(_here, "kept", False)
