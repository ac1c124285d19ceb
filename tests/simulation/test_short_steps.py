"""Steps whose evaluations of accelerations are a stage that is repeated, as on a GPU, against those
that are one graph: both are run on the CPU."""

import numpy as np
import pytest
from support.robots import random_robot, with_losses

import paraxis as px
from paraxis.drivers.row import Row
from paraxis.simulation.bodies import Step, plain_step


def swing(t, q, qd, gain):
    return -gain * qd - px.math.sin(3.0 * t) * q


def arm():
    return random_robot(8, joints=(3, 3))


def floating():
    return random_robot(9, joints=(2, 2)).with_floating_base()


RNG = np.random.default_rng(2)
CASES = {
    "free fall": (arm, {}),
    "torques": (arm, {"tau": RNG.normal(size=(12, 1, 3))}),
    "controller": (arm, {"controller": swing, "gain": np.array([0.2, 2.0, 3.0, 0.1])}),
    "limits": (
        lambda: px.load("ur5"),
        {"tau": 400.0 * np.ones(6), "limits": px.simulation.Limits()},
    ),
    "parameters": (lambda: px.robots.planar(2), {"mass": RNG.uniform(0.5, 2, (4, 2))}),
    "floating base": (floating, {}),
    "one robot": (lambda: px.robots.planar(1), {"tau": [0.3]}),
}


def run(make, options):
    robot = make()
    q, _ = px.robots.random_states(robot, 4, seed=3)
    qd = np.random.default_rng(4).normal(size=(4, robot.nv))
    return px.simulate(robot, q, qd, dt=0.01, steps=12, every=4, **options)


@pytest.mark.filterwarnings("ignore::paraxis.SimulationWarning")
@pytest.mark.parametrize("make, options", CASES.values(), ids=CASES)
def test_they_are_the_same_steps(make, options, monkeypatch):
    expected, used = run(make, options), []

    def short(step, target):
        used.append(step.in_turns)
        return used[-1]

    monkeypatch.setattr(Step, "on", short)
    found = run(make, options)
    assert all(isinstance(body, Row) for body, _ in used) and used
    for name in ("q", "qd", "t", "failed_at"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), 1e-12, 1e-12)


def test_steps_that_stay_one_graph():
    """Those that are evaluated once, and those whose friction tells of every evaluation."""
    for robot, method in ((arm(), "semi_implicit_euler"), (with_losses(arm()), "rk4")):
        step = plain_step(robot, method, (), None, None, None, None, None, ())
        assert step.in_turns == (step.body, step.plan)
