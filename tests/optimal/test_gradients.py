"""Gradients of solutions, against differences of solutions."""

import numpy as np
import pytest

import paraxis as px

METHODS = ("ilqr", "ddp", "sqp")
TIGHT = 1e-15


def pendulum(x, u, g):
    """A step of 0.05 s, as seen from hanging down."""
    rate = x[1] + 0.05 * (u[0] - g * px.math.sin(x[0]))
    return [x[0] + 0.05 * rate, rate]


def random_bars(found, rng):
    """Of a number that depends on all states, controls and costs."""
    return [rng.normal(size=part.shape) for part in (found.xs, found.us, found.cost)]


def slope_of(number, h):
    """Its derivative at 0, with an error of h⁴."""
    near, far = number(h) - number(-h), number(2 * h) - number(-2 * h)
    return (8 * near - far) / (12 * h)


def assert_gradients(solver, x0, h=1e-3, rtol=1e-6, tolerance=TIGHT, guess=None, **parameters):
    """Along a random direction of each argument; solutions near a solution are found from it."""
    rng, options = np.random.default_rng(0), {"iterations": 1000, "tolerance": tolerance}
    if solver.problem.stage.constraints or solver.problem.terminal.constraints:
        options["constraint_tolerance"] = 1e-10
    arguments = {"x0": x0} | parameters
    arguments = {name: np.asarray(each, float) for name, each in arguments.items()}
    found = solver.solve(us=guess, **arguments, **options)
    assert found.solved.all(), found
    bars = random_bars(found, rng)
    gradient = solver.gradient(found, *bars)
    assert set(gradient) == set(arguments)
    guess = found.us if guess is None else guess

    def number(name, array):
        there = solver.solve(us=guess, **(arguments | {name: array}), **options)
        assert there.solved.all(), there
        parts = zip(bars, (there.xs, there.us, there.cost), strict=True)
        return sum((bar * part).sum() for bar, part in parts)

    for name, array in arguments.items():
        assert gradient[name].shape == array.shape
        way = rng.normal(size=array.shape) * abs(array).max()
        slope = slope_of(lambda h, n=name, a=array, w=way: number(n, a + h * w), h)
        assert (gradient[name] * way).sum() == pytest.approx(slope, rel=rtol, abs=rtol), name
    return found


@pytest.mark.parametrize("limits", [False, (-1.5, 1.5)])
@pytest.mark.parametrize("method", METHODS)
def test_a_pendulum(method, limits):
    solver = px.optimal_control(
        px.trace(pendulum, x=2, u=1, g=()),
        lambda x, u, weight: 0.1 * (x[1] * x[1]) + weight * (u @ u),
        25,
        terminal=lambda x, goal: 5 * ((x[0] - goal) ** 2 + 0.2 * x[1] ** 2),
        method=method,
        limits=limits,
        parameters={"weight": (), "goal": ()},
    )
    x0 = [[0.3, 0.1], [-0.5, 1.0], [0.9, 0.0]]
    h, rtol = (1e-3, 1e-4) if limits else (1e-2, 1e-5)  # the same controls are at their limits
    found = assert_gradients(
        solver, x0, h=h, rtol=rtol, g=9.81, weight=[0.05, 0.02, 0.1], goal=[0.6, 0.5, 0.2]
    )
    at_limit = abs(found.us) == 1.5
    assert at_limit.any() == bool(limits) and not at_limit.all()


