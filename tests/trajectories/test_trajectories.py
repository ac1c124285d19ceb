"""Trajectories: ends, derivatives, straight lines, limits that hold and are met, errors."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import random_robot, robots

import paraxis as px
from paraxis.trajectories import path_grid, time_optimal
from paraxis.trajectories.limit_lines import LimitLines
from paraxis.trajectories.limits import Limits, drive_torques
from paraxis.trajectories.peaks import peaks
from paraxis.trajectories.polyline import Polyline, rotation, rotation_vector

UR5 = px.load("ur5")
HOME = np.array([0.3, -1.0, 1.2, -0.4, 0.9, 0.1])
AWAY = np.array([-0.5, -0.2, 0.4, 0.8, 1.5, -1.0])
EFFORT = np.array([joint.max_effort for joint in UR5.joints])
SPEED = np.array([joint.max_velocity for joint in UR5.joints])

numbers = st.floats(-3, 3).map(lambda x: round(x, 3))


def vectors(n):
    return st.lists(numbers, min_size=n, max_size=n).map(np.array)


def pose_at(q, move=(0, 0, 0), turn=(0, 0, 0), robot=UR5):
    """The pose of the tool at q, moved along the world's axes and turned about its own."""
    pose = px.forward_kinematics(robot, q)
    pose[:3, 3] += move
    pose[:3, :3] = pose[:3, :3] @ rotation(np.array(turn, float))
    return pose


NEAR = pose_at(HOME, (-0.2, 0.1, -0.1), (0.5, 0.6, -0.7))
FAR = pose_at(HOME, (-0.1, 0.1, -0.3), (0.2, 0.9, -0.9))


def with_losses():
    """The UR5 with friction in its joints and gears."""
    gear = px.robots.Transmission(ratio=100, efficiency=((0.1, 0.5), (0.6, 0.8)), torque_limit=150)
    friction = px.robots.Friction(viscous=2.0, coulomb=3.0)
    joints = [
        replace(j, friction=friction, transmission=replace(gear, torque_limit=j.max_effort))
        for j in UR5.joints
    ]
    return replace(UR5, joints=tuple(joints), warn=False)


MADE = {
    "quintic": lambda: px.trajectories.quintic(HOME, AWAY, 2.0),
    "quintic_moving": lambda: px.trajectories.quintic(
        HOME, AWAY, 2.0, qd0=0.4, qd1=-1.0, qdd0=AWAY, qdd1=2.0
    ),
    "trapezoidal": lambda: px.trajectories.trapezoidal(HOME, AWAY, 0.9, 2.0),
    "triangular": lambda: px.trajectories.trapezoidal(HOME, AWAY, 9.0, 2.0),
    "via_points": lambda: px.trajectories.via_points(
        [HOME, AWAY, 0.5 * HOME, HOME], [0, 1, 1.3, 3]
    ),
    "line": lambda: px.trajectories.cartesian_line(UR5, HOME, NEAR, duration=1.5),
    "stops": lambda: px.trajectories.cartesian_via_points(
        UR5, HOME, [NEAR, FAR], max_velocity=0.4, max_acceleration=1.0
    ),
    "blends": lambda: px.trajectories.cartesian_via_points(
        UR5, HOME, [NEAR, FAR], blend=0.05, duration=2.0
    ),
    "fastest": lambda: px.trajectories.quintic(HOME, AWAY, 1.0).fastest(UR5),
}


@pytest.fixture(scope="module", params=MADE)
def made(request):
    return MADE[request.param]()


# -- what holds for all ----------------------------------------------------------------------------


def test_rates_are_the_derivatives(made):
    step = 1e-6
    t = np.random.default_rng(1).uniform(0.01, 0.99, 300) * made.duration
    t = t[abs(t[:, None] - made.knots).min(-1) > 2 * step]  # accelerations may jump at knots
    assert len(t) > 100
    (ahead, qd_ahead, _), (_, qd, qdd), (back, qd_back, _) = (made(t + h) for h in (step, 0, -step))
    assert abs((ahead - back) / (2 * step) - qd).max() < 1e-7
    assert abs((qd_ahead - qd_back) / (2 * step) - qdd).max() < 1e-6 * max(1, abs(qdd).max())


def test_positions_and_rates_do_not_jump(made):
    before, after = (made(np.nextafter(made.knots[1:-1], end)) for end in (0, np.inf))
    assert abs(before[0] - after[0]).max(initial=0) < 1e-12
    assert abs(before[1] - after[1]).max(initial=0) < 1e-9


def test_stands_at_its_ends_outside(made):
    q, qd, qdd = made(np.array([-1.0, made.duration + 1e-3]))
    assert np.array_equal(q, made(np.array([0.0, made.duration]))[0])
    assert not qd.any() and not qdd.any()


def test_one_time_many_times_and_batches_agree(made):
    t = np.linspace(0, made.duration, 6)
    for one, row, batch in zip(made(t[2]), made(t), made(t.reshape(2, 3)), strict=True):
        assert one.shape == (made.n,) and batch.shape == (2, 3, made.n)
        assert np.array_equal(row[2], one) and np.array_equal(batch.reshape(6, -1), row)


