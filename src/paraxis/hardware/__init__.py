"""CORDIC arithmetic and circuits built from it: from closed-form equations to hardware."""

from ..later import namespace

_NAMES = {
    "Chip": "chip.chip",
    "Circuit": "circuits.circuit",
    "Cordic": "cordic.processor",
    "Input": "tasks.tasks",
    "inverse_dynamics_chip": "chip.dynamics_chip",
    "inverse_dynamics_circuit": "circuits.dynamics_circuit",
    "inverse_kinematics_circuit": "circuits.kinematics_circuit",
    "reachable_poses": "circuits.accuracy",
    "shortest_word": "circuits.word_length",
}
__all__ = list(_NAMES)
__getattr__, __dir__ = namespace(__name__, _NAMES)
