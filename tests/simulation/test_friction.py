"""Simulated robots with losses: against formulas, against energy, and against motor_torques."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest

import paraxis as px
from paraxis import Robot
from paraxis.robots import (
    Friction,
    Inertia,
    Joint,
    JournalBearing,
    LinearBearing,
    ThrustBearing,
    Transmission,
)
from paraxis.simulation.bodies import ALWAYS, Step
from paraxis.simulation.smooth_friction import raised_excess
from paraxis.simulation.stiffness import decay_rates

pytestmark = pytest.mark.filterwarnings("error")  # a run here is to say nothing unexpected
METHODS = ("rk4", "semi_implicit_euler", "adaptive")


def block(gravity=(0.0, 0.0, -10.0), **losses):
    """2 kg on a rail along x."""
    joint = Joint("slide", "prismatic", axis=(1, 0, 0), **losses)
    return Robot("block", [joint], [Inertia(2.0, (0, 0, 0), (1, 1, 1, 0, 0, 0))], [], gravity)


def pendulum(**losses):
    """1 kg at 0.5 m below a level axis, with a rotor."""
    joint = Joint("swing", "revolute", axis=(0, 1, 0), rotor_inertia=0.05, **losses)
    return Robot("pendulum", [joint], [Inertia(1.0, (0, 0, -0.5), (0.01, 0.01, 0.01, 0, 0, 0))])


def lossy_arm():
    """The first three joints of a PUMA, with bearings, gears and break-away torques."""
    arm = px.load("puma560")
    bearings = [
        (JournalBearing(0.05, 0.03, 0.2), ThrustBearing(0.05, 0.05)),
        (JournalBearing(0.05, 0.02, 0.2),),
        (),
    ]
    joints = []
    for i, joint in enumerate(arm.joints[:3]):
        gears = Transmission(
            ratio=(-1) ** i * 50.0,
            efficiency=0.8 if i == 1 else [(0.0, 0.5), (0.3, 0.8), (1.0, 0.9)],
            interpolation="cubic" if i == 2 else "linear",
            break_away=1.0,
            torque_limit=100.0,
        )
        friction = Friction(bearings[i], viscous=2.0, coulomb=0.2, static=0.3)
        joints.append(replace(joint, friction=friction, transmission=gears))
    return Robot("lossy arm", joints, arm.inertias[:3], gravity=arm.gravity, warn=False)


def energy(robot, run):
    return px.kinetic_energy(robot, run.q, run.qd) + px.potential_energy(robot, run.q)


# -- formulas --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_a_block_slows_down_by_coulomb_and_viscous_friction(method):
    """2 v' = -3 - 0.5 v: v = (v0 + 6) exp(-t / 4) - 6, until it stands at t = 4 log(8 / 6)."""
    robot = block(friction=Friction(coulomb=3.0, viscous=0.5, smoothing=1e-3))
    run = px.simulate(robot, [0.0], [2.0], dt=1e-3, steps=1000, method=method)
    v = 8 * np.exp(-run.t / 4) - 6
    x = 32 * (1 - np.exp(-run.t / 4)) - 6 * run.t
    assert v.min() > 0.2  # it moves throughout, so that its direction is 1 but for 1e-5
    wrong = 5e-3 if method == "semi_implicit_euler" else 5e-6  # it is of first order
    assert run.qd[:, 0] == pytest.approx(v, abs=wrong)
    assert run.q[:, 0] == pytest.approx(x, abs=wrong)


@pytest.mark.parametrize("method", METHODS)
def test_a_block_comes_to_rest_and_stays(method):
    robot = block(friction=Friction(coulomb=3.0, smoothing=0.01))
    run = px.simulate(robot, [0.0], [1.5], dt=1e-3, steps=3000, method=method, every=100)
    assert run.q[-1, 0] == pytest.approx(2 * 1.5**2 / (2 * 3.0), abs=2e-3)
    assert abs(run.qd[-1, 0]) < 1e-6