def test_stretching_changes_only_time(made):
    slow, t = made.stretched(3.0), np.linspace(0, 1, 50) * made.duration
    assert slow.duration == pytest.approx(3 * made.duration, rel=1e-14)
    for power, (ours, theirs) in enumerate(zip(slow(3 * t), made(t), strict=True)):
        assert abs(ours * 3**power - theirs).max() < 1e-9 * max(1, abs(theirs).max())


@pytest.mark.parametrize("name", ["trapezoidal", "triangular", "stops", "fastest"])
def test_a_joint_that_has_stopped_does_not_brake(name):
    """So that friction at the last sample is not that of a joint about to move back."""
    made = MADE[name]()
    _, braking, deceleration = made(made.duration * (1 - 1e-6))
    assert (braking * deceleration).min() < 0
    _, qd, qdd = made(made.duration)
    assert not qd.any() and not qdd.any()
    for dt in made.duration / np.arange(3, 40):
        assert not made.sample(dt=dt).qdd[-1].any()


def test_at_a_stop_between_lines_the_next_one_holds():
    trajectory = MADE["stops"]()
    stop = trajectory.legs[0].profile.length
    _, qd, qdd = trajectory(stop)
    _, ahead, _ = trajectory(stop + 1e-6)
    assert abs(qd).max() < 1e-9 and abs(qdd * 1e-6 - ahead).max() < 1e-9


def test_accelerations_are_continuous_where_promised():
    for name in ("quintic", "quintic_moving", "via_points", "line", "blends"):
        trajectory = MADE[name]()
        t = np.linspace(0, trajectory.duration, 20001)
        jumps = abs(np.diff(trajectory(t)[2], axis=0)).max()
        assert jumps < 0.01 * abs(trajectory(t)[2]).max(), name


# -- joint space -----------------------------------------------------------------------------------


@given(vectors(3), vectors(3), st.floats(0.1, 10), st.tuples(*[vectors(3)] * 4))
def test_quintic_meets_its_ends(q0, q1, duration, ends):
    trajectory = px.trajectories.quintic(q0, q1, duration, *ends)
    qd0, qd1, qdd0, qdd1 = ends
    qdd1 = np.where(qd1 == 0, 0.0, qdd1)  # at rest it stands
    for found, wanted in (
        (trajectory(0.0), (q0, qd0, qdd0)),
        (trajectory(trajectory.duration), (q1, qd1, qdd1)),
    ):
        assert np.allclose(found, wanted, atol=1e-9, rtol=1e-9)


def test_quintic_from_rest_to_rest_is_the_textbook_one():
    z = np.linspace(0, 1, 21)[:, None]
    samples = px.trajectories.quintic(HOME, AWAY, 2.0).sample(samples=21)
    assert np.allclose(samples.q, HOME + (AWAY - HOME) * (10 * z**3 - 15 * z**4 + 6 * z**5))


def test_via_points_is_the_interpolating_spline_of_fifth_degree():
    from scipy.interpolate import make_interp_spline

    rng = np.random.default_rng(0)
    times = np.array([0.0, 0.4, 1.5, 1.6, 2.9, 3.0])
    points, (qd0, qd1, qdd0, qdd1) = rng.uniform(-2, 2, (6, 4)), rng.uniform(-1, 1, (4, 4))
    ends = [(1, qd0), (2, qdd0)], [(1, qd1), (2, qdd1)]
    theirs, t = make_interp_spline(times, points, k=5, bc_type=ends), np.linspace(0, 3, 301)
    for order, ours in enumerate(
        px.trajectories.via_points(points, times, qd0, qd1, qdd0, qdd1)(t)
    ):
        expected = theirs(t, nu=order)
        assert abs(ours - expected).max() < 1e-9 * max(1, abs(expected).max())


def test_two_via_points_are_a_quintic():
    t = np.linspace(0, 2, 9)
    assert np.allclose(
        px.trajectories.via_points([HOME, AWAY], [0, 2])(t),
        px.trajectories.quintic(HOME, AWAY, 2)(t),
    )


positive = st.floats(0.05, 20)


@given(vectors(3), vectors(3), st.tuples(*[positive] * 3), st.tuples(*[positive] * 3))
def test_trapezoidal_is_as_quick_as_the_slowest_joint(q0, q1, velocity, acceleration):
    if np.array_equal(q0, q1):
        return
    trajectory = px.trajectories.trapezoidal(q0, q1, velocity, acceleration)
    samples = trajectory.sample(samples=2001)
    assert np.allclose(samples.q[[0, -1]], [q0, q1], atol=1e-12)
    assert abs(samples.qd[[0, -1]]).max() < 1e-9
    rates, rises = abs(samples.qd).max(0) / velocity, abs(samples.qdd).max(0) / acceleration
    assert max(rates.max(), rises.max()) < 1 + 1e-9
    assert rises.max() > 1 - 1e-9 or rates.max() > 1 - 1e-3
    alone = []  # the time each joint would need by itself
    for way, v, a in zip(abs(q1 - q0), velocity, acceleration, strict=True):
        alone.append(way / v + v / a if way > v * v / a else 2 * math.sqrt(way / a))
    assert trajectory.duration >= max(alone) * (1 - 1e-12)
    if len(set(velocity)) == len(set(acceleration)) == 1:
        assert trajectory.duration == pytest.approx(max(alone))


