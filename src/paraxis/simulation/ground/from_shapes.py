"""`px.simulation.contact_points`: candidates for contact from a robot's collision shapes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from ...checks import integer, listing, quoted
from ...errors import ArgumentError, RobotWarning, warn
from ...physics.configuration import neutral
from ...physics.kinematics import body_poses
from ...physics.parts.ties import ties_of
from ...robots.joint import WORLD
from ...robots.model import Model
from ...robots.robot import Robot, a_robot
from ...robots.rows import rows_of
from .points import ContactPoint, Spot

SIGNS = tuple(product((-1.0, 1.0), repeat=3))
RIM = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))


def contact_points(
    robot: Robot, frames: Sequence[str] | None = None, most: int = 4
) -> tuple[ContactPoint, ...]:
    """Return points and spheres of a robot that may touch, from its collision shapes.

    A sphere stays one, a capsule becomes the spheres at its ends, a box its corners, a cylinder
    four points of each rim, an ellipsoid the ends of its axes, and a mesh whose vertices are known
    those that reach farthest along the eight diagonals. Between such points a shape is not felt.

    **Arguments:**

    - `robot`: the robot.
    - `frames`: names of frames, such as feet: only shapes called so are taken, or on the bodies of
      these frames where none is. By default all.
    - `most`: of each body, at most so many points are taken: those that are lowest when the robot
      is in its neutral position.

    **Returns:** a tuple of `px.simulation.ContactPoint`.

    One `px.RobotWarning` names the shapes that are left out: planes, and meshes that are files,
    which are not read. **Raises:** `px.ArgumentError` if no shape is left.

    **Example:**

    >>> brick = px.robots.Inertia(1.0, about_com=(0.01, 0.02, 0.03, 0.0, 0.0, 0.0))
    >>> shape = px.robots.Shape("brick", 0, px.robots.Pose(), "box", (0.4, 0.2, 0.1), "collision")
    >>> joint, frame = px.robots.Joint("base", "free"), px.robots.Frame("brick", 0)
    >>> robot = px.Robot("brick", [joint], [brick], [frame], shapes=[shape])
    >>> [point.position for point in px.simulation.contact_points(robot)]  # its lowest corners
    [(-0.2, -0.1, -0.05), (-0.2, 0.1, -0.05), (0.2, -0.1, -0.05), (0.2, 0.1, -0.05)]
    """
    a_robot(robot)
    integer("most", most)
    points: dict[int, list[ContactPoint]] = {}
    left_out = []
    for shape in _chosen(robot, frames):
        found = _extremes(shape)
        if not found:
            left_out.append(f"{shape.name} ({shape.kind})")
        frame = _frame_of(robot, shape)
        back = np.linalg.inv(_matrix(frame.pose))
        own = _matrix(shape.pose)
        for place, radius in found:
            position = (back @ own @ [*place, 1.0])[:3].tolist()
            position = tuple(0.0 if abs(x) < 1e-15 else x for x in position)
            points.setdefault(shape.body, []).append(ContactPoint(frame.name, position, radius))
    chosen = tuple(point for own in points.values() for point in _lowest(robot, own, most))
    what = f"robot {quoted(robot.name)}"
    missing = listing(list(dict.fromkeys(left_out)))
    if not chosen:
        why = f": {missing} cannot be used" if left_out else ""
        raise ArgumentError(
            f"{what} has no collision shapes to make contact points from{why}; give "
            f"px.simulation.ContactPoint(frame, position, radius) for each point"
        )
    if left_out:
        warn(
            f"{what}: contact_points leaves out {missing}, of which no points can be made; "
            f"they will pass through the ground",
            RobotWarning,
        )
    return chosen


def _chosen(robot, frames):
    """The collision shapes that are asked for, on bodies that move."""
    shapes = [s for s in robot.shapes if s.purpose == "collision" and s.body != WORLD]
    if frames is None:
        return shapes
    if isinstance(frames, str):
        raise ArgumentError(f"frames: expected a list of names, found {quoted(frames)}")
    chosen = []
    for name in frames:
        body = robot.frame(name).body
        called = [s for s in shapes if s.name == name]
        chosen += called or [s for s in shapes if s.body == body]
    return list({id(s): s for s in chosen}.values())


def _extremes(shape):
    """(place in the shape's frame, radius) of each point."""
    size = shape.size
    if shape.kind == "sphere":
        return [((0.0, 0.0, 0.0), size[0])]
    if shape.kind == "box":
        return [
            (tuple(s * x / 2 for s, x in zip(signs, size, strict=True)), 0.0) for signs in SIGNS
        ]
    if shape.kind == "capsule":
        return [((0.0, 0.0, s * size[1] / 2), size[0]) for s in (-1.0, 1.0)]
    if shape.kind == "cylinder":
        r, length = size
        return [((x * r, y * r, s * length / 2), 0.0) for s in (-1.0, 1.0) for x, y in RIM]
    if shape.kind == "ellipsoid":
        axes = np.eye(3) * np.asarray(size)
        return [(tuple(s * row), 0.0) for row in axes for s in (-1.0, 1.0)]
    if shape.kind == "mesh" and shape.vertices is not None and len(shape.vertices):
        vertices = np.asarray(shape.vertices, float)
        reached = dict.fromkeys(int(np.argmax(vertices @ np.array(signs))) for signs in SIGNS)
        return [(tuple(vertices[k].tolist()), 0.0) for k in reached]
    return []


def _frame_of(robot, shape):
    """A frame on the shape's body: the one it is called after, if there is one."""
    on_body = [frame for frame in robot.frames if frame.body == shape.body]
    called = [frame for frame in on_body if frame.name == shape.name]
    if not on_body:
        raise ArgumentError(
            f"shape {quoted(shape.name)} is on a body without a frame, so that no ContactPoint "
            f"can name it"
        )
    return (called or on_body)[0]


def _lowest(robot, points, most):
    """At most so many points of a body, lowest first; in the order they have, where all fit."""
    if len(points) <= most:
        return points
    model = Model(rows_of(robot))
    R, p = body_poses(model, ties_of(model, neutral(robot)).q)
    rows = rows_of(robot)

    def height(point):
        frame = robot.frame(point.frame)
        place = (_matrix(frame.pose) @ [*point.position, 1.0])[:3].tolist()
        spot = Spot(rows.groups[frame.body][-1], tuple(place), point.radius)
        up = -np.array(robot.gravity)
        return float(np.dot(up, [*spot.at(R, p)])) - point.radius * float(np.linalg.norm(up))

    kept = sorted(range(len(points)), key=lambda k: round(height(points[k]), 9))[:most]
    return [points[k] for k in sorted(kept)]


def _matrix(pose):
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = pose.rotation, pose.translation
    return matrix
