"""From where a frame should be to where the joints should stand."""

from ..later import namespace

_NAMES = {
    "inverse_kinematics_solutions": "closed_form",
    "positioning_solutions": "positioning",
}
__all__ = list(_NAMES)
__getattr__, __dir__ = namespace(__name__, _NAMES)
