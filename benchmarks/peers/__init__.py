"""The peers: Pinocchio, and C that CasADi generates, on batches of states; MuJoCo on steps; JAX.

Nothing here uses paraxis, so a benchmark or a test can hold the two side by side. Arrays are
float64 in C order, one state per row, joints in Pinocchio's velocity order; angles in radians.

A peer is imported when it is first asked for: not every machine has all of them.
"""

from importlib import import_module

_HOME = {
    "FILES": "robots",
    "LANES": "casadi_c",
    "LARGE": "robots",
    "ROBOTS": "robots",
    "STABILISATION": "mujoco_rollout",
    "CasadiPeer": "casadi_c",
    "FraxPeer": "frax_calls",
    "GridPeer": "grid_calls",
    "Links": "jax_newton_euler",
    "MujocoPeer": "mujoco_rollout",
    "PinocchioPeer": "pinocchio_calls",
    "TooSlow": "casadi_c",
    "all_robot_files": "robots",
    "best_time": "measure",
    "jax_ways": "jax_newton_euler",
    "keep": "keep",
    "machine": "machine",
    "relative_error": "measure",
    "robot_file": "robots",
}
__all__ = list(_HOME)


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"peers has no {name!r}")
    module = import_module(f".{_HOME[name]}", __name__)
    found = globals()[name] = getattr(module, name)
    return found
