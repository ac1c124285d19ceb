"""`px.Simulator`: stepping equals running, in place, for some robots and for all."""

import dataclasses
import warnings

import numpy as np
import pytest

import paraxis as px

ARM = px.robots.planar(2)
DT = 1e-3


def states(robots, seed=0):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, (robots, 2)), rng.uniform(-1, 1, (robots, 2))


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.RobotWarning)
        yield


@pytest.mark.parametrize("method", ["rk4", "semi_implicit_euler"])
@pytest.mark.parametrize("robots", [1, 5, 33])
def test_steps_are_those_of_a_run(method, robots):
    q, qd = states(robots)
    tau = np.full((robots, 2), 0.3)
    run = px.simulate(ARM, q, qd, tau, dt=DT, steps=7, method=method)
    simulator = px.Simulator(ARM, dt=DT, method=method)
    state = simulator.reset(q, qd)
    for _ in range(3):
        simulator.step(tau)
    simulator.step(tau, n=4)
    assert np.array_equal(state.q, run.q[-1])  # written in place
    assert np.array_equal(state.qd, run.qd[-1])
    assert np.allclose(state.t, 7 * DT)


def test_runs_go_on_from_where_robots_are():
    q, qd = states(4)

    def law(t, q, qd):
        return np.sin(50 * t) - qd

    whole = px.simulate(ARM, q, qd, controller=law, dt=DT, steps=20)
    simulator = px.Simulator(ARM, dt=DT)
    simulator.reset(q, qd)
    first = simulator.run(law, 8)
    second = simulator.run(law, 12)
    assert np.array_equal(first.q, whole.q[:9])
    assert np.array_equal(second.q, whole.q[8:])
    assert np.array_equal(simulator.state.qd, whole.qd[-1])


def test_a_command_goes_through_a_controller():
    q, qd = states(3)
    goal = np.array([[0.1, 0.2], [0.3, -0.4], [0.0, 1.0]])

    def servo(t, q, qd, u):
        return 20 * (u - q) - 2 * qd

    simulator = px.Simulator(ARM, dt=DT, controller=servo)
    simulator.reset(q, qd)
    simulator.step(goal, 10)
    run = px.simulate(ARM, q, qd, controller=servo, u=goal, dt=DT, steps=10)
    assert np.array_equal(simulator.state.q, run.q[-1])
    simulator.step(goal - 1.0, 2)  # read anew, not compiled anew
    again = px.simulate(ARM, run.q[-1], run.qd[-1], controller=servo, u=goal - 1, dt=DT, steps=2)
    assert np.array_equal(simulator.state.q, again.q[-1])


class Integrator:
    """PI control on the arm: what a controller with memory looks like to a simulator."""

    def __init__(self, first=0.0):
        self.memory = {"error": np.full(2, first), "count": 0.0}

    def __call__(self, t, q, qd, memory, goal):
        error = memory["error"] + DT * (goal - q)
        tau = 30 * (goal - q) + 40 * error - 5 * qd
        return tau, {"error": error, "count": memory["count"] + 1.0}


def by_hand(q, qd, goal, steps, first=0.0):
    """The same, a step at a time."""
    error = np.full_like(q, first)
    for _ in range(steps):
        error = error + DT * (goal - q)
        tau = 30 * (goal - q) + 40 * error - 5 * qd
        run = px.simulate(ARM, q, qd, tau, dt=DT, steps=1)
        q, qd = run.q[-1], run.qd[-1]
    return q, qd, error


def test_a_controller_remembers():
    q, qd = states(5)
    goal = np.array([0.4, -0.3])
    expected_q, expected_qd, error = by_hand(q, qd, goal, 30)
    law = Integrator()
    simulator = px.Simulator(ARM, dt=DT)
    simulator.reset(q, qd)
    simulator.run(law, 12, goal=goal[None])
    simulator.run(law, 18, goal=goal[None])
    assert np.allclose(simulator.state.q, expected_q, 0, 1e-12)
    assert np.allclose(simulator.state.qd, expected_qd, 0, 1e-11)
    assert np.allclose(simulator.state.memory["error"], error, 0, 1e-12)
    assert (simulator.state.memory["count"] == 30).all()
    run = px.simulate(ARM, q, qd, controller=law, goal=goal[None], dt=DT, steps=30)
    assert np.array_equal(run.q[-1], simulator.state.q)


