"""Limits that a simulation keeps to: soft and hard stops, torques and velocities of motors."""

import math
import warnings
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from support.limited_run import limited_run

import paraxis as px
from paraxis.simulation import Limits, limits_acted
from paraxis.simulation.impacts import impact
from paraxis.simulation.plant import Plant
from paraxis.simulation.stops import Stop, stops_of

G = 9.81
ROD, ORIGIN = px.robots.planar(1).inertias[0], px.robots.Pose()


def single(kind="prismatic", gravity=(0.0, 0.0, -G), **joint):
    """A body of 1 kg on one joint, upwards or about z."""
    one = px.robots.Joint("joint", kind, -1, ORIGIN, axis=(0.0, 0.0, 1.0), **joint)
    return px.Robot("single", [one], [ROD], gravity=gravity)


def energy(robot, q, qd):
    return px.kinetic_energy(robot, q, qd) + px.potential_energy(robot, q)


def falling(robot, limits, method="rk4", dt=2e-3, steps=1000, count=32):
    q0, _ = px.robots.random_states(robot, count, seed=1)
    tau = np.zeros(robot.nv)
    return limited_run(
        robot, q0, np.zeros(robot.nv), tau, dt=dt, steps=steps, method=method, limits=limits
    )


# -- soft stops ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ("rk4", "semi_implicit_euler"))
def test_a_soft_stop_gives_way_by_the_load_over_its_stiffness(method):
    limits = Limits(stiffness=500.0)
    options = {"dt": 1e-3, "steps": 3000, "method": method, "limits": limits}
    q, qd, acted = limited_run(single(lower=0.0), [0.1], [0.0], **options)
    assert q[-1, 0] == pytest.approx(-ROD.mass * G / 500.0, rel=1e-9)
    assert abs(qd[-1, 0]) < 1e-12
    assert acted == np.count_nonzero(q[:-1] <= 0)
    q, _, _ = limited_run(single(upper=1.0), [0.9], [0.0], [25.0 + G], **options)
    assert q[-1, 0] - 1.0 == pytest.approx(25.0 / 500.0, rel=1e-9)


def test_a_soft_stop_is_a_damped_spring():
    """Pressed on it, a joint swings as in the closed form."""
    omega, ratio, push = 50.0, 0.1, 60.0
    limits = Limits(time_constant=1 / omega, damping_ratio=ratio)
    robot, rest = single(gravity=(0.0, 0.0, 0.0), upper=0.0), push / ROD.mass / omega**2
    q, _, _ = limited_run(robot, [rest + 0.01], [0.0], [push], dt=5e-4, steps=400, limits=limits)
    t, decay = np.arange(401) * 5e-4, ratio * omega
    own = omega * math.sqrt(1 - ratio**2)
    exact = 0.01 * np.exp(-decay * t) * (np.cos(own * t) + decay / own * np.sin(own * t))
    assert abs(q[:, 0] - rest - exact).max() < 1e-7


def test_a_soft_stop_pushes_only_and_begins_at_zero():
    stops = stops_of(single(lower=-1.0, upper=2.0))
    for x, rate in product(np.linspace(-1.1, 2.1, 321), (-30.0, -1.0, 0.0, 1.0, 30.0)):
        (torque,) = stops.torques([x], [rate], 1e-3)
        assert torque >= 0 if x < -1 else torque <= 0 if x > 2 else torque == 0
    for rate in (-5.0, 5.0):
        (torque,) = stops.torques([2.0 + 1e-12], [rate], 1e-3)
        assert abs(torque) < 1e-5


