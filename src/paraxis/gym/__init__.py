"""Environments for learning: tasks of simulated robots, in gymnasium's form and in JAX's."""

from ..later import namespace

_NAMES = {
    "Task": "task",
    "balance": "balancing",
    "functional": "pure",
    "make": "making",
    "make_single": "making",
    "reach": "reaching",
    "walk": "walking",
}
__all__ = list(_NAMES)
__getattr__, __dir__ = namespace(__name__, _NAMES)