def test_references_per_step():
    q, qd = states(3)
    goals = np.random.default_rng(1).uniform(-1, 1, (15, 3, 2))

    def track(t, q, qd, goal):
        return 30 * (goal - q) - 5 * qd

    simulator = px.Simulator(ARM, dt=DT)
    simulator.reset(q, qd)
    run = simulator.run(track, 15, per_step={"goal": goals})
    for k, goal in enumerate(goals):
        one = px.simulate(ARM, run.q[k], run.qd[k], controller=track, goal=goal, dt=DT, steps=1)
        assert np.array_equal(one.q[-1], run.q[k + 1])
    shared = simulator.run(track, 15, per_step={"goal": goals[:, :1]})  # one for all robots
    assert np.isfinite(shared.q).all()
    with pytest.raises(px.ArgumentError, match="15"):
        simulator.run(track, 15, per_step={"goal": goals[:7]})


def test_some_robots_are_reset():
    q, qd = states(6)
    simulator = px.Simulator(ARM, dt=DT)
    simulator.reset(q, qd)
    simulator.step(n=5)
    before = simulator.state.copy()
    mask = np.array([True, False, False, True, False, True])
    state = simulator.reset(np.zeros(2), mask=mask)
    assert np.array_equal(state.q[~mask], before.q[~mask])
    assert not state.q[mask].any() and not state.qd[mask].any()
    assert np.allclose(state.t, np.where(mask, 0.0, 5 * DT))
    simulator.step(n=2)
    assert np.allclose(simulator.state.t, np.where(mask, 2, 7) * DT)


def test_memory_is_reset_with_its_robot():
    q, qd = states(4)
    law = Integrator(first=0.5)
    simulator = px.Simulator(ARM, dt=DT)
    simulator.reset(q, qd)
    simulator.run(law, 3, goal=np.zeros((1, 2)))
    mask = np.array([False, True, False, False])
    simulator.reset(q, qd, mask=mask)
    assert (simulator.state.memory["count"] == [3, 0, 3, 3]).all()
    assert (simulator.state.memory["error"][1] == 0.5).all()


def test_parameters_of_each_robot_are_kept():
    q, qd = states(3)
    mass = np.random.default_rng(2).uniform(0.5, 2, (3, 2))
    simulator = px.Simulator(ARM, dt=DT)
    simulator.reset(q, qd, mass=mass)
    simulator.step(n=4)
    run = px.simulate(ARM, q, qd, dt=DT, steps=4, mass=mass)
    assert np.array_equal(simulator.state.q, run.q[-1])
    mask = np.array([True, False, False])
    simulator.reset(q, qd, mask=mask, mass=3 * mass)
    simulator.step(n=4)
    heavier = px.simulate(ARM, q, qd, dt=DT, steps=4, mass=3 * mass)
    longer = px.simulate(ARM, q, qd, dt=DT, steps=8, mass=mass)
    assert np.array_equal(simulator.state.q[0], heavier.q[-1, 0])
    assert np.array_equal(simulator.state.q[1:], longer.q[-1, 1:])


def test_random_parameters_depend_on_the_robot_and_the_reset_alone():
    draw = px.simulation.scaled(ARM, "mass", 0.5, 1.5)
    q, qd = states(8)

    def simulator():
        return px.Simulator(ARM, dt=DT, randomize={"mass": draw}, seed=3)

    first, second = simulator(), simulator()
    first.reset(q, qd)
    second.reset(q, qd)
    assert np.array_equal(first.given["mass"], second.given["mass"])
    nominal = np.array(px.parameter_values(ARM, "mass"))
    assert (first.given["mass"] >= 0.5 * nominal).all()
    assert (first.given["mass"] <= 1.5 * nominal).all()
    assert len(np.unique(first.given["mass"])) > 8
    first.step(n=3)
    mask = np.arange(8) == 2
    before = first.given["mass"].copy()
    first.reset(q, qd, mask=mask)
    changed = (first.given["mass"] != before).any(-1)
    assert np.array_equal(changed, mask)
    first.step(n=3)
    same = px.simulate(ARM, q, qd, dt=DT, steps=3, mass=first.given["mass"])
    assert np.array_equal(first.state.q[2], same.q[-1, 2])


