"""A hash of every number that affects the dynamics of a robot; names do not enter."""

import hashlib

import numpy as np

from .joint import KINDS
from .numbers import array_of, flat, rotations
from .spring import coefficients


def digest_of(robot):
    """As 64 hexadecimal digits."""
    joints, bodies, n = robot.joints, robot.inertias, robot.n
    seats = [joint.placement for joint in joints]
    drives = [part for joint in joints for part in (joint.friction, joint.transmission)]
    of_drive = {key: part.numbers for key, part in {id(part): part for part in drives}.items()}
    h = hashlib.sha256()
    for numbers in (
        np.fromiter((KINDS.index(joint.kind) or 1 for joint in joints), np.int8, n),
        np.fromiter((joint.parent for joint in joints), np.int64, n),
        rotations(seats),
        array_of((seat.translation for seat in seats), n, 3),
        array_of((joint.axis for joint in joints), n, 3),
        np.array([joint.second_axis for joint in joints if joint.second_axis is not None]),
        np.array([joint.pitch for joint in joints if joint.kind == "helical"]),
        *_couplings(robot),
        *_springs(robot),
        np.fromiter((joint.reflected_inertia for joint in joints), float, n),
        np.fromiter((body.mass for body in bodies), float, n),
        array_of((body.com for body in bodies), n, 3),
        array_of((body.about_com for body in bodies), n, 6),
        np.fromiter(flat(of_drive[id(part)] for part in drives), float),
        np.array((*robot.gravity, *robot.base.matrix.flat)),
        *_loops(robot),
    ):
        h.update(numbers)  # type: ignore[arg-type]
    return h.hexdigest()


def _couplings(robot):
    """Who follows whom, and how, as arrays."""
    names = {joint.name: i for i, joint in enumerate(robot.joints)}
    for i, joint in enumerate(robot.joints):
        if joint.coupling is not None:
            leaders = [names[leader] for leader in joint.coupling.leaders]
            several = () if isinstance(joint.coupling.leader, str) else (-len(leaders),)
            yield np.array((i, *several, *leaders, *joint.coupling.coefficients))


def _springs(robot):
    """What springs and tendons act on, and how, as arrays."""
    for i, joint in enumerate(robot.joints):
        if joint.spring is not None:
            stiffness = coefficients(joint.spring.stiffness)
            yield np.array((i, len(stiffness), *stiffness))
            yield np.array(joint.spring.reference)
    names = {joint.name: i for i, joint in enumerate(robot.joints)} if robot.tendons else {}
    for tendon in robot.tendons:
        yield np.array([(names[joint], arm) for joint, arm in tendon.arms])
        yield np.array((len(tendon.arms), *tendon.numbers))


def _loops(robot):
    """What is held together, and which joints torques act on, as arrays."""
    for loop in robot.loops:
        for frame in (loop.first, loop.second):
            yield np.array((frame.body, *frame.pose.matrix.flat))
        yield np.array((loop.constraints, *np.ravel(loop.constraint), *loop.stabilisation))
    if robot.independent is not None:
        yield np.array(sorted(map(robot.joint_index, robot.independent)), float)