@pytest.mark.parametrize("method", METHODS)
def test_within_break_away_a_joint_creeps_and_beyond_it_moves(method):
    """Held by 5 N: at 4 N direction is 0.8, so that it creeps at 4/3 of smoothing."""
    robot = block(transmission=Transmission(4.0, break_away=5.0), friction=Friction(smoothing=0.01))
    motor = np.array([[4.0], [-4.0], [7.0]]) / 4.0
    start = np.zeros((3, 1))
    run = px.simulate(robot, start, start, motor, dt=1e-3, steps=1000, method=method, every=1000)
    assert run.qd[-1, :2, 0] == pytest.approx([4 / 300, -4 / 300], rel=1e-3)
    assert run.qd[-1, 2, 0] == pytest.approx((7 - 5) / 2, rel=0.02)


@pytest.mark.parametrize("method", METHODS)
def test_static_friction_holds_whatever_is_less(method):
    """Coulomb friction 3 N, static 5 N: of 4.9 N and 5.1 N, one creeps and one runs away."""
    robot = block(friction=Friction(coulomb=3.0, static=5.0))
    force, start = np.array([[4.9], [-4.9], [5.1]]), np.zeros((3, 1))
    options = {"dt": 2e-4, "steps": 5000, "every": 5000, "method": method}
    run = px.simulate(robot, start, start, force, **options)
    assert (abs(run.qd[-1, :2]) < 0.01).all()
    assert run.qd[-1, 2, 0] == pytest.approx((5.1 - 3.0) / 2, rel=0.1)
    stuck = px.forward_dynamics_with_friction(robot, start, start, force).qdd
    assert (stuck[:2] == 0).all() and stuck[2] > 0


@pytest.mark.parametrize("coulomb", (0.0, 0.3, 0.499))
@pytest.mark.parametrize("smoothing", (1e-5, 1e-3, 0.2))
def test_smooth_friction_peaks_at_static_and_falls_to_coulomb(coulomb, smoothing):
    friction = Friction(coulomb=coulomb, static=0.5, smoothing=smoothing)
    rate = np.geomspace(1e-6, 1e4, 100_001)
    falling = raised_excess(friction) / (1 + (rate / friction.stribeck_velocity) ** 2)
    law = rate / np.hypot(rate, smoothing) * (coulomb + falling)
    assert law.max() == pytest.approx(0.5, rel=1e-6)
    assert law[-1] == pytest.approx(coulomb, abs=1e-6)


