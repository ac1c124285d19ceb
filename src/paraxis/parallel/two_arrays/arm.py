"""The numbers of a particular arm, in Fijany's frames: the memory of each processor."""

import numpy as np

from ...checks import listing
from ...errors import ArgumentError, RobotError
from ...physics.configuration import neutral
from ...physics.parts.joint_split import splits
from ...robots.equal.upright import upright, upright_frame
from ...robots.model import Model
from ...robots.refusals import open_tree, unsprung
from ...robots.rows import rows_of
from .joints import joints_of

ORTHONORMAL = 1e-9


class Arm:
    """A chain in one posture: `turns` has the rotation of each joint from its neutral position,
    in the previous frame."""

    def __init__(self, robot, q):
        rows = rows_of(robot)
        self.chain = upright(Model(rows), "two_array_plan")
        self.joints, self.tip = splits(self.chain), upright_frame(rows, rows.tool()).pose
        n = self.chain.n
        rest = [_pose(self.chain.transform(i, neutral(robot))) for i in range(n)]
        here = [_pose(self.chain.transform(i, q.tolist())) for i in range(n)]
        self.seats = [*rest, (np.array(self.tip.rotation), np.array(self.tip.translation))]
        self.turns = [seat.T @ turn for (seat, _), (turn, _) in zip(rest, here, strict=True)]
        self.travels = [
            (seat.T @ (there - origin))[2]
            for (seat, origin), (_, there) in zip(rest, here, strict=True)
        ]

    def before_joints(self, velocities):
        """Numbers per row, along the axes of their bodies, by joint, along the previous axes."""
        return [
            _turned(turn, velocities[[row for row, _ in joint.directions]])
            for turn, joint in zip(self.turns, self.joints, strict=True)
        ]

    def after_joints(self, found):
        """The inverse: in the order of the robot's rows."""
        velocities = np.empty(self.chain.nv)
        for turn, joint, each in zip(self.turns, self.joints, found, strict=True):
            velocities[[row for row, _ in joint.directions]] = _turned(turn.T, each)
        return velocities


def _turned(turn, numbers):
    """Rotates the numbers of a spherical joint; others have one number."""
    return turn @ numbers if len(numbers) == 3 else numbers


def _pose(X):
    return np.array([list(row) for row in X.turn.matrix()]), np.array(list(X.origin))


def given_values(arm, qd, tau, contact):
    """value -> block -> array, for the arm in one state; `contact` maps names to arrays."""
    chain, values = arm.chain, {}

    def give(name, block, value):
        values.setdefault(name, {})[block] = np.asarray(value, dtype=float)

    rates, torques = arm.before_joints(qd), arm.before_joints(tau)
    W = [_columns(joint.holding) for joint in arm.joints]
    H = [_columns([(k, 1.0) for _, k in joint.directions]) for joint in arm.joints]
    for i, body in enumerate(chain.inertia):
        turned, origin = arm.seats[i + 1]  # frame i+1 in body i
        com = turned.T @ list(body.com)
        about_com = turned.T @ [list(row) for row in body.about_com] @ turned
        inverse = np.linalg.inv(about_com)
        inverse_inertia = _inverse_inertia(inverse, com, body.mass)
        way = turned.T @ origin
        shift = np.block([[np.eye(3), _cross_matrix(way)], [np.zeros((3, 3)), np.eye(3)]])
        give("rotation", i, arm.turns[i])
        give("travel", i, arm.travels[i])
        give("seat", i, turned)
        give("com at rest", i, com)
        give("inverse about com", i, inverse)
        give("inverse mass", i, 1 / body.mass)
        give("mass", i, body.mass)
        give("inertia", i, about_com)
        give("arm at rest", i, way)
        give("rate", i, rates[i])
        give("torque", i, torques[i])
        give("H", i, H[i])
        give("W", i, W[i])
        give("yields", i, arm.joints[i].yields)
        seen = shift.T @ inverse_inertia @ shift
        if i == chain.n - 1:
            give("tip constant", i, inverse_inertia @ shift)
            give("inertia at tip", i, seen)
        else:
            give("nothing", i, np.zeros((W[i].shape[1], 6)))
            give("coupling constant", i, -(inverse_inertia @ shift) @ W[i + 1])
            give("inner inertia", i + 1, seen)
            give("outer H", i, H[i + 1])
            give("outer W", i, W[i + 1])
    give("rise", 0, -arm.seats[0][0].T @ list(chain.gravity))
    for name, value in contact.items():
        give(name, chain.n - 1, value)
    return values


def _columns(entries):
    """(6, k): the coordinate of each column's only entry, and that entry."""
    found = np.zeros((6, len(entries)))
    for column, (k, entry) in enumerate(entries):
        found[k, column] = entry
    return found


def type_one_contact(constraint, acceleration, motion, force):
    """The data of the contact for the last link's processor."""
    constraint = _floats("constraint", constraint)
    if constraint.ndim != 2 or len(constraint) != 6 or not 0 < constraint.shape[1] <= 6:
        raise ArgumentError(f"constraint: expected 6 rows, found shape {constraint.shape}")
    held = constraint.shape[1]
    motion = _numbers("motion", motion, (6, 6 - held), "six columns with those of constraint")
    both = np.hstack((constraint, motion))
    if not abs(both.T @ both - np.eye(6)).max() < ORTHONORMAL:
        raise ArgumentError("constraint and motion: the columns must be orthonormal")
    return {
        "constraint": constraint,
        "constraint acceleration": _numbers(
            "acceleration", acceleration, (held,), "one per column of constraint"
        ),
        "motion": motion,
        "motion force": _numbers("force", force, (6 - held,), "one per column of motion"),
    }


def _numbers(name, value, shape, why=""):
    value = _floats(name, value)
    if value.shape != shape:
        said = f", {why}" if why else ""
        raise ArgumentError(f"{name}: expected shape {shape}{said}, found {value.shape}")
    return value


def _floats(name, value):
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: expected an array of numbers, found {value!r}") from None


def numbers(name, value, size):
    return _numbers(name, value, (size,))


def planned_joints(robot):
    """The joints of a robot if it can be planned; otherwise an error that says why not."""
    unsprung(open_tree(robot, "the two-array plan"), "the two-array plan")
    if robot.branching:
        raise ArgumentError(f"robot {robot.name!r} branches; the two-array plan is for chains only")
    found = joints_of(robot)
    for joint, body in zip(robot.joints, robot.inertias, strict=True):
        if not body.mass > 0 or not np.linalg.eigvalsh(body.matrix)[0] > 0:
            raise RobotError(
                f"the link of joint {joint.name!r} has no positive definite inertia; the two-array "
                "plan inverts inertias"
            )
    return found


def require_planned(robot, joints):
    """Raise unless the robot's joints are those of the plan."""
    found = planned_joints(robot)
    if len(found) != len(joints):
        raise ArgumentError(f"robot: expected {len(joints)} joints, found {len(found)}")
    others = [joint.name for joint, a, b in zip(robot.joints, found, joints, strict=True) if a != b]
    if others:
        raise ArgumentError(
            f"robot {robot.name!r}: its joints {listing(others, 3)} are not those of the "
            "plan; create a plan for this robot with px.parallel.two_array_plan(robot)"
        )


def _inverse_inertia(inverse, com, mass):
    s = _cross_matrix(com)
    return np.block([[inverse, -inverse @ s], [s @ inverse, np.eye(3) / mass - s @ inverse @ s]])


def _cross_matrix(s):
    return np.cross(s, np.eye(3)).T
