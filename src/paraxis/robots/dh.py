"""Chains from Denavit-Hartenberg tables, in Craig's modified or the standard convention.

A row is (alpha, a, d, theta). Modified: Rx(alpha) Tx(a) Rz(theta) Tz(d), alpha and a of the
link before. Standard: Rz(theta) Tz(d) Tx(a) Rx(alpha), alpha and a of the link itself. For a
revolute joint theta is the angle at q = 0, for a prismatic joint d is the offset at q = 0.

Link masses are given in the convention's own link frame. In the standard convention that frame
sits at the far end of its link, away from the joint axis; the body frame used here stays on the
axis, so inertias and the `link` frames are carried over by the constant part of the row.
"""

from ..checks import one_of
from ..errors import RobotError
from .frame import Frame
from .inertia import Inertia
from .joint import Joint
from .pose import Pose, floats, turn_about


def dh_chain(rows, links, convention, kinds, joint_names, rotor_inertia):
    """The joints, inertias and frames of a serial chain; arguments as of `Robot.from_dh`."""
    rows, links = tuple(rows), tuple(links)
    n = len(rows)
    one_of(convention, ("modified", "standard"), "convention", RobotError)
    kinds = tuple(kinds) if kinds is not None else ("revolute",) * n
    names = (
        tuple(joint_names) if joint_names is not None else tuple(f"joint{i + 1}" for i in range(n))
    )
    rotors = tuple(rotor_inertia) if rotor_inertia is not None else (0.0,) * n
    for what, values in (
        ("links", links),
        ("kinds", kinds),
        ("joint_names", names),
        ("rotor_inertia", rotors),
    ):
        if len(values) != n:
            raise RobotError(f"{what}: expected {n}, one per row, found {len(values)}")
    joints, inertias, frames, link_end = [], [], [Frame("base", -1)], Pose()
    for i, (row, link) in enumerate(zip(rows, links, strict=True)):
        alpha, a, d, theta = floats(row, 4, f"row {i + 1}")
        twist = Pose(turn_about(0, alpha).rotation, (a, 0.0, 0.0))
        screw = Pose(turn_about(2, theta).rotation, (0.0, 0.0, d))
        # the body frame: on the joint axis, at q = 0
        seat = twist @ screw if convention == "modified" else link_end @ screw
        link_end = Pose() if convention == "modified" else twist
        joints.append(Joint(names[i], kinds[i], i - 1, seat, rotor_inertia=rotors[i]))
        try:
            mass, com, inertia = link
        except (TypeError, ValueError):
            raise RobotError(
                f"link {i + 1}: expected (mass, com, inertia), found {link!r}"
            ) from None
        body = Inertia.of(mass, com, inertia, f"link {i + 1}")
        inertias.append(body.seen_from(link_end))
        frames.append(Frame(f"link{i + 1}", i, link_end))
    return joints, inertias, frames
