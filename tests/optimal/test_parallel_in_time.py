"""Passes through time in rows of knots: the numbers of passes knot by knot, but for rounding."""

import io
from functools import cache

import numpy as np
import pytest
import scipy.linalg
from support import far_arrays
from support.far_arrays import FarArray, far
from support.joint_rows import row_of
from support.robots import relative_error

import paraxis as px
from paraxis.drivers.elimination import Elimination
from paraxis.optimal.knots import TALLIES
from paraxis.optimal.parallel_time import FILLED, SHORTEST, Cut, RowsKernel
from paraxis.optimal.value_spans import glue, value_spans
from paraxis.optimal.work import Kernels, Work
from paraxis.targets.target import CPU

ROUNDING = 1e-10
HORIZONS = (1, 2, 3, 31, 32, 33, 64, 100, 1000)


def knot_by_knot(problem, count):
    """The kernels of passes along the whole horizon."""
    return Kernels(
        CPU.map(problem.linearise),
        CPU.map(problem.at_end),
        CPU.iterate(*problem.backward, states=count),
        CPU.iterate(*problem.forward, states=count),
    )


def passes(solver, x, u, parameters, damping, kernels=None):
    """What all passes of an iteration around a trajectory make, by name."""
    count = x.shape[1]
    work = Work(solver.problem, solver.horizon, count, CPU, "float64", kernels=kernels)
    work.connect(parameters)
    side = work.here
    side.x[...], side.u[...] = x, u
    work.damping[...], work.step[...] = damping, 0.7
    side.judge()
    found = side.law | {"costates": side.costates, "V": side.value, "v": side.slope}
    found |= {name: side.tally(name) for name in TALLIES}
    side.go()
    found |= {"x": work.there.x, "u": work.there.u}
    if not solver.problem.feasible:
        found |= side.start
    return found, work.kernels


def check_passes(solver, x, u, parameters, damping=0.0, limit=ROUNDING):
    expected, _ = passes(
        solver, x, u, parameters, damping, knot_by_knot(solver.problem, x.shape[1])
    )
    found, kernels = passes(solver, x, u, parameters, damping)
    for name, array in found.items():
        assert np.isfinite(array).all(), name
        assert relative_error(array, expected[name]) < limit, name
    return kernels


# -- linear systems and quadratic costs that differ at every knot ----------------------------------


def linear_quadratic(horizon, method="sqp"):
    """x' = A x + B u + c, at a cost of ½ zᵀ H z + g·z for z = (x, u)."""
    shapes = {"A": (4, 4), "B": (4, 2), "c": 4}
    step = px.trace(lambda x, u, A, B, c: A @ x + B @ u + c, x=4, u=2, **shapes)

    def cost(x, u, H, g):
        z = np.concatenate([x, u])
        return 0.5 * (z @ H @ z) + g @ z

    return px.optimal_control(
        step,
        cost,
        horizon,
        terminal=lambda x, H_end: 0.5 * (x @ H_end @ x) + x[1],
        method=method,
        parameters=shapes | {"H": (6, 6), "g": 6, "H_end": (4, 4)},
        per_step=("A", "B", "c", "H", "g"),
        parallel_in_time=True,
    )


def numbers(horizon, count, seed=0):
    rng = np.random.default_rng(seed)
    shape = (horizon + 1, count)
    half = rng.normal(size=(*shape, 6, 6))
    end = rng.normal(size=(count, 4, 2))
    return {
        "A": 0.9 * np.linalg.qr(rng.normal(size=(*shape, 4, 4)))[0],
        "B": rng.normal(size=(*shape, 4, 2)),
        "c": rng.normal(size=(*shape, 4)),
        "H": half @ np.swapaxes(half, -1, -2) + 0.1 * np.eye(6),
        "g": rng.normal(size=(*shape, 6)),
        "H_end": end @ np.swapaxes(end, -1, -2),
    }


def trajectories(solver, count, parameters, seed=1):
    """Of method "sqp" with gaps, else along the dynamics."""
    rng, horizon = np.random.default_rng(seed), solver.horizon
    x, u = rng.normal(size=(horizon + 1, count, 4)), rng.normal(size=(horizon, count, 2))
    if solver.problem.feasible:
        for k in range(horizon):
            A, B, c = (parameters[name][k] for name in "ABc")
            x[k + 1] = (A @ x[k, :, :, None] + B @ u[k, :, :, None])[..., 0] + c
    return x, u


