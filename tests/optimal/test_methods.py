"""Optima that are known, by every method."""

import pickle

import numpy as np
import pytest
import scipy.linalg

import paraxis as px

METHODS = ("ilqr", "ddp", "sqp")


def pendulum(x, u):
    """A step of 0.05 s, as seen from hanging down."""
    rate = x[1] + 0.05 * (u[0] - 9.81 * px.math.sin(x[0]))
    return [x[0] + 0.05 * rate, rate]


def upright(x):
    return 100 * ((x[0] - np.pi) ** 2 + x[1] ** 2)


@pytest.mark.parametrize("method", METHODS)
def test_a_linear_quadratic_problem_takes_one_step(method):
    rng = np.random.default_rng(0)
    A, B = np.eye(4) + 0.1 * rng.normal(size=(4, 4)), rng.normal(size=(4, 2))
    R = np.array([[0.3, 0.1], [0.1, 0.5]])
    system = px.trace(lambda x, u: A @ x + B @ u, x=4, u=2)
    solver = px.optimal_control(
        system, lambda x, u: 0.5 * (x @ x) + 0.5 * (u @ R @ u), 150, method=method
    )
    x0 = rng.normal(size=(3, 4))
    found = solver.solve(x0)
    P = scipy.linalg.solve_discrete_are(A, B, np.eye(4), R)
    K = -np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
    assert found.solved.all() and (found.iterations == 1).all()
    assert np.allclose(found.gains[:, 0], K, rtol=0, atol=1e-12)
    best = 0.5 * np.einsum("bi,ij,bj->b", x0, P, x0)
    assert np.allclose(found.cost, best, rtol=1e-12)
    assert np.allclose(found.us[:, 0], x0 @ K.T, rtol=0, atol=1e-11)


