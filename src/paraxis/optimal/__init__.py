"""Optimal control: trajectories that cost least, thousands at once."""

from ..later import namespace

_NAMES = {
    "MPC": "mpc",
    "ClosedLoop": "closed_loop",
    "History": "solution",
    "Sampling": "sampling",
    "Solution": "solution",
    "Solver": "solver",
    "Status": "status",
    "Timing": "timing",
}
__all__ = list(_NAMES)
__getattr__, __dir__ = namespace(__name__, _NAMES)