@pytest.mark.parametrize("method", ["ilqr", "sqp"])
@pytest.mark.parametrize("horizon", HORIZONS)
def test_passes_are_those_knot_by_knot(method, horizon):
    solver, given = linear_quadratic(horizon, method), numbers(horizon, 3)
    x, u = trajectories(solver, 3, given)
    for damping in (0.0, 0.3):
        kernels = check_passes(solver, x, u, given, damping)
    assert isinstance(kernels.backward, RowsKernel) == (horizon >= 2 * SHORTEST)
    assert isinstance(kernels.forward, RowsKernel) == (horizon >= 32 and method == "sqp")


def test_what_cannot_be_controlled_or_costs_nothing_is_ordinary():
    """Spans whose ends cannot be moved, or whose starts have no cost."""
    horizon = 100
    solver, given = linear_quadratic(horizon), numbers(horizon, 4)
    given["B"][:, 0] = 0.0
    given["B"][20:60, 1] = 0.0
    given["B"][:, 2, :, 1] = given["B"][:, 2, :, 0]  # both controls do the same
    given["B"][:, 2, 2:] = 0.0
    given["H"][:, 3, :4, :] = given["H"][:, 3, :, :4] = 0.0  # only controls cost anything
    given["H_end"][3] = 0.0
    given["A"][40:50, 3] = 0.0
    check_passes(solver, *trajectories(solver, 4, given), given)


def test_controls_that_cost_nothing_are_no_law():
    """Spans cannot tell what is best there, though the value of the future would."""
    solver, given = linear_quadratic(64), numbers(64, 2)
    given["H"][:, 1, 4:] = given["H"][:, 1, :, 4:] = 0.0
    x, u = trajectories(solver, 2, given)
    expected, _ = passes(solver, x, u, given, 0.0, knot_by_knot(solver.problem, 2))
    found, _ = passes(solver, x, u, given, 0.0)
    assert (expected["least"] > 0).all() and found["least"][1] <= 0
    assert np.isclose(found["least"][0], expected["least"][0], rtol=1e-9)


def test_costs_that_bend_downward_where_controls_cost_enough():
    """As in "ddp": value functions need not be positive."""
    horizon = 64
    solver, given = linear_quadratic(horizon), numbers(horizon, 2)
    given["H"][::SHORTEST, :, :4, :4] -= 8.0 * np.eye(4)  # at the starts of rows
    given["H"][:, :, 4:, 4:] += 20.0 * np.eye(2)
    given["H"][:, :, :4, 4:] = 0.0
    given["H"][:, :, 4:, :4] = 0.0
    x, u = trajectories(solver, 2, given)
    check_passes(solver, x, u, given)
    found, _ = passes(solver, x, u, given, 0.0)
    first = np.zeros((2, 4, 4))
    first[:, *np.triu_indices(4)] = found["V"][0]
    first += np.triu(first, 1).swapaxes(1, 2)
    assert (found["least"] > 0).all() and (np.linalg.eigvalsh(first)[:, 0] < 0).all()


@pytest.mark.parametrize("method", ["ilqr", "sqp"])
def test_the_regulator_of_scipy(method):
    rng = np.random.default_rng(0)
    A, B = np.eye(4) + 0.1 * rng.normal(size=(4, 4)), rng.normal(size=(4, 2))
    solver = px.optimal_control(
        px.trace(lambda x, u: A @ x + B @ u, x=4, u=2),
        lambda x, u: 0.5 * (x @ x) + 0.5 * (u @ u),
        150,
        method=method,
        parallel_in_time=True,
    )
    x0 = rng.normal(size=(3, 4))
    found = solver.solve(x0)
    P = scipy.linalg.solve_discrete_are(A, B, np.eye(4), np.eye(2))
    K = -np.linalg.solve(np.eye(2) + B.T @ P @ B, B.T @ P @ A)
    assert found.solved.all() and (found.iterations == 1).all()
    assert np.allclose(found.gains[:, 0], K, rtol=0, atol=1e-12)
    assert np.allclose(found.cost, 0.5 * np.einsum("bi,ij,bj->b", x0, P, x0), rtol=1e-12)


# -- robots ----------------------------------------------------------------------------------------


def costs(robot):
    """A cost of residuals, which is defined for any kind of joint, and one at the end."""

    def cost(q, qd, u):
        return np.concatenate([q[: robot.nv], 0.3 * qd, 0.05 * u])

    def terminal(q, qd):
        return np.concatenate([30 * q[: robot.nv], 10 * qd])

    return cost, terminal


@cache
def solutions(method):
    """Of an arm, knot by knot and in rows."""
    arm = px.robots.planar(2)
    cost, terminal = costs(arm)
    x0 = np.random.default_rng(2).uniform(-1, 1, (3, 4))
    made = []
    for parallel in (False, True):
        solver = px.optimal_control(
            arm, cost, 100, dt=0.02, terminal=terminal, method=method, parallel_in_time=parallel
        )
        made.append(solver.solve(x0))
    return made


