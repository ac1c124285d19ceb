"""Sampled control of robots with free bases, ball joints and joints that follow others."""

import numpy as np
import pytest

import paraxis as px
from paraxis.control.controller import Motion
from paraxis.control.linear_loop import LinearLoop
from paraxis.control.reference import Reference
from paraxis.robots import Coupling, Frame, Inertia, Joint, Loop, Pose

LINK = Inertia.of(1.0, (0.2, 0.05, -0.1), (0.01, 0.02, 0.015))
THERE = Pose(translation=(0.3, 0.1, 0.0))
KP, KD = 100.0, 20.0
BALL = px.Robot("ball", [Joint("ball", "spherical")], [LINK])
HAND = px.Robot(
    "hand",
    [
        Joint("base", "free"),
        Joint("left", "revolute", 0, THERE),
        Joint("right", "revolute", 0, THERE, coupling=Coupling("left", (0.1, -1.0, 0.3))),
        Joint("wrist", "universal", 0, THERE, second_axis=(1.0, 0.0, 0.0)),
        Joint("screw", "helical", 3, THERE, pitch=0.1),
        Joint("slide", "planar", 3, THERE),
    ],
    [LINK] * 6,
    warn=False,
)

FLYER = px.Robot("flyer", HAND.joints[:3], HAND.inertias[:3], warn=False)


def somewhere(robot, rng, far=0.5):
    return px.integrate(robot, px.neutral(robot), far * rng.normal(size=robot.nv))


def spinning(t):
    """A ball that nods while it turns about the vertical: q, its velocity and acceleration."""
    rate = 2 * np.pi
    sin, cos = px.math.sin, px.math.cos
    nod, turn = 0.8 * sin(rate * t), 0.5 * rate * t
    nodding, rising = 0.8 * rate * cos(rate * t), -0.8 * rate**2 * sin(rate * t)
    s, c, sz, cz = sin(nod / 2), cos(nod / 2), sin(turn), cos(turn)
    across, along = sin(nod), cos(nod)
    q = [-sz * s, cz * s, sz * c, cz * c]
    qd = [-rate * across, nodding, rate * along]
    return q, qd, [-rate * along * nodding, rising, -rate * across * nodding]


@pytest.mark.parametrize("policy", ["exact", "hamilton", "yamakita_one_step_ahead"])
def test_stale_data_that_do_not_change_are_those_of_inverse_dynamics(policy):
    rng = np.random.default_rng(0)
    q, rates = somewhere(HAND, rng), rng.normal(size=(2, HAND.nv))
    program = px.control.speculate(HAND, policy)
    given = dict(zip(("q", "qd", "qdd"), (q, *rates), strict=True))
    given |= {f"{name}_ahead": value for name, value in given.items()}
    given |= program.start(q, *rates)
    found = program.evaluate(**{name: given[name] for name in program.inputs})
    tau = found["tau"] if program.carry else found
    newton_euler = px.program(HAND, "inverse_dynamics")
    expected = newton_euler.evaluate(q=q, qd=rates[0], qdd=rates[1])
    assert abs(tau - expected).max() <= 1e-12 * abs(expected).max()


def test_a_link_is_the_body_on_a_joint_whatever_its_kind():
    program = px.control.speculate(HAND, "binder_herzog")
    assert program.inputs["omega_1"] == (HAND.n, 3)
    links = {link for variable, link, _, _ in program.reads if variable != "torque"}
    assert links == set(range(HAND.n))
    assert program.time_steps == 2  # no link waits for another, a free base's rows do not either


@pytest.fixture(scope="module")
def held():
    """A run to a posture from far away."""
    rng = np.random.default_rng(1)
    goal = somewhere(FLYER, rng)
    start = px.integrate(FLYER, goal, 0.5 * rng.normal(size=FLYER.nv))
    controller = px.control.computed_torque(FLYER, KP, KD)
    asked = {"q0": start, "qd0": rng.normal(size=FLYER.nv), "duration": 1.2, "bound": 10.0}
    record = ("q", "qd", "tau", "reference")
    return goal, px.control.closed_loop(FLYER, controller, goal, 2e-3, **asked, record=record)


