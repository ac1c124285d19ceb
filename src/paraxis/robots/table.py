"""The robot as a table a person likes to read. Plain text, so that it fits any terminal."""

import math

from ..checks import counted, shown
from .friction import BEARING_NAMES, NO_FRICTION
from .joint import WORLD
from .spring import coefficients
from .transmission import IDEAL

NONE = "–"
MOST = 100  # rows of a table
HEAD = ("", "joint", "kind", "parent", "axis", "mass kg", "centre of mass m", "rotor", "range")
LOSSES = ("viscous", "Coulomb", "static", "bearings", "ratio", "efficiency", "break-away", "limit")
SHARED = ("spring", "follows")  # after these
TENDONS = ("tendon", "length", "spring", "viscous", "Coulomb")
LOOPS = ("loop", "first frame", "second frame", "kind", "constraints")
NUMERIC = {"", "mass kg", "rotor", "viscous", "Coulomb", "static", "ratio", "break-away", "limit"}
NUMERIC |= {"constraints"}


def robot_table(robot):
    """The summary, one line per joint, and one per drive if there are any."""
    lines = [f"{shown(robot.name)}: {summary(robot)}", "", *_lines(HEAD, joint_rows(robot))]
    head, rows = drive_table(robot)
    if rows:
        lines += ["", *_lines(head, rows)]
    if robot.tendons:
        lines += ["", *_lines(TENDONS, tendon_rows(robot))]
    if robot.loops:
        lines += ["", *_lines(LOOPS, loop_rows(robot))]
    return "\n".join(lines)


