"""Filters, measurements and actuators: against scipy.signal, by hand, and against MuJoCo."""

import mujoco
import numpy as np
import pytest
from scipy import signal, stats
from support.laws import called, simulate

import paraxis as px

DT = 2e-3
SIGNAL = np.random.default_rng(3).normal(size=(80, 4)).cumsum(0)


def filtered(one, *given):
    """SIGNAL through a filter, compiled as a Program, and in NumPy as two robots."""
    memory, found = one.memory, []
    program = px.trace(
        lambda x, **kept: _named(one(x, kept, *given)),
        x=4,
        **{name: value.shape for name, value in memory.items()},
    )
    kernel = program.compile()
    both = {name: np.stack([value] * 2) for name, value in memory.items()}
    for x in SIGNAL:
        results = kernel(x, *memory.values())
        results = results if isinstance(results, tuple) else (results,)
        found.append(results[0])
        memory = dict(zip(list(program.outputs)[1:], results[1:], strict=True))
        memory = {name: memory[name] for name in one.memory}
        y, both = one(np.stack([x, x]), both, *given)
        assert abs(y[0] - found[-1]).max() < 1e-12 and np.array_equal(y[0], y[1])
    return np.array(found)


def _named(result):
    y, memory = result
    return {"y": y, **memory}


def test_filters_are_those_of_scipy():
    a = 1 - np.exp(-DT / 0.01)
    expected = signal.lfilter([a], [1, a - 1], SIGNAL, axis=0)
    assert abs(filtered(px.control.LowPass(0.01, 4, initial=0.0), DT) - expected).max() < 1e-12
    zi = SIGNAL[0] * (1 - a)
    expected, _ = signal.lfilter([a], [1, a - 1], SIGNAL, axis=0, zi=zi[None])
    assert abs(filtered(px.control.LowPass(0.01, 4), DT) - expected).max() < 1e-12
    for b, a in (
        ([0.2, -0.1, 0.4], [2.0, -0.9, 0.3]),
        ([1.0, 0.5], [1.0]),
        ([3.0], [1.0, 0.1, 0.2, 0.05]),
    ):
        expected = signal.lfilter(b, a, SIGNAL, axis=0)
        assert abs(filtered(px.control.LinearFilter(b, a, 4)) - expected).max() < 1e-11
    b, a = signal.butter(2, 30.0, fs=1 / DT)
    low_pass = px.control.LinearFilter.second_order_low_pass(30.0, DT, size=4)
    assert np.allclose(low_pass.b, b, rtol=1e-12) and np.allclose(low_pass.a, a, rtol=1e-12)


def test_derivatives_and_delays():
    exact = np.diff(SIGNAL, axis=0, prepend=SIGNAL[:1]) / DT
    assert abs(filtered(px.control.Derivative(0.0, 4), DT) - exact).max() < 1e-9
    share = DT / (0.01 + DT)
    expected = signal.lfilter([share], [1, share - 1], exact, axis=0)
    assert abs(filtered(px.control.Derivative(0.01, 4), DT) - expected).max() < 1e-9
    late = np.concatenate([SIGNAL[:1]] * 3 + [SIGNAL[:-3]])
    assert np.array_equal(filtered(px.control.DelayLine(3, 4)), late)
    late[:3] = 7.0
    assert np.array_equal(filtered(px.control.DelayLine(3, 4, initial=7.0)), late)
    assert np.array_equal(filtered(px.control.DelayLine(1, 4))[1:], SIGNAL[:-1])


def test_filters_are_parts_of_a_memory():
    low_pass, slope = px.control.LowPass(0.02), px.control.Derivative(0.01)
    arm = px.robots.planar(2)

    def law(t, q, qd, memory, dt):
        smooth, memory["speed"] = low_pass(qd, memory["speed"], dt)
        rate, memory["slope"] = slope(q, memory["slope"], dt)
        return -3.0 * smooth - 0.1 * rate, memory

    controller = px.control.with_memory(law, speed=low_pass, slope=slope)
    given = (arm, controller, np.full((3, 2), 0.3), np.arange(6.0).reshape(3, 2), DT, 40)
    compiled, by_hand = simulate(*given), called(*given)
    assert "speed_value" in compiled
    for name, array in by_hand.items():
        assert abs(compiled[name] - array).max() < 1e-10


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: px.control.LowPass(0.0), "time_constant"),
        (lambda: px.control.LinearFilter([1.0], [0.0]), "a: expected a nonzero first"),
        (lambda: px.control.LinearFilter([]), "b: expected a list"),
        (
            lambda: px.control.LinearFilter.second_order_low_pass(300.0, DT),
            "half the sampling rate",
        ),
        (lambda: px.control.DelayLine(-1), "samples"),
    ],
)
def test_wrong_filters(make, message):
    with pytest.raises(px.ArgumentError, match=message):
        make()