def test_the_default_stiffness_is_felt_inertia_over_time_constant_squared():
    (stop,) = stops_of(single(lower=0.0)).stops
    assert stop.inertia == ROD.mass
    for limits, T in ((Limits(), 0.01), (Limits(time_constant=0.05), 0.05)):
        (torque,) = stops_of(single(lower=0.0), limits).torques([-0.1], [0.0])
        assert torque == pytest.approx(0.1 * ROD.mass / T**2)
    robot = px.load("ur5")
    q, _ = px.robots.random_states(robot, 500, seed=3)
    felt = 1 / np.diagonal(px.mass_matrix_inverse(robot, q), axis1=-2, axis2=-1)
    for stop, own in zip(stops_of(robot).stops, felt.T, strict=True):
        assert own.min() <= stop.inertia <= own.max()


@pytest.mark.parametrize("method", ("rk4", "semi_implicit_euler"))
@pytest.mark.parametrize("name, dt", (("ur5", 2e-2), ("panda", 5e-3)))
def test_long_steps_make_default_stops_softer_not_unstable(name, dt, method):
    robot = px.load(name).without_friction().with_gravity((0.0, 0.0, 0.0))
    rng = np.random.default_rng(5)
    q = np.where(rng.random((32, robot.nq)) < 0.5, robot.lower, robot.upper)
    qd = 0.2 * np.sign(q - (robot.lower + robot.upper) / 2)  # all joints meet their stops at once
    q, qd, _ = limited_run(robot, q, qd, dt=dt, steps=400, method=method)
    kinetic = px.kinetic_energy(robot, q, qd)
    assert (kinetic[-100:] < kinetic[0]).all()


def test_chosen_numbers_are_refused_where_steps_are_too_long():
    robot = px.load("ur5")
    stops_of(robot, Limits(time_constant=0.02)).require_stable(1e-3)
    stops_of(robot, Limits(stiffness=200.0)).require_stable(1e-3)
    stops_of(robot, Limits(stops="hard")).require_stable(1.0)
    stops_of(robot).require_stable(1.0)
    with pytest.raises(px.ArgumentError, match=r"time_constant 0.001 s is too short for dt 0.01"):
        stops_of(robot, Limits(time_constant=1e-3)).require_stable(1e-2)
    with pytest.raises(px.ArgumentError, match="of joint 'wrist_3_joint' are too large"):
        stops_of(robot, Limits(stiffness=[1, 1, 1, 1, 1, 1e5])).require_stable(1e-3)
    with pytest.raises(px.ArgumentError, match="damping: expected one number or 6, .* found 2"):
        stops_of(robot, Limits(damping=[1.0, 2.0]))


def test_it_stops_no_deeper_than_mujoco_lets_it_rest():
    """MuJoCo's limits with the same time constant also cancel most of the load: they are stiffer.
    Both hold the joint, where a drive presses it on, by the same order of a small angle."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody><body>
        <joint name="j" axis="0 0 1" range="-1 0.5" limited="true" solreflimit="0.02 1"/>
        <inertial pos="0 0 0" mass="1" diaginertia="0.2 0.2 0.2"/></body></worldbody>
        <actuator><motor joint="j"/></actuator></mujoco>"""
    )
    model.jnt_range[0] = -1.0, 0.5
    data = mujoco.MjData(model)
    data.ctrl[:] = 2.0
    for _ in range(3000):
        mujoco.mj_step(model, data)
    body = px.robots.Inertia(1.0, (0, 0, 0), (0.2, 0.2, 0.2, 0, 0, 0))
    robot = replace(single("revolute", lower=-1.0, upper=0.5), inertias=[body])
    limits = Limits(time_constant=0.02)
    q, qd, _ = limited_run(robot, [0.0], [0.0], [2.0], dt=1e-3, steps=3000, limits=limits)
    theirs, ours = data.qpos[0] - 0.5, q[-1, 0] - 0.5
    assert ours == pytest.approx(2.0 / 0.2 * 0.02**2)
    assert abs(qd[-1, 0]) < 1e-9 and 0 < theirs < ours < 0.01


# -- hard stops ------------------------------------------------------------------------------------


