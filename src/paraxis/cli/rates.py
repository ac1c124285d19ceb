"""Safe sampling rates of stale-data policies: at one posture, or the least over random ones."""

import math
from dataclasses import dataclass

import numpy as np

from ..control.safe_periods import SafePeriod, safe_period
from ..control.simulated_period import SimulatedPeriod, simulated_safe_period
from ..control.speculation import speculate
from ..robots.scales import joint_scales

AROUND = 2.0  # simulated periods go from the predicted one divided by this to it times this
SEED = 1989  # of random postures
REACH = {True: (-math.pi, math.pi), False: (0.0, 1.0)}  # rad or m, of joints without a range
OFF = 1e-6  # of a radian, or of the robot's length: nearer, the arm rests at the posture


@dataclass(frozen=True)
class SafeRate:
    """The safe period of a policy at a posture; `simulated` if that was asked for."""

    policy: str
    predicted: SafePeriod
    simulated: SimulatedPeriod | None
    time_steps: int
    depth: int  # flops


@dataclass(frozen=True)
class LeastRate:
    """The least and the median safe period of a policy over postures; None where there is none.

    unstable: at how many of them no period is known to be stable.
    """

    policy: str
    least: float | None
    median: float | None
    unstable: int
    method: str
    time_steps: int
    depth: int


def middle_posture(robot):
    """The middle of each joint's range; 0 where it has none."""
    ranges = np.stack([robot.lower, robot.upper], axis=1)
    finite = np.isfinite(ranges).all(axis=1)
    return np.where(finite, np.where(finite[:, None], ranges, 0.0).mean(axis=1), 0.0)


def random_postures(robot, count):
    """(count, n), uniform in the joints' ranges, always the same."""
    ranges = [
        (joint.lower, joint.upper)
        if math.isfinite(joint.upper - joint.lower)
        else REACH[joint.is_revolute]
        for joint in robot.joints
    ]
    return np.random.default_rng(SEED).uniform(*np.transpose(ranges), (count, robot.nv))


def safe_rate(law, plant, posture, delay=0.0, missed=0, check=False):
    """The SafeRate of a Controller of a robot at a posture."""
    found = safe_period(plant, law, posture, delay_share=delay, missed_in_a_row=missed)
    simulated = None
    if check and found.period is not None:
        simulated = simulated_safe_period(
            plant,
            law,
            posture,
            shortest=found.period / AROUND,
            longest=found.period * AROUND,
            duration=_long_enough(found),
            delay_share=delay,
        )
    return SafeRate(law.policy.name, found, simulated, *_cost(law))


def least_rate(law, plant, postures, delay=0.0, missed=0):
    """The LeastRate of a Controller of a robot at postures (count, n)."""
    conditions = {"delay_share": delay, "missed_in_a_row": missed}
    found = [safe_period(plant, law, posture, **conditions) for posture in postures]
    periods = np.array([each.period or 0.0 for each in found])
    least, median = (float(edge) or None for edge in (periods.min(), np.median(periods)))
    unstable = int((periods == 0).sum())
    return LeastRate(law.policy.name, least, median, unstable, found[0].method, *_cost(law))


def _cost(law):
    program = speculate(law.robot, law.policy)
    return program.time_steps, program.depth().flops


def _long_enough(found):
    """Seconds in which errors under good control die out, so that they hide nothing."""
    short = found.shortest
    return 20.0 / max(-math.log(found.spectral_radius(short)) / short, 1e-3)


def rests_elsewhere(robot, found, posture):
    """Whether the arm comes to rest away from the posture, as its weight is not known well."""
    return bool((np.abs(found.posture - posture) / joint_scales(robot)).max() > OFF)
