"""The same robot with its body frames chosen so that dynamics cost least.

Torques do not depend on where a body's frame sits, as long as its joint axis stays put: the
frame may turn about that axis and slide along it. With z along the joint axis and x along the
common normal to the next axis, a seat is one rotation about x and one about z, whatever angles
the description used, and an offset has two components (Denavit and Hartenberg's observation).

The body of a joint of several degrees of freedom keeps its frame, along which it is said to move.
Exact in real arithmetic; in floats every constant moves by a rounding error. Named frames are
carried along, so the kinematics of a reframed robot is that of the original.
"""

import math
from dataclasses import replace

import numpy as np

from ..joint import WORLD, Row
from ..pose import LEFTOVER, Pose
from ..scales import built_length
from ..seat import align_z, decompose

SLIDE = 0.1  # sine of the angle between axes below which their common normal is too far away


def reframe(robot, slide=True):
    """An equal robot in cheaper body frames. `slide` also moves origins along the axes."""
    upright = [
        Pose() if isinstance(joint, Row) else Pose.of(align_z(joint.axis), (0, 0, 0))
        for joint in robot.joints
    ]
    seats = [
        between(upright, joint.parent, joint.placement, upright[i])
        for i, joint in enumerate(robot.joints)
    ]
    heir = {}  # the child whose axis a body's frame is turned to: the one with most descendants
    for i in sorted(range(robot.n), key=_descendants(robot).__getitem__):
        heir[robot.joints[i].parent] = i

    moved = [Pose() for _ in robot.joints]  # the new body frame in the upright one
    for i, joint in enumerate(robot.joints):
        if isinstance(joint, Row):  # its velocities are along the axes of its body
            continue
        slid = 0.0
        if slide and joint.parent != WORLD and isinstance(robot.joints[joint.parent], Row):
            slid = _slide_along(seats[i])
        elif slide and heir[joint.parent] == i and joint.parent != WORLD:
            slid = _slide(moved[joint.parent].inverse() @ seats[i])
        if i in heir:
            turn = _angle_to_normal(seats[heir[i]])
        else:
            turn = _angle_to_mass(robot.inertias[i].seen_from(upright[i].inverse()))
        c, s = math.cos(turn), math.sin(turn)
        moved[i] = Pose.of(((c, -s, 0), (s, c, 0), (0, 0, 1)), (0, 0, slid))

    shift = [a @ b for a, b in zip(upright, moved, strict=True)]
    placements = [
        between(moved, joint.parent, seats[i], moved[i]) for i, joint in enumerate(robot.joints)
    ]
    upended = [
        joint if isinstance(joint, Row) else replace(joint, axis=(0.0, 0.0, 1.0))
        for joint in robot.joints
    ]
    return in_frames(replace(robot, joints=upended, warn=False), placements, shift)


def in_frames(robot, placements, shift):
    """The same robot in other body frames: where they sit on their parents, and in the old ones."""
    placements, ground, length = list(placements), Pose(), built_length(robot)
    if len([joint for joint in robot.joints if joint.parent == WORLD]) == 1:
        # the root frame may stand anywhere: stand it in the first joint
        ground, placements[0] = placements[0], Pose()

    def moved(frame):
        shifted = ground if frame.body == WORLD else shift[frame.body]
        return replace(frame, pose=shifted.inverse() @ frame.pose)

    return replace(
        robot,
        joints=tuple(
            replace(joint, placement=_tidy_lengths(placement, length))
            for joint, placement in zip(robot.joints, placements, strict=True)
        ),
        inertias=tuple(
            _tidy_inertia(body.seen_from(pose.inverse()))
            for body, pose in zip(robot.inertias, shift, strict=True)
        ),
        frames=tuple(map(moved, robot.frames)),
        loops=tuple(loop.carried(moved) for loop in robot.loops),
        base=robot.base @ ground,
        warn=False,
    )


def between(frames, parent, seat, own):
    """A seat re-expressed between a parent's changed frame and the body's own changed frame."""
    return (frames[parent].inverse() @ seat if parent != WORLD else seat) @ own


def _descendants(robot):
    count = [1] * robot.n
    for i in reversed(range(robot.n)):
        if robot.joints[i].parent != WORLD:
            count[robot.joints[i].parent] += count[i]
    return count


def _angle_to_normal(seat):
    """How far to turn about z so that x lies along the common normal to the next axis."""
    (cos_b, sin_b), (_, sine), _ = decompose(np.array(seat.rotation))
    if abs(sine) > LEFTOVER:
        return math.atan2(sin_b, cos_b)
    x, y, _ = seat.translation  # parallel axes: any perpendicular is normal; take the offset
    return math.atan2(y, x) if math.hypot(x, y) > 0.0 else 0.0


def _angle_to_mass(body):
    """How far to turn about z so that the centre of mass of a last body has no y."""
    x, y, _ = body.com
    return math.atan2(y, x) if abs(y) > LEFTOVER * abs(x) else 0.0


def _slide(seat):
    """How far to slide a frame along its axis so that its offset loses a component."""
    axis = np.array(seat.rotation)[:, 2]
    _, y, z = seat.translation
    sine, cosine = -axis[1], axis[2]
    return y / sine if abs(sine) > SLIDE else -z / cosine


def _slide_along(seat):
    """The same on a parent whose frame is as it was: the component that the axis has most of."""
    axis = np.array(seat.rotation)[:, 2]
    k = np.argmax(abs(axis))
    return -seat.translation[k] / axis[k]


def _tidy_lengths(pose, length):
    """Drop lengths that are rounding errors of the lengths they came from, the robot's."""
    small = LEFTOVER * max(length, *map(abs, pose.translation))
    return Pose(pose.rotation, tuple(0.0 if abs(v) < small else v for v in pose.translation))


def _tidy_inertia(body):
    moments, arm = max(map(abs, body.about_com)), max(map(abs, body.com))
    return replace(
        body,
        com=tuple(0.0 if abs(v) < LEFTOVER * arm else v for v in body.com),
        about_com=tuple(0.0 if abs(v) < LEFTOVER * moments else v for v in body.about_com),
    )
