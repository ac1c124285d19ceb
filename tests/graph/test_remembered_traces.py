"""What was compiled for a user's function is found again, and never for another than it is now."""

import functools
import types

import numpy as np
import pytest

import paraxis as px
from paraxis.control import loop_body
from paraxis.graph import remembered
from paraxis.graph.arrays import on_arrays
from paraxis.graph.evaluate import evaluate
from paraxis.graph.outline import Outline
from paraxis.graph.trace import trace
from paraxis.simulation import bodies
from paraxis.simulation.controllers import traced_torques
from paraxis.simulation.laws import Law

ARM = px.robots.planar(2)
STIFFNESS = 3.0
settings = types.SimpleNamespace(gain=3.0)


@pytest.fixture(autouse=True)
def fresh():
    remembered.forget()


def law(controller):
    """What it computes: its Outline, and the numbers that are inputs of it."""
    found = Law(ARM, controller, {})
    return found.digest, [array.tobytes() for array in found.constants.values()]


def hold(goal, gain=3.0, offsets=(0.0, 0.0)):
    """A controller with everything in its closure."""
    return lambda t, q, qd: gain * (goal - q) - qd + np.array(offsets)


class Spring:
    def __init__(self, gain):
        self.gain, self.terms = gain, [0.0]

    def torques(self, t, q, qd):
        return -self.gain * q - qd + self.terms[0]

    def __call__(self, t, q, qd):
        return self.torques(t, q, qd)


# -- each changes what a controller reads, and nothing of the controller itself ------------------


def closure_array():
    goal = np.array([0.3, 0.4])
    yield hold(goal)
    goal[1] = 0.5
    yield


def closure_list_inside_a_dict():
    goal = {"at": [0.3, 0.4]}
    yield lambda t, q, qd: np.array(goal["at"]) - q
    goal["at"][0] = 0.9
    yield


def closure_cell():
    gain = 2.0

    def controller(t, q, qd):
        return -gain * q

    yield controller
    gain = 2.5
    yield


def nested_function():
    gains = [1.0, 2.0]

    def inner(q):
        return q * gains

    yield lambda t, q, qd: -(lambda x: inner(x))(q)
    gains[1] = 4.0
    yield


def global_rebound():
    global STIFFNESS
    yield lambda t, q, qd: -STIFFNESS * q
    STIFFNESS = STIFFNESS + 1.0
    yield


def attribute_of_a_global():
    yield lambda t, q, qd: -settings.gain * q
    settings.gain += 1.0
    yield


def bound_method():
    spring = Spring(3.0)
    yield spring.torques
    spring.gain = 4.0
    yield


def callable_object():
    spring = Spring(3.0)
    yield spring
    spring.terms.append(spring.terms.pop() + 1.0)
    yield


def partial():
    goal = np.zeros(2)
    yield functools.partial(lambda goal, t, q, qd: goal - q, goal)
    goal += 1.0
    yield


def default_argument():
    def controller(t, q, qd, gains=[1.0, 2.0]):  # noqa: B006
        return -q * gains

    yield controller
    controller.__defaults__ = ([1.0, 3.0],)
    yield


def mutated_default():
    gains = [1.0, 2.0]

    def controller(t, q, qd, gains=gains):
        return -q * gains

    yield controller
    gains[0] = 5.0
    yield


def another_function_that_is_called():
    space = types.SimpleNamespace(shape=lambda q: q)
    yield lambda t, q, qd: -space.shape(q)
    space.shape = lambda q: 2 * q
    yield


def other_code():
    def controller(t, q, qd):
        return -q

    yield controller
    controller.__code__ = (lambda t, q, qd: q * qd).__code__
    yield


def other_robot():
    held = types.SimpleNamespace(robot=ARM)
    yield lambda t, q, qd: px.gravity_torques(held.robot, q)
    held.robot = ARM.with_payload(0.1)
    yield


def what_a_function_of_a_robot_is_given():
    load = np.array([0.0, 0.0])
    yield lambda t, q, qd: px.inverse_dynamics(ARM, q, qd, load)
    load[0] = 1.0
    yield


def which_result_of_a_function_is_used():
    order = [0, 1]
    yield lambda t, q, qd: px.gravity_torques(ARM, q)[order]
    order.reverse()
    yield


def not_a_number():
    goal = np.array([0.0, 1.0])
    yield hold(goal)
    goal[0] = np.nan
    yield


