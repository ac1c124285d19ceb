"""Joints that stay where they are while others are moved."""

from ..checks import quoted
from ..errors import ArgumentError, RobotError


def checked_joints(robot, names):
    """The indices of joints that are named as fixed, sorted."""
    if isinstance(names, str):
        raise ArgumentError(f"fixed: expected a sequence of names, found {names!r}")
    found = {robot.joint_index(name) for name in names}
    for i in found:
        if (own := robot.joints[i].coupling) is not None:
            raise RobotError(
                f"fixed: joint {quoted(robot.joints[i].name)} follows joint {quoted(own.leader)}; "
                "name that one"
            )
    return tuple(sorted(found))
