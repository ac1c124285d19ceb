"""Dask arrays in, Dask arrays out: lazy, block by block of the batch, the same bits as NumPy."""

import pickle
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from support.processes import environment, python, script

import paraxis as px
from paraxis.robot_functions import FUNCTIONS, POSITIONS
from paraxis.targets.blocks import Place, Recipe, Result, over_blocks
from paraxis.targets.cpu.threads import available
from paraxis.targets.own_thread import own_thread

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

STATES = (14, 3)


@pytest.fixture(autouse=True)
def one_by_one():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(scope="module")
def robot():
    return px.load("planar3")


def drawn(*shape, seed=0, dtype=float):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def lazy(array, *chunks):
    return da.from_array(array, chunks=chunks)


def same(found, expected):
    found = found if isinstance(found, tuple) else (found,)
    expected = expected if isinstance(expected, tuple) else (expected,)
    assert len(found) == len(expected)
    for x, y in zip(dask.compute(*found), expected, strict=True):
        assert x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("function", px.functions())
def test_every_function_of_a_robot(robot, function, dtype):
    robot = px.load("puma560") if function == "operational_space_inertia" else robot
    sizes = [robot.nq if name in POSITIONS else robot.nv for name in FUNCTIONS[function].inputs]
    arrays = [drawn(*STATES, n, seed=k, dtype=dtype) for k, n in enumerate(sizes)]
    blocks = [lazy(array, 4, 3, 2) for array in arrays]  # joints are in one block or another
    found, expected = (getattr(px, function)(robot, *each) for each in (blocks, arrays))
    for x, y in zip(_tuple(found), _tuple(expected), strict=True):
        assert x.chunks[:2] == ((4, 4, 4, 2), (3,))
        assert (x.dtype, x.shape, x._meta.dtype) == (y.dtype, y.shape, y.dtype)
    same(_tuple(found), _tuple(expected))


def _tuple(value):
    return tuple(value) if isinstance(value, tuple) else (value,)


def test_nothing_is_computed_before_it_is_asked_for(robot):
    def explode(block):
        raise AssertionError("computed")

    q = da.map_blocks(explode, lazy(drawn(6, 3), 2, 3), dtype=float, meta=np.empty((0, 0)))
    tau = px.inverse_dynamics(robot, q, q, q)
    run = px.simulate(robot, q, q, dt=1e-3, steps=2)
    reached = px.inverse_kinematics(px.load("puma560"), position=q)
    assert "not computed" in repr(run) and "not computed" in repr(reached)
    assert tau.shape == (6, 3)
    with pytest.raises(AssertionError, match="computed"):
        tau.compute()


def test_arrays_broadcast_and_may_be_numpys(robot):
    q, qd, qdd, mass = drawn(*STATES, 3), drawn(3), drawn(14, 1, 3), drawn(14, 1, 3) ** 2 + 1
    found = px.inverse_dynamics(robot, lazy(q, 5, 3, 3), qd, qdd, mass=mass)
    same(found, px.inverse_dynamics(robot, q, qd, qdd, mass=mass))
    found = px.inverse_dynamics(robot, lazy(q[0, 0], 3), qd, lazy(qdd, 4, 1, 3))
    same(found, px.inverse_dynamics(robot, q[0, 0], qd, qdd))
    same(px.gravity_torques(robot, lazy(q[0, 0], 3)), px.gravity_torques(robot, q[0, 0]))


def test_chunks_of_unknown_sizes(robot):
    q = drawn(20, 3)
    some = lazy(q, 6, 3)
    some = some[some[:, 0] > 0]
    found = px.inverse_dynamics(robot, some, some, some)
    assert np.isnan(found.shape[0])
    q = q[q[:, 0] > 0]
    assert found.compute().tobytes() == px.inverse_dynamics(robot, q, q, q).tobytes()


