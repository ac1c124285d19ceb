"""A lock that a forked child finds free: the thread that held it is not there to release it."""

import functools
import os
import sys
import threading
import weakref

_made = weakref.WeakSet()


def exclusive():
    """A lock, for `with`.

    Python's own and no class around it: an interrupt between the lock and the `with` would leave
    it locked for ever, and only code in C has no such moment.
    """
    lock = threading.Lock()
    _made.add(lock)
    return lock


def _renew():
    for lock in _made:
        lock._at_fork_reinit()
    if sys.version_info < (3, 12):  # later ones have no lock
        _renew_cached_properties()


def _renew_cached_properties():
    """They have a lock each for all objects of a class, held while a value is made."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == __name__.partition(".")[0] and module is not None:
            for kind in list(vars(module).values()):
                for each in list(vars(kind).values()) if isinstance(kind, type) else ():
                    if isinstance(each, functools.cached_property):
                        each.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
