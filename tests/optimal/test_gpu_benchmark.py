"""benchmarks/gpu_optimal.py without a GPU: its parts on the stand-in."""

from collections import OrderedDict

import numpy as np
import pytest
from support.far_arrays import far, use

import paraxis as px
from paraxis.targets import store

gpu_optimal = pytest.importorskip("gpu_optimal")


def test_an_iteration_is_compared_and_timed(monkeypatch):
    use(monkeypatch)
    cells = (("float64", 3, 0), ("float32", 2, 0), ("float64", 1, 4))
    said, arm = [], px.robots.planar(2)
    monkeypatch.setattr(gpu_optimal, "REPEATS", 1)
    rows = gpu_optimal.measure(
        arm, np.full(2, 0.3), far, lambda: None, cells, horizon=32, say=said.append
    )
    assert len(rows) == len(said) == 3
    assert all(row["passes"] > 0 and row["iteration"] > 0 for row in rows)
    assert "error" in said[0]
    late = gpu_optimal.measure(arm, np.zeros(2), far, None, cells, budget=-1.0, say=said.append)
    assert not late and "used up" in said[-1]


def test_batches_of_any_size_are_compared_with_the_problems_they_have(monkeypatch):
    use(monkeypatch)
    monkeypatch.setattr(gpu_optimal, "SAMPLE", 2)
    monkeypatch.setattr(gpu_optimal, "REPEATS", 1)
    arm, said = px.robots.planar(2), []
    cells = (("float64", 5, 0), ("float64", 3, 0), ("float64", 1, 0))
    rows = gpu_optimal.measure(
        arm, np.full(2, 0.3), far, lambda: None, cells, horizon=8, say=said.append
    )
    assert [row["problems"] for row in rows] == [5, 3, 1], said


def test_the_first_of_many_problems_are_the_few():
    arm = gpu_optimal.arm()
    many, few = (gpu_optimal.problems(arm, count, gpu_optimal.HOME) for count in (50, 16))
    for of_many, of_few in zip(many, few, strict=True):
        assert np.array_equal(of_many[:16], of_few)
        assert len(np.unique(of_many, axis=0)) == 50


def test_what_is_wrong_is_not_timed(monkeypatch):
    use(monkeypatch)
    monkeypatch.setattr(gpu_optimal, "TOLERANCE", {"float64": -1.0})
    said = []
    cells = (("float64", 1, 0),)
    arm = px.robots.planar(2)
    assert not gpu_optimal.measure(arm, np.zeros(2), far, None, cells, 8, say=said.append)
    assert "WRONG" in said[0]


def test_what_is_compiled_beforehand_needs_no_compiling(monkeypatch, tmp_path):
    pytest.importorskip("cupy", exc_type=ImportError)
    tmp_path.chmod(0o700)
    monkeypatch.setenv("PARAXIS_CACHE", str(tmp_path))
    asked, said = [], []
    monkeypatch.setattr(
        gpu_optimal.Absent, "binary", lambda *given, size="usual": asked.append(size) or b"code"
    )
    arm, cells = px.robots.planar(2), (("float64", 2, 0), ("float32", 1, 4))
    for _ in range(2):
        monkeypatch.setattr(store, "_loaded", OrderedDict())  # as in another process
        gpu_optimal.prepare(arm, np.zeros(2), "sm_90", cells, 16, said.append)
        assert len(asked) == 5 + 8 and "float32     1, in rows of 4: compiled" in said[-1]


def test_the_arm_is_one():
    arm = gpu_optimal.arm()
    q = np.zeros(7)
    assert arm.nv == 7 and sum(body.mass for body in arm.inertias) == pytest.approx(25.61)
    assert px.forward_kinematics(arm, q)[2, 3] == pytest.approx(1.261)  # stretched up
    assert abs(px.gravity_torques(arm, q)).max() < 5  # and so nearly balanced
