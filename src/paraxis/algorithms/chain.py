"""What an algorithm that is for chains only says to a tree."""

from ..errors import ArgumentError
from ..robot.joint import WORLD
from ..robot.robot import listing, quoted


def require_chain(robot, algorithm):
    """Raise unless every body of the model carries at most one joint."""
    found = robot.robot
    if found.branching:
        links = "; ".join(_branch(found, body) for body in found.branching)
        raise ArgumentError(
            f"algorithm {algorithm!r}: expected a chain, found a tree: "
            f"robot {quoted(found.name)} branches at {links}"
        )


def _branch(robot, body):
    carried = [joint.name for joint in robot.joints if joint.parent == body]
    return f"{_link(robot, body)}, which carries the joints {listing(carried)}"


def _link(robot, body):
    """What the description calls a body: its first frame, else the joint it hangs on."""
    for frame in robot.frames:
        if frame.body == body:
            return f"link {quoted(frame.name)}"
    return "the world" if body == WORLD else f"the link of joint {quoted(robot.joints[body].name)}"
