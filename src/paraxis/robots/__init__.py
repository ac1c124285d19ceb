"""What a robot is, and the readers that make one."""

from ..later import namespace

_NAMES = {
    "Convention": "convention",
    "Coupling": "coupling",
    "Frame": "frame",
    "Friction": "friction",
    "Inertia": "inertia",
    "Joint": "joint",
    "JournalBearing": "friction",
    "LinearBearing": "friction",
    "Loop": "loop",
    "Pose": "pose",
    "ThrustBearing": "friction",
    "Transmission": "transmission",
    "chain": "zoo",
    "from_mujoco": "readers.mujoco_model",
    "from_pinocchio": "readers.pinocchio_model",
    "mujoco_convention": "readers.mujoco_model",
    "pinocchio_convention": "readers.pinocchio_model",
    "planar": "zoo",
    "random_states": "within_limits",
}
__all__ = list(_NAMES)
__getattr__, __dir__ = namespace(__name__, _NAMES)
