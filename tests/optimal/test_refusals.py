"""What is refused or warned of, in words that say what to do."""

import warnings

import numpy as np
import pytest
from support.loops import four_bar

import paraxis as px

ARM = px.robots.planar(2)
STEP = px.trace(lambda x, u: x + u, x=2, u=2)


def effort(u):
    return u @ u


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"cost": lambda v: v}, "'v' is neither"),
        ({"cost": 3.0}, "expected a function"),
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
        ({"parameters": {"goal": 2}}, "'goal' is read by no function"),
        ({"parameters": {"goal": None}}, "needs a shape"),
        ({"parameters": {"q": 2}}, "a meaning of its own"),
        ({"parameters": {"goal": 2.5}}, "expected a shape"),
        ({"parameters": {"x0": 2}}, "an argument of Solver.solve"),
        ({"parameters": {"samples": 2}}, "an argument of Solver.sampling"),
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
            assert repr(found).startswith("<Solution")


def test_of_plants_whose_states_have_another_shape():
    mpc = px.optimal_control(STEP, lambda x, u: x @ x + u @ u, 4).mpc(np.ones(2))
    with pytest.raises(px.ArgumentError, match="expected states of shape"):
        mpc.run(lambda x, u: x[:1], 3)


def test_numbers_that_overflow_are_no_warnings():
    solver = px.optimal_control(STEP, lambda x, u, w: w * (x @ x) + u @ u, 4, parameters={"w": ()})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = solver.solve([[1.0, 0.0]] * 4, w=[1.0, np.inf, np.nan, 1e308])
    assert found.status[0] == 0 and (found.status[1:3] == px.optimal.Status.FAILED).all()
    assert np.array_equal(found.us[0], solver.solve([1.0, 0.0], w=1.0).us)


def test_steps_whose_code_is_huge_are_warned_of():
    with pytest.warns(px.RobotWarning, match="a shorter dt"):
        px.optimal_control(ARM, effort, 5, dt=0.01, substeps=30)
