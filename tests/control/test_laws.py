"""Controllers with memory: what they compute, compiled and called, against loops by hand."""

import numpy as np
import pytest
from support.laws import called, simulate

import paraxis as px

DT = 1e-3
ARM = px.load("ur5")
START = np.array([0.3, -1.0, 0.8, -0.4, 0.5, 0.1])
REST = np.zeros(6)
GOAL = np.array([0.5, -0.7, 1.0, -0.2, 0.1, 0.4])
INERTIA = np.diagonal(px.mass_matrix(ARM, START))
KP, KI, KD = 400.0 * INERTIA, 1500.0 * INERTIA, 40.0 * INERTIA


def totalling(t, q, qd, memory, dt):
    memory.total = memory["total"] + (GOAL - q) * dt
    return KP * (GOAL - q) - KD * qd + KI * memory.total, memory


# -- a function with memory ------------------------------------------------------------------------


def test_arguments_with_defaults_may_be_left_out():
    def law(t, q, qd, memory, goal, gain=50.0):
        return gain * (goal - q), memory

    own = px.control.with_memory(law, none=0.0)
    run = {"dt": DT, "steps": 5, "goal": GOAL}
    for controller in (own, px.control.sampled(own, 2 * DT), px.control.delayed(own)):
        by_default = px.simulate(ARM, START, REST, controller=controller, **run)
        given = px.simulate(ARM, START, REST, controller=controller, **run, gain=50.0)
        assert np.allclose(by_default.q, given.q, rtol=0, atol=1e-12)
    with pytest.raises(px.ArgumentError, match="'goal'; give goal="):
        px.simulate(ARM, START, REST, controller=own, dt=DT, steps=1)


def test_a_function_with_memory_is_the_same_compiled_and_called():
    law = px.control.with_memory(totalling, total=np.zeros(6))
    assert law.takes_dt and "total" in repr(law)
    batch = START + np.linspace(0, 0.1, 3)[:, None]
    compiled = simulate(ARM, law, batch, np.zeros((3, 6)), DT, 60)
    by_hand = called(ARM, law, batch, np.zeros((3, 6)), DT, 60)
    for name, array in by_hand.items():
        assert abs(compiled[name] - array).max() < 1e-11 * max(1, abs(array).max())


def test_memory_may_be_changed_in_place_and_be_a_single_number():
    def counting(t, q, qd, memory):
        memory["total"] += q
        memory["count"] = memory["count"] + 1.0
        return -10.0 * q, memory

    law = px.control.with_memory(counting, total=np.zeros(6), count=0.0)
    for run in (simulate, called):
        records = run(ARM, law, [START] * 2, np.zeros((2, 6)), DT, 5)
        assert np.array_equal(records["count"][:, 0], np.arange(1.0, 6))
        positions = np.concatenate([[START], records["q"][:-1, 0]])
        assert np.allclose(records["total"][:, 0], np.cumsum(positions, 0), rtol=1e-12)


