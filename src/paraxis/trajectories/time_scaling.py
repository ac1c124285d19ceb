"""The factor by which a motion must be slowed down, or can be sped up, to just keep its limits.

Stretched evenly by a factor, rates fall by the factor and accelerations by its square. Torques
do not fall in proportion: gravity stays.
"""

import numpy as np

from ..errors import ArgumentError
from .limits import MET, Limits, drive_torques
from .loaded import axes
from .peaks import peaks, samples_of
from .smooth_pieces import Motion

LONGEST = 1e6  # a factor that is as good as standing still
CLOSE = 1e-12  # of a factor, relative


def smallest_stretch(robot, trajectory, max_velocity, max_acceleration, max_torque):
    """The smallest factor at which no limit is passed and one is met."""
    limits = Limits.of(robot, trajectory.n, max_velocity, max_acceleration, max_torque)
    factor = max(
        _largest_ratio(trajectory, "qd", limits.velocity),
        np.sqrt(_largest_ratio(trajectory, "qdd", limits.acceleration)),
    )
    if np.isfinite(limits.torque).any():
        factor = _with_torques(_Torques(robot, trajectory, limits.torque), factor)
    if factor == 0:
        raise ArgumentError("the trajectory meets none of the limits, however quick it is")
    return factor


def _largest_ratio(trajectory, derivative, limits):
    limited = np.isfinite(limits)
    if not limited.any():
        return 0.0

    def ratios(motion):
        return abs(getattr(motion, derivative)[..., limited]) / limits[limited]

    return peaks(ratios, trajectory).value.max()


class _Torques:
    """Torques of a stretched motion over their limits, at samples of the motion as it was."""

    def __init__(self, robot, trajectory, limits):
        self.robot, self.trajectory, self.limits = robot, trajectory, limits
        times, motion = samples_of(trajectory)
        self.times = times.ravel()
        self.samples = Motion(*(part.reshape(-1, trajectory.n) for part in motion))

    def ratios(self, factor, motion):
        q, qd, qdd = motion
        return abs(drive_torques(self.robot, q, qd / factor, qdd / factor**2)) / self.limits

    def allow(self, factor):
        return self.ratios(factor, self.samples).max() <= 1 + MET

    def take_in(self, peaks):
        """Let peaks that samples have missed be samples."""
        self.times = np.concatenate([self.times, peaks.t])
        both = zip(self.samples, peaks.motion, strict=True)
        self.samples = Motion(*map(np.concatenate, both))

    def impossible(self):
        ratios = self.ratios(LONGEST, self.samples)
        k, i = np.unravel_index(ratios.argmax(), ratios.shape)
        joint, limit = axes(self.robot)[i].name, self.limits[i]
        return ArgumentError(
            f"joint {joint!r}: even the slowest motion needs a torque of "
            f"{ratios[k, i] * limit:.6g}, beyond the limit {limit:g}, at "
            f"{self.times[k] / self.trajectory.duration:.1%} of the time"
        )


def _with_torques(torques, least):
    """The smallest factor, not below `least`, that torques allow."""
    while True:
        factor = _on_samples(torques, least)
        if factor == 0:
            return factor
        found = peaks(lambda motion, f=factor: torques.ratios(f, motion), torques.trajectory)
        if found.value.max() <= 1 + 5 * MET:
            return factor
        torques.take_in(found)
        least = factor * (1 + 5 * MET)  # so that it ends


def _on_samples(torques, least):
    """The same, looking at samples only: doubled and halved, then by bisection."""
    if least > 0 and torques.allow(least):
        return least
    allowed = max(1.0, least)
    while not torques.allow(allowed):
        if allowed > LONGEST:
            raise torques.impossible()
        allowed *= 2
    refused = allowed / 2
    while refused > least and torques.allow(refused):
        allowed, refused = refused, refused / 2
        if refused < 1 / LONGEST:  # nothing that moves has weight
            return least
    refused = max(refused, least)
    while allowed - refused > CLOSE * allowed:
        middle = (allowed + refused) / 2
        if torques.allow(middle):
            allowed = middle
        else:
            refused = middle
    return allowed
