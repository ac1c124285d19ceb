"""Optimal control: trajectories that cost least, thousands at once."""

from ..later import namespace

_NAMES = {
    "History": "solution",
    "Solution": "solution",
    "Solver": "solver",
    "Status": "search",
}
__all__ = list(_NAMES)
__getattr__, __dir__ = namespace(__name__, _NAMES)
