"""A robot whose root link is free: a free joint in front of all others."""

from dataclasses import replace

from .inertia import NOTHING
from .joint import Joint


def with_floating_base(robot, name):
    """`robot` on a free joint; see Robot.with_floating_base."""
    joints = [replace(joint, parent=joint.parent + 1) for joint in robot.joints]
    frames = [replace(frame, body=frame.body + 1) for frame in robot.frames]
    return replace(
        robot,
        joints=(Joint(name, "free"), *joints),
        inertias=(robot.root, *robot.inertias),
        frames=frames,
        root=NOTHING,
        warn=False,
    )