def test_trapezoidal_takes_the_velocities_of_the_robot():
    samples = px.trajectories.trapezoidal(HOME, AWAY, max_acceleration=50, robot=UR5).sample(
        samples=1001
    )
    assert (abs(samples.qd).max(0) / SPEED).max() == pytest.approx(1)


def test_ways_to_sample():
    trajectory = px.trajectories.quintic(HOME, AWAY, 1.0)
    assert np.array_equal(trajectory.sample(samples=5).t, [0, 0.25, 0.5, 0.75, 1])
    assert np.allclose(trajectory.sample(dt=0.1).t, np.arange(11) / 10)
    late = trajectory.sample(dt=0.3)
    assert np.allclose(late.t, [0, 0.3, 0.6, 0.9, 1.2]) and np.allclose(late.q[-1], AWAY)
    t, q, qd, qdd = trajectory.sample(times=[0.2, 0.1])
    assert np.array_equal(q, trajectory(t)[0]) and q.shape == qd.shape == qdd.shape == (2, 6)
    assert repr(trajectory) == "<Trajectory: 6 joints, 1 s>"


# -- lines of a frame ------------------------------------------------------------------------------


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
    with pytest.raises(px.ArgumentError, match="beyond 0.0% of the way"):
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


@pytest.mark.parametrize("blend", [0.01, pytest.param(0.05, marks=pytest.mark.long), 0.1])
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
        with pytest.raises(px.ArgumentError, match="cannot beyond .* it is singular there"):
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


# -- limits ----------------------------------------------------------------------------------------


def ratios(robot, trajectory, velocity, acceleration, torque, count=20_001):
    """The largest rate, acceleration and drive torque over their limits, on many samples."""
    t = np.random.default_rng(5).uniform(0, trajectory.duration, count)
    q, qd, qdd = trajectory(t)
    tau = drive_torques(robot, q, qd, qdd)
    pairs = ((qd, velocity), (qdd, acceleration), (tau, torque))
    return np.stack([(abs(value) / limit).max(-1) for value, limit in pairs])


LIMITS = {
    "velocity": dict(max_velocity=1.0, max_torque=np.inf),
    "acceleration": dict(max_velocity=np.inf, max_acceleration=2.0, max_torque=np.inf),
    "torque": dict(max_velocity=np.inf, max_torque=EFFORT),
    "own": dict(),
    "all": dict(max_velocity=SPEED, max_acceleration=[8, 8, 9, 9, 9, 9], max_torque=0.8 * EFFORT),
}


def ratios_of_ur5(trajectory, limits):
    """To these limits, or where there are none to its own."""
    return ratios(
        UR5,
        trajectory,
        limits.get("max_velocity", SPEED),
        np.array(limits.get("max_acceleration", np.inf)),
        limits.get("max_torque", EFFORT),
    )


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("name", ["quintic", "trapezoidal", "via_points", "stops", "blends"])
def test_scaled_meets_the_limits(name, limits):
    limits = LIMITS[limits]
    scaled = MADE[name]().scaled(UR5, **limits)
    most = ratios_of_ur5(scaled, limits).max()
    assert 1 - 1e-4 < most <= 1 + 1e-9


def test_scaled_torques_count_losses():
    robot = with_losses()
    scaled = MADE["quintic"]().scaled(robot, max_velocity=np.inf)
    most = ratios(robot, scaled, np.inf, np.inf, EFFORT).max()
    assert 1 - 1e-4 < most <= 1 + 1e-9
    assert scaled.duration > MADE["quintic"]().scaled(UR5, max_velocity=np.inf).duration


@settings(max_examples=8)
@given(robots(joints=(1, 4)), st.integers(0, 100))
def test_scaled_meets_torque_limits_of_any_robot(robot, seed):
    q0, q1 = np.random.default_rng(seed).uniform(-2, 2, (2, robot.n))
    trajectory = px.trajectories.quintic(q0, q1, 1.0)
    weight = abs(px.gravity_torques(robot, trajectory.sample(samples=200).q)).max(0)
    limit = 1.3 * weight + 0.5
    scaled = trajectory.scaled(robot, max_torque=limit)
    most = ratios(robot, scaled, np.inf, np.inf, limit).max()
    assert 1 - 1e-4 < most <= 1 + 1e-9
    again = scaled.scaled(robot, max_torque=limit)
    assert again.duration == pytest.approx(scaled.duration, rel=1e-9)


