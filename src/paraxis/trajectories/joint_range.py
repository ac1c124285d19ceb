"""Whether joints stay within their position limits."""

from ..errors import ArgumentError
from ..robots.robot import single_joints
from ..robots.scales import joint_scales
from .peaks import peaks

ROUNDING = 1e-9  # of a radian, or of the robot's length: so little beyond a limit says nothing


def check_range(robot, trajectory):
    """Raise where a joint leaves its range, with its position and the time."""
    if single_joints(robot).n != trajectory.n:
        raise ArgumentError(f"robot: expected {trajectory.n} joints, found {robot.n}")
    scales = joint_scales(robot)
    for sign, limit in ((1, "upper"), (-1, "lower")):
        found = peaks(lambda motion, sign=sign: sign * motion.q, trajectory)
        each = zip(robot.joints, scales, found.t, found.value, strict=True)
        for joint, scale, t, most in each:
            allowed = sign * getattr(joint, limit)
            if most > allowed + ROUNDING * max(scale, abs(allowed)):
                raise ArgumentError(
                    f"joint {joint.name!r} leaves its range {joint.lower:g} .. {joint.upper:g}: it "
                    f"is at {sign * most:.6g} at {t:.4g} s"
                )


def check_in_range(robot, name, q):
    """The same for one state."""
    for joint, scale, value in zip(robot.joints, joint_scales(robot), q, strict=True):
        if not joint.lower - ROUNDING * scale <= value <= joint.upper + ROUNDING * scale:
            raise ArgumentError(
                f"{name}: joint {joint.name!r}: expected a value within {joint.lower:g} .. "
                f"{joint.upper:g}, found {value:.6g}"
            )
