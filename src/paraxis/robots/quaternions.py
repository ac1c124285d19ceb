"""Where the quaternions of a robot's positions are, and whether they have unit length."""

from itertools import accumulate

import numpy as np

from ..checks import quoted
from ..errors import ArgumentError

OFF = 1e-6  # from unit length, which rounding does not explain


def quaternion_places(robot):
    """(joint, the slice of q) for each quaternion."""
    if robot.nq == robot.nv:
        return []
    ends = accumulate(joint.nq for joint in robot.joints)
    pairs = zip(robot.joints, ends, strict=True)
    return [(joint, slice(end - 4, end)) for joint, end in pairs if joint.nq != joint.nv]


def require_unit_quaternions(robot, q, name):
    """Raise if a quaternion in q (..., nq) has not unit length; NaN is left to others."""
    for joint, place in quaternion_places(robot):
        lengths = np.linalg.norm(q[..., place], axis=-1)
        if (abs(lengths - 1.0) > OFF).any():
            worst = lengths.flat[np.nanargmax(abs(lengths - 1.0))]
            raise ArgumentError(
                f"{name}: the quaternion of joint {quoted(joint.name)} must have length 1, found "
                f"{worst:.6g}; px.normalize(robot, q) makes it so"
            )
