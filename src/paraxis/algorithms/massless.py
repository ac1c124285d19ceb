"""What forward dynamics says to a joint that moves nothing."""

from ..checks import quoted
from ..errors import RobotError
from ..scalar import known


def require_inertia(robot, i, inertia):
    """The inertia that joint i feels, unless it is a number and zero: then it has no reciprocal."""
    if known(inertia) == 0.0:
        raise moves_nothing(robot.robot, i)
    return inertia


def moves_nothing(robot, i):
    """The error about joint i."""
    return RobotError(
        f"robot {quoted(robot.name)}: joint {quoted(robot.joints[i].name)} moves nothing that has "
        "inertia along its axis, so its acceleration is not defined; give a link beyond it mass "
        "away from the axis or inertia about it, or the joint a rotor inertia"
    )
