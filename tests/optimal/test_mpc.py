"""Model-predictive control: the control law, closed loops, and what happens when plans fail."""

import tracemalloc

import numpy as np
import pytest
import scipy.linalg
from support.on_ground import free_body

import paraxis as px

METHODS = ("ilqr", "ddp", "sqp")


def pendulum(x, u):
    """A step of 0.05 s, as seen from hanging down."""
    rate = x[1] + 0.05 * (u[0] - 9.81 * px.math.sin(x[0]))
    return [x[0] + 0.05 * rate, rate]


def stay_up(x, u):
    return 10 * (x[0] - np.pi) ** 2 + x[1] ** 2 + 0.01 * (u @ u)


def to_stay_up(horizon=20, **options):
    system = px.trace(pendulum, x=2, u=1)
    terminal = lambda x: 100 * ((x[0] - np.pi) ** 2 + x[1] ** 2)  # noqa: E731
    return px.optimal_control(system, stay_up, horizon, terminal=terminal, **options)


def reach(q, qd, u, goal):
    return 5 * ((q - goal) @ (q - goal)) + 0.05 * (qd @ qd) + 1e-6 * (u @ u)


def reached(q, qd, goal):
    return 100 * ((q - goal) @ (q - goal)) + 1.0 * (qd @ qd)


@pytest.mark.parametrize("shift", [True, False])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("horizon", [1, 4])
def test_the_first_plan_is_the_solution(method, shift, horizon):
    solver, x0 = to_stay_up(horizon, method=method), np.array([[3.0, 0.5], [3.3, -0.4]])
    expected, mpc = solver.solve(x0), solver.mpc(x0, shift=shift)
    for name in ("xs", "us", "gains", "cost"):
        assert np.allclose(getattr(mpc, name), getattr(expected, name), rtol=0, atol=1e-6), name


@pytest.mark.parametrize("shift", [True, False])
@pytest.mark.parametrize("method", METHODS)
def test_a_tick_of_a_linear_system_is_the_gain_of_riccati(method, shift):
    rng = np.random.default_rng(0)
    A, B = np.eye(4) + 0.1 * rng.normal(size=(4, 4)), rng.normal(size=(4, 2))
    R = np.array([[0.3, 0.1], [0.1, 0.5]])
    system = px.trace(lambda x, u: A @ x + B @ u, x=4, u=2)
    solver = px.optimal_control(
        system, lambda x, u: 0.5 * (x @ x) + 0.5 * (u @ R @ u), 150, method=method
    )
    P = scipy.linalg.solve_discrete_are(A, B, np.eye(4), R)
    K = -np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
    mpc = solver.mpc(rng.normal(size=(3, 4)), shift=shift)
    for _ in range(3):
        x = rng.normal(size=(3, 4))  # wherever the plant is
        assert np.allclose(mpc.tick(x), x @ K.T, rtol=0, atol=1e-11)
        begin = x @ (A + B @ K).T if shift else x
        assert np.allclose(mpc.xs[:, 0], begin, rtol=0, atol=1e-11)
        best = 0.5 * np.einsum("bi,ij,bj->b", begin, P, begin)
        assert np.allclose(mpc.cost, best, rtol=1e-10)
    assert np.allclose(mpc.gains[:, 0], K, rtol=0, atol=1e-11)
    assert not mpc.refused.any()


@pytest.mark.parametrize("method", METHODS)
def test_ticks_follow_the_optimum_of_the_whole_problem(method):
    """From where it is, a converged solver finds the same control as the MPC keeps up with."""
    solver = to_stay_up(method=method, limits=(-6.0, 6.0))
    x = np.array([[np.pi - 0.5, 0.0], [np.pi + 0.3, 0.2]])
    mpc, found = solver.mpc(x), []
    run = mpc.run(steps=15)
    for k in range(15):
        found.append(solver.solve(run.xs[k], iterations=400, us=np.zeros((20, 1))))
    assert all(each.solved.all() for each in found)
    best = np.array([each.us[:, 0] for each in found])
    assert np.allclose(run.us[0], best[0], atol=1e-5)
    assert abs(run.us - best).max() < 0.05, abs(run.us - best).max((1, 2))
    assert np.allclose(run.us[10:], best[10:], atol=2e-3)


