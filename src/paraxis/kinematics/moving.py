"""Which joints move a frame, or close a loop, and which are to stay where they are."""

import numpy as np

from ..checks import listing, quoted
from ..errors import ArgumentError, RobotError
from ..robots.coupling import movers


def closers(robot, loop):
    """The joints that move the frames of a loop against each other."""
    first, second = ({*robot.path(frame.body)} for frame in (loop.first, loop.second))
    return movers(robot, first ^ second)


def with_loops(robot, moving, fixed):
    """Some joints with those that loops make move along with them, and these loops."""
    while True:
        loops = [loop for loop in robot.loops if moving & closers(robot, loop)]
        further = {i for loop in loops for i in closers(robot, loop)} - fixed
        if further <= moving:
            return moving, loops
        moving = moving | further


def checked_joints(robot, names):
    """The indices of joints that are named as fixed, sorted."""
    if isinstance(names, str):
        raise ArgumentError(f"fixed: expected a sequence of names, found {names!r}")
    try:
        found = {robot.joint_index(name) for name in names}
    except TypeError:
        raise ArgumentError(f"fixed: expected a sequence of names, found {names!r}") from None
    for i in found:
        if (own := robot.joints[i].coupling) is not None:
            raise RobotError(
                f"fixed: joint {quoted(robot.joints[i].name)} follows {listing(own.leaders)}, "
                "which must be named instead"
            )
    return tuple(sorted(found))


def places_of(robot, joints, size):
    """Where the numbers of some joints are among those of all; `size` is "nq" or "nv"."""
    ends = np.cumsum([0, *(getattr(joint, size) for joint in robot.joints)])
    return [k for i in joints for k in range(ends[i], ends[i + 1])]
