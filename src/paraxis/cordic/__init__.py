"""CORDIC arithmetic, and circuits made of it: from closed-form equations to hardware."""

from ..passes.cordic.tasks import Input
from .accuracy import reachable_poses
from .circuit import Circuit
from .dynamics_circuit import inverse_dynamics
from .kinematics_circuit import inverse_kinematics
from .processor import Cordic
from .word_length import shortest_word

__all__ = [
    "Circuit",
    "Cordic",
    "Input",
    "inverse_dynamics",
    "inverse_kinematics",
    "reachable_poses",
    "shortest_word",
]
