"""Trajectories along lines of a frame."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.trajectories import FAR, HOME, MADE, NEAR, UR5, pose_at, vectors

import paraxis as px
from paraxis.trajectories.polyline import Polyline, rotation, rotation_vector


def test_the_line_is_straight_and_turns_evenly():
    samples = px.trajectories.cartesian_line(UR5, HOME, NEAR, duration=1.5).sample(samples=401)
    poses, start = px.forward_kinematics(UR5, samples.q), pose_at(HOME)
    way = NEAR[:3, 3] - start[:3, 3]
    share = (poses[:, :3, 3] - start[:3, 3]) @ way / (way @ way)
    assert abs(poses[:, :3, 3] - start[:3, 3] - share[:, None] * way).max() < 2e-9
    turn = rotation_vector(start[:3, :3].T @ NEAR[:3, :3])
    turned = np.array([start[:3, :3] @ rotation(s * turn) for s in share])
    assert abs(poses[:, :3, :3] - turned).max() < 4e-9
    assert abs(poses[-1] - NEAR).max() < 1e-11
    z = np.linspace(0, 1, 401)
    assert abs(share - (10 * z**3 - 15 * z**4 + 6 * z**5)).max() < 1e-8


def test_joint_rates_are_those_of_the_frame():
    """J q̇ and J q̈ + J̇ q̇ are the line's own velocity and acceleration."""
    samples = px.trajectories.cartesian_line(UR5, HOME, NEAR, duration=1.0).sample(samples=101)
    start = pose_at(HOME)
    way, turn = NEAR[:3, 3] - start[:3, 3], rotation_vector(start[:3, :3].T @ NEAR[:3, :3])
    along = np.concatenate([start[:3, :3] @ turn, way])
    z = samples.t[:, None]
    J = px.jacobian(UR5, samples.q)
    velocity = (J @ samples.qd[..., None])[..., 0]
    acceleration = (J @ samples.qdd[..., None])[..., 0]
    acceleration += px.bias_acceleration(UR5, samples.q, samples.qd)
    assert abs(velocity - (30 * z**2 - 60 * z**3 + 30 * z**4) * along).max() < 1e-6
    assert abs(acceleration - (60 * z - 180 * z**2 + 120 * z**3) * along).max() < 1e-4


def test_joints_to_spare_move_as_little_as_possible():
    robot = px.robots.chain(7)
    q0 = np.array([0.3, 0.5, -0.4, 0.6, 0.5, -0.6, 0.3])
    goal = pose_at(q0, (-0.1, 0.1, 0.05), (0.2, 0.1, 0.3), robot)
    samples = px.trajectories.cartesian_line(robot, q0, goal, duration=1.0).sample(samples=101)
    assert abs(px.forward_kinematics(robot, samples.q)[-1] - goal).max() < 1e-11
    J = px.jacobian(robot, samples.q)
    least = np.linalg.pinv(J) @ (J @ samples.qd[..., None])
    assert abs(least[..., 0] - samples.qd).max() < 1e-5


def test_three_joints_move_a_point_as_in_closed_form():
    """The wrist point of the PUMA along x = 0.3, y = z, as in Dhanaraj's case study."""
    puma, start, way = px.load("puma560"), np.array([0.3, 0.1, 0.1]), np.array([0, 0.3, 0.3])
    q0 = px.kinematics.positioning_solutions(puma, start, frame="link4").q
    for branch in range(4):
        from_here = np.append(q0[branch], np.zeros(3))
        line = px.trajectories.cartesian_line(
            puma, from_here, start + way, frame="link4", duration=1.0
        )
        samples = line.sample(samples=201)
        z = samples.t[:, None]
        expected = px.kinematics.positioning_solutions(
            puma,
            start + way * (10 * z**3 - 15 * z**4 + 6 * z**5),
            way * (30 * z**2 - 60 * z**3 + 30 * z**4),
            way * (60 * z - 180 * z**2 + 120 * z**3),
            frame="link4",
        )
        assert expected.solved.all()
        turns = np.round((samples.q[:, :3] - expected.q[:, branch]) / (2 * np.pi))
        assert abs(samples.q[:, :3] - expected.q[:, branch] - 2 * np.pi * turns).max() < 1e-8
        assert abs(samples.qd[:, :3] - expected.qd[:, branch]).max() < 1e-6
        assert abs(samples.qdd[:, :3] - expected.qdd[:, branch]).max() < 1e-4
        assert not samples.qd[:, 3:].any()