@pytest.mark.parametrize("method", METHODS)
def test_a_pendulum_stays_up_under_disturbances_within_its_limits(method):
    solver = to_stay_up(method=method, limits=(-4.0, 4.0))
    x0 = np.array([[np.pi, 0.0], [np.pi + 0.2, 0.0], [np.pi, -0.5]])
    push = np.random.default_rng(1).normal(size=(200, 3, 1))
    run = solver.mpc(x0).run(steps=200, disturbance=push)
    assert abs(run.xs[20:, :, 0] - np.pi).max() < 0.25
    assert abs(run.us).max() <= 4.0
    assert not run.refused.any()
    # without control it falls
    assert abs(run_without_control(x0, push)[-1, :, 0] - np.pi).max() > 1.0
    x, u = run.xs[:-1], run.us
    expected = 10 * (x[..., 0] - np.pi) ** 2 + x[..., 1] ** 2 + 0.01 * u[..., 0] ** 2
    assert np.allclose(run.cost, expected, rtol=1e-12)


def run_without_control(x0, push):
    step, xs = px.trace(pendulum, x=2, u=1).compile(), [x0]
    for each in push:
        xs.append(step(xs[-1], each))
    return np.array(xs)


@pytest.mark.parametrize("shift", [True, False])
def test_an_arm_tracks_a_moving_goal_though_it_is_heavier_than_its_model(shift):
    robot = px.load("ur5")
    solver = px.optimal_control(robot, reach, 30, dt=0.01, terminal=reached, parameters={"goal": 6})
    t = 0.01 * np.arange(300)
    rest = np.array([0.0, -1.2, 1.0, -0.5, 0.3, 0.0])
    goals = rest + 0.3 * np.sin(2.0 * t[:, None, None] + np.arange(6)) * [[1.0], [0.5]]
    plant = px.Simulator(robot, dt=0.005 if shift else 0.01, method="rk4")
    plant.reset(goals[0], **px.payload(robot, mass=np.array([0.0, 2.0])))
    x0 = np.concatenate([goals[0], np.zeros((2, 6))], -1)
    mpc = solver.mpc(x0, goal=goals[0], shift=shift)
    run = mpc.run(plant, 300, goal=goals)
    assert not run.refused.any()
    error = abs(run.q[1:] - goals)[100:].max((0, 2))
    assert error[0] < 0.08 and error[1] < 0.06, error
    assert run.q.shape == (301, 2, 6) and run.qd.shape == (301, 2, 6)
    assert np.isfinite(run.cost).all() and run.timing.ticks == 299


@pytest.mark.parametrize("method", ["ilqr", "sqp"])
def test_a_free_body_turns_to_where_it_should_be(method):
    """Positions have a quaternion, so differences are taken in the tangent space."""
    robot = free_body(2.0, (0.02, 0.03, 0.04))
    goal = np.array([0.2, 0, 0.1, 0, 0, 0, 1.0])

    def cost(q, qd, u):
        return 5 * ((q - goal) @ (q - goal)) + 0.2 * (qd @ qd) + 1e-3 * (u @ u)

    solver = px.optimal_control(
        robot,
        cost,
        20,
        dt=0.05,
        terminal=lambda q, qd: 100 * ((q - goal) @ (q - goal)) + 10 * (qd @ qd),
        actuation=lambda u: u,
        controls=6,
        method=method,
    )
    angle = np.array([0.8, -1.2])
    q = np.zeros((2, 7))
    q[:, 3:6], q[:, 6] = np.sin(angle / 2)[:, None] * [0.6, 0.0, 0.8], np.cos(angle / 2)
    x0 = np.concatenate([q, np.zeros((2, 6))], -1)
    push = 0.02 * np.random.default_rng(0).normal(size=(80, 2, 6))
    run = solver.mpc(x0).run(steps=80, disturbance=push)
    assert abs(run.q[60:] - goal).max() < 0.1
    assert not run.refused.any()