@pytest.mark.parametrize("restitution", (0.0, 0.5, 0.9, 1.0))
def test_a_slider_bounces_as_in_the_closed_form(restitution):
    """Heights and times converge with dt; energy does not grow by more than a held joint is put
    back, and with a restitution of 1 it stays the same to rounding."""
    height, off = 0.5, []
    for dt in (2e-3, 1e-3, 5e-4):
        limits, steps = Limits(stops="hard", restitution=restitution), round(1.5 / dt)
        q, qd, _ = limited_run(
            single(lower=0.0), [height], [0.0], dt=dt, steps=steps, limits=limits
        )
        total, fastest = energy(single(), q, qd), math.sqrt(2 * height * G)
        put_back = 0.0 if restitution in (0.0, 1.0) else ROD.mass * (G * dt) ** 2
        assert np.diff(total).max() < put_back + 1e-12
        assert q.min() >= (-fastest * dt if restitution else 0.0)
        exact = [_height(height, restitution, t) for t in np.arange(steps + 1) * dt]
        off.append(abs(q[:, 0] - exact).max() / (fastest * dt))
    assert max(off) < (8.0 if restitution else 1e-9)  # steps by which bounces come late, at most
    assert total[-1] == pytest.approx(total[0], rel=1e-12) or restitution < 1.0


def _height(height, restitution, now):
    """Of a ball that is dropped at time 0."""
    begin, rate = math.sqrt(2 * height / G), restitution * math.sqrt(2 * height * G)
    if now < begin:
        return height - G * now**2 / 2
    while rate > 1e-3 and now > begin + 2 * rate / G:
        begin, rate = begin + 2 * rate / G, rate * restitution
    return max(rate * (now - begin) - G * (now - begin) ** 2 / 2, 0.0)


def test_a_pendulum_bounces_off_its_stop_at_the_rate_it_had():
    robot = replace(
        px.robots.planar(1), joints=[replace(px.robots.planar(1).joints[0], lower=-1.0)]
    )
    limits = Limits(stops="hard", restitution=0.6)
    q, qd, _ = limited_run(robot, [0.5], [0.0], dt=1e-3, steps=2000, limits=limits)
    kinetic = px.kinetic_energy(robot, q, qd)
    k = np.flatnonzero((qd[:-1, 0] < -0.1) & (qd[1:, 0] > 0.1))[0]
    gained = energy(robot, q, qd)[0] - px.potential_energy(robot, q[k + 1])  # till the impact
    assert kinetic[k + 1] / gained == pytest.approx(0.36, abs=1e-6)
    assert q.min() > -1.0 + qd.min() * 1e-3


def test_a_joint_rests_on_its_stop_where_it_is():
    """However it bounced before, it neither sinks in nor shakes."""
    for restitution, method in product((0.0, 0.5, 0.9), ("rk4", "semi_implicit_euler")):
        limits = Limits(stops="hard", restitution=restitution)
        options = {"dt": 1e-3, "steps": 6000, "method": method, "limits": limits}
        q, qd, _ = limited_run(single(lower=0.0), [0.05], [0.0], **options)
        assert abs(q[-1000:]).max() < 1e-12 and abs(qd[-1000:]).max() < 1e-12


@pytest.mark.parametrize("restitution", (0.0, 0.7, 1.0))
def test_no_energy_is_made_at_several_stops_at_once(restitution):
    robot, dt = px.load("ur5"), 2e-3
    q, qd, acted = falling(robot, Limits(stops="hard", restitution=restitution), dt=dt)
    total = energy(robot, q, qd)
    scale = np.ptp(total) + np.ptp(px.potential_energy(robot, q))
    assert acted[..., :6].sum() > 50
    assert np.isfinite(q).all()
    assert (total - total[0]).max() < 1e-5 * scale
    assert np.diff(total, axis=0).max() < 1e-4 * scale
    beyond = np.maximum(q - robot.upper, robot.lower - q).max((0, 1))
    assert (beyond <= 1.01 * abs(qd).max((0, 1)) * dt).all()


