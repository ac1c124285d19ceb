"""Loops on a GPU, on its stand-ins: the same kernels, compiled as C++, against the CPU driver.

First the loop itself, then what stands on it, with arrays that do not mix with NumPy's.
"""

import io
from functools import cache

import numpy as np
import pytest
from support import far_arrays
from support.cuda_on_cpu import CpuDevice
from support.far_arrays import FarArray, far
from support.joint_rows import row_of
from support.robots import random_robot, with_losses

import paraxis as px
from paraxis.control import reference
from paraxis.drivers.iterate import Plan
from paraxis.targets.cuda import iterate as loop_kernel
from paraxis.targets.cuda.device import compile_text
from paraxis.targets.cuda.text import iterate as iterate_text

CLOSE = 1e-12


def same(found, reference, tolerance=CLOSE):
    """As NaN or as close as that, by the one measure of errors."""
    found, reference = np.array(found, float), np.array(reference, float)
    assert found.shape == reference.shape
    assert (np.isnan(found) == np.isnan(reference)).all()
    with np.errstate(invalid="ignore"):  # of two infinities that are the same
        wrong = abs(found - reference) > tolerance * np.fmax(1, abs(reference))
    assert not (wrong & (found != reference)).any()


def both(program, carry, dtype="float64", **options):
    """The loop of a Program for the stand-in, and for the CPU."""
    given = {"per_step": (), "record": (), "until": None} | options
    plan = Plan(program.inputs, program.outputs, carry, **given)
    there = loop_kernel.CudaIterateKernel(program, plan, dtype, CpuDevice())
    return there, program.compile_iterate(carry, dtype=dtype, **options)


# -- the loop --------------------------------------------------------------------------------------


@cache
def pendulums():
    """Everything that a body can have: two angles, a sine of one that is not an input."""

    def step(x, v, push, stiffness, dt):
        v = [
            a + dt * (p - k * px.math.sin(b))
            for a, b, p, k in zip(v, x, push, stiffness, strict=True)
        ]
        x = [x[0] + dt * v[0], x[1] + dt * px.math.cos(x[0] + v[1])]
        return {"v_next": v, "x_next": x, "energy": v[0] * v[0] + v[1] * v[1], "before": v[0]}

    return px.trace(step, x=2, v=2, push=2, stiffness=2, dt=())


CARRY = {"x": "x_next", "v": "v_next"}


@cache
def loops(dtype="float64"):
    return both(pendulums(), CARRY, dtype, per_step=("push",), record=("x", "energy"))


def values(steps, *batch):
    rng = np.random.default_rng(0)
    found = {name: rng.normal(size=(*batch, 2)) for name in ("x", "v", "stiffness")}
    return found | {
        "push": rng.normal(size=(steps, *batch, 2)),
        "dt": rng.uniform(0.01, 0.1, batch),
    }


@pytest.mark.parametrize("dtype, tolerance", [("float64", CLOSE), ("float32", 1e-5)])
@pytest.mark.parametrize("every", (1, 3, 13))
def test_it_is_the_loop_of_the_cpu(every, dtype, tolerance):
    there, here = loops(dtype)
    for batch in ((), (1,), (3, 5), (0,)):
        given = values(12, *batch)
        (found, records), (final, recorded) = there(12, every, **given), here(12, every, **given)
        for name in CARRY:
            assert found[name].dtype == dtype
            same(found[name], final[name], tolerance)
        for name, array in recorded.items():
            same(records[name], array, tolerance)


def test_records_lie_as_the_gpu_writes_them():
    """States side by side, so that threads write side by side."""
    there, _ = loops()
    final, records = there(4, **values(4, 7))
    assert records["x"].shape == (4, 7, 2) and records["x"].strides == (7 * 16, 8, 7 * 8)
    assert final["x"].strides == (8, 7 * 8)


def test_arrays_broadcast():
    full = values(6, 3, 5)
    given = full | {
        "x": full["x"][0],
        "v": full["v"][:, :1].astype("float32"),
        "push": full["push"][:, :, :1],
        "stiffness": full["stiffness"][0, 0],
        "dt": np.asfortranarray(full["dt"])[:, ::-1],
    }
    for some in (given, given | {"push": full["push"][:, 0, 0], "dt": 0.05}):
        (found, records), (final, recorded) = (each(6, 2, **some) for each in loops())
        for name in CARRY:
            same(found[name], final[name])
        for name, array in recorded.items():
            same(records[name], array)


