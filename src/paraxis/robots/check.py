"""Checks of a robot, and a warning about bodies that cannot exist.

Numbers are checked in arrays over all joints; a wrong one is then reported by name.
"""

import math
from collections import Counter

import numpy as np

from ..checks import counted, quoted
from ..errors import RobotError, RobotWarning, warn
from .coupling import check_couplings
from .friction import Friction, LinearBearing
from .inertia import Inertia, implausible_bodies
from .joint import SINGLE, SIZES, WORLD, checked_axis
from .joint_pose import NUMBERS, TURNING
from .numbers import array_of, rotations
from .pose import Pose
from .quaternions import OFF
from .shape import Shape
from .spring import Spring
from .tendon import check_tendons
from .transmission import Transmission

MOST = 5  # links that a warning names


def check(robot):
    """Raise if the robot is not valid; warn about bodies that cannot exist."""
    name, joints = quoted(robot.name), robot.joints
    if all(joint.kind == "fixed" for joint in joints):
        raise RobotError(f"robot {name} has no moving joint")
    if len(joints) != len(robot.inertias):
        found = counted(len(joints), "joint"), counted(len(robot.inertias), "inertia")
        raise RobotError(f"robot {name} has {' but '.join(found)}")
    _check_names(robot.joint_names, "joint")
    for i, joint in enumerate(joints):
        _check_joint(joint, i)
    _check_axes(joints)
    check_couplings(robot, SINGLE)
    check_tendons(robot, (*SINGLE, "helical"))
    _check_poses([joint.placement for joint in joints], lambda i: f"{_joint(joints[i])} placement")
    for joint, body in zip(joints, robot.inertias, strict=True):
        if not isinstance(body, Inertia):
            found = type(body).__name__
            raise RobotError(f"link of {_joint(joint)}: expected an Inertia, found {found}")
        if body.mass < 0:
            raise RobotError(
                f"link of {_joint(joint)} mass: expected a number >= 0, found {body.mass}"
            )
    _check_poses([robot.base], lambda _: f"robot {name} base")
    _check_placed(robot.frames, robot.n, "frame")
    _check_names([frame.name for frame in robot.frames], "frame")
    _check_shapes(robot.shapes, robot.n)
    if robot.warn:
        links = {frame.body: f" {quoted(frame.name)}" for frame in reversed(robot.frames)}
        bodies = {
            f"link{links.get(i, '')} of {_joint(joints[i])}": robot.inertias[i]
            for i in implausible_bodies(robot.inertias)
        }
        warn_of(f"robot {name}", [*_weightless(robot), *implausible(bodies)])


def _weightless(robot):
    """A robot that no torque is needed for: most likely its inertias were forgotten."""
    bare = all(body.is_massless() for body in robot.inertias)
    if bare and not any(joint.reflected_inertia for joint in robot.joints):
        yield (
            "no body that moves has mass or inertia, so all torques are zero and accelerations "
            "are undefined; give it inertias (robot.with_inertias), or warn=False for kinematics "
            "alone"
        )


def implausible(bodies):
    """A list of one sentence about those of {what: Inertia} that no solid body can have, or []."""
    reasons = {what: body.implausible() for what, body in bodies.items()}
    found = [f"{what}: {reason}" for what, reason in reasons.items() if reason]
    if not found:
        return []
    more = f"; {len(found) - MOST} more links" if len(found) > MOST else ""
    return [f"{'; '.join(found[:MOST])}{more}; computing with these inertias as given"]


def warn_of(what, sentences):
    """Warn once, with all the sentences, if there are any."""
    if sentences:
        several = len(sentences) > 1
        text = "; ".join(f"({k}) {s}" if several else s for k, s in enumerate(sentences, start=1))
        warn(f"{what}: {text}", RobotWarning)


def _check_names(names, what):
    if len(set(names)) != len(names):
        ((twice, _),) = Counter(names).most_common(1)
        raise RobotError(f"{what} {quoted(twice)}: the name is used twice")


