"""Robots that move in time."""

from ..later import namespace

_NAMES = {
    "Run": "run",
}
__all__ = list(_NAMES)
__getattr__, __dir__ = namespace(__name__, _NAMES)