@pytest.mark.parametrize(("motor", "rate", "force"), [(10, 1, 4), (-10, 1, -24), (10, -1, 24)])
@pytest.mark.parametrize("method", METHODS)
def test_a_gear_drives_and_brakes_by_its_efficiency(method, motor, rate, force):
    """Of what 2 N of break-away leave, half arrives while driving; braking, twice as much."""
    gears = Transmission(-5.0, efficiency=0.5, break_away=2.0)
    robot = block(transmission=gears, friction=Friction(smoothing=1e-4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.SimulationWarning)  # it does not come to rest here
        run = px.simulate(robot, [0], [rate], [motor / -5.0], dt=1e-4, steps=10, method=method)
    change = (run.qd[-1, 0] - rate) / run.t[-1]
    assert change == pytest.approx(force / 2, rel=2e-3)


def test_a_table_of_efficiencies_is_used_at_its_load():
    gears = Transmission(efficiency=[(0.0, 0.4), (0.5, 0.6), (1.0, 0.8)], torque_limit=100.0)
    robot = block(transmission=gears, friction=Friction(smoothing=1e-4))
    for force, efficiency in [(25.0, 0.5), (50.0, 0.6), (75.0, 0.7), (120.0, 0.8)]:
        motor = force / efficiency
        run = px.simulate(robot, [0], [1.0], [motor], dt=1e-6, steps=1, limits=False)
        assert (run.qd[-1, 0] - 1.0) / 1e-6 == pytest.approx(force / 2, rel=1e-6)


def test_a_bearing_takes_its_share_of_the_weight():
    robot = block(friction=Friction(LinearBearing(0.25, 0.1), smoothing=1e-3))
    run = px.simulate(robot, [0], [2.0], [15.0], dt=1e-3, steps=500)
    assert run.qd[-1, 0] == pytest.approx(2.0 + 0.5 * (15 - 0.25 * 20) / 2, rel=1e-6)


# -- energy ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_free_joints_only_lose_energy(method):
    friction = Friction(JournalBearing(0.2, 0.02, 0.1), 0.01, coulomb=0.05, smoothing=0.01)
    robot = pendulum(friction=friction, transmission=Transmission(20.0, 0.7, break_away=0.1))
    run = px.simulate(robot, [2.5], [0.0], dt=1e-3, steps=4000, method=method, every=5)
    falls = np.diff(energy(robot, run))
    assert falls.max() <= 1e-9 if method != "semi_implicit_euler" else falls.max() <= 2e-4
    assert energy(robot, run)[-1] < energy(robot, run)[0] - 4.0


def test_a_lossy_arm_falls_and_stands_still_at_a_millisecond():
    """Dry friction over so small a smoothing has rates beyond 100 / dt."""
    robot = smoother(lossy_arm(), 1e-5)
    assert decay_rates(robot, np.zeros(3), {}).max() > 1e5
    q0 = np.array([0.3, -0.5, 0.2])
    run = px.simulate(
        robot, q0, np.zeros(3), dt=1e-3, steps=20000, every=10, method="semi_implicit_euler"
    )
    total = energy(robot, run)
    assert np.diff(total).max() <= 1e-3 * np.ptp(total)
    assert abs(run.qd[-1]).max() < 5e-3  # creeping, if that
    assert abs(run.qd).max() > 0.5


# -- motor torques ---------------------------------------------------------------------------------


def wave(t):
    """A motion without turning points of any joint."""
    phase = np.arange(3) * 0.4
    q = 0.3 * np.asarray(t)[..., None] + 0.1 * np.sin(2 * np.asarray(t)[..., None] + phase)
    qd = 0.3 + 0.2 * np.cos(2 * np.asarray(t)[..., None] + phase)
    qdd = -0.4 * np.sin(2 * np.asarray(t)[..., None] + phase)
    signs = np.array([1, -1, 1])
    return q * signs, qd * signs, qdd * signs


def test_motor_torques_of_a_motion_make_it():
    """Torques given for each step, held over it: off by the order of dt."""
    robot, dt = lossy_arm(), 2e-4
    robot = smoother(robot, 1e-6)  # so that direction is 1 but for 1e-10 while it moves
    middle = (np.arange(1000) + 0.5) * dt
    torques = px.motor_torques(robot, *wave(middle)).input
    q0, qd0, _ = wave(0.0)
    with pytest.warns(px.SimulationWarning, match="too stiff"):
        run = px.simulate(robot, q0, qd0, torques, dt=dt, steps=1000, every=100)
    q, qd, _ = wave(run.t)
    assert run.q == pytest.approx(q, abs=2e-6) and run.qd == pytest.approx(qd, abs=2e-5)


def test_motor_torques_as_a_controller_make_the_motion():
    robot = smoother(lossy_arm(), 1e-6)

    def feedforward(t, q, qd):
        phases = [2.0 * t + 0.4 * i for i in range(3)]
        signs = [1, -1, 1]
        each = list(zip(signs, phases, strict=True))
        goal = [s * (0.3 * t + 0.1 * px.math.sin(p)) for s, p in each]
        rates = [s * (0.3 + 0.2 * px.math.cos(p)) for s, p in each]
        accelerations = [s * -0.4 * px.math.sin(p) for s, p in each]
        return px.motor_torques(robot, goal, rates, accelerations).input

    q0, qd0, _ = wave(0.0)
    run = px.simulate(robot, q0, qd0, controller=feedforward, dt=0.01, steps=50, method="adaptive")
    q, qd, _ = wave(run.t)
    assert run.q == pytest.approx(q, abs=1e-7) and run.qd == pytest.approx(qd, abs=1e-7)


def smoother(robot, smoothing):
    joints = [
        replace(joint, friction=replace(joint.friction, smoothing=smoothing))
        for joint in robot.joints
    ]
    return replace(robot, joints=joints, warn=False)


# -- friction at the rates after a step ------------------------------------------------------------

GEARED = px.robots.planar(1).with_drives(
    {
        "joint1": {
            "transmission": Transmission(50.0, 0.6, break_away=2.0),
            "friction": Friction(coulomb=0.2, smoothing=1e-3),
        }
    }
)
CASES = {  # name -> its rate at first, and the torque of its motor as felt at the joint
    "leaves rest": (0.0, 12.0),
    "leaves rest by little": (0.0, 10.8),
    "falls": (0.0, 0.0),
    "sticks": (0.0, 5.0),
    "stops": (1.0, 5.0),
    "turns round": (1.0, 0.0),
    "turns round, driven": (-1.0, 15.0),
}


@pytest.mark.parametrize("bearings", ((), (JournalBearing(0.1, 0.02, 0.1),)))
def test_semi_implicit_euler_is_of_first_order_whatever_joints_do(bearings):
    """Off by no more than 1.5 rad / s times dt, from steps of 10 ms on."""
    (joint,) = GEARED.joints
    joint = replace(joint, friction=replace(joint.friction, bearings=bearings))
    robot = replace(GEARED, joints=[joint])
    rates, torques = np.array(list(CASES.values())).T[..., None]
    start, duration = (np.zeros_like(rates), rates, torques / 50.0), 0.5
    exact = px.simulate(robot, *start, dt=duration, steps=1, method="adaptive").q[-1]
    assert exact[0] > 0.3 and abs(exact[3]) < 1e-4 and exact[4] < 0.1
    for dt in (1e-2, 1e-3, 1e-4):
        steps = round(duration / dt)
        run = px.simulate(
            robot, *start, dt=dt, steps=steps, every=steps, method="semi_implicit_euler"
        )
        assert run.q[-1] == pytest.approx(exact, abs=1.5 * dt), dt


@pytest.mark.parametrize("torque, within", [(0.0, 2e-3), (10.3, 5e-3), (12.0, 2e-3)])
def test_semi_implicit_euler_leaves_rest_as_soon_as_it_should(torque, within):
    (joint,) = GEARED.joints
    robot = replace(GEARED, joints=[replace(joint, friction=Friction())])
    start = [0.0], [0.0], [torque / 50.0]
    exact = px.simulate(robot, *start, dt=0.5, steps=1, method="adaptive").q[-1, 0]
    options = {"dt": 1e-3, "steps": 500, "every": 500, "method": "semi_implicit_euler"}
    assert px.simulate(robot, *start, **options).q[-1, 0] == pytest.approx(exact, rel=within)


STEEP = {
    "falling friction": {"friction": Friction(coulomb=1.0, static=11.0)},
    "efficiency alone": {"transmission": Transmission(10.0, 0.3)},
}


@pytest.mark.parametrize("name", STEEP)
def test_losses_that_are_steep_at_rest_or_fall_beyond_it(name):
    """On a rail that slopes a block is pushed on, pushed back, held (but for creeping), let go."""
    robot = block(gravity=(5.0, 0.0, -10.0), **STEEP[name])
    ratio = robot.joints[0].transmission.ratio
    forces = np.array([[30.0], [-90.0], [-9.0], [0.0]]) / ratio
    for rate in (0.0, 0.5, -0.5):
        start = np.zeros((4, 1)), np.full((4, 1), rate), forces
        exact = px.simulate(robot, *start, dt=0.5, steps=1, method="adaptive").q[-1]
        for dt in (1e-2, 1e-3):
            options = {"dt": dt, "steps": round(0.5 / dt), "method": "semi_implicit_euler"}
            run = px.simulate(robot, *start, **options)
            assert run.q[-1] == pytest.approx(exact, abs=12 * dt), (rate, dt)
            if rate == 0.0:
                assert run.q[-1, 2] == pytest.approx(exact[2], abs=1e-6)


@pytest.mark.parametrize("dt", (1e-3, 1e-2))
@pytest.mark.parametrize("smoothing", (1e-3, 1e-6))
def test_stiff_friction_without_bearings_brings_coupled_joints_to_rest(dt, smoothing):
    losses = {
        "transmission": Transmission(30.0, 0.7, break_away=0.5),
        "friction": Friction(viscous=5.0, coulomb=0.5, static=0.8, smoothing=smoothing),
    }
    robot = px.robots.planar(3).with_drives(dict.fromkeys(("joint1", "joint2", "joint3"), losses))
    assert decay_rates(robot, np.zeros(3), {}).max() * dt > 10
    q0, qd0 = np.zeros((3, 3)), np.array([[0.0], [1.0], [-1.0]]) * [1.0, -2.0, 3.0]
    options = {"dt": dt, "every": round(0.01 / dt), "steps": round(20.0 / dt)}
    run = px.simulate(robot, q0, qd0, method="semi_implicit_euler", **options)
    total = energy(robot, run)
    assert np.diff(total, axis=0).max() <= 1e-3 * np.ptp(total)
    assert abs(run.qd[-1]).max() < 5 * smoothing
    assert abs(run.qd).max() > 1.0


@pytest.mark.long
def test_all_methods_go_the_same_way():
    """Semi-implicit Euler's error halves with dt."""
    robot = smoother(lossy_arm(), 0.05)
    start, end = (np.full(3, 0.4), np.linspace(-0.5, 0.5, 3)), []
    for method, steps in [
        (METHODS[2], 100),
        (METHODS[0], 100),
        (METHODS[1], 100),
        (METHODS[1], 200),
    ]:
        run = px.simulate(robot, *start, dt=0.1 / steps, steps=steps, method=method, every=steps)
        end.append(run.q[-1])
    assert end[1] == pytest.approx(end[0], abs=1e-8)
    ratio = abs(end[2] - end[0]).max() / abs(end[3] - end[0]).max()
    assert ratio == pytest.approx(2.0, abs=0.1)


# -- the same, other ways --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method", ["rk4", *(pytest.param(each, marks=pytest.mark.long) for each in METHODS[1:])]
)
def test_a_controller_that_cannot_be_traced_gives_the_same(method):
    robot = smoother(lossy_arm(), 0.05)

    def brake(t, q, qd):
        return -0.1 * qd

    def opaque(t, q, qd):
        return -0.1 * np.asarray(qd, dtype=float)

    start = np.full(3, 0.4), np.full(3, -0.5)
    options = {"dt": 1e-3, "steps": 20, "method": method}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.SimulationWarning)
        traced = px.simulate(robot, *start, controller=brake, **options)
        called = px.simulate(robot, *start, controller=opaque, **options)
    assert called.q == pytest.approx(traced.q, abs=1e-9)
    assert called.qd == pytest.approx(traced.qd, abs=1e-7)


