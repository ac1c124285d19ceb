"""Whether joints stay within their position limits."""

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
        each = zip(axes, scales, found.t, found.value, strict=True)
        for joint, scale, t, most in each:
            allowed = sign * getattr(joint, limit)
            if most > allowed + ROUNDING * max(scale, abs(allowed)):
                raise ArgumentError(
                    f"joint {joint.name!r} leaves its range {joint.lower:g} .. {joint.upper:g}: it "
                    f"is at {sign * most:.6g} at {t:.4g} s"
                )


def check_in_range(robot, name, q):
    """The same for one state."""
    scales = joint_scales(rows_of(robot))
    for joint, scale, value in zip(axes_of(robot), scales, q, strict=True):
        if not joint.lower - ROUNDING * scale <= value <= joint.upper + ROUNDING * scale:
            raise ArgumentError(
                f"{name}: joint {joint.name!r}: expected a value within {joint.lower:g} .. "
                f"{joint.upper:g}, found {value:.6g}"
            )
