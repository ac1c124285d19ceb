"""Hard contact against closed forms and laws of mechanics."""

import dataclasses

import numpy as np
import pytest
from support.on_ground import G, at, ball, box, energy, run, thrown

import paraxis as px
from paraxis.simulation import ContactPoint, Ground, Plane
from paraxis.simulation.ground.step import GroundStep

ANGLE = 0.5  # of the incline, rad


@pytest.mark.parametrize("friction", [0.0, 0.3, 0.5, 0.6, 1.0])
def test_a_block_on_an_incline_sticks_or_slips_at_the_angle(friction):
    robot, corners = box()
    normal = np.array([-np.sin(ANGLE), 0.0, np.cos(ANGLE)])
    slope = Plane(normal=normal)
    quaternion = (0.0, -np.sin(ANGLE / 2), 0.0, np.cos(ANGLE / 2))
    q = at(*(0.05 * normal), quaternion)
    ground = Ground(corners[:4], slope, friction=friction, sweeps=60, tolerance=1e-12)
    found = run(robot, ground, q, np.zeros(6), steps=200)
    downhill = max(0.0, G * (np.sin(ANGLE) - friction * np.cos(ANGLE)))
    speed = found.qd[-1] @ np.array([-1.0, 0, 0, 0, 0, 0])  # along the body's own x
    assert speed == pytest.approx(downhill * 0.2, abs=1e-9)
    assert abs(found.qd[-1][1:]).max() < 1e-9
    assert found.residual[50:].max() < 1e-10


def test_a_bouncing_ball_keeps_time():
    robot, points = ball()
    e, height, dt = 0.6, 1.0, 1e-4
    found = run(
        robot, Ground(points, restitution=e), at(0, 0, 0.1 + height), np.zeros(6), 20000, dt
    )
    v = found.qd[:, 2]
    bounces = found.t[1:][(v[:-1] < 0) & (v[1:] > 0)][:5]
    fall = np.sqrt(2 * height / G)
    times = fall * np.array([1.0, *(1 + 2 * np.cumsum(e ** np.arange(1, 5)))])
    np.testing.assert_allclose(bounces, times, atol=2 * dt * len(times))
    assert abs(found.q[-1][2] - 0.1) < 1e-9  # at rest, since it has become slow
    assert abs(found.qd[-1]).max() < 1e-9


@pytest.mark.parametrize("speed", [0.5, 10.0, 300.0])
def test_a_fast_ball_without_restitution_stops_on_the_surface(speed):
    robot, points = ball()
    dt = 1e-2
    start = at(0, 0, 0.1 + 2.5 * speed * dt)
    found = run(robot, Ground(points), start, [0, 0, -speed, 0, 0, 0], 6, dt)
    np.testing.assert_allclose(found.q[-3:, 2], 0.1, atol=1e-9)
    np.testing.assert_allclose(found.qd[-2:], 0.0, atol=1e-9)


def test_a_sliding_ball_begins_to_roll_at_five_sevenths():
    robot, points = ball()
    found = run(robot, Ground(points, friction=0.3), at(0, 0, 0.1), [2.0, 0, 0, 0, 0, 0], 1000)
    world = px.jacobian(robot, found.q, "body") @ found.qd[..., None]
    vx, wy = world[:, 3, 0], world[:, 1, 0]
    rolling = 2 * 2.0 / (7 * 0.3 * G)
    np.testing.assert_allclose(vx[-1], 2.0 * 5 / 7, rtol=1e-9)
    np.testing.assert_allclose(wy[-1] * 0.1, vx[-1], rtol=1e-9)
    slipping = vx - 0.1 * wy > 1e-6
    assert found.t[slipping][-1] == pytest.approx(rolling, abs=3e-3)
    half = found.t < 0.9 * rolling
    np.testing.assert_allclose(vx[half], 2.0 - 0.3 * G * found.t[half], atol=1e-9)


def test_a_spinning_ball_begins_to_roll_at_two_sevenths():
    robot, points = ball()
    found = run(robot, Ground(points, friction=0.3), at(0, 0, 0.1), [0, 0, 0, 0, 7.0, 0], 1000)
    world = px.jacobian(robot, found.q[-1], "body") @ found.qd[-1]
    assert world[3] == pytest.approx(0.7 * 2 / 7, rel=1e-9)


def test_a_box_at_rest_stays_and_carries_its_weight():
    robot, corners = box()
    found = run(robot, Ground(corners[:4], tolerance=1e-13), at(0, 0, 0.05), np.zeros(6), 500)
    np.testing.assert_allclose(found.q[-1], at(0, 0, 0.05), atol=1e-12)
    weight = found.impulses[..., 0].sum(-1) / 1e-3
    np.testing.assert_allclose(weight, 2.0 * G, rtol=1e-9)