def test_a_run_can_be_cut_and_continued():
    robot = lossy_arm()
    options = {"dt": 1e-3, "method": "semi_implicit_euler"}
    q0, qd0 = np.full((3, 3), 0.4), np.array([[0.0], [1.0], [-1.0]]) * np.ones(3)
    whole = px.simulate(robot, q0, qd0, steps=40, **options)
    half = px.simulate(robot, q0, qd0, steps=20, **options)
    rest = px.simulate(robot, half.q[-1], half.qd[-1], steps=20, **options)
    assert (rest.q == whole.q[20:]).all() and (rest.qd == whole.qd[20:]).all()


@pytest.mark.parametrize("method", [METHODS[0], pytest.param(METHODS[1], marks=pytest.mark.long)])
def test_masses_may_differ_from_robot_to_robot(method):
    robot = smoother(lossy_arm(), 0.5)
    heavy = 1.5 * px.parameter_values(robot, "mass")
    one = replace(robot, inertias=[replace(b, mass=1.5 * b.mass) for b in robot.inertias])
    start = np.zeros(3), np.full(3, 0.3)
    given = px.simulate(robot, *start, mass=heavy, dt=1e-3, steps=50, method=method)
    built = px.simulate(one, *start, dt=1e-3, steps=50, method=method)
    assert given.q == pytest.approx(built.q, abs=1e-10)


