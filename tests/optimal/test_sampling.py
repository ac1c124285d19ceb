"""Control by sampling: it swings up and reaches, and is the same for the same seed."""

import numpy as np
import pytest

import paraxis as px

METHODS = ("mppi", "cem")


def pendulum(x, u):
    """A step of 0.05 s, as seen from hanging down."""
    rate = x[1] + 0.05 * (u[0] - 9.81 * px.math.sin(x[0]))
    return [x[0] + 0.05 * rate, rate]


def swing(horizon=50, dtype="float64", **options):
    system = px.trace(pendulum, x=2, u=1)
    return px.optimal_control(
        system,
        lambda x, u: 5 * (1 + px.math.cos(x[0])) + 0.1 * x[1] ** 2 + 0.01 * (u @ u),
        horizon,
        terminal=lambda x: 50 * (1 + px.math.cos(x[0])) + x[1] ** 2,
        limits=(-4.0, 4.0),
        dtype=dtype,
        **options,
    )


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("method", METHODS)
def test_a_pendulum_swings_up_and_stays_there(method, dtype):
    """Its motor is too weak to lift it at once."""
    solver = swing(dtype=dtype)
    iterations = 1 if method == "mppi" else 3
    control = solver.sampling(
        np.zeros((3, 2)), samples=256, method=method, seed=1, iterations=iterations
    )
    run = control.run(steps=160)
    assert (np.cos(run.xs[120:, :, 0]) < -0.97).all()
    assert abs(run.us).max() <= 4.0
    assert not run.refused.any()


@pytest.mark.parametrize("method", METHODS)
def test_samples_find_the_optimum_of_a_solver(method):
    system = px.trace(lambda x, u: [x[0] + 0.1 * x[1], x[1] + 0.1 * u[0]], x=2, u=1)
    solver = px.optimal_control(system, lambda x, u: x @ x + 0.1 * (u @ u), 15, limits=(-3.0, 3.0))
    x0 = np.array([1.0, 0.0])
    best = solver.solve(x0[None])
    control = solver.sampling(x0, samples=2048, method=method, shift=False, noise=0.5, seed=3)
    for _ in range(40):
        control.tick(x0)
    assert best.cost[0] <= control.cost < 1.02 * best.cost[0]
    assert abs(control.us[:3] - best.us[0, :3]).max() < 0.5


@pytest.mark.parametrize("correlation", [0.0, 5.0])
def test_an_arm_reaches(correlation):
    """Controls are accelerations; the plant is simulated with steps of half the length."""
    arm = px.robots.planar(3)
    solver = px.optimal_control(
        arm,
        lambda q, qd, goal: 10 * ((q - goal) @ (q - goal)) + 0.5 * (qd @ qd),
        25,
        dt=0.02,
        terminal=lambda q, qd, goal: 100 * ((q - goal) @ (q - goal)) + 5 * (qd @ qd),
        actuation=lambda q, qd, u: px.inverse_dynamics(arm, q, qd, u),
        controls=3,
        limits=(-20.0, 20.0),
        parameters={"goal": 3},
    )
    goal = np.array([[0.4, -0.3, 0.2], [-0.2, 0.3, 0.5]])
    x0 = np.zeros((2, 6))
    control = solver.sampling(
        x0, samples=512, seed=2, goal=np.zeros(3), noise=4.0, correlation=correlation
    )
    plant = px.Simulator(arm, dt=0.01)
    plant.reset(x0[:, :3], x0[:, 3:])
    run = control.run(plant, 120, goal=np.broadcast_to(goal, (120, 2, 3)))
    assert abs(run.q[-40:] - goal).max() < 0.06
    assert run.cost[-40:].max() < 0.05 * run.cost[1].min()


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_bits_anywhere_in_a_batch(method):
    solver = swing()
    x0 = np.random.default_rng(0).uniform(-1, 1, (9, 2))
    options = {"samples": 64, "method": method, "iterations": 2}
    whole = solver.sampling(x0, seed=5, **options)
    again = solver.sampling(x0, seed=5, **options)
    alone = solver.sampling(x0[4], seed=5, **options)
    other = solver.sampling(x0, seed=6, **options)
    for _ in range(4):
        u = whole.tick(x0).copy()
        assert np.array_equal(again.tick(x0), u)
        assert np.array_equal(alone.tick(x0[4]), u[4])
        assert (other.tick(x0) != u).all()
    assert np.array_equal(whole.us, again.us) and np.array_equal(alone.us, whole.us[4])


