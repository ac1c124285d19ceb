"""Whether a motion returns to its start."""

import numpy as np

from ..robots.scales import joint_scales

RETURNS = 1e-6  # nearer, as a share of what is large there, a motion is back


def gaps_after(robot, begin, end, duration):
    """By how much positions and rates (..., 2, n) differ after `duration` seconds; 0 where back.

    A joint that turns may come back whole turns further on. Large are the positions and rates
    themselves; where these are small, a radian or the robot's length, and as much in the duration.
    """
    gaps = end - begin
    turns = np.array([joint.is_revolute for joint in robot.joints])
    whole = 2 * np.pi * np.rint(gaps[..., 0, :] / (2 * np.pi))
    gaps[..., 0, :] -= np.where(turns, whole, 0.0)
    least = joint_scales(robot) * np.array([[1.0], [1.0 / duration]])
    back = abs(gaps) <= RETURNS * np.maximum(abs(begin), least)
    return np.where(back, 0.0, gaps)