@pytest.mark.parametrize("method", ["ilqr", "ddp", "sqp"])
def test_an_arm_moves_as_knot_by_knot(method):
    expected, found = solutions(method)
    assert expected.solved.all() and found.solved.all()
    assert np.array_equal(found.iterations, expected.iterations)
    assert np.allclose(found.cost, expected.cost, rtol=1e-12)
    for name in ("us", "xs", "gains", "costates"):
        assert relative_error(getattr(found, name), getattr(expected, name)) < 1e-8, name


@pytest.mark.long
def test_joints_whose_positions_do_not_add_up():
    """Linear maps then depend on the state."""
    robot = row_of(("spherical", "revolute"))
    cost, terminal = costs(robot)
    solver = px.optimal_control(
        robot, cost, 40, dt=0.02, terminal=terminal, method="sqp", limits=False,
        controls=[joint.name for joint in robot.described.joints], parallel_in_time=True,
    )  # fmt: skip
    rng = np.random.default_rng(3)
    x = rng.normal(size=(41, 2, robot.nq + robot.nv))
    x[..., :4] /= np.linalg.norm(x[..., :4], axis=-1, keepdims=True)
    u = rng.normal(size=(40, 2, robot.nv))
    assert isinstance(check_passes(solver, x, u, {}, 0.1).forward, RowsKernel)


# -- spans -----------------------------------------------------------------------------------------


def span(seed, n=3, reach=2):
    """Numbers of a span, whose end can be moved in `reach` directions."""
    rng = np.random.default_rng(seed)
    upper = np.triu_indices(n)
    G, W = rng.normal(size=(n, reach)), rng.normal(size=(n, n))
    return {
        "A": rng.normal(size=(n, n)).tolist(),
        "b": rng.normal(size=n).tolist(),
        "C": (G @ G.T)[upper].tolist(),
        "V": (W @ W.T)[upper].tolist(),
        "v": rng.normal(size=n).tolist(),
    }


@pytest.mark.parametrize("reach", [0, 1, 3])
def test_gluing_is_associative(reach):
    a, b, c = (span(seed, reach=reach) for seed in range(3))
    left, _ = glue(glue(a, b)[0], c)
    right, _ = glue(a, glue(b, c)[0])
    for name, part in left.items():
        assert np.allclose(np.array(part, float), np.array(right[name], float), rtol=1e-9), name


def test_the_dual_form_is_a_cost_between_states():
    """Gluing minimises the sum of the costs from x to y and from y to z over y."""
    a, b = span(0, reach=3), span(1, reach=3)
    whole, _ = glue(a, b)

    def square(half):
        C = np.zeros((3, 3))
        C[np.triu_indices(3)] = half
        return C + np.triu(C, 1).T

    def form(span):
        """The cost's Hessian and gradient in (x, y), where C is regular."""
        W = np.linalg.inv(square(span["C"]))
        A, b = np.array(span["A"]), np.array(span["b"])
        M = np.hstack([A, -np.eye(3)])
        H, g = M.T @ W @ M, M.T @ W @ b
        H[:3, :3] += square(span["V"])
        g[:3] += span["v"]
        return H, g

    (H, g), (H2, g2) = form(a), form(b)
    joint, slope = np.zeros((9, 9)), np.zeros(9)
    joint[:6, :6] += H
    joint[3:, 3:] += H2
    slope[:6] += g
    slope[3:] += g2
    ends, between = [0, 1, 2, 6, 7, 8], [3, 4, 5]
    pull = np.linalg.solve(joint[np.ix_(between, between)], joint[between][:, ends])
    H_expected = joint[np.ix_(ends, ends)] - joint[np.ix_(ends, between)] @ pull
    g_expected = slope[ends] - pull.T @ slope[between]
    H_found, g_found = form(whole)
    assert np.allclose(H_found, H_expected, rtol=0, atol=1e-8 * abs(H_expected).max())
    assert np.allclose(g_found, g_expected, rtol=0, atol=1e-8 * abs(g_expected).max())


# -- depth -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("horizon", [32, 100, 1000, 12345, 100_000])
def test_few_steps_follow_one_another_where_there_is_room(horizon):
    """On a GPU: rows are short, and their ends are found in logarithmic time."""
    cut = Cut(horizon, FILLED << 16)
    assert cut.rows * cut.steps + cut.rest == horizon
    assert cut.steps == SHORTEST and cut.rest < SHORTEST
    levels = len(Elimination(value_spans(2, CPU), cut.rows, "odd_even_reduction").levels)
    assert levels <= 2 * np.ceil(np.log2(cut.rows))