def test_a_cost_is_that_of_the_solver():
    """The plan is one of the samples, and its cost is counted as the solver counts."""
    solver = swing(30)
    x0 = np.array([[0.3, 0.0], [2.0, -1.0]])
    found = solver.solve(x0, iterations=400)
    control = solver.sampling(x0, us=found.us, samples=2, shift=False, noise=1.0)
    control.tick(x0)
    assert np.allclose(control.cost, found.cost, rtol=1e-12)  # no random sample is better
    parts = px.optimal_control(
        px.robots.planar(2),
        lambda q, u, w: [q[0] - w[0], q[1], 0.1 * u[0]],
        10,
        dt=0.02,
        terminal=lambda qd: qd,
        parameters={"w": 1},
        per_step="w",
    )
    w = np.linspace(0, 1, 11)[:, None] * [[[1.0]], [[2.0]]]
    x0 = np.array([[0.3, 0.0, 0, 0], [0.5, 0.1, 0, 0]])
    found = parts.solve(x0, w=w)
    control = parts.sampling(x0, us=found.us, samples=2, shift=False, noise=5.0, w=w)
    control.tick(x0)
    assert np.allclose(control.cost, found.cost, rtol=1e-12)


def test_costs_with_steps_in_them():
    """Derivatives say nothing about where the pendulum is allowed to be; samples do."""
    system = px.trace(lambda x, u: [x[0] + 0.1 * u[0]], x=1, u=1)
    solver = px.optimal_control(
        system,
        lambda x: px.math.select(px.math.less(x[0], 1.0), 1.0, 0.0),
        20,
        limits=(-2.0, 2.0),
    )
    found = solver.sampling([0.0], samples=512, seed=1)
    run = found.run(steps=40)
    assert run.xs[-1, 0] >= 1.0 and run.cost[-1] == 0.0


def test_a_plan_stays_where_no_sample_has_a_cost():
    solver = swing()
    x0 = np.array([[0.1, 0.0], [0.2, 0.0]])
    control, alone = solver.sampling(x0, samples=32), solver.sampling(x0[1], samples=32)
    control.tick(x0), alone.tick(x0[1])
    before = control.us
    u = control.tick([[np.nan, 0.0], x0[1]])
    assert control.refused.tolist() == [1, 0] and np.isinf(control.cost[0])
    assert np.array_equal(u[0], before[0, 0])
    assert np.array_equal(control.us[0, :-1], before[0, 1:])
    assert np.array_equal(alone.tick(x0[1]), u[1])


def test_arguments_that_do_not_fit():
    solver = swing()
    with pytest.raises(px.ArgumentError, match="method"):
        solver.sampling(np.zeros(2), method="pso")
    with pytest.raises(px.ArgumentError, match="noise: expected one positive number"):
        solver.sampling(np.zeros(2), noise=-1.0)
    with pytest.raises(px.ArgumentError, match="elites: expected at most 10"):
        solver.sampling(np.zeros(2), samples=10, elites=11)
    with pytest.raises(px.ArgumentError, match="not other constraints"):
        swing(inequality=lambda x: [x[1] - 1.0]).sampling(np.zeros(2))
    free = px.optimal_control(px.trace(pendulum, x=2, u=1), lambda u: u @ u, 5)
    with pytest.raises(px.ArgumentError, match="give the standard deviation"):
        free.sampling(np.zeros(2))