# -- measurements ----------------------------------------------------------------------------------

ARM = px.robots.planar(2)


def watching(t, q, qd, memory):
    """Remembers what it is given."""
    return 0.0 * q, {"q": q, "qd": qd}


WATCHING = px.control.with_memory(watching, q=np.zeros(2), qd=np.zeros(2))


def test_bias_quantisation_and_delay():
    law = px.control.measured(ARM, WATCHING, bias=[0.1, 0.2], quantisation=0.05, delay=2)
    start = [[0.3, 0.4], [0.5, 0.6]]
    for run in (simulate, called):
        records = run(ARM, law, start, np.ones((2, 2)), DT, 30)
        q = np.concatenate([[start], records["q"][:-1]])
        expected = np.rint((q + [0.1, 0.2]) / 0.05) * 0.05
        late = np.concatenate([expected[:1]] * 2 + [expected[:-2]])
        assert abs(records["inner_q"] - late).max() < 1e-12


def test_noise_depends_on_seed_robot_and_sample_only():
    law = px.control.measured(ARM, WATCHING, noise=0.1, rate_noise=[0.2, 0.3], seed=4)
    batch = (np.zeros((500, 2)), np.zeros((500, 2)))
    records = simulate(ARM, law, *batch, DT, 40)
    q = np.concatenate([batch[0][None], records["q"][:-1]])
    qd = np.concatenate([batch[1][None], records["qd"][:-1]])
    noise = (records["inner_q"] - q) / 0.1, (records["inner_qd"] - qd) / [0.2, 0.3]
    for each in noise:
        assert stats.kstest(each.ravel(), "norm").pvalue > 1e-3
    z = np.concatenate(noise, axis=-1).reshape(-1, 4)
    assert abs(np.corrcoef(z.T) - np.eye(4)).max() < 4.5 / np.sqrt(len(z))
    alone = simulate(ARM, law, *(each[7:8] for each in batch), DT, 40, robot_number=np.array([7.0]))
    assert np.array_equal(alone["inner_q"][:, 0], records["inner_q"][:, 7])
    by_hand = called(ARM, law, *(each[:3] for each in batch), DT, 40)
    assert abs(by_hand["inner_q"] - records["inner_q"][:, :3]).max() < 1e-9
    other = simulate(
        ARM, px.control.measured(ARM, WATCHING, noise=0.1, rate_noise=0.2, seed=5), *batch, DT, 3
    )
    assert abs(other["inner_q"] - records["inner_q"][:3]).min() > 0


def test_wrong_measurements():
    for options in ({"noise": -1.0}, {"quantisation": 0.0}, {"bias": np.zeros(3)}, {"delay": 0.5}):
        with pytest.raises(px.ArgumentError, match=next(iter(options))):
            px.control.measured(ARM, WATCHING, **options)
    with pytest.raises(px.ArgumentError, match="only rates"):
        px.control.measured(px.load("ur5").with_floating_base(), WATCHING, noise=0.1)


# -- actuators -------------------------------------------------------------------------------------

MODEL = """<mujoco><option timestep="0.002" integrator="{integrator}"/><worldbody>
  <body><joint name="j" type="hinge" axis="0 1 0" armature="0.03" damping="0.0"/>
  <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0.1" mass="1.3"/></body></worldbody>
  <actuator>{actuator}</actuator></mujoco>"""
