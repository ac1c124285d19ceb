"""Robots with absurd numbers: IEEE arithmetic or a clear error; the soak tries them at random."""

import numpy as np
import pytest
from support.absurd_robots import CALLS, CHANGES, asked, ordinary

import paraxis as px

# What failed once, and what is far away in another direction: a change, its number, calls.
OFTEN = ("print", "forward_dynamics", "simulated contact", "cordic")
CASES = [
    ("inertia", 5e-324, OFTEN),
    ("mass", 1e-310, ("forward_dynamics", "cordic")),
    ("gravity", 5e-324, ("cordic",)),
    ("gravity", 1.7e308, ("cordic",)),
    ("all of a link", 1e300, ("forward_dynamics", "project_velocity", "cordic")),
    ("smoothing", 1e200, ("rk4", "closed_loop")),
    ("length", 1.7e308, ("base_parameters", "inverse_dynamics")),
]


@pytest.mark.parametrize("change, number, calls", CASES, ids=lambda x: str(x)[:14])
def test_absurd_numbers_give_ieee_numbers_or_a_clear_error(change, number, calls):
    robot = CHANGES[change](ordinary(), number)
    assert {asked(name, robot) for name in calls} <= {"answered", "refused"}


def test_the_calls_are_calls():
    """Every change makes a robot and the quickest calls answer, so that refusals mean something."""
    for change in CHANGES.values():
        robot = change(ordinary(), 0.5)
        assert asked("print", robot) == asked("inertial_parameters", robot) == "answered"


@pytest.mark.long
def test_an_ordinary_robot_answers_every_call():
    assert {name: asked(name, ordinary()) for name in CALLS} == dict.fromkeys(CALLS, "answered")


def test_a_joint_that_moves_next_to_nothing():
    """1 / 5e-324 is infinite: so is the acceleration, and the first step of a simulation fails."""
    link = px.robots.Inertia(1.0, (0, 0, 0), (5e-324, 5e-324, 5e-324, 0, 0, 0))
    robot = px.Robot("tiny", [px.robots.Joint("a", "revolute")], [link])
    assert px.forward_dynamics(robot, [0.0], [0.0], [1.0]) == np.inf
    with pytest.warns(px.SimulationWarning, match="at step 1: the state is no longer finite"):
        run = px.simulate(robot, [0.0], [0.0], [1.0], dt=1e-3, steps=2)
    assert run.failed_at == 1 and not np.isfinite(run.q[1:]).any()


@pytest.mark.parametrize(
    "changes, words",
    [
        (("gravity", 1.7e308), "expected constants between 9e-78 and 1e.77 in size, .*, found"),
        (("mass", 1e-310), "inverse_dynamics: expected constants between .*, found 3.6.*e-311"),
    ],
)
def test_circuits_refuse_what_no_word_holds(changes, words):
    name, number = changes
    with pytest.raises(px.ProgramError, match=words):
        px.hardware.inverse_dynamics_circuit(CHANGES[name](ordinary(), number))


def test_circuits_refuse_rates_that_no_word_holds():
    with pytest.raises(px.ArgumentError, match=r"expected values up to 1e\+301, found"):
        px.hardware.inverse_dynamics_circuit(px.robots.planar(1), acceleration=1e303)