def test_the_limit_of_a_transmission_goes_before_that_of_the_description():
    def limited(limit):
        gear = px.robots.Transmission(torque_limit=limit)
        return replace(
            UR5, joints=tuple(replace(j, transmission=gear) for j in UR5.joints), warn=False
        )

    trajectory = px.trajectories.quintic(HOME, AWAY, 1.0)
    weak, strong = (trajectory.scaled(limited(limit), max_velocity=np.inf) for limit in (60, 100))
    assert ratios(limited(60), weak, np.inf, np.inf, 60).max() == pytest.approx(1, abs=1e-4)
    assert weak.duration > strong.duration


@pytest.mark.parametrize("limits", ["acceleration", "torque", "all"])
@pytest.mark.parametrize("name", ["quintic", "via_points", "stops", "blends"])
def test_fastest_is_at_a_limit_nearly_everywhere(name, limits):
    limits, slow = LIMITS[limits], MADE[name]()
    fastest = slow.fastest(UR5, **limits)
    found = ratios_of_ur5(fastest, limits).max(0)
    assert found.max() <= 1 + 1e-9
    assert (found > 0.97).mean() > 0.97
    assert fastest.duration < slow.scaled(UR5, **limits).duration
    for end in (0.0, 1.0):
        q, qd, _ = fastest(end * fastest.duration)
        assert np.allclose(q, slow(end * slow.duration)[0]) and abs(qd).max() < 1e-6


@given(vectors(3), vectors(3), st.tuples(*[positive] * 3), st.tuples(*[positive] * 3))
@settings(max_examples=8)
def test_fastest_along_a_line_is_the_trapezoid(q0, q1, velocity, acceleration):
    if abs(q1 - q0).max() < 1e-2:
        return
    trapezoid = px.trajectories.trapezoidal(q0, q1, velocity, acceleration)
    fastest = px.trajectories.quintic(q0, q1, 1.0).fastest(
        px.robots.planar(3), max_velocity=velocity, max_acceleration=acceleration, max_torque=np.inf
    )
    assert fastest.duration == pytest.approx(
        trapezoid.duration, rel=3e-3
    )  # one interval of the grid at each end


@pytest.mark.parametrize("name", ["quintic", "quintic_moving", "line"])
def test_the_sweeps_solve_the_linear_program(name, monkeypatch):
    """x that is largest everywhere at once is also the one of largest sum.

    On a grid that is so but near places where the limit that is met does not depend on u: there
    the largest step may lead to where the next must be smaller.
    """
    from scipy.optimize import linprog

    monkeypatch.setattr(path_grid, "INTERVALS", 60)
    grid = path_grid.Grid(MADE[name]().legs[0].path)
    limits = Limits.of(UR5, 6, None, 20.0, None)
    lines = LimitLines(UR5, grid, limits)
    x, u = time_optimal.sweeps(grid, lines)
    count, rows, right = len(grid.step), [], []
    for i in range(count):
        for a, b, c in zip(lines.A[i], lines.B[i], lines.C[i], strict=True):
            row = np.zeros(count + 1)
            row[i], row[i + 1] = b - a / (2 * grid.step[i]), a / (2 * grid.step[i])
            rows.append(row)
            right.append(c)
    bounds = [(0, most) for most in lines.most]
    bounds[0] = bounds[-1] = (0, 0)
    best = linprog(-np.ones(count + 1), rows, right, bounds=bounds)
    assert best.status == 0
    assert abs(x - best.x).max() < 5e-3 * x.max()
    assert np.median(abs(x - best.x)) < 1e-9 * x.max()
    assert np.allclose(np.diff(x), 2 * grid.step * u)


def test_fastest_with_losses():
    robot, path = with_losses(), MADE["quintic"]()
    fastest = path.fastest(robot, max_velocity=np.inf)
    found = ratios(robot, fastest, np.inf, np.inf, EFFORT).max(0)
    assert found.max() <= 1 + 1e-9
    assert (found > 0.98).mean() > 0.95
    assert fastest.duration < path.scaled(robot, max_velocity=np.inf).duration


def quickest(robot, q0, q1, limit):
    """The least time of a robot with one joint, in the phase plane.

    Full thrust from the start and full braking into the end, the latter backward in time; where
    the two curves of speed over place meet, one ends and the other begins. None where it gets
    stuck.
    """
    (joint,) = robot.joints
    friction, gear, way = joint.friction, joint.transmission, math.copysign(1.0, q1 - q0)
    inertia, places = px.mass_matrix(robot, [0.0])[0, 0], np.linspace(0, abs(q1 - q0), 2001)
    weights = px.gravity_torques(robot, (q0 + way * places)[:, None])[:, 0]

    def acceleration(side, place, speed):  # all along the motion
        left = side * limit - gear.break_away
        at_joint = left * (gear.efficiency if left > 0 else 1 / gear.efficiency)
        stuck = (friction.static - friction.coulomb) / (
            1 + (speed / friction.stribeck_velocity) ** 2
        )
        lost = friction.coulomb + stuck + friction.viscous * speed
        return (at_joint - lost - way * np.interp(place, places, weights)) / inertia

    def curve(side, place):
        speed, t, dt, rows = 0.0, 0.0, 1e-5, []
        while 0 <= place <= places[-1]:
            rows.append((place, speed, t))
            half = speed + dt / 2 * side * acceleration(side, place, speed)
            middle = place + dt / 2 * side * speed
            speed += dt * side * acceleration(side, middle, half)
            if speed <= 0:
                return None
            place, t, dt = place + dt * side * half, t + dt, min(1.02 * dt, 2e-4)
        return np.array(rows)[::side].T

    thrust, braking = curve(1, 0.0), curve(-1, places[-1])
    if thrust is None or braking is None:
        return None
    speeds = [np.interp(places, place, speed) for place, speed, _ in (thrust, braking)]
    switch = places[np.argmax(speeds[0] >= speeds[1])]
    return sum(np.interp(switch, place, t) for place, _, t in (thrust, braking))