CHANGES = [
    closure_array,
    closure_list_inside_a_dict,
    closure_cell,
    nested_function,
    global_rebound,
    attribute_of_a_global,
    bound_method,
    callable_object,
    partial,
    default_argument,
    mutated_default,
    another_function_that_is_called,
    other_code,
    other_robot,
    what_a_function_of_a_robot_is_given,
    which_result_of_a_function_is_used,
    not_a_number,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_controller_that_does_something_else_is_another(change):
    steps = change()
    controller = next(steps)
    before = law(controller)
    assert law(controller) == before
    next(steps)
    with np.errstate(invalid="ignore"):
        assert law(controller) != before


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_law_that_is_remembered_follows_every_change(change):
    shapes = {"t": (), "q": (2,), "qd": (2,)}
    state = {"t": 0.3, "q": np.array([0.2, -0.7]), "qd": np.array([1.1, 0.4])}

    def traceable(controller):
        torques = traced_torques(controller, 2)
        return lambda t, q, qd: torques(t, q, qd, {})

    def check(controller):
        found = remembered.recall(controller, shapes, traceable)
        expected = Outline(traceable(controller), shapes)
        own = trace(found.outline, shapes | found.shapes)
        expected = evaluate(trace(expected, shapes), state)["result"]
        np.testing.assert_allclose(
            evaluate(own, state | found.constants)["result"], expected, 1e-13, 1e-14
        )
        return expected

    steps = change()
    controller = next(steps)
    before = check(controller)
    check(controller)
    next(steps)
    with np.errstate(invalid="ignore"):
        assert not np.array_equal(check(controller), before)
        check(controller)


def test_controllers_that_do_the_same_are_the_same():
    assert law(hold(np.ones(2))) == law(hold([1.0, 1.0])) == law(lambda t, q, qd: 3 * (1 - q) - qd)
    assert law(hold(np.ones(2))) != law(hold(np.ones(2), 4.0))


def test_an_outline_knows_shapes_outputs_and_settings():
    def of(function, **shapes):
        return Outline(on_arrays(function), shapes).digest

    seen = [
        of(lambda x: x, x=(4,)),
        of(lambda x: x, x=(2, 2)),
        of(lambda x: x.ravel(), x=(2, 2)),
        of(lambda x: x[::-1], x=(4,)),
        of(lambda y: y, y=(4,)),
        of(lambda x: x[:2], x=(4,)),
    ]
    assert len(set(seen)) == len(seen)


def move(controller):
    return px.simulate(ARM, [0.1, 0.2], [0.0, 0.0], controller=controller, dt=1e-2, steps=3).q


def test_the_second_simulation_traces_no_physics(monkeypatch):
    goal = np.array([0.3, 0.4])
    controller, other = hold(goal), hold([0.5, 0.5])
    first, second = move(controller), move(other)
    goal[:] = 0.1
    move(controller)  # from now on, the goal is an input
    with monkeypatch.context() as patch:
        patch.setattr(bodies, "trace", None)
        goal[:] = 0.3, 0.4
        assert (move(controller) == first).all()
        goal[:] = 0.5
        found = move(controller)
    np.testing.assert_allclose(found, second, 1e-14, 1e-15)
    assert not (first == second).all()


def test_the_second_closed_loop_traces_no_physics(monkeypatch):
    size = [0.1]

    def swing(t):
        return (
            [size[0] * px.math.sin(t)] * 2,
            [size[0] * px.math.cos(t)] * 2,
            [-size[0] * px.math.sin(t)] * 2,
        )

    def follow():
        controller = px.control.pd(ARM, 50.0, 5.0)
        return px.control.closed_loop(ARM, controller, swing, 1e-2, duration=0.03, record="q").q

    first = follow()
    with monkeypatch.context() as patch:
        patch.setattr(loop_body, "trace", None)
        assert (follow() == first).all()
    size[0] = 0.2
    assert not (follow() == first).all()


class Fickle:
    """A controller whose gain changes after so many calls, as where another thread tunes it."""

    def __init__(self, calls):
        self.left = calls

    def __call__(self, t, q, qd):
        self.left -= 1
        return -(3.0 if self.left >= 0 else 7.0) * q


@pytest.mark.parametrize("calls", (2, 3, 4))
def test_what_is_kept_is_what_its_key_was_made_from(calls):
    """A gain that changes while a loop is made spoils nothing for those who have the old one."""
    arm = px.robots.planar(2)
    given = {"q0": [1.0, 0.0], "qd0": [0.0, 0.0], "dt": 0.01, "steps": 30}
    px.simulate(arm, controller=Fickle(calls), **given)
    found = px.simulate(arm, controller=lambda t, q, qd: -3.0 * q, **given)

    def called(t, q, qd):
        float(t)
        return -3.0 * q

    with pytest.warns(px.SimulationWarning, match="uncompiled"):
        expected = px.simulate(arm, controller=called, **given)
    np.testing.assert_allclose(found.q, expected.q, rtol=1e-9, atol=1e-12)


def test_a_trajectory_that_changes_from_call_to_call_is_refused():
    arm, calls = px.robots.planar(2), []

    def motion(t):
        calls.append(t)
        return [len(calls) * t, 0 * t], [len(calls), 0.0], [0.0, 0.0]

    law = px.control.computed_torque(arm, kp=50.0, kd=5.0)
    with pytest.raises(px.ArgumentError, match="changes from call to call"):
        px.control.closed_loop(arm, law, motion, 0.01, duration=0.1)
