"""Gradients of simulated runs: against differences, and what must not matter to them.

Differences are along random directions, central, of fourth order: of all arguments of a kind at
once, so that a wrong entry anywhere shows.
"""

import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import pytest
from support.bits import same_bits
from support.joints import robot_of
from support.robots import random_chain, with_losses

import paraxis as px
from paraxis.robots import Friction

METHODS = ("rk4", "semi_implicit_euler")
STEPS, DT = 12, 0.01
CLOSE = 1e-6


@pytest.fixture(autouse=True)
def quiet():
    """Random robots have no limits worth a word, and friction may be stiff."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.RobotWarning)
        yield


def with_friction(robot):
    """Viscous and dry friction with a wide smooth direction, so that differences see no corner."""
    friction = Friction(viscous=0.3, coulomb=0.4, static=0.6, smoothing=0.5)
    return replace(robot, joints=tuple(replace(joint, friction=friction) for joint in robot.joints))


ROBOTS = {
    "arm": lambda: px.load("ur5"),
    "free base": lambda: robot_of(("free", "spherical", "prismatic"), (-1, 0, 0), 2),
    "friction": lambda: with_friction(px.robots.planar(3)),
}


def somewhere(robot, *batch, seed=0):
    rng = np.random.default_rng(seed)
    moved = rng.uniform(-1.0, 1.0, (*batch, robot.nv))
    q0 = px.integrate(robot, np.broadcast_to(px.neutral(robot), (*batch, robot.nq)), moved)
    return {"q0": q0, "qd0": rng.uniform(-1.0, 1.0, (*batch, robot.nv))}


def weights_of(run, seed=1):
    """Cotangents of all records: those of the number sum(weights * records)."""
    rng = np.random.default_rng(seed)
    return {"q": rng.normal(size=run.q.shape), "qd": rng.normal(size=run.qd.shape)}


def value(run, weights):
    return (weights["q"] * run.q).sum() + (weights["qd"] * run.qd).sum()


def moved(robot, given, name, direction, h):
    """The arguments, one of them along a direction; positions along velocities."""
    if name == "q0":
        return given | {"q0": px.integrate(robot, given["q0"], h * direction)}
    return given | {name: given[name] + h * direction}


def check(robot, given, h=1e-3, **options):
    """The gradient by every argument against differences of px.simulate."""
    options = {"dt": DT, "steps": STEPS} | options
    run = px.simulation.differentiable(robot, **given, **options)
    weights = weights_of(run)
    found = run.gradient(weights["q"], weights["qd"], tangent=True)
    options.pop("checkpoint", None)
    for seed, (name, gradient) in enumerate(found.items()):
        shape = given["qd0"].shape if name == "q0" else np.shape(given[name])
        direction = np.random.default_rng(seed).normal(size=shape)

        def along(t, name=name, direction=direction):
            given_there = moved(robot, given, name, direction, t)
            return value(px.simulate(robot, **given_there, **options), weights)

        slope = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h)
        assert np.shape(gradient) == shape
        assert (gradient * direction).sum() == pytest.approx(slope, rel=CLOSE, abs=CLOSE), name


# -- against differences ---------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("robot", ROBOTS)
def test_state_torques_and_masses(robot, method):
    robot = ROBOTS[robot]()
    rng = np.random.default_rng(4)
    given = somewhere(robot, 3)
    given["tau"] = rng.uniform(-2, 2, (STEPS, 3, robot.nv))  # one per step
    given["mass"] = np.array(px.parameter_values(robot, "mass"))
    check(robot, given, method=method, dt=1e-3 if robot.has_losses else DT)


@pytest.mark.parametrize("method", METHODS)
def test_constant_torques_and_further_parameters(method):
    robot = px.load("planar3")
    given = somewhere(robot, 2, 2) | {"tau": np.array([0.3, -0.2, 0.1])}  # the same for all
    for name in ("com", "inertia", "origin", "gravity", "rotor_inertia"):
        given[name] = np.array(px.parameter_values(robot, name))
    given["mass"] = np.random.default_rng(0).uniform(1, 2, (2, 1, 3))
    check(robot, given, method=method)


def test_bearings_and_transmissions():
    """Whose accelerations are found by Newton's method inside the step."""
    robot = with_losses(random_chain(3, joints=(2, 2)), 2)
    smooth = [
        replace(joint, friction=replace(joint.friction, smoothing=0.5)) for joint in robot.joints
    ]
    robot = replace(robot, joints=tuple(smooth))
    given = somewhere(robot, 2) | {"tau": np.full((2, robot.nv), 0.5)}
    check(robot, given, steps=4, method="semi_implicit_euler", h=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_settings_of_a_controller(method):
    robot = px.load("planar3")

    def law(t, q, qd, gain, goal, rate):
        along = goal * px.math.sin(rate * t)
        return gain * (along - q) - 0.3 * qd + px.gravity_torques(robot, q)

    given = somewhere(robot, 4)
    given |= {"gain": np.array(5.0), "goal": np.ones((1, 3)), "rate": np.arange(1.0, 5.0)}
    check(robot, given, method=method, controller=law)


class Integrating:
    """A controller with memory, with a reference per step."""

    def __init__(self):
        self.memory = {"sum": np.zeros(2)}

    def __call__(self, t, q, qd, memory, gains, reference):
        error = reference - q
        total = memory["sum"] + DT * error
        return gains[0] * error + gains[1] * total - 0.2 * qd, {"sum": total}


@pytest.mark.parametrize("checkpoint", (1, 5))
def test_memory_and_values_per_step(checkpoint):
    robot, rng, law = px.robots.planar(2), np.random.default_rng(6), Integrating()
    given = somewhere(robot, 3) | {"gains": np.array([[5.0, 30.0]])}
    reference = rng.normal(size=(STEPS, 3, 2))
    options = {"controller": law, "dt": DT, "steps": STEPS}
    run = px.simulation.differentiable(
        robot, **given, **options, per_step={"reference": reference}, checkpoint=checkpoint
    )
    weights = weights_of(run)
    found = run.gradient(weights["q"], weights["qd"])
    for name, gradient in found.items():
        direction = rng.normal(size=gradient.shape)

        def along(t, name=name, direction=direction):
            there = given | {"reference": reference}
            there[name] = there[name] + t * direction
            per_step = {"reference": there.pop("reference")}
            return value(px.simulate(robot, **there, **options, per_step=per_step), weights)

        slope = (along(1e-4) - along(-1e-4)) / 2e-4
        assert (gradient * direction).sum() == pytest.approx(slope, rel=CLOSE), name


@pytest.mark.parametrize("every", (1, 3, STEPS))
def test_records_and_checkpoints(every):
    robot = px.robots.planar(2)
    given = somewhere(robot, 2) | {"tau": np.ones((STEPS, 2, 2))}
    for checkpoint in (None, 1, 5):
        check(robot, given, every=every, checkpoint=checkpoint)


def test_records_far_apart():
    """Their cotangents are added between calls of the kernel."""
    robot = px.robots.planar(2)
    given = somewhere(robot, 2) | {"tau": np.ones((60, 2, 2))}
    for checkpoint in (1, 7, 60):
        check(robot, given, every=20, steps=60, checkpoint=checkpoint)


def test_a_run_of_no_steps():
    run = px.simulation.differentiable(px.robots.planar(2), [1.0, 2.0], [3.0, 4.0], dt=DT, steps=0)
    found = run.gradient([[5.0, 6.0]], [[7.0, 8.0]])
    assert found["q0"].tolist() == [5.0, 6.0] and found["qd0"].tolist() == [7.0, 8.0]


# -- what must not matter --------------------------------------------------------------------------


def test_the_run_is_that_of_simulate():
    robot = px.load("ur5")
    given = somewhere(robot, 9)
    for options in ({"every": 1}, {"every": 4}, {"every": 4, "checkpoint": 5}):
        run = px.simulation.differentiable(robot, **given, dt=DT, steps=STEPS, **options)
        options.pop("checkpoint", None)
        plain = px.simulate(robot, **given, dt=DT, steps=STEPS, **options)
        assert all(same_bits(getattr(run, n), getattr(plain, n)) for n in ("t", "q", "qd"))
        assert (run.failed_at == -1).all()


@pytest.mark.parametrize("every", (1, 4, 24))
def test_checkpoints_change_no_bit(every):
    robot = px.load("planar3")
    given = somewhere(robot, 9) | {"tau": np.random.default_rng(5).normal(size=(24, 9, 3))}
    given["mass"] = np.tile(px.parameter_values(robot, "mass"), (9, 1))
    found = []
    for checkpoint in (1, 2, 5, 24):
        run = px.simulation.differentiable(
            robot, **given, dt=DT, steps=24, every=every, checkpoint=checkpoint
        )
        weights = weights_of(run)
        found.append(run.gradient(weights["q"], weights["qd"]))
    for other in found[1:]:
        assert all(same_bits(found[0][name], other[name]) for name in given)


def test_a_robot_has_the_same_bits_anywhere_in_a_batch():
    robot = px.load("planar3")
    given = somewhere(robot, 19)
    given["mass"] = np.tile(px.parameter_values(robot, "mass"), (19, 1))
    run = px.simulation.differentiable(robot, **given, dt=DT, steps=STEPS)
    weights = weights_of(run)
    whole = run.gradient(weights["q"], weights["qd"])
    for k in (0, 7, 18):
        own = {name: array[k] for name, array in given.items()}
        alone = px.simulation.differentiable(robot, **own, dt=DT, steps=STEPS)
        found = alone.gradient(weights["q"][:, k], weights["qd"][:, k])
        assert all(same_bits(found[name], whole[name][k]) for name in given)


def test_what_is_not_a_number_stays_in_its_robot():
    robot = px.robots.planar(2)
    given = somewhere(robot, 5) | {"mass": np.ones((5, 2))}
    run = px.simulation.differentiable(robot, **given, dt=DT, steps=STEPS)
    expected = run.gradient(np.ones_like(run.q))
    given["qd0"][2, 1] = np.nan
    with pytest.warns(px.SimulationWarning, match="robot 2"):
        run = px.simulation.differentiable(robot, **given, dt=DT, steps=STEPS)
    assert run.failed_at.tolist() == [-1, -1, 0, -1, -1]
    found = run.gradient(np.ones_like(run.q))
    for name, gradient in found.items():
        assert np.isnan(gradient[2]).all()
        assert same_bits(np.delete(gradient, 2, 0), np.delete(expected[name], 2, 0))


def test_arguments_that_are_not_asked_for():
    robot = px.robots.planar(2)
    given = somewhere(robot, 3) | {"mass": np.ones(2), "tau": np.ones((STEPS, 3, 2))}
    run = px.simulation.differentiable(robot, **given, dt=DT, steps=STEPS)
    whole = run.gradient(np.ones_like(run.q))
    assert list(whole) == ["q0", "qd0", "tau", "mass"]
    for name in given:
        (found,) = run.gradient(np.ones_like(run.q), wrt=name).values()
        np.testing.assert_allclose(found, whole[name], rtol=1e-12)


def test_memory_with_checkpoints():
    """1,000 steps of 1,024 robots: 64 states of them and the results, not 1,000."""
    robot, robots, steps = px.robots.planar(2), 1024, 1000
    given = somewhere(robot, robots)
    state = robots * 4 * 8
    tracemalloc.start()
    options = {"every": steps, "checkpoint": 32}
    run = px.simulation.differentiable(robot, **given, dt=1e-3, steps=steps, **options)
    run.gradient(np.ones_like(run.q))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 120 * state


# -- what is refused -------------------------------------------------------------------------------


def untraceable(t, q, qd):
    return [0.0, 0.0] if q[0] > 0 else [1.0, 1.0]


ARM = px.robots.planar(2)
REFUSED = (
    ({"method": "adaptive"}, "'adaptive' has no gradient"),
    ({"method": "euler"}, "method"),
    ({"controller": untraceable}, "must be traceable"),
    ({"controller": untraceable, "tau": [0.0, 0.0]}, "cannot be combined"),
    ({"controller": 3}, "expected a function"),
    ({"gain": 3.0}, "keywords must be parameters"),
    ({"tau": np.ones((5, 2))}, "torques for 12 steps, found 5"),
    ({"tau": np.ones(3)}, "tau: expected shape"),
    ({"every": 5}, "divisor"),
    ({"checkpoint": 0}, "checkpoint: expected an integer >= 1"),
    ({"mass": np.ones(3)}, "mass: expected shape"),
    ({"dt": -1.0}, "dt: expected a number > 0"),
)


@pytest.mark.parametrize(("options", "message"), REFUSED, ids=[words for _, words in REFUSED])
def test_refused(options, message):
    with pytest.raises(px.ArgumentError, match=message):
        given = {"q0": np.zeros(2), "qd0": np.zeros(2), "dt": DT, "steps": STEPS} | options
        px.simulation.differentiable(ARM, **given)


def test_cotangents_that_do_not_fit():
    run = px.simulation.differentiable(ARM, np.zeros(2), np.zeros(2), dt=DT, steps=STEPS)
    with pytest.raises(px.ArgumentError, match=r"q_bar: expected shape \(13, 2\)"):
        run.gradient(np.ones(2))
    with pytest.raises(px.ArgumentError, match="give q_bar, qd_bar or both"):
        run.gradient()
    with pytest.raises(px.ArgumentError, match="wrt"):
        run.gradient(np.ones((13, 2)), wrt="mass")


def test_the_gradient_is_that_of_the_run_whatever_becomes_of_its_arrays():
    robot = px.robots.planar(2)
    rng = np.random.default_rng(0)
    q, tau, mass = rng.uniform(-1, 1, (3, 2)), rng.uniform(-1, 1, (20, 3, 2)), np.ones((3, 2))
    run = px.simulation.differentiable(
        robot, q, np.zeros(2), tau, dt=1e-2, steps=20, checkpoint=5, mass=mass
    )
    before = run.gradient(np.ones_like(run.q))
    for array in (q, tau, mass):
        array += 1.0
    after = run.gradient(np.ones_like(run.q))
    for name in before:
        assert np.array_equal(before[name], after[name]), name
