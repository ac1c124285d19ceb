"""The built-in robots have the numbers of their sources."""

import json
from pathlib import Path

import pytest
from support.dh import elementary
from support.dynamics import frame_poses, torques
from support.robots import RIGHT, relative_error, states

import paraxis as px
from paraxis.robots import Inertia, Pose

PAPERS = Path(__file__).resolve().parents[3] / "shared" / "data" / "papers.json"


@pytest.fixture(scope="module")
def papers():
    if not PAPERS.exists():
        pytest.skip(f"no {PAPERS}")
    return json.loads(PAPERS.read_text())


def angle(word):
    return {"pi/2": RIGHT, "-pi/2": -RIGHT}.get(word, word)


def from_table(alpha, a, d, theta=0.0):
    """The seat of a modified row at q = 0."""
    return elementary(0, alpha, a) @ elementary(2, theta, d)


def check_numbers(robot, seats, masses, coms, inertias, rotors):
    """Every number of a chain, exactly, except that right angles are exact here."""
    for i, (joint, body) in enumerate(zip(robot.joints, robot.inertias, strict=True)):
        assert (joint.parent, joint.axis) == (i - 1, (0, 0, 1))
        assert abs(joint.placement.matrix - seats[i]).max() < 1e-16
        assert joint.rotor_inertia == rotors[i]
        assert body == Inertia.of(masses[i], coms[i], inertias[i])


def test_puma560_has_the_numbers_of_the_thesis(papers):
    """Tables 2.5 and 2.6; printed inertias of links 5 and 6 are ten times too large."""
    table = papers["dhanaraj"]["puma560"]
    inertias = [[v or 0 for v in row] for row in table["inertia"]]
    assert (inertias[4], inertias[5]) == ([0.003, 0.003, 0.004], [0.0015, 0.0015, 0.0004])
    inertias[4:] = [[0.0003, 0.0003, 0.0004], [0.00015, 0.00015, 0.00004]]
    robot = px.load("puma560")
    assert robot.gravity == (0, 0, -9.81)
    check_numbers(
        robot,
        [from_table(*map(angle, row)) for row in table["dh"]],
        [mass or 0 for mass in table["mass"]],
        [com or (0, 0, 0) for com in table["com"]],
        inertias,
        table["motor_inertia"],
    )


def test_puma560_thesis_has_the_numbers_of_the_printed_program(papers):
    table = papers["dhanaraj"]["puma560"]
    printed = table["program_d2"]
    robot = px.load("puma560_thesis")
    assert robot.gravity == (0, 0, -printed["gravity"])
    seats = [from_table(*map(angle, row)) for row in table["dh"]]
    check_numbers(robot, seats, printed["mass"], printed["com"], printed["inertia"], [0] * 6)


def test_stanford_has_the_numbers_of_the_thesis(papers):
    """Tables 2.7 and 2.8 with the corrected table of lengths; one moment is not printed."""
    table = papers["dhanaraj"]["stanford"]
    robot = px.load("stanford")
    rows = [[0 if str(v).startswith("q") else angle(v) for v in row] for row in table["dh"]]
    kinds = ["prismatic" if row[2] == f"q{i + 1}" else "revolute"
             for i, row in enumerate(table["dh"])]  # fmt: skip
    assert [joint.kind for joint in robot.joints] == kinds
    assert kinds.count("prismatic") == 1
    check_numbers(
        robot,
        [from_table(*row) for row in rows],
        table["mass"],
        table["com"],
        [[v or 0 for v in row] for row in table["inertia"]],
        table["motor_inertia"],
    )


def test_planar3_is_three_rods_of_a_metre_and_a_kilogram():
    robot = px.load("planar3")
    assert robot.digest == px.robots.planar(3).digest
    for i, (joint, body) in enumerate(zip(robot.joints, robot.inertias, strict=True)):
        assert (joint.kind, joint.parent, joint.axis) == ("revolute", i - 1, (0, -1, 0))
        assert joint.placement == Pose(translation=(1.0 if i else 0.0, 0.0, 0.0))
        assert body == Inertia.of(1, (0.5, 0, 0), (0, 1 / 12, 1 / 12))


def test_ur5_is_that_of_its_public_description():
    peers = pytest.importorskip("peers")
    ours, public = px.load("ur5"), px.load(peers.robot_file("ur5"))
    assert ours.joint_names == public.joint_names
    for a, b in zip(ours.joints, public.joints, strict=True):
        limits = ("lower", "upper", "max_velocity", "max_effort")
        assert [getattr(a, k) for k in limits] == [getattr(b, k) for k in limits]
    state = states(ours, 10)
    assert relative_error(torques(ours, *state), torques(public, *state)) <= 1e-12
    for name in ours.frame_names:
        for q in state[0]:
            before, after = frame_poses(public, q)[name], frame_poses(ours, q)[name]
            assert abs(before - after).max() <= 1e-12


# today's operation counts (mul, add) of the thesis's own robot; a change here is a change to report
COUNTS = {
    "newton_euler": (248, 171),
    "spatial": (323, 233),
    "modified_newton_euler": (200, 148),
}


@pytest.mark.parametrize("name", COUNTS)
def test_operation_counts_of_the_thesis_robot(name):
    found = px.program(px.load("puma560_thesis"), algorithm=name).count()
    assert (found.mul, found.add, found.trig, found.div, found.sqrt) == (*COUNTS[name], 10, 0, 0)


def test_the_modified_algorithm_needs_no_more_than_the_thesis_printed(papers):
    mul, add = papers["dhanaraj"]["table2_10_customised"]["puma_6"]["dhanaraj"]
    assert (mul, add) == (208, 152)
    found = px.program(px.load("puma560_thesis"), algorithm="modified_newton_euler").count()
    assert found.mul <= mul and found.add <= add