def test_a_plan_that_fails_is_not_taken_and_the_old_one_moves_on():
    solver = to_stay_up(limits=(-6.0, 6.0))
    x = np.array([[np.pi + 0.1, 0.0], [np.pi - 0.3, 0.1]])
    mpc, alone = solver.mpc(x), solver.mpc(x[1])
    before = mpc.us
    lost = np.array([[np.nan, 0.0], x[1]])
    for k in range(3):
        u = mpc.tick(lost)
        assert np.isfinite(u).all() and abs(u).max() <= 6.0
        assert np.allclose(u[0], before[0, k], atol=1e-3)  # as planned, about optimal
        assert mpc.refused.tolist() == [k + 1, 0]
        assert np.array_equal(alone.tick(x[1]), u[1])
    assert np.array_equal(mpc.us[0, :-3], before[0, 3:])
    for _ in range(20):  # and it recovers
        mpc.tick(x)
        alone.tick(x[1])
    assert mpc.refused.tolist() == [3, 0]
    assert np.array_equal(mpc.us[1], alone.us)
    assert np.isfinite(mpc.cost).all()


@pytest.mark.parametrize("shift", [True, False])
def test_who_has_lost_the_way_begins_anew(shift):
    """A single wrong measurement leads full steps away from where the arm is, for good."""
    solver = px.optimal_control(
        px.robots.planar(2), reach, 20, dt=0.02, terminal=reached, method="sqp",
        limits=(-60.0, 60.0), parameters={"goal": 2},
    )  # fmt: skip
    goal = np.array([[0.1, 0.2], [0.3, -0.2], [0.1, 0.2]])
    mpc = solver.mpc(np.zeros((3, 4)), goal=goal, shift=shift)
    one = solver.mpc(np.zeros(4), goal=goal[0], shift=shift)
    for each in (mpc, one):
        each.run(steps=5)
    mpc.tick([[0.0, 0.0, 30.0, -30.0], [0.0] * 4, [np.nan] * 4])
    one.tick([0.0, 0.0, 30.0, -30.0])
    run, alone = mpc.run(steps=200), one.run(steps=200)
    assert np.array_equal(run.xs[:, 0], alone.xs) and np.array_equal(run.us[:, 0], alone.us)
    assert abs(run.q[-1] - goal).max() < 1e-2
    assert (mpc.refused[0], mpc.refused[1]) == (one.refused, 0) and one.refused >= 2
    assert mpc.restarts.tolist() == [one.restarts, 0, 0] and one.restarts >= 1


def test_a_law_without_a_positive_pivot_is_refused():
    system = px.trace(lambda x, u: x + 0.1 * u, x=1, u=1)
    solver = px.optimal_control(
        system, lambda x, u, weight: x @ x + weight * (u @ u), 10, parameters={"weight": ()}
    )
    mpc = solver.mpc([1.0], weight=1.0)
    mpc.tick([0.9])
    before = mpc.us
    mpc.tick([0.8], weight=-5.0)
    assert mpc.refused == 1 and np.array_equal(mpc.us[:-1], before[1:])
    mpc.tick([0.7], weight=1.0)
    mpc.tick([0.6])
    assert mpc.refused == 1


@pytest.mark.parametrize("method", ["ilqr", "sqp"])
def test_the_same_bits_anywhere_in_a_batch(method):
    solver = to_stay_up(method=method)
    rng = np.random.default_rng(3)
    x0 = rng.uniform(-1, 1, (40, 2)) + [np.pi, 0]
    whole, part = solver.mpc(x0), solver.mpc(x0[3:30])
    one = solver.mpc(x0[7])
    for _ in range(5):
        x = x0 + 0.1 * rng.normal(size=(40, 2))
        u = whole.tick(x)
        assert np.array_equal(part.tick(x[3:30]), u[3:30])
        assert np.array_equal(one.tick(x[7]), u[7])


