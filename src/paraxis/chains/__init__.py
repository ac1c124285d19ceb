"""Dynamics of long chains, whose links are rows of an array instead of a Program of their own."""

from ..later import namespace

_NAMES = {
    "chain_dynamics": "dynamics",
    "constraint_factors": "factors",
}
__all__ = list(_NAMES)
__getattr__, __dir__ = namespace(__name__, _NAMES)