# -- what is said ----------------------------------------------------------------------------------


def test_stiff_friction_is_announced_with_what_would_do():
    robot = block(friction=Friction(coulomb=4.0, smoothing=1e-3))  # 4 / 1e-3 / 2 = 2000 / s
    advice = r"'adaptive'.*smoothing >= 0\.0014.*dt <= 0\.0014.*_euler' .*first order"
    with pytest.warns(px.SimulationWarning, match="'slide'.*" + advice):
        px.simulate(robot, [0], [1.0], dt=2e-3, steps=1)
    px.simulate(robot, [0], [1.0], dt=1e-3, steps=1)
    px.simulate(robot, [0], [1.0], dt=2e-3, steps=1, method="semi_implicit_euler")


@pytest.mark.parametrize("method", METHODS)
def test_a_bearing_that_jams_is_reported(method):
    """Its mass is 1 m off the rail: 20 μ |a| of friction against 2 kg · a, while it brakes."""
    friction = Friction(LinearBearing(0.2, 0.2), smoothing=0.1)
    joint = Joint("slide", "prismatic", axis=(1, 0, 0), friction=friction)
    robot = Robot(
        "hung", [joint], [Inertia(2.0, (0, 0, 1.0), (0.1,) * 3 + (0,) * 3)], [], (0, 0, 0)
    )
    torques = np.array([[1.0], [-9.0]])
    with pytest.warns(px.SimulationWarning) as said:
        px.simulate(robot, [[0.0]], [[1.0]] * 2, torques, dt=1e-3, steps=4, method=method)
    assert any("bearings: the torques of 1 of 2 robots" in str(each.message) for each in said)