def test_mistakes_are_named_before_anything_is_computed(robot):
    q = lazy(drawn(6, 3), 2, 3)
    with pytest.raises(px.ArgumentError, match="out cannot be set for Dask arrays"):
        px.gravity_torques(robot, q, out=np.empty((6, 3)))
    with pytest.raises(px.ArgumentError, match=r"qd: expected shape \(..., 3\), found \(6, 2\)"):
        px.inverse_dynamics(robot, q, q[:, :2], q)
    with pytest.raises(px.ArgumentError, match="do not broadcast"):
        px.inverse_dynamics(robot, q, q[:5], q)
    with pytest.raises(px.ArgumentError, match="q: expected real numbers, found dtype complex"):
        px.gravity_torques(robot, q.astype(complex))
    with pytest.raises(px.ArgumentError, match="q: expected real numbers, found dtype object"):
        px.gravity_torques(robot, q.astype(object))
    with pytest.raises(px.ArgumentError, match=r"one of Dask.*call its compute\(\) first"):
        px.Simulator(robot, dt=1e-3).reset(q)


def test_compiled_programs():
    program = px.trace(lambda x, y: {"a": x * y, "b": (x[0], y)}, x=2, y=())
    kernel, x, y = program.compile(), drawn(9, 2), drawn(9)
    same(kernel(lazy(x, 4, 1), y=lazy(y, 5)), kernel(x, y))
    step = px.trace(lambda x, f: {"next": x + f, "half": x / 2}, x=2, f=2)
    kernel = step.compile_iterate({"x": "next"}, per_step=("f",), record=("x", "half"))
    f = drawn(4, 9, 2, seed=1)
    state, records = kernel(steps=4, every=2, x=lazy(x, 4, 2), f=lazy(f, 3, 3, 2))
    expected = kernel(steps=4, every=2, x=x, f=f)
    for found, known in ((state, expected[0]), (records, expected[1])):
        assert {*found} == {*known}
        for name, array in found.items():
            same(array, known[name])


def test_a_compiled_program_travels_small():
    ur5 = px.load("ur5")
    program = px.program(ur5)
    assert len(pickle.dumps(Recipe("", _first, ur5))) < 10_000
    assert len(pickle.dumps(program)) < 10_000
    assert pickle.loads(pickle.dumps(program)).key == program.key


def _first(*arguments):
    return arguments[0]


def test_simulate(robot):
    q, qd, gain = drawn(8, 3), drawn(8, 3, seed=1), np.linspace(1.0, 2.0, 8)
    tau, push = drawn(4, 8, 3, seed=2), drawn(4, 8, 3, seed=3)
    options = {"dt": 1e-3, "steps": 4, "every": 2, "limits": False}

    def controller(t, q, qd, gain, push):
        return [push[k] - gain * q[k] for k in range(3)]

    for given, more in (
        ({"tau": tau}, {}),
        ({"gain": gain}, {"controller": controller, "per_step": {"push": push}}),
        ({"mass": drawn(8, 3) ** 2 + 1}, {"method": "semi_implicit_euler"}),
    ):
        expected = px.simulate(robot, q, qd, **given, **more, **options)
        blocks = {name: da.from_array(array, chunks=3) for name, array in given.items()}
        run = px.simulate(robot, lazy(q, 3, 3), qd, **blocks, **more, **options)
        assert isinstance(run, px.simulation.Run) and (run.t == expected.t).all()
        assert run.q.chunks[0] == (3,)
        same((run.q, run.qd, run.failed_at), (expected.q, expected.qd, expected.failed_at))


def test_inverse_kinematics():
    arm = px.load("puma560")
    goals = px.forward_kinematics(arm, drawn(7, 6) / 2)
    found, expected = (px.inverse_kinematics(arm, each) for each in (lazy(goals, 3, 4, 4), goals))
    assert found.q.chunks == ((3, 3, 1), (6,)) and found.solved.dtype == bool
    for name in ("q", "solved", "error", "singular"):
        same(getattr(found, name), getattr(expected, name))


def test_contacts_loads_and_friction(robot):
    q, qd, tau = (drawn(6, 3, seed=k) for k in range(3))
    blocks = [lazy(each, 4, 3) for each in (q, qd, tau)]
    contact = px.Contact(robot.frame_names[-1], constraint=np.eye(6)[:, 3:5])
    found = px.constrained_forward_dynamics(robot, *blocks, contact)
    expected = px.constrained_forward_dynamics(robot, q, qd, tau, contact)
    same(tuple(found), tuple(map(np.asarray, expected)))
    same(
        px.project_velocity(robot, *blocks[:2], contact),
        px.project_velocity(robot, q, qd, contact),
    )
    found = px.forward_dynamics_with_friction(robot, *blocks)
    assert "not computed" in repr(found)
    same(found.qdd, px.forward_dynamics_with_friction(robot, q, qd, tau).qdd)
    load, expected = px.payload(robot, lazy(q[:, 0] ** 2, 4)), px.payload(robot, q[:, 0] ** 2)
    for name, array in load.items():
        same(array, expected[name])


