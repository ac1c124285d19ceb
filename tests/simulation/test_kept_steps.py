"""Steps that are kept: nothing of them is older than what they are given, and no one else's."""

import copy
import pickle
import threading
import warnings

import numpy as np
import pytest
from support.on_ground import at, ball, box
from support.robots import with_losses

import paraxis as px
from paraxis.simulation import Ground

ROD = px.robots.planar(1)
ARM = px.robots.planar(2)
DT = 1e-2


# -- controllers that change ------------------------------------------------------------------


def test_steps_do_what_the_controller_does_by_now():
    gains = [1.0]

    def law(t, q, qd):
        return -gains[0] * q

    stepped, ran = px.Simulator(ROD, dt=DT, controller=law), px.Simulator(ROD, dt=DT)
    stepped.reset([[0.5]])
    ran.reset([[0.5]])
    for gain in (1.0, 1000.0, 20.0, 7, np.float32(3.0), 1000.0):
        gains[0] = gain
        stepped.step()
        ran.run(law, 1)
        assert np.array_equal(stepped.state.qd, ran.state.qd), gain


def test_steps_with_and_without_a_command_are_both_made_anew():
    gains = [1.0]

    def law(t, q, qd, u=0.0):
        return gains[0] * (u - q)

    def stepped(*commands):
        simulator = px.Simulator(ROD, dt=DT, controller=law)
        simulator.reset([[0.5]])
        for gain, command in commands:
            gains[0] = gain
            simulator.step(command)
        return simulator

    def alone(gain, command, q, qd):
        gains[0] = gain
        simulator = px.Simulator(ROD, dt=DT, controller=law)
        simulator.reset(q, qd)
        simulator.step(command)
        return simulator.state.q

    commands = [(1.0, None), (1.0, [[2.0]]), (50.0, [[2.0]]), (50.0, None)]
    before, whole = stepped(*commands[:-1]), stepped(*commands)
    expected = alone(*commands[-1], before.state.q.copy(), before.state.qd.copy())
    assert np.allclose(whole.state.q, expected, 0, 1e-15)


def test_a_controller_that_no_one_can_read_is_called_again():
    class Hidden(dict):
        pass

    gains = Hidden(k=1.0)

    def law(t, q, qd):
        return -gains["k"] * q

    simulator = px.Simulator(ROD, dt=DT, controller=law)
    simulator.reset([[0.5]])
    simulator.step()
    slow = simulator.state.qd.copy()
    gains["k"] = 1e4
    simulator.step()
    assert abs(simulator.state.qd - slow).max() > 1.0


def test_a_method_is_the_same_controller_whenever_it_is_asked_for():
    class Counting:
        def law(self, t, q, qd, memory):
            return -qd, {"calls": memory["calls"] + 1.0}

        law.memory = {"calls": 0.0}  # noqa: RUF012

    counting, simulator = Counting(), px.Simulator(ROD, dt=DT)
    simulator.reset([[0.1]])
    simulator.run(counting.law, 5)
    simulator.run(counting.law, 5)
    assert simulator.state.memory["calls"] == 10


def test_random_numbers_are_refused_in_float32():
    def law(t, q, qd):
        return [px.math.random_normal(1, px.math.floor(100 * t))]

    simulator = px.Simulator(ROD, dt=DT, controller=law, dtype="float32")
    simulator.reset([[0.1]])
    with pytest.raises(px.ArgumentError, match="float64"):
        simulator.step()
    with pytest.raises(px.ArgumentError, match="float64"):
        simulator.run(steps=1)


# -- steps and runs by turns ------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:ground. the contacts")
def test_steps_on_the_ground_go_on_from_a_run():
    robot, corners = box()
    q = np.tile(at(0, 0, 0.08, (0.1, 0.2, 0.3, np.sqrt(0.86))), (3, 1))
    qd = np.random.default_rng(0).uniform(-1, 1, (3, 6))
    ground = Ground(corners, sweeps=4)
    whole = px.Simulator(robot, dt=DT, ground=ground)
    whole.reset(q, qd)
    run = whole.run(steps=90)
    simulator = px.Simulator(robot, dt=DT, ground=ground)
    simulator.reset(q, qd)
    simulator.step(n=30)
    simulator.run(steps=30)
    simulator.step(n=30)
    assert np.array_equal(simulator.state.q, run.q[-1])
    simulator.reset(q, qd, mask=np.array([True, False, False]))  # with impulses of none
    simulator.step(n=30)
    assert np.array_equal(simulator.state.q[0], run.q[30, 0])


