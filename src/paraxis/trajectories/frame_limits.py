"""The limits of a frame that the joints carry along a line: its velocity and whole acceleration."""

import numpy as np

from ..api import bias_acceleration, jacobian
from .peaks import peaks
from .trajectory import Leg, Trajectory


def within_frame_limits(robot, frame, line, leg, velocity, acceleration):
    """The leg, slower if the frame itself is found to pass a limit anywhere on it.

    The profile was made for the line; the joints follow that almost, and not evenly so.
    """
    fast, turned = line.limited_parts

    def ratios(motion):
        J = jacobian(robot, motion.q, frame)
        bias = bias_acceleration(robot, motion.q, motion.qd, frame)
        twist = np.einsum("...ij,...j->...i", J, motion.qd)
        rise = np.einsum("...ij,...j->...i", J, motion.qdd) + bias
        # what the duration must grow by
        speeds = [_size(twist, part) / velocity for part in fast]
        rises = [np.sqrt(_size(rise, part) / acceleration) for part in turned]
        return np.stack([*speeds, *rises], axis=-1)

    factor = max(1.0, peaks(ratios, Trajectory([leg])).value.max())
    return Leg(leg.path, leg.profile.stretched(factor))


def _size(twist, part):
    """Of the angular part, 0, or of the linear one, 1."""
    return np.linalg.norm(twist[..., 3 * part : 3 * part + 3], axis=-1)
