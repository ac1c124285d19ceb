"""Trajectories: what holds for all of them, those of joints, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.trajectories import AWAY, FAR, HOME, MADE, NEAR, SPEED, UR5, pose_at, positive, vectors

import paraxis as px


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


# -- what cannot be --------------------------------------------------------------------------------


def line(**options):
    return px.trajectories.cartesian_line(UR5, HOME, NEAR, **options)


def via(targets=(NEAR, FAR), **options):
    return px.trajectories.cartesian_via_points(UR5, HOME, targets, **options)


SLOW = dict(duration=1.0)
WRONG = {
    "q1: expected 6 numbers, found 5": lambda: px.trajectories.quintic(HOME, AWAY[:5], 1.0),
    "q0: expected 1 dimension, found shape (1, 6)": lambda: px.trajectories.quintic(
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
    "joint 'elbow_joint' leaves its range -3.14159 .. 3.14159: it is at 4 at 1 s": lambda: (
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
    "max_velocity: expected one number or one per joint, found none": lambda: (
        px.trajectories.trapezoidal(HOME, AWAY, max_acceleration=1)
    ),
    "q1 is equal to q0": lambda: px.trajectories.trapezoidal(HOME, HOME, 1, 1),
    "times: expected increasing times, found 1.0 after 1.0": lambda: px.trajectories.via_points(
        [HOME, AWAY, HOME], [0, 1, 1]
    ),
    "times: expected the first to be 0, found 0.5": lambda: px.trajectories.via_points(
        [HOME, AWAY], [0.5, 1]
    ),
    "found 2 points and 3 times": lambda: px.trajectories.via_points([HOME, AWAY], [0, 1, 2]),
    "points: expected 2 dimensions, found shape (6,)": lambda: px.trajectories.via_points(
        HOME, [0]
    ),
    "leaves its range -3.14159 .. 3.14159: it is at 3.": lambda: px.trajectories.via_points(
        [HOME, [0, 0, 3.1, 0, 0, 0], [0, 0, 3.0, 0, 0, 0]], [0, 1, 3], robot=UR5
    ),
    "sample: expected one of dt, samples or times, found none": lambda: line(**SLOW).sample(),
    "found dt and samples": lambda: line(**SLOW).sample(dt=0.1, samples=3),
    "dt: expected a number > 0, found 0.0": lambda: line(**SLOW).sample(dt=0),
    "samples: expected an integer >= 2, found 1": lambda: line(**SLOW).sample(samples=1),
    "times: expected finite numbers, found nan": lambda: line(**SLOW).sample(times=[math.nan]),
    "t: expected times in seconds, found nan": lambda: line(**SLOW)(math.nan),
    "factor: expected a number > 0, found 0.0": lambda: line(**SLOW).stretched(0),
    "give either duration, or max_velocity and max_acceleration": lambda: line(),
    "found duration=1.0, max_velocity=2": lambda: line(duration=1.0, max_velocity=2),
    "target: expected a Pose or a 4x4 matrix": lambda: px.trajectories.cartesian_line(
        UR5, HOME, np.eye(3), **SLOW
    ),
    "target: expected 3 numbers, found 2": lambda: px.trajectories.cartesian_line(
        UR5, HOME, [1, 2], **SLOW
    ),
    "the frame is already at the target at q0": lambda: px.trajectories.cartesian_line(
        UR5, HOME, pose_at(HOME), **SLOW
    ),
    "target 1 is the same as the one before": lambda: via([NEAR, NEAR], **SLOW),
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
    "robot: expected 6 joints, found 2": lambda: line(**SLOW).scaled(px.robots.planar(2)),
    "has no limits of velocity or torque; give": lambda: line(**SLOW).scaled(px.load("puma560")),
    "limits: give max_acceleration or max_torque": lambda: line(**SLOW).fastest(
        UR5, max_torque=math.inf
    ),
    "of the path no joint that moves has a limit": lambda: px.trajectories.quintic(
        [0.0, 0.0], [0.0, 1.0], 1.0
    ).fastest(px.robots.planar(2), max_acceleration=[1, math.inf]),
    "max_torque: expected numbers > 0, found 0.0 for joint 'shoulder_pan_joint'": lambda: line(
        **SLOW
    ).scaled(UR5, max_torque=0),
    "joint 'shoulder_lift_joint': even the slowest motion needs a torque of": lambda: line(
        **SLOW
    ).scaled(UR5, max_torque=[150, 10, 150, 28, 28, 28]),
    "beyond the limit 10": lambda: line(**SLOW).fastest(UR5, max_torque=[150, 10, 150, 28, 28, 28]),
    "the trajectory does not move": lambda: px.trajectories.quintic(HOME, HOME, 1.0).fastest(UR5),
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
    with pytest.raises(
        px.ArgumentError, match="mass: expected .*, one load for the whole trajectory"
    ):
        move.scaled(robot, max_torque=60.0, **px.payload(robot, [1.0, 2.0]))
    with pytest.raises(px.ArgumentError, match="parameters: expected some of .*, found 'weight'"):
        move.fastest(robot, max_torque=60.0, weight=3.0)
