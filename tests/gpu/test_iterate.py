"""Loops on a GPU, and what stands on them: the CPU's numbers, in arrays of the kind that was given.

python -m pytest tests/gpu/test_iterate.py
"""

import warnings

import numpy as np
import pytest
from support.gpu_arrays import in_cupy, in_jax, in_torch
from support.robots import with_losses

import paraxis as px
from paraxis.targets.cuda import iterate as loop_kernel

cupy = pytest.importorskip("cupy")

START = 0.5 * np.random.default_rng(3).uniform(-1, 1, (2, 1003, 6))


def same(found, expected, tolerance=1e-10):
    """As NaN, as infinite, or as close as that."""
    found, expected = as_numpy(found).astype(float), np.asarray(expected, float)
    assert found.shape == expected.shape
    assert (np.isnan(found) == np.isnan(expected)).all()
    with np.errstate(invalid="ignore"):
        wrong = abs(found - expected) > tolerance * np.fmax(1, abs(expected))
    assert not (wrong & (found != expected)).any(), np.nanmax(abs(found - expected))


def as_numpy(array):
    if isinstance(array, cupy.ndarray):
        return cupy.asnumpy(array)
    return np.asarray(array.cpu() if hasattr(array, "cpu") else array)


# -- the loop --------------------------------------------------------------------------------------


def pendulum(x, v, push, stiffness, dt):
    v = [
        a + dt * (p - k * px.math.sin(b)) for a, b, p, k in zip(v, x, push, stiffness, strict=True)
    ]
    return {
        "v_next": v,
        "x_next": [a + dt * b for a, b in zip(x, v, strict=True)],
        "e": v[0] * v[1],
    }


@pytest.mark.parametrize("dtype, tolerance", [("float64", 1e-12), ("float32", 1e-4)])
@pytest.mark.parametrize("batch", [(), (1,), (33,), (1_000_003,), (3, 0), (5, 7)], ids=str)
def test_the_loop_of_the_cpu(batch, dtype, tolerance, monkeypatch):
    program = px.trace(pendulum, x=2, v=2, push=2, stiffness=2, dt=())
    options = {"carry": {"x": "x_next", "v": "v_next"}, "per_step": ("push",), "record": ("x", "e")}
    there = program.compile_iterate(**options, dtype=dtype, target="cuda")
    here = program.compile_iterate(**options, dtype=dtype)
    rng = np.random.default_rng(0)
    given = {name: rng.normal(size=(*batch, 2)) for name in ("x", "v", "stiffness")}
    given |= {"push": rng.normal(size=(7, *batch, 2)), "dt": rng.uniform(0.01, 0.1, batch)}
    given = {name: np.asarray(array, dtype) for name, array in given.items()}
    expected = here(7, 2, **given)
    for work in (loop_kernel.LAUNCH_WORK, 1):  # in one launch, and in one a step
        monkeypatch.setattr(loop_kernel, "LAUNCH_WORK", work)
        found = there(7, 2, **{name: cupy.asarray(array) for name, array in given.items()})
        for some, right in zip(found, expected, strict=True):
            for name, array in right.items():
                assert some[name].dtype == dtype
                same(some[name], array, tolerance)


def test_states_stop_when_they_are_done():
    def growth(x, rate, limit):
        x = x * rate
        return {"x_next": x, "big": px.math.less(limit, x)}

    program = px.trace(growth, x=(), rate=(), limit=())
    rate = np.append(np.random.default_rng(3).uniform(1.001, 3, 1000), np.nan)
    given = {"x": np.ones(1001), "rate": rate}
    results = []
    for target, put in (("cpu", np.asarray), ("cuda", cupy.asarray)):
        loop = program.compile_iterate({"x": "x_next"}, until="big", target=target)
        iteration = loop.start(5000, **{k: put(v) for k, v in given.items()}, limit=100.0)
        iteration.advance(7)
        assert not iteration.over
        results.append(iteration.advance())
    same(results[1].state["x"], results[0].state["x"], 1e-12)
    same(results[1].finished, results[0].finished)


# -- simulation ------------------------------------------------------------------------------------


@pytest.mark.parametrize("put", (in_cupy, in_torch, in_jax))
def test_robots_move(put):
    q, qd = START
    tau = np.random.default_rng(0).normal(size=(20, 1003, 6))
    expected = px.simulate(px.load("ur5"), q, qd, tau, dt=1e-3, steps=20, every=5)
    run = px.simulate(px.load("ur5"), put(q), put(qd), put(tau), dt=1e-3, steps=20, every=5)
    for name in ("t", "q", "qd", "failed_at"):
        found = getattr(run, name)
        assert type(found) is type(put(q)) and found.device == put(q).device
        same(found, getattr(expected, name))
    assert "1,003 robots, 5 states, 0 to 0.02 s" in repr(run)


