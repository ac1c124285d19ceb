"""What is refused or warned of, in words that say what to do."""

import warnings

import numpy as np
import pytest
from support.loops import four_bar

import paraxis as px
from paraxis.optimal.lagrangian import ALONG, point_shapes, pull_graph
from paraxis.optimal.problem import TAKEN
from paraxis.optimal.sampling import rollout_inputs
from paraxis.robots import Inertia, Joint

ARM = px.robots.planar(2)
STEP = px.trace(lambda x, u: x + u, x=2, u=2)


def effort(u):
    return u @ u


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"cost": lambda v: v}, "'v' is neither"),
        ({"cost": 3.0}, "expected a function"),
        ({"cost": lambda u, /: u @ u}, "leave out the /"),
        ({"limits": ("low", "high")}, "expected one number or 2"),
        ({"parameters": "goal"}, "expected shapes by name"),
        ({"parameters": {3: 3}}, "expected shapes by name"),
        ({"horizon": 0}, "horizon"),
        ({"method": "ilq"}, "did you mean 'ilqr'"),
        ({"dt": None}, "dt=0.01"),
        ({"integrator": "euler"}, "integrator"),
        ({"limits": (1.0, -1.0)}, "lowest < highest"),
        ({"limits": 3}, "expected True, False or"),
        ({"controls": ["joint9"]}, "controls"),
        ({"controls": 2}, "belongs to an actuation"),
        ({"actuation": lambda u: [u[0], 0.0]}, "number of controls"),
        ({"actuation": lambda u: [u[0]], "controls": 1}, "expected torques of shape"),
        ({"parameters": {"goal": 2}}, "no function reads 'goal'"),
        ({"parameters": {"goal": None}}, "needs a shape"),
        ({"parameters": {"q": 2}}, "the name of a state or control"),
        ({"parameters": {"goal": 2.5}}, "expected a shape"),
        ({"parameters": {"x0": 2}}, "an argument of Solver.solve"),
        ({"parameters": {"samples": 2}}, "an argument of Solver.sampling"),
        ({"parameters": {"v": 2}}, "'v' is a name that solvers use themselves"),
        ({"parameters": {"along_x": 2}}, "solvers use themselves"),
        ({"per_step": ("goal",)}, "per_step"),
        ({"inequality": lambda *x: x}, "without"),
        ({"cost": lambda u: np.outer(u, u)}, "expected a number or a vector"),
    ],
)
def test_of_arguments(arguments, words):
    given = {"system": ARM, "cost": effort, "horizon": 5, "dt": 0.01} | arguments
    with pytest.raises(px.ParaxisError) as error:
        px.optimal_control(**given)
    assert words in str(error.value)


@pytest.mark.parametrize(
    "system, words",
    [
        (None, "expected a robot or a Program"),
        (px.trace(lambda x: x, x=2), "a vector 'u'"),
        (px.trace(lambda x, u: u, x=2, u=1), "of the shape of x"),
    ],
)
def test_of_systems(system, words):
    with pytest.raises(px.ParaxisError) as error:
        px.optimal_control(system, effort, 5)
    assert words in str(error.value)


@pytest.mark.parametrize("name", ["k", "step", "value", "x_next", "out"])
def test_of_names_in_a_program(name):
    arguments = {}
    exec(f"def step(x, u, {name}):\n    return x + {name} * u", arguments)
    with pytest.raises(px.ArgumentError, match="solvers use themselves"):
        px.optimal_control(px.trace(arguments["step"], x=2, u=2, **{name: ()}), effort, 5)


