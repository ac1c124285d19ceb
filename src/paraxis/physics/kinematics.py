"""The poses and motions of a robot's frames.

Poses are in the world, in which the robot's base is placed. A motion is 6-D, angular part first, at
the frame's origin; its coordinates are along the world's axes or along the frame's own ("body").
Symbols: docs/concepts/notation.md.
"""

from ..robots.joint import WORLD
from ..spatial import (
    ZERO,
    ZERO3,
    Matrix,
    Rotation,
    Spatial,
    Transform,
    Turn,
    Vector,
    cross,
    cross_motion,
)


def forward_kinematics(robot, q, frame):
    """Return the frame's pose in the world, a 4x4 matrix by rows."""
    return frame_poses(robot, q, [frame])[0]


def frame_poses(robot, q, frames):
    """Return the poses of several frames."""
    R, p = body_poses(robot, q)
    return [_homogeneous(*_placed(R, p, frame)) for frame in frames]


def body_poses(robot, q):
    """The orientation of each body and the position of its origin, in the world."""
    R, p = {WORLD: robot.base_turn}, {WORLD: robot.base_origin}
    for i, parent in robot.outward:
        X = robot.transform(i, q)
        back = X.turn.T
        R[i] = Matrix(*(back @ row for row in R[parent]))  # R[parent] X.turn, row by row
        p[i] = p[parent] + R[parent] @ X.origin
    return R, p


def jacobian(robot, q, frame, coordinates):
    """Return J, by rows: the frame moves with J q̇."""
    columns = dict.fromkeys(range(robot.n), ZERO)
    R, p = {"body": _from_frame, "world": _from_world}[coordinates](robot, q, frame)
    for i in robot.path(frame.body):
        z = R[i] @ robot.axis[i]
        if robot.is_revolute[i]:
            columns[i] = Spatial(z, cross(z, p[i]))
        else:
            columns[i] = Spatial(ZERO3, z)
    return [list(row) for row in zip(*(columns[i].scalars() for i in range(robot.n)), strict=True)]


def _from_world(robot, q, frame):
    """The orientations of joints in the world, and the arms from their origins to the frame's."""
    R, p = body_poses(robot, q)
    _, end = _placed(R, p, frame)
    return R, {i: end - origin for i, origin in p.items()}


def _from_frame(robot, q, frame):
    """The same along the frame's own axes: inward from the frame, independent of the base."""
    turn = Rotation(*frame.pose.rotation).T
    R, arm = {frame.body: turn}, {frame.body: turn @ Vector(*frame.pose.translation)}
    for i in robot.path(frame.body):
        X, (_, up) = robot.transform(i, q), robot.outward[i]
        R[up] = Matrix(*(X.turn @ row for row in R[i]))  # R[i] X.turnᵀ, row by row
        arm[up] = arm[i] + R[up] @ X.origin
    return R, arm


def bias_acceleration(robot, q, qd, frame, coordinates):
    """Return J̇ q̇: the acceleration of the frame while the joints keep their rates."""
    v, a, coasting = {WORLD: ZERO}, {WORLD: ZERO}, robot.coast(qd)
    for i in reversed(robot.path(frame.body)):
        _, up = robot.outward[i]
        X, vj = robot.transform(i, q), robot.subspace[i] * qd[i]
        v[i] = X @ v[up] + vj
        a[i] = X @ a[up] + cross_motion(v[i], vj) + robot.subspace[i] * coasting[i]
    place = Transform(Turn(Rotation(*frame.pose.rotation)), Vector(*frame.pose.translation))
    velocity, acceleration = place @ v[frame.body], place @ a[frame.body]
    if coordinates == "world":  # of the point, not of the field of motion at its position
        acceleration = Spatial(
            acceleration.angular,
            acceleration.linear + cross(velocity.angular, velocity.linear),
        )
        turn, _ = _placed(*body_poses(robot, q), frame)
        acceleration = Spatial(turn @ acceleration.angular, turn @ acceleration.linear)
    return list(acceleration.scalars())


def _placed(R, p, frame):
    """A frame's orientation and origin in the world."""
    turn, origin = R[frame.body], p[frame.body]
    arm = Vector(*frame.pose.translation)
    return turn @ Rotation(*frame.pose.rotation), origin + turn @ arm


def _homogeneous(turn, origin):
    rows = [[*row, entry] for row, entry in zip(turn, origin, strict=True)]
    return [*rows, [0.0, 0.0, 0.0, 1.0]]