@pytest.mark.parametrize("method", ("semi_implicit_euler", "adaptive"))
def test_other_methods(method):
    q, qd = START
    options = {"dt": 0.02, "steps": 3, "method": method}
    expected = px.simulate(px.load("ur5"), q, qd, **options)
    found = px.simulate(px.load("ur5"), cupy.asarray(q), cupy.asarray(qd), **options)
    same(found.q, expected.q, 1e-8)


def test_parameters_settings_and_failures():
    q, qd = START.copy()
    q[7, 2] = np.nan
    mass = px.parameter_values(px.load("ur5"), "mass") * np.linspace(0.9, 1.1, 1003)[:, None]
    gain = np.linspace(1, 9, 1003)

    def damp(t, q, qd, gain):
        return -gain * qd - px.math.sin(t) * q

    options = {"controller": damp, "dt": 1e-3, "steps": 8}
    with pytest.warns(px.SimulationWarning, match="no longer finite"):
        expected = px.simulate(px.load("ur5"), q, qd, mass=mass, gain=gain, **options)
    given = {"mass": cupy.asarray(mass), "gain": cupy.asarray(gain)}
    found = px.simulate(px.load("ur5"), cupy.asarray(q), cupy.asarray(qd), **given, **options)
    same(found.q, expected.q)
    same(found.failed_at, expected.failed_at)
    with pytest.raises(px.ArgumentError, match="mass: expected an array on"):
        px.simulate(px.load("ur5"), cupy.asarray(q), cupy.asarray(qd), mass=mass, dt=1, steps=1)


def test_losses():
    q, qd = START[:, :65, :2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.SimulationWarning)
        expected = px.simulate(with_losses(px.robots.planar(2)), q, qd, dt=1e-4, steps=4)
        given = cupy.asarray(q), cupy.asarray(qd)
        found = px.simulate(with_losses(px.robots.planar(2)), *given, dt=1e-4, steps=4)
    same(found.q, expected.q, 1e-8)


def test_contacts():
    q = np.random.default_rng(1).uniform(0.3, 1.2, (65, 3))
    tau = np.array([1.0, 0.5, 0.2])
    wall = px.Contact(constraint=np.eye(6)[:, 3:4], stabilisation=10.0)
    options = {"contact": wall, "dt": 1e-3, "steps": 4, "every": 2}
    expected = px.simulate(px.robots.planar(3), q, np.zeros(3), tau, **options)
    given = map(cupy.asarray, (q, np.zeros(3), tau))
    found = px.simulate(px.robots.planar(3), *given, **options)
    same(found.q, expected.q)
    same(found.force, expected.force, 1e-8)
    same(found.drift.position, expected.drift.position)


def test_nothing_is_waited_for():
    """The call returns while the GPU still computes, on a stream of one's own."""
    robot = px.load("ur5")
    q, qd = cupy.full((1 << 20, 6), 0.3), cupy.zeros((1 << 20, 6))
    px.simulate(robot, q, qd, dt=1e-5, steps=1)  # compiles
    cupy.cuda.Device().synchronize()
    with cupy.cuda.Stream(non_blocking=True) as stream:
        run = px.simulate(robot, q, qd, dt=1e-5, steps=1000, every=1000)
        assert not stream.done
        stream.synchronize()
        assert bool(cupy.isfinite(run.q).all()) and bool((run.q[-1] == run.q[-1, :1]).all())


def test_on_a_stream_of_torch():
    torch = pytest.importorskip("torch")
    robot, (q, qd) = px.load("ur5"), START
    expected = px.simulate(robot, q, qd, dt=1e-3, steps=50, every=50)
    with torch.cuda.stream(torch.cuda.Stream()):
        given = [torch.asarray(x).cuda() for x in (q, qd)]
        found = px.simulate(px.load("ur5"), *given, dt=1e-3, steps=50, every=50).q * 1.0
        torch.cuda.current_stream().synchronize()
        same(found, expected.q)


# -- closed loops ----------------------------------------------------------------------------------


def swing(t, speed=1.0):
    s, c = px.math.sin(t * speed), px.math.cos(t * speed)
    return [0.5 * s] * 3, [0.5 * speed * c] * 3, [-0.5 * speed * speed * s] * 3


PERIODS = np.array([[2e-3], [9e-3]])
EVERYTHING = {"delay": 1e-3, "jitter": 0.2, "missed": 0.1, "encoder": 1e-3, "switch_at": 0.02}
UNCERTAIN = px.control.policy("vuskovic", age=(1, 2))
CONDITIONS = {
    "one party": ("exact", 2e-3, {}),
    "parties": ("yamakita_one_step_ahead", PERIODS, {"record": ("q", "reference"), "every": 2}),
    "everything": (UNCERTAIN, PERIODS, EVERYTHING | {"record": "tau", "seed": 3}),
    "settings": ("hamilton", 2e-3, {"speed": np.linspace(1, 2, 65), "mass": np.full((65, 3), 1.1)}),
}