WRONG = {
    "no tuple": (lambda t, q, qd, memory: q, "torques and memory"),
    "fewer": (lambda t, q, qd, memory: (q, {}), "'total' is missing"),
    "more": (lambda t, q, qd, memory: (q, {**memory, "other": 0.0}), "'other' was not there"),
    "shape": (lambda t, q, qd, memory: (q, {"total": q[:2]}), r"expected \(6,\), found \(2,\)"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_memory_is_named(name):
    function, message = WRONG[name]
    law = px.control.with_memory(function, total=np.zeros(6))
    with pytest.raises(px.ArgumentError, match=message):
        simulate(ARM, law, START, REST, DT, 1)


def test_wrong_initial_values():
    with pytest.raises(px.ArgumentError, match="memory 'total': expected numbers"):
        px.control.with_memory(totalling, total="none")
    with pytest.raises(px.ArgumentError, match="initial values"):
        px.control.with_memory(totalling)
    with pytest.raises(px.ArgumentError, match="two entries are called 'a_b'"):
        px.control.with_memory(totalling, a_b=0.0, a={"b": 0.0})
    with pytest.raises(px.ArgumentError, match="needs dt"):
        px.control.with_memory(totalling, total=REST)(0.0, START, REST, {"total": REST})


# -- PID -------------------------------------------------------------------------------------------


def textbook_pid(steps, limit=np.inf, tracking=None, filtered=0.0, goals=None):
    """A loop in NumPy, as in Åström and Murray."""
    q, qd, i, d = START.copy(), REST.copy(), np.zeros(6), np.zeros(6)
    records = []
    for k in range(steps):
        goal = GOAL if goals is None else goals[k]
        e = goal - q
        d = d + (-qd - d) * DT / (filtered + DT)
        v = KP * e + i + KD * d
        tau = np.clip(v, -limit, limit)
        if tracking is None:
            outward = (v > limit) & (e > 0) | (v < -limit) & (e < 0)
            i = i + np.where(outward, 0.0, KI * e * DT)
        else:
            i = i + KI * e * DT + (tau - v) * DT / tracking
        qd = qd + DT * px.forward_dynamics(ARM, q, qd, tau)
        q = q + DT * qd
        records.append([q, qd, tau, i])
    return dict(zip(("q", "qd", "tau", "integral"), np.array(records).swapaxes(0, 1), strict=True))


@pytest.mark.parametrize(
    "options, by_hand",
    [
        ({}, {}),
        ({"limit": 60.0}, {"limit": 60.0}),
        ({"limit": 60.0, "anti_windup": 0.1}, {"limit": 60.0, "tracking": 0.1}),
        ({"derivative_filter": 2e-3}, {"filtered": 2e-3}),
    ],
)
def test_pid_is_that_of_a_textbook(options, by_hand):
    law = px.control.PID(ARM, KP, KI, KD, goal=GOAL, **options)
    expected = textbook_pid(150, **by_hand)
    for run in (simulate, called):
        found = run(ARM, law, START, REST, DT, 150)
        for name, array in expected.items():
            assert abs(found[name] - array).max() < 1e-11 * max(1, abs(array).max()), name


def test_pid_removes_the_error_that_gravity_leaves_to_pd():
    for integral, least, most in ((0.0, 0.01, 1.0), (KI, 0.0, 1e-6)):
        law = px.control.PID(ARM, KP, integral, KD, goal=GOAL)
        end = simulate(ARM, law, START, REST, DT, 20_000)["q"][-1]
        assert least <= abs(end - GOAL).max() < most
    law = px.control.PID(ARM, KP, 0.0, KD, goal=GOAL, feed_forward="gravity")
    end = simulate(ARM, law, START, REST, DT, 20_000)["q"][-1]
    assert abs(end - GOAL).max() < 1e-9


def test_anti_windup_shortens_the_overshoot():
    rod = px.robots.planar(1)
    over = {}
    for kind in (None, "clamp", 0.05):
        law = px.control.PID(
            rod, 20.0, 30.0, 4.0, goal=1.0, limit=12.0, anti_windup=kind, feed_forward="gravity"
        )
        q = simulate(rod, law, [-2.5], [0.0], DT, 8000)["q"][:, 0]
        over[kind] = q.max() - 1.0
    assert over["clamp"] < 0.7 * over[None] and over[0.05] < 0.7 * over[None]


def test_gains_and_goals_per_robot_and_per_step():
    gains = np.stack([KP, 1.5 * KP])
    law = px.control.PID(ARM, gains, KI, KD, per_step="goal")
    assert law.per_step == ("goal",)
    goals = GOAL + 0.1 * np.sin(np.arange(80) * 0.02)[:, None]
    both = simulate(ARM, law, [START] * 2, np.zeros((2, 6)), DT, 80, goal=goals[:, None])
    assert np.allclose(both["q"][:, 0], textbook_pid(80, goals=goals)["q"], atol=1e-12)
    assert abs(both["q"][-1, 0] - both["q"][-1, 1]).max() > 1e-4
    other = simulate(ARM, law, START, REST, DT, 80, goal=goals, kp=KP)
    assert np.allclose(other["q"], both["q"][:, 0], atol=1e-13)


def test_a_trajectory_is_evaluated_inside_the_loop():
    trajectory = px.trajectories.quintic(START, GOAL, 0.2)
    law = px.control.PID(ARM, KP, KI, KD, goal=trajectory, feed_forward="inverse_dynamics")
    compiled = simulate(ARM, law, START, REST, DT, 250)
    by_hand = called(ARM, law, START, REST, DT, 250)
    assert abs(compiled["q"] - by_hand["q"]).max() < 1e-11
    exact = trajectory(DT * np.arange(1, 251))[0]
    assert abs(compiled["q"] - exact).max() < 2e-3
    many = px.trajectories.via_points(np.tile([START, GOAL], (40, 1)), np.arange(80.0))
    with pytest.raises(px.ArgumentError, match="per_step"):
        px.control.PID(ARM, KP, goal=many)


def test_a_function_of_time_as_goal():
    def circle(t):
        s, c = px.math.sin(3 * t), px.math.cos(3 * t)
        return START + 0.1 * s, 0.3 * c * np.ones(6), -0.9 * s * np.ones(6)

    law = px.control.PID(ARM, KP, 0.0, KD, goal=circle, feed_forward="inverse_dynamics")
    compiled = simulate(ARM, law, START, 0.3 * np.ones(6), DT, 300)
    exact = START + 0.1 * np.sin(3 * DT * np.arange(1, 301))[:, None]
    assert abs(compiled["q"] - exact).max() < 2e-3


def test_pid_of_a_free_base():
    robot = px.load("ur5").with_floating_base()
    start = np.zeros(robot.nq)
    start[6] = 1.0
    goal = px.integrate(robot, start, np.linspace(0.1, 0.4, 12))
    law = px.control.PID(robot, 2.0, 3.0, 1.0, goal=goal, feed_forward="gravity")
    moved = simulate(robot, law, start, np.zeros(12), DT, 30, method="rk4")
    q, qd, integral = start, np.zeros(12), np.zeros(12)
    for k in range(30):
        error = px.difference(robot, q, goal)
        tau = 2.0 * error - qd + integral + px.gravity_torques(robot, q)
        integral = integral + 3.0 * error * DT
        assert abs(moved["tau"][k] - tau).max() < 1e-10
        q, qd = moved["q"][k], moved["qd"][k]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"anti_windup": "often"}, "anti_windup"),
        ({"feed_forward": "all"}, "feed_forward"),
        ({"derivative_filter": 0.0}, "derivative_filter"),
        ({"goal": np.zeros(5)}, "goal"),
        ({"per_step": "kp"}, "per_step"),
        ({"limit": -1.0}, "limit"),
    ],
)
def test_wrong_arguments_of_pid(options, message):
    with pytest.raises(px.ArgumentError, match=message):
        px.control.PID(ARM, KP, **options)


