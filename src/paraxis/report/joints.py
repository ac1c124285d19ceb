"""A robot as the rows of a table, one a joint; terminal and page lay them out."""

import math

from ..robot.joint import WORLD
from .text import shown

HEAD = ("", "joint", "kind", "parent", "axis", "mass kg", "centre of mass m", "rotor", "range")
NUMERIC = {"", "mass kg", "rotor"}


def joint_rows(robot):
    """The cells under HEAD, as text safe to print."""
    rows = []
    for i, (joint, body) in enumerate(zip(robot.joints, robot.inertias, strict=True)):
        parent = "world" if joint.parent == WORLD else shown(robot.joints[joint.parent].name)
        com = " ".join(f"{v:.3g}" for v in body.com)
        rotor = f"{joint.rotor_inertia:.4g}" if joint.rotor_inertia else "–"
        rows.append(
            (str(i + 1), shown(joint.name), joint.kind, parent, _axis(joint.axis))
            + (f"{body.mass:.4g}", com, rotor, _range(joint))
        )
    return rows


def summary(robot):
    """The totals, on one line."""
    mass = sum(body.mass for body in robot.inertias)
    joints = "1 joint" if robot.n == 1 else f"{robot.n} joints"
    shape = f"a tree branching at {len(robot.branching)} bodies" if robot.branching else "a chain"
    gravity = " ".join(f"{v:g}" for v in robot.gravity)
    return f"{joints}, {shape}, {mass:.4g} kg moving, gravity ({gravity}) m/s²"


def _axis(axis):
    for k, letter in enumerate("xyz"):
        if abs(axis[k]) == 1.0:
            return ("-" if axis[k] < 0 else "") + letter
    return " ".join(f"{v:.3g}" for v in axis)


def _range(joint):
    if math.isinf(joint.lower) and math.isinf(joint.upper):
        return "any"
    unit = "rad" if joint.is_revolute else "m"
    return f"{joint.lower:.4g} .. {joint.upper:.4g} {unit}"