@pytest.mark.parametrize("put", (in_cupy, in_torch, in_jax))
@pytest.mark.parametrize("name", CONDITIONS)
def test_closed_loops(name, put):
    policy, period, options = CONDITIONS[name]
    robot, q0 = px.robots.planar(3), 0.01 * START[0, :65, :3]
    given = px.control.computed_torque(robot, 100.0, 20.0, policy), swing, period
    options = options | {"duration": 0.1}
    expected = px.control.closed_loop(robot, *given, q0=q0, **options)
    for start, target in ((put(q0), None), (q0, "cuda")):
        found = px.control.closed_loop(
            px.robots.planar(3), *given, q0=start, target=target, **options
        )
        for part in ("error", "diverged_at", "t", "q", "tau", "reference"):
            own, other = getattr(found, part), getattr(expected, part)
            assert (own is None) == (other is None)
            if own is None:
                continue
            pairs = zip(own, other, strict=True) if part == "reference" else [(own, other)]
            for here, there in pairs:
                assert type(here) is type(start)
                same(here, there, 1e-8)
        assert "130 runs" in repr(found) or "65 runs" in repr(found)


def test_an_atlas():
    options = {"policies": "hamilton", "periods": [0.01, 0.1, 0.3], "axes": {"speed": [0.5, 2.0]}}
    expected = px.control.stability_atlas(px.robots.planar(2), **options)["hamilton", "speed"]
    found = px.control.stability_atlas(px.robots.planar(2), **options, target="cuda")[
        "hamilton", "speed"
    ]
    same(found.diverged, expected.diverged)
    same(found.error[~expected.diverged], expected.error[~expected.diverged], 1e-6)


# -- inverse kinematics ----------------------------------------------------------------------------


@pytest.mark.parametrize("put", (in_cupy, in_torch, in_jax))
def test_inverse_kinematics(put):
    robot = px.load("puma560")
    q = np.random.default_rng(0).uniform(-2, 2, (2003, 6))
    poses = px.forward_kinematics(robot, q)
    poses[5] *= 2  # no pose at all
    poses[6, 0, 3] = 9.0  # too far away
    for start in ({}, {"q0": q + 0.1}):
        expected = px.inverse_kinematics(robot, poses, **start)
        given = {name: put(value) for name, value in start.items()}
        found = px.inverse_kinematics(px.load("puma560"), put(poses), **given)
        assert type(found.q) is type(put(q)) and type(found.solved) is type(put(q))
        solved = as_numpy(found.solved)
        assert (solved != expected.solved).mean() < 0.01  # a search may end elsewhere by rounding
        back = px.forward_kinematics(robot, as_numpy(found.q)[solved])
        assert abs(back - poses[solved]).max() < 1e-7
        assert np.isnan(as_numpy(found.error)[5]) and not solved[6]
        assert np.isnan(as_numpy(found.q)[5]).all() and np.isfinite(as_numpy(found.q)[6]).all()
    for kind, goal in (("position", poses[7:, :3, 3]), ("rotation", poses[7:, :3, :3])):
        found = px.inverse_kinematics(px.load("puma560"), **{kind: put(goal)})
        assert as_numpy(found.solved).mean() > 0.99
        back = px.forward_kinematics(robot, as_numpy(found.q))[as_numpy(found.solved)]
        part = {"position": back[:, :3, 3], "rotation": back[:, :3, :3]}[kind]
        assert abs(part - goal[as_numpy(found.solved)]).max() < 1e-7


# -- CUDA graphs -----------------------------------------------------------------------------------


def captured(call):
    """What replays a call, and what the call returned while it was captured."""
    call()  # compiles
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        found = call()
        graph = stream.end_capture()

    def replay():
        graph.launch(stream)
        stream.synchronize()

    return replay, found


def test_a_loop_in_a_cuda_graph():
    program = px.trace(lambda x: {"y": [0.5 * a + 1.0 for a in x]}, x=3)
    kernel = program.compile_iterate({"x": "y"}, target="cuda")
    x = cupy.zeros((100, 3))
    replay, (state, _) = captured(lambda: kernel(steps=4, x=x))
    for start in (0.0, 8.0):
        x[...] = start
        replay()
        same(state["x"], np.full((100, 3), 2.0 + (start - 2.0) / 16))


def test_steps_of_a_simulator_in_a_cuda_graph():
    """Each replay is a step further, also in time, which the torques depend on."""
    robot, (q, qd) = px.load("ur5"), START[:, :33]

    def push(t, q, qd):
        return [px.math.sin(30 * t) * (k + 1) for k in range(6)]

    simulators = [px.Simulator(robot, dt=1e-2, controller=push) for _ in range(2)]
    here, there = simulators
    here.reset(q, qd)
    there.reset(*map(cupy.asarray, (q, qd)))
    replay, _ = captured(there.step)  # one step was taken
    for _ in range(5):
        replay()
    here.step(n=6)
    same(there.state.q, here.state.q)
    same(there.state.t, here.state.t)
