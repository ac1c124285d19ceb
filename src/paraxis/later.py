"""Names that are imported on first use, and never during a fork.

A child that is forked while another thread imports a module would wait forever for that thread to
finish.
"""

import os
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

from .checks import did_you_mean

_lock = threading.RLock()  # imports may cause others
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
    )

TOP = __name__.rpartition(".")[0]  # the package, whose dir() lists its public names
OPTIONAL = ("jax", "torch")  # namespaces that are imported by name, as they need another package


def imported(name: str, package: str) -> ModuleType:
    """The module, imported while no fork is under way."""
    with _lock:
        return import_module(name, package)


def namespace(
    package: str, modules: dict[str, str], folders: tuple[str, ...] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """(__getattr__, __dir__) of a package that imports its public names when they are asked for.

    modules: name -> the module below the package that defines it. folders: its public namespaces.
    """

    def find(name: str) -> Any:
        if name in folders:
            return imported(f".{name}", package)
        if name in modules:
            value = getattr(imported(f".{modules[name]}", package), name)
            setattr(sys.modules[package], name, value)
            return value
        raise no_attribute(package, name, public)

    public = sorted({*modules, *folders})
    return find, lambda: public


def no_attribute(module: str, name: str, public: list[str]) -> AttributeError:
    """The error about a name that a module does not have, and where it may be found."""
    hint = ""
    if name in OPTIONAL:
        hint = f"; write import {TOP}.{name} first"
    elif not name.startswith("_"):
        hint = elsewhere(name) or did_you_mean(name, public)
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}")


def elsewhere(name: str) -> str:
    """Where a public name is, as the end of an error message; empty if there is none."""
    top = sys.modules[TOP]
    if name in dir(top):
        return f"; it is {TOP}.{name}"
    for space in getattr(top, "_NAMESPACES", ()):
        if name in dir(imported(f".{space}", TOP)):
            return f"; it is {TOP}.{space}.{name}"
    return ""
