"""Whether joints stay where they may go."""

from ..errors import ArgumentError
from ..robot.robot import a_robot
from .peaks import peaks

ROUNDING = 1e-9  # radians or metres beyond a limit that say nothing


def check_range(robot, trajectory):
    """An error that names the joint, the place and the time, where it leaves its range."""
    if a_robot(robot).n != trajectory.n:
        raise ArgumentError(f"robot: expected one with {trajectory.n} joints, found {robot.n}")
    for sign, limit in ((1, "upper"), (-1, "lower")):
        when, value = peaks(lambda t, sign=sign: sign * trajectory(t)[0], trajectory.knots)
        for joint, t, most in zip(robot.joints, when, value, strict=True):
            allowed = sign * getattr(joint, limit)
            if most > allowed + ROUNDING * max(1.0, abs(allowed)):
                raise ArgumentError(
                    f"joint {joint.name!r}: expected to stay within {joint.lower:g} .. "
                    f"{joint.upper:g}, found {sign * most:.6g} at {t:.4g} s"
                )


def check_in_range(robot, name, q):
    """The same for one place."""
    for joint, value in zip(robot.joints, q, strict=True):
        if not joint.lower - ROUNDING <= value <= joint.upper + ROUNDING:
            raise ArgumentError(
                f"{name}: joint {joint.name!r}: expected a value within {joint.lower:g} .. "
                f"{joint.upper:g}, found {value:.6g}"
            )
