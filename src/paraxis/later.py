"""Modules that are imported when first asked for, and not in the middle of a fork.

A child that is forked while another thread imports a module would wait for ever for that thread to
finish.
"""

import os
import threading
from importlib import import_module

_lock = threading.RLock()  # imports may cause others
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
    )


def imported(name, package):
    """The module, imported while no fork is under way."""
    with _lock:
        return import_module(name, package)
