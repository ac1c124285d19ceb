"""`px.simulate` against scipy's DOP853, MuJoCo and the laws of physics; then torques and
controllers, batches, failures, interrupts, and what is refused."""

import io
import json
import math
import signal
import sys
import threading
import tracemalloc
import warnings
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from support.bits import same_bits
from support.robots import mujoco_xml, random_robot, relative_error, states

import paraxis as px
from paraxis.simulation import bodies, progress

FIXED = ("rk4", "semi_implicit_euler")
METHODS = (*FIXED, "adaptive")
START = (0.3, -1.0, 0.8, -0.4, 0.5, 0.1)
REST = (0.0,) * 6
GOAL = np.array([0.5, -0.7, 1.0, -0.2, 0.1, 0.4])


@cache
def ur5():
    return px.load("ur5")


@cache
def robot_of(name):
    """A built-in robot by its name, or the random one of a seed; seeds have trees and sliders."""
    return px.load(name) if isinstance(name, str) else random_robot(name, joints=(3, 8))


def reference(robot, q0, qd0, times, torques=None, **parameters):
    """scipy's eighth order at its tightest: the states at these times."""

    def slope(t, x):
        q, qd = x[: robot.n], x[robot.n :]
        tau = np.zeros(robot.n) if torques is None else torques(t, q, qd)
        return np.concatenate([qd, px.forward_dynamics(robot, q, qd, tau, **parameters)])

    x0 = np.concatenate([q0, qd0]).astype(float)
    options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13, "t_eval": times}
    found = solve_ivp(slope, (0, times[-1]), x0, **options).y.T
    return found[:, : robot.n], found[:, robot.n :]


def final(run):
    """q and qd of the last record, side by side."""
    return np.concatenate([run.q[-1], run.qd[-1]], axis=-1)


def same_run(a, b):
    return all(same_bits(getattr(a, x), getattr(b, x)) for x in ("t", "q", "qd", "failed_at"))


# -- the motion ------------------------------------------------------------------------------------

ROBOTS = ("ur5", "puma560", "stanford", 0, 1, 2, 3, 4)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("method, dt, tolerance", [("rk4", 1e-4, 1e-9), ("adaptive", 1e-2, 1e-7)])
def test_robots_move_as_scipy_says(name, method, dt, tolerance):
    robot = robot_of(name)
    q0, qd0, tau = (x[1] for x in states(robot, 2))
    steps = round(0.1 / dt)
    run = px.simulate(robot, q0, qd0, tau, dt=dt, steps=steps, method=method)
    q, qd = reference(robot, q0, qd0, run.t, lambda t, q, qd: tau)
    assert run.q.shape == (steps + 1, robot.n)
    assert relative_error(run.q, q) < tolerance
    assert relative_error(run.qd, qd) < tolerance


def test_the_random_robots_are_of_every_kind():
    robots = [robot_of(seed) for seed in range(5)]
    assert any(not joint.is_revolute for robot in robots for joint in robot.joints)
    assert any(len({j.parent for j in robot.joints}) < robot.n for robot in robots)  # branches


def moving(t, q, qd):
    """Depends on time, so that a stage at a wrong time costs an order."""
    return 20 * px.math.sin(t * 9) * GOAL - qd


@pytest.mark.parametrize("method, order, dt", [("rk4", 4, 8e-3), ("semi_implicit_euler", 1, 4e-3)])
def test_the_order_of_convergence(method, order, dt):
    q, qd = reference(ur5(), START, REST, [0.0, 0.4], moving)
    exact, errors = np.concatenate([q[-1], qd[-1]]), []
    for half in range(3):
        steps = round(0.4 / dt) * 2**half
        run = px.simulate(
            ur5(), START, REST, controller=moving, dt=0.4 / steps, steps=steps, method=method
        )
        errors.append(abs(final(run) - exact).max())
    rates = [math.log2(a / b) for a, b in pairwise(errors)]
    assert rates == pytest.approx([order] * 2, abs=0.25)


@pytest.mark.parametrize("tolerance", (1e-5, 1e-8, 1e-11))
def test_the_tolerance_is_kept(tolerance):
    """The error of a step is within it; over half a second some hundred of them add up."""
    options = {"dt": 0.5, "steps": 1, "method": "adaptive", "tolerance": tolerance}
    run = px.simulate(ur5(), START, REST, controller=moving, **options)
    q, qd = reference(ur5(), START, REST, [0.0, 0.5], moving)
    error = abs(final(run) - np.concatenate([q[-1], qd[-1]])).max()
    assert error < 100 * tolerance
    assert error > 1e-4 * tolerance  # nor is it work for nothing


def test_rates_too_are_within_the_tolerance():
    """A torque of 1000 rad / s moves a joint by next to nothing: only its rate can tell."""
    robot, fast = px.robots.planar(1).with_gravity((0, 0, 0)), 1000.0
    inertia = px.mass_matrix(robot, [0.0])[0, 0]
    options = {"dt": 0.1, "steps": 1, "method": "adaptive", "tolerance": 1e-6}

    def shaking(t, q, qd):
        return [inertia * px.math.cos(fast * t)]

    run = px.simulate(robot, [0.0], [0.0], controller=shaking, **options)
    assert run.qd[-1, 0] == pytest.approx(math.sin(fast * 0.1) / fast, abs=1e-5)


@pytest.mark.filterwarnings("ignore:joint .* leaves its range")
def test_a_robot_that_is_let_go_keeps_its_energy():
    run = px.simulate(ur5(), START, REST, dt=1e-3, steps=10_000)
    assert run.t[-1] == pytest.approx(10)
    kinetic = px.kinetic_energy(ur5(), run.q, run.qd)
    total = kinetic + px.potential_energy(ur5(), run.q)
    assert kinetic.max() > 10  # it does move
    assert abs(total - total[0]).max() < 1e-6 * kinetic.max()


