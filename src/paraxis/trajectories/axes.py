"""The axes of a robot that trajectories move: a single joint for each number of q.

A trajectory has positions and their rates. So it is for joints whose velocities are these rates:
angles and lengths, of joints that follow others too, as they are no part of q, but no quaternions.
"""

from ..checks import quoted
from ..errors import ArgumentError
from ..robots.joint import LIMITED
from ..robots.refusals import open_tree
from ..robots.rows import rows_of


def axes_of(robot):
    """A joint of one degree of freedom for each number of q, with its limits and its drive."""
    open_tree(robot, "a trajectory")
    others = [joint for joint in robot.joints if joint.kind not in LIMITED]
    if others:
        names = ", ".join(f"{quoted(joint.name)} ({joint.kind})" for joint in others[:5])
        raise ArgumentError(
            f"robot {quoted(robot.name)}: trajectories take joints whose velocities are the rates "
            f"of their positions, and not {names}; robot.locked holds joints in place, and "
            "px.integrate moves them along a velocity"
        )
    return rows_of(robot).own_rows