def test_without_losses_nothing_is_added():
    robot = px.load("puma560")
    assert list(Step(robot, "rk4", (), ALWAYS).inputs) == ["q", "qd", "tau", "step", "dt"]
    start = np.full(6, 0.3), np.zeros(6)
    run = px.simulate(robot, *start, dt=1e-3, steps=100)
    total = energy(robot, run)
    assert np.ptp(total) < 1e-9 * max(1.0, math.fabs(total[0]))


@pytest.mark.parametrize("method", METHODS)
def test_a_joint_that_moves_nothing_is_named(method):
    friction = Friction(JournalBearing(0.1, 0.1, 0.1))
    joint = Joint("idle", "revolute", friction=friction)
    robot = Robot("empty", [joint], [Inertia()], warn=False)
    with pytest.raises(px.RobotError, match="'idle' moves nothing"):
        px.simulate(robot, [0.0], [1.0], dt=1e-3, steps=1, method=method)


@pytest.mark.parametrize("method", METHODS)
def test_no_robots_and_no_numbers_are_no_trouble(method):
    robot = pendulum(friction=Friction(JournalBearing(0.1, 0.1, 0.1), coulomb=0.1))
    options = {"dt": 1e-3, "steps": 2, "method": method}
    none = px.simulate(robot, np.zeros((0, 1)), [0.0], **options)
    assert none.q.shape == (3, 0, 1)
    with pytest.warns(px.SimulationWarning, match="simulation failed for the robot"):
        lost = px.simulate(robot, [math.nan], [0.0], **options)
    assert lost.failed_at == 0


def test_nan_stays_in_its_robot():
    robot, q0 = lossy_arm(), np.zeros((4, 3))
    clean = px.simulate(robot, q0, q0, dt=1e-3, steps=10, method="semi_implicit_euler")
    q0[2, 1] = math.nan
    with pytest.warns(px.SimulationWarning, match="simulation failed for 1 of 4 robots"):
        run = px.simulate(robot, q0, 0 * q0[0], dt=1e-3, steps=10, method="semi_implicit_euler")
    others = [0, 1, 3]
    assert (run.q[:, others] == clean.q[:, others]).all()