def geared(friction, efficiency, break_away, ratio=10.0):
    gear = px.robots.Transmission(ratio=ratio, efficiency=efficiency, break_away=break_away)
    return {"friction": friction, "transmission": gear}


@pytest.mark.parametrize("q0, q1", [(1.4, 0.5), (1.0, 0.0), (0.0, 1.0)])
@pytest.mark.parametrize("limit", [4, 5.5, 9])
def test_fastest_with_one_lossy_joint_is_the_optimum(q0, q1, limit):
    arm = px.robots.planar(1).with_drives(
        {"joint1": geared(px.robots.Friction(coulomb=0.3), 0.8, 0.2)}
    )
    path, best = px.trajectories.quintic([q0], [q1], 1.0), quickest(arm, q0, q1, limit)
    if best is None:
        with pytest.raises(px.ArgumentError, match="expected a torque within"):
            path.fastest(arm, max_torque=limit)
        return
    fastest = path.fastest(arm, max_torque=limit)
    assert fastest.duration == pytest.approx(best, rel=5e-3)
    assert ratios(arm, fastest, np.inf, np.inf, limit).max() <= 1 + 1e-9
    assert fastest.duration < path.scaled(arm, max_torque=limit).duration


@pytest.mark.long
@settings(max_examples=4)
@given(st.integers(0, 10**6), st.booleans())
def test_fastest_with_any_lossy_joint_is_the_optimum(seed, sticks):
    rng = np.random.default_rng(seed)
    coulomb, viscous = rng.uniform(0, 1, 2)
    friction = px.robots.Friction(coulomb=coulomb, viscous=viscous, static=coulomb + 0.5 * sticks)
    drive = geared(friction, rng.uniform(0.5, 1), rng.uniform(0, 0.4), rng.choice([-10, 50]))
    arm, (q0, q1) = px.robots.planar(1).with_drives({"joint1": drive}), rng.uniform(-3, 3, 2)
    if abs(q1 - q0) < 0.05:
        return
    fastest = px.trajectories.quintic([q0], [q1], 1.0).fastest(arm, max_torque=14.0)
    assert fastest.duration == pytest.approx(quickest(arm, q0, q1, 14.0), rel=1e-2)
    assert ratios(arm, fastest, np.inf, np.inf, 14.0).max() <= 1 + 1e-9


@settings(max_examples=2)
@given(st.integers(0, 10**6))
def test_fastest_with_two_lossy_joints(seed):
    rng = np.random.default_rng(seed)
    drives = {
        name: geared(px.robots.Friction(coulomb=rng.uniform(0, 1)), rng.uniform(0.6, 1), 0.2)
        for name in ("joint1", "joint2")
    }
    arm, (q0, q1) = px.robots.planar(2).with_drives(drives), rng.uniform(-2, 2, (2, 2))
    path = px.trajectories.quintic(q0, q1, 1.0)
    limit = 2 * abs(px.gravity_torques(arm, path.sample(samples=200).q)).max(0) + 4
    fastest = path.fastest(arm, max_torque=limit)
    found = ratios(arm, fastest, np.inf, np.inf, limit).max(0)
    assert found.max() <= 1 + 1e-9
    assert (found > 0.97).mean() > 0.97
    assert fastest.duration < path.scaled(arm, max_torque=limit).duration


def test_fastest_with_bearings_through_points():
    """A path that begins and ends at rest by itself, as all splines do."""
    drive = {"friction": px.robots.Friction([px.robots.JournalBearing(0.1, 0.04, 0.2)])}
    robot = UR5.with_drives(dict.fromkeys(UR5.joint_names, drive))
    home = np.array([0.3, -1.2, 1.5, -1.8, -1.5, 0.0])
    goal = home + np.random.default_rng(1).uniform(-1.5, 1.5, 6)
    path = px.trajectories.via_points([home, (home + goal) / 2 + 0.2, goal], [0, 0.5, 1])
    fastest = path.fastest(robot, max_acceleration=40.0)
    found = ratios(robot, fastest, SPEED, 40.0, EFFORT).max(0)
    assert found.max() <= 1 + 1e-9
    assert found.mean() > 0.99
    assert fastest.duration < 0.7 * path.scaled(robot, max_acceleration=40.0).duration