def test_rows_are_no_more_than_is_of_use():
    for horizon in (32, 100, 1000, 12345):
        cut = Cut(horizon, 32)
        assert cut.rows * cut.steps + cut.rest == horizon
        assert cut.steps >= SHORTEST and 0 <= cut.rest < cut.steps
        assert cut.rows <= 33


# -- the same everywhere ---------------------------------------------------------------------------


def pendulums(**options):
    def swing(x, u):
        rate = x[1] + 0.05 * (u[0] - 9.81 * px.math.sin(x[0]))
        return [x[0] + 0.05 * rate, rate]

    return px.optimal_control(
        px.trace(swing, x=2, u=1),
        lambda u, effort: effort * (u @ u),
        60,
        terminal=lambda x: 100 * ((x[0] - np.pi) ** 2 + x[1] ** 2),
        parameters={"effort": ()},
        parallel_in_time=True,
        **options,
    )


def test_the_same_bits_anywhere_in_a_batch():
    x0 = np.random.default_rng(3).uniform(-1, 1, (20, 2))
    whole = pendulums().solve(x0, effort=0.01)
    assert whole.solved.any()
    for rows in (slice(7, 8), slice(3, 15)):
        for threads in (1, 2):
            part = pendulums(threads=threads).solve(x0[rows], effort=0.01)
            assert np.array_equal(part.us, whole.us[rows])
            assert np.array_equal(part.cost, whole.cost[rows])


def test_what_cannot_be_solved_says_so_and_harms_no_neighbour():
    """Controls that cost nothing are known only at work; a state that is NaN is no state."""
    solver = pendulums()
    x0 = np.array([[0.1, 0.0], [0.1, 0.0], [np.nan, 0.0], [0.2, 0.0]])
    found = solver.solve(x0, effort=[0.01, 0.0, 0.01, 0.01], iterations=400)
    Status = px.optimal.Status
    assert found.solved.tolist() == [True, False, False, True]
    assert found.status[1:3].tolist() == [Status.STALLED, Status.FAILED]
    alone = solver.solve(x0[3:], effort=0.01, iterations=400)
    assert np.array_equal(alone.us[0], found.us[3])


def test_single_precision():
    x0 = np.random.default_rng(3).uniform(-0.1, 0.1, (2, 2))
    exact = pendulums().solve(x0, effort=1.0, iterations=300)
    found = pendulums(dtype="float32").solve(x0, effort=1.0, iterations=300)
    assert found.us.dtype == np.float32 and found.solved.all()
    assert np.allclose(found.cost, exact.cost, rtol=1e-4)


@pytest.mark.parametrize("method", ["ilqr", "sqp"])
def test_on_a_gpu(method, monkeypatch):
    """On a stand-in for one."""
    rng = np.random.default_rng(0)
    A, B = 0.9 * np.eye(3) + 0.1 * rng.normal(size=(3, 3)), rng.normal(size=(3, 2))
    solver = px.optimal_control(
        px.trace(lambda x, u: A @ x + B @ u, x=3, u=2),
        lambda x, u: 0.5 * (x @ x) + 0.5 * (u @ u),
        70,
        method=method,
        parallel_in_time=True,
    )
    x0 = rng.normal(size=(3, 3))
    here = solver.solve(x0)
    far_arrays.use(monkeypatch)
    there = solver.solve(far(x0))
    assert isinstance(there.us, FarArray) and np.array(there.solved).all()
    assert relative_error(np.array(there.us), here.us) < ROUNDING
    assert relative_error(np.array(there.gains), here.gains) < ROUNDING


# -- the benchmark ---------------------------------------------------------------------------------


def test_the_benchmark_measures_and_prints():
    benchmark = pytest.importorskip("parallel_in_time")  # of benchmarks/
    console = pytest.importorskip("rich.console")
    page = io.StringIO()
    measured = benchmark.measure("planar1", [16, 64], [1], [1])
    assert all(row["error"] < ROUNDING for row in measured["times"])
    serial, rows = measured["along"][64]["backward, depth"]
    assert rows < serial == 64 * measured["operations"]["backward"][1]
    benchmark.show("planar1", measured, console.Console(file=page, width=150))
    assert "glue values" in page.getvalue()


# -- refusals --------------------------------------------------------------------------------------


def test_limits_of_controls_are_refused():
    step = px.trace(lambda x, u: x + u, x=2, u=2)
    given = {"method": "ilqr", "parallel_in_time": True}
    with pytest.raises(px.ArgumentError, match="limits of controls cannot be kept"):
        px.optimal_control(step, lambda x, u: x @ x + u @ u, 64, limits=(-1.0, 1.0), **given)
    with pytest.raises(px.ArgumentError, match="curve upward in every direction of u"):
        px.optimal_control(step, lambda x, u: x @ x + u[0] ** 2, 64, **given)
