"""benchmarks/gpu_grid.py without a GPU: what is compared and printed, and the nodes of graphs."""

import ctypes
import io
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from support.robots import random_robot

import paraxis as px

gpu_grid = pytest.importorskip("gpu_grid")
nodes = pytest.importorskip("gpu_kernel_nodes")
grid_calls = pytest.importorskip("peers.grid_calls")
console = pytest.importorskip("rich.console")

BATCH = 5


@pytest.fixture(scope="module")
def robot():
    trunk = px.robots.Inertia.of(3.0, (0.1, 0.2, 0.3), (0.5, 0.6, 0.7))
    return replace(random_robot(3, joints=(2, 2)), root=trunk)


def as_grid_leaves_it(cell):
    """The CPU's answer as GRiD's kernel would: rows as long as q, matrices by columns."""
    right = gpu_grid._listed(cell.ours(*[array.astype(float) for array in cell.given]))
    shape = grid_calls.raw_shape(cell.function, BATCH, cell.robot.nq, cell.robot.nv)
    if len(right) == 1:
        return np.pad(right[0], ((0, 0), (0, shape[1] - cell.robot.nv)))
    return np.stack([part.transpose(0, 2, 1) for part in right[:2]], 1)


@pytest.mark.parametrize(
    "function, is_free",
    [
        ("inverse_dynamics", True),
        ("inverse_dynamics_derivatives", False),
        ("forward_dynamics_derivatives", False),
    ],
)
def test_what_a_kernel_of_grid_leaves_is_compared_with_the_cpu(robot, function, is_free):
    cell = gpu_grid.Cell(robot.with_floating_base() if is_free else robot, function, BATCH)

    def error():
        return cell.error(grid_calls.listed(grid_calls.as_returned(raw, cell.robot.nv)))

    raw = as_grid_leaves_it(cell)
    assert error() < 1e-12
    raw[-1] *= 1.01
    assert error() > 1e-7
    raw[0] = np.nan
    assert error() == np.inf


def test_the_side_that_is_wrong_is_named(robot):
    cell = gpu_grid.Cell(robot, "inverse_dynamics", BATCH)
    right = px.inverse_dynamics(robot, *[array.astype(float) for array in cell.given])
    assert cell.checked(lambda: right, lambda: right)() == 0
    with pytest.raises(ArithmeticError, match="GRiD's is 1e\\+00 off"):
        cell.checked(lambda: right, lambda: right + 1 + abs(right).max(1, keepdims=True))()


def test_a_cell_that_fails_says_why_and_the_others_go_on(robot, monkeypatch):
    def no_library(*_):
        raise OSError("no CUDA here\nand more")

    monkeypatch.setattr(gpu_grid, "tuned", no_library)
    calls = {"ours_us": 2.0, "theirs_us": 3.0, "error": 1e-7}
    monkeypatch.setattr(
        gpu_grid, "KINDS", {"kernel": no_library, "PyTorch": lambda *_: calls, "JAX": no_library}
    )
    cell = gpu_grid.Cell(robot, "inverse_dynamics", BATCH)
    rows = [
        {"robot": "arm", "function": cell.function, "states": BATCH} | row
        for row in gpu_grid.times_of(SimpleNamespace(), cell, ["kernel", "PyTorch"])
    ]
    assert rows[0]["missing"] == "OSError: no CUDA here"
    assert rows[1]["ratio"] == 1.5 and not rows[1]["holds"]
    assert "no CUDA here" in rows[1]["tuning_us"]["not tuned"]
    page = console.Console(file=io.StringIO(), width=200)
    gpu_grid.show(rows, [BATCH], page)
    shown = page.file.getvalue()
    assert "2.0 / 3.0 = 1.5 x, below 2" in shown and "no CUDA here" in shown
    assert "PyTorch: 0 of 1 cells at least 2 x, the lowest 1.50 x" in shown


# -- the nodes of a graph ----------------------------------------------------------------------


NAMES = {0x20: b"_Z4fill", 0x30: b"_ZN4grid23inverse_dynamics_kernelE"}