def test_a_free_base_feels_the_impulse_of_a_stop():
    """Momentum is that of before: a stop is a force between two bodies."""
    robot = px.load("go2", floating_base=True).with_gravity((0.0, 0.0, 0.0))
    q = np.concatenate([[0, 0, 0, 0, 0, 0, 1], robot.lower[7:] / 2 + robot.upper[7:] / 2])
    qd = np.concatenate([np.zeros(6), np.linspace(-9, 9, 12)])
    for limits in (Limits(), Limits(stops="hard", restitution=0.3)):
        ends, rates, acted = limited_run(robot, q, qd, dt=1e-3, steps=500, limits=limits)
        assert acted[:12].sum() > 10
        momentum = px.centroidal_momentum(robot, ends, rates)
        change = 1e-5 if limits.stops == "soft" else 5e-3  # positions move along straight lines
        assert abs(momentum - momentum[0]).max() < change * abs(momentum).max()
        assert abs(np.linalg.norm(ends[:, 3:7], axis=-1) - 1).max() < 1e-9
        over = np.maximum(ends - robot.upper, robot.lower - ends)[:, 7:]
        assert over.max() < (0.5 if limits.stops == "soft" else 0.02)


def test_impulses_solve_the_complementarity_problem():
    rng = np.random.default_rng(0)
    stops = [Stop(str(k), k, k, -1.0, 1.0, 1.0, 1.0, None, None) for k in range(3)]
    for _ in range(50):
        root = rng.normal(size=(3, 3))
        W = root @ root.T + 3 * np.eye(3)
        qd = rng.normal(size=3)
        q = [1.0, -1.0, rng.choice([0.0, 1.0])]
        after, *_ = impact(stops, q, qd.tolist(), qd.tolist(), 1e-3, W.tolist(), 0.0)
        side = np.array([1.0, -1.0, q[2]])
        best = _projection(W, side, qd)
        assert abs(np.array(after) - best).max() < 0.05 * abs(qd).max()
        before, then = (x @ np.linalg.solve(W, x) for x in (qd, np.array(after)))
        assert then <= before + 1e-12
        for e in (0.5, 1.0):
            after, *_ = impact(stops, q, qd.tolist(), qd.tolist(), 1e-3, W.tolist(), e)
            assert np.array(after) @ np.linalg.solve(W, after) <= before * (1 + 1e-12)


def _projection(W, side, qd):
    """The nearest rates, in the metric of M, that are not outward: by trying all sets of stops."""
    for active in product((False, True), repeat=3):
        rows = [k for k in range(3) if active[k] and side[k]]
        p = np.zeros(3)
        if rows:
            p[rows] = np.linalg.solve(W[np.ix_(rows, rows)], qd[rows])
        after = qd - W @ p
        if (side * p >= -1e-12).all() and (side * after <= 1e-12).all():
            return after
    raise AssertionError("no solution")


def test_two_ends_at_once_is_a_joint_that_starts_beyond():
    q, qd, _ = limited_run(
        single(lower=0.0), [-0.3], [0.0], dt=1e-3, steps=10, limits=Limits(stops="hard")
    )
    assert q[1, 0] == 0.0 and qd[1, 0] == 0.0


# -- motors ----------------------------------------------------------------------------------------


def test_torques_are_clipped_at_the_joint():
    assert stops_of(single(max_effort=2.0)).clipped([5.0], [0.0]) == [2.0]
    assert stops_of(single(max_effort=2.0)).clipped([-5.0], [0.0]) == [-2.0]
    assert stops_of(single(max_effort=2.0), Limits(torque=False)) is None
    assert stops_of(single(max_effort=0.0, max_velocity=0.0)) is None  # as URDF writes unknown ones
    geared = px.robots.Transmission(ratio=-10.0)
    assert stops_of(single(max_effort=2.0, transmission=geared)).clipped([5.0], [0.0]) == [0.2]
    both = px.robots.Transmission(ratio=10.0, torque_limit=1.0)
    assert stops_of(single(max_effort=2.0, transmission=both)).clipped([5.0], [0.0]) == [0.1]
    q, _, acted = limited_run(single(max_effort=2.0), [0.0], [0.0], [99.0], dt=1e-2, steps=100)
    assert q[-1, 0] == pytest.approx((2.0 / ROD.mass - G) / 2)
    assert acted == 100