def test_a_planar_arm_follows_what_it_can():
    arm = px.robots.planar(3)
    q0 = np.array([0.2, 0.3, 0.4])
    goal = px.forward_kinematics(arm, q0 + [0.1, 0.2, -0.1])
    trajectory = px.trajectories.cartesian_line(arm, q0, goal, duration=1.0)
    assert abs(px.forward_kinematics(arm, trajectory(1.0)[0]) - goal).max() < 1e-11
    with pytest.raises(px.ArgumentError, match="beyond 0.0% of its length"):
        px.trajectories.cartesian_line(arm, q0, goal[:3, 3] + [0, 0.1, 0], duration=1.0)


def test_a_frame_may_turn_on_the_spot():
    goal = pose_at(HOME, turn=(0, 0, 0.8))
    trajectory = px.trajectories.cartesian_line(
        UR5, HOME, goal, max_velocity=0.5, max_acceleration=1.0
    )
    assert trajectory.duration == pytest.approx(0.8 / 0.5 + 0.5)
    poses = px.forward_kinematics(UR5, trajectory.sample(samples=50).q)
    assert abs(poses[:, :3, 3] - goal[:3, 3]).max() < 2e-9


def test_without_blends_the_frame_stops_at_targets():
    trajectory = MADE["stops"]()
    lengths = [
        np.linalg.norm(b - a)
        for a, b in ((pose_at(HOME), NEAR), (NEAR, FAR))
        for a, b in [(a[:3, 3], b[:3, 3])]
    ]
    times = [length / 0.4 + 0.4 for length in lengths]
    assert trajectory.duration == pytest.approx(sum(times))
    q, qd, _ = trajectory(trajectory.starts[1])
    assert abs(qd).max() < 1e-9
    assert abs(px.forward_kinematics(UR5, q) - NEAR).max() < 1e-9


def test_blends_round_corners_and_leave_the_rest():
    blend = 0.05
    trajectory = MADE["blends"]()
    poses = px.forward_kinematics(UR5, trajectory.sample(samples=2001).q)
    assert abs(poses[-1] - FAR).max() < 1e-10
    to_corner = np.linalg.norm(poses[:, :3, 3] - NEAR[:3, 3], axis=-1)
    assert 0 < to_corner.min() <= 3 / 8 * blend
    start = pose_at(HOME)[:3, 3]
    early = (np.arange(2001) < 1000) & (to_corner > blend)
    way = NEAR[:3, 3] - start
    off = np.cross(poses[early, :3, 3] - start, way) / np.linalg.norm(way)
    assert abs(off).max() < 2e-9
    assert np.linalg.norm(trajectory(trajectory.duration * 0.5)[1]) > 0.1  # it does not stop


@pytest.mark.parametrize(
    "blend",
    [pytest.param(0.01, marks=pytest.mark.long), pytest.param(0.05, marks=pytest.mark.long), 0.1],
)
def test_the_whole_acceleration_of_the_frame_is_limited(blend):
    trajectory = px.trajectories.cartesian_via_points(
        UR5, HOME, [NEAR, FAR, NEAR], blend=blend, max_velocity=0.5, max_acceleration=2.0
    )
    samples = trajectory.sample(samples=4001)
    J = px.jacobian(UR5, samples.q)[:, 3:]
    bias = px.bias_acceleration(UR5, samples.q, samples.qd)[:, 3:]
    speeds = np.linalg.norm((J @ samples.qd[..., None])[..., 0], axis=-1)
    accelerations = np.linalg.norm((J @ samples.qdd[..., None])[..., 0] + bias, axis=-1)
    assert accelerations.max() <= 2 * (1 + 1e-9)
    assert speeds.max() <= 0.5 * (1 + 1e-9)
    near_limit = np.maximum(accelerations / 2, speeds / 0.5) > 0.95
    assert near_limit.mean() > 0.98  # slow only where it must be
    stops = px.trajectories.cartesian_via_points(
        UR5, HOME, [NEAR, FAR, NEAR], max_velocity=0.5, max_acceleration=2.0
    )
    assert trajectory.duration < 0.98 * stops.duration
    gentle = px.trajectories.cartesian_via_points(
        UR5, HOME, [NEAR, FAR, NEAR], blend=blend, max_velocity=0.1, max_acceleration=2.0
    )
    length = gentle.legs[0].path.length
    assert gentle.duration == pytest.approx(length / 0.1 + 0.1 / 2, rel=1e-3)


def largest_of_frame(trajectory, robot=UR5):
    """The largest speed and whole acceleration of the tool's origin, also in the shortest piece."""
    pieces = trajectory.smooth_pieces
    shares = np.tile(np.linspace(1e-6, 1 - 1e-6, 17), (len(pieces), 1))
    q, qd, qdd = trajectory(pieces.times(np.arange(len(pieces)), shares))
    J = px.jacobian(robot, q)[..., 3:, :]
    bias = px.bias_acceleration(robot, q, qd)[..., 3:]
    speed, rise = (J @ qd[..., None])[..., 0], (J @ qdd[..., None])[..., 0] + bias
    return np.linalg.norm(speed, axis=-1).max(), np.linalg.norm(rise, axis=-1).max()


