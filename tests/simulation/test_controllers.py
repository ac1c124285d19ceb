"""Controllers of a simulation: compiled, called, with settings, and wrong."""

import warnings

import numpy as np
import pytest
from support.robots import relative_error
from support.simulations import FIXED, GOAL, METHODS, REST, START, TABLE, TRACED, reference, ur5

import paraxis as px
from paraxis.targets import store

# -- controllers -----------------------------------------------------------------------------------


# what differs between rules is when a controller is called, and where steps end
BY_EVERY_RULE = ("spring and damper", "cartesian", "sine of time", "switching")


@pytest.mark.parametrize(
    "name, method",
    [
        pytest.param(
            name, method, marks=() if method == "rk4" or name in BY_EVERY_RULE else pytest.mark.long
        )
        for name in TRACED
        for method in METHODS
    ],
)
def test_a_controller_is_compiled_and_moves_as_when_it_is_called(name, method):
    controller = TRACED[name]

    def with_floats(t, q, qd):
        return controller(float(t), np.asarray(q, float), np.asarray(qd, float))

    options = {"dt": 5e-3, "steps": 10, "method": method, "limits": px.simulation.Limits()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = px.simulate(ur5(), START, REST, controller=controller, **options)
    with pytest.warns(px.SimulationWarning, match="runs uncompiled.*not a float yet"):
        called = px.simulate(ur5(), START, REST, controller=with_floats, **options)
    tolerance = 1e-7 if method == "adaptive" else 1e-11
    if (name, method) == ("switching", "adaptive"):
        tolerance = 1e-5  # where it jumps, each takes steps of its own
    assert relative_error(compiled.q, called.q) < tolerance
    assert relative_error(compiled.qd, called.qd) < 10 * tolerance


def choosing(t, q, qd):
    return (GOAL if t > 0.02 else -GOAL) - qd


def from_a_table(t, q, qd):
    return TABLE[min(int(t / 5e-3), 9)] - qd


def written_into(t, q, qd):
    tau = np.zeros(np.shape(q))
    tau[..., 0] = -q[..., 0]
    return tau


OPAQUE = {
    "if": choosing,
    "table": from_a_table,
    "assignment": written_into,
    "sort": lambda t, q, qd: -np.sort(qd),
    "hyperbolic sine": lambda t, q, qd: -np.sinh(qd),
    "floats": lambda t, q, qd: -np.array(q, dtype=float),
}


def test_a_controller_that_numpy_cannot_trace_is_told_what_to_write():
    controller = OPAQUE["hyperbolic sine"]
    with pytest.warns(px.SimulationWarning, match=r"np\.sinh.*write \(px\.math\.exp\(x\)"):
        px.simulate(ur5(), START, REST, controller=controller, dt=1e-3, steps=1)


@pytest.mark.parametrize("name", OPAQUE)
def test_a_controller_that_wants_floats_runs_uncompiled_and_says_so(name):
    controller, dt = OPAQUE[name], 5e-3
    q0 = np.array([START, GOAL])
    with pytest.warns(px.SimulationWarning, match="controller: runs uncompiled"):
        run = px.simulate(ur5(), q0, REST, controller=controller, dt=dt, steps=5)
    q, qd = q0, np.zeros((2, 6))
    for step in range(5):  # the rule once more, as the textbook has it

        def slope(t, q, qd):
            return px.forward_dynamics(ur5(), q, qd, controller(t, q, qd))

        t = step * dt
        a1 = slope(t, q, qd)
        q2, v2 = q + dt / 2 * qd, qd + dt / 2 * a1
        a2 = slope(t + dt / 2, q2, v2)
        q3, v3 = q + dt / 2 * v2, qd + dt / 2 * a2
        a3 = slope(t + dt / 2, q3, v3)
        q4, v4 = q + dt * v3, qd + dt * a3
        a4 = slope(t + dt, q4, v4)
        q, qd = q + dt / 6 * (qd + 2 * v2 + 2 * v3 + v4), qd + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        assert abs(run.q[step + 1] - q).max() < 1e-12
        assert abs(run.qd[step + 1] - qd).max() < 1e-10


def test_a_controller_with_chance_in_it_is_not_frozen():
    """Traced, its noise would be four constants."""
    rng = np.random.default_rng(0)
    with pytest.warns(px.SimulationWarning, match="called again; px.math.random_normal makes"):
        run = px.simulate(
            ur5(), START, REST, controller=lambda t, q, qd: rng.normal(size=6), dt=1e-3, steps=20
        )
    torques = px.inverse_dynamics(ur5(), run.q[:-1], run.qd[:-1], np.diff(run.qd, axis=0) / 1e-3)
    assert len(np.unique(np.round(torques[:, 0], 3))) > 15


class Integrating:
    """A controller with a memory."""

    def __init__(self, wants_floats):
        self.total, self.calls, self.wants_floats = 0.0, 0, wants_floats

    def __call__(self, t, q, qd):
        t = float(t) if self.wants_floats else t
        self.total, self.calls = self.total + (GOAL - q) * 1e-3, self.calls + 1
        return 10 * (GOAL - q) + self.total - qd


def test_a_controller_that_remembers_asks_for_floats():
    controller = Integrating(wants_floats=True)
    with pytest.warns(px.SimulationWarning, match="not a float yet"):
        run = px.simulate(
            ur5(), START, REST, controller=controller, dt=1e-3, steps=9, method=FIXED[1]
        )
    assert controller.calls == 9  # once a step, none besides
    assert np.allclose(controller.total, ((GOAL - run.q[:-1]) * 1e-3).sum(0), rtol=1e-12)
    with (
        pytest.raises(px.ArgumentError, match=r"kept from when it was traced.*float\(t\)"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        px.simulate(ur5(), START, REST, controller=Integrating(False), dt=1e-3, steps=9)


def test_an_opaque_controller_moves_one_robot_adaptively():
    options = {"dt": 1e-2, "steps": 6, "method": "adaptive"}
    with pytest.warns(px.SimulationWarning, match="runs uncompiled"):
        run = px.simulate(ur5(), START, REST, controller=OPAQUE["hyperbolic sine"], **options)
    q, _ = reference(ur5(), START, REST, run.t, OPAQUE["hyperbolic sine"])
    assert abs(run.q - q).max() < 1e-8
    with warnings.catch_warnings(), pytest.raises(px.ArgumentError, match="single robot"):
        warnings.simplefilter("error")  # nothing else is said
        px.simulate(ur5(), [START] * 2, REST, controller=OPAQUE["hyperbolic sine"], **options)


def unequal(t, q, qd):
    return [[1.0], 1, 1, 1, 1, 1]


WRONG = {
    "sliced": (lambda t, q, qd: 2 * px.gravity_torques(ur5(), q)[:3], r"\(6,\), found \(3,\)"),
    "few": (lambda t, q, qd: [1.0] * 5, r"torques of shape \(6,\), found \(5,\)"),
    "nested": (lambda t, q, qd: [[1.0] * 6], r"torques of shape \(6,\), found \(1, 6\)"),
    "one number": (lambda t, q, qd: 1.0, r"torques of shape \(6,\), found \(\)"),
    "None": (lambda t, q, qd: None, r"torques of shape \(6,\), found None: it returns nothing"),
    "text": (lambda t, q, qd: "torques", r"torques of shape \(6,\), found \(\)"),
    "texts": (lambda t, q, qd: list("torque"), "numbers as torques, found str"),
    "Nones": (lambda t, q, qd: [None] * 6, "numbers as torques, found NoneType"),
    "complex": (lambda t, q, qd: [1j] * 6, "numbers as torques, found complex"),
    "unequal": (unequal, "numbers as torques, found list"),
    "few, called": (lambda t, q, qd: [float(t)] * 5, r"shape \(6,\), found \(5,\)"),
    "nested, called": (lambda t, q, qd: [[float(t)] * 6] * 2, r"shape \(6,\), found \(2, 6\)"),
    "text, called": (lambda t, q, qd: ["a"] * int(6 + float(t)), "numbers as torques, found str"),
    "None, called": (lambda t, q, qd: None if t < 1 else 0, r"shape \(6,\), found None"),
    "one number, called": (lambda t, q, qd: float(t), r"shape \(6,\), found \(\)"),
    "unequal, called": (
        lambda t, q, qd: [float(t), [1], 1, 1, 1, 1],
        "numbers as torques, found list",
    ),
    "yes and no, called": (
        lambda t, q, qd: [t > 0] * int(6 + float(t)),
        "numbers as torques, found bool",
    ),
    "rows, called": (lambda t, q, qd: [[float(t)], [1, 2]], r"shape \(6,\), found \(2,\)"),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", WRONG)
@pytest.mark.filterwarnings("ignore::paraxis.errors.SimulationWarning")
def test_a_controller_of_wrong_shape(name, method):
    controller, message = WRONG[name]
    with pytest.raises(px.ArgumentError, match=f"controller: expected .*{message}"):
        px.simulate(ur5(), START, REST, controller=controller, dt=1e-3, steps=3, method=method)


@pytest.mark.filterwarnings("ignore::paraxis.errors.SimulationWarning")
def test_a_called_controller_is_told_that_it_gets_the_whole_batch():
    with pytest.raises(
        px.ArgumentError, match=r"shape \(4, 6\) .*q\[\.\.\., j\]\), found \(6, 6\)"
    ):
        px.simulate(
            ur5(),
            np.zeros((4, 6)),
            REST,
            controller=lambda t, q, qd: [float(t) - q[0] for _ in range(6)],
            dt=1e-3,
            steps=1,
        )


@pytest.mark.parametrize("own", (float, lambda t: [float(t)] * 6, lambda t: [[float(t)]] * 4))
def test_a_called_controller_returns_torques_of_every_robot(own):
    """What would only be spread over the batch is not what was asked for."""
    q0 = np.zeros((4, 6))
    with pytest.raises(px.ArgumentError, match=r"torques of shape \(4, 6\) .*, found \("):
        px.simulate(ur5(), q0, REST, controller=lambda t, q, qd: own(t), dt=1e-3, steps=1)


@pytest.mark.filterwarnings("ignore::paraxis.errors.SimulationWarning")
def test_mistakes_in_a_controller_are_shown():
    with pytest.raises(KeyError, match="gains"):
        px.simulate(ur5(), START, REST, controller=lambda t, q, qd: {}["gains"], dt=1e-3, steps=1)
    with pytest.raises(px.ArgumentError, match=r"controller\(t, q, qd\), but .*too many pos"):
        px.simulate(ur5(), START, REST, controller=lambda q, qd: q, dt=1e-3, steps=1)


def joint_by_joint(t, q, qd):
    """With floats, each joint alike: the torques of a transposed batch are transposed back."""
    return np.array([-10 * q[j] for j in range(6)], float)


def shuffled(t, q, qd):
    return np.array([-10 * q[5 - j] for j in range(6)], float)


def robot_by_robot(t, q, qd):
    return np.array([-10 * np.asarray(own, float) for own in q]).reshape(np.shape(q))


def of_all_joints(t, q, qd):
    return -10 * np.asarray(q, float)


class Noisy:
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __call__(self, t, q, qd):
        return np.asarray(q, float) + self.rng.normal(size=np.shape(q))


def test_joints_are_not_taken_for_robots():
    """Of six robots of six joints, q[j] is robot j: transposed torques that look right."""
    options = {"controller": joint_by_joint, "dt": 1e-3, "steps": 2}
    q0 = np.random.default_rng(0).normal(size=(6, 6))
    hint = r"cannot be traced \(.*whole batch, \(\d, 6\): write q\[\.\.\., j\] for joint j; "
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an error is enough
        with pytest.raises(px.ArgumentError, match=hint + "robot 0 gets different torques"):
            px.simulate(ur5(), q0, REST, **options | {"controller": shuffled})
        with pytest.raises(px.ArgumentError, match=hint + "that call raised IndexError") as raised:
            px.simulate(ur5(), q0[:3], REST, **options)
    assert isinstance(raised.value.__cause__, IndexError)
    with pytest.warns(px.SimulationWarning, match="uncompiled"):  # one robot has joints only
        px.simulate(ur5(), q0[0], REST, **options)


@pytest.mark.parametrize("controller", (robot_by_robot, of_all_joints, Noisy()))
@pytest.mark.parametrize("batch", ((6,), (2, 6), (0, 6)), ids=str)
def test_a_controller_of_the_whole_batch_is_not_suspected(controller, batch):
    with pytest.warns(px.SimulationWarning, match="uncompiled"):
        px.simulate(ur5(), np.ones((*batch, 6)), REST, controller=controller, dt=1e-3, steps=2)


def test_a_controller_that_remembers_is_not_asked_on_trial():
    controller = Integrating(wants_floats=True)
    with pytest.warns(px.SimulationWarning, match="not a float yet"):
        px.simulate(ur5(), np.ones((6, 6)), REST, controller=controller, dt=1e-3, steps=3)
    assert controller.calls == 3 * 4


# -- settings of a controller --------------------------------------------------------------------


def damper(t, q, qd, gain, goal):
    return gain * (goal - q) - 0.3 * gain * qd


def test_each_robot_has_settings_of_its_own():
    robot = px.robots.planar(2)
    q0, gain = np.zeros((5, 2)), np.linspace(1, 9, 5)
    goal = np.random.default_rng(0).uniform(-1, 1, (5, 2))
    many = px.simulate(
        robot, q0, q0, controller=damper, dt=1e-3, steps=50, gain=gain, goal=goal, method="rk4"
    )
    for k in range(5):
        fixed = px.simulate(
            robot,
            q0[k],
            q0[k],
            controller=lambda t, q, qd, k=k: damper(t, q, qd, float(gain[k]), goal[k]),
            dt=1e-3,
            steps=50,
        )
        np.testing.assert_allclose(many.q[:, k], fixed.q, atol=1e-14)


@pytest.mark.parametrize("called", (False, True))
@pytest.mark.filterwarnings("ignore:controller. runs uncompiled")
def test_robots_share_settings(called):
    def controller(t, q, qd, gain, goal):
        return damper(float(t) if called else t, q, qd, gain, goal)

    robot, zeros, goal = px.robots.planar(2), np.zeros((2, 3, 2)), np.arange(4.0).reshape(2, 1, 2)
    options = {"controller": controller, "dt": 1e-3, "steps": 10, "method": "rk4"}
    shared = px.simulate(robot, zeros, zeros, gain=3.0, goal=goal, **options)
    apart = {"gain": np.full((2, 3, 1), 3.0), "goal": np.tile(goal, (1, 3, 1))}
    np.testing.assert_array_equal(shared.q, px.simulate(robot, zeros, zeros, **apart, **options).q)
    assert (shared.q[:, :, 0] == shared.q[:, :, 2]).all()
    assert (shared.q[-1, 0] != shared.q[-1, 1]).all()


@pytest.mark.parametrize("method", ("rk4", "adaptive"))
def test_settings_compile_once(method):
    robot = px.robots.planar(2)
    before = None
    store.forget()
    for gain in (1.0, 2.0, 3.0):
        px.simulate(
            robot, [0, 0], [0, 0], controller=damper, dt=1e-2, steps=2, gain=gain, goal=[1, 1],
            method=method,
        )  # fmt: skip
        loops = [parts for parts, _ in store._loaded if parts[0] == "iterate"]
        assert before in (None, loops)
        before = loops


def test_a_called_controller_gets_settings_of_the_whole_batch():
    robot = px.robots.planar(2)
    seen = []

    def asks(t, q, qd, gain, goal):
        seen.append((gain.shape, goal.shape))
        return damper(float(t), q, qd, gain[:, None], goal)

    given = {"gain": np.linspace(1, 2, 3), "goal": np.ones((3, 2))}
    zeros = np.zeros((3, 2))
    traced = px.simulate(robot, zeros, zeros, controller=damper, dt=1e-2, steps=5, **given)
    with pytest.warns(px.SimulationWarning, match="uncompiled"):
        called = px.simulate(robot, zeros, zeros, controller=asks, dt=1e-2, steps=5, **given)
    np.testing.assert_allclose(called.q, traced.q, atol=1e-14)
    assert seen[-1] == ((3,), (3, 2))


@pytest.mark.parametrize(
    "keywords, words",
    (
        ({"gain": [1.0, 2.0], "goal": [[1, 1]] * 3}, "gain.*batch .3,. as first axes.*found.*2"),
        ({"gain": 1.0, "goal": [1, 1]}, r"goal: .*found shape \(2,\); write goal\[None\]"),
        ({"gain": "high", "goal": [[1, 1]] * 3}, "gain: expected real numbers"),
        ({"gain": [1.0] * 3}, r"\(t, q, qd, gain=gain\), but .*missing .*'goal'"),
        ({"gain": 1.0, "goal": [[1, 1]] * 3, "q": 1.0}, "q: choose another name .* t, q, qd"),
        ({"gain": 1.0, "goal": [[1, 1]] * 3, "t": 1.0}, "t: choose another name"),
        ({"gain": 1.0, "goal": [[1, 1]] * 3, "knd": 1.0}, "unexpected keyword argument 'knd'"),
    ),
)
def test_wrong_settings(keywords, words):
    zeros = np.zeros((3, 2))
    with pytest.raises(px.ArgumentError, match=words), warnings.catch_warnings():
        warnings.simplefilter("error")
        px.simulate(
            px.robots.planar(2), zeros, zeros, controller=damper, dt=1e-2, steps=5, **keywords
        )


def test_settings_need_a_controller():
    with pytest.raises(px.ArgumentError, match="maas: without a controller.*mass"):
        px.simulate(px.robots.planar(2), [0, 0], [0, 0], dt=1e-2, steps=5, maas=[1, 1])


@pytest.mark.parametrize("called", (False, True))
def test_torques_are_on_the_shafts_of_motors_also_without_losses(called):
    bare = px.robots.planar(2)
    drives = {
        "joint1": {"transmission": px.robots.Transmission(ratio=50.0)},
        "joint2": {"transmission": px.robots.Transmission(ratio=-20.0)},
    }
    geared, at_joint = bare.with_drives(drives), np.array([7.0, -3.0])
    expected = px.simulate(bare, [0, 0], [0, 0], at_joint, dt=1e-3, steps=100)

    def on_shafts(t, q, qd):
        return at_joint / (50.0, -20.0) + 0.0 * (float(t) if called else 0.0)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = px.simulate(geared, [0, 0], [0, 0], controller=on_shafts, dt=1e-3, steps=100)
    np.testing.assert_allclose(found.q, expected.q, atol=1e-12)
