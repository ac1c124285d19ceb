"""What a robot looks like that has no shapes: capsules along its links, drums about its joints.

A capsule leads from a body's joint to each joint that the body carries, and at a tip to its frame,
or as far beyond its centre of mass as the joint is before it.
"""

import math

import numpy as np

from ..robots.joint import REVOLUTE, WORLD
from ..robots.pose import Pose
from .part import Part

THICK, THIN = 0.05, 0.022  # radii of capsules at the root and the tips, of the robot's size
DRUM = 1.22, 1.22  # radius and half length of a drum, of the capsule's radius
SHORT = 0.6  # of its radius: a link that is no longer is hidden by drums


def size_of(robot):
    """About how far the robot reaches, m: its longest path, and no less than its largest body."""
    reach = [0.0] * robot.n
    ends = []
    for i, joint in enumerate(robot.joints):
        before = 0.0 if joint.parent == WORLD else reach[joint.parent]
        first = joint.parent == WORLD and joint.kind == "free"
        reach[i] = before + (0.0 if first else math.hypot(*joint.placement.translation))
        ends.append(reach[i] + max((math.hypot(*end) for end in _tips(robot, i)), default=0.0))
        ends[-1] = max(ends[-1], 2.0 * _radius_of_gyration(robot.inertias[i]))
    sliding = [joint.upper - joint.lower for joint in robot.joints if joint.kind == "prismatic"]
    return max(ends) + sum(each for each in sliding if math.isfinite(each)) or 1.0


def skeleton(robot):
    """The parts of all bodies."""
    size, parts = size_of(robot), []
    carried = {i: [] for i in range(WORLD, robot.n)}
    for i, joint in enumerate(robot.joints):
        carried[joint.parent].append(i)
    depth, height = _levels(robot, carried)
    root = THICK * size
    for i, joint in enumerate(robot.joints):
        share = depth[i] / max(depth[i] + height[i], 1)
        radius = size * (THICK + share * (THIN - THICK))
        ends = [robot.joints[k].placement.translation for k in carried[i]]
        for end in ends or _tips(robot, i):
            parts += _capsule(i, end, radius)
        parts += _drum(i, joint, radius)
        if joint.kind == "free":
            parts += _box(robot.inertias[i], i, "skeleton")
    for i in carried[WORLD]:
        if robot.joints[i].kind != "free":
            parts += _capsule(WORLD, robot.joints[i].placement.translation, root)
    if any(robot.joints[i].kind != "free" for i in carried[WORLD]):
        foot = Pose.of(np.eye(3), (0, 0, -0.15 * root))
        parts.append(Part("skeleton", WORLD, "cylinder", (2.1 * root, 0.3 * root), foot))
    return parts


def inertia_boxes(robot):
    """For each body with mass the solid box that has its inertia."""
    return [part for i, body in enumerate(robot.inertias) for part in _box(body, i, "inertia")]


def along(direction):
    """A rotation whose z axis is along a vector."""
    z = np.array(direction, float) / np.linalg.norm(direction)
    x = np.cross((0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (1.0, 0.0, 0.0), z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=-1)


def _capsule(body, end, radius):
    length = math.hypot(*end)
    if length < SHORT * radius:
        return []
    at = Pose.of(along(end), np.array(end) / 2)
    return [Part("skeleton", body, "capsule", (radius, length), at)]


def _box(inertia, body, look):
    """The box of a body, unless it has no mass or no extent."""
    if inertia.mass <= 0.0:
        return []
    moments, axes = np.linalg.eigh(inertia.matrix)
    square = 6.0 / inertia.mass * (moments.sum() - 2.0 * moments)  # of each side
    if not square.max() > 0.0:
        return []
    # a thin or impossible body has a side of no length, and is drawn thin
    sides = np.sqrt(np.maximum(square, 1e-4 * square.max()))
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]
    return [Part(look, body, "box", tuple(sides.tolist()), Pose.of(axes, inertia.com), joint=body)]


def _drum(i, joint, radius):
    """A part that shows how a joint moves its body."""
    wide, half = DRUM[0] * radius, DRUM[1] * radius
    if joint.kind == "free":
        return []
    if joint.kind in ("spherical", "universal"):
        return [Part("skeleton", i, "sphere", (wide,), joint=i)]
    at = Pose.of(along(joint.axis), (0, 0, 0))
    if joint.kind in (*REVOLUTE, "helical"):
        return [Part("skeleton", i, "cylinder", (wide, 2 * half), at, joint=i)]
    flat = joint.kind == "planar"
    size = (3 * half, 3 * half, half) if flat else (1.6 * wide, 1.6 * wide, 2 * half)
    return [Part("skeleton", i, "box", size, at, joint=i)]


def _tips(robot, i):
    """Where a body ends that carries no joint, in its frame."""
    own = [frame.pose.translation for frame in robot.frames if frame.body == i]
    far = [end for end in own if math.hypot(*end) > 1e-9]
    if far:
        return [max(far, key=lambda end: math.hypot(*end))]
    return [tuple(2.0 * x for x in robot.inertias[i].com)]


def _levels(robot, carried):
    """For each body, how many joints are before it, and at most after it."""
    depth, height = [0] * robot.n, [0] * robot.n
    for i, joint in enumerate(robot.joints):
        if joint.parent != WORLD:
            depth[i] = depth[joint.parent] + 1
    for i in range(robot.n - 1, -1, -1):
        height[i] = max((height[k] + 1 for k in carried[i]), default=0)
    return depth, height


def _radius_of_gyration(body):
    if body.mass <= 0.0:
        return 0.0
    return math.sqrt(max(np.trace(body.matrix), 0.0) / body.mass)