def _lines(head, rows):
    rows = [head, *rows]
    widths = [max(len(row[k]) for row in rows) for k in range(len(head))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return [lines[0], "  ".join("─" * width for width in widths), *lines[1:]]


def summary(robot):
    """The totals, on one line."""
    mass = sum(body.mass for body in robot.inertias)
    joints = counted(robot.n, "joint")
    forks = len(robot.branching)
    bodies = "one body" if forks == 1 else f"{forks} bodies"
    shape = f"a tree branching at {bodies}" if forks else "a chain"
    loops = len(robot.loops)
    if loops:
        shape += ", closed by one loop" if loops == 1 else f", closed by {loops} loops"
    gravity = " ".join(f"{v:g}" for v in robot.gravity)
    return f"{joints}, {shape}, {mass:.4g} kg moving, gravity ({gravity}) m/s²"


def joint_rows(robot):
    """The cells under HEAD for each joint, numbered as arrays are indexed, safe to print."""

    def row(i):
        joint, body = robot.joints[i], robot.inertias[i]
        parent = "world" if joint.parent == WORLD else shown(robot.joints[joint.parent].name)
        com = " ".join(f"{v:.3g}" for v in body.com)
        rotor = f"{joint.reflected_inertia:.4g}" if joint.reflected_inertia else NONE
        seat = (str(i), shown(joint.name), joint.kind, parent, _axis(joint))
        return (*seat, f"{body.mass:.4g}", com, rotor, _range(joint))

    return _abridged(range(robot.n), row)


def drive_table(robot):
    """Head and rows of the joints with friction, a transmission, a spring or a leader, and of what
    these have."""
    bare, joints, names = (NO_FRICTION, IDEAL, None, None), robot.joints, (*LOSSES, *SHARED)
    parts = {i: (j.friction, j.transmission, j.spring, j.coupling) for i, j in enumerate(joints)}
    cells = {i: _drive(joints[i]) for i, own in parts.items() if own != bare}
    driven = [i for i, row in cells.items() if {*row} != {NONE}]
    filled = [k for k in range(len(names)) if any(cells[i][k] != NONE for i in driven)]
    head = ("", "joint", *(names[k] for k in filled))
    return head, _abridged(
        driven, lambda i: (str(i), shown(joints[i].name), *(cells[i][k] for k in filled))
    )


def tendon_rows(robot):
    """The cells under TENDONS."""
    rows = []
    for tendon in robot.tendons:
        low, high = tendon.rest
        at = f"{low:.4g}" if low == high else f"{low:.4g} .. {high:.4g}"
        spring = f"{_stiffness(tendon.stiffness)} at {at}" if tendon.has_spring else NONE
        friction = (_unless(0.0, tendon.friction.viscous), _unless(0.0, tendon.friction.coulomb))
        length = _sum((arm, shown(name)) for name, arm in tendon.arms)
        rows.append((shown(tendon.name), length, spring, *friction))
    return rows


def loop_rows(robot):
    """The cells under LOOPS for each loop: what it connects, and how."""

    def where(frame):
        body = "world" if frame.body == WORLD else robot.joints[frame.body].name
        return shown(frame.name if frame.name == body else f"{frame.name} on {body}")

    def row(i):
        loop = robot.loops[i]
        return (
            shown(loop.name),
            where(loop.first),
            where(loop.second),
            loop.kind,
            str(loop.constraints),
        )

    return _abridged(range(len(robot.loops)), row)


def _abridged(indices, row):
    """A row each, or those of the first and last and between them one that counts the others."""
    if len(indices) <= MOST:
        return [row(i) for i in indices]
    first, last = ([row(i) for i in part] for part in (indices[: MOST // 2], indices[-MOST // 2 :]))
    gap = ("…", f"{len(indices) - MOST:,} more", *("" for _ in first[0][2:]))
    return [*first, gap, *last]


def _drive(joint):
    """The cells under LOSSES and SHARED."""
    spring = joint.spring and f"{_stiffness(joint.spring.stiffness)}{_at(joint.spring.reference)}"
    return (*_losses(joint), spring or NONE, (joint.coupling and _followed(joint.coupling)) or NONE)


def _stiffness(stiffness):
    return " ".join(f"{k:.4g}" for k in coefficients(stiffness))


def _at(reference):
    numbers = reference if isinstance(reference, tuple) else (reference,)
    return " at " + " ".join(f"{v:.4g}" for v in numbers) if reference != 0.0 else ""


def _followed(coupling):
    terms = []
    for leader, (constant, *factors) in coupling.terms:
        name = shown(leader)
        terms.append((constant, ""))
        terms += ((c, name if k == 1 else f"{name}^{k}") for k, c in enumerate(factors, start=1))
    return _sum(terms)


def _sum(terms):
    """As a person writes it: 0.5 a - b."""
    text = ""
    for factor, name in terms:
        if factor:
            size = abs(factor)
            times = f"{size:.4g} {name}".rstrip() if size != 1 or not name else name
            text += f" {'-' if factor < 0 else '+'} {times}" if text else "-" * (factor < 0) + times
    return text or "0"


def _losses(joint):
    """The cells under LOSSES: numbers that are not what a joint has anyway."""
    friction, drive = joint.friction, joint.transmission
    bearings = " ".join(BEARING_NAMES[type(bearing)] for bearing in friction.bearings) or NONE
    efficiency = drive.efficiency
    if isinstance(efficiency, tuple):
        (_, low), *_, (_, high) = efficiency
        efficiency = f"{low:g} .. {high:g}"
    else:
        efficiency = _unless(1.0, efficiency)
    return (
        _unless(0.0, friction.viscous),
        _unless(0.0, friction.coulomb),
        _unless(friction.coulomb, friction.static),
        bearings,
        _unless(1.0, drive.ratio),
        efficiency,
        _unless(0.0, drive.break_away),
        _unless(math.inf, drive.torque_limit),
    )


def _unless(usual, value):
    return NONE if value == usual else f"{value:.4g}"


def _axis(joint):
    if joint.kind in ("spherical", "free"):
        return NONE
    axis = joint.axis
    for k, letter in enumerate("xyz"):
        if abs(axis[k]) == 1.0:
            return ("-" if axis[k] < 0 else "") + letter
    return " ".join(f"{v:.3g}" for v in axis)


def _range(joint):
    if math.isinf(joint.lower) and math.isinf(joint.upper):
        return "any"
    unit = "rad" if joint.is_revolute else "m"
    return f"{joint.lower:.4g} .. {joint.upper:.4g} {unit}"