# -- arrays -----------------------------------------------------------------------------------


def test_a_command_that_is_the_state_is_held():
    def after(command):
        simulator = px.Simulator(ROD, dt=1e-6)
        state = simulator.reset([0.3], [1.0])
        simulator.step(command(state), 400_000)  # in several pieces
        return state.q

    assert np.array_equal(after(lambda s: s.qd), after(lambda s: s.qd.copy()))


def test_settings_and_parameters_are_values_not_arrays():
    def law(t, q, qd, goal):
        return 10 * (goal - q)

    def after(change):
        goal, mass = np.ones((2, 1)), np.ones((2, 1))
        simulator = px.Simulator(ROD, dt=DT, controller=law)
        simulator.reset(np.zeros((2, 1)), goal=goal, mass=mass)
        simulator.step()
        goal += change
        mass += change
        simulator.step(n=5)
        return simulator.state.q

    assert np.array_equal(after(0.0), after(5.0))


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_a_copy_has_robots_of_its_own(copied):
    simulator = px.Simulator(ARM, dt=DT)
    simulator.reset(np.zeros((3, 2)))
    simulator.step(np.ones((3, 2)))
    other, before = copied(simulator), simulator.state.copy()
    other.step(np.ones((3, 2)))
    assert np.array_equal(simulator.state.q, before.q)
    simulator.step(np.ones((3, 2)))
    assert np.array_equal(simulator.state.q, other.state.q)


def test_steps_of_several_threads_are_one_after_another():
    simulator = px.Simulator(ARM, dt=1e-3)
    simulator.reset(np.zeros((500, 2)))

    def work():
        for _ in range(50):
            simulator.step(np.full((500, 2), 0.5, np.float32), 2)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    expected = px.Simulator(ARM, dt=1e-3)
    expected.reset(np.zeros((500, 2)))
    expected.step(np.full((500, 2), 0.5), 400)
    assert np.array_equal(simulator.state.q, expected.state.q)


# -- resets that fail change nothing ----------------------------------------------------------


def goal_law(t, q, qd, goal):
    return goal - q - qd


@pytest.mark.parametrize(
    "wrong",
    [
        {"unknown": 1.0},
        {"goal": np.ones(2)},  # two robots, two joints: not a number per robot
        {"goal": np.ones((7, 2, 2))},
        {"mass": np.ones((7, 2, 2))},
        {"q": np.zeros((7, 2, 2))},
        {"qd": np.zeros((3, 2))},
    ],
)
def test_a_masked_reset_that_fails_changes_nothing(wrong):
    simulator = px.Simulator(ARM, dt=DT, controller=goal_law)
    state = simulator.reset(np.ones((2, 2)), goal=np.ones((2, 2)), mass=np.ones((2, 2)))
    simulator.step()
    before = state.copy()
    with pytest.raises(px.ArgumentError):
        simulator.reset(**{"q": np.zeros(2), "mask": np.ones(2, bool)} | wrong)
    assert np.array_equal(state.q, before.q)
    assert np.array_equal(state.t, before.t)
    simulator.step()
    expected = px.Simulator(ARM, dt=DT, controller=goal_law)
    expected.reset(np.ones((2, 2)), goal=np.ones((2, 2)), mass=np.ones((2, 2)))
    expected.step(n=2)
    assert np.array_equal(state.q, expected.state.q)


def test_a_masked_reset_does_not_mind_robots_that_failed():
    robot, _ = box()
    q = np.tile(at(0, 0, 1.0), (3, 1))
    simulator = px.Simulator(robot, dt=DT)
    state = simulator.reset(q)
    simulator.step(np.array([[0.0], [np.nan], [0.0]]) * np.ones(6))
    simulator.reset(q, mask=np.array([True, False, False]))
    assert np.array_equal(np.isnan(state.q).any(-1), [False, True, False])
    bad = q.copy()
    bad[2, 3:] = 5.0
    before = state.copy()
    with pytest.raises(px.ArgumentError, match="quaternion"):
        simulator.reset(bad, mask=np.array([False, False, True]))
    assert np.array_equal(state.q, before.q, equal_nan=True)