def free_arm():
    """A free chain of four bodies, all of which may touch."""
    ahead = px.robots.Pose(translation=(0.3, 0.0, 0.0))
    axes = [(0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.8, 0.0)]
    joints = [px.robots.Joint("base", "free")]
    joints += [px.robots.Joint(f"j{k}", "revolute", k, ahead, z) for k, z in enumerate(axes)]
    body = px.robots.Inertia(1.0, (0.15, 0.02, 0.01), (0.004, 0.01, 0.012, 0.001, 0.0, 0.0))
    frames = tuple(px.robots.Frame(f"link{k}", k) for k in range(4))
    points = [ContactPoint(f"link{k}", (0.0, 0.0, 0.0), 0.02) for k in range(4)]
    points.append(ContactPoint("link3", (0.3, 0.0, 0.0), 0.02))
    return px.Robot("arm", joints, [body] * 4, frames), points


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_contact_makes_no_energy(restitution):
    robot, corners = box()
    ground = Ground(corners, friction=0.6, restitution=restitution, sweeps=100, tolerance=1e-9)
    q, qd = thrown(1)
    found = run(robot, ground, q, qd, 1500, dt=1e-3)
    total = energy(robot, found.q, found.qd)
    assert np.isfinite(found.q).all()
    touched = found.impulses[..., 0].sum(-1) > 0
    gained = np.diff(total, axis=0)
    assert gained[touched].max() < 1e-7  # of 150 J
    assert (total[-1] < total[0] - 1.0).all()
    assert found.gap.min() > -1e-5


@pytest.mark.parametrize("sweeps", [2, 3])
def test_contact_makes_no_energy_where_sweeps_run_out(sweeps):
    """Impulses left from the step before do not push bodies away."""
    robot, points = free_arm()
    rng = np.random.default_rng(6)
    q = np.array([px.neutral(robot)] * 32)
    q[:, 2] = 0.9
    q[:, 7:] = rng.uniform(-3, 3, (32, robot.nq - 7))
    ground = Ground(points, friction=0.7, sweeps=sweeps)
    found = run(robot, ground, q, rng.standard_normal((32, robot.nv)), 1000, dt=5e-4)
    total = energy(robot, found.q, found.qd)
    assert found.residual.max() > 0.1  # they do run out
    touched = found.impulses[..., 0].sum(-1) > 0
    gained = np.diff(total, axis=0)
    assert gained[touched].max() < 2 * gained[~touched].max()  # which is the error of the rule
    assert (total.max(0) < total[0] + 1e-2).all()


def test_a_light_foot_does_not_throw_a_heavy_body():
    """A pair of contacts between 1 kg and 1 t takes more sweeps than there are."""
    joints = [
        px.robots.Joint("foot", "free"),
        px.robots.Joint("slide", "prismatic", 0, axis=(0.0, 0.0, 1.0)),
    ]
    bodies = [px.robots.Inertia.of(m, (0, 0, 0), (0.01 * m,) * 3) for m in (1.0, 1000.0)]
    frames = px.robots.Frame("foot", 0), px.robots.Frame("body", 1)
    robot = px.Robot("stack", joints, bodies, frames)
    points = [ContactPoint("foot", radius=0.1), ContactPoint("body", radius=0.05)]
    q = [*at(0, 0, 0.1), 0.15]
    found = run(robot, Ground(points, pairs=[(0, 1)]), q, np.zeros(7), 500)
    assert found.residual.max() > 0.01
    total = energy(robot, found.q, found.qd)
    assert total.max() < total[0] + 0.1  # of 2.5 kJ


def test_linear_momentum_changes_by_impulses_and_gravity():
    robot, corners = box()
    q, qd = thrown(2)
    found = run(robot, Ground(corners, friction=0.6), q, qd, 300)
    world = (px.jacobian(robot, found.q, "body") @ found.qd[..., None])[..., 3:, 0]
    change = 2.0 * np.diff(world, axis=0)
    normal, first, second = np.moveaxis(found.impulses.sum(-2), -1, 0)
    impulse = np.stack([first, second, normal], -1) - [0, 0, 2.0 * G * 1e-3]
    np.testing.assert_allclose(change, impulse, atol=1e-12)


def test_momentum_of_chains_is_off_by_the_first_order():
    """Impulses act where bodies are before a step, and momentum is that where they are after it."""
    robot, points = free_arm()
    rng = np.random.default_rng(1)
    q = np.array([px.neutral(robot)] * 8)
    q[:, 2], q[:, 7:] = 0.5, rng.uniform(-1, 1, (8, robot.nq - 7))
    qd = rng.standard_normal((8, robot.nv))
    missing = []
    for dt in (1e-3, 2.5e-4):
        ground = Ground(points, friction=0.6, sweeps=200, tolerance=1e-10)
        found = run(robot, ground, q, qd, round(0.4 / dt), dt=dt)
        momentum = px.centroidal_momentum(robot, found.q[[0, -1]], found.qd[[0, -1]])[..., 3:]
        normal, first, second = np.moveaxis(found.impulses.sum((0, -2)), -1, 0)
        impulse = np.stack([first, second, normal], -1) - [0, 0, 4.0 * G * 0.4]
        assert (normal > 1.0).any()
        missing.append(abs(momentum[1] - momentum[0] - impulse).max())
    assert missing[0] < 0.3  # of some 20 N s
    assert missing[1] < missing[0] / 2


