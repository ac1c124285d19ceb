"""Dynamics of chains so long that a chain is a row of numbers, not a program of its own."""

from ..later import namespace

_NAMES = {
    "chain_dynamics": "dynamics",
}
__all__ = list(_NAMES)
__getattr__, __dir__ = namespace(__name__, _NAMES)