def with_random_losses(seed, bearings):
    rng, plain = random.Random(seed), random_robot(seed, joints=(1, 5))
    joints = []
    for joint in plain.joints:
        held = (
            [px.robots.JournalBearing(0.1, 0.04, 0.2)]
            if bearings and joint.kind != "prismatic"
            else []
        )
        viscous, coulomb = rng.uniform(0, 2), rng.uniform(0, 1)
        friction = px.robots.Friction(held, viscous=viscous, coulomb=coulomb, static=1.5)
        gear = px.robots.Transmission(
            ratio=rng.choice((-50, 1, 100)), efficiency=rng.uniform(0.5, 1), break_away=0.5
        )
        joints.append(replace(joint, friction=friction, transmission=gear))
    return replace(plain, joints=tuple(joints), warn=False)


# where joints turn back without inertia to speak of, where bearings feel u more than the joint does
@pytest.mark.parametrize(
    "seed, bearings",
    [
        *((2, False), (9, False), (16, False), (10, True)),
        *(pytest.param(seed, True, marks=pytest.mark.long) for seed in (1, 6)),
    ],
)
def test_fastest_where_joints_turn_back_against_static_friction(seed, bearings):
    """Losses that jump within the path cost time there, and nowhere else."""
    robot = with_random_losses(seed, bearings)
    path = px.trajectories.via_points(
        np.random.default_rng(seed).uniform(-2, 2, (3, robot.n)), [0, 1, 2.5]
    )
    limit = 2.5 * abs(px.gravity_torques(robot, path.sample(samples=500).q)).max(0) + 8
    fastest = path.fastest(robot, max_velocity=3, max_torque=limit)
    found = ratios(robot, fastest, 3, np.inf, limit).max(0)
    assert found.max() <= 1 + 1e-9
    assert (found > 0.95).mean() > 0.98


@pytest.mark.parametrize(
    "points",
    [
        [[-0.88, -0.16], [-1.51, 0.09], [-0.36, -1.71], [-1.6, 1.95]],
        pytest.param(
            [[1.22, 1.23], [0.06, -0.86], [-1.78, -0.47], [-0.37, -1.82]], marks=pytest.mark.long
        ),
    ],
)
def test_at_the_instant_a_joint_turns_back_torques_are_those_of_one_side(points):
    """There u jumps as friction does; u of one side and friction of the other are no motion."""
    drive = geared(px.robots.Friction(coulomb=0.5), 0.5, 0.5, 50.0)
    robot, limit = px.robots.planar(2).with_drives({"joint1": drive, "joint2": drive}), [80.0, 30.0]
    fastest = px.trajectories.via_points(points, [0, 1, 2, 3]).fastest(robot, max_torque=limit)
    knots = fastest.knots[1:-1]
    for t in (knots, np.nextafter(knots, 0), np.nextafter(knots, 9), knots - 1e-9, knots + 1e-9):
        assert (abs(drive_torques(robot, *fastest(t))) / limit).max() <= 1 + 1e-9
    turned = np.diff(np.sign(fastest(knots)[1]), axis=0)
    assert np.count_nonzero(turned) >= 2  # joints do turn back


def test_pieces_end_where_anything_jumps_and_see_their_own_side():
    path = px.trajectories.via_points(
        [[0.0, 1.0], [1.0, 0.2], [0.3, 0.9], [1.2, -0.4]], [0, 1, 2, 3]
    )
    pieces = path.smooth_pieces
    which = np.arange(len(pieces))
    rates = pieces.motion(which, np.tile(np.linspace(0, 1, 21), (len(pieces), 1))).qd
    assert (abs(np.sign(rates).sum(1)) == 21).all()  # no joint turns back inside, nor at the ends
    t = np.linspace(0, 3, 30_001)
    turns = np.count_nonzero(np.diff(np.sign(path(t)[1][1:-1]), axis=0))
    assert turns == np.count_nonzero(np.diff(pieces.direction, axis=0)) >= 3
    (turning,) = (found for found, _ in [path.legs[0].path.turns()])
    assert len(turning) == turns
    assert abs(path(turning)[1]).min(-1).max() < 1e-14


@pytest.mark.parametrize("place", [0.06, 0.44, 0.94])
def test_peaks_between_samples_are_found(place, monkeypatch):
    """Also at the end of a piece, where both samples around it are below the top of another."""
    monkeypatch.setattr("paraxis.trajectories.peaks.DENSE", 9)
    evenly = px.trajectories.quintic([0.0], [1.0], 1.0, qd0=1.0, qd1=1.0)  # q is t

    def values(motion):
        higher, lower = ((motion.q - each) * 8 for each in (place, 0.75 if place < 0.9 else 0.25))
        return np.maximum(1 - 0.5 * higher**2, 0.95 - 0.5 * lower**2)

    found = peaks(values, evenly)
    assert found.value[0] == pytest.approx(1.0, abs=1e-9)
    assert found.t[0] == pytest.approx(place, abs=1e-5)