COMMANDS = 2.5 * np.sin(np.arange(300) * 0.05)
ACTUATORS = {
    "motor": ('<motor joint="j" gear="3"/>', px.control.motor, {"gear": 3.0}),
    "limited motor": (
        '<motor joint="j" gear="3" ctrlrange="-1 2" ctrllimited="true" forcerange="-1.2 0.8"/>',
        px.control.motor,
        {"gear": 3.0, "command_range": (-1, 2), "force_range": (-1.2, 0.8)},
    ),
    "lagging motor": (
        '<general joint="j" dyntype="filterexact" dynprm="0.03" gainprm="1"/>',
        px.control.motor,
        {"time_constant": 0.03},
    ),
    "position": (
        '<position joint="j" kp="20" kv="1.5" gear="2" forcerange="-9 9"/>',
        px.control.position_servo,
        {"kp": 20.0, "kv": 1.5, "gear": 2.0, "force_range": (-9, 9)},
    ),
    "position with damping ratio": (
        '<position joint="j" kp="20" dampratio="0.7" gear="2"/>',
        px.control.position_servo,
        {"kp": 20.0, "damping_ratio": 0.7, "gear": 2.0},
    ),
    "position with lag": (
        '<position joint="j" kp="20" kv="1" timeconst="0.05" ctrlrange="-1 1"/>',
        px.control.position_servo,
        {"kp": 20.0, "kv": 1.0, "time_constant": 0.05, "command_range": (-1, 1)},
    ),
    "velocity": (
        '<velocity joint="j" kv="3" gear="1.5" ctrlrange="-2 2"/>',
        px.control.velocity_servo,
        {"kv": 3.0, "gear": 1.5, "command_range": (-2, 2)},
    ),
}


@pytest.mark.parametrize("name", ACTUATORS)
def test_actuators_are_those_of_mujoco(name):
    text, make, options = ACTUATORS[name]
    model = mujoco.MjModel.from_xml_string(MODEL.format(integrator="Euler", actuator=text))
    robot, data = px.robots.from_mujoco(model), mujoco.MjData(model)
    force, states = [], []
    for u in COMMANDS:
        data.ctrl[0] = u
        states.append((data.qpos[0], data.qvel[0]))
        mujoco.mj_step(model, data)
        force.append(data.qfrc_actuator[0])
    law = px.control.with_data(make(robot, **options), "u")
    given = robot, law, [0.0], [0.0], 0.002, len(COMMANDS)
    moved = simulate(*given, u=COMMANDS[:, None])
    assert abs(moved["tau"][:, 0] - force).max() < 1e-9 * max(1, abs(np.array(force)).max())
    assert abs(moved["q"][:-1, 0] - np.array(states)[1:, 0]).max() < 1e-10


def test_the_force_of_a_motor_falls_with_its_speed():
    law = px.control.motor(ARM, lambda t, q, qd: t + 0 * q, stall=2.0, no_load_speed=10.0)
    speeds = np.array([-15.0, -10.0, -5.0, 0.0, 5.0, 10.0, 15.0])
    for u, expected in (
        (9.0, [2.0, 2.0, 2.0, 2.0, 1.0, 0.0, -1.0]),
        (-9.0, [1.0, 0.0, -1.0, -2.0, -2.0, -2.0, -2.0]),
        (0.5, [1.0, 0.5, 0.5, 0.5, 0.5, 0.0, -1.0]),
    ):
        found = law(u, np.zeros((7, 2)), np.stack([speeds] * 2, -1))
        assert np.allclose(found[:, 0], expected)
    assert not hasattr(law, "memory")  # asked at every stage


def test_a_delayed_motor_and_a_law_as_command():
    pid = px.control.PID(ARM, 30.0, 10.0, 3.0, goal=[0.2, -0.1])
    late = px.control.motor(ARM, pid, delay=3)
    other = px.control.delayed(pid, 3)
    start = [0.3, 0.4], [0.0, 0.0]
    assert np.array_equal(
        simulate(ARM, late, *start, DT, 50)["tau"], simulate(ARM, other, *start, DT, 50)["tau"]
    )


def test_wrong_actuators():
    for options in (
        {"gear": 0.0},
        {"command_range": (1, -1)},
        {"force_range": 3},
        {"stall": 1.0},
        {"time_constant": -1.0},
        {"delay": -1},
    ):
        with pytest.raises(px.ArgumentError, match=next(iter(options))):
            px.control.motor(ARM, **options)
    with pytest.raises(px.ArgumentError, match="kv and damping_ratio"):
        px.control.position_servo(ARM, kv=1.0, damping_ratio=1.0)
    with pytest.raises(px.ArgumentError, match="kp"):
        px.control.position_servo(ARM, kp=-1.0)
