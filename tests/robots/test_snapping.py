"""Right angles typed with few digits: made exact, and nothing moved by more than the tolerance."""

import math
import random
import warnings

import numpy as np
import pytest
from support.dynamics import torques
from support.robot_files import ROBOTS
from support.robots import random_robot, relative_error, states
from support.urdf_text import inertial, joint, link, robot

import paraxis as px
from paraxis.errors import RobotError
from paraxis.robots import Pose
from paraxis.robots.readers.urdf import parse_urdf
from paraxis.robots.snapping import snapped_axis, snapped_pose, snapped_rpy

RIGHT = math.pi / 2
XARM7 = "xarm_description/urdf/xarm7.urdf"
KINOVA = "kinova_description/robots/kinova.urdf"


def angle_between(a, b):
    turn = np.array(a.rotation).T @ np.array(b.rotation)
    return math.asin(min(1.0, np.linalg.norm(turn - turn.T) / math.sqrt(8)))


def exact(pose):
    return int(np.isin(pose.rotation, (0, 1, -1)).sum())


@pytest.mark.parametrize("seed", range(200))
def test_rotations_with_right_angles_get_their_zeros_and_stay_rotations(seed):
    """Any mixture of right and other angles; all but an exact rotation's own zeros come back."""
    rng = random.Random(seed)
    angles = [RIGHT * rng.randint(-2, 2) if rng.random() < 0.7 else rng.uniform(-3, 3)
              for _ in range(3)]  # fmt: skip
    typed = [angle + rng.uniform(-3e-7, 3e-7) if angle else 0.0 for angle in angles]
    meant, given = Pose.from_rpy((1, 2, 3), angles), Pose.from_rpy((1, 2, 3), typed)
    for found in (snapped_rpy((1, 2, 3), typed, 1e-6), snapped_pose(given, 1e-6)):
        assert found.translation == (1, 2, 3)
        turn = np.array(found.rotation)
        assert abs(turn @ turn.T - np.eye(3)).max() <= 1e-15 and np.linalg.det(turn) > 0
        assert angle_between(given, found) <= 1e-6
        assert snapped_pose(found, 1e-6) is found
    assert exact(snapped_rpy((1, 2, 3), typed, 1e-6)) >= exact(meant)
    if any(np.array(given.rpy).round(5) % round(2 * math.pi, 5)) and abs(angles[1]) < 1.6:
        assert exact(snapped_pose(given, 1e-6)) >= exact(meant)
    assert snapped_pose(given, 0.0) is given


def test_angles_farther_than_the_tolerance_stay_as_they_are():
    for angles in ((RIGHT + 2e-6, 0.3, 0.2), (0.1, RIGHT + 2e-6, 3), (1e-7, 0, 0)):
        given = Pose.from_rpy((0, 0, 0), angles)
        assert snapped_pose(given, 1e-6) is given


def test_small_entries_that_no_right_angle_makes_stay():
    """The seat of a shoulder of the G1, one of whose entries is 4e-10 by accident."""
    given = Pose.from_rpy((0, 0, 0), (0.27931, 5.4949e-5, -0.00019159))
    assert np.abs(given.rotation).min() < 1e-9
    assert snapped_pose(given, 1e-9) is given


def test_the_tolerance_bounds_the_whole_turn():
    """Two angles, each off by less than the tolerance, together by more."""
    given = Pose.from_rpy((0, 0, 0), (RIGHT + 9e-7, 0, RIGHT + 9e-7))
    assert snapped_pose(given, 1e-6) is given
    assert exact(snapped_pose(given, 2e-6)) == 9


def test_axes():
    assert snapped_axis((1.0, 1e-10, 0.0), 1e-9) == (1.0, 0.0, 0.0)
    assert snapped_axis((0.6, 1e-10, 0.8), 1e-9) == (0.6, 0.0, 0.8)
    for kept in ((0.6, 1e-8, 0.8), (0.0, 1.0, 0.0), (0.6, 0.0, 0.8)):
        assert snapped_axis(kept, 1e-9) is kept
    both = (1.0, 9e-10, 9e-10)
    assert snapped_axis(both, 1e-9) is both


def typed(roll, pitch):
    seat = f'<origin xyz="0.1 0.2 0.3" rpy="{roll} 0 0"/><axis xyz="0 1e-10 1"/>'
    turned = f'<origin xyz="0.1 0 0" rpy="0 {pitch} 0"/>'
    return robot(
        link("a"), link("b", inertial("1", "0.3 0.2 0.1 0 0 0", turned)),
        joint("j", "a", "b", "revolute", seat),
    )  # fmt: skip


def test_a_description_is_read_with_right_angles():
    r = parse_urdf(typed("1.57079632679", "-1.57079632679"))
    assert r.joints[0].placement.rotation == ((1, 0, 0), (0, 0, -1), (0, 1, 0))
    assert r.joints[0].axis == (0, 0, 1)
    assert r.inertias[0].about_com == (0.1, 0.2, 0.3, 0, 0, 0)  # its frame is read so as well
    r = parse_urdf(typed("1.57079632679", "0"), snap=0)
    assert 0 < abs(r.joints[0].placement.rotation[1][1]) < 1e-11 and 0 < r.joints[0].axis[1] < 1e-9


def test_fewer_digits_on_request():
    r = parse_urdf(typed("1.5708", "1.5708"))
    assert abs(r.joints[0].placement.rotation[1][1]) > 1e-6
    for snapped in (parse_urdf(typed("1.5708", "1.5708"), snap=1e-5), r.snapped(1e-5)):
        assert snapped.joints[0].placement.rotation == ((1, 0, 0), (0, 0, -1), (0, 1, 0))


@pytest.mark.parametrize("angles", [(0.3, RIGHT - 1e-12, 0.2), (0.3, -RIGHT, 0.2), (3, 3, 3)])
def test_roll_pitch_and_yaw_are_those_of_the_rotation(angles):
    given = Pose.from_rpy((0, 0, 0), angles)
    again = Pose.from_rpy((0, 0, 0), given.rpy)
    assert abs(np.array(given.rotation) - again.rotation).max() <= 4e-16


@pytest.mark.parametrize("seed", range(10))
def test_no_result_moves_by_more_than_the_tolerance_says(seed):
    """Random robots have angles and axes that are right but for 1e-9 to 1e-6 rad."""
    whole = random_robot(seed, (3, 6))
    near = whole.snapped(1e-6)
    state = states(whole, 3, seed)
    tau = torques(near, *state), torques(whole, *state)
    assert relative_error(*tau) <= 1e-4
    assert near.snapped(1e-6) is near and whole.snapped(0) is whole


@pytest.mark.parametrize(
    ("file", "snap", "flops"),
    [(XARM7, 0, 732), (XARM7, 1e-4, 543), (KINOVA, 0, 532), (KINOVA, 1e-9, 345)],
)
def test_what_it_saves(file, snap, flops):
    if not (ROBOTS / file).exists():
        pytest.skip("example-robot-data is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.RobotWarning)
        found = px.load(ROBOTS / file, snap=snap)
    assert px.program(found).count().flops == flops


@pytest.mark.parametrize("tolerance", [-1, 1, math.nan, "small", True, None])
def test_what_is_no_tolerance(tolerance):
    with pytest.raises(RobotError, match="snap: expected an angle from 0 to 0.1 rad"):
        px.load("ur5", snap=tolerance)
