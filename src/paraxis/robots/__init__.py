"""What a robot is, and the readers that make one."""

from ..later import namespace

_NAMES = {
    "Coupling": "coupling",
    "Frame": "frame",
    "Friction": "friction",
    "Inertia": "inertia",
    "Joint": "joint",
    "JournalBearing": "friction",
    "LinearBearing": "friction",
    "Pose": "pose",
    "ThrustBearing": "friction",
    "Transmission": "transmission",
    "chain": "zoo",
    "planar": "zoo",
    "random_states": "within_limits",
}
__all__ = list(_NAMES)
__getattr__, __dir__ = namespace(__name__, _NAMES)