# -- the control laws ------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [px.control.computed_torque, px.control.feed_forward])
def test_a_control_law_follows_a_trajectory(make):
    trajectory = px.trajectories.quintic(START, GOAL, 0.3)
    gains = (400.0, 40.0) if make is px.control.computed_torque else (KP, KD)
    law = px.control.sampled(px.control.tracking(make(ARM, *gains), trajectory), DT)
    compiled = simulate(ARM, law, START, REST, DT, 200, method="rk4")
    exact = trajectory(DT * np.arange(1, 201))[0]
    assert abs(compiled["q"] - exact).max() < 1e-3
    by_hand = called(ARM, law, START, REST, DT, 50)
    assert abs(simulate(ARM, law, START, REST, DT, 50)["q"] - by_hand["q"]).max() < 1e-11
    loop = px.control.closed_loop(
        ARM, make(ARM, *gains), trajectory, DT, duration=0.2, record="q", plant_step=DT
    )
    assert abs(loop.q[1:200] - compiled["q"][:199]).max() < 1e-11


def test_a_law_with_memory_has_no_torques_of_states_alone():
    pid = px.control.PID(ARM, 1.0, 1.0, 1.0, goal=GOAL)
    with pytest.raises(px.ArgumentError, match="it has memory.*record='tau'"):
        pid(0.0, START, REST)


