"""The constants of a real arm, in Fijany's frames: what each processor has in its memory."""

import numpy as np

from ...errors import ArgumentError, RobotError
from ...robots.refusals import open_tree, unsprung
from ...robots.seat import align_z
from .links import HELD

ORTHONORMAL = 1e-9


def given_values(robot, q, qd, tau, contact):
    """value -> block -> array, for the arm in one state; `contact` maps names to arrays."""
    _require_plain_chain(robot)
    q, qd, tau = (
        _numbers(name, value, (robot.n,)) for name, value in (("q", q), ("qd", qd), ("tau", tau))
    )
    seats = _seats(robot)
    values = {}

    def give(name, block, value):
        values.setdefault(name, {})[block] = np.asarray(value, dtype=float)

    for i, body in enumerate(robot.inertias):
        turned, arm = seats[i + 1]  # frame i+1 in body i
        com = turned.T @ body.com
        about_com = turned.T @ body.matrix @ turned
        inverse = np.linalg.inv(about_com)
        inverse_inertia = _inverse_inertia(inverse, com, body.mass)
        way = turned.T @ arm
        shift = np.block([[np.eye(3), _cross_matrix(way)], [np.zeros((3, 3)), np.eye(3)]])
        last = i == robot.n - 1
        give("cosine", i, np.cos(q[i]))
        give("sine", i, np.sin(q[i]))
        give("seat", i, align_z(robot.joints[i].axis).T @ turned)
        give("com", i, com)
        give("inverse about com", i, inverse)
        give("inverse mass", i, 1 / body.mass)
        give("mass", i, body.mass)
        give("inertia", i, about_com)
        give("arm", i, way)
        give("rate", i, qd[i])
        give("torque", i, tau[i])
        seen = shift.T @ inverse_inertia @ shift
        if last:
            give("tip constant", i, inverse_inertia @ shift)
            give("inertia at tip", i, seen)
        else:
            give("nothing", i, np.zeros((5, 6)))
            give("coupling constant", i, -(inverse_inertia @ shift)[:, HELD])
            give("inner inertia", i + 1, seen)
    give("rise", 0, -seats[0][0].T @ np.array(robot.base.rotation).T @ robot.gravity)
    for name, value in contact.items():
        give(name, robot.n - 1, value)
    return values


def type_one_contact(constraint, acceleration, motion, force):
    """What the last link's processor knows of the contact."""
    constraint = np.asarray(constraint, dtype=float)
    if constraint.ndim != 2 or len(constraint) != 6 or not 0 < constraint.shape[1] <= 6:
        raise ArgumentError(f"constraint: expected 6 rows, found shape {constraint.shape}")
    held = constraint.shape[1]
    motion = _numbers("motion", motion, (6, 6 - held))
    both = np.hstack((constraint, motion))
    if not abs(both.T @ both - np.eye(6)).max() < ORTHONORMAL:
        raise ArgumentError("constraint and motion: the columns must be orthonormal")
    return {
        "constraint": constraint,
        "constraint acceleration": _numbers("acceleration", acceleration, (held,)),
        "motion": motion,
        "motion force": _numbers("force", force, (6 - held,)),
    }


def _numbers(name, value, shape):
    value = np.asarray(value, dtype=float)
    if value.shape != shape:
        raise ArgumentError(f"{name}: expected shape {shape}, found {value.shape}")
    return value


def _require_plain_chain(robot):
    unsprung(open_tree(robot, "the two-array plan"), "the two-array plan")
    if robot.branching:
        raise ArgumentError(f"robot {robot.name!r} branches; the two-array plan is for chains only")
    for joint, body in zip(robot.joints, robot.inertias, strict=True):
        if not joint.is_revolute:
            raise RobotError(
                f"joint {joint.name!r} is {joint.kind}; the two-array plan is for revolute joints "
                "only"
            )
        if joint.reflected_inertia:
            raise RobotError(
                f"joint {joint.name!r} has a reflected inertia of {joint.reflected_inertia}; the "
                "two-array plan cannot include rotors"
            )
        if not body.mass > 0 or not np.linalg.eigvalsh(body.matrix)[0] > 0:
            raise RobotError(
                f"the link of joint {joint.name!r} has no positive definite inertia; the two-array "
                "plan inverts inertias"
            )


def _seats(robot):
    """Each joint's frame in the body it stands on, and last the tip's: (rotation, origin)."""
    seats = [
        (np.array(joint.placement.rotation) @ align_z(joint.axis), joint.placement.translation)
        for joint in robot.joints
    ]
    tip = robot.tool().pose
    return [*seats, (np.array(tip.rotation), tip.translation)]


def _inverse_inertia(inverse, com, mass):
    s = _cross_matrix(com)
    return np.block([[inverse, -inverse @ s], [s @ inverse, np.eye(3) / mass - s @ inverse @ s]])


def _cross_matrix(s):
    return np.cross(s, np.eye(3)).T
