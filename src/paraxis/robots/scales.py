"""How large a robot is, so that what is small can be told from what is nothing.

An angle of 1e-9 is small for every robot, a length is not: 1e-9 m is a rounding error for a crane
and a thousandth of the way across a micro-gripper. Tolerances on lengths, rates and positions are
therefore shares of these scales, and mean the same in metres as in millimetres.
"""

import math

import numpy as np

from .joint import WORLD

SMALLEST = 1e-300  # in place of a scale of nothing


def built_length(robot):
    """The same of its bodies alone, without limits and frames: all of it is in `robot.digest`."""
    return length_scale(robot, built=True)


def length_scale(robot, built=False):
    """How far the robot reaches, roughly (m): the longest way from its root to a mass or a frame.

    One metre where nothing has a length: then no length is compared with it either.
    """
    ways, longest = {WORLD: 0.0}, 0.0
    for i, (joint, body) in enumerate(zip(robot.joints, robot.inertias, strict=True)):
        ways[i] = ways[joint.parent] + math.hypot(*joint.placement.translation)
        ways[i] += 0.0 if built else _travel(joint)
        longest = max(longest, ways[i] + max(math.hypot(*body.com), _radius(body)))
    for frame in () if built else robot.frames:
        if frame.body != WORLD:  # what is fixed to the world may be anywhere
            longest = max(longest, ways[frame.body] + math.hypot(*frame.pose.translation))
    return longest if 0.0 < longest < math.inf else 1.0


def joint_scales(robot):
    """What is large for each degree of freedom (nv,): a radian, or the robot's length."""
    length = length_scale(robot)
    return np.array([1.0 if joint.is_revolute else length for joint in robot.own_rows])


def some_position(robot, rng):
    """A random position of a robot of rows, as a list."""
    q = []
    for joint, scale in zip(robot.joints, joint_scales(robot).tolist(), strict=True):
        moves = [rng.uniform(-3, 3) * scale for _ in range(min(joint.nq, 3))]
        if joint.nq > 3:  # with a quaternion at the end
            turn = [rng.gauss(0, 1) for _ in range(4)]
            moves = [*moves[: joint.nq - 4], *(x / math.hypot(*turn) for x in turn)]
        q += moves
    return q


def reach(robot, frame):
    """How far a frame gets from the root, roughly (m); 0 where nothing has a length."""
    path = [robot.joints[i] for i in sorted(robot.path(frame.body))]
    ways = [joint.placement.translation for joint in path] + [frame.pose.translation]
    return sum(map(_travel, path), float(np.linalg.norm(ways, axis=-1).sum()))


def _travel(joint):
    """How far a sliding joint goes from its zero, as far as limits tell."""
    slide = {"prismatic": 1.0, "helical": abs(joint.pitch)}.get(joint.kind, 0.0)
    if not slide:
        return 0.0
    ends = (abs(x) for x in (joint.lower, joint.upper) if math.isfinite(x))
    return slide * max(ends, default=0.0)


def _radius(body):
    """Of gyration."""
    spread = sum(map(abs, body.about_com[:3]))
    return math.sqrt(spread / body.mass) if body.mass > 0.0 else 0.0