def test_a_law_without_a_goal_is_no_part_of_another():
    hold = px.control.computed_torque(ARM, 400.0, 40.0)
    for wrap in (
        lambda law: px.control.sampled(law, DT),
        lambda law: px.control.measured(ARM, law),
    ):
        with pytest.raises(px.ArgumentError, match=r"px.control.tracking\(law, goal\)"):
            wrap(hold)
        wrap(px.control.tracking(hold, GOAL))


def test_a_law_without_memory_runs_in_simulate():
    law = px.control.tracking(px.control.computed_torque(ARM, 400.0, 40.0), GOAL)
    run = px.simulate(ARM, START, REST, controller=law, dt=DT, steps=600, limits=False)
    off = run.q[-1] - GOAL
    assert abs(off - (START - GOAL) * np.exp(-12) * (1 + 12)).max() < 1e-6
    for stale in (px.control.computed_torque(ARM, 1.0, 1.0, "hamilton"), "pd"):
        with pytest.raises(px.ArgumentError, match="controller: "):
            px.control.tracking(stale, GOAL)


# -- rates and delays ------------------------------------------------------------------------------


def held_by_hand(control, period, steps, delay=0):
    """Sample and hold on integers, so that no instant is missed by rounding."""
    q, qd, line, tau, records = START.copy(), REST.copy(), [REST] * delay, None, []
    for k in range(steps):
        if k % period == 0:
            line.append(control(k * DT, q, qd))
            tau = line.pop(0)
        qd = qd + DT * px.forward_dynamics(ARM, q, qd, tau)
        q = q + DT * qd
        records.append(tau)
    return np.array(records)


def pd(t, q, qd):
    return KP * (GOAL - q) - KD * qd


@pytest.mark.parametrize("period", [1, 3, 10])
@pytest.mark.parametrize("delay", [0, 1, 4])
def test_sample_and_hold_and_delay(period, delay):
    law = px.control.sampled(px.control.delayed(pd, delay), period * DT)
    expected = held_by_hand(pd, period, 100, delay)
    for run in (simulate, called):
        found = run(ARM, law, START, REST, DT, 100)["tau"]
        assert abs(found - expected).max() < 1e-10 * abs(expected).max()


def test_a_period_that_is_no_multiple_of_dt_is_kept_on_average():
    def times(t, q, qd, memory, dt):
        memory["count"] = memory["count"] + 1.0
        memory["elapsed"] = memory["elapsed"] + dt
        return 0.0 * q, memory

    law = px.control.sampled(px.control.with_memory(times, count=0.0, elapsed=0.0), 2.7e-3)
    records = simulate(ARM, law, START, REST, DT, 1000)
    instants = np.floor(DT * np.arange(1000) / 2.7e-3 + 1e-6)
    assert np.array_equal(records["inner_count"], instants + 1)
    assert np.allclose(records["inner_elapsed"], 2.7e-3 * (instants + 1), rtol=1e-12)
    faster = px.control.sampled(px.control.with_memory(times, count=0.0, elapsed=0.0), 0.4e-3)
    records = simulate(ARM, faster, START, REST, DT, 10)
    assert np.allclose(records["inner_count"], np.arange(1, 11))
    assert np.allclose(records["inner_elapsed"][-1], 23 * 0.4e-3)  # 9 ms are 22.5 periods


