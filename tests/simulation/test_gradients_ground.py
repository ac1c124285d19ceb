"""Gradients through contact, against differences of runs in which no contact changes its mode.

The hard law without `correction`: with it, contacts at rest are where it has a corner.
"""

import warnings

import numpy as np
import pytest
from support.bits import same_bits
from support.on_ground import at, ball, free_body

import paraxis as px
from paraxis.simulation import ContactPoint, Ground

LAWS = ("hard", "soft")
DT = 1e-3
SOLVED = {
    "hard": {"sweeps": 300, "tolerance": 1e-12, "correction": 0.0},
    "soft": {"sweeps": 300, "tolerance": 1e-12},
}


def tripod():
    feet = ((0.1, 0.0), (-0.1, 0.1), (-0.08, -0.1))
    return free_body(2.0, (0.02, 0.03, 0.04)), [
        ContactPoint("body", (x, y, -0.05)) for x, y in feet
    ]


def check(robot, ground, given, steps=4, close=1e-6, h=1e-6):
    """Along a random direction of each argument."""
    options = {"dt": DT, "steps": steps, "ground": ground}
    rng = np.random.default_rng(0)
    run = px.simulation.differentiable(robot, **given, **options)
    weights = rng.normal(size=run.q.shape), rng.normal(size=run.qd.shape)
    found = run.gradient(*weights, tangent=True)
    for name, gradient in found.items():
        direction = rng.normal(size=gradient.shape)

        def along(t, name=name, direction=direction):
            there = px.integrate(robot, given["q0"], t * direction) if name == "q0" else None
            there = given[name] + t * direction if there is None else there
            plain = px.simulate(robot, **given | {name: there}, **options)
            return (weights[0] * plain.q).sum() + (weights[1] * plain.qd).sum()

        slope = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h)
        assert (gradient * direction).sum() == pytest.approx(slope, rel=close, abs=close), name


BALLS = {  # height, velocity, friction
    "slides": (0.0997, (1.0, 0.3, 0.0, 0.1, 0.2, 0.3), 0.3),
    "sticks": (0.0997, (0.001, 0.002, 0.0, 0.01, 0.02, 0.3), 2.0),
    "falls": (0.3, (1.0, 0.3, 0.0, 0.1, 0.2, 0.3), 0.3),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("case", BALLS)
def test_a_ball(case, law):
    """Its mobility is the same along both tangents, which must not make slopes that are none."""
    (robot, points), (z, rates, friction) = ball(), BALLS[case]
    ground = Ground(points, law=law, **SOLVED[law])
    given = {"q0": at(0, 0, z), "qd0": np.array(rates), "tau": np.array([0.1, 0, -1, 0, 0.1, 0])}
    check(robot, ground, given | {"mass": np.array([1.5]), "friction": np.array([friction])})


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    "rates", [(1.0, 0.3, 0.0, 0.0, 0.0, 1.0), (0.0,) * 6], ids=["slips", "sticks"]
)
def test_several_contacts(law, rates):
    robot, points = tripod()
    ground = Ground(points, law=law, **SOLVED[law])
    given = {"q0": at(0, 0, 0.0497), "qd0": np.array(rates)}
    given |= {"tau": np.array([0.3, 0.2, -3.0, 0.02, -0.03, 0.05]), "friction": np.full(3, 0.5)}
    check(robot, ground, given, close=1e-5)


def test_a_bounce():
    """The velocity after it moves with restitution and with the velocity before it."""
    robot, points = ball()
    ground = Ground(points, restitution=0.5, **SOLVED["hard"])
    given = {"q0": at(0, 0, 0.1005), "qd0": np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])}
    given["restitution"] = np.array(0.5)
    run = px.simulation.differentiable(robot, **given, dt=DT, steps=2, ground=ground)
    bar = np.zeros_like(run.qd)
    bar[-1, 2] = 1.0
    found = run.gradient(qd_bar=bar)
    assert run.qd[-1, 2] == pytest.approx(0.5 * 1.0, abs=0.02)
    assert found["qd0"][2] == pytest.approx(-0.5, rel=1e-9)
    assert found["restitution"] == pytest.approx(1.0, rel=1e-9)


def test_the_bias_of_a_bounce_that_comes_later():
    """Dropped from higher up, a ball bounces later, which the gradient does not see: it is 1, where
    the height in the end really falls by the restitution.
    docs/howto/simulation/gradients.md says so."""
    robot, points = ball()
    ground = Ground(points, restitution=0.5, **SOLVED["hard"])
    weightless = np.array([0.0, 0.0, 1.5 * 9.81, 0.0, 0.0, 0.0])

    def dropped(height):
        rates = np.array([0.0, 0.0, -2.0, 0.0, 0.0, 0.0])
        options = {"tau": weightless, "dt": 1e-3, "steps": 100, "ground": ground}
        return px.simulation.differentiable(robot, at(0, 0, height), rates, **options)

    run = dropped(0.15)
    bar = np.zeros_like(run.q)
    bar[-1, 2] = 1.0
    found = run.gradient(bar, wrt="q0")["q0"][2]
    true = (dropped(0.16).q[-1, 2] - dropped(0.14).q[-1, 2]) / 0.02
    assert found == pytest.approx(1.0, rel=1e-9)
    assert true == pytest.approx(-0.5, rel=1e-6)


def test_checkpoints_and_places_change_no_bit():
    robot, points = ball()
    ground = Ground(points)
    q0 = at(0, 0, 0.0997) + np.linspace(0, 1e-3, 11)[:, None] * np.eye(7)[2]
    qd0 = np.broadcast_to([1.0, 0.3, 0.0, 0.1, 0.2, 0.3], (11, 6))

    def gradient(q0, qd0, **options):
        run = px.simulation.differentiable(
            robot, q0, qd0, dt=DT, steps=12, ground=ground, **options
        )
        return run.gradient(np.ones_like(run.q), np.ones_like(run.qd))

    whole, again = gradient(q0, qd0), gradient(q0, qd0, checkpoint=5)
    assert all(same_bits(whole[name], again[name]) for name in whole)
    alone = gradient(q0[7], qd0[7])
    assert all(same_bits(whole[name][7], alone[name]) for name in whole)


def test_what_is_not_found_is_said():
    robot, points = tripod()
    ground = Ground(points, sweeps=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.SimulationWarning)
        run = px.simulation.differentiable(
            robot, at(0, 0, 0.0497), np.zeros(6), dt=DT, steps=4, ground=ground
        )
    with pytest.warns(px.SimulationWarning, match="more than 1 sweeps"):
        run.gradient(np.ones_like(run.q))