def test_computed_torque_holds_every_joint(held):
    goal, run = held
    assert not run.diverged
    assert run.q.shape[-1] == run.reference.q.shape[-1] == FLYER.nq
    assert run.tau.shape[-1] == run.reference.qdd.shape[-1] == FLYER.nv
    off = px.difference(FLYER, run.q, goal)
    assert run.error == pytest.approx(abs(off).max(), rel=1e-4)  # also between samples
    assert abs(off[-1]).max() < 1e-4 < 0.3 < abs(off[0]).max()
    tau = px.inverse_dynamics(FLYER, run.q, run.qd, KP * off - KD * run.qd)
    assert abs(tau - run.tau)[:-1].max() <= 1e-11 * abs(tau).max()


def test_a_loop_is_the_simulation_of_the_torques_it_holds(held):
    _, run = held
    steps = 20
    sim = px.simulate(
        FLYER, run.q[0], run.qd[0], tau=np.repeat(run.tau[:steps], 2, 0), dt=1e-3, steps=2 * steps
    )
    assert abs(sim.q[::2] - run.q[: steps + 1]).max() <= 1e-12
    assert abs(sim.qd[::2] - run.qd[: steps + 1]).max() <= 1e-10


def test_errors_fall_by_the_gains_along_a_motion_far_from_it():
    """Bullo and Murray's law: the velocity of the motion, seen from the body, is what is left."""
    rng, h = np.random.default_rng(2), 1e-6
    at = px.trace(lambda t: Motion(*spinning(t)).row, t=()).evaluate
    t = 0.3
    before, now, after = (Motion.of(BALL, at(t=np.array(t + k * h))) for k in (-1, 0, 1))
    q, qd = px.integrate(BALL, now.q, rng.normal(size=3)), rng.normal(size=3)
    controller = px.control.computed_torque(BALL, KP, KD)

    def law(q, qd, q_desired, v, a):
        gains = [KP] * 3, [KD] * 3
        desired = Motion(q_desired, v, a)
        return {"tau": controller.first(q[0].builder, (q, qd), desired, gains)[0]}

    shapes = dict(zip(("q", "qd", "q_desired", "v", "a"), (4, 3, 4, 3, 3), strict=True))
    tau = px.trace(law, **shapes).evaluate(q=q, qd=qd, q_desired=now.q, v=now.qd, a=now.qdd)
    qdd = px.forward_dynamics(BALL, q, qd, tau)

    def seen(k, motion):
        """The error of the velocity a moment k h later: both as rotation matrices have it."""
        there = px.integrate(BALL, q, k * h * qd)
        turn = rotation(there).T @ rotation(motion.q)
        return turn @ motion.qd - (qd + k * h * qdd)

    rate = (seen(1, after) - seen(-1, before)) / (2 * h)
    expected = -KP * px.difference(BALL, q, now.q) - KD * seen(0, now)
    assert abs(rate - expected).max() <= 1e-6 * abs(expected).max()


def rotation(q):
    x, y, z, w = q
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * skew + 2 * skew @ skew


