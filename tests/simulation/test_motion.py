"""Simulated motion: against scipy, MuJoCo and physics; torques; one robot of a batch or many."""

import json
import math
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from support.bits import same_bits
from support.robots import mujoco_xml, relative_error, states
from support.simulations import (
    FIXED,
    GOAL,
    METHODS,
    REST,
    START,
    TRACED,
    final,
    reference,
    robot_of,
    same_run,
    ur5,
)

import paraxis as px
from paraxis.targets import store

# -- the motion ------------------------------------------------------------------------------------


ROBOTS = ("ur5", "puma560", "stanford", 0, 1, 2, 3, 4)
QUICK = ("ur5", "stanford", 0, 1)


@pytest.mark.parametrize(
    "name",
    [pytest.param(x, marks=() if x in QUICK else pytest.mark.long) for x in ROBOTS],
)
@pytest.mark.parametrize("method, dt, tolerance", [("rk4", 1e-4, 1e-9), ("adaptive", 1e-2, 1e-7)])
def test_robots_move_as_scipy_says(name, method, dt, tolerance):
    robot = robot_of(name)
    q0, qd0, tau = (x[1] for x in states(robot, 2))
    steps = round(0.1 / dt)
    run = px.simulate(robot, q0, qd0, tau, dt=dt, steps=steps, method=method, limits=False)
    q, qd = reference(robot, q0, qd0, run.t, lambda t, q, qd: tau)
    assert run.q.shape == (steps + 1, robot.n)
    assert relative_error(run.q, q) < tolerance
    assert relative_error(run.qd, qd) < tolerance


def test_the_random_robots_are_of_every_kind():
    robots = [robot_of(seed) for seed in QUICK[2:]]
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
        options = {"dt": 0.4 / steps, "steps": steps, "method": method, "limits": False}
        run = px.simulate(ur5(), START, REST, controller=moving, **options)
        errors.append(abs(final(run) - exact).max())
    rates = [math.log2(a / b) for a, b in pairwise(errors)]
    assert rates == pytest.approx([order] * 2, abs=0.25)


@pytest.mark.parametrize("tolerance", (1e-5, 1e-8, 1e-11))
def test_the_tolerance_is_kept(tolerance):
    """The error of a step is within it; over half a second some hundred of them add up."""
    options = {"dt": 0.5, "steps": 1, "method": "adaptive", "tolerance": tolerance}
    options["limits"] = False
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
    run = px.simulate(ur5(), START, REST, dt=1e-3, steps=10_000, limits=False)
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
    options = {"dt": 1e-2, "steps": 8, "method": method, "limits": False}
    constant = px.simulate(ur5(), q0, REST, tau, **options)
    again = px.simulate(ur5(), q0, REST, np.broadcast_to(tau, (8, 5, 6)), **options)
    assert abs(again.q - constant.q).max() < 1e-9
    changing = rng.normal(size=(8, 5, 6)) * 10
    one_by_one, q, qd = [], q0, np.zeros((5, 6))
    for step in range(8):
        one = px.simulate(ur5(), q, qd, changing[step], **options | {"steps": 1})
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


def test_loaded_once():
    robot = px.load("ur5")
    store.forget()
    for _ in range(3):
        px.simulate(robot, START, REST, controller=TRACED["gains"], dt=1e-3, steps=1)
        px.simulate(robot, START, REST, dt=1e-3, steps=2)
    loops = [parts for parts, _ in store._loaded if parts[0] == "iterate"]
    assert len(loops) == 2
