"""Robots that a function does not support, refused by name, with what to do instead.

Each returns the argument `robot` if it is supported; `what` is what does not support it.
"""

from ..checks import listing, quoted
from ..errors import ArgumentError
from .joint import SINGLE
from .robot import Robot, a_robot


def open_tree(robot, what="this function") -> Robot:
    """For what knows no closed loops."""
    if a_robot(robot).loops:
        names = listing([loop.name for loop in robot.loops], 3)
        raise ArgumentError(
            f"robot {quoted(robot.name)}: {what} does not support closed loops, such as {names}; "
            "robot.without_loops() is the robot with all of them open"
        )
    return robot


def single_joints(robot, what="this function") -> Robot:
    """For what is defined for joints of one degree of freedom only."""
    if not a_robot(robot).has_single_joints:
        open_tree(robot, what)
        others = [joint for joint in robot.joints if joint.kind not in SINGLE or joint.coupling]
        kinds = {joint.name: "coupled" if joint.coupling else joint.kind for joint in others}
        names = ", ".join(f"{quoted(name)} ({kind})" for name, kind in [*kinds.items()][:5])
        raise ArgumentError(
            f"robot {quoted(robot.name)}: {what} takes independent joints of one degree of freedom "
            f"only, and not {names}; robot.locked holds joints in place, and px.load(..., "
            'couplings="independent") lets coupled ones move by themselves'
        )
    return robot


def unsprung(robot, what, losses=False) -> Robot:
    """For what knows no springs or, if `losses`, also no tendons."""
    sprung = [joint.name for joint in a_robot(robot).joints if joint.spring is not None]
    sprung += [tendon.name for tendon in robot.tendons if tendon.has_spring]
    if sprung:
        raise ArgumentError(
            f"robot {quoted(robot.name)}: {what} does not support springs, such as those of "
            f"{listing(sprung, 3)}; robot.without_springs() leaves them out, and px.spring_torques "
            "are the torques that they take"
        )
    if losses and robot.has_losses and robot.tendons:
        raise ArgumentError(
            f"robot {quoted(robot.name)}: {what} does not support friction of tendons, such as "
            f"{listing(robot.tendon_names, 3)}; dataclasses.replace(robot, tendons=()) leaves them "
            "out"
        )
    return robot


def without_bearings(robot, what="this function") -> Robot:
    """For what knows no friction that depends on the forces in bearings."""
    if a_robot(robot).has_bearings:
        names = listing([joint.name for joint in robot.joints if joint.friction.bearings], 3)
        raise ArgumentError(
            f"robot {quoted(robot.name)}: {what} does not support bearings, such as those of "
            f"{names}, whose friction depends on the forces in them; give the joints viscous and "
            "Coulomb friction instead (robot.with_drives)"
        )
    return robot
