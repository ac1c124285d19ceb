"""The peers: Pinocchio, and C that CasADi generates, on batches of states; MuJoCo on steps.

Nothing here uses paraxis, so a benchmark or a test can hold the two side by side. Arrays are
float64 in C order, a state a row, joints in Pinocchio's velocity order; angles in radians.
"""

from .casadi_c import LANES, CasadiPeer, TooSlow
from .keep import keep
from .machine import machine
from .measure import best_time, relative_error
from .mujoco_rollout import STABILISATION, MujocoPeer
from .pinocchio_calls import PinocchioPeer
from .robots import ROBOTS, all_robot_files, robot_file

__all__ = [
    "LANES",
    "ROBOTS",
    "STABILISATION",
    "CasadiPeer",
    "MujocoPeer",
    "PinocchioPeer",
    "TooSlow",
    "all_robot_files",
    "best_time",
    "keep",
    "machine",
    "relative_error",
    "robot_file",
]