@pytest.mark.parametrize("method", ["ilqr", "sqp"])
def test_ticks_make_no_arrays(method):
    solver = px.optimal_control(
        px.load("ur5"), reach, 30, dt=0.01, terminal=reached, parameters={"goal": 6}, method=method
    )
    x, goal = np.zeros((16, 12)), np.full((16, 6), 0.1)
    mpc = solver.mpc(x, goal=goal, iterations=2)
    first = mpc.tick(x, goal=goal)
    tracemalloc.start()
    try:
        for _ in range(3):
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            assert mpc.tick(x, goal=goal) is first
            _, peak = tracemalloc.get_traced_memory()
            assert peak - before < 8192  # less than the states of two knots: 16 x 12 x 8 bytes
    finally:
        tracemalloc.stop()


def test_references_that_change_along_the_horizon():
    """A reference given knot by knot is followed without lag; only its value now lags."""
    system = px.trace(lambda x, u: [x[0] + 0.05 * x[1], x[1] + 0.05 * u[0]], x=2, u=1)

    def track(x, u, r):
        return 100 * (x[0] - r) ** 2 + 1e-4 * (u @ u)

    times = 0.05 * np.arange(231)
    path = np.sin(2 * times)
    ahead = px.optimal_control(
        system, track, 30, terminal=lambda x, r: 100 * (x[0] - r) ** 2,
        parameters={"r": ()}, per_step="r",
    )  # fmt: skip
    mpc = ahead.mpc([0.0, 2.0], r=path[:31])
    windows = np.array([path[k + 1 : k + 32] for k in range(150)])
    run = mpc.run(steps=150, r=windows)
    assert abs(run.xs[20:150, 0] - path[20:150]).max() < 0.02
    assert np.allclose(run.cost[20:], track_cost(run, path)[20:], rtol=1e-9)
    blind = px.optimal_control(system, track, 30, parameters={"r": ()})
    late = blind.mpc([0.0, 2.0], r=0.0).run(steps=150, r=path[1:151])
    assert abs(late.xs[20:150, 0] - path[20:150]).max() > 0.05


def track_cost(run, path):
    return 100 * (run.xs[:-1, 0] - path[:150]) ** 2 + 1e-4 * run.us[:, 0] ** 2


def test_control_can_be_applied_before_the_next_plan_is_made():
    solver = to_stay_up()
    x = np.array([np.pi + 0.1, 0.0])
    whole, parts = solver.mpc(x), solver.mpc(x)
    for _ in range(3):
        u = whole.tick(x)
        assert np.array_equal(parts.feedback(x), u)
        parts.prepare()
    with pytest.raises(px.ArgumentError, match="call feedback"):
        parts.prepare()
    assert np.array_equal(whole.xs, parts.xs)
    assert whole.timing.ticks == 2 and whole.timing.worst >= whole.timing.mean > 0
    assert "2 ticks" in str(whole.timing)


def test_arguments_that_do_not_fit():
    solver = to_stay_up(inequality=lambda x: [x[1] - 1.0])
    with pytest.raises(px.ArgumentError, match="not other constraints"):
        solver.mpc(np.zeros(2))
    solver = to_stay_up()
    with pytest.raises(px.ArgumentError, match="1 of 2 problems are not finite"):
        solver.mpc([[0.0, 0.0], [np.nan, 0.0]])
    mpc = solver.mpc(np.zeros((3, 2)))
    with pytest.raises(px.ArgumentError, match="x: expected shape"):
        mpc.tick(np.zeros((2, 2)))
    with pytest.raises(px.ArgumentError, match="has no parameters"):
        mpc.tick(np.zeros((3, 2)), goal=1.0)
    with pytest.raises(px.ArgumentError, match="needs a controller of a robot"):
        mpc.run(px.Simulator(px.robots.planar(2), dt=0.05))
    with pytest.raises(px.ArgumentError, match="each of the 5 ticks"):
        mpc.run(steps=5, disturbance=np.zeros(1))
    arm = px.robots.planar(2)
    solver = px.optimal_control(arm, lambda q, u: q @ q + u @ u, 5, dt=0.02)
    mpc = solver.mpc(np.zeros((3, 4)))
    plant = px.Simulator(arm, dt=0.015)
    plant.reset(np.zeros((3, 2)))
    with pytest.raises(px.ArgumentError, match="divides that of the plan"):
        mpc.run(plant)
    plant.reset(np.zeros(2))
    with pytest.raises(px.ArgumentError, match="batch shape"):
        mpc.run(plant)