def test_motors_do_not_drive_beyond_their_velocity_limit():
    robot = single("revolute", max_velocity=3.0)
    for push in (1.0, 100.0, -1000.0):
        _, qd, _ = limited_run(robot, [0.0], [0.0], [push], dt=1e-3, steps=6000)
        gained = abs(push) * 1e-3 * px.mass_matrix_inverse(robot, [0.0])[0, 0]
        fast = np.sign(push) * qd[:, 0]
        assert fast[-1] > 3.0 and fast.max() < 3.0 + 1.5 * max(0.15, gained)
        assert abs(np.diff(qd[-100:, 0])).max() < 1e-3 * max(1.0, gained)  # without shaking
    stops = stops_of(robot)
    assert stops.clipped([7.0], [2.99]) == [7.0]
    assert stops.clipped([7.0], [3.075]) == pytest.approx([3.5])
    assert stops.clipped([7.0], [9.0]) == [0.0]
    assert stops.clipped([-7.0], [9.0]) == [-7.0]  # it can brake
    _, qd, _ = limited_run(single(max_velocity=3.0), [0.0], [0.0], dt=1e-2, steps=100)
    assert qd[-1, 0] == pytest.approx(-G)  # what falls is not held


def test_stops_pass_no_transmission():
    """A torque at the joint moves it by M⁻¹, whatever gears lose."""
    gears = px.robots.Transmission(ratio=20.0, efficiency=0.5)
    lossy = single("revolute", transmission=gears, lower=0.0)
    for robot in (lossy, lossy.without_friction()):
        plant = Plant(robot)

        def moved(q, qd, motor, beside, plant=plant):
            given = {"q": list(q), "qd": list(qd), "motor": list(motor)}
            bare, _ = plant.accelerations(**given)
            more, _ = plant.accelerations(**given, beside=list(beside))
            implicit = [
                plant.accelerations(**given, dt=1e-9, **x)[0]
                for x in ({}, {"beside": list(beside)})
            ]
            return {
                "by": [a - b for a, b in zip(more, bare, strict=True)],
                "implicit": [a - b for a, b in zip(*implicit[::-1], strict=True)],
            }

        program = px.trace(moved, q=1, qd=1, motor=1, beside=1)
        found = program.evaluate(q=[0.3], qd=[0.7], motor=[0.2], beside=[3.0])
        expected = 3.0 * px.mass_matrix_inverse(robot, [0.3])[0]
        assert np.allclose(found["by"], expected)
        assert np.allclose(found["implicit"], expected)


# -- which limits ----------------------------------------------------------------------------------


def test_which_joints_have_limits():
    assert stops_of(px.load("puma560")) is None
    assert stops_of(px.load("ur5"), False) is None
    equal = single(lower=0.0, upper=0.0)
    assert stops_of(equal) is None
    panda = stops_of(px.load("panda"))
    assert [stop.upper for stop in panda.stops][-1] == 0.04
    base = stops_of(px.load("go2", floating_base=True))
    assert [stop.place for stop in base.stops] == list(range(7, 19))
    assert [stop.row for stop in base.stops] == list(range(6, 18))
    assert min(motor.row for motor in base.motors) == 6
    tau = np.full(18, 1e6)
    assert base.clipped(tau.tolist(), [0.0] * 18)[:6] == [1e6] * 6
    cross = px.robots.Joint(
        "cross", "universal", -1, ORIGIN, second_axis=(1.0, 0.0, 0.0), lower=-1.0, upper=2.0
    )
    both = stops_of(px.Robot("cross", [cross], [ROD])).stops
    assert [(stop.row, stop.lower, stop.upper) for stop in both] == [(0, -1.0, 2.0), (1, -1.0, 2.0)]


