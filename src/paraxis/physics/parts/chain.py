"""What an algorithm that is for chains only says to a tree."""

from ...checks import quoted
from ...errors import ArgumentError
from ...robots.branching import branches


def require_chain(robot, algorithm):
    """Raise unless every body of the model carries at most one joint."""
    found = robot.robot
    if found.branching:
        raise ArgumentError(
            f"algorithm {algorithm!r}: expected a chain, found a tree: "
            f"robot {quoted(found.name)} branches at {branches(found)}"
        )
