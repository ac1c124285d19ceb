"""Inverse kinematics in closed form: joint positions from where a frame should be."""

from ..later import namespace

_NAMES = {
    "inverse_kinematics_solutions": "puma_solutions",
    "positioning_solutions": "positioning",
}
__all__ = list(_NAMES)
__getattr__, __dir__ = namespace(__name__, _NAMES)
