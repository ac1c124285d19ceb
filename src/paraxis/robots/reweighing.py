"""Other inertias for bodies of a robot, by the name of a joint or link."""

from collections.abc import Mapping
from dataclasses import replace

from ..checks import did_you_mean, listing, quoted
from ..errors import RobotError
from .check import implausible, warn_of
from .inertia import Inertia
from .joint import WORLD
from .pose import Pose


def with_inertias(robot, inertias):
    """`robot` with other inertias, {joint or link name: Inertia}; see Robot.with_inertias."""
    if not isinstance(inertias, Mapping):
        found = type(inertias).__name__
        raise RobotError(f"inertias: expected a mapping of names to Inertia, found {found}")
    given = {}  # index of a body: the name that was given
    bodies = dict(enumerate(robot.inertias)) | {WORLD: robot.root}
    for name, inertia in inertias.items():
        if not isinstance(inertia, Inertia):
            found = type(inertia).__name__
            raise RobotError(f"inertia of {quoted(name)}: expected an Inertia, found {found}")
        body, pose = _place(robot, name)
        if body in given:
            raise RobotError(
                f"inertias: {quoted(given[body])} and {quoted(name)} are parts of one body, whose "
                "inertia is one: add them up, and name one of the two"
            )
        given[body] = name
        bodies[body] = inertia.seen_from(pose)
    found = {f"inertia of {quoted(name)}": bodies[body] for body, name in given.items()}
    warn_of(f"robot {quoted(robot.name)}", implausible(found))
    root = bodies.pop(WORLD)
    return replace(robot, inertias=tuple(bodies.values()), root=root, warn=False)


def _place(robot, name):
    """The body of a joint or link of that name, and the pose of what it is given in."""
    as_joint = [(i, Pose()) for i, joint in enumerate(robot.joints) if joint.name == name]
    as_link = [(frame.body, frame.pose) for frame in robot.frames if frame.name == name]
    places = as_joint + as_link
    if not places:
        known = [*robot.joint_names, *robot.frame_names]
        raise RobotError(
            f"robot {quoted(robot.name)} has no joint or link {quoted(name)}; it has the joints "
            f"{listing(robot.joint_names)} and the links {listing(robot.frame_names)}"
            f"{did_you_mean(name, known)}"
        )
    if len(places) == 2 and as_joint != as_link:
        raise RobotError(
            f"inertias: {quoted(name)} is both a joint and a link of another body; name the body "
            "by its other name"
        )
    return places[0]