def test_long_chains_take_the_algorithm_of_the_whole_batch():
    chain, q = px.robots.chain(70), drawn(6, 70)
    same(px.forward_dynamics(chain, lazy(q, 1, 70), q, q), px.forward_dynamics(chain, q, q, q))
    same(px.gravity_torques(chain, lazy(q, 5, 70)), px.gravity_torques(chain, q))


def test_names_of_the_same_results_are_the_same(robot):
    q = lazy(drawn(6, 3), 2, 3)
    again = pickle.loads(pickle.dumps(robot))
    assert px.gravity_torques(robot, q).name == px.gravity_torques(again, q).name
    other = robot.with_gravity((0, 0, -1))
    assert px.gravity_torques(robot, q).name != px.gravity_torques(other, q).name


def _threads():
    """What tells, for a block, how many threads its kernels use."""
    return lambda block: np.full_like(block, available())


def test_tasks_in_a_pool_keep_to_their_thread():
    q, result = lazy(drawn(8, 3), 2, 3), Result((), (3,), np.dtype(float))
    (found,) = over_blocks(Recipe("threads", _threads), [q], [Place(0, 1)], [result])
    assert (found.compute() == available()).all()  # in this thread, one after another
    with dask.config.set(scheduler="threads", num_workers=2):
        assert (found.compute() == 1).all()
    with own_thread():
        assert available() == 1


def test_xarray(robot):
    xr = pytest.importorskip("xarray")
    q = drawn(6, 3)
    named = xr.DataArray(lazy(q, 2, 3), dims=("state", "joint"))
    found = xr.apply_ufunc(
        lambda q: px.gravity_torques(robot, q),
        named,
        input_core_dims=[["joint"]],
        output_core_dims=[["joint"]],
        dask="allowed",
    )
    assert found.dims == ("state", "joint")
    same(found.data, px.gravity_torques(robot, q))


COLD = """
    import os, sys, time
    import paraxis as px
    from paraxis.targets.cpu import host
    compiled = host.compile_object

    def counted(source):
        if "@run" in source:
            time.sleep(0.5)  # long enough for both to be here at once
            open(os.path.join(sys.argv[1], f"{os.getpid()}"), "a").write("x")
        return compiled(source)

    host.compile_object = counted
    while time.time() < float(sys.argv[2]):
        pass
    print(px.gravity_torques(px.load("planar3"), [0.1, 0.2, 0.3]).tolist())
"""


def test_two_cold_processes_compile_once(tmp_path):
    cache, seen = tmp_path / "cache", tmp_path / "seen"
    seen.mkdir()
    command = [sys.executable, "-c", textwrap.dedent(COLD), str(seen), str(time.time() + 1.0)]
    both = [
        subprocess.Popen(
            command, env=environment(PARAXIS_CACHE=str(cache)), stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    outputs = [each.communicate(timeout=60)[0] for each in both]
    assert outputs[0] == outputs[1] != ""
    assert [path.read_text() for path in seen.iterdir()] == ["x"]
    assert not [*cache.glob("*.lock")]


def test_one_that_dies_while_it_compiles_is_waited_for_no_longer(tmp_path):
    dying = COLD.replace("time.sleep(0.5)", "os.kill(os.getpid(), 9)")
    text = """
        import sys, time
        import paraxis as px
        begin = time.time()
        px.gravity_torques(px.load("planar3"), [0.1, 0.2, 0.3])
        print(time.time() - begin < 20)
    """
    (tmp_path / "seen").mkdir()
    done = python(dying, tmp_path / "seen", 0, PARAXIS_CACHE=str(tmp_path / "cache"))
    assert done.returncode == -9 and [*(tmp_path / "cache").glob("*.lock")]
    assert script(text, PARAXIS_CACHE=str(tmp_path / "cache")).strip() == "True"