@pytest.mark.parametrize(
    "short", [1e-13, *(pytest.param(each, marks=pytest.mark.long) for each in (0.0, 1e-9, 1e-6))]
)
def test_blends_that_meet_keep_the_acceleration(short):
    """Between the end of one blend and the start of the next is a sliver of path, or nothing."""
    poses = np.cumsum([pose_at(HOME), *(np.zeros((4, 4)),) * 3], axis=0)
    poses[1:, :3, 3] += np.cumsum([[-0.1, 0, 0], [0, 0.1, 0], [0, 0, -0.1]], axis=0)
    trajectory = px.trajectories.cartesian_via_points(
        UR5, HOME, poses[1:], blend=0.05 * (1 - short), max_velocity=0.5, max_acceleration=2.0
    )
    speed, rise = largest_of_frame(trajectory)
    assert speed <= 0.5 * (1 + 1e-9) and 1.9 < rise <= 2 * (1 + 1e-9)


@pytest.mark.parametrize("angle", [pytest.param(1e-2, marks=pytest.mark.long), 1e-4])
def test_past_a_singular_wrist_the_acceleration_is_kept_or_refused(angle):
    posture = np.array([0.3, -1.0, 1.2, -0.4, angle, 0.1])
    middle, way = px.forward_kinematics(UR5, posture), np.array([0.03, 0.02, 0.03])
    before, after = middle.copy(), middle.copy()
    before[:3, 3] -= way
    after[:3, 3] += way
    q0 = px.inverse_kinematics(UR5, before, q0=posture + [0, 0, 0, 0, 0.3, 0]).q
    limits = dict(max_velocity=0.5, max_acceleration=2.0)
    if angle < 1e-3:
        with pytest.raises(px.ArgumentError, match="cannot follow .* it is singular there"):
            px.trajectories.cartesian_via_points(UR5, q0, [after], **limits)
        return
    speed, rise = largest_of_frame(px.trajectories.cartesian_via_points(UR5, q0, [after], **limits))
    assert speed <= 0.5 * (1 + 1e-9) and rise <= 2 * (1 + 1e-9)


def test_a_frame_that_turns_on_the_spot_slows_down_between_turns():
    goals = [pose_at(HOME, turn=(0, 0, 0.5)), pose_at(HOME, turn=(0, 0.4, 0.5))]
    trajectory = px.trajectories.cartesian_via_points(
        UR5, HOME, goals, blend=0.1, max_velocity=0.8, max_acceleration=2.0
    )
    samples = trajectory.sample(samples=2001)
    spins = (px.jacobian(UR5, samples.q)[:, :3] @ samples.qd[..., None])[..., 0]
    rises = np.linalg.norm(np.diff(spins, axis=0), axis=-1) / np.diff(samples.t)
    assert 1.98 < rises.max() < 2.01
    assert np.linalg.norm(spins[500:1500], axis=-1).min() > 0.1


def test_a_path_of_poses_knows_its_derivatives():
    moves, turns = np.array([[0.3, 0, 0.1], [0, 0.4, 0]]), np.array([[0.5, 1, 0], [0, -0.4, 2]])
    path = Polyline(pose_at(HOME), moves, turns, [0.4, 0.5], blend=0.15)
    h = 1e-5
    for s in (0.1, 0.26, 0.4, 0.5, 0.7):
        (back, v_back, _), (pose, v, a), (ahead, v_ahead, _) = (path(s + d) for d in (-h, 0, h))
        assert np.allclose((ahead - back)[:3, 3] / (2 * h), v[3:], atol=1e-8)
        spin = (ahead - back)[:3, :3] / (2 * h) @ pose[:3, :3].T
        assert np.allclose([spin[2, 1], spin[0, 2], spin[1, 0]], v[:3], atol=1e-8)
        assert np.allclose((v_ahead - v_back) / (2 * h), a, atol=1e-7)


@given(vectors(3), st.sampled_from([1e-9, 1e-3, 1.0, math.pi - 1e-7, math.pi]))
def test_rotation_vectors_are_those_of_rotations(axis, angle):
    if not axis.any():
        return
    turn = rotation(axis / np.linalg.norm(axis) * angle)
    assert np.allclose(turn @ turn.T, np.eye(3), atol=1e-14)
    assert abs(rotation(rotation_vector(turn)) - turn).max() < 1e-12
    assert np.linalg.norm(rotation_vector(turn)) == pytest.approx(angle, rel=1e-6)
