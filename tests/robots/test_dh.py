"""Robots from Denavit and Hartenberg's tables, in both conventions."""

import math

import numpy as np
import pytest
from support.dh import elementary, link_frames
from support.dynamics import frame_poses, torques
from support.robots import RIGHT, random_robot, relative_error, states

from paraxis import Robot
from paraxis.errors import RobotError

# The PUMA 560 in both conventions, written down separately. Modified: alpha and a of the link
# before; standard: of the link itself, so that they stand one row higher.
PUMA_MODIFIED = [
    (0, 0, 0, 0),
    (-RIGHT, 0, 0.2435, 0),
    (0, 0.4318, -0.0934, 0),
    (RIGHT, -0.0203, 0.4331, 0),
    (-RIGHT, 0, 0, 0),
    (RIGHT, 0, 0, 0),
]
PUMA_STANDARD = [
    (-RIGHT, 0, 0, 0),
    (0, 0.4318, 0.2435, 0),
    (RIGHT, -0.0203, -0.0934, 0),
    (-RIGHT, 0, 0.4331, 0),
    (RIGHT, 0, 0, 0),
    (0, 0, 0, 0),
]
ODD_MODIFIED = [(0, 0, 0.1, 0.2), (0.5, 0.3, -0.2, -1), (-1.2, 0.4, 0.3, 2), (2.5, -0.1, 0.2, 0)]
ODD_STANDARD = [(0.5, 0.3, 0.1, 0.2), (-1.2, 0.4, -0.2, -1), (2.5, -0.1, 0.3, 2), (0, 0, 0.2, 0)]
ODD_KINDS = ("revolute", "prismatic", "revolute", "prismatic")


def in_standard_frames(links, rows):
    """Links of modified frames, described in the standard frames at their far ends."""
    moved = []
    for (mass, com, inertia), (alpha, a, _, _) in zip(links, rows, strict=True):
        end = elementary(0, alpha, a)
        turn = end[:3, :3].T
        moved.append((mass, turn @ (np.array(com) - end[:3, 3]), turn @ np.array(inertia) @ turn.T))
    return moved


@pytest.mark.parametrize(
    ("modified", "standard", "kinds"),
    [
        (PUMA_MODIFIED, PUMA_STANDARD, ("revolute",) * 6),
        (ODD_MODIFIED, ODD_STANDARD, ODD_KINDS),
    ],
    ids=["puma", "odd"],
)
def test_both_conventions_describe_the_same_arm(modified, standard, kinds):
    bodies = random_robot(11, joints=(6, 6)).inertias[: len(kinds)]
    links = [(body.mass, body.com, body.matrix) for body in bodies]
    a = Robot.from_dh(modified, links, kinds=kinds)
    b = Robot.from_dh(
        standard, in_standard_frames(links, standard), convention="standard", kinds=kinds
    )
    state = states(a, 4)
    reference = torques(a, *state)
    assert relative_error(torques(b, *state), reference) <= 1e-13
    for robot, rows in ((a, modified), (b, standard)):
        assert [joint.kind for joint in robot.joints] == list(kinds)
        for q in state[0]:
            ours = frame_poses(robot, q)
            for i, pose in enumerate(link_frames(rows, kinds, q, standard=robot is b)):
                assert abs(ours[f"link{i + 1}"] - pose).max() <= 1e-13 * max(1, abs(pose).max())


LINK = (1, (0, 0, 0), (1, 1, 1))


@pytest.mark.parametrize(
    ("rows", "links", "options", "message"),
    [
        ([(0, 0, 0, 0)], [LINK], {"convention": "craig"}, "convention: expected one of 'modified'"),
        ([(0, 0, 0)], [LINK], {}, "row 1: expected 4 numbers, found 3"),
        ([(0, 0, 0, 0), (0, 0, math.nan, 0)], [LINK] * 2, {}, "row 2: expected finite numbers"),
        ([(0, 0, "x", 0)], [LINK], {}, "row 1: expected 4 numbers"),
        ([(0, 0, 0, 0)] * 2, [LINK], {}, "links: expected 2, one per row, found 1"),
        ([(0, 0, 0, 0)], [LINK], {"kinds": ["ball"]}, "kind: expected one of"),
        ([(0, 0, 0, 0)], [LINK], {"kinds": ["revolute"] * 2}, "kinds: expected 1"),
        (
            [(0, 0, 0, 0)] * 2,
            [LINK] * 2,
            {"joint_names": ["a", "a"]},
            "'a': the name is used twice",
        ),
        ([(0, 0, 0, 0)], [LINK], {"joint_names": []}, "joint_names: expected 1"),
        ([(0, 0, 0, 0)], [LINK], {"rotor_inertia": [-1]}, "rotor inertia: expected a number >= 0"),
        ([(0, 0, 0, 0)], [LINK], {"rotor_inertia": [1, 2]}, "rotor_inertia: expected 1"),
        ([(0, 0, 0, 0)], [LINK], {"gravity": (0, 9.81)}, "gravity: expected 3 numbers, found 2"),
        ([(0, 0, 0, 0)], [(1, (0, 0, 0))], {}, r"link 1: expected \(mass, com, inertia\)"),
        ([(0, 0, 0, 0)], [None], {}, r"link 1: expected \(mass, com, inertia\)"),
        ([(0, 0, 0, 0)], [(-1, *LINK[1:])], {}, "link 1 mass: expected a number >= 0"),
        ([(0, 0, 0, 0)], [(1, (0, 0), (1, 1, 1))], {}, "link 1 com: expected 3 numbers"),
        (
            [(0, 0, 0, 0)],
            [(1, (0, 0, 0), (1, 1))],
            {},
            "link 1 inertia: expected 3, 6 or 3x3 numbers",
        ),
        (
            [(0, 0, 0, 0)],
            [(1, (0, 0, 0), np.arange(9).reshape(3, 3))],
            {},
            "is not symmetric",
        ),
        ([], [], {}, "has no moving joint"),
    ],
)
def test_errors_in_a_table(rows, links, options, message):
    with pytest.raises(RobotError, match=message):
        Robot.from_dh(rows, links, **options)


def test_an_inertia_may_be_three_numbers_six_or_a_matrix():
    rows = [(0.1, 0.2, 0.3, 0.4)]
    diagonal = Robot.from_dh(rows, [(1, (1, 2, 3), (4, 5, 6))])
    assert diagonal.inertias[0].about_com == (4, 5, 6, 0, 0, 0)
    six = Robot.from_dh(rows, [(1, (1, 2, 3), (4, 5, 6, 0.1, 0.2, 0.3))])
    matrix = Robot.from_dh(rows, [(1, (1, 2, 3), [[4, 0.1, 0.2], [0.1, 5, 0.3], [0.2, 0.3, 6]])])
    assert six.inertias[0].about_com == (4, 5, 6, 0.1, 0.2, 0.3)
    assert matrix.digest == six.digest != diagonal.digest
