"""The arms of this report, the policies that are compared on them, and how numbers are rounded."""

from dataclasses import replace
from functools import cache

from paraxis import load
from paraxis.control import computed_torque, policies
from paraxis.robots import planar

PAPER = "Hamilton 1996"
EXACT, BINDER_HERZOG = "exact", "binder_herzog"
TABLE_1, FIGURE_3 = READINGS = "hamilton", "hamilton_one_step"  # the two readings of the paper
COMPARED = (EXACT, BINDER_HERZOG, *READINGS)
STALE = COMPARED[1:]
# vuskovic without uncertain ages is binder_herzog once more
DISTINCT = tuple(name for name in policies() if name != "vuskovic")
PUMA, STANFORD, UR5 = "puma560", "stanford", "ur5"
NO_ROTORS = "puma560, no rotors"
PLANAR, WEIGHTLESS, ROTORS = "planar arm", "planar arm, no gravity", "planar arm, rotors"
ROTOR = 3.0  # kg m², seen from its joint: as heavy to turn as nine rods of the arm


@cache
def arm(name):
    """An arm by its name in this report, or a planar one by the weight of a link over the last."""
    if not isinstance(name, str):
        links = [planar(1, mass=name**i).inertias[0] for i in range(3)]
        return replace(planar(3), inertias=links, warn=False)
    if name == PLANAR:
        return planar(3)
    if name == WEIGHTLESS:
        return replace(planar(3), gravity=(0.0, 0.0, 0.0), warn=False)
    if name == ROTORS:
        return _with_rotors(planar(3), ROTOR)
    if name == NO_ROTORS:
        return _with_rotors(load(PUMA), 0.0)
    return load(name)


def _with_rotors(robot, inertia):
    joints = [replace(joint, rotor_inertia=inertia) for joint in robot.joints]
    return replace(robot, joints=joints, warn=False)


def control(name, policy, frequency, damping=1.0):
    """Computed-torque control of an arm with errors of that natural frequency, 1/s, and damping."""
    return computed_torque(arm(name), frequency**2, 2 * damping * frequency, policy)


def rounded(value, digits=2):
    """To so many digits: those that do not hang on a processor's rounding."""
    return float(f"{value:.{digits - 1}e}")