def test_float32():
    q, qd = states(20)
    simulator = px.Simulator(ARM, dt=DT, dtype="float32")
    state = simulator.reset(q, qd)
    assert state.q.dtype == np.float32
    simulator.step(np.zeros((20, 2), np.float32), n=50)
    exact = px.simulate(ARM, q, qd, dt=DT, steps=50)
    assert abs(state.q - exact.q[-1]).max() < 1e-5
    assert simulator.run(steps=2).q.dtype == np.float32


def test_noise_needs_float64():
    noisy = px.control.measured(ARM, lambda t, q, qd: -q, noise=0.1)
    simulator = px.Simulator(ARM, dt=DT, controller=noisy, dtype="float32")
    simulator.reset(*states(2))
    for call in (simulator.step, lambda: simulator.run(steps=2)):
        with pytest.raises(px.ArgumentError, match="random numbers.*dtype='float64'"):
            call()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: s.step(np.zeros(3)), "u: expected shape"),
        (lambda s: s.step(np.zeros((7, 2))), "expected shape"),
        (lambda s: s.step(n=-1), "n: expected an integer"),
        (lambda s: s.step(n=1.5), "n: expected an integer"),
        (lambda s: s.reset(np.zeros((4, 2)), mask=np.zeros(4)), "mask: expected bool"),
        (lambda s: s.reset(np.zeros((4, 2)), mask=np.zeros(3, bool)), "mask: expected bool"),
        (lambda s: s.reset(np.zeros(3)), "expected shape"),
        (lambda s: s.run(lambda t, q, qd: q, 3, tau=np.zeros(2)), "cannot be combined"),
        (lambda s: s.run(3, 3), "controller: expected a function"),
        (lambda s: s.reset(np.zeros((2, 2)), mask=np.eye(4, dtype=bool)[0]), "q: expected a row"),
        (lambda s: s.run(steps=2, tau=np.zeros(2), gain=1.0), "gain: settings are for a contr"),
        (lambda s: s.run(lambda t, q, qd: q, 3, gain=1.0), "gain"),
        (lambda s: s.run(lambda t, q, qd, a: a * q, 3), "missing.*'a'; give a="),
        (
            lambda s: s.run(lambda t, q, qd, a: a * q, 3, per_step={"a": np.zeros(3)}),
            "a: .* 3 steps as first axis, then the batch .4,. or 1 in its place, found",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    simulator = px.Simulator(ARM, dt=DT)
    simulator.reset(*states(4))
    with pytest.raises(px.ArgumentError, match=words):
        call(simulator)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"randomize": ["mass"]}, "randomize: expected a dict from names to functions"),
        ({"randomize": {"mass": 3.0}}, "randomize: expected a function draw"),
        ({"seed": -1}, "seed: expected an integer >= 0"),
        ({"seed": "a"}, "seed: expected an integer >= 0"),
    ],
)
def test_a_simulator_that_cannot_be_made_says_why(options, words):
    with pytest.raises(px.ArgumentError, match=words):
        px.Simulator(ARM, dt=DT, **options)


def test_a_reset_that_is_refused_changes_nothing():
    body = px.robots.Inertia.of(1.0, (0, 0, 0), (0.1, 0.1, 0.1))
    robot = px.Robot("body", [px.robots.Joint("free", "free")], [body])
    simulator = px.Simulator(robot, dt=DT)
    start = np.tile(px.neutral(robot), (2, 1))
    state = simulator.reset(start)
    for mask in (None, np.array([True, False])):
        with pytest.raises(px.ArgumentError, match="length 1"):
            simulator.reset(2.0 * start, mask=mask)
        simulator.step()
        assert np.array_equal(simulator.state.q, state.q)
        assert np.array_equal(state.q[:, 3:], start[:, 3:])


