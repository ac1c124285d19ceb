"""Optimal control on a GPU: rounds that are recorded find what the CPU finds, and wait for nothing.

python -m pytest tests/gpu/test_optimal.py
"""

import numpy as np
import pytest

import paraxis as px
from paraxis.optimal.search import Search
from paraxis.optimal.work import Work

cupy = pytest.importorskip("cupy")

ARM = px.robots.planar(2)
BOUNDED = {
    "inequality": lambda u: np.concatenate([u - 60.0, -60.0 - u]),
    "terminal_equality": lambda q, goal: q - goal,
}
KINDS = {
    "ilqr": {},
    "limits": {"limits": (-20.0, 20.0)},
    "ddp": {"method": "ddp"},
    "sqp": {"method": "sqp"},
    "constraints": BOUNDED,
    "rows": {"method": "sqp", "parallel_in_time": True},
}
of_every_kind = pytest.mark.parametrize("kind", KINDS)


def cost(q, qd, u, goal):
    return 5 * ((q - goal) @ (q - goal)) + 0.05 * (qd @ qd) + 1e-3 * (u @ u)


def terminal(q, qd, goal):
    return 100 * ((q - goal) @ (q - goal) + 0.1 * (qd @ qd))


def reaching(kind, horizon=64):
    return px.optimal_control(
        ARM, cost, horizon, dt=0.01, terminal=terminal, parameters={"goal": 2},
        **({"limits": False} | KINDS[kind]),
    )  # fmt: skip


def problems(count):
    rng = np.random.default_rng(0)
    return rng.uniform(-0.5, 0.5, (count, 4)), rng.uniform(-1, 1, (count, 2))


@of_every_kind
@pytest.mark.parametrize("count", [1, 40])
def test_solutions(kind, count):
    solver, (x0, goal) = reaching(kind), problems(count)
    expected = solver.solve(x0, goal=goal, iterations=300)
    found = solver.solve(cupy.asarray(x0), goal=cupy.asarray(goal), iterations=300)
    assert expected.solved.all() and found.solved.all()
    assert np.allclose(found.cost.get(), expected.cost, rtol=1e-7)
    assert np.allclose(found.us.get(), expected.us, atol=1e-3 * abs(expected.us).max())
    assert found.history.done[-1] == count and (found.history.done[:-1] < count).all()


def searched(kind, count=5):
    """A search that has begun, and its solver and arrays."""
    solver, (x0, goal) = reaching(kind), problems(count)
    given = {"x0": cupy.asarray(x0), "goal": cupy.asarray(goal)}
    target = solver.target(given)
    _, arrays = solver.arrays(target, given)
    work = Work(solver.problem, solver.horizon, count, target, solver.dtype)
    solver.begin(work, arrays)
    search = Search(work, 1e-9, 1e-6)
    search.begin()
    return search


@of_every_kind
def test_a_round_waits_for_nothing(kind):
    search = searched(kind)
    for _ in range(2):
        search.round()  # compiles what it needs
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        search.round()  # fails where anything waits
        graph = stream.end_capture()
        graph.launch()
        stream.synchronize()
    assert bool(cupy.isfinite(search.cost).all())


@of_every_kind
def test_what_is_recorded_writes_to_no_memory_of_others(kind):
    """Rounds in between which memory is taken and filled, and rounds that are never recorded."""
    plain, search = searched(kind), searched(kind)
    others = []
    for _ in range(8):
        plain._round(plain.work.now)
        plain.work.now = 1 - plain.work.now
        search.round()
        others += [cupy.full(size, 7.0) for size in (5, 200, 3000, 50_000)]
    assert cupy.array_equal(search.cost, plain.cost)
    assert cupy.array_equal(search.work.here.u, plain.work.here.u)
    assert all(bool((each == 7.0).all()) for each in others)
