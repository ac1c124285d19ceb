"""Simulations that fail, are interrupted, or make no sense."""

import io
import math
import re
import signal
import sys
import threading

import numpy as np
import pytest
from support.bits import same_bits
from support.simulations import METHODS, REST, START, TRACED, ur5

import paraxis as px
from paraxis.simulation import bodies, progress
from paraxis.targets import store

# -- failures --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_what_is_no_number_stays_in_its_robot(method):
    q0 = np.random.default_rng(6).normal(size=(11, 6))
    options = {"dt": 1e-3, "steps": 5, "method": method}
    good = px.simulate(ur5(), q0, REST, **options)
    q0[3, 2] = np.nan
    with pytest.warns(px.SimulationWarning, match="1 of 11 robots, robot 3 first, at step 0"):
        run = px.simulate(ur5(), q0, REST, **options)
    others = np.arange(11) != 3
    assert run.failed_at.tolist() == [-1] * 3 + [0] + [-1] * 7
    assert same_bits(run.q[:, others], good.q[:, others])
    assert np.isnan(run.q[1:, 3]).any(-1).all()
    assert "1 failed" in repr(run)


def test_a_parameter_that_is_no_number_and_that_nothing_uses():
    """It spoils its robot from the first step on, and failed_at says which that is."""
    com = np.array([[[0.5, 0.0, 0.0]], [[0.5, math.nan, 0.0]]])  # a pendulum's, beside its axis
    with pytest.warns(px.SimulationWarning, match="robot 1 first, at step 1:"):
        run = px.simulate(px.robots.planar(1), [0.1], [0.0], dt=0.1, steps=3, com=com)
    assert run.failed_at.tolist() == [-1, 1] and np.isnan(run.q[1:, 1]).all()


def test_torques_that_are_no_number_at_one_step():
    tau = np.zeros((8, 2, 6))
    tau[4, 1, 0] = np.nan
    with pytest.warns(px.SimulationWarning, match="robot 1 first, at step 5"):
        run = px.simulate(ur5(), [START, START], REST, tau, dt=1e-3, steps=8)
    assert run.failed_at.tolist() == [-1, 5]
    assert np.isfinite(run.q[:5]).all() and np.isfinite(run.q[:, 0]).all()


def pushing(t, q, qd):
    """Ever faster: infinite after a finite time."""
    return qd * qd * qd


def opaque_pushing(t, q, qd):
    return pushing(float(t), q, qd)


def test_a_failure_names_a_joint_that_began_beyond_its_limits():
    """Degrees taken for radians are the likeliest mistake."""
    robot, q = px.load("go2", floating_base=True), np.zeros((2, 19))
    q[:, 6], q[:, 9], q[1, 8] = 1.0, -1.5, 9e200
    with pytest.warns(px.SimulationWarning) as said:
        px.simulate(robot, q, np.zeros(18), dt=1e-3, steps=3, method="semi_implicit_euler")
    texts = [str(each.message) for each in said]
    words = "joint 'FL_thigh_joint' began at 9e\\+200, beyond its limits of -1.5708 to 3.4907"
    assert any(re.search(words, each) for each in texts)


@pytest.mark.filterwarnings("ignore:controller. runs uncompiled")
@pytest.mark.parametrize("controller", (pushing, opaque_pushing))
@pytest.mark.parametrize("method", METHODS)
def test_a_robot_that_runs_away(method, controller):
    """Reported with its step, compiled or called; what came before it is kept."""
    pendulum = px.robots.chain(1)
    with pytest.warns(px.SimulationWarning, match=r"simulation failed for the robot at step \d+"):
        run = px.simulate(
            pendulum, [0.1], [4.0], controller=controller, dt=1e-2, steps=200, method=method
        )
    good = np.isfinite(run.q).all(-1) & np.isfinite(run.qd).all(-1)
    assert not good.all()
    assert run.failed_at == np.argmin(good)
    assert good[: run.failed_at].all() and not good[run.failed_at :].any()


def test_robots_that_run_away_leave_the_others():
    pendulum = px.robots.chain(1).with_gravity((0, 0, 0))
    qd0 = np.array([[0.0], [0.7], [0.1], [1.0]])
    inertia = px.mass_matrix(pendulum, [0.0])[0, 0]  # at speed v, it is gone after 1 / 2v²
    options = {"controller": lambda t, q, qd: inertia * pushing(t, q, qd), "dt": 1e-2, "steps": 200}
    for method in METHODS:
        with pytest.warns(px.SimulationWarning, match="2 of 4 robots, robot 3 first"):
            run = px.simulate(pendulum, [0.1], qd0, method=method, **options)
        assert (run.failed_at == -1).tolist() == [True, False, True, False]
        assert run.failed_at[3] < run.failed_at[1]
        alone = px.simulate(pendulum, [0.1], qd0[2], method=method, **options)
        assert same_bits(alone.q, run.q[:, 2].copy())


