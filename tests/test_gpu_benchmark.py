"""benchmarks/gpu.py without a GPU: its parts on NumPy's arrays and the CPU, and its JAX peers."""

import io
import json
import time
from types import SimpleNamespace

import numpy as np
import pytest
from support import far_arrays
from support.cuda_on_cpu import CpuDevice
from support.on_ground import box
from support.robots import random_robot, relative_error, states

import paraxis as px
from paraxis.targets import target
from paraxis.targets.cuda import map as kernel_module

gpu = pytest.importorskip("gpu")
functions = pytest.importorskip("gpu_functions")
transfers = pytest.importorskip("gpu_transfers")
gpu_calls = pytest.importorskip("gpu_calls")
gpu_ground = pytest.importorskip("gpu_ground")
legged = pytest.importorskip("legged")
console = pytest.importorskip("rich.console")

ABOUT = {"device": "Stand-in 1", "driver": 13000, "versions": {"numpy": np.__version__}}


class StandIn:
    """As gpu_clock.Gpu, with arrays in main memory."""

    arrays = np

    def seconds(self, run):
        begin = time.perf_counter()
        run()
        return time.perf_counter() - begin

    def wait(self):
        pass

    free = wait

    def to_host(self, array):
        return array

    to_device = pinned = to_host

    def to_host_into(self, array, target):
        target[...] = array

    def peak(self, dtype):
        return 1e12

    def about(self):
        return dict(ABOUT)

    def copy_bandwidth(self):
        return {"best": 1e10, "ways": {"memcpy": 1e10}}


@pytest.fixture
def paths(tmp_path, monkeypatch):
    """One small robot, whose kernels are made for the CPU."""
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    for module in (kernel_module, target):
        monkeypatch.setattr(module, "device", CpuDevice)
    monkeypatch.setitem(functions.FRAMES, "arm", "hand")
    monkeypatch.setattr(functions, "BYTES", 1 << 20)
    monkeypatch.setattr(transfers, "STATES", 100)
    monkeypatch.setattr(functions, "prepare", made_here)
    return {"arm": path}


def made_here(every, budget):
    return {case: functions.compiled(case) for case in every}


ARM = """<robot name="arm"><link name="base"/>
  <link name="upper"><inertial><mass value="2"/><origin xyz="0 0 0.2"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.3" ixy="0" ixz="0.01" iyz="0"/></inertial></link>
  <link name="hand"><inertial><mass value="1"/><origin xyz="0.1 0 0"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="a" type="continuous"><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="b" type="continuous"><parent link="upper"/><child link="hand"/>
    <origin xyz="0.1 0 0.5"/><axis xyz="1 0 0"/></joint></robot>"""
FEW = ["forward_dynamics", "kinetic_energy"]


def options(*only):
    return SimpleNamespace(quick=True, keep=None, only=list(only), frax=None, json=None)


@pytest.mark.long
def test_functions_are_measured_checked_and_shown(paths):
    page = console.Console(file=io.StringIO(), width=200)
    results = gpu.measure(StandIn(), paths, options("functions", "transfers", *FEW), page)
    assert json.loads(json.dumps(results))["device"] == "Stand-in 1"
    assert len(results["rows"]) == 4 * len(FEW)
    for row in results["rows"]:
        assert "missing" not in row, row
        assert row["error"] < {"float64": 1e-12, "float32": 1e-5}[row["dtype"]]
        entries = {"forward_dynamics": 8, "kinetic_energy": 5}[row["function"]]
        item = np.dtype(row["dtype"]).itemsize
        moved = row["states"] * item * entries
        assert row["bytes_per_s"] == pytest.approx(moved / row["seconds"])
        assert row["percent_of_copy"] == pytest.approx(row["bytes_per_s"] / 1e8)
        assert row["operations"] > 0 and row["compile_s"] > 0
    assert len(results["transfers"]) == 2
    gpu.show(results, page)
    text = page.file.getvalue()
    assert "arm forward_dynamics" in text and "float64 columns" in text and "pinned" in text


def test_a_row_that_fails_says_why_and_others_go_on(paths, monkeypatch):
    def broken(case):
        if case.layout == "columns":
            raise RuntimeError("NVRTC: no room\nand more")
        return made(case)

    made = functions.compiled
    monkeypatch.setattr(functions, "compiled", broken)
    every = functions.cases(paths, ["kinetic_energy"])
    rows = []
    for case in every:
        try:
            kernel = functions.compiled(case)
        except RuntimeError as reason:
            kernel = {"missing": functions.told(reason)}
        rows.append(functions.measure(StandIn(), case, kernel, 1e10))
    assert [row.get("missing") for row in rows] == [None, "RuntimeError: NVRTC: no room"] * 2
    page = console.Console(file=io.StringIO(), width=200)
    gpu.show_functions(rows, page)
    assert "NVRTC: no room" in page.file.getvalue()


def test_a_result_that_is_not_written_is_no_result(paths, monkeypatch):
    monkeypatch.setattr(px, "kinetic_energy", lambda robot, q, qd, out: None)
    (case, *_) = functions.cases(paths, ["kinetic_energy"])
    row = functions.measure(StandIn(), case, functions.compiled(case), 1e10)
    assert "expected numbers in all of the result" in row["missing"]


def test_every_function_is_measured_or_said_not_to_be():
    named = {case.function for case in functions.cases({"ur5": "ur5.urdf"})}
    assert named | set(functions.WITHOUT) == set(px.functions())
    assert (
        set(gpu.robot_files(gpu.Path("folder"))) == set(functions.ROBOTS) == set(functions.FRAMES)
    )