@pytest.mark.parametrize("limits", [False, (-3.0, 3.0)])
@pytest.mark.parametrize("method", METHODS)
def test_a_pendulum_swings_up(method, limits):
    system = px.trace(pendulum, x=2, u=1)
    solver = px.optimal_control(
        system, lambda u: 0.01 * (u @ u), 100, terminal=upright, method=method, limits=limits
    )
    us = 0.1 * np.random.default_rng(1).normal(size=(8, 100, 1))
    found = solver.solve(np.zeros(2), us=us, iterations=600)
    assert found.solved.all(), found
    assert abs(found.xs[:, -1] - [np.pi, 0]).max() < 0.05
    assert (found.cost < 10).all() and (found.residual < 1e-4).all()
    if limits:
        assert abs(found.us).max() <= 3.0
    # the trajectory is one of the system, and its cost that of the functions
    step = px.trace(pendulum, x=2, u=1).compile()
    for k in range(100):
        assert np.allclose(step(found.xs[:, k], found.us[:, k]), found.xs[:, k + 1], atol=1e-7)
    end = 100 * ((found.xs[:, -1, 0] - np.pi) ** 2 + found.xs[:, -1, 1] ** 2)
    assert np.allclose(found.cost, 0.01 * (found.us**2).sum((1, 2)) + end, rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_a_robot_reaches_its_goal_as_simulated(method):
    arm = px.robots.planar(3)

    def cost(q, qd, u, goal):
        return 0.5 * ((q - goal) @ (q - goal)) + 0.05 * (qd @ qd) + 5e-4 * (u @ u)

    def terminal(q, qd, goal):
        return 1e4 * ((q - goal) @ (q - goal) + 0.1 * (qd @ qd))

    solver = px.optimal_control(
        arm, cost, 40, dt=0.02, terminal=terminal, method=method, parameters={"goal": 3}
    )
    rng = np.random.default_rng(2)
    x0 = np.zeros((5, 6))
    x0[:, :3] = rng.uniform(-1, 1, (5, 3))
    goal = rng.uniform(-1, 1, (5, 3))
    found = solver.solve(x0, goal=goal)
    assert found.solved.all(), found
    run = px.simulate(
        arm, x0[:, :3], x0[:, 3:], np.moveaxis(found.us, 1, 0), dt=0.02, steps=40,
        method="semi_implicit_euler", limits=False,
    )  # fmt: skip
    tolerance = 1e-6 if method == "sqp" else 1e-12
    assert np.allclose(run.q[-1], found.q[:, -1], rtol=0, atol=tolerance)
    assert abs(found.q[:, -1] - goal).max() < 0.05


def test_methods_agree():
    system = px.trace(pendulum, x=2, u=1)
    costs = []
    for method in METHODS:
        solver = px.optimal_control(
            system, lambda x, u: x @ x + u @ u, 30, terminal=upright, method=method
        )
        found = solver.solve([[0.5, 0.0], [1.0, 1.0]], tolerance=1e-12)
        assert found.solved.all()
        costs.append(found.cost)
    assert np.allclose(costs[0], costs[1:], rtol=1e-9)


def test_the_same_bits_anywhere_in_a_batch():
    system = px.trace(pendulum, x=2, u=1)
    solver = px.optimal_control(system, lambda u: 0.01 * (u @ u), 50, terminal=upright)
    x0 = np.random.default_rng(3).uniform(-1, 1, (40, 2))
    whole = solver.solve(x0)
    for rows in (slice(7, 8), slice(3, 30)):
        part = solver.solve(x0[rows])
        assert np.array_equal(part.us, whole.us[rows])
        assert np.array_equal(part.cost, whole.cost[rows])


def test_a_solver_that_has_solved_can_be_pickled():
    system = px.trace(pendulum, x=2, u=1)
    solver = px.optimal_control(system, lambda u: 0.01 * (u @ u), 10, terminal=upright)
    found, composed = solver.solve([0.4, 0.0]), solver.problem.composed
    again = pickle.loads(pickle.dumps(solver))
    assert np.array_equal(again.solve([0.4, 0.0]).us, found.us)
    assert again.problem.composed.linearise.key == composed.linearise.key


@pytest.mark.parametrize("method", METHODS)
def test_the_same_bits_with_constraints(method):
    """Penalties are chosen from sums over knots, alone as in a batch."""
    system = px.trace(pendulum, x=2, u=1)
    solver = px.optimal_control(
        system,
        lambda u: 0.01 * (u @ u),
        37,
        terminal=upright,
        method=method,
        inequality=lambda x, u: [x[1] - 5.1, -5.3 - x[1], u[0] - 30.7, -31.1 - u[0]],
    )
    x0 = np.random.default_rng(3).uniform(-1, 1, (20, 2))
    whole = solver.solve(x0, iterations=150)
    for rows in (slice(7, 8), slice(3, 14)):
        part = solver.solve(x0[rows], iterations=150)
        for name in ("us", "cost", "violation", "status"):
            assert np.array_equal(getattr(part, name), getattr(whole, name)[rows]), name


def test_constraints_are_kept():
    system = px.trace(pendulum, x=2, u=1)
    solver = px.optimal_control(
        system,
        lambda u: 0.01 * (u @ u),
        80,
        inequality=lambda x, u: [x[1] - 4.0, -4.0 - x[1], u[0] - 6.0, -6.0 - u[0]],
        terminal_equality=lambda x: [x[0] - np.pi, x[1]],
    )
    found = solver.solve([[0.0, 0.0], [0.4, 0.0]], us=0.1 * np.ones((80, 1)), iterations=800)
    assert found.solved.all(), found
    assert abs(found.xs[:, -1] - [np.pi, 0]).max() < 1e-5
    assert abs(found.xs[..., 1]).max() < 4.0 + 1e-5 and abs(found.us).max() < 6.0 + 1e-5
    assert (found.violation < 1e-5).all()


@pytest.mark.parametrize("method", ["ilqr", "sqp"])
def test_no_round_still_says_by_how_much_a_first_guess_violates_constraints(method):
    system = px.trace(pendulum, x=2, u=1)
    solver = px.optimal_control(
        system,
        lambda u: 0.01 * (u @ u),
        8,
        method=method,
        limits=False,
        inequality=lambda u: [u[0] - 6.0],
        terminal_equality=lambda x: [x[0] - 3.0],
    )
    us = np.linspace(0.0, 9.0, 8)[:, None]
    found = solver.solve([1.0, 0.0], us=us, iterations=0)
    assert found.status == px.optimal.Status.OUT_OF_ITERATIONS
    assert found.violation == max(us.max() - 6.0, abs(found.xs[-1, 0] - 3.0))


def test_what_cannot_be_solved_says_so_and_harms_no_neighbour():
    system = px.trace(pendulum, x=2, u=1)
    solver = px.optimal_control(
        system,
        lambda u: 0.01 * (u @ u),
        20,
        terminal_equality=lambda x, goal: [x[0] - goal],
        limits=(-1.0, 1.0),
        parameters={"goal": ()},
    )
    goals = np.array([0.1, 50.0, 0.2])
    found = solver.solve(np.zeros((3, 2)), goal=goals, iterations=400)
    assert found.status[1] == px.optimal.Status.INFEASIBLE and not found.solved[1]
    assert found.solved[[0, 2]].all()
    alone = solver.solve(np.zeros((1, 2)), goal=goals[2:], iterations=400)
    assert np.array_equal(alone.us[0], found.us[2])
    bad = solver.solve([[0.0, 0.0], [np.nan, 0.0]], goal=0.1)
    assert bad.status.tolist() == [px.optimal.Status.SOLVED, px.optimal.Status.FAILED]


def test_costs_are_those_of_the_functions_whatever_constraints_add():
    """Forces at their limits, which are inequalities here, and an end that must be met."""
    system = px.trace(lambda x, u: [x[0] + 0.1 * x[1], x[1] + 0.1 * u[0]], x=2, u=1)
    solver = px.optimal_control(
        system,
        lambda u: u @ u,
        20,
        inequality=lambda u: [u[0] - 1.2, -1.2 - u[0]],
        terminal_equality=lambda x: [x[0] - 1.0, x[1]],
    )
    for rounds in (1, 3, 300):
        found = solver.solve([[0.0, 0.0], [0.2, 0.0]], iterations=rounds)
        assert np.allclose(found.cost, (found.us**2).sum((1, 2)), rtol=1e-9, atol=1e-9)
    assert found.solved.all() and abs(found.us).max() < 1.2 + 1e-6 < found.us.max() + 1e-3


@pytest.mark.parametrize("highest, fewest", [(25.0, 10), (60.0, 20)])
def test_many_inequalities_that_act_at_once_are_met(highest, fewest):
    """Of 20 arms with weak motors, of which 11 and 20 can arrive (IPOPT finds)."""
    arm = px.robots.planar(2)
    solver = px.optimal_control(
        arm,
        lambda q, qd, u, goal: 5 * ((q - goal) @ (q - goal)) + 0.05 * (qd @ qd) + 1e-3 * (u @ u),
        12,
        dt=0.03,
        terminal=lambda q, qd, goal: 100 * ((q - goal) @ (q - goal) + 0.1 * (qd @ qd)),
        limits=False,
        inequality=lambda u: np.concatenate([u - highest, -highest - u]),
        terminal_equality=lambda q, goal: q - goal,
        parameters={"goal": 2},
    )
    rng = np.random.default_rng(0)
    x0, goal = rng.uniform(-0.5, 0.5, (20, 4)), rng.uniform(-1, 1, (20, 2))
    found = solver.solve(x0, goal=goal, iterations=600)
    assert found.solved.sum() >= fewest
    kept = found.solved
    assert abs(found.us[kept]).max() < highest + 1e-5 and found.violation[kept].max() <= 1e-6
    assert abs(found.q[kept, -1] - goal[kept]).max() < 1e-5