@pytest.mark.parametrize("limits", [False, (-1.0, 1.0)])
@pytest.mark.parametrize("method", ["ilqr", "ddp", "sqp"])
def test_names_that_bodies_pass_to_each_other_are_known(method, limits):
    robot = px.Robot("ball", [Joint("b", "spherical")], [Inertia.of(1.0, (0, 0, 0), (1, 1, 1))])
    solver = px.optimal_control(
        robot, effort, 5, dt=0.1, method=method, limits=limits, parameters={"mass": None},
        inequality=lambda u: [u[0] - 3.0],
    )  # fmt: skip
    problem = solver.problem
    inputs = {*problem.linearise_inputs, *problem.expand_inputs, *problem.roll_inputs}
    inputs |= {*problem.shoot_inputs, *problem.forward[1].inputs, *problem.of_linearise}
    inputs |= {*problem.of_constraints, *problem.law_shapes, *rollout_inputs(problem)}
    inputs |= {*point_shapes(problem, False), *problem.together[1].inputs}
    inputs |= {*pull_graph(problem, False, ("mass",)).inputs}
    inputs = {name for name in inputs if not name.startswith(ALONG)}
    assert inputs - TAKEN == {"x", "u", "mass"}  # the first two are refused as arguments


@pytest.mark.parametrize("method, limits", [("ilqr", (-1.0, 1.0)), ("sqp", False)])
def test_every_other_name_means_what_it_says(method, limits):
    """Also those of what a pass makes after it has read the parameters."""
    costs = []
    for name in ("goal", "g", "du"):
        arguments = {}
        exec(f"def step(x, u, {name}):\n    return x + 0.1 * u - 0.1 * {name}", arguments)
        exec(f"def cost(x, u, {name}):\n    return (x - {name}) @ x + u @ u", arguments)
        its = px.optimal_control(
            px.trace(arguments["step"], x=2, u=2, **{name: ()}), arguments["cost"], 5,
            method=method, limits=limits,
        )  # fmt: skip
        few = its.solve([3.0, -4.0], **{name: 0.5})
        many = its.solve([[3.0, -4.0]] * 16, **{name: np.linspace(0.5, 1.0, 16)})
        assert few.solved and many.solved.all()
        costs.append(np.r_[few.cost, many.cost])
    assert (costs == costs[0]).all()


def test_of_arrays():
    solver = px.optimal_control(
        STEP, lambda x, u, goal: (x - goal) @ (x - goal) + u @ u, 5, parameters={"goal": 2}
    )
    for given, words in (
        ({"x0": np.zeros(3), "goal": np.zeros(2)}, "x0: expected"),
        ({"x0": np.zeros(2)}, "goal: is missing"),
        ({"x0": np.zeros(2), "gaol": np.zeros(2)}, "did you mean 'goal'"),
        ({"x0": np.zeros(2), "goal": np.zeros(2), "us": np.zeros((4, 2))}, "us: expected"),
        ({"x0": np.zeros(2), "goal": np.zeros(2), "xs": np.zeros((6, 2))}, "'sqp'"),
        ({"x0": np.zeros((2, 2)), "goal": np.zeros((3, 2))}, "broadcast"),
        ({"x0": np.zeros(2), "goal": np.zeros(2), "tolerance": 0}, "tolerance"),
        ({"x0": np.zeros(2), "goal": np.zeros(2), "iterations": 1.5}, "iterations"),
    ):
        with pytest.raises(px.ParaxisError) as error:
            solver.solve(**given)
        assert words in str(error.value)


def test_of_robots():
    friction = px.robots.Friction((px.robots.JournalBearing(0.05, 0.02, 0.2),))
    rough = ARM.with_drives({ARM.joint_names[0]: {"friction": friction}})
    with pytest.raises(px.ArgumentError, match="bearings"):
        px.optimal_control(rough, effort, 5, dt=0.01)
    with pytest.raises(px.ArgumentError, match="closed loops"):
        px.optimal_control(four_bar(), effort, 5, dt=0.01)


def test_joints_that_leave_their_range_are_named():
    bounded = px.load("ur5")
    solver = px.optimal_control(
        bounded,
        lambda u: 1e-6 * u @ u,
        20,
        dt=0.01,
        terminal=lambda q: 1e3 * (q[0] - 8.0) ** 2,
        limits=False,
    )
    start = np.zeros(12)
    start[0] = 6.2
    with pytest.warns(px.RobotWarning, match="inequality=lambda q"):
        solver.solve(start)