def test_a_parameter_that_is_no_number_spoils_its_robot_only():
    robot = px.load("ur5")  # of which some masses have no part in the motion
    mass = np.tile(px.parameter_values(robot, "mass"), (3, 1))
    mass[1] = np.nan
    simulator = px.Simulator(robot, dt=DT)
    state = simulator.reset(np.zeros((3, 6)), mass=mass)
    with pytest.warns(px.SimulationWarning, match="1 of 3 robots, robot 1 first: the state"):
        simulator.step(n=4)
    assert np.array_equal(np.isnan(state.q).any(-1), [False, True, False])
    mass[1] = mass[0]
    simulator.reset(np.zeros((3, 6)), mask=np.array([False, True, False]), mass=mass)
    simulator.step()
    assert np.isfinite(state.q).all() and state.t[1] == DT


def test_a_reset_that_fails_leaves_the_robots_there_were():
    class Remembering:
        memory = {"sum": np.zeros(2)}  # noqa: RUF012

        def __call__(self, t, q, qd, memory):
            return -qd, {"sum": memory["sum"] + q}

    simulator = px.Simulator(ARM, dt=DT, controller=Remembering())
    simulator.reset(np.ones((5, 2)))
    simulator.step()
    with pytest.raises(px.ArgumentError):
        simulator.reset(np.zeros((3, 2)), other=np.ones((9, 9)))
    simulator.step()
    assert simulator.state.q.shape == simulator.state.memory["sum"].shape == (5, 2)


# -- what nothing takes -----------------------------------------------------------------------


def test_a_keyword_that_nothing_takes_is_named():
    simulator = px.Simulator(ARM, dt=DT)
    simulator.reset(np.zeros((2, 2)), masss=3.0)
    with pytest.raises(px.ArgumentError, match="did you mean 'mass'"):
        simulator.step()
    with pytest.raises(px.ArgumentError, match="did you mean 'mass'"):
        simulator.run(steps=1)
    simulator = px.Simulator(ARM, dt=DT, controller=lambda t, q, qd: -qd)
    simulator.reset(np.zeros((2, 2)), masss=3.0)
    with pytest.raises(px.ArgumentError, match="callable as"):
        simulator.step()


@pytest.mark.parametrize(
    ("law", "wrong"),
    [
        ("hard", {"restitution": 2.0}),
        ("hard", {"restitution": -0.1}),
        ("hard", {"friction": [-1.0]}),
        ("hard", {"friction": [np.inf]}),
        ("soft", {"restitution": 0.5}),
    ],
)
def test_numbers_that_no_ground_has_are_refused(law, wrong):
    robot, points = ball()
    name = next(iter(wrong))
    simulator = px.Simulator(robot, dt=DT, ground=Ground(points, law=law))
    with pytest.raises(px.ArgumentError, match=name):
        simulator.reset(at(0, 0, 1.0), **wrong)
    values = np.broadcast_to(wrong[name], (1, *np.shape(wrong[name])))
    simulator = px.Simulator(
        robot, dt=DT, ground=Ground(points, law=law), randomize={name: lambda rng, n: values}
    )
    with pytest.raises(px.ArgumentError, match=name):
        simulator.reset(at(0, 0, 1.0))


def test_a_single_robot_has_numbers_drawn_and_its_memory_reset():
    def law(t, q, qd, memory, gain):
        return -gain * q, {"steps": memory["steps"] + 1.0}

    law.memory = {"steps": 0.0}
    draws = {"gain": lambda rng, count: rng.uniform(1.0, 2.0, count)}
    simulator = px.Simulator(ROD, dt=DT, controller=law, randomize=draws)
    simulator.reset([0.1])
    simulator.step(n=3)
    assert simulator.state.memory["steps"] == 3
    first = simulator.settings["gain"]
    simulator.reset([0.1], mask=np.array(True))
    assert simulator.state.memory["steps"] == 0
    assert simulator.settings["gain"] != first


# -- what does not fit ------------------------------------------------------------------------