# -- calls -------------------------------------------------------------------------------------


def few(rows):
    return [gpu_calls.measured(row, rounds=1, calls=2) for row in rows]


def shown(rows):
    page = console.Console(file=io.StringIO(), width=200)
    gpu_calls.show(rows, page)
    return page.file.getvalue()


def times(call, count):
    return lambda: [call() for _ in range(count)]


def test_calls_on_cupy_arrays_are_measured_beside_cupy(monkeypatch):
    cupy_on_cpu = pytest.importorskip("support.cupy_on_cpu")
    device = cupy_on_cpu.CupyOnCpu()
    monkeypatch.setattr(kernel_module, "device", lambda: device)
    states = gpu_calls.States(px.robots.planar(2), 5)
    rows = few(gpu_calls.cupy_rows(device.arrays, states, recorded=times))
    assert [row["limit"] for row in rows] == [1.0, 1.5, 1.0]
    for row in rows:
        assert row["reached"] == pytest.approx(row["ours_us"] / row["theirs_us"])
        assert row["error"] < 1e-5 and row["holds"] == (row["reached"] <= row["limit"])
    text = shown([*rows, {"call": "jax", "missing": "no GPU"}])
    assert "CuPy, out= given" in text and "cupy.multiply(a, b)" in text and "no GPU" in text


def test_calls_on_tensors_are_measured_beside_pytorch(monkeypatch):
    torch = pytest.importorskip("torch")
    pytest.importorskip("support.torch_on_cpu").use(monkeypatch)
    states = gpu_calls.States(px.robots.planar(2), 5)
    rows = few(gpu_calls.torch_rows(torch, states, device="cpu"))
    assert [row["limit"] for row in rows] == [1.5, 2.0, 3.0]
    assert "(a * b).sum().backward()" in shown(rows)


def test_a_call_with_other_numbers_is_not_timed():
    row = gpu_calls.Row("wrong", int, int, "nothing", 1.0, error=lambda: 0.1, wait=int)
    (found,) = gpu_calls.every([row], console.Console(file=io.StringIO()))
    assert "expected the CPU's numbers, found 1e-01 off" in found["missing"]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_dynamics_written_in_jax(seed):
    jax = pytest.importorskip("jax")
    peers, jobs = pytest.importorskip("peers"), pytest.importorskip("gpu_peers")
    robot = random_robot(seed, joints=(2, 5))
    q, qd, qdd = states(robot, 5, seed)
    tau = px.inverse_dynamics(robot, q, qd, qdd)
    with jax.enable_x64(True):
        for function, given, expected in (
            ("inverse_dynamics", qdd, tau),
            ("forward_dynamics", tau, qdd),
        ):
            for name, way in peers.jax_ways(jobs.links_of(robot), function).items():
                assert relative_error(way(q, qd, given), expected) < 1e-9, name


# -- on the ground -----------------------------------------------------------------------------


class FarGpu(StandIn):
    """With arrays that do not mix with NumPy's."""

    to_device, to_host = staticmethod(far_arrays.far), staticmethod(np.array)


def a_box(folder=None):
    robot, corners = box()
    return legged.Standing("box", robot, corners[:4], np.zeros(0), 0.06, 1.0, 1.0)


def test_robots_on_the_ground_are_timed_and_compared(monkeypatch, capsys):
    monkeypatch.setitem(gpu_ground.MAKERS, "box", a_box)
    far_arrays.use(monkeypatch)
    for name, number in (("SAMPLED", 3), ("CALLS", 2), ("ROUNDS", 1)):
        monkeypatch.setattr(gpu_ground, name, number)
    right = gpu_ground.prepare("box", "hard", 40, None, FarGpu())
    row = gpu_ground.measure(FarGpu(), "box", "hard", 5, 40, None, right)
    assert not gpu_ground.wrong(row) and row["steps_per_s"] > 0 and row["step_calls_per_s"] > 0
    gpu_ground.show(row)
    shown = capsys.readouterr().out
    assert "box  hard" in shown and "WRONG" not in shown
    off = right | {"few": right["few"] + 0.01}
    row = gpu_ground.measure(FarGpu(), "box", "hard", 5, 40, None, off)
    assert "off, allowed" in gpu_ground.wrong(row)
    row = gpu_ground.measure(FarGpu(), "box", "hard", 5, 40, None, right | {"height": 0.07})
    assert "higher or lower" in gpu_ground.wrong(row)


def test_inverse_kinematics_of_a_gpu_is_checked_on_the_cpu(monkeypatch):
    """Also that wrong results are not passed off as solved."""
    benchmark = pytest.importorskip("gpu_inverse_kinematics")
    monkeypatch.setattr(benchmark, "CALLS", 1)
    row = benchmark.measure(StandIn(), "ur5", "tool0", 20)
    assert row["solved"] == row["poses"] == 20 and row["ms"] > 0
    benchmark.show([row], console.Console(file=io.StringIO()))
    solve = px.inverse_kinematics

    def wrong(*arguments):
        found = solve(*arguments)
        return type(found)(found.q + 1e-3, found.solved, found.error, found.singular)

    monkeypatch.setattr(px, "inverse_kinematics", wrong)
    with pytest.raises(ArithmeticError, match="20 are wrong"):
        benchmark.measure(StandIn(), "ur5", "tool0", 20)
