"""Where a tree branches, in words, for what works on chains only."""

from ..checks import listing, quoted
from ..errors import ArgumentError
from .joint import WORLD

MOST = 12  # places that an error names


def branches(robot):
    """The bodies of `robot` that carry several joints, and which; nothing when it is a chain."""
    places = [_branch(robot, body) for body in robot.branching[:MOST]]
    if len(robot.branching) > MOST:
        places.append(f"{len(robot.branching) - MOST} more")
    return "; ".join(places)


def _branch(robot, body):
    carried = [joint.name for joint in robot.joints if joint.parent == body]
    return f"{link_name(robot, body)}, which carries the joints {listing(carried)}"


def link_name(robot, body):
    """What the description calls a body: its first frame, else the joint it hangs on."""
    for frame in robot.frames:
        if frame.body == body:
            return f"link {quoted(frame.name)}"
    return "the world" if body == WORLD else f"the link of joint {quoted(robot.joints[body].name)}"


def require_chain(robot, algorithm):
    """Raise unless every body of the model carries at most one joint."""
    found = robot.robot
    if found.branching:
        raise ArgumentError(
            f"algorithm {algorithm!r}: expected a chain, found a tree: "
            f"robot {quoted(found.name)} branches at {branches(found)}"
        )