def test_a_motor_that_turns_the_other_way_is_the_same_drive():
    """So that what it brings above and below its limit is not mixed up."""
    q, qd, qdd = px.trajectories.quintic([1.4, 0.2], [0.5, -1.0], 1.0).sample(samples=21)[1:]

    def drive(ratio):
        return geared(px.robots.Friction(coulomb=0.3), 0.8, 0.2, ratio)

    backward, forward = (
        px.robots.planar(2).with_drives(dict.fromkeys(("joint1", "joint2"), drive(ratio)))
        for ratio in (-10.0, 10.0)
    )
    assert np.allclose(drive_torques(backward, q, qd, qdd), drive_torques(forward, q, qd, qdd))


# -- what cannot be --------------------------------------------------------------------------------


def line(**options):
    return px.trajectories.cartesian_line(UR5, HOME, NEAR, **options)


def via(targets=(NEAR, FAR), **options):
    return px.trajectories.cartesian_via_points(UR5, HOME, targets, **options)


SLOW = dict(duration=1.0)
WRONG = {
    "q1: expected 6 numbers, found 5": lambda: px.trajectories.quintic(HOME, AWAY[:5], 1.0),
    "q0: expected 1 dimensions, found shape (1, 6)": lambda: px.trajectories.quintic(
        [HOME], AWAY, 1.0
    ),
    "q0: expected finite numbers, found nan": lambda: px.trajectories.quintic([math.nan], [0], 1.0),
    "q0: expected numbers, found 'home'": lambda: px.trajectories.quintic("home", [0], 1.0),
    "q0: expected 6 numbers, found 2": lambda: px.trajectories.quintic(
        [0, 1], [1, 0], 1.0, robot=UR5
    ),
    "duration: expected a number > 0, found 0.0": lambda: px.trajectories.quintic(HOME, AWAY, 0),
    "duration: expected a number > 0, found -1.0": lambda: line(duration=-1),
    "duration: expected finite numbers, found inf": lambda: px.trajectories.quintic(
        HOME, AWAY, math.inf
    ),
    "qd1: expected 6 numbers, found 2": lambda: px.trajectories.quintic(HOME, AWAY, 1, qd1=[1, 2]),
    "joint 'elbow_joint': expected to stay within -3.14159 .. 3.14159, found 4 at 1 s": lambda: (
        px.trajectories.quintic(HOME, [0, 0, 4, 0, 0, 0], 1.0, robot=UR5)
    ),
    "max_velocity: expected numbers > 0, found 0.0 for joint 2": lambda: (
        px.trajectories.trapezoidal(HOME, AWAY, [1, 1, 0, 1, 1, 1], 1.0)
    ),
    "max_acceleration: expected numbers > 0, found -2.0 for joint 0": lambda: (
        px.trajectories.trapezoidal(HOME, AWAY, 1.0, -2)
    ),
    "max_acceleration: expected a finite number, found inf": lambda: px.trajectories.trapezoidal(
        HOME, AWAY, 1.0, math.inf
    ),
    "max_velocity: expected a number or 6 numbers, found [1, 2]": lambda: (
        px.trajectories.trapezoidal(HOME, AWAY, [1, 2], 1.0)
    ),
    "max_velocity: expected a number or one a joint, found none": lambda: (
        px.trajectories.trapezoidal(HOME, AWAY, max_acceleration=1)
    ),
    "q1: expected other values than q0, found the same": lambda: px.trajectories.trapezoidal(
        HOME, HOME, 1, 1
    ),
    "times: expected rising times, found 1.0 after 1.0": lambda: px.trajectories.via_points(
        [HOME, AWAY, HOME], [0, 1, 1]
    ),
    "times: expected the first to be 0, found 0.5": lambda: px.trajectories.via_points(
        [HOME, AWAY], [0.5, 1]
    ),
    "found 2 points and 3 times": lambda: px.trajectories.via_points([HOME, AWAY], [0, 1, 2]),
    "points: expected 2 dimensions, found shape (6,)": lambda: px.trajectories.via_points(
        HOME, [0]
    ),
    "expected to stay within -3.14159 .. 3.14159, found 3.": lambda: px.trajectories.via_points(
        [HOME, [0, 0, 3.1, 0, 0, 0], [0, 0, 3.0, 0, 0, 0]], [0, 1, 3], robot=UR5
    ),
    "sample: expected one of dt, samples and times, found none": lambda: line(**SLOW).sample(),
    "found dt and samples": lambda: line(**SLOW).sample(dt=0.1, samples=3),
    "dt: expected a number > 0, found 0.0": lambda: line(**SLOW).sample(dt=0),
    "samples: expected a whole number >= 2, found 1": lambda: line(**SLOW).sample(samples=1),
    "times: expected finite numbers, found nan": lambda: line(**SLOW).sample(times=[math.nan]),
    "t: expected times, found nan": lambda: line(**SLOW)(math.nan),
    "factor: expected a number > 0, found 0.0": lambda: line(**SLOW).stretched(0),
    "expected a duration, or max_velocity and max_acceleration": lambda: line(),
    "found duration=1.0, max_velocity=2": lambda: line(duration=1.0, max_velocity=2),
    "target: expected a Pose or a 4x4 matrix": lambda: px.trajectories.cartesian_line(
        UR5, HOME, np.eye(3), **SLOW
    ),
    "target: expected 3 numbers, found 2": lambda: px.trajectories.cartesian_line(
        UR5, HOME, [1, 2], **SLOW
    ),
    "target 0: expected another pose than the one before": lambda: px.trajectories.cartesian_line(
        UR5, HOME, pose_at(HOME), **SLOW
    ),
    "targets: expected all poses or all points": lambda: via([NEAR, NEAR[:3, 3]], **SLOW),
    "targets: expected a sequence of poses or of points, found []": lambda: via([], **SLOW),
    "targets: expected a sequence of poses or of points, found one matrix": lambda: via(
        NEAR, **SLOW
    ),
    "targets: expected a sequence of poses or of points, found one with 3": lambda: via(
        NEAR[:3, 3], **SLOW
    ),
    "blend: expected a number from 0 to half of the shortest line": lambda: via(blend=0.2, **SLOW),
    "q0: joint 'elbow_joint': expected a value within": lambda: px.trajectories.cartesian_line(
        UR5, [0, 0, 5, 0, 0, 0], NEAR, **SLOW
    ),
    "it is singular there": lambda: px.trajectories.cartesian_line(
        UR5, HOME, pose_at(HOME, (2, 0, 0)), **SLOW
    ),
    "robot: expected a Robot": lambda: px.trajectories.cartesian_line("ur5", HOME, NEAR, **SLOW),
    "robot: expected one with 6 joints, found 2": lambda: line(**SLOW).scaled(px.robots.planar(2)),
    "limits: expected one of velocity, acceleration or torque": lambda: line(**SLOW).scaled(
        px.load("puma560")
    ),
    "limits: expected one of acceleration or torque, found none": lambda: line(**SLOW).fastest(
        UR5, max_torque=math.inf
    ),
    "limits: expected one for each joint, found none at": lambda: px.trajectories.quintic(
        [0.0, 0.0], [0.0, 1.0], 1.0
    ).fastest(px.robots.planar(2), max_acceleration=[1, math.inf]),
    "max_torque: expected numbers > 0, found 0.0 for joint 'shoulder_pan_joint'": lambda: line(
        **SLOW
    ).scaled(UR5, max_torque=0),
    "joint 'shoulder_lift_joint': expected a torque within 10, found that the slowest": lambda: (
        line(**SLOW).scaled(UR5, max_torque=[150, 10, 150, 28, 28, 28])
    ),
    "expected a torque within 10": lambda: line(**SLOW).fastest(
        UR5, max_torque=[150, 10, 150, 28, 28, 28]
    ),
    "expected one that moves, found one that stands still": lambda: px.trajectories.quintic(
        HOME, HOME, 1.0
    ).fastest(UR5),
}


