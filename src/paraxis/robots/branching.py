"""Where a tree branches, in words, for errors of functions that need a chain."""

from ..checks import listing, quoted
from ..errors import ArgumentError
from .joint import WORLD

MOST = 12  # branches that an error names


def branches(robot):
    """The bodies of `robot` that carry several joints, and which; "" for a chain."""
    found = [_branch(robot, body) for body in robot.branching[:MOST]]
    if len(robot.branching) > MOST:
        found.append(f"{len(robot.branching) - MOST} more")
    return "; ".join(found)


def _branch(robot, body):
    carried = [joint.name for joint in robot.joints if joint.parent == body]
    return f"{link_name(robot, body)}, which carries the joints {listing(carried)}"


def link_name(robot, body):
    """The name of a body: that of its first frame, else that of its joint."""
    for frame in robot.frames:
        if frame.body == body:
            return f"link {quoted(frame.name)}"
    return "the world" if body == WORLD else f"the link of joint {quoted(robot.joints[body].name)}"


def require_chain(robot, algorithm):
    """Raise unless every body of the model carries at most one joint."""
    found = robot.described
    if found.branching:
        raise ArgumentError(
            f"algorithm {algorithm!r} works on chains only, but robot {quoted(found.name)} "
            f"branches at {branches(found)}"
        )