def test_a_slow_planner_inside_a_fast_loop():
    def planner(t, q, qd):
        return GOAL + 0.2 * (q - GOAL)

    inner = px.control.PID(ARM, KP, KI, KD, goal=px.control.sampled(planner, 10 * DT))
    law = px.control.sampled(inner, 2 * DT)
    compiled = simulate(ARM, law, START, REST, DT, 60)
    goal, q, qd, i, found = None, START.copy(), REST.copy(), np.zeros(6), []
    for k in range(60):
        if k % 10 == 0:
            goal = planner(0, q, qd)
        if k % 2 == 0:
            tau = KP * (goal - q) + i - KD * qd
            i = i + KI * (goal - q) * 2 * DT
        qd = qd + DT * px.forward_dynamics(ARM, q, qd, tau)
        q = q + DT * qd
        found.append(tau)
    assert abs(compiled["tau"] - found).max() < 1e-9


def test_wrong_periods_and_delays():
    with pytest.raises(px.ArgumentError, match="period: expected a number > 0"):
        px.control.sampled(pd, 0.0)
    with pytest.raises(px.ArgumentError, match="samples: expected an integer >= 0"):
        px.control.delayed(pd, -1)
    with pytest.raises(px.ArgumentError, match="controller: expected a function"):
        px.control.sampled(3.0, 0.01)
    late = px.control.delayed(pd, initial=[1.0, 2.0])
    with pytest.raises(px.ArgumentError, match=r"initial: expected a number or 6 .*shape \(2,\)"):
        px.simulate(ARM, START, REST, controller=late, dt=DT, steps=2)


# -- data ------------------------------------------------------------------------------------------


def test_data_per_step_and_defaults():
    def pushed(t, q, qd, push, stiffness):
        return stiffness * KP * (GOAL - q) - KD * qd + push

    law = px.control.with_data(pushed, "push", stiffness=1.0)
    pushes = np.zeros((30, 6))
    pushes[10] = 5.0
    found = simulate(ARM, law, START, REST, DT, 30, push=pushes)
    plain = simulate(ARM, pd, START, REST, DT, 30)
    difference = found["tau"] - plain["tau"]
    assert abs(difference[:10]).max() == 0.0 and np.allclose(difference[10], 5.0)
    with pytest.raises(px.ArgumentError, match="force: the controller takes no"):
        px.control.with_data(pushed, "force")


def test_a_law_is_remembered_by_what_it_computes():
    from paraxis.simulation.laws import Law
    from paraxis.simulation.memory import memory_shapes

    def digest(law, **shapes):
        return Law(ARM, law, shapes, memory=memory_shapes(law, ARM), promote=False).digest

    def make(gain):
        def law(t, q, qd, memory):
            return gain * memory["before"], {"before": q}

        return px.control.with_memory(law, before=REST)

    assert digest(make(2.0)) == digest(make(2.0)) != digest(make(3.0))
    shapes = {"kp": (6,), "ki": (6,), "kd": (6,), "goal": (6,)}
    one, other = (px.control.PID(ARM, k, 1.0, 2.0, goal=GOAL * k) for k in (1.0, 2.0))
    assert digest(one, **shapes) == digest(other, **shapes)


# -- in closed loops -------------------------------------------------------------------------------

PLANAR = px.robots.planar(3)


def swing(t):
    s, c = px.math.sin(2 * t), px.math.cos(2 * t)
    return [0.5 * s] * 3, [1.0 * c] * 3, [-2.0 * s] * 3


LOOP = {"period": 2e-3, "duration": 0.2, "record": ("q", "tau")}


def test_a_delay_of_samples_is_a_pipeline():
    for samples in (1, 2):
        stages = px.control.policy("pipelined", stages=samples + 1)
        late, policy = (
            px.control.closed_loop(
                PLANAR,
                px.control.computed_torque(PLANAR, 100, 20, given),
                swing,
                **LOOP,
                delay_samples=each,
            )
            for given, each in (("exact", samples), (stages, 0))
        )
        assert np.array_equal(late.tau, policy.tau) and np.array_equal(late.q, policy.q)