def mujoco_motion(xml, robot, q0, qd0, dt, steps):
    """The last state by MuJoCo's own rule of Runge and Kutta."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(xml)
    model.opt.timestep, model.opt.integrator = dt, mujoco.mjtIntegrator.mjINT_RK4
    kind = mujoco.mjtObj.mjOBJ_JOINT
    names = [mujoco.mj_id2name(model, kind, i) for i in range(model.njnt)]
    order = [robot.joint_names.index(name) for name in names]
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = np.asarray(q0)[order], np.asarray(qd0)[order]
    for _ in range(steps):
        mujoco.mj_step(model, data)
    found = np.empty((2, robot.n))
    found[:, order] = data.qpos, data.qvel
    return found.ravel()


@pytest.mark.parametrize("name", [x for x in ROBOTS if x not in ("puma560", "stanford")])
def test_robots_move_as_in_mujoco(name):
    """MuJoCo refuses the two old arms: some of their published links do not resist turning."""
    robot = robot_of(name)
    q0, qd0, _ = (x[1] for x in states(robot, 2))
    run = px.simulate(robot, q0, qd0, dt=1e-3, steps=100, every=100)
    theirs = mujoco_motion(mujoco_xml(robot), robot, q0, qd0, 1e-3, 100)
    assert relative_error(final(run)[None], theirs[None]) < 1e-9


@pytest.mark.filterwarnings("ignore::paraxis.errors.RobotWarning")
def test_the_ur5_of_a_urdf_moves_as_in_mujoco():
    pytest.importorskip("mujoco")
    peers = pytest.importorskip("peers")
    path = peers.robot_file("ur5")
    robot, mujoco = px.load(path), peers.MujocoPeer(path, 1e-3)
    order = [robot.joint_names.index(name) for name in mujoco.joint_names]
    q0 = np.array([START, GOAL])
    run = px.simulate(robot, q0, REST, dt=1e-3, steps=500, every=500)
    q, qd = mujoco.roller(q0[:, order], 0 * q0, 500, 1)()
    theirs = np.concatenate([q, qd], axis=-1)
    ours = np.concatenate([run.q[-1][:, order], run.qd[-1][:, order]], axis=-1)
    assert relative_error(ours, theirs) < 1e-9


# -- torques ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_torques_constant_and_for_each_step(method):
    rng = np.random.default_rng(1)
    q0, tau = rng.normal(size=(5, 6)), rng.normal(size=(5, 6)) * 10
    options = {"dt": 1e-2, "steps": 8, "method": method}
    constant = px.simulate(ur5(), q0, REST, tau, **options)
    again = px.simulate(ur5(), q0, REST, np.broadcast_to(tau, (8, 5, 6)), **options)
    assert abs(again.q - constant.q).max() < 1e-9
    changing = rng.normal(size=(8, 5, 6)) * 10
    one_by_one, q, qd = [], q0, np.zeros((5, 6))
    for step in range(8):
        one = px.simulate(ur5(), q, qd, changing[step], dt=1e-2, steps=1, method=method)
        q, qd = one.q[-1], one.qd[-1]
        one_by_one.append(q)
    found = px.simulate(ur5(), q0, REST, changing, **options)
    assert abs(found.q[1:] - one_by_one).max() < 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_torques_broadcast(method):
    q0 = np.random.default_rng(2).normal(size=(2, 3, 6))
    options = {"dt": 1e-2, "steps": 4, "method": method, "every": 2}
    full = np.random.default_rng(3).normal(size=(4, 2, 3, 6))
    for tau in (full[:, :1, :1], full[:, :, :1], full[0, 0], full[0, 0, 0], full[0, :, :1]):
        whole = np.broadcast_to(tau, ((4, 2, 3, 6) if tau.ndim == 4 else (2, 3, 6)))
        found = px.simulate(ur5(), q0, REST, tau, **options)
        assert same_run(found, px.simulate(ur5(), q0, REST, whole, **options))
    lists = px.simulate(ur5(), START, REST, full[:, 0, 0].tolist(), dt=1e-2, steps=4)
    assert same_run(lists, px.simulate(ur5(), START, REST, full[:, 0, 0], dt=1e-2, steps=4))


def test_free_joints_feel_no_torque():
    free = px.simulate(ur5(), START, REST, dt=1e-3, steps=50)
    zero = px.simulate(ur5(), START, REST, np.zeros(6), dt=1e-3, steps=50)
    assert abs(free.q - zero.q).max() < 1e-14


# -- controllers -----------------------------------------------------------------------------------

TABLE = np.linspace(-1, 1, 60).reshape(10, 6)
LIMIT = np.array([9.0, 9, 9, 3, 3, 3])


def saturated(t, q, qd):
    return px.math.maximum(px.math.minimum(60 * (GOAL - q) - 8 * qd, LIMIT), -LIMIT)


def cartesian(t, q, qd):
    """A spring between the tool and a point, and nothing that turns it."""
    place = px.forward_kinematics(ur5(), q)[:3, 3]
    pull = 50 * (np.array([0.3, 0.2, 0.5]) - place)
    return px.jacobian(ur5(), q)[3:].T @ pull - 2 * qd


def switching(t, q, qd):
    return [px.math.select(t > 0.025, 1.0, -1.0) - rate for rate in qd]


TRACED = {
    "spring and damper": lambda t, q, qd: 60 * (GOAL - q) - 8 * qd,
    "lists": lambda t, q, qd: [a - 0.1 * b for a, b in zip(q, qd, strict=True)],
    "computed torque": lambda t, q, qd: px.inverse_dynamics(
        ur5(), q, qd, 100 * (GOAL - q) - 20 * qd
    ),
    "gravity": lambda t, q, qd: px.gravity_torques(ur5(), q) - qd,
    "sums": lambda t, q, qd: 2 * px.gravity_torques(ur5(), q) - px.bias_forces(ur5(), q, qd),
    "minus": lambda t, q, qd: -px.gravity_torques(ur5(), q),
    "input": lambda t, q, qd: -px.motor_torques(ur5(), q, qd, 0 * q).input - qd,
    "energy": lambda t, q, qd: -px.kinetic_energy(ur5(), q, qd) * qd,
    "cartesian": cartesian,
    "gains": lambda t, q, qd: (np.eye(6) + 0.1) @ (GOAL - q) - qd,
    "sine of time": lambda t, q, qd: GOAL * np.sin(9 * t) - qd,
    "time and arrays": lambda t, q, qd: t * GOAL - qd / (1 + t),
    "sines": lambda t, q, qd: np.sin(q) - np.cos(qd),
    "numbers": lambda t, q, qd: (1, 2.0, np.float32(3), np.int64(4), True, 0),
    "saturated": saturated,
    "entry by entry": lambda t, q, qd: (
        px.math.select(px.math.less(abs(q), 0.3), px.math.sin(q), -px.math.sign(q)) - qd
    ),
    "switching": switching,
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", TRACED)
def test_a_controller_is_compiled_and_moves_as_when_it_is_called(name, method):
    controller = TRACED[name]

    def with_floats(t, q, qd):
        return controller(float(t), np.asarray(q, float), np.asarray(qd, float))

    options = {"dt": 5e-3, "steps": 10, "method": method}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = px.simulate(ur5(), START, REST, controller=controller, **options)
    with pytest.warns(px.SimulationWarning, match="runs uncompiled.*not a float yet"):
        called = px.simulate(ur5(), START, REST, controller=with_floats, **options)
    tolerance = 1e-7 if method == "adaptive" else 1e-11
    if (name, method) == ("switching", "adaptive"):
        tolerance = 1e-5  # where it jumps, each takes steps of its own
    assert relative_error(compiled.q, called.q) < tolerance
    assert relative_error(compiled.qd, called.qd) < 10 * tolerance


def choosing(t, q, qd):
    return (GOAL if t > 0.02 else -GOAL) - qd


def from_a_table(t, q, qd):
    return TABLE[min(int(t / 5e-3), 9)] - qd


def written_into(t, q, qd):
    tau = np.zeros(np.shape(q))
    tau[..., 0] = -q[..., 0]
    return tau


OPAQUE = {
    "if": choosing,
    "table": from_a_table,
    "assignment": written_into,
    "clip": lambda t, q, qd: np.clip(60 * (GOAL - q), -9, 9),
    "tanh": lambda t, q, qd: -np.tanh(qd),
    "where": lambda t, q, qd: np.where(q > 0, -1.0, 1.0) - qd,
    "floats": lambda t, q, qd: -np.array(q, dtype=float),
}


@pytest.mark.parametrize("name", ("clip", "where"))
def test_what_compares_in_numpy_is_told_what_to_write(name):
    with pytest.warns(
        px.SimulationWarning, match=r"px\.minimum, px\.maximum and px\.sign.*np\.clip"
    ):
        px.simulate(ur5(), START, REST, controller=OPAQUE[name], dt=1e-3, steps=1)


@pytest.mark.parametrize("name", OPAQUE)
def test_a_controller_that_wants_floats_runs_uncompiled_and_says_so(name):
    controller, dt = OPAQUE[name], 5e-3
    q0 = np.array([START, GOAL])
    with pytest.warns(px.SimulationWarning, match="controller: runs uncompiled"):
        run = px.simulate(ur5(), q0, REST, controller=controller, dt=dt, steps=5)
    q, qd = q0, np.zeros((2, 6))
    for step in range(5):  # the rule once more, as the textbook has it

        def slope(t, q, qd):
            return px.forward_dynamics(ur5(), q, qd, controller(t, q, qd))

        t = step * dt
        a1 = slope(t, q, qd)
        q2, v2 = q + dt / 2 * qd, qd + dt / 2 * a1
        a2 = slope(t + dt / 2, q2, v2)
        q3, v3 = q + dt / 2 * v2, qd + dt / 2 * a2
        a3 = slope(t + dt / 2, q3, v3)
        q4, v4 = q + dt * v3, qd + dt * a3
        a4 = slope(t + dt, q4, v4)
        q, qd = q + dt / 6 * (qd + 2 * v2 + 2 * v3 + v4), qd + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        assert abs(run.q[step + 1] - q).max() < 1e-12
        assert abs(run.qd[step + 1] - qd).max() < 1e-10


def test_a_controller_with_chance_in_it_is_not_frozen():
    """Traced, its noise would be four constants."""
    rng = np.random.default_rng(0)
    with pytest.warns(px.SimulationWarning, match="other torques when it is asked again"):
        run = px.simulate(
            ur5(), START, REST, controller=lambda t, q, qd: rng.normal(size=6), dt=1e-3, steps=20
        )
    torques = px.inverse_dynamics(ur5(), run.q[:-1], run.qd[:-1], np.diff(run.qd, axis=0) / 1e-3)
    assert len(np.unique(np.round(torques[:, 0], 3))) > 15


class Integrating:
    """A controller with a memory."""

    def __init__(self, wants_floats):
        self.total, self.calls, self.wants_floats = 0.0, 0, wants_floats

    def __call__(self, t, q, qd):
        t = float(t) if self.wants_floats else t
        self.total, self.calls = self.total + (GOAL - q) * 1e-3, self.calls + 1
        return 10 * (GOAL - q) + self.total - qd


def test_a_controller_that_remembers_asks_for_floats():
    controller = Integrating(wants_floats=True)
    with pytest.warns(px.SimulationWarning, match="not a float yet"):
        run = px.simulate(
            ur5(), START, REST, controller=controller, dt=1e-3, steps=9, method=FIXED[1]
        )
    assert controller.calls == 9  # once a step, none besides
    assert np.allclose(controller.total, ((GOAL - run.q[:-1]) * 1e-3).sum(0), rtol=1e-12)
    with (
        pytest.raises(px.ArgumentError, match=r"kept values from when it was traced.*float\(t\)"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        px.simulate(ur5(), START, REST, controller=Integrating(False), dt=1e-3, steps=9)


def test_an_opaque_controller_moves_one_robot_adaptively():
    options = {"dt": 1e-2, "steps": 6, "method": "adaptive"}
    with pytest.warns(px.SimulationWarning, match="runs uncompiled"):
        run = px.simulate(ur5(), START, REST, controller=OPAQUE["tanh"], **options)
    q, _ = reference(ur5(), START, REST, run.t, OPAQUE["tanh"])
    assert abs(run.q - q).max() < 1e-8
    with warnings.catch_warnings(), pytest.raises(px.ArgumentError, match="single robot"):
        warnings.simplefilter("error")  # nothing else is said
        px.simulate(ur5(), [START] * 2, REST, controller=OPAQUE["tanh"], **options)


def unequal(t, q, qd):
    return [[1.0], 1, 1, 1, 1, 1]


WRONG = {
    "sliced": (lambda t, q, qd: 2 * px.gravity_torques(ur5(), q)[:3], r"\(6,\), found \(3,\)"),
    "few": (lambda t, q, qd: [1.0] * 5, r"torques of shape \(6,\), found \(5,\)"),
    "nested": (lambda t, q, qd: [[1.0] * 6], r"torques of shape \(6,\), found \(1, 6\)"),
    "one number": (lambda t, q, qd: 1.0, r"torques of shape \(6,\), found \(\)"),
    "None": (lambda t, q, qd: None, r"torques of shape \(6,\), found \(\)"),
    "text": (lambda t, q, qd: "torques", r"torques of shape \(6,\), found \(\)"),
    "texts": (lambda t, q, qd: list("torque"), "torques that are numbers, found str"),
    "Nones": (lambda t, q, qd: [None] * 6, "torques that are numbers, found NoneType"),
    "complex": (lambda t, q, qd: [1j] * 6, "torques that are numbers, found complex"),
    "unequal": (unequal, "torques that are numbers, found list"),
    "few, called": (lambda t, q, qd: [float(t)] * 5, r"shape \(6,\), found \(5,\)"),
    "nested, called": (lambda t, q, qd: [[float(t)] * 6] * 2, r"shape \(6,\), found \(2, 6\)"),
    "text, called": (lambda t, q, qd: ["a"] * int(6 + float(t)), "numbers, found str"),
    "None, called": (lambda t, q, qd: None if t < 1 else 0, r"shape \(6,\), found \(\)"),
    "one number, called": (lambda t, q, qd: float(t), r"shape \(6,\), found \(\)"),
    "unequal, called": (lambda t, q, qd: [float(t), [1], 1, 1, 1, 1], "numbers, found list"),
    "yes and no, called": (lambda t, q, qd: [t > 0] * int(6 + float(t)), "numbers, found bool"),
    "rows, called": (lambda t, q, qd: [[float(t)], [1, 2]], r"shape \(6,\), found \(2,\)"),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", WRONG)
@pytest.mark.filterwarnings("ignore::paraxis.errors.SimulationWarning")
def test_a_controller_of_wrong_shape(name, method):
    controller, message = WRONG[name]
    with pytest.raises(px.ArgumentError, match=f"controller: expected .*{message}"):
        px.simulate(ur5(), START, REST, controller=controller, dt=1e-3, steps=3, method=method)


@pytest.mark.filterwarnings("ignore::paraxis.errors.SimulationWarning")
def test_a_called_controller_is_told_that_it_gets_the_whole_batch():
    with pytest.raises(
        px.ArgumentError, match=r"shape \(4, 6\) .*q\[\.\.\., j\]\), found \(6, 6\)"
    ):
        px.simulate(
            ur5(),
            np.zeros((4, 6)),
            REST,
            controller=lambda t, q, qd: [float(t) - q[0] for _ in range(6)],
            dt=1e-3,
            steps=1,
        )


@pytest.mark.parametrize("own", (float, lambda t: [float(t)] * 6, lambda t: [[float(t)]] * 4))
def test_a_called_controller_returns_torques_of_every_robot(own):
    """What would only be spread over the batch is not what was asked for."""
    q0 = np.zeros((4, 6))
    with pytest.raises(px.ArgumentError, match=r"torques of shape \(4, 6\) .*, found \("):
        px.simulate(ur5(), q0, REST, controller=lambda t, q, qd: own(t), dt=1e-3, steps=1)


@pytest.mark.filterwarnings("ignore::paraxis.errors.SimulationWarning")
def test_mistakes_in_a_controller_are_shown():
    with pytest.raises(KeyError, match="gains"):
        px.simulate(ur5(), START, REST, controller=lambda t, q, qd: {}["gains"], dt=1e-3, steps=1)
    with pytest.raises(px.ArgumentError, match=r"controller\(t, q, qd\), found .*too many pos"):
        px.simulate(ur5(), START, REST, controller=lambda q, qd: q, dt=1e-3, steps=1)


def joint_by_joint(t, q, qd):
    """With floats, each joint alike: the torques of a transposed batch are transposed back."""
    return np.array([-10 * q[j] for j in range(6)], float)


def shuffled(t, q, qd):
    return np.array([-10 * q[5 - j] for j in range(6)], float)


def robot_by_robot(t, q, qd):
    return np.array([-10 * np.asarray(own, float) for own in q]).reshape(np.shape(q))


def of_all_joints(t, q, qd):
    return -10 * np.asarray(q, float)


class Noisy:
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __call__(self, t, q, qd):
        return np.asarray(q, float) + self.rng.normal(size=np.shape(q))


def test_joints_are_not_taken_for_robots():
    """Of six robots of six joints, q[j] is robot j: transposed torques that look right."""
    options = {"controller": joint_by_joint, "dt": 1e-3, "steps": 2}
    q0 = np.random.default_rng(0).normal(size=(6, 6))
    hint = r"cannot be traced \(.*whole batch, \(\d, 6\): expected q\[\.\.\., j\] for joint j; "
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an error is enough
        with pytest.raises(px.ArgumentError, match=hint + "robot 0 gets other torques"):
            px.simulate(ur5(), q0, REST, **options | {"controller": shuffled})
        with pytest.raises(px.ArgumentError, match=hint + "there it gave IndexError") as raised:
            px.simulate(ur5(), q0[:3], REST, **options)
    assert isinstance(raised.value.__cause__, IndexError)
    with pytest.warns(px.SimulationWarning, match="uncompiled"):  # one robot has joints only
        px.simulate(ur5(), q0[0], REST, **options)


@pytest.mark.parametrize("controller", (robot_by_robot, of_all_joints, Noisy()))
@pytest.mark.parametrize("batch", ((6,), (2, 6), (0, 6)), ids=str)
def test_a_controller_of_the_whole_batch_is_not_suspected(controller, batch):
    with pytest.warns(px.SimulationWarning, match="uncompiled"):
        px.simulate(ur5(), np.ones((*batch, 6)), REST, controller=controller, dt=1e-3, steps=2)


def test_a_controller_that_remembers_is_not_asked_on_trial():
    controller = Integrating(wants_floats=True)
    with pytest.warns(px.SimulationWarning, match="not a float yet"):
        px.simulate(ur5(), np.ones((6, 6)), REST, controller=controller, dt=1e-3, steps=3)
    assert controller.calls == 3 * 4


# -- batches and records ---------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("batch", ((), (0,), (1,), (9,), (2, 3)), ids=str)
def test_a_robot_of_a_batch_moves_as_alone(batch, method):
    rng = np.random.default_rng(5)
    q0, qd0 = rng.normal(size=(2, *batch, 6))
    options = {"dt": 1e-2, "steps": 6, "every": 2, "method": method}
    run = px.simulate(ur5(), q0, qd0, controller=TRACED["saturated"], **options)
    assert run.t.shape == (4,) and run.t == pytest.approx([0, 0.02, 0.04, 0.06])
    assert run.q.shape == run.qd.shape == (4, *batch, 6)
    assert run.failed_at.shape == batch and (run.failed_at == -1).all()
    assert same_bits(run.q[0], q0) and same_bits(run.qd[0], qd0)
    for place in np.ndindex(batch):
        alone = px.simulate(ur5(), q0[place], qd0[place], controller=TRACED["saturated"], **options)
        assert same_bits(alone.q, run.q[(slice(None), *place)].copy())
        assert same_bits(alone.qd, run.qd[(slice(None), *place)].copy())


@pytest.mark.parametrize("method", FIXED)
def test_records_of_every_rth_step_are_some_of_all(method):
    options = {"dt": 1e-3, "steps": 12, "method": method}
    every = px.simulate(ur5(), START, REST, **options)
    for r in (2, 3, 12):
        some = px.simulate(ur5(), START, REST, every=r, **options)
        assert same_bits(some.q, every.q[::r].copy()) and some.t == pytest.approx(every.t[::r])


@pytest.mark.parametrize("method", METHODS)
def test_no_steps(method):
    run = px.simulate(ur5(), START, REST, dt=1e-3, steps=0, method=method)
    assert run.q.tolist() == [list(START)] and run.t.tolist() == [0.0]


@pytest.mark.filterwarnings("ignore:joint .* leaves its range")
def test_numbers_as_people_have_them():
    options = {"dt": 1e-3, "steps": 5}
    run = px.simulate(ur5(), np.array(START), np.zeros(6), **options)
    for q0, qd0 in ((START, [0] * 6), (json.loads(json.dumps(START)), np.zeros(6, int))):
        assert same_run(px.simulate(ur5(), q0, qd0, **options), run)
    small = np.array(START, "float32")
    assert same_run(
        px.simulate(ur5(), small, REST, **options),
        px.simulate(ur5(), small.astype(float), REST, **options),
    )
    assert run.q.dtype == px.simulate(ur5(), small, REST, **options).q.dtype == np.float64
    assert same_run(px.simulate(ur5(), START, REST, dt=1e-3, steps=5.0, every=np.float32(1)), run)
    whole = px.simulate(ur5(), START, REST, dt=np.float64(1), steps=np.int64(1))
    assert same_run(whole, px.simulate(ur5(), START, REST, dt=1, steps=1))


def test_a_robot_of_one_joint():
    pendulum = px.robots.chain(1)
    run = px.simulate(pendulum, [0.1], [0.0], tau=[0.0], dt=1e-3, steps=100)
    q, _ = reference(pendulum, [0.1], [0.0], run.t)
    assert abs(run.q - q).max() < 1e-10


def test_many_steps_take_no_memory():
    options = {"dt": 1e-5, "steps": 200_000, "every": 200_000}
    px.simulate(px.robots.chain(1), [0.1], [0.0], **options | {"steps": 0})
    robot = px.robots.chain(1)
    px.simulate(robot, [0.1], [0.0], dt=1e-5, steps=1)
    tracemalloc.start()
    run = px.simulate(robot, [0.1], [0.0], **options)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(run.t) == 2 and peak < 200_000


@pytest.mark.parametrize("method", METHODS)
def test_parameters_are_one_set_a_robot(method):
    mass = px.parameter_values(ur5(), "mass") * np.linspace(0.5, 2, 3)[:, None]
    gravity = [0.0, 1.0, -3.0]
    options = {"dt": 2e-3, "steps": 20, "method": method, "mass": mass, "gravity": gravity}
    run = px.simulate(ur5(), START, REST, **options)
    assert run.q.shape == (21, 3, 6)
    for k in range(3):
        q, _ = reference(ur5(), START, REST, run.t, mass=mass[k], gravity=gravity)
        assert abs(run.q[:, k] - q).max() < (1e-3 if method == FIXED[1] else 1e-7)
    with pytest.warns(px.SimulationWarning):  # and the same when a controller is called
        called = px.simulate(
            ur5(), START, REST, controller=lambda t, q, qd: 0 * q * float(t), dt=2e-3, steps=20,
            mass=mass[0], gravity=gravity, method=method,
        )  # fmt: skip
    assert abs(called.q - run.q[:, 0]).max() < 1e-9


def test_compiled_once():
    robot = px.load("ur5")
    for _ in range(3):
        px.simulate(robot, START, REST, controller=TRACED["gains"], dt=1e-3, steps=1)
        px.simulate(robot, START, REST, dt=1e-3, steps=2)
    loops = [key for key in robot._functions if key[0] == "simulate"]
    assert len(loops) == 2


# -- failures --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_what_is_no_number_stays_in_its_robot(method):
    q0 = np.random.default_rng(6).normal(size=(11, 6))
    options = {"dt": 1e-3, "steps": 5, "method": method}
    good = px.simulate(ur5(), q0, REST, **options)
    q0[3, 2] = np.nan
    with pytest.warns(px.SimulationWarning, match="1 of 11 robots .* robot 3 first, at step 0"):
        run = px.simulate(ur5(), q0, REST, **options)
    others = np.arange(11) != 3
    assert run.failed_at.tolist() == [-1] * 3 + [0] + [-1] * 7
    assert same_bits(run.q[:, others], good.q[:, others])
    assert np.isnan(run.q[1:, 3]).any(-1).all()
    assert "1 failed" in repr(run)


def test_a_parameter_that_is_no_number_and_that_nothing_uses():
    """It spoils its robot from the first step on, and failed_at says which that is."""
    com = np.array([[[0.5, 0.0, 0.0]], [[0.5, math.nan, 0.0]]])  # a pendulum's, beside its axis
    with pytest.warns(px.SimulationWarning, match="robot 1 first, at step 1 "):
        run = px.simulate(px.robots.planar(1), [0.1], [0.0], dt=0.1, steps=3, com=com)
    assert run.failed_at.tolist() == [-1, 1] and np.isnan(run.q[1:, 1]).all()


def test_torques_that_are_no_number_at_one_step():
    tau = np.zeros((8, 2, 6))
    tau[4, 1, 0] = np.nan
    with pytest.warns(px.SimulationWarning, match="robot 1 first, at step 5"):
        run = px.simulate(ur5(), [START, START], REST, tau, dt=1e-3, steps=8)
    assert run.failed_at.tolist() == [-1, 5]
    assert np.isfinite(run.q[:5]).all() and np.isfinite(run.q[:, 0]).all()


def pushing(t, q, qd):
    """Ever faster: infinite after a finite time."""
    return qd * qd * qd


def opaque_pushing(t, q, qd):
    return pushing(float(t), q, qd)


@pytest.mark.filterwarnings("ignore:controller. runs uncompiled")
@pytest.mark.parametrize("controller", (pushing, opaque_pushing))
@pytest.mark.parametrize("method", METHODS)
def test_a_robot_that_runs_away(method, controller):
    """Reported with its step, compiled or called; what came before it is kept."""
    pendulum = px.robots.chain(1)
    with pytest.warns(px.SimulationWarning, match=r"the robot left the finite numbers at step \d+"):
        run = px.simulate(
            pendulum, [0.1], [4.0], controller=controller, dt=1e-2, steps=200, method=method
        )
    good = np.isfinite(run.q).all(-1) & np.isfinite(run.qd).all(-1)
    assert not good.all()
    assert run.failed_at == np.argmin(good)
    assert good[: run.failed_at].all() and not good[run.failed_at :].any()


def test_robots_that_run_away_leave_the_others():
    pendulum = px.robots.chain(1).with_gravity((0, 0, 0))
    qd0 = np.array([[0.0], [0.7], [0.1], [1.0]])
    inertia = px.mass_matrix(pendulum, [0.0])[0, 0]  # at speed v, it is gone after 1 / 2v²
    options = {"controller": lambda t, q, qd: inertia * pushing(t, q, qd), "dt": 1e-2, "steps": 200}
    for method in METHODS:
        with pytest.warns(px.SimulationWarning, match="2 of 4 robots .* robot 3 first"):
            run = px.simulate(pendulum, [0.1], qd0, method=method, **options)
        assert (run.failed_at == -1).tolist() == [True, False, True, False]
        assert run.failed_at[3] < run.failed_at[1]
        alone = px.simulate(pendulum, [0.1], qd0[2], method=method, **options)
        assert same_bits(alone.q, run.q[:, 2].copy())


# -- interrupts and progress -----------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:controller. runs uncompiled")
def test_an_interrupted_controller_keeps_what_was_computed():
    def controller(t, q, qd):
        if t >= 0.0065:
            raise KeyboardInterrupt
        return 0 * qd

    with pytest.raises(KeyboardInterrupt, match=r"interrupted at 0\.006 of 0\.05 s") as caught:
        px.simulate(ur5(), START, REST, controller=controller, dt=1e-3, steps=50, every=2)
    run = caught.value.partial
    assert isinstance(caught.value, px.Interrupted)
    assert run.interrupted and "interrupted" in repr(run)
    whole = px.simulate(ur5(), START, REST, dt=1e-3, steps=50, every=2)
    assert len(run.t) == len(run.q) == len(run.qd) == 4
    assert abs(run.q - whole.q[:4]).max() < 1e-12


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="a Unix call")
@pytest.mark.filterwarnings("ignore:joint .* leaves its range")
@pytest.mark.parametrize("method", ("rk4", "adaptive"))
def test_an_interrupted_loop_keeps_what_was_computed(method):
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals go to the main thread")

    def interrupt(number, frame):
        raise KeyboardInterrupt

    options = {"dt": 1e-4, "every": 100, "method": method}
    px.simulate(ur5(), START, REST, steps=100, **options)  # compiled
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.4)
    try:
        with pytest.raises(px.Interrupted, match="interrupted at") as caught:
            px.simulate(ur5(), START, REST, steps=100_000_000, **options)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    run = caught.value.partial
    assert run.interrupted and 1 < len(run.t) < 1_000_001
    assert len(run.q) == len(run.qd) == len(run.t)
    assert run.failed_at == -1
    short = min(len(run.t), 20)
    whole = px.simulate(ur5(), START, REST, steps=100 * (short - 1), **options)
    assert same_bits(whole.q, run.q[:short])


class Screen(io.StringIO):
    def __init__(self, tty):
        super().__init__()
        self.isatty = lambda: tty


def shown(monkeypatch, tty, patience):
    screen = Screen(tty)
    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    for method in METHODS:
        px.simulate(ur5(), START, REST, dt=1e-3, steps=50, method=method)
    return screen.getvalue()


def test_progress_is_shown_to_people_only_and_taken_away(monkeypatch):
    text = shown(monkeypatch, tty=True, patience=0.0)
    assert "simulating" in text
    assert text.endswith("\x1b[2K")  # its line is erased in the end
    assert shown(monkeypatch, tty=False, patience=0.0) == ""
    assert shown(monkeypatch, tty=True, patience=60.0) == ""


# -- what is refused -------------------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")
REFUSED = {
    "robot": ({"robot": "ur5"}, r"robot: expected a Robot \(px.load makes one\), found str"),
    "dt 0": ({"dt": 0}, "dt: expected a number > 0, found 0"),
    "dt < 0": ({"dt": -1e-3}, "dt: expected a number > 0, found -0.001"),
    "dt nan": ({"dt": NAN}, "dt: expected a number > 0, found nan"),
    "dt inf": ({"dt": INF}, "dt: expected a number > 0, found inf"),
    "dt text": ({"dt": "1ms"}, "dt: expected a number > 0, found '1ms'"),
    "dt None": ({"dt": None}, "dt: expected a number > 0, found None"),
    "dt array": ({"dt": np.ones(2)}, r"dt: expected a number > 0, found array"),
    "steps < 0": ({"steps": -1}, "steps: expected a whole number >= 0, found -1"),
    "steps float": ({"steps": 10.5}, "steps: expected a whole number >= 0, found 10.5"),
    "steps text": ({"steps": "10"}, "steps: expected a whole number >= 0, found '10'"),
    "every 0": ({"every": 0}, "every: expected a whole number >= 1, found 0"),
    "every of 3": ({"every": 3}, "every: expected a divisor of the 10 steps, found 3"),
    "method": ({"method": "rk5"}, r"method: expected one of 'rk4', .*found 'rk5'"),
    "method list": ({"method": ["rk4"]}, r"method: expected one of .*found \['rk4'\]"),
    "tolerance": ({"tolerance": 0.0}, "tolerance: expected a number > 0, found 0.0"),
    "q0 shape": ({"q0": np.zeros(5)}, r"q0: expected shape \(\.\.\., 6\), found \(5,\)"),
    "q0 None": ({"q0": None}, "q0: expected an array of numbers, found None"),
    "qd0 text": ({"qd0": ["a"] * 6}, "qd0: expected real numbers"),
    "batches": ({"q0": np.zeros((2, 6)), "qd0": np.zeros((3, 6))}, "do not broadcast together"),
    "tau scalar": ({"tau": 1.0}, r"tau: expected shape \(\.\.\., 6\), found \(\)"),
    "tau entries": ({"tau": np.zeros(7)}, r"tau: expected shape \(\.\.\., 6\), found \(7,\)"),
    "tau steps": ({"tau": np.zeros((9, 6))}, "tau: expected torques of 10 steps, found 9"),
    "tau axes": ({"tau": np.zeros((2, 3, 6))}, r"tau: expected shape \(6,\), or one axis more"),
    "tau batch": (
        {"q0": np.zeros((2, 6)), "tau": np.zeros((3, 6))},
        r"tau: expected shape \(2, 6\), or one axis more .*found \(3, 6\)",
    ),
    "tau and controller": (
        {"tau": np.zeros(6), "controller": TRACED["gains"]},
        "torques: expected tau or controller, found both",
    ),
    "controller": ({"controller": np.zeros(6)}, r"a function of \(t, q, qd\), found ndarray"),
    "parameter": ({"colour": 1.0}, "colour: there is no controller that takes it"),
    "mass": ({"mass": np.ones(5)}, r"mass: expected shape \(\.\.\., 6\), found \(5,\)"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_sense_is_refused(case):
    changed, message = REFUSED[case]
    given = {"robot": ur5(), "q0": START, "qd0": REST, "dt": 1e-3, "steps": 10} | changed
    with pytest.raises(px.ArgumentError, match=message):
        px.simulate(**given)


@pytest.mark.parametrize("method", ("rk4", "semi_implicit_euler", "adaptive"))
def test_a_called_controller_may_change_what_it_is_given(method):
    """The robot moves by its torques alone, as where the same lines are compiled."""
    arm, goal = px.robots.planar(2), np.array([0.5, 0.2])

    def in_place(t, q, qd):
        q -= goal
        q *= -50.0
        qd *= -9.0
        q += qd
        return q

    def called(t, q, qd):
        float(t)
        return in_place(t, q, qd)

    given = {"q0": [0.1, 0.1], "qd0": [0.0, 0.3], "dt": 1e-3, "steps": 20, "method": method}
    with pytest.warns(px.SimulationWarning, match="uncompiled"):
        found = px.simulate(arm, controller=called, **given)
    compiled = px.simulate(arm, controller=in_place, **given)
    np.testing.assert_allclose(found.q, compiled.q, rtol=1e-9)


def test_dynamics_that_cannot_be_traced_are_no_controllers_fault(monkeypatch):
    """Without a controller there is none to call instead."""

    def refuse(*arguments):
        raise px.TraceError("something too small")

    monkeypatch.setattr(bodies, "step_graph", refuse)
    monkeypatch.setenv("PARAXIS_CACHE", "off")  # which has the machine code of other tests
    words = "robot 'ur5': its dynamics cannot be compiled: something too small; look for a mass"
    with pytest.raises(px.RobotError, match=words):
        px.simulate(px.load("ur5"), START, REST, dt=1e-3, steps=1)


def test_a_run_prints_what_it_is():
    run = px.simulate(ur5(), np.zeros((3, 6)), REST, dt=1e-2, steps=10)
    assert repr(run) == "<Run: 3 robots, 11 states, 0 to 0.1 s>"


# -- settings of a controller --------------------------------------------------------------------


def damper(t, q, qd, gain, goal):
    return gain * (goal - q) - 0.3 * gain * qd


def test_each_robot_has_settings_of_its_own():
    robot = px.robots.planar(2)
    q0, gain = np.zeros((5, 2)), np.linspace(1, 9, 5)
    goal = np.random.default_rng(0).uniform(-1, 1, (5, 2))
    many = px.simulate(
        robot, q0, q0, controller=damper, dt=1e-3, steps=50, gain=gain, goal=goal, method="rk4"
    )
    for k in range(5):
        fixed = px.simulate(
            robot,
            q0[k],
            q0[k],
            controller=lambda t, q, qd, k=k: damper(t, q, qd, float(gain[k]), goal[k]),
            dt=1e-3,
            steps=50,
        )
        np.testing.assert_allclose(many.q[:, k], fixed.q, atol=1e-14)


@pytest.mark.parametrize("called", (False, True))
@pytest.mark.filterwarnings("ignore:controller. runs uncompiled")
def test_robots_share_settings(called):
    def controller(t, q, qd, gain, goal):
        return damper(float(t) if called else t, q, qd, gain, goal)

    robot, zeros, goal = px.robots.planar(2), np.zeros((2, 3, 2)), np.arange(4.0).reshape(2, 1, 2)
    options = {"controller": controller, "dt": 1e-3, "steps": 10, "method": "rk4"}
    shared = px.simulate(robot, zeros, zeros, gain=3.0, goal=goal, **options)
    apart = {"gain": np.full((2, 3, 1), 3.0), "goal": np.tile(goal, (1, 3, 1))}
    np.testing.assert_array_equal(shared.q, px.simulate(robot, zeros, zeros, **apart, **options).q)
    assert (shared.q[:, :, 0] == shared.q[:, :, 2]).all()
    assert (shared.q[-1, 0] != shared.q[-1, 1]).all()


@pytest.mark.parametrize("method", ("rk4", "adaptive"))
def test_settings_compile_once(method):
    robot = px.robots.planar(2)
    before = None
    for gain in (1.0, 2.0, 3.0):
        px.simulate(
            robot, [0, 0], [0, 0], controller=damper, dt=1e-2, steps=2, gain=gain, goal=[1, 1],
            method=method,
        )  # fmt: skip
        loops = [key for key in robot._functions if key[0] == "simulate"]
        assert before in (None, loops)
        before = loops


def test_a_called_controller_gets_settings_of_the_whole_batch():
    robot = px.robots.planar(2)
    seen = []

    def asks(t, q, qd, gain, goal):
        seen.append((gain.shape, goal.shape))
        return damper(float(t), q, qd, gain[:, None], goal)

    given = {"gain": np.linspace(1, 2, 3), "goal": np.ones((3, 2))}
    zeros = np.zeros((3, 2))
    traced = px.simulate(robot, zeros, zeros, controller=damper, dt=1e-2, steps=5, **given)
    with pytest.warns(px.SimulationWarning, match="uncompiled"):
        called = px.simulate(robot, zeros, zeros, controller=asks, dt=1e-2, steps=5, **given)
    np.testing.assert_allclose(called.q, traced.q, atol=1e-14)
    assert seen[-1] == ((3,), (3, 2))


@pytest.mark.parametrize(
    "keywords, words",
    (
        ({"gain": [1.0, 2.0], "goal": [[1, 1]] * 3}, "gain.*batch .3,. as first axes.*found.*2"),
        ({"gain": 1.0, "goal": [1, 1]}, r"goal: .*found shape \(2,\); goal\[None\] is the same"),
        ({"gain": "high", "goal": [[1, 1]] * 3}, "gain: expected real numbers"),
        ({"gain": [1.0] * 3}, r"\(t, q, qd, gain=gain\), found .*missing .*'goal'"),
        ({"gain": 1.0, "goal": [[1, 1]] * 3, "q": 1.0}, "q: expected another name .* t, q, qd"),
        ({"gain": 1.0, "goal": [[1, 1]] * 3, "t": 1.0}, "t: expected another name"),
        ({"gain": 1.0, "goal": [[1, 1]] * 3, "knd": 1.0}, "unexpected keyword argument 'knd'"),
    ),
)
def test_wrong_settings(keywords, words):
    zeros = np.zeros((3, 2))
    with pytest.raises(px.ArgumentError, match=words), warnings.catch_warnings():
        warnings.simplefilter("error")
        px.simulate(
            px.robots.planar(2), zeros, zeros, controller=damper, dt=1e-2, steps=5, **keywords
        )


def test_settings_need_a_controller():
    with pytest.raises(px.ArgumentError, match="maas: there is no controller.*mass"):
        px.simulate(px.robots.planar(2), [0, 0], [0, 0], dt=1e-2, steps=5, maas=[1, 1])


@pytest.mark.parametrize("called", (False, True))
def test_torques_are_on_the_shafts_of_motors_also_without_losses(called):
    bare = px.robots.planar(2)
    drives = {
        "joint1": {"transmission": px.robots.Transmission(ratio=50.0)},
        "joint2": {"transmission": px.robots.Transmission(ratio=-20.0)},
    }
    geared, at_joint = bare.with_drives(drives), np.array([7.0, -3.0])
    expected = px.simulate(bare, [0, 0], [0, 0], at_joint, dt=1e-3, steps=100)

    def on_shafts(t, q, qd):
        return at_joint / (50.0, -20.0) + 0.0 * (float(t) if called else 0.0)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = px.simulate(geared, [0, 0], [0, 0], controller=on_shafts, dt=1e-3, steps=100)
    np.testing.assert_allclose(found.q, expected.q, atol=1e-12)