def test_a_stepped_controller_gets_its_command_and_can_be_traced():
    simulator = px.Simulator(ARM, dt=DT, controller=lambda t, q, qd, u: u - q)
    simulator.reset(*states(2))
    with pytest.raises(px.ArgumentError, match="missing a required argument: 'u'"):
        simulator.step()
    simulator = px.Simulator(ARM, dt=DT, controller=lambda t, q, qd: q if t < 1 else qd)
    simulator.reset(*states(2))
    with pytest.raises(px.ArgumentError, match="cannot be stepped, only run"):
        simulator.step()


def test_steps_need_robots_and_fixed_steps():
    simulator = px.Simulator(ARM, dt=DT)
    with pytest.raises(px.ArgumentError, match="reset"):
        simulator.step()
    with pytest.raises(px.ArgumentError, match="reset"):
        simulator.run(steps=2)
    adaptive = px.Simulator(ARM, dt=DT, method="adaptive")
    adaptive.reset(*states(2))
    assert np.isfinite(adaptive.run(steps=3).q).all()
    with pytest.raises(px.ArgumentError, match="adaptive"):
        adaptive.step()


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (lambda m: {"error": m["error"]}, "same names"),
        (lambda m: m | {"error": np.zeros(3)}, "same shapes"),
        (lambda m: None, "must return"),
    ],
)
def test_memory_keeps_its_names_and_shapes(after, words):
    class Wrong(Integrator):
        def __call__(self, t, q, qd, memory, goal):
            return [0.0, 0.0], after(memory)

    simulator = px.Simulator(ARM, dt=DT)
    simulator.reset(*states(2))
    with pytest.raises(px.ArgumentError, match=words):
        simulator.run(Wrong(), 2, goal=np.zeros((1, 2)))


def test_a_free_base_is_stepped():
    robot = px.load("ur5", floating_base=True)
    q = np.tile(px.neutral(robot), (3, 1))
    simulator = px.Simulator(robot, dt=DT)
    simulator.reset(q)
    simulator.step(n=10)
    run = px.simulate(robot, q, np.zeros((3, robot.nv)), dt=DT, steps=10)
    assert np.array_equal(simulator.state.q, run.q[-1])


def test_some_robots_are_reset_while_others_move_in_float32():
    """Quaternions of robots that move are off by rounding; nobody gave them."""
    body = px.load("go2", floating_base=True)
    simulator = px.Simulator(body, dt=5e-3, dtype="float32")
    q = np.tile(np.concatenate([[0, 0, 1.0, 0, 0, 0, 1], np.tile([0.0, 0.8, -1.5], 4)]), (64, 1))
    qd = np.random.default_rng(0).normal(size=(64, body.nv))
    simulator.reset(q, qd)
    mask = np.arange(64) % 2 == 0
    for _ in range(10):
        simulator.step(np.zeros(body.nv), 20)
        simulator.reset(q, qd, mask)
    off = abs(np.linalg.norm(simulator.state.q[:, 3:7], axis=-1) - 1)
    assert not off[mask].any() and off.max() < 1e-4
    with pytest.raises(px.ArgumentError, match="must have length 1"):
        simulator.reset(1.01 * q, qd, mask)


def test_memory_is_there_before_the_first_step():
    simulator = px.Simulator(ARM, dt=DT, controller=Integrator(0.5))
    state = simulator.reset(*states(3), goal=np.zeros((1, 2)))
    assert (state.memory["error"] == 0.5).all() and state.memory["count"].shape == (3,)


# -- on the ground ---------------------------------------------------------------------------------


def on_the_ground(robots=3, **options):
    body = px.robots.Inertia.of(2.0, (0, 0, 0), (0.01, 0.01, 0.01))
    frames = [px.robots.Frame("body", 0)]
    robot = px.Robot("ball", [px.robots.Joint("free", "free")], [body], frames)
    points = [px.simulation.ContactPoint("body", (x, 0, 0), 0.1) for x in (-0.1, 0.1)]
    ground = px.simulation.Ground(points, **options)
    return px.Simulator(robot, dt=DT, ground=ground), np.tile(
        [0, 0, 0.1, 0, 0, 0, 1.0], (robots, 1)
    )