@pytest.mark.parametrize("message", WRONG)
def test_errors_name_what_is_wrong(message):
    with pytest.raises(ValueError) as caught:
        WRONG[message]()
    assert isinstance(caught.value, px.ParaxisError)
    assert message in str(caught.value)


@pytest.mark.parametrize("way", ["scaled", "fastest"])
def test_a_load_is_within_the_limits(way):
    """As of a robot that holds the same body for good, and as with the push added by hand."""
    robot = px.robots.planar(2)
    move = px.trajectories.quintic([0.0, 0.2], [1.2, -0.5], 1.0)
    limits = {"max_torque": [60.0, 30.0]}
    load = px.payload(robot, 1.5, com=(0.1, 0.0, 0.0))
    own = getattr(move, way)(robot.with_payload(1.5, com=(0.1, 0.0, 0.0)), **limits)
    loaded = getattr(move, way)(robot, **limits, **load)
    assert abs(loaded.duration - own.duration) < 1e-6 * own.duration
    assert loaded.duration > 1.02 * getattr(move, way)(robot, **limits).duration
    push = np.zeros((2, 6))
    push[1, 3:] = -10.0
    pushed = getattr(move, way)(robot, **limits, external_force=push)
    q, qd, qdd = pushed(np.linspace(0, pushed.duration, 2000))
    torque = px.inverse_dynamics(robot, q, qd, qdd, external_force=push)
    assert 0.99 < (abs(torque) / limits["max_torque"]).max() < 1 + 1e-6


def test_a_load_is_one_for_the_whole_trajectory():
    robot, move = px.robots.planar(2), px.trajectories.quintic([0.0, 0.2], [1.2, -0.5], 1.0)
    with pytest.raises(px.ArgumentError, match="mass: expected one load for the whole trajectory"):
        move.scaled(robot, max_torque=60.0, **px.payload(robot, [1.0, 2.0]))
    with pytest.raises(px.ArgumentError, match="parameters: expected some of .*, found 'weight'"):
        move.fastest(robot, max_torque=60.0, weight=3.0)