def test_friction_stays_in_its_cone():
    robot, corners = box()
    q, qd = thrown(3)
    found = run(robot, Ground(corners, friction=0.4), q, qd, 300)
    normal = found.impulses[..., 0]
    sideways = np.hypot(found.impulses[..., 1], found.impulses[..., 2])
    assert (normal >= 0).all()
    assert (sideways <= 0.4 * normal * (1 + 1e-12)).all()
    assert (normal > 0).any()


def test_painleves_rod_is_reported_not_wrong():
    """A rod that slides on its tip at high friction: pressing makes it press more."""
    length, mass, angle, friction = 1.0, 1.0, 1.0, 4.0
    about = mass * length**2 / 12
    robot = dataclasses.replace(
        box()[0], inertias=[px.robots.Inertia(mass, (0, 0, 0), (about, about, 1e-3, 0, 0, 0))]
    )
    tip = ContactPoint("body", (0.0, 0.0, -length / 2))
    turn = (0.0, np.sin((np.pi / 2 - angle) / 2), 0.0, np.cos((np.pi / 2 - angle) / 2))
    height = length / 2 * np.sin(angle)
    rates = np.linalg.inv(px.jacobian(robot, at(0, 0, height, turn), "body")) @ [0, 0, 0, -3, 0, 0]
    ground = Ground([tip], friction=friction, sweeps=50)
    found = run(robot, ground, at(0, 0, height, turn), rates, 50)
    assert np.isfinite(found.q).all() and np.isfinite(found.qd).all()
    other = run(robot, ground, at(0, 0, height, turn), -rates, 50)
    worst = max(found.residual.max(), other.residual.max())
    total = [energy(robot, each.q, each.qd) for each in (found, other)]
    assert all(np.diff(each).max() < 1e-2 for each in total)
    assert worst > 1e-3


def test_a_foot_that_touches_makes_no_nan_in_any_posture():
    robot, points = free_arm()
    rng = np.random.default_rng(5)
    q = np.array([px.neutral(robot)] * 64)
    q[:, 2] = rng.uniform(-0.2, 0.5, 64)
    q[:, 7:] = rng.uniform(-3, 3, (64, robot.nq - 7))
    found = run(robot, Ground(points), q, rng.standard_normal((64, robot.nv)), 300)
    assert np.isfinite(found.q).all() and np.isfinite(found.residual).all()


def test_free_chains_gain_no_energy():
    robot, points = free_arm()
    rng = np.random.default_rng(6)
    q = np.array([px.neutral(robot)] * 32)
    q[:, 2] = 0.9
    q[:, 7:] = rng.uniform(-3, 3, (32, robot.nq - 7))
    ground = Ground(points, friction=0.7, sweeps=100, tolerance=1e-8)
    found = run(robot, ground, q, rng.standard_normal((32, robot.nv)), 1000, dt=5e-4)
    total = energy(robot, found.q, found.qd)
    touched = found.impulses[..., 0].sum(-1) > 0
    gained = np.diff(total, axis=0)
    assert touched.any()
    assert gained[touched].max() < gained[~touched].max()  # which is the error of the rule
    assert (total[-1] < total[0]).all()


def test_a_nan_stays_with_its_robot():
    robot, points = ball()
    q = np.tile(at(0, 0, 0.1), (4, 1))
    q[2, 0] = np.nan
    found = run(robot, Ground(points), q, np.zeros(6), 5)
    bad = np.isnan(found.q[-1]).any(-1)
    assert bad.tolist() == [False, False, True, False]


def test_floats_give_what_the_compiled_stages_do():
    robot, corners = box()
    ground = Ground(corners[:4], friction=0.5, sweeps=5, tolerance=0.0)
    step = GroundStep(robot, ground)
    q, qd = at(0, 0, 0.0501), np.array([1.0, 0.2, -0.5, 0.1, 0.3, 0.2])
    found = run(robot, ground, q, qd, 1)
    values = step.step(q.tolist(), qd.tolist(), [0.0] * 6, 1e-3, np.zeros((4, 3)).tolist())
    np.testing.assert_allclose(values["qd_next"], found.qd[-1], atol=1e-12)
    np.testing.assert_allclose(values["impulses_next"], found.impulses[-1], atol=1e-12)