def test_the_state_has_the_impulses_of_the_last_step():
    simulator, q = on_the_ground()
    state = simulator.reset(q)
    assert state.impulses.shape == (3, 2, 3) and not state.impulses.any()
    for advance in (lambda: simulator.step(n=5), lambda: simulator.run(steps=5)):
        advance()
        given = simulator.robot, simulator.ground, state.q, state.impulses, DT
        force = px.simulation.contact_forces(*given).force.sum(-2)
        np.testing.assert_allclose(force, np.tile([0, 0, 2 * 9.81], (3, 1)), atol=1e-3)
    simulator.reset(q + np.eye(7)[2], mask=np.array([True, False, False]))
    assert not state.impulses[0].any() and state.impulses[1].any()
    before = state.copy()
    simulator.step()
    assert not state.impulses[0].any() and before.impulses is not state.impulses
    assert px.Simulator(ARM, dt=DT).reset(np.zeros(2)).impulses is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"friction": np.full(3, 0.5)},
            r"friction: .* per contact, shape \(..., 2\), found \(3,\)",
        ),
        ({"friction": np.full((3, 1), 0.5)}, "per contact"),
        ({"friction": [-0.1, 0.5]}, "friction: expected numbers >= 0, found -0.1"),
        ({"restitution": [0.1, 2.0, 0.0]}, "restitution: expected numbers >= 0 and <= 1, found 2"),
    ],
)
def test_coefficients_that_do_not_fit_are_refused(given, words):
    simulator, q = on_the_ground()
    with pytest.raises(px.ArgumentError, match=words):
        simulator.reset(q, **given)
    simulator.reset(q, friction=np.full((3, 2), 0.5), restitution=np.zeros(3))
    with pytest.raises(px.ArgumentError, match=words):
        simulator.reset(q, mask=np.ones(3, bool), **given)


def test_the_soft_law_has_no_restitution_of_robots():
    simulator, q = on_the_ground(law="soft")
    with pytest.raises(px.ArgumentError, match="the soft law has none"):
        simulator.reset(q, restitution=0.5)


def test_limits_that_act_in_steps_are_mentioned_once():
    robot = dataclasses.replace(px.robots.planar(2), name="mentioned in steps")
    weak = [dataclasses.replace(joint, max_effort=1.0) for joint in robot.joints]
    robot = dataclasses.replace(robot, joints=weak)
    simulator = px.Simulator(robot, dt=1e-3)
    state = simulator.reset(np.zeros((3, 2)))
    state.q[1] = np.nan
    simulator.step(np.zeros((3, 2)))  # nothing acts yet
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(7):
            simulator.step(np.full((3, 2), 5.0))
    (only,) = [each.message for each in said]
    assert isinstance(only, px.SimulationWarning)
    assert "got less torque than asked for" in str(only)
    quiet = px.Simulator(
        dataclasses.replace(robot, name="q"), dt=1e-3, limits=px.simulation.Limits()
    )
    quiet.reset(np.zeros((3, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quiet.step(np.full((3, 2), 5.0), n=8)


def test_names_that_no_controller_takes_are_refused_by_steps():
    robot = px.robots.planar(2)
    draw = {"masss": lambda rng, count: np.ones((count, 2))}
    simulator = px.Simulator(robot, dt=1e-3, randomize=draw)
    simulator.reset(np.zeros((3, 2)))
    with pytest.raises(px.ArgumentError, match="masss: without a controller.*did you mean.*mass"):
        simulator.step(np.zeros(2))


def test_a_single_robot_is_drawn_and_reset():
    def hold(t, q, qd, gain):
        return gain * -q

    draw = {"gain": lambda rng, count: rng.uniform(1.0, 2.0, count)}
    simulator = px.Simulator(px.robots.planar(2), dt=1e-3, controller=hold, randomize=draw)
    state = simulator.reset(np.ones(2))
    first = float(simulator.settings["gain"])
    simulator.step(n=3)
    simulator.reset(np.ones(2), mask=np.array(True))
    assert state.t == 0
    assert 1.0 <= float(simulator.settings["gain"]) <= 2.0
    assert float(simulator.settings["gain"]) != first