def test_followers_hand_their_limits_on():
    leader = px.robots.Joint("leader", "revolute", -1, ORIGIN)
    follower = px.robots.Joint(
        "follower",
        "revolute",
        0,
        ORIGIN,
        coupling=px.robots.Coupling("leader", (0.0, 2.0)),
        lower=-1.0,
        upper=1.0,
        max_velocity=4.0,
    )
    robot = px.Robot("pair", [leader, follower], [ROD, ROD], gravity=(0.0, 0.0, 0.0))
    for limits in (Limits(), Limits(stops="hard")):
        stops = stops_of(robot, limits)
        assert (stops.stops[0].lower, stops.stops[0].upper) == (-0.5, 0.5)
        assert stops.motors[0].velocity == 2.0
        q, _, _ = limited_run(robot, [0.0], [1.0], [1.0], dt=1e-3, steps=2000, limits=limits)
        assert q[-1, 0] == pytest.approx(0.5, abs=0.01)


def test_arguments_that_make_no_sense_are_refused():
    for wrong, words in (
        ({"stops": "rigid"}, "stops: expected"),
        ({"time_constant": 0.0}, "time_constant: expected a number > 0"),
        ({"damping_ratio": -1}, "damping_ratio: expected a number >= 0"),
        ({"stiffness": math.nan}, "stiffness: expected"),
        ({"stops": "hard", "restitution": 1.1}, "restitution: expected 0 to 1"),
        ({"restitution": 0.5}, "restitution: is for stops='hard' only"),
        ({"stops": "hard", "stiffness": 5.0}, "stiffness: is for stops='soft' only"),
        ({"stiffness": 5.0, "time_constant": 1.0}, "cannot be combined"),
        ({"velocity": 3.0}, "velocity: expected True or False"),
    ):
        with pytest.raises(px.ArgumentError, match=words):
            Limits(**wrong)
    with pytest.raises(px.ArgumentError, match="limits: expected True, False or"):
        stops_of(px.load("ur5"), "soft")


def test_a_robot_that_is_no_number_disturbs_no_other():
    robot = px.load("ur5")
    for limits in (Limits(), Limits(stops="hard", restitution=0.5)):
        q0, qd0 = np.zeros((3, 6)), np.full((3, 6), 4.0)
        q0[1, 2] = math.nan
        q, qd, _ = limited_run(robot, q0, qd0, dt=2e-3, steps=500, limits=limits)
        assert np.isnan(q[-1, 1]).all() and np.isfinite(q[:, [0, 2]]).all()
        assert np.array_equal(q[:, 0], q[:, 2]) and np.array_equal(qd[:, 0], qd[:, 2])


def test_limits_that_acted_are_counted_and_mentioned_once():
    robot = single(lower=0.0, max_effort=2.0)
    stops, counts = stops_of(robot), np.array([[0.0, 4.0], [7.0, 0.0]])
    acted = limits_acted.limits_acted(stops, counts, 10)
    assert acted.stops.tolist() == [[0], [7]] and acted.motors.tolist() == [[4], [0]]
    limits_acted._SAID.discard(robot.digest)
    with pytest.warns(px.SimulationWarning) as said:
        limits_acted.mention_limits(stops, acted)
        limits_acted.mention_limits(stops, acted)
    (text,) = (str(each.message) for each in said)
    assert "joint 'joint' of robot 1 was at its stop in 7 of 10 steps" in text
    assert "joint 'joint' of robot 0 got less torque than asked for in 4 of 10 steps" in text
    assert "limits=False" in text


def test_limits_count_nothing_where_torques_are_no_numbers():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = px.simulate(
            px.load("ur5"),
            np.zeros((2, 6)),
            np.zeros(6),
            controller=lambda t, q, qd: q * math.nan,
            dt=1e-3,
            steps=5,
        )
    assert (run.limits.motors == 0).all() and (run.limits.stops == 0).all()
