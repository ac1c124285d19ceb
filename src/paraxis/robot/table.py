"""The robot as a table a person likes to read. Plain text, so that it fits any terminal."""

import math

from .joint import WORLD


def robot_table(robot):
    """Name, size and one line a joint."""
    total = sum(body.mass for body in robot.inertias)
    gravity = " ".join(f"{v:g}" for v in robot.gravity)
    head = (
        f"{robot.name}: {robot.n} joints, {len(robot.frames)} frames, "
        f"{total:.4g} kg moving, gravity ({gravity}) m/s²"
    )
    rows = [("", "joint", "kind", "parent", "axis", "mass kg", "com m", "range")]
    for i, (joint, body) in enumerate(zip(robot.joints, robot.inertias, strict=True)):
        parent = "world" if joint.parent == WORLD else robot.joints[joint.parent].name
        com = " ".join(f"{v:.3g}" for v in body.com)
        rows.append(
            (str(i), joint.name, joint.kind, parent, _axis(joint.axis), f"{body.mass:.4g}", com,
             _range(joint))
        )
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
             for row in rows]
    rule = "  ".join("─" * w for w in widths)
    return "\n".join([head, "", lines[0], rule, *lines[1:]])


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