HELP = {
    "rk4": "a dt shorter than 0.01 s or method 'semi_implicit_euler' may help",
    "semi_implicit_euler": "a dt shorter than 0.01 s may help",
}


@pytest.mark.parametrize("method", HELP)
def test_a_failure_says_once_what_may_help(method):
    """A servo too stiff for the step, which a shorter one calms."""
    pendulum = px.robots.chain(1)
    inertia = px.mass_matrix(pendulum, [0.0])[0, 0]

    def servo(t, q, qd):
        return -inertia * (1e5 * q + 1e2 * qd)

    def run(dt):
        options = {"dt": dt, "steps": round(20 / dt), "method": method}
        return px.simulate(pendulum, [[0.1]] * 3, [0.0], controller=servo, **options)

    with pytest.warns(px.SimulationWarning) as said:
        failed = run(1e-2)
    (text,) = [str(each.message) for each in said if "failed" in str(each.message)]
    assert text.startswith("simulation failed for 3 of 3 robots, robot 0 first, at step ")
    assert text.endswith(f"(run.failed_at); if torques and parameters are finite, {HELP[method]}")
    assert (failed.failed_at > 0).all()
    assert (run(1e-3).failed_at == -1).all()


def test_adaptive_steps_and_states_that_begin_without_numbers_get_no_advice():
    pendulum = px.robots.chain(1)
    for q0, options in ((NAN, {}), (0.1, {"method": "adaptive", "controller": pushing})):
        with pytest.warns(px.SimulationWarning, match=r"\(run.failed_at\)$"):
            px.simulate(pendulum, [q0], [4.0], dt=1e-2, steps=200, **options)


# -- interrupts and progress -----------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:controller. runs uncompiled")
def test_an_interrupted_controller_keeps_what_was_computed():
    def controller(t, q, qd):
        if t >= 0.0065:
            raise KeyboardInterrupt
        return 0 * qd

    with pytest.raises(KeyboardInterrupt, match=r"interrupted at 0\.006 of 0\.05 s") as caught:
        px.simulate(ur5(), START, REST, controller=controller, dt=1e-3, steps=50, every=2)
    run = caught.value.partial
    assert isinstance(caught.value, px.Interrupted)
    assert run.interrupted and "interrupted" in repr(run)
    whole = px.simulate(ur5(), START, REST, dt=1e-3, steps=50, every=2)
    assert len(run.t) == len(run.q) == len(run.qd) == 4
    assert abs(run.q - whole.q[:4]).max() < 1e-12


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="a Unix call")
@pytest.mark.filterwarnings("ignore:joint .* leaves its range")
@pytest.mark.parametrize("method", ("rk4", "adaptive"))
def test_an_interrupted_loop_keeps_what_was_computed(method):
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals go to the main thread")

    def interrupt(number, frame):
        raise KeyboardInterrupt

    options = {"dt": 1e-4, "every": 100, "method": method}
    px.simulate(ur5(), START, REST, steps=100, **options)  # compiled
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.4)
    try:
        with pytest.raises(px.Interrupted, match="interrupted at") as caught:
            px.simulate(ur5(), START, REST, steps=100_000_000, **options)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    run = caught.value.partial
    assert run.interrupted and 1 < len(run.t) < 1_000_001
    assert len(run.q) == len(run.qd) == len(run.t)
    assert run.failed_at == -1
    short = min(len(run.t), 20)
    whole = px.simulate(ur5(), START, REST, steps=100 * (short - 1), **options)
    assert same_bits(whole.q, run.q[:short])


class Screen(io.StringIO):
    def __init__(self, tty):
        super().__init__()
        self.isatty = lambda: tty


def shown(monkeypatch, tty, patience):
    screen = Screen(tty)
    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    for method in METHODS:
        px.simulate(ur5(), START, REST, dt=1e-3, steps=50, method=method)
    return screen.getvalue()


def test_progress_is_shown_to_people_only_and_taken_away(monkeypatch):
    text = shown(monkeypatch, tty=True, patience=0.0)
    assert "simulating" in text
    assert text.endswith("\x1b[2K")  # its line is erased in the end
    assert shown(monkeypatch, tty=False, patience=0.0) == ""
    assert shown(monkeypatch, tty=True, patience=60.0) == ""


# -- what is refused -------------------------------------------------------------------------------