def test_a_closed_loop_takes_any_law():
    gains = np.array([[200.0] * 3, [300.0] * 3])
    pid = px.control.PID(PLANAR, gains, 0.0, 30.0, per_step=("goal", "goal_rate"))
    options = {"delay": 0.5e-3, "missed": 0.1, "jitter": 0.1, "encoder": 1e-4}
    one = px.control.closed_loop(PLANAR, pid, swing, **LOOP, **options)
    other = px.control.closed_loop(
        PLANAR, px.control.pd(PLANAR, gains, 30.0), swing, **LOOP, **options
    )
    assert np.allclose(one.tau, other.tau, rtol=0, atol=1e-11)
    assert np.allclose(one.q, other.q, rtol=0, atol=1e-13)
    given = px.control.closed_loop(PLANAR, pid, swing, **LOOP, **options, kp=gains)
    assert np.array_equal(one.q, given.q)

    def proportional(t, q, qd, goal, goal_rate, kp):
        return kp * (goal - q) + 30.0 * (goal_rate - qd)

    plain = px.control.closed_loop(PLANAR, proportional, swing, **LOOP, **options, kp=gains)
    assert np.allclose(one.q, plain.q, rtol=0, atol=1e-13)


def test_a_law_with_memory_in_a_closed_loop():
    ki, posture = 300.0, np.array([0.4, -0.2, 0.1])
    pid = px.control.PID(PLANAR, 400.0, ki, 40.0)
    run = px.control.closed_loop(
        PLANAR, pid, posture, 1e-3, duration=0.05, record=("q", "qd", "tau"), q0=[0.3, 0.0, 0.0]
    )
    integral = np.zeros(3)
    for q, qd, tau in zip(run.q[:-1], run.qd[:-1], run.tau[:-1], strict=True):
        assert abs(400.0 * (posture - q) + integral - 40.0 * qd - tau).max() < 1e-10
        integral = integral + ki * (posture - q) * 1e-3


def test_laws_that_a_closed_loop_cannot_take():
    with pytest.raises(px.ArgumentError, match="missing a required argument: 'gain'"):
        px.control.closed_loop(PLANAR, lambda t, q, qd, gain: gain * q, swing, **LOOP)
    with pytest.raises(px.ArgumentError, match="closed_loop needs one that can be traced"):
        px.control.closed_loop(PLANAR, lambda t, q, qd: float(t) * q, swing, **LOOP)
    pushed = px.control.with_data(lambda t, q, qd, push: push, "push")
    with pytest.raises(px.ArgumentError, match="'push' has a value for each step"):
        px.control.closed_loop(PLANAR, pushed, swing, **LOOP)
    with pytest.raises(px.ArgumentError, match="delay_samples"):
        px.control.closed_loop(PLANAR, px.control.pd(PLANAR, 1, 1), swing, **LOOP, delay_samples=-1)


@pytest.mark.parametrize("law", ["PID", "tracking"])
def test_the_goal_may_be_the_command_of_a_step(law):
    def commanded(t, q, qd, u):
        return u

    if law == "PID":
        of_command, of_array = (px.control.PID(ARM, KP, KI, KD, goal=g) for g in (commanded, GOAL))
    else:
        control = px.control.computed_torque(ARM, kp=400.0, kd=40.0)
        of_command, of_array = (px.control.tracking(control, g) for g in (commanded, GOAL))
    simulator = px.Simulator(ARM, dt=DT, controller=of_command)
    simulator.reset(np.tile(START, (3, 1)))
    for _ in range(5):
        simulator.step(GOAL[None], n=4)
    by_array = px.simulate(ARM, START, REST, controller=of_array, dt=DT, steps=20)
    assert np.allclose(simulator.state.q, by_array.q[-1], rtol=0, atol=1e-14)


def test_a_memory_that_is_too_large_is_refused_before_it_is_traced():
    late = px.control.delayed(lambda t, q, qd: -q, 10**5)
    with pytest.raises(px.ArgumentError, match="memory 'line': expected at most 100,000 numbers"):
        px.simulate(ARM, START, REST, controller=late, dt=DT, steps=1)