@pytest.mark.parametrize("every, pieces", [(2, (3, 8, 1, 1)), (5, (2, 9, 2)), (20, (6, 7))])
def test_pieces_make_the_whole(every, pieces, monkeypatch):
    """Also when one advance is several launches."""
    there, _ = loops()
    given = values(13, 11)
    final, records = there(13, every, **given)
    monkeypatch.setattr(loop_kernel, "FILLING", 1)
    monkeypatch.setattr(loop_kernel, "LAUNCH_WORK", 4 * 11 * there._about["work"])
    assert there.steps_at_once(11) == 4
    iteration = there.start(13, every, **given)
    for piece in pieces:
        iteration.advance(piece)
        for name, array in iteration.recorded.items():
            assert (array == records[name][: iteration.done // every]).all()
    assert iteration.over
    assert all((iteration.state[name] == final[name]).all() for name in CARRY)


def test_records_go_where_they_are_asked_to():
    there, _ = loops()
    given = values(6, 4)
    _, records = there(6, 2, **given)
    rows = {"x": np.full((3, 4, 2), np.nan), "energy": np.full((3, 4), np.nan)}
    columns = {"x": np.full((3, 2, 4), np.nan).transpose(0, 2, 1), "energy": np.empty((3, 4))}
    for out in (rows, columns):
        there.start(6, 2, out, **given).advance()
        assert all((out[name] == records[name]).all() for name in out)
    with pytest.raises(px.ArgumentError, match=r"out \(x\): expected a contiguous array"):
        there.start(6, 2, rows | {"x": np.empty((3, 4, 4))[..., ::2]}, **given)


@pytest.mark.parametrize("steps", (0, 1, 10, 5000))
def test_a_state_that_is_done_keeps_what_it_has(steps):
    def growth(x, rate, limit):
        x = x * rate
        return {"x_next": x, "big": px.math.less(limit, x)}

    there, here = both(px.trace(growth, x=(), rate=(), limit=()), {"x": "x_next"}, until="big")
    rate = np.append(np.random.default_rng(3).uniform(1.001, 3, 20), np.nan)
    given = {"x": np.ones(21), "rate": rate, "limit": 100.0}
    begun = [loop.start(steps, **given) for loop in (there, here)]
    for iteration in begun:
        iteration.advance(7)
        iteration.advance()
    same(begun[0].state["x"], begun[1].state["x"], 0.0)
    assert (begun[0].finished == begun[1].finished).all()
    assert begun[0].over and begun[1].over


def test_names_may_be_anything():
    """Inputs and outputs of one name, and names that the kernel's text uses itself."""

    def step(x, y, state, done, angle0, v1):
        total = px.math.sin(x) + state + done + angle0 + v1
        return {"x": y * 0.5 + total, "y": x + 1.0, "state": x - y, "double": total}

    program = px.trace(step, x=(), y=(), state=(), done=(), angle0=(), v1=())
    given = {name: np.arange(5.0) + k for k, name in enumerate(program.inputs)}
    record = ("x", "state", "double")
    for carry in ({"x": "y", "y": "x"}, {"x": "x", "y": "y"}, {"x": "state"}):
        there, here = both(program, carry, record=record)
        (_, records), (_, recorded) = there(4, **given), here(4, **given)
        for name in record:
            same(records[name], recorded[name])


def test_many_held_numbers_are_read_at_every_step():
    def step(x, a):
        return {"x_next": sum((each * x for each in a), 0.0) * 0.01 + px.math.sin(a[0])}

    program = px.trace(step, x=(), a=iterate_text.MOST_HELD + 1)
    there, here = both(program, {"x": "x_next"})
    assert "FORGET(a_input_entry)" in there.text().text
    assert "FORGET(stiffness_input_entry)" not in loops()[0].text().text
    given = {"x": np.ones(6), "a": np.random.default_rng(0).normal(size=(6, 33))}
    same(there(5, **given)[0]["x"], here(5, **given)[0]["x"])


def test_numbers_that_nothing_depends_on_spoil_a_state():
    """As everywhere: NaN in a state gives NaN in that state."""
    program = px.trace(lambda x, unused: {"x_next": x * 2.0}, x=(), unused=())
    given = {"x": np.ones(3), "unused": np.array([0.0, np.nan, 1.0])}
    for loop in both(program, {"x": "x_next"}):
        final, _ = loop(2, **given)
        same(final["x"], [4.0, np.nan, 4.0])


@pytest.mark.parametrize("seed", (1, pytest.param(2, marks=pytest.mark.long)))
def test_random_robots(seed):
    robot = random_robot(seed, joints=(4, 4))

    def step(q, qd, tau, dt):
        qdd = px.forward_dynamics(robot, q, qd, tau)
        qd = [rate + dt * each for rate, each in zip(qd, qdd, strict=True)]
        return {"qd_next": qd, "q_next": [x + dt * v for x, v in zip(q, qd, strict=True)]}

    program = px.trace(step, q=robot.n, qd=robot.n, tau=robot.n, dt=())
    carry = {"q": "q_next", "qd": "qd_next"}
    there, here = both(program, carry, per_step=("tau",), record=("q",))
    rng = np.random.default_rng(seed)
    given = {name: rng.normal(size=(9, robot.n)) for name in ("q", "qd")}
    given |= {"tau": rng.normal(size=(8, 9, robot.n)), "dt": 1e-3}
    given["q"][3] += 1e7  # so far round that the slow way is taken
    same(there(8, 2, **given)[1]["q"], here(8, 2, **given)[1]["q"], 1e-10)


@pytest.mark.parametrize("architecture", ("compute_80", "compute_90"))
@pytest.mark.long
def test_the_compiler_of_cuda_takes_it(architecture):
    pytest.importorskip("cupy", exc_type=ImportError)
    ptx = compile_text(loops()[0].text().text, architecture)
    assert b".entry step_loop" in (ptx if isinstance(ptx, bytes) else ptx.encode())


# -- what is refused -------------------------------------------------------------------------------


def test_targets():
    with pytest.raises(px.ArgumentError, match=r"target: expected one of 'cpu', 'cuda'"):
        pendulums().compile_iterate(CARRY, target="gpu")
    with pytest.raises(px.ArgumentError, match="threads cannot be set"):
        pendulums().compile_iterate(CARRY, target="cuda", threads=2)


def test_arrays_elsewhere(monkeypatch):
    far_arrays.use(monkeypatch)
    loop = pendulums().compile_iterate(CARRY, target="cuda")
    given = values(0, 3) | {"push": np.zeros((3, 2))}
    there = {name: far(array) for name, array in given.items()}
    with pytest.raises(px.ArgumentError, match="v: expected an array on a GPU"):
        loop(1, **there | {"v": given["v"]})
    with pytest.raises(px.ArgumentError, match="expected an array on a GPU, found only numbers"):
        loop(1, x=1.0, v=1.0)
    with pytest.raises(px.ArgumentError, match=r"v: expected shape \(..., 2\), found \(3, 3\)"):
        loop(1, **there | {"v": far(np.zeros((3, 3)))})


# -- what stands on it -----------------------------------------------------------------------------


@pytest.fixture
def gpu(monkeypatch):
    """What has been asked of the CPU before is not asked of it again: robots are new ones."""
    return far_arrays.use(monkeypatch)


ARM = px.robots.planar(2)
START = np.random.default_rng(5).normal(size=(2, 3, 4, 2))


def runs_agree(found, reference, tolerance=CLOSE):
    assert isinstance(found.q, FarArray) and isinstance(found.failed_at, FarArray)
    for name in ("t", "q", "qd", "failed_at"):
        same(getattr(found, name), getattr(reference, name), tolerance)


def test_robots_move_on_a_gpu(gpu):
    robot = px.robots.planar(2)
    q, qd = START
    tau = np.random.default_rng(1).normal(size=(12, 4, 2))
    for options in ({}, {"every": 3}, {"method": "semi_implicit_euler"}):
        options |= {"dt": 0.01, "steps": 12}
        expected = px.simulate(ARM, q, qd, tau[:, None], **options)
        found = px.simulate(robot, far(q), far(qd), far(tau[:, None]), **options)
        runs_agree(found, expected)
    assert repr(found) == repr(expected)


def test_robots_with_parameters_settings_and_failures(gpu):
    robot, (q, qd) = px.robots.planar(2), START
    q = q.copy()
    q[1, 2] = np.nan
    mass = np.random.default_rng(2).uniform(0.5, 2, (4, 2))
    gain = np.linspace(1, 9, 3)[:, None]

    def damp(t, q, qd, gain):
        return -gain * qd - px.math.sin(t) * q

    options = {"controller": damp, "dt": 0.01, "steps": 8}
    with pytest.warns(px.SimulationWarning, match="no longer finite"):
        expected = px.simulate(ARM, q, qd, mass=mass, gain=gain, **options)
    found = px.simulate(robot, far(q), far(qd), mass=far(mass), gain=far(gain), **options)
    runs_agree(found, expected)
    with pytest.raises(px.ArgumentError, match="mass: expected an array on a GPU"):
        px.simulate(robot, far(q), far(qd), mass=mass, dt=0.01, steps=1)


def test_adaptive_steps(gpu):
    robot, (q, qd) = px.robots.planar(2), START
    options = {"dt": 0.1, "steps": 2, "method": "adaptive"}
    expected = px.simulate(ARM, q, qd, **options)
    runs_agree(px.simulate(robot, far(q), far(qd), **options), expected)
    with pytest.warns(px.SimulationWarning, match="used up all 2 attempts"):
        expected = px.simulate(ARM, q, qd, max_attempts=2, **options)
    found = px.simulate(robot, far(q), far(qd), max_attempts=2, **options)
    assert (expected.out_of_attempts_at < 0.1).all()
    same(found.out_of_attempts_at, expected.out_of_attempts_at)


@pytest.mark.long
def test_friction_warns_of_stiffness(gpu):
    robot, other = (with_losses(px.robots.planar(2)) for _ in range(2))
    q, qd = START
    with pytest.warns(px.SimulationWarning, match="rk4: the friction of joint"):
        expected = px.simulate(robot, q, qd, dt=0.01, steps=2)
    with pytest.warns(px.SimulationWarning, match="rk4: the friction of joint"):
        found = px.simulate(other, far(q), far(qd), dt=0.01, steps=2)
    runs_agree(found, expected, 1e-9)


@pytest.mark.long
def test_contacts(gpu):
    robot, other = px.robots.planar(3), px.robots.planar(3)
    wall = px.Contact(constraint=np.eye(6)[:, 3:4], stabilisation=10.0)
    q = np.random.default_rng(1).uniform(0.3, 1.2, (5, 3))
    tau = np.array([1.0, 0.5, 0.2])
    options = {"contact": wall, "dt": 1e-3, "steps": 4, "every": 2}
    expected = px.simulate(robot, q, np.zeros(3), tau, **options)
    found = px.simulate(other, far(q), far(np.zeros(3)), far(tau), **options)
    runs_agree(found, expected)
    for name in ("position", "velocity"):
        same(getattr(found.drift, name), getattr(expected.drift, name))
    same(found.force, expected.force, 1e-10)


def test_a_controller_that_cannot_be_traced_stays_on_the_cpu(gpu):
    q, qd = far(START[0]), far(START[1])
    with pytest.raises(px.ArgumentError, match="controller: on a GPU it must be traceable"):
        px.simulate(
            px.robots.planar(2), q, qd, controller=lambda t, q, qd: [float(t), 0.0], dt=1, steps=1
        )


def swing(t, speed=1.0):
    s, c = px.math.sin(t * speed), px.math.cos(t * speed)
    return [0.5 * s] * 2, [0.5 * speed * c] * 2, [-0.5 * speed * speed * s] * 2


def loops_agree(found, reference, kind):
    for name in ("error", "diverged_at", "t", "q", "qd", "tau", "reference"):
        own, other = getattr(found, name), getattr(reference, name)
        if other is None:
            continue
        each = zip(own, other, strict=True) if name == "reference" else [(own, other)]
        for part, expected in each:
            assert type(part) is kind
            same(part, expected, 1e-11)
    assert repr(found) == repr(reference)


PERIODS = np.array([[2e-3], [9e-3]])  # parties of their own: the plant's steps are shorter
EVERYTHING = {"delay": 1e-3, "jitter": 0.2, "missed": 0.1, "encoder": 1e-3, "switch_at": 0.02}
UNCERTAIN = px.control.policy("vuskovic", age=(1, 2))
CONDITIONS = {
    "parties": ("yamakita_one_step_ahead", PERIODS, {"record": ("q", "reference"), "every": 2}),
    "everything": (UNCERTAIN, PERIODS, EVERYTHING | {"record": "tau", "seed": 3}),
    "settings": (
        "hamilton",
        2e-3,
        {"speed": np.array([1.0, 2.0, 3.0]), "mass": np.full((3, 2), 1.1)},
    ),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_closed_loops(name, gpu):
    policy, period, options = CONDITIONS[name]
    robot, q0 = px.robots.planar(2), 0.1 * START[0, :, 0]
    options = options | {"duration": 0.1}
    given = controller(robot, policy), swing, period
    expected = px.control.closed_loop(ARM, *given, q0=q0, **options)
    found = px.control.closed_loop(robot, *given, q0=far(q0), **options)
    loops_agree(found, expected, FarArray)
    found = px.control.closed_loop(robot, *given, q0=q0, target="cuda", **options)
    loops_agree(found, expected, np.ndarray)


def controller(robot, policy="hamilton"):
    return px.control.computed_torque(robot, 100.0, 20.0, policy)


def test_a_trajectory_that_is_sampled(gpu, monkeypatch):
    """One of many pieces is evaluated on the CPU, also where runs differ in times."""
    monkeypatch.setattr(reference, "MOST_PIECES", 0)
    motion = px.trajectories.quintic([0.1, 0.2], [0.4, 0.5], 0.1)
    given = controller(ARM, "yamakita_one_step_ahead"), motion, np.array([2e-3, 3e-3, 2e-3])
    q0 = 0.1 * START[0, :, 0]
    options = {"record": ("q", "reference"), "jitter": 0.1}
    expected = px.control.closed_loop(ARM, *given, q0=q0, **options)
    loops_agree(
        px.control.closed_loop(px.robots.planar(2), *given, q0=far(q0), **options),
        expected,
        FarArray,
    )


def test_what_closed_loops_say(gpu):
    q0 = far(START[0, :, 0])
    given = ARM, controller(ARM), swing, 2e-3
    with pytest.raises(px.ArgumentError, match="target 'cpu' cannot be used, as q0 is on a GPU"):
        px.control.closed_loop(*given, q0=q0, duration=0.1, target="cpu")
    with pytest.raises(px.ArgumentError, match=r"target: expected one of 'cpu', 'cuda'"):
        px.control.closed_loop(*given, duration=0.1, target="tpu")
    q0[1, 1] = np.inf
    with pytest.raises(px.ArgumentError, match="q0: expected finite numbers, found inf"):
        px.control.closed_loop(*given, q0=q0, duration=0.1)


@pytest.mark.long
def test_an_atlas(gpu):
    options = {"policies": "hamilton", "periods": [0.01, 0.1, 0.3], "axes": {"speed": [0.5, 2.0]}}
    expected = px.control.stability_atlas(ARM, **options)["hamilton", "speed"]
    found = px.control.stability_atlas(px.robots.planar(2), **options, target="cuda")[
        "hamilton", "speed"
    ]
    same(found.error, expected.error, 1e-9)
    same(found.diverged_at, expected.diverged_at)
    same(found.boundary, expected.boundary)


@pytest.mark.long
def test_a_simulated_safe_period(gpu):
    options = {"shortest": 0.02, "longest": 0.4, "duration": 2.0}
    expected = px.control.simulated_safe_period(ARM, controller(ARM), [0.1, 0.2], **options)
    robot = px.robots.planar(2)
    found = px.control.simulated_safe_period(
        robot, controller(robot), [0.1, 0.2], **options, target="cuda"
    )
    assert repr(found) == repr(expected)


@pytest.mark.parametrize("with_start", (pytest.param(False, marks=pytest.mark.long), True))
@pytest.mark.long
def test_inverse_kinematics(with_start, gpu):
    robot, other = px.load("puma560"), px.load("puma560")
    q = np.random.default_rng(0).uniform(-2, 2, (3, 4, 6))
    poses = px.forward_kinematics(robot, q)
    poses[0, 3] *= 2  # no pose at all
    poses[1, 1, 0, 3] = 9.0  # too far away
    q0 = {"q0": q + 0.1} if with_start else {}
    expected = px.inverse_kinematics(robot, poses, **q0)
    found = px.inverse_kinematics(other, far(poses), **{k: far(v) for k, v in q0.items()})
    for name in ("q", "solved", "error", "singular"):
        assert isinstance(getattr(found, name), FarArray)
        same(getattr(found, name), getattr(expected, name), 1e-9)
    assert repr(found) == repr(expected)


@pytest.mark.parametrize("kind", ("position", "rotation"))
def test_inverse_kinematics_of_parts_of_a_pose(kind, gpu):
    robot, other = px.robots.planar(2), px.robots.planar(2)
    poses = px.forward_kinematics(robot, np.random.default_rng(0).uniform(-2, 2, (5, 2)))
    goal = {"position": poses[:, :3, 3].copy(), "rotation": poses[:, :3, :3].copy()}[kind]
    goal[0, 0] = np.nan
    start = np.array([0.3, 0.4])
    expected = px.inverse_kinematics(robot, **{kind: goal}, q0=start)
    found = px.inverse_kinematics(other, **{kind: far(goal)}, q0=far(start))
    for name in ("q", "solved", "error", "singular"):
        assert isinstance(getattr(found, name), FarArray)
        same(getattr(found, name), getattr(expected, name), 1e-9)
    assert np.isnan(expected.q[0]).all() and np.isfinite(expected.q[1:]).all()


@pytest.mark.long
def test_inverse_kinematics_with_quaternions_and_fixed_joints(gpu):
    robot, other = (row_of(("free", "spherical", "revolute")) for _ in range(2))
    q, _ = px.robots.random_states(robot, 4, seed=1)
    q0, _ = px.robots.random_states(robot, 4, seed=2)
    goal = px.forward_kinematics(robot, q)
    q0[:, :7] = q[:, :7]
    held = {"fixed": ["j0"]}
    expected = px.inverse_kinematics(robot, rotation=goal[:, :3, :3], q0=q0, **held)
    found = px.inverse_kinematics(other, rotation=far(goal[:, :3, :3].copy()), q0=far(q0), **held)
    assert expected.solved.all()
    for name in ("q", "solved", "error", "singular"):
        assert isinstance(getattr(found, name), FarArray)
        same(getattr(found, name), getattr(expected, name), 1e-9)


@pytest.mark.long
def test_closing_loops(gpu):
    robot, other = (px.robots.planar(3) for _ in range(2))
    wall = px.robots.Frame("wall", -1, px.robots.Pose(translation=(1.2, 0, 0.4)))
    loop = px.robots.Loop.connect("wall", robot.tool(), wall)
    q = np.random.default_rng(0).uniform(-2, 2, (5, 3))
    q[1, 0] = np.nan
    expected = px.kinematics.close(robot.with_loops(loop), q)
    found = px.kinematics.close(other.with_loops(loop), far(q))
    assert expected.solved.tolist() == [True, False, True, True, True]
    for name in ("q", "solved", "error", "open_by"):
        assert isinstance(getattr(found, name), FarArray)
        same(getattr(found, name), getattr(expected, name), 1e-9)
    assert repr(found) == repr(expected)


# -- the benchmark ---------------------------------------------------------------------------------


class StandIn:
    """As benchmarks/gpu_clock.Gpu, as far as loops are measured."""

    to_device, to_host = staticmethod(far), staticmethod(np.array)

    def wait(self):
        pass

    free = wait


@pytest.mark.long
def test_loops_are_measured(gpu):
    gpu_loops = pytest.importorskip("gpu_loops")  # of benchmarks/
    console = pytest.importorskip("rich.console")
    simulated = gpu_loops.measure_simulation(StandIn(), 70, 60, 20, "ur5")
    closed = gpu_loops.measure_closed_loop(StandIn(), 70, 0.06, "hamilton", "planar3")
    assert simulated["error"] <= 1e-9 and closed["error"] <= 1e-9
    page = io.StringIO()
    gpu_loops.show([simulated, closed], console.Console(file=page, width=150))
    assert "simulation of ur5, every 20th" in page.getvalue()
    assert "closed loop of planar" in page.getvalue()