NAN, INF = float("nan"), float("inf")
REFUSED = {
    "robot": ({"robot": "ur5"}, r"robot: expected a Robot \(see px.load\), found str"),
    "dt 0": ({"dt": 0}, "dt: expected a number > 0, found 0"),
    "dt < 0": ({"dt": -1e-3}, "dt: expected a number > 0, found -0.001"),
    "dt nan": ({"dt": NAN}, "dt: expected a number > 0, found nan"),
    "dt inf": ({"dt": INF}, "dt: expected a number > 0, found inf"),
    "dt text": ({"dt": "1ms"}, "dt: expected a number > 0, found '1ms'"),
    "dt None": ({"dt": None}, "dt: expected a number > 0, found None"),
    "dt array": ({"dt": np.ones(2)}, r"dt: expected a number > 0, found array"),
    "steps < 0": ({"steps": -1}, "steps: expected an integer >= 0, found -1"),
    "steps float": ({"steps": 10.5}, "steps: expected an integer >= 0, found 10.5"),
    "steps text": ({"steps": "10"}, "steps: expected an integer >= 0, found '10'"),
    "every 0": ({"every": 0}, "every: expected an integer >= 1, found 0"),
    "every of 3": ({"every": 3}, "every: expected a divisor of the 10 steps, found 3"),
    "method": ({"method": "rk5"}, r"method: expected one of 'rk4', .*found 'rk5'"),
    "method list": ({"method": ["rk4"]}, r"method: expected one of .*found \['rk4'\]"),
    "tolerance": ({"tolerance": 0.0}, "tolerance: expected a number > 0, found 0.0"),
    "q0 shape": ({"q0": np.zeros(5)}, r"q0: expected shape \(\.\.\., 6\), found \(5,\)"),
    "q0 None": ({"q0": None}, "q0: expected an array of numbers, found None"),
    "qd0 text": ({"qd0": ["a"] * 6}, "qd0: expected real numbers"),
    "batches": ({"q0": np.zeros((2, 6)), "qd0": np.zeros((3, 6))}, "do not broadcast together"),
    "tau scalar": ({"tau": 1.0}, r"tau: expected shape \(\.\.\., 6\), found \(\)"),
    "tau entries": ({"tau": np.zeros(7)}, r"tau: expected shape \(\.\.\., 6\), found \(7,\)"),
    "tau steps": ({"tau": np.zeros((9, 6))}, "tau: expected torques for 10 steps, found 9"),
    "tau axes": ({"tau": np.zeros((2, 3, 6))}, r"tau: expected shape \(6,\), or one axis more"),
    "tau batch": (
        {"q0": np.zeros((2, 6)), "tau": np.zeros((3, 6))},
        r"tau: expected shape \(2, 6\), or one axis more .*found \(3, 6\)",
    ),
    "tau and controller": (
        {"tau": np.zeros(6), "controller": TRACED["gains"]},
        "tau and controller cannot be combined",
    ),
    "controller": ({"controller": np.zeros(6)}, r"a function of \(t, q, qd\), found ndarray"),
    "law": (
        {"controller": px.control.computed_torque(ur5(), 100.0, 20.0)},
        r"controller: expected a function .*, found Controller; px\.control\.tracking\(law, goal\)",
    ),
    "trajectory": (
        {"controller": px.trajectories.quintic(REST, START, 1.0)},
        r"controller: a trajectory is a motion .*px\.control\.tracking\(law, trajectory\)",
    ),
    "parameter": ({"colour": 1.0}, "colour: without a controller, keywords must be parameters"),
    "mass": ({"mass": np.ones(5)}, r"mass: expected shape \(\.\.\., 6\), found \(5,\)"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_sense_is_refused(case):
    changed, message = REFUSED[case]
    given = {"robot": ur5(), "q0": START, "qd0": REST, "dt": 1e-3, "steps": 10} | changed
    with pytest.raises(px.ArgumentError, match=message):
        px.simulate(**given)


@pytest.mark.parametrize("method", ("rk4", "semi_implicit_euler", "adaptive"))
def test_a_called_controller_may_change_what_it_is_given(method):
    """The robot moves by its torques alone, as where the same lines are compiled."""
    arm, goal = px.robots.planar(2), np.array([0.5, 0.2])

    def in_place(t, q, qd):
        q -= goal
        q *= -50.0
        qd *= -9.0
        q += qd
        return q

    def called(t, q, qd):
        float(t)
        return in_place(t, q, qd)

    given = {"q0": [0.1, 0.1], "qd0": [0.0, 0.3], "dt": 1e-3, "steps": 20, "method": method}
    with pytest.warns(px.SimulationWarning, match="uncompiled"):
        found = px.simulate(arm, controller=called, **given)
    compiled = px.simulate(arm, controller=in_place, **given)
    np.testing.assert_allclose(found.q, compiled.q, rtol=1e-9)


def test_dynamics_that_cannot_be_traced_are_no_controllers_fault(monkeypatch):
    """Without a controller there is none to call instead."""

    def refuse(*arguments):
        raise px.TraceError("something too small")

    monkeypatch.setattr(bodies, "trace", refuse)
    store.forget()
    monkeypatch.setenv("PARAXIS_CACHE", "off")  # which has the machine code of other tests
    words = "the dynamics of robot 'ur5' cannot be compiled: something too small; look for a mass"
    with pytest.raises(px.RobotError, match=words):
        px.simulate(px.load("ur5"), START, REST, dt=1e-3, steps=1)


def test_a_run_prints_what_it_is():
    run = px.simulate(ur5(), np.zeros((3, 6)), REST, dt=1e-2, steps=10)
    assert repr(run) == "<Run: 3 robots, 11 states, 0 to 0.1 s>"
