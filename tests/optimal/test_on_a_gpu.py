"""The text of the solver for GPUs, run on the CPU: what is found is what the CPU finds."""

import sys

import numpy as np
import pytest
from support.far_arrays import FarWarps, far, is_far, use

import paraxis as px
from paraxis.optimal.mpc import ROUNDS
from paraxis.optimal.solver import QUEUED
from paraxis.optimal.systems import Composed, RobotSystem
from paraxis.optimal.work import Work
from paraxis.targets.cuda import iterate
from paraxis.targets.cuda.iterate import BY_LANES
from paraxis.targets.target import target_of

ARM = px.robots.planar(2)


def cost(q, qd, u, goal):
    return 5 * ((q - goal) @ (q - goal)) + 0.05 * (qd @ qd) + 1e-3 * (u @ u)


def terminal(q, qd, goal):
    return 100 * ((q - goal) @ (q - goal) + 0.1 * (qd @ qd))


def reaching(method="ilqr", limits=(-20.0, 20.0), **more):
    return px.optimal_control(
        ARM, cost, 12, dt=0.03, terminal=terminal, method=method, limits=limits,
        parameters={"goal": 2}, **more,
    )  # fmt: skip


def problems(count=3):
    rng = np.random.default_rng(0)
    return rng.uniform(-0.5, 0.5, (count, 4)), rng.uniform(-1, 1, (count, 2))


@pytest.mark.parametrize("method", ["ilqr", "ddp", "sqp"])
def test_solutions(monkeypatch, method):
    solver, (x0, goal) = reaching(method), problems()
    expected = solver.solve(x0, goal=goal)
    assert expected.solved.all()
    use(monkeypatch)
    found = solver.solve(far(x0), goal=far(goal))
    for name in ("xs", "us", "cost", "gains"):
        assert is_far(getattr(found, name))
        assert np.allclose(np.array(getattr(found, name)), getattr(expected, name), atol=1e-6)
    assert np.array_equal(np.array(found.status), expected.status)
    assert np.array_equal(np.array(found.iterations), expected.iterations)
    assert "3 solved" in repr(found)


needs_warps = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's memory maps")


def use_lanes(monkeypatch):
    """Let a warp share each problem; returns the kernels that it computes."""
    kernels, load = [], iterate.CudaIterateKernel.loaded

    def loaded(kernel, way):
        if way == BY_LANES:
            kernels.append(kernel)
        return load(kernel, way)

    monkeypatch.setattr(iterate.CudaIterateKernel, "loaded", loaded)
    monkeypatch.setattr(iterate, "TOGETHER", 1)
    use(monkeypatch, FarWarps())
    return kernels


@needs_warps
@pytest.mark.parametrize("method", ["ilqr", "ddp", "sqp"])
def test_solutions_by_lanes(monkeypatch, method):
    """One of the problems is lost, and harms no neighbour."""
    solver, (x0, goal) = reaching(method, limits=(-6.0, 6.0)), problems()
    x0[1, 0] = np.nan
    expected = solver.solve(x0, goal=goal)
    assert expected.solved.tolist() == [True, False, True]
    kernels = use_lanes(monkeypatch)
    found = solver.solve(far(x0), goal=far(goal))
    assert kernels and np.array_equal(np.array(found.status), expected.status)
    assert np.array_equal(np.array(found.iterations), expected.iterations)
    for name in ("xs", "us", "cost", "gains"):
        ours, theirs = np.array(getattr(found, name)), getattr(expected, name)
        assert np.allclose(ours, theirs, atol=1e-6, equal_nan=True)


@pytest.mark.parametrize("room, where", [(100 << 10, Composed), (1 << 10, RobotSystem)])
def test_derivatives_are_composed_only_for_lanes(monkeypatch, room, where):
    """Knots that do not fit into shared memory take threads fewer operations with a chain."""
    solver = reaching()
    monkeypatch.setattr(FarWarps, "most_shared", room)
    use(monkeypatch, FarWarps())
    target = target_of({"x0": far(np.zeros((3, 4)))})
    work = Work(solver.problem, solver.horizon, 3, target, solver.dtype)
    assert type(work.problem.system) is where
    assert work.kernels.backward.has_lanes(3) == (where is Composed)


