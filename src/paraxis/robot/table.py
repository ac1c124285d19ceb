"""The robot as a table a person likes to read. Plain text, so that it fits any terminal."""

import math

from .joint import WORLD

HEAD = ("", "joint", "kind", "parent", "axis", "mass kg", "centre of mass m", "rotor", "range")
NUMERIC = {"", "mass kg", "rotor"}


def robot_table(robot):
    """The summary, then one line a joint."""
    rows = [HEAD, *joint_rows(robot)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(HEAD))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    rule = "  ".join("─" * width for width in widths)
    return "\n".join([f"{shown(robot.name)}: {summary(robot)}", "", lines[0], rule, *lines[1:]])


def summary(robot):
    """The totals, on one line."""
    mass = sum(body.mass for body in robot.inertias)
    joints = "1 joint" if robot.n == 1 else f"{robot.n} joints"
    forks = len(robot.branching)
    bodies = "one body" if forks == 1 else f"{forks} bodies"
    shape = f"a tree branching at {bodies}" if forks else "a chain"
    gravity = " ".join(f"{v:g}" for v in robot.gravity)
    return f"{joints}, {shape}, {mass:.4g} kg moving, gravity ({gravity}) m/s²"


def joint_rows(robot):
    """The cells under HEAD for each joint, numbered as arrays are indexed, safe to print."""
    rows = []
    for i, (joint, body) in enumerate(zip(robot.joints, robot.inertias, strict=True)):
        parent = "world" if joint.parent == WORLD else shown(robot.joints[joint.parent].name)
        com = " ".join(f"{v:.3g}" for v in body.com)
        rotor = f"{joint.reflected_inertia:.4g}" if joint.reflected_inertia else "–"
        rows.append(
            (str(i), shown(joint.name), joint.kind, parent, _axis(joint.axis))
            + (f"{body.mass:.4g}", com, rotor, _range(joint))
        )
    return rows


def shown(text, most=60):
    """`text` on one line of at most `most` characters, everything unprintable as an escape.

    Names may come from anyone's file. What is left may still mean something to rich or HTML:
    pass it on as Text, or escaped.
    """
    line = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[: most + 1]
    )
    return line if len(line) <= most else line[: most - 1] + "…"


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