def test_the_methods_agree():
    gradients = []
    for method in METHODS:
        solver = px.optimal_control(
            px.trace(pendulum, x=2, u=1, g=()),
            lambda u: 0.01 * (u @ u),
            100,
            terminal=lambda x: 100 * ((x[0] - np.pi) ** 2 + x[1] ** 2),
            method=method,
            limits=(-3.0, 3.0),
        )
        us = 0.1 * np.random.default_rng(1).normal(size=(2, 100, 1))
        options = {"us": us, "iterations": 1000, "tolerance": TIGHT}
        found = solver.solve([[0.03, 0.08], [0.03, -0.1]], g=9.81, **options)
        assert found.solved.all() and (abs(found.us) == 3.0).any()
        bars = random_bars(found, np.random.default_rng(2))
        gradients.append(solver.gradient(found, *bars))
    for name, expected in gradients[1].items():
        for other in (gradients[0], gradients[2]):
            np.testing.assert_allclose(other[name], expected, rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize("method", METHODS)
def test_active_constraints(method):
    solver = px.optimal_control(
        px.trace(pendulum, x=2, u=1, g=()),
        lambda u: 0.01 * (u @ u),
        40,
        inequality=lambda x, u, top: [x[0] ** 2 + 0.3 * top * x[1] ** 2 - top**2, -u[0] - 9.0],
        terminal_equality=lambda x, goal: [px.math.sin(x[0]) - goal],
        parameters={"goal": (), "top": ()},
        method=method,
    )
    found = assert_gradients(
        solver,
        [[0.0, 0.0], [0.4, 0.0]],
        rtol=5e-5,
        tolerance=1e-13,
        h=1e-4,
        guess=0.1 * np.ones((40, 1)),
        g=9.81,
        goal=[0.8, 0.7],
        top=[0.95, 1.0],
    )
    assert (found.multipliers["stage"] > 0).any((1, 2)).any() and found.multipliers["end"].all()


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_an_arm_that_follows_a_path(integrator):
    """Residuals, targets per step, masses that robots share, torques at their limits."""

    def cost(q, qd, u, goal):
        return np.concatenate([q - goal, 0.2 * qd, 0.03 * u])

    solver = px.optimal_control(
        px.robots.planar(2),
        cost,
        15,
        dt=0.03,
        terminal=lambda q, qd, goal: 10 * ((q - goal) @ (q - goal) + 0.1 * (qd @ qd)),
        method="ddp",
        integrator=integrator,
        limits=(-22.0, 22.0),
        parameters={"goal": 2, "mass": None},
        per_step="goal",
    )
    x0 = np.zeros((2, 4))
    x0[:, :2] = [[0.3, -0.4], [-0.2, 0.7]]
    t = np.linspace(0.0, 1.0, 16)[:, None]
    goal = np.array([np.sin(3 * t) * [1.0, 0.5], np.sin(2 * t + 1) * [0.5, 0.8]])
    found = assert_gradients(solver, x0, h=1e-3, rtol=1e-4, goal=goal, mass=[1.1, 0.8])
    assert (abs(found.us) == 22.0).any() and (abs(found.us) < 22.0).any()


def test_a_robot_in_a_curved_space():
    """Over moves of the state, and over its numbers."""
    body = px.robots.Inertia.of(2.0, (0.1, 0.0, -0.3), (0.2, 0.3, 0.1))
    robot = px.Robot("ball", [px.robots.Joint("ball", "spherical")], [body])
    nq, nv = robot.nq, robot.nv
    solver = px.optimal_control(
        robot,
        lambda q, qd, u: np.concatenate([0.3 * qd, 0.1 * u, 0.5 * (q * q[1] - 0.1)]),
        8,
        dt=0.05,
        terminal=lambda q, qd, goal: 5 * ((q - goal) @ (q - goal) + 0.1 * (qd @ qd)),
        method="ddp",
        parameters={"goal": nq},
    )
    rng = np.random.default_rng(0)
    q0 = px.integrate(robot, px.neutral(robot), 0.3 * rng.normal(size=(2, nv)))
    x0 = np.concatenate([q0, 0.1 * rng.normal(size=(2, nv))], -1)
    goal = px.integrate(robot, px.neutral(robot), 0.5 * rng.normal(size=nv))
    found = solver.solve(x0, goal=goal, tolerance=TIGHT)
    bars = random_bars(found, rng)
    way, h = rng.normal(size=(2, 2 * nv)), 1e-2

    def moved(h):
        q = px.integrate(robot, x0[:, :nq], h * way[:, :nv])
        return np.concatenate([q, x0[:, nq:] + h * way[:, nv:]], -1)

    def number(x0, goal):
        there = solver.solve(x0, us=found.us, goal=goal, tolerance=TIGHT)
        assert there.solved.all()
        parts = zip(bars, (there.xs, there.us, there.cost), strict=True)
        return sum((bar * part).sum() for bar, part in parts)

    slope = slope_of(lambda h: number(moved(h), goal), h)
    over_moves = solver.gradient(found, *bars, wrt="x0", tangent=True)["x0"]
    assert over_moves.shape == way.shape
    assert (over_moves * way).sum() == pytest.approx(slope, rel=1e-5)
    gradient, rate = solver.gradient(found, *bars), (moved(1e-6) - moved(-1e-6)) / 2e-6
    assert gradient["x0"].shape == x0.shape
    assert (gradient["x0"] * rate).sum() == pytest.approx((over_moves * way).sum(), rel=1e-8)
    way = rng.normal(size=nq)
    slope = slope_of(lambda h: number(x0, goal + h * way), h)
    assert gradient["goal"] @ way == pytest.approx(slope, rel=1e-5)


def simple(**options):
    return px.optimal_control(
        px.trace(pendulum, x=2, u=1, g=()),
        lambda u: 0.05 * (u @ u),
        20,
        terminal=lambda x, goal: 10 * ((x[0] - goal) ** 2 + x[1] ** 2),
        method="ddp",
        parameters={"goal": ()},
        **options,
    )


def test_of_the_cost_alone():
    """It needs no second derivatives: the costates say how the cost moves with the first state."""
    solver = simple()
    found = solver.solve([[0.3, 0.1], [0.5, 0.2]], g=9.81, goal=[0.5, 0.4])
    gradient = solver.gradient(found, cost_bar=[1.0, 3.0])
    np.testing.assert_allclose(gradient["x0"], found.costates[:, 0] * [[1.0], [3.0]], atol=1e-4)
    zeros = np.zeros_like(found.us)
    whole = solver.gradient(found, us_bar=zeros + 1e-300, cost_bar=[1.0, 3.0])
    for name, array in gradient.items():
        np.testing.assert_allclose(whole[name], array, rtol=1e-12)


def test_problems_that_are_not_solved_harm_no_neighbour():
    solver = simple()
    x0 = np.array([[0.3, 0.1], [np.nan, 0.0], [0.5, 0.2]])
    goal = np.array([0.5, 0.5, 0.4])
    found = solver.solve(x0, g=9.81, goal=goal)
    assert found.solved.tolist() == [True, False, True]
    bar = np.ones_like(found.us)
    with pytest.warns(px.SimulationWarning, match="1 of 3 problems are not solved"):
        gradient = solver.gradient(found, us_bar=bar)
    assert np.isnan(gradient["x0"][1]).all() and np.isnan(gradient["goal"][1])
    assert np.isnan(gradient["g"])  # it is shared
    bar[1] = 0.0  # which the number does not depend on
    masked = solver.gradient(found, us_bar=bar)
    assert (masked["x0"][1] == 0).all() and masked["goal"][1] == 0
    good = solver.solve(x0[[0, 2]], g=9.81, goal=goal[[0, 2]])
    alone = solver.gradient(good, us_bar=bar[[0, 2]])
    assert np.isfinite(alone["g"]) and masked["g"] == alone["g"]
    for name in ("x0", "goal"):
        assert np.array_equal(gradient[name][[0, 2]], alone[name])
        assert np.array_equal(masked[name][[0, 2]], alone[name])


def test_the_same_bits_anywhere_in_a_batch():
    """However often the passes are repeated for the constraints of others, one infeasible."""
    solver = simple(
        terminal_equality=lambda x, goal: [x[0] - goal],
        inequality=lambda x: [x[1] - 0.9],
        limits=(-6.0, 6.0),
    )
    goal = np.array([0.1, 50.0, 0.2, 0.6, 0.65, 0.3])
    found = solver.solve(np.zeros((6, 2)), g=9.81, goal=goal, iterations=400)
    assert found.solved.tolist() == [True, False, True, True, True, True]
    assert (found.multipliers["stage"][3:5] > 0).any((1, 2)).all()
    with pytest.warns(px.SimulationWarning, match="1 of 6"):
        whole = solver.gradient(found, us_bar=np.ones_like(found.us), wrt=["x0", "goal"])
    for rows in (slice(2, 3), slice(3, 6)):
        found = solver.solve(np.zeros((6, 2))[rows], g=9.81, goal=goal[rows], iterations=400)
        part = solver.gradient(found, us_bar=np.ones_like(found.us), wrt=["x0", "goal"])
        for name, array in part.items():
            assert np.array_equal(array, whole[name][rows])


def test_a_solution_that_is_no_strict_optimum_has_no_gradient():
    """The cost of the middle is the same along u[0] - u[1]."""
    system = px.trace(lambda x, u, goal: [x[0] + u[0] + u[1] + goal], x=1, u=2, goal=())
    solver = px.optimal_control(system, lambda u: (u[0] + u[1]) ** 2, 3, terminal=lambda x: x @ x)
    found = solver.solve([[1.0]], goal=0.0)
    assert found.solved.all()
    with pytest.warns(px.SimulationWarning, match="the cost does not rise in every direction"):
        gradient = solver.gradient(found, us_bar=np.ones_like(found.us))
    assert np.isnan(gradient["x0"]).all()


def test_single_precision():
    single, double = simple(dtype="float32"), simple()
    x0, parameters = [[0.3, 0.1], [0.5, 0.2]], {"g": 9.81, "goal": [0.5, 0.4]}
    gradients = []
    for solver in (single, double):
        found = solver.solve(x0, **parameters)
        gradients.append(solver.gradient(found, us_bar=np.ones_like(found.us)))
    for name, array in gradients[0].items():
        np.testing.assert_allclose(array, gradients[1][name], rtol=2e-3, atol=2e-3)


def test_refused():
    solver, other = simple(), simple()
    found = solver.solve([0.3, 0.1], g=9.81, goal=0.5)
    with pytest.raises(px.ArgumentError, match="expected a result of solve"):
        other.gradient(found, us_bar=found.us)
    with pytest.raises(px.ArgumentError, match="give xs_bar, us_bar or cost_bar"):
        solver.gradient(found)
    with pytest.raises(px.ArgumentError, match=r"us_bar: expected shape \(20, 1\), that of us"):
        solver.gradient(found, us_bar=np.ones(3))
    with pytest.raises(px.ArgumentError, match="wrt"):
        solver.gradient(found, us_bar=found.us, wrt="us")
    arm = px.robots.planar(1)
    solver = px.optimal_control(arm, lambda u: u @ u, 3, dt=0.1)
    found = solver.solve(np.zeros(2))
    with pytest.raises(px.ArgumentError, match=r"parameters=\{'mass': None\}"):
        solver.gradient(found, us_bar=found.us, wrt="mass")