class OfDriver:
    """The driver's functions on a graph of three nodes: a copy and two kernels."""

    def __init__(self):
        self.added = []
        self.kept = ctypes.c_void_p(0xABC)  # the first argument
        self.pointers = (ctypes.c_void_p * 1)(ctypes.addressof(self.kept))

    def cuGraphGetNodes(self, graph, found, count):
        if found is None:
            count._obj.value = 3
        else:
            found[:] = [0x10, 0x20, 0x30]
        return 0

    def cuGraphNodeGetType(self, node, kind):
        kind._obj.value = 1 if node.value == 0x10 else 0
        return 0

    def cuGraphKernelNodeGetParams_v2(self, node, parameters):
        parameters._obj.function = node.value
        parameters._obj.arguments = self.pointers
        return 0

    def cuFuncGetName(self, name, function):
        name._obj.value = NAMES[function.value]
        return 0

    def cuGraphAddKernelNode_v2(self, node, graph, needed, count, parameters):
        self.added.append((parameters._obj.function, list(needed or ())))
        assert len(self.added[-1][1]) == count.value
        node._obj.value = 0x100 + len(self.added)
        return 0

    def cuGetErrorName(self, status, text):
        text._obj.value = b"CUDA_ERROR_OF_TEST"

    def cuGraphLaunch(self, graph, stream):
        return 700

    def __getattr__(self, name):
        return lambda *_: 0


@pytest.fixture
def driver():
    made = nodes.Driver.__new__(nodes.Driver)
    made.library = OfDriver()
    return made


def test_a_kernel_is_taken_out_of_a_graph_and_repeated(driver):
    kernel = nodes.only_kernel(driver, 1, "inverse_dynamics_kernel")
    assert kernel.first_argument == 0xABC
    launch = driver.repeated(kernel, 3)
    assert driver.library.added == [(0x30, []), (0x30, [0x101]), (0x30, [0x102])]
    with pytest.raises(RuntimeError, match="cuGraphLaunch: CUDA_ERROR_OF_TEST"):
        launch()


def test_a_kernel_that_is_not_there_is_named_with_those_that_are(driver):
    with pytest.raises(LookupError, match="expected one minv_kernel, found .*_Z4fill"):
        nodes.only_kernel(driver, 1, "minv_kernel")


def test_the_parameters_are_as_long_as_the_drivers():
    assert ctypes.sizeof(nodes.Parameters) == 72


# -- whole calls -------------------------------------------------------------------------------


def as_grid_returns_it(cell, *given):
    """Ours as GRiD's functions give it: matrices side by side."""
    found = gpu_grid._listed(cell.ours(*given))
    return found[0] if len(found) == 1 else np.concatenate(found[:2], axis=-1)


@pytest.mark.parametrize(
    "function, wrong", [("inverse_dynamics", 0), ("inverse_dynamics_derivatives", 0.5)]
)
def test_whole_calls_from_jax_are_compared_and_timed(robot, function, wrong, monkeypatch):
    jax = pytest.importorskip("jax")
    monkeypatch.setattr(gpu_grid, "CALLS", 2)
    monkeypatch.setattr(gpu_grid, "CALL_ROUNDS", 1)
    cell = gpu_grid.Cell(robot, function, BATCH)
    answer = as_grid_returns_it(cell, *cell.given).astype("float32") + np.float32(wrong)
    theirs = SimpleNamespace(function=lambda name: lambda *given: jax.numpy.asarray(answer))
    used = []
    grid = SimpleNamespace(jax=theirs, use_threads=used.append)
    if wrong:
        with pytest.raises(ArithmeticError, match="GRiD's is"):
            gpu_grid.from_jax(grid, cell, 128)
        return
    row = gpu_grid.from_jax(grid, cell, 128)
    assert used == [128] and row["error"] < 1e-5 and row["ours_us"] > 0 and row["theirs_us"] > 0


def test_whole_calls_from_pytorch_are_compared_and_timed(robot, monkeypatch):
    torch = pytest.importorskip("torch")
    pytest.importorskip("support.torch_on_cpu").use(monkeypatch)
    monkeypatch.setattr(gpu_grid, "CALLS", 2)
    monkeypatch.setattr(gpu_grid, "CALL_ROUNDS", 1)
    cell = gpu_grid.Cell(robot, "forward_dynamics", BATCH)
    answer = torch.asarray(as_grid_returns_it(cell, *cell.given))
    theirs = SimpleNamespace(function=lambda name: lambda *given: answer)
    grid = SimpleNamespace(torch=theirs, use_threads=int)
    row = gpu_grid.from_torch(grid, cell, 0, device="cpu")
    assert row["error"] < 1e-5 and row["ours_us"] > 0
