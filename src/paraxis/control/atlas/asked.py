"""Arguments of maps of closed loops: gains, policies and a periodic motion."""

import numpy as np

from ...errors import ArgumentError
from ...robots.robot import a_robot
from ...simulation.simulator import positive
from ...trajectories.trajectory import Trajectory
from ..controller import computed_torque
from ..stale_policies import policies
from ..stale_policies import policy as as_policy
from .motion import CYCLE, swaying


def critical_gains(robot, kp, kd):
    """kp and kd, one of each per joint; without kd, damping is critical."""
    kp = computed_torque(a_robot(robot), kp, 0.0).kp
    if kp.ndim > 1 or not (kp > 0).all():
        raise ArgumentError(f"kp: expected a number > 0, or one per joint, found {kp.tolist()}")
    kd = computed_torque(robot, kp, 2 * np.sqrt(kp) if kd is None else kd).kd
    if kd.ndim > 1:
        raise ArgumentError(f"kd: expected a number, or one per joint, found shape {kd.shape}")
    return kp, kd


def certain_policies(given):
    """Policies with distinct names and without uncertain ages; all by default."""
    if given is None:
        given = policies()
    several = given if isinstance(given, list | tuple) else [given]
    chosen = [as_policy(each) for each in several]
    names = [policy.name for policy in chosen]
    if not chosen or len(set(names)) < len(names):
        raise ArgumentError(f"policies: expected one or more distinct names, found {names}")
    for policy in chosen:
        if any(len(cut.ages) > 1 for cut in policy.cuts):
            raise ArgumentError(
                f"policies: {policy.name!r} has uncertain ages, which are not predicted; "
                f"give it one age"
            )
    return chosen


def cyclic_motion(robot, motion, cycle):
    """A motion and its cycle in seconds; sines by default."""
    if motion is None:
        if cycle is not None:
            raise ArgumentError("cycle: only a motion takes this; give motion as well")
        return swaying(robot), CYCLE
    if isinstance(motion, Trajectory) or not callable(motion) or cycle is None:
        raise ArgumentError(
            "motion: expected a function of t (a Trajectory ends), with its period in seconds as "
            f"cycle, found {motion!r} and {cycle!r}"
        )
    return motion, positive(cycle, "cycle")
