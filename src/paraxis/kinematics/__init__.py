"""Inverse kinematics in closed form, and the assembly of robots with closed loops."""

from ..later import namespace

_NAMES = {
    "close": "closing",
    "inverse_kinematics_solutions": "puma_solutions",
    "positioning_solutions": "positioning",
}
__all__ = list(_NAMES)
__getattr__, __dir__ = namespace(__name__, _NAMES)