def test_a_wrong_command_is_called_as_step_calls_it():
    simulator = px.Simulator(ARM, dt=DT)
    simulator.reset(np.zeros((4, 2)))
    for wrong in (np.zeros((5, 2)), np.zeros((3, 4, 2)), 0.0):
        with pytest.raises(px.ArgumentError, match=r"^u: expected shape \((4|...), 2\), found"):
            simulator.step(wrong)
    with pytest.raises(px.ArgumentError, match=r"n: expected an integer <= 2\*\*53"):
        simulator.step(n=2**60)


def test_frames_of_the_ground_are_looked_up_before_robots_are_reset():
    body, _ = ball()
    with pytest.raises(px.RobotError, match="sole"):
        px.Simulator(body, dt=DT, ground=Ground([px.simulation.ContactPoint("sole")]))


def test_what_draws_parameters_must_be_a_function():
    with pytest.raises(px.ArgumentError, match="randomize: expected a function .* for mass"):
        px.Simulator(ARM, dt=DT, randomize={"mass": np.ones(2)})


def test_time_does_not_stand_still_in_single_precision():
    simulator = px.Simulator(ROD, dt=DT, dtype="float32", method="semi_implicit_euler")
    simulator.reset(np.zeros((2, 1)))
    simulator.step(n=2**24 - 1)
    for move in (lambda: simulator.step(n=2), lambda: simulator.run(steps=2)):
        with pytest.raises(px.ArgumentError, match="float32 counts at most 16,777,216 steps"):
            move()
    simulator.reset(np.zeros((2, 1)), mask=[True, False])
    simulator.step(n=1)
    assert np.array_equal(simulator.arrays_now[2], [1, 2**24])


# -- what goes wrong is reported ------------------------------------------------------------------


def said_by(advance):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        advance()
    return [str(each.message) for each in said]


def test_robots_that_fail_in_steps_are_mentioned_once():
    def too_stiff(t, q, qd, gain):
        return -gain * q

    simulator = px.Simulator(px.robots.planar(2), dt=0.01, controller=too_stiff)
    state = simulator.reset(np.ones((4, 2)), gain=np.array([1.0, 1.0, 1e9, 1.0]))
    (words,) = said_by(lambda: [simulator.step() for _ in range(200)])
    assert "1 of 4 robots, robot 2 first," in words and "the state is not finite" in words
    assert np.isfinite(state.q[[0, 1, 3]]).all()


def test_a_single_robot_that_fails_is_mentioned():
    simulator = px.Simulator(px.robots.planar(2), dt=0.01, controller=lambda t, q, qd: -1e9 * q)
    simulator.reset(np.ones(2))
    (words,) = said_by(lambda: [simulator.step() for _ in range(200)])
    assert "simulation failed for the robot after" in words


def test_friction_that_is_too_stiff_for_steps_is_mentioned():
    simulator = px.Simulator(with_losses(px.robots.planar(2)), dt=0.05)
    simulator.reset(np.zeros((2, 2)), np.ones((2, 2)))
    words = said_by(lambda: [simulator.step() for _ in range(3)])
    assert sum("too stiff for dt" in each and "adaptive" not in each for each in words) == 1


def test_adaptive_steps_are_advised_where_they_are_possible():
    robot, still = with_losses(px.robots.planar(2)), np.zeros(2)
    sampled = px.control.sampled(lambda t, q, qd: -q, 0.1)  # remembers what it holds
    for controller, possible in ((None, True), (lambda t, q, qd: -q, True), (sampled, False)):
        given = {"controller": controller, "dt": 0.05, "steps": 2}
        (words,) = said_by(lambda given=given: px.simulate(robot, still, still, **given))
        assert "too stiff for dt" in words and ("method 'adaptive'" in words) == possible
    with pytest.raises(px.ArgumentError, match="'semi_implicit_euler' instead of 'adaptive'"):
        px.simulate(robot, still, still, method="adaptive", **given)


def test_contacts_that_steps_do_not_solve_are_mentioned_once():
    robot, corners = box()
    ground = px.simulation.Ground(corners, sweeps=1)
    simulator = px.Simulator(robot, dt=0.01, ground=ground)
    simulator.reset(np.tile(at(0, 0, 0.06), (3, 1)), np.tile([1.0, 2, 3, 2, 1, -1], (3, 1)))
    (words,) = said_by(lambda: [simulator.step() for _ in range(64)])
    assert "were not solved within 1 sweeps of a step" in words and "run.residual" not in words