def test_rounds_that_are_queued_together_have_a_history(monkeypatch):
    """Some come after the last problem is done, and before that is known."""
    solver, (x0, goal) = reaching(limits=False), problems(20)
    x0[:12] = goal[0, 0], goal[0, 1], 0.0, 0.0
    goal[:12] = goal[0]
    expected = solver.solve(x0, goal=goal).history
    assert (len(expected.done) % QUEUED) and 12 in expected.done
    use(monkeypatch)
    found = solver.solve(far(x0), goal=far(goal)).history
    for one, other in zip(found, expected, strict=True):
        assert np.allclose(one, other, rtol=1e-7)


BOUNDED = {
    "inequality": lambda u: np.concatenate([u - 60.0, -60.0 - u]),
    "terminal_equality": lambda q, goal: q - goal,
}


def test_constraints(monkeypatch):
    solver, (x0, goal) = reaching(limits=False, **BOUNDED), problems()
    expected = solver.solve(x0, goal=goal, iterations=300)
    assert expected.solved.all()
    use(monkeypatch)
    found = solver.solve(far(x0), goal=far(goal), iterations=300)
    assert np.array(found.solved).all() and (np.array(found.violation) < 1e-6).all()
    assert np.allclose(np.array(found.cost), expected.cost, rtol=1e-6)


@pytest.mark.parametrize("method", ["ilqr", "sqp"])
def test_no_problem(monkeypatch, method):
    solver, (x0, goal) = reaching(method, limits=False, **BOUNDED), problems(0)
    use(monkeypatch)
    found = solver.solve(far(x0), goal=far(goal))
    assert found.us.shape == (0, 12, 2) and found.violation.shape == (0,)


def test_few_problems_are_linearised_apart_and_many_together(monkeypatch):
    solver, (x0, goal) = reaching(), problems(5)
    use(monkeypatch)
    few = solver.solve(far(x0), goal=far(goal), iterations=5)
    monkeypatch.setattr(iterate, "FILLING", 4)
    many = solver.solve(far(x0), goal=far(goal), iterations=5)
    assert np.allclose(np.array(few.us), np.array(many.us), rtol=0, atol=1e-9)


def test_control_in_real_time(monkeypatch):
    solver, (x0, goal) = reaching(), problems()
    expected = solver.mpc(x0, goal=goal).run(steps=5)
    use(monkeypatch)
    mpc = solver.mpc(far(x0), goal=far(goal))
    run = mpc.run(steps=5)
    assert is_far(run.us) and np.allclose(np.array(run.us), expected.us, atol=1e-7)


@needs_warps
@pytest.mark.parametrize("lanes", [False, True])
@pytest.mark.parametrize("method", ["ilqr", "sqp"])
def test_a_plan_that_is_begun_anew(monkeypatch, method, lanes):
    solver, (x0, goal) = reaching(method), problems()
    as_new = solver.solve(x0[1], goal=goal[1], iterations=ROUNDS)
    use_lanes(monkeypatch) if lanes else use(monkeypatch)
    mpc = solver.mpc(far(x0), goal=far(goal))
    rows = mpc.target.arrays.asarray([1])
    others = [k for k in range(len(x0)) if k != 1]
    mpc.tick(far(x0))
    between = np.array(mpc.us)
    mpc._restart(rows)
    assert np.array(mpc.restarts).tolist() == [int(k == 1) for k in range(len(x0))]
    assert np.array_equal(np.array(mpc.us)[others], between[others])
    assert np.allclose(np.array(mpc.us)[1], as_new.us, atol=1e-6)


def test_sampling(monkeypatch):
    solver, (x0, goal) = reaching(), problems(2)
    expected = solver.sampling(x0, samples=32, goal=goal)
    u = expected.tick(x0).copy()
    use(monkeypatch)
    found = solver.sampling(far(x0), samples=32, goal=far(goal)).tick(far(x0))
    assert is_far(found) and np.allclose(np.array(found), u, atol=1e-9)


def test_threads_are_refused(monkeypatch):
    solver, (x0, goal) = reaching(threads=1), problems()
    use(monkeypatch)
    for call in (solver.solve, solver.mpc, solver.sampling):
        with pytest.raises(px.ArgumentError, match="threads cannot be set"):
            call(far(x0), goal=far(goal))