def test_batches_of_every_shape():
    solver = px.optimal_control(STEP, lambda x, u: x @ x + u @ u, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for batch in ((), (3,), (2, 3), (0,), (2, 0)):
            found = solver.solve(np.ones((*batch, 2)))
            assert found.xs.shape == (*batch, 5, 2) and found.gains.shape == (*batch, 4, 2, 2)
            assert found.cost.shape == found.status.shape == batch and np.all(found.solved)
            assert repr(found).startswith("<Solution") and ": ;" not in repr(found)


def test_of_plants_whose_states_have_another_shape():
    mpc = px.optimal_control(STEP, lambda x, u: x @ x + u @ u, 4).mpc(np.ones(2))
    with pytest.raises(px.ArgumentError, match="expected states of shape"):
        mpc.run(lambda x, u: x[:1], 3)
    with pytest.raises(px.ArgumentError, match="found None as its result"):
        mpc.run(lambda x, u: None, 3)
    with pytest.raises(px.ArgumentError, match="plant: expected"):
        mpc.run(lambda x, u: "up", 3)
    assert mpc.run(lambda x, u: [1.0, 2.0], 3).xs[-1].tolist() == [1.0, 2.0]


def test_numbers_that_overflow_are_no_warnings():
    solver = px.optimal_control(STEP, lambda x, u, w: w * (x @ x) + u @ u, 4, parameters={"w": ()})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = solver.solve([[1.0, 0.0]] * 4, w=[1.0, np.inf, np.nan, 1e308])
    assert found.status[0] == 0 and (found.status[1:3] == px.optimal.Status.FAILED).all()
    assert np.array_equal(found.us[0], solver.solve([1.0, 0.0], w=1.0).us)


@pytest.mark.parametrize("limits", [False, (-1.0, 1.0)])
def test_controls_that_cost_nothing_are_warned_of(limits):
    def solver(cost, **more):
        return px.optimal_control(ARM, cost, 4, dt=0.1, limits=limits, **more)

    for cost in (lambda q: q @ q, lambda q, u: q @ q + u[0] ** 2, lambda q, u: q @ q + u[0]):
        with pytest.warns(px.SimulationWarning, match="1e-6"):
            found = solver(cost).solve([1.0, 0, 0, 0])
        assert found.status == px.optimal.Status.STALLED
    with pytest.warns(px.SimulationWarning, match="1e-6"):
        solver(lambda q: q @ q).mpc([1.0, 0, 0, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert solver(lambda q: q @ q + 0.0, terminal=lambda qd: qd @ qd).solve([0.1] * 4).solved
        solver(lambda q, u: q @ q + (u * u) @ (u * u)).solve([0.1] * 4)


def test_dry_friction_is_named_where_a_search_does_not_end():
    def solve(**friction):
        drives = {"joint1": {"friction": px.robots.Friction(**friction)}}
        solver = px.optimal_control(ARM.with_drives(drives), effort, 5, dt=0.01)
        return solver.solve([1.0, 0.5, 0, 0], iterations=1)

    with pytest.warns(px.SimulationWarning, match="1 of 1 problems.*'joint1'.*smoothing=0.3"):
        assert solve(coulomb=1.0).status == px.optimal.Status.OUT_OF_ITERATIONS
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for gentle in ({"coulomb": 1.0, "smoothing": 0.3}, {"viscous": 1.0}):
            assert solve(**gentle).status == px.optimal.Status.OUT_OF_ITERATIONS


def test_steps_whose_code_is_huge_are_warned_of():
    with pytest.warns(px.RobotWarning, match="a shorter dt"):
        px.optimal_control(ARM, effort, 5, dt=0.01, substeps=30)
