"""The motion of the first frame of a closed loop relative to the second.

Relative to the second frame, a loop is a chain: inward from that frame to the body that carries
both, and then outward to the first. Joints on the inward part move in reverse; those that carry
both frames are not involved. Poses, velocities and accelerations are thus those of a chain, all
along the axes of the second frame, and 6-D vectors are at the first frame's origin, angular part
first. To assemble a robot, `closing` computes the gaps and their slopes. Symbols:
docs/concepts/notation.md.
"""

from typing import NamedTuple

from ...spatial import ZERO, ZERO3, Matrix, Rotation, Spatial, Vector, cross
from ..linear.dense import dot


class Seen(NamedTuple):
    """The first frame of a loop relative to the second."""

    turn: Matrix
    way: Vector  # to its origin
    columns: dict  # joint -> how it moves per unit of rate, in the order of the chain


def closing(robot, q, loop):
    """The gaps of a loop along its directions, and their slopes by the joints' rates.

    Both are lists of generic scalars, with an entry per direction: rad (a chord, 2 sin θ/2) or m,
    and rows of robot.nv. Slopes are exact if the loop is closed, and suitable for iteration nearby.
    `robot` is the Model of rows (robots/rows.py) to which the loop belongs.
    """
    seen = seen_from_second(robot, q, loop)
    J = jacobian(robot, seen)
    rows = [
        [dot(direction, column) for column in zip(*J, strict=True)] for direction in along(loop)
    ]
    return loop.error(seen.turn, seen.way), rows


def along(loop):
    """The directions of a loop, six numbers each."""
    return [list(direction) for direction in zip(*loop.constraint, strict=True)]


def seen_from_second(robot, q, loop):
    """Return the first frame of a loop as Seen from the second."""
    first, second = loop.first, loop.second
    inward, outward = between(robot, loop)
    turn = Rotation(*second.pose.rotation).T
    R, p = {second.body: turn}, {second.body: -(turn @ Vector(*second.pose.translation))}
    for i in inward:
        X, (_, up) = robot.transform(i, q), robot.outward[i]
        R[up] = Matrix(*(X.turn @ row for row in R[i]))  # R[i] X.turnᵀ, row by row
        p[up] = p[i] - R[up] @ X.origin
    for i in outward:
        X, (_, up) = robot.transform(i, q), robot.outward[i]
        R[i] = Matrix(*(X.turn.T @ row for row in R[up]))  # R[up] X.turn, row by row
        p[i] = p[up] + R[up] @ X.origin
    end = p[first.body] + R[first.body] @ Vector(*first.pose.translation)

    def column(i):
        z = R[i] @ robot.axis[i]
        return Spatial(z, cross(z, end - p[i])) if robot.is_revolute[i] else Spatial(ZERO3, z)

    columns = {i: -column(i) for i in inward} | {i: column(i) for i in outward}
    return Seen(R[first.body] @ Rotation(*first.pose.rotation), end, columns)


def between(robot, loop):
    """The joints from the second frame inward, and from there outward to the first."""
    there, here = robot.path(loop.first.body), robot.path(loop.second.body)
    inward = [i for i in here if i not in there]
    return inward, [i for i in reversed(there) if i not in here]


def jacobian(robot, seen):
    """J, by rows: the first frame moves with J q̇."""
    columns = (seen.columns.get(i, ZERO).scalars() for i in range(robot.nv))
    return [list(row) for row in zip(*columns, strict=True)]


def coasting(seen, qd):
    """J̇ q̇: the acceleration of the first frame while the joints keep their rates.

    A joint's column turns with the previous joints in the chain, and its arm to the frame's origin
    changes with the joint itself and those after it.
    """
    steps = {i: column * qd[i] for i, column in seen.columns.items()}
    ω, beyond = ZERO3, sum((step.linear for step in steps.values()), ZERO3)
    total = ZERO
    for step in steps.values():
        turned = cross(ω, step.linear) + cross(step.angular, beyond)
        total = total + Spatial(cross(ω, step.angular), turned)
        ω, beyond = ω + step.angular, beyond - step.linear
    return list(total.scalars())