def _check_joint(joint, i):
    if not isinstance(joint.parent, int) or not WORLD <= joint.parent < i:
        raise RobotError(
            f"{_joint(joint)} parent: expected {WORLD} or an earlier joint, found {joint.parent!r}"
        )
    if not joint.lower <= joint.upper:
        raise RobotError(
            f"{_joint(joint)} limits: expected lower <= upper, found {joint.lower} and "
            f"{joint.upper}"
        )
    for name in ("max_velocity", "max_effort"):
        if not getattr(joint, name) >= 0:
            found = getattr(joint, name)
            raise RobotError(f"{_joint(joint)} {name}: expected a number >= 0, found {found}")
    if joint.rotor_inertia < 0:
        found = joint.rotor_inertia
        raise RobotError(f"{_joint(joint)} rotor inertia: expected a number >= 0, found {found}")
    if not isinstance(joint.friction, Friction):
        found = type(joint.friction).__name__
        raise RobotError(f"{_joint(joint)} friction: expected a Friction, found {found}")
    if not isinstance(joint.transmission, Transmission):
        found = type(joint.transmission).__name__
        raise RobotError(f"{_joint(joint)} transmission: expected a Transmission, found {found}")
    if joint.spring is not None:
        _check_spring(joint)
    if joint.friction.bearings and joint.kind not in SINGLE:
        raise RobotError(
            f"{_joint(joint)} friction: bearings are for revolute and prismatic joints, not for "
            f"{joint.kind} ones; viscous, Coulomb and static friction are for all"
        )
    for bearing in joint.friction.bearings:
        if isinstance(bearing, LinearBearing) == joint.is_revolute:
            expected = "a journal or thrust bearing" if joint.is_revolute else "a linear bearing"
            found = type(bearing).__name__
            raise RobotError(f"{_joint(joint)} friction: expected {expected}, found a {found}")


def _check_spring(joint):
    if not isinstance(joint.spring, Spring):
        found = type(joint.spring).__name__
        raise RobotError(f"{_joint(joint)} spring: expected a Spring, found {found}")
    reference, (count, _) = joint.spring.reference, SIZES[joint.kind]
    if reference == 0.0:  # the neutral position of any kind
        return
    what, several = f"{_joint(joint)} spring reference", isinstance(reference, tuple)
    if (len(reference) if several else 1) != count:
        numbers = f"{count} numbers, {NUMBERS[joint.kind]}" if count > 1 else "a number"
        raise RobotError(f"{what}: expected {numbers}, found {reference}")
    if joint.kind in TURNING and abs(math.hypot(*reference[-4:]) - 1) > OFF:
        raise RobotError(f"{what}: expected a unit quaternion x, y, z, w, found {reference[-4:]}")


def _check_axes(joints):
    axes = array_of((joint.axis for joint in joints), len(joints), 3)
    with np.errstate(over="ignore"):
        wrong = ~(abs(np.vecdot(axes, axes) - 1) <= 2e-12)
    for joint in (joints[i] for i in np.flatnonzero(wrong)):
        checked_axis(joint.axis, _joint(joint))
        raise RobotError(f"{_joint(joint)} axis: expected a unit vector, found {joint.axis}")


def _check_poses(poses, what):
    """Raise unless each rotation is one; `what` names the pose of an index."""
    for i, pose in enumerate(poses):
        if not isinstance(pose, Pose):
            raise RobotError(f"{what(i)}: expected a Pose, found {type(pose).__name__}")
    given = rotations(poses)
    with np.errstate(over="ignore", invalid="ignore"):
        skewness = abs(given @ given.mT - np.eye(3)).max(axis=(1, 2), initial=0)
        wrong = ~(skewness < 1e-6) | ~(np.linalg.det(given) > 0)
    for i in np.flatnonzero(wrong):
        Pose.of(poses[i].rotation, poses[i].translation, what(i))


def _check_shapes(shapes, n):
    for shape in shapes:
        if not isinstance(shape, Shape):
            raise RobotError(f"shapes: expected each to be a Shape, found {type(shape).__name__}")
    _check_placed(shapes, n, "shape")


def _check_placed(things, n, what):
    """Raise unless each is on a body of `n`, or the world, with a pose there."""
    for thing in things:
        if not isinstance(thing.body, int) or not WORLD <= thing.body < n:
            raise RobotError(
                f"{what} {quoted(thing.name)} body: expected {WORLD} or the index of a joint, "
                f"found {thing.body!r}"
            )
    _check_poses([each.pose for each in things], lambda i: f"{what} {quoted(things[i].name)} pose")


def _joint(joint):
    return f"joint {quoted(joint.name)}"
