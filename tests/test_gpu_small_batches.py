"""benchmarks/gpu_small_batches.py without a GPU: what is compiled, compared, chosen and printed."""

import io
import math
import sys
import time
from collections import OrderedDict
from types import SimpleNamespace

import numpy as np
import pytest
from support.cuda_warps import WarpDevice
from support.robots import random_robot

from paraxis.function_bodies import function_body
from paraxis.targets import store
from paraxis.targets.cuda import device as cuda_device
from paraxis.targets.cuda import map as cuda_map
from paraxis.targets.cuda.text.lanes import WARPS

pytest.importorskip("cupy", exc_type=ImportError)
batches = pytest.importorskip("gpu_small_batches")
choices = pytest.importorskip("gpu_choices")
console = pytest.importorskip("rich.console")

FUNCTION = "inverse_dynamics"
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's memory maps")


class Device(WarpDevice):
    most_shared = 100 << 10


@pytest.fixture(scope="module")
def robot():
    return random_robot(3, joints=(2, 2))


@pytest.fixture
def numpy_in_graphs(monkeypatch):
    """NumPy in place of CuPy, whose calls are made and not recorded."""
    monkeypatch.setattr(batches, "cuda_graph", lambda cupy, call, times: call)
    monkeypatch.setattr(batches, "microseconds", lambda cupy, replay: replay() is None or 2.0)
    return SimpleNamespace(asarray=np.asarray, asnumpy=np.asarray)


# -- compiling ---------------------------------------------------------------------------------


def test_processes_return_results_and_errors():
    found = dict(batches.in_processes(math.sqrt, [(4.0,), (-1.0,)], 100.0))
    assert found[(4.0,)] == 2.0 and isinstance(found[(-1.0,)], ValueError)


def test_what_is_late_is_ended():
    begin = time.monotonic()
    ((_, found),) = batches.in_processes(time.sleep, [(1000.0,)], 0.1)
    assert isinstance(found, TimeoutError) and time.monotonic() - begin < 500


@pytest.mark.parametrize("way", choices.WAYS)
def test_what_is_prepared_is_what_calls_look_for(monkeypatch, tmp_path, way):
    """The choice finds the kernel that was forced, and so does the benchmark without choices."""
    pytest.importorskip("peers").robot_file("ur5")
    tmp_path.chmod(0o700)
    monkeypatch.setenv("PARAXIS_CACHE", str(tmp_path))
    choices._made(None, [], (16,), "sm_90", "ur5", FUNCTION, way)
    monkeypatch.setattr(store, "_loaded", OrderedDict())  # as in another process
    monkeypatch.setattr(cuda_device, "compile_text", None)
    monkeypatch.setattr(
        cuda_map, "most_states", lambda body, in_rows: math.inf if way == "warp" else 0
    )
    batches._compiled(None, [], (16,), "sm_90", "ur5", FUNCTION)


# -- cells -------------------------------------------------------------------------------------


@on_linux
def test_both_ways_are_measured_and_compared(monkeypatch, numpy_in_graphs, robot):
    monkeypatch.setattr(cuda_map, "most_states", lambda body, in_rows: 3)
    few, many = 3, 5
    right = batches.right_of(robot, FUNCTION, (few, many))
    made = {"thread": 1.0, "warp": 1.0, choices.RIGHT: right}

    def rows(late=math.inf):
        return choices.cells_of(
            numpy_in_graphs, robot, FUNCTION, (few, many), made, late, on=Device()
        )

    found = rows()
    assert [(row["states"], row["way"]) for row in found if row["chosen"]] == [
        (few, "warp"),
        (many, "thread"),
    ]
    assert len(found) == 4 and all(0 < row["error"] < 1e-5 for row in found)
    plan = function_body(robot, FUNCTION).lanes
    assert all(row["work"] == plan.work and row["entries"] == robot.nv for row in found)
    right[few][0][0] += 10.0
    assert [row["error"] > batches.TOLERANCE for row in rows()] == [True, True, False, False]
    made["thread"] = TimeoutError("not done in 80 s")
    assert ["missing" in row for row in rows()] == [True, False, True, False]
    assert all("no time left" in row["missing"] for row in rows(late=0.0)[1::2])


@on_linux
def test_a_way_that_is_forced_is_taken(robot):
    body = function_body(robot, FUNCTION)
    given = batches.states_of(robot, 4, FUNCTION)
    for way in choices.WAYS:
        kernel = choices.Forced(body, way, Device())
        kernel(*given)
        (loaded,) = kernel._loaded.values()
        states_of_block = loaded.kernels[0][-1]
        assert (states_of_block == WARPS) == (way == "warp")


# -- the table ---------------------------------------------------------------------------------


def pair(states, thread, warp, chosen):
    """Rows of a cell, in microseconds."""
    times = {"thread": thread, "warp": warp}
    return [
        {"robot": "arm", "function": FUNCTION, "states": states, "way": way, "error": 1e-6}
        | {"chosen": way == chosen}
        | ({"us": us} if us else {"missing": "not done"})
        for way, us in times.items()
    ]


def shown(rows):
    page = console.Console(file=io.StringIO(), width=200)
    choices.show(rows, sorted({row["states"] for row in rows}), page)
    return page.file.getvalue()


def test_choices_that_are_slow_are_named():
    rows = [*pair(16, 2.0, 3.0, "warp"), *pair(256, 2.0, 3.0, "thread")]
    text = shown([*rows, *pair(1024, None, 3.0, "warp")])
    assert "2.00 / 3.00: warp 1.50" in text and "2.00 / 3.00: thread 0.67" in text
    assert "– / 3.00: warp" in text
    assert "1 of 2 choices" in text and "inverse_dynamics, 16 states: 1.50" in text
    assert "256 states:" not in text


def test_wrong_results_are_marked():
    rows = pair(16, 2.0, 3.0, "thread")
    rows[1]["error"] = 0.1
    assert "2.00 / 3.00 WRONG: thread" in shown(rows)
    rows[1]["error"] = math.nan
    assert "3.00 WRONG" in shown(rows)