def test_maps_of_a_linear_loop_carry_small_errors_along_a_motion():
    controller = px.control.computed_torque(BALL, KP, KD, "pipelined")
    linear, reference = LinearLoop(BALL, controller, {}), Reference(spinning, BALL)
    period, steps = 2e-3, 30
    offset = 1e-6 * np.array([[0.0, 0.0, 0.0], [1.0, -0.5, 0.7]])
    begin = Motion.of(BALL, reference.sampled(np.zeros(1))[0])
    run = px.control.closed_loop(
        BALL,
        controller,
        spinning,
        period,
        q0=px.integrate(BALL, begin.q, offset),
        qd0=begin.qd - 5 * offset,
        duration=period * steps,
        record=("q", "qd"),
    )
    t = period * np.arange(steps)
    now, middle = reference.sampled(t), reference.sampled(t + period / 2)
    state, between = (Motion.of(BALL, each)[:2] for each in (now, middle))
    tau, _ = linear.exact(between, middle)
    _, past = linear.exact(state, now)
    maps = linear.linearised(between, tau, state, now, now, past).steps(period, 0.0, False)[0]
    x = np.zeros(maps.shape[-1])
    x[:3], x[3:6] = offset[1], -5 * offset[1]
    # what is carried at first is of exact control of the first state, which differs, too
    slopes = linear.linearised(state, tau, state, now, now, past)
    x[6:] = slopes.P[0, 0] @ x[:6]
    for each in maps:
        x = each @ x
    apart = px.difference(BALL, run.q[-1, 0], run.q[-1, 1])
    assert abs(x[:3] - apart).max() <= 2e-3 * abs(apart).max()
    assert abs(x[3:6] - (run.qd[-1, 1] - run.qd[-1, 0])).max() <= 2e-3 * abs(x[3:6]).max()


def test_a_safe_period_of_a_ball_joint_is_that_of_simulated_runs():
    goal = somewhere(BALL, np.random.default_rng(3))
    controller = px.control.computed_torque(BALL, KP, KD, "hamilton")
    safe = px.control.safe_period(BALL, controller, goal)
    near = {"shortest": 0.8 * safe.period, "longest": 1.3 * safe.period, "duration": 4.0}
    found = px.control.simulated_safe_period(BALL, controller, goal, **near)
    assert found.period == pytest.approx(safe.period, rel=0.02)


def test_a_free_body_comes_to_rest_where_its_wrong_weight_pulls_it():
    body = px.Robot("body", [Joint("base", "free")], [LINK])
    goal = somewhere(body, np.random.default_rng(4))
    controller = px.control.computed_torque(body.with_payload(0.3), KP, KD)
    posture = px.control.safe_period(body, controller, goal).posture
    off = px.difference(body, posture, goal)
    still = np.zeros(6)
    tau = px.inverse_dynamics(controller.robot, posture, still, KP * off)
    assert abs(px.forward_dynamics(body, posture, still, tau)).max() < 1e-9
    assert abs(off).max() > 1e-3


def test_what_does_not_fit_is_refused_by_name():
    controller = px.control.computed_torque(BALL, KP, KD)
    goal = px.neutral(BALL)

    def refused(match, call, *given, **options):
        with pytest.raises(px.ArgumentError, match=match):
            call(*given, **options)

    run, ball, short = px.control.closed_loop, (BALL, controller), {"duration": 0.1}
    refused(
        r"position of joint 'ball' \(spherical\)", run, *ball, goal, 1e-3, encoder=0.01, **short
    )
    line = px.trajectories.quintic([0.0] * 4, [0.1] * 4, 1.0)
    refused(r"does not support joint 'ball' \(spherical\)", run, *ball, line, 1e-3)
    refused("must have length 1", run, *ball, 2 * goal, 1e-3, **short)
    refused("q0: .* must have length 1", run, *ball, goal, 1e-3, q0=2 * goal, **short)
    refused("posture of 4 numbers", run, *ball, goal[:3], 1e-3, **short)
    refused("of 4, 3 and 3 numbers", run, *ball, lambda t: ([t] * 3,) * 3, 1e-3, **short)
    refused("one per degree of freedom", px.control.pd, BALL, [1.0] * 4, 1.0)
    refused("joints of the same kinds", run, px.robots.planar(3), controller, goal, 1e-3, **short)
    refused(r"default sines do not fit joint 'ball'", px.control.stability_atlas, BALL)
    refused("one degree of freedom", px.control.unsynchronised, BALL)
    pin = Loop.connect("pin", Frame("end", 0, THERE), Frame("wall", -1, THERE))
    hung = BALL.with_loops(pin)  # with a controller of the same robot without loops
    refused("control does not support closed loops, .* 'pin'", run, hung, controller, goal, 1e-3)
    refused("control does not support closed loops", px.control.safe_period, hung, controller, goal)
