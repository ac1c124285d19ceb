"""A robot whose root link is free: a free joint in front of all others."""

from dataclasses import replace

from ..checks import quoted
from ..errors import RobotError
from .check import warn_of
from .inertia import NOTHING
from .joint import WORLD, Joint

NAME = "floating_base"


def moving(joints, name):
    """Raise if a robot that was read, and does not float, has no joint."""
    if not joints:
        raise RobotError(
            f"robot {quoted(name)} has no moving joint; load it with floating_base=True if it "
            "moves as a whole"
        )


def with_floating_base(robot, name):
    """`robot` on a free joint; see Robot.with_floating_base."""
    joints, inertias, frames = free_root(
        robot.joints, robot.inertias, robot.frames, robot.root, name, robot.name
    )
    parts = {"joints": joints, "inertias": inertias, "frames": frames, "root": NOTHING}
    loops = [loop.carried(_one_further) for loop in robot.loops]
    independent = robot.independent
    if independent is not None:  # nothing but a torque that is named can push the base
        independent = (name, *independent)
    return replace(robot, **parts, loops=loops, independent=independent, warn=False)


def free_root(joints, inertias, frames, root, name=NAME, of="robot"):
    """The parts of a robot on a free joint, which may be the only one."""
    free = [joint.name for joint in joints if joint.parent == WORLD and joint.kind == "free"]
    if free:
        raise RobotError(
            f"floating base: expected a robot whose root is fixed to the world, and not on the "
            f"free joint {quoted(free[0])}; load it without floating_base"
        )
    if root.is_massless() and sum(joint.parent == WORLD for joint in joints) <= 1:
        sentence = (
            "the root link, free to move, has no mass or inertia, so accelerations are undefined; "
            "give it some"
        )
        warn_of(f"robot {quoted(of)}", [sentence])
    joints = [replace(joint, parent=joint.parent + 1) for joint in joints]
    return [Joint(name, "free"), *joints], [root, *inertias], [*map(_one_further, frames)]


def _one_further(frame):
    return replace(frame, body=frame.body + 1)
