"""Whether joints stay within their position limits."""

import numpy as np

from ..checks import counted
from ..errors import ArgumentError
from ..robots.rows import rows_of
from ..robots.scales import joint_scales
from .axes import axes_of
from .peaks import peaks

ROUNDING = 1e-9  # of a radian, or of the robot's length: so little beyond a limit says nothing


def check_range(robot, trajectory):
    """Raise where a joint leaves its range, with its position and the time."""
    axes, scales = axes_of(robot), joint_scales(rows_of(robot))
    if len(axes) != trajectory.n:
        expected = counted(trajectory.n, "joint")
        raise ArgumentError(f"robot: expected {expected}, found {len(axes)}")
    for sign, limit in ((1, "upper"), (-1, "lower")):
        found = peaks(lambda motion, sign=sign: sign * motion.q, trajectory)
        allowed = sign * getattr(robot, limit)
        beyond = found.value > allowed + ROUNDING * np.maximum(scales, abs(allowed))
        for k in np.flatnonzero(beyond):
            raise ArgumentError(
                f"joint {axes[k].name!r} leaves its range {_range(robot, k)}: it is at "
                f"{sign * found.value[k]:.6g} at {found.t[k]:.4g} s"
            )


def check_in_range(robot, name, q):
    """The same for one state."""
    axes, rounding = axes_of(robot), ROUNDING * joint_scales(rows_of(robot))
    for k in np.flatnonzero((q < robot.lower - rounding) | (q > robot.upper + rounding)):
        raise ArgumentError(
            f"{name}: joint {axes[k].name!r}: expected a value within {_range(robot, k)}, found "
            f"{q[k]:.6g}"
        )


def _range(robot, k):
    return f"{robot.lower[k]:g} .. {robot.upper[k]:g}"
