"""Closed loops: equal to a loop by hand, with the errors of theory; lost runs are results."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from support.loop_by_hand import HandLaw, positions_by_hand

import paraxis as px
from paraxis.control import chance, loop_times, reference
from paraxis.control.controller import Motion
from paraxis.targets.cpu import host

ARM = px.robots.planar(2)
POSTURE = np.array([0.3, -0.5])
GAINS = 100.0, 20.0


def swing(t):
    """Both joints, by the functions of px or of NumPy."""
    s, c = (px.math.sin(3.0 * t), px.math.cos(3.0 * t))
    return [0.4 * s, -0.2 * s], [1.2 * c, -0.6 * c], [-3.6 * s, 1.8 * s]


def swing_at(t):
    return np.array(swing(float(t)))


def exact(robot=ARM, **options):
    return px.control.computed_torque(robot, *GAINS, **options)


def difference(found, expected):
    """max|d| / max(1, max|reference|)"""
    return abs(found - expected).max() / max(1.0, abs(expected).max())


# -- against a loop by hand ------------------------------------------------------------------------


@pytest.mark.parametrize("policy", px.control.policies())
def test_every_policy_moves_as_by_hand_whatever_is_late(policy):
    """Three runs with everything their own, in one batch."""
    period, delay = np.array([2e-3, 3e-3, 2.5e-3]), np.array([0.5e-3, 0.0, 1e-3])
    kp = np.array([[100.0, 80.0], [50.0, 60.0], [90.0, 90.0]])
    kd, q0, qd0 = 2 * np.sqrt(kp), POSTURE + [[0.0104], [0.0003], [-0.0207]], np.array([0.1, 0.2])
    load = px.payload(ARM, np.array([0.0, 0.5, 1.0]))
    missed = np.zeros((12, 3), bool)
    missed[[3, 6, 7], [0, 1, 1]] = True
    run = px.control.closed_loop(
        ARM,
        px.control.computed_torque(ARM, kp, kd, policy),
        swing,
        period,
        duration=0.03,
        q0=q0,
        qd0=qd0,
        delay=delay,
        jitter=0.2,
        missed=missed,
        encoder=1e-3,
        switch_at=[0.0, 0.0, 0.01],
        record="q",
        plant_step=0.5e-3,
        **load,
    )
    for k in range(3):
        t = run.t[:, k]
        t = t[: np.flatnonzero(t >= 0.03)[0] + 1]
        by_hand = positions_by_hand(
            ARM,
            HandLaw(ARM, kp[k], kd[k], policy),
            swing_at,
            t,
            period[k],
            q0[k],
            qd0,
            delay=delay[k],
            missed=[*missed[:, k], *[False] * 20],
            encoder=1e-3,
            switch_at=[0.0, 0.0, 0.01][k],
            plant={name: value[k] for name, value in load.items()},
        )
        assert difference(run.q[: len(t), k], by_hand) < 1e-9


def test_ages_that_are_drawn_are_those_used():
    policy = px.control.policy("vuskovic", age=(1, 2))
    controller = px.control.computed_torque(ARM, *GAINS, policy)
    options = {"duration": 0.02, "record": "q", "q0": POSTURE}
    run = px.control.closed_loop(ARM, controller, swing, 2e-3, seed=7, **options)
    ages = np.where(chance.uniform(7, chance.AGE, range(10), [0], 2)[:, 0] < 0.5, 1.0, 2.0)
    assert len(np.unique(ages)) == 2
    law = HandLaw(ARM, *GAINS, policy)
    rest = np.array(swing_at(0.0)[1])
    by_hand = positions_by_hand(ARM, law, swing_at, run.t, 2e-3, POSTURE, rest, ages=ages)
    assert difference(run.q, by_hand) < 1e-9
    again = px.control.closed_loop(ARM, controller, swing, 2e-3, seed=7, **options)
    other = px.control.closed_loop(ARM, controller, swing, 2e-3, seed=8, **options)
    assert (again.q == run.q).all() and (other.q != run.q).any()


def test_torque_limits_hold_and_are_met():
    controller = exact(torque_limit=[12.0, 3.0])
    run = px.control.closed_loop(ARM, controller, swing, 2e-3, duration=0.1, record=("q", "tau"))
    assert (abs(run.tau).max(0) == [12.0, 3.0]).all()
    law, start = HandLaw(ARM, *GAINS, "exact"), swing_at(0.0)
    limit = np.array([12.0, 3.0])
    by_hand = positions_by_hand(ARM, law, swing_at, run.t, 2e-3, *start[:2], limit=limit)
    assert difference(run.q, by_hand) < 1e-9


# -- what theory says ------------------------------------------------------------------------------


def test_errors_decay_as_the_linear_equation_says_when_the_period_goes_to_zero():
    off = np.array([0.1, -0.05])
    apart = []
    for period in (2e-3, 1e-3, 0.5e-3):
        run = px.control.closed_loop(
            ARM, exact(), swing, period, duration=0.5, q0=off, record=("q", "reference")
        )
        t = run.t[:, None]
        solution = off * (1 + 10 * t) * np.exp(-10 * t)  # of ë + 20 ė + 100 e = 0, at rest
        apart.append(abs(run.q - run.reference.q - solution).max())
    assert apart[-1] < 1e-3
    assert np.allclose(np.divide(apart[:-1], apart[1:]), 2.0, rtol=0.1)


def test_the_error_is_in_proportion_to_the_period():
    period = np.array([0.5e-3, 1e-3, 2e-3, 4e-3])
    run = px.control.closed_loop(ARM, exact(), swing, period, duration=1.0)
    assert np.allclose(run.error / period, run.error[0] / period[0], rtol=0.05)


@pytest.mark.parametrize("policy", ("binder_herzog", "yamakita_one_step_ahead", "pipelined"))
def test_policies_agree_as_the_period_goes_to_zero(policy):
    apart, options = [], {"duration": 0.3, "record": "q"}
    stale = px.control.computed_torque(ARM, *GAINS, policy)
    for period in (1e-3, 0.5e-3, 0.25e-3):
        every = round(1e-3 / period)
        runs = [
            px.control.closed_loop(ARM, law, swing, period, every=every, **options)
            for law in (stale, exact())
        ]
        apart.append(difference(runs[0].q, runs[1].q))
    assert 0 < apart[0] < 1e-2
    assert np.allclose(np.divide(apart[:-1], apart[1:]), 2.0, rtol=0.1)


def test_an_age_of_zero_is_exact_control():
    fresh = px.control.computed_torque(ARM, *GAINS, [px.control.Cut(age=0)])
    options = {"duration": 0.1, "record": ("q", "tau"), "q0": POSTURE}
    run = px.control.closed_loop(ARM, fresh, swing, 2e-3, **options)
    same = px.control.closed_loop(ARM, exact(), swing, 2e-3, **options)
    assert (run.q == same.q).all() and (run.tau == same.tau).all()


def test_a_payload_that_the_controller_does_not_know_holds_it_off_its_posture():
    load = px.payload(ARM, 2.0)
    run = px.control.closed_loop(
        ARM, exact(), POSTURE, 1e-3, duration=9.0, record="q", every=9000, **load
    )
    q, still = run.q[-1], np.zeros(2)
    brought = px.inverse_dynamics(ARM, q, still, GAINS[0] * (POSTURE - q))
    assert abs(q - POSTURE).max() > 1e-2
    assert difference(brought, px.gravity_torques(ARM, q, **load)) < 1e-6
    wise = px.control.computed_torque(ARM.with_payload(2.0), *GAINS)
    known = px.control.closed_loop(ARM, wise, POSTURE, 1e-3, duration=0.5, **load)
    assert known.error < 1e-9


def test_no_delay_is_the_limit_of_small_ones():
    options = {"duration": 0.1, "record": "q", "q0": POSTURE}
    run = px.control.closed_loop(ARM, exact(), swing, 2e-3, delay=[0.0, 1e-9], **options)
    none = px.control.closed_loop(ARM, exact(), swing, 2e-3, **options)
    assert difference(run.q[:, 0], none.q) < 1e-12
    assert 0 < difference(run.q[:, 1], none.q) < 1e-6


def test_a_delay_of_a_period_is_a_pipeline_of_two_stages():
    options = {"duration": 0.05, "record": ("q", "tau"), "q0": POSTURE}
    late = px.control.closed_loop(ARM, exact(), swing, 2e-3, delay=2e-3, **options)
    two = px.control.computed_torque(ARM, *GAINS, "pipelined")
    piped = px.control.closed_loop(ARM, two, swing, 2e-3, **options)
    assert difference(late.q, piped.q) < 1e-12
    assert difference(late.q, px.control.closed_loop(ARM, exact(), swing, 2e-3, **options).q) > 1e-6


def rubbing(arm, bearing=False):
    """The arm with gears and friction in every joint, smooth enough for steps of the plant."""
    smooth = {"viscous": 0.5, "coulomb": 0.8, "smoothing": 0.01}
    bearings = [px.robots.JournalBearing(0.05, 0.02, 0.1)] if bearing else []
    gears = px.robots.Transmission(50.0, 0.8, break_away=0.4, rotor_inertia=2e-5)
    drive = {"friction": px.robots.Friction(*bearings, **smooth), "transmission": gears}
    return arm.with_drives(dict.fromkeys(arm.joint_names, drive))


@pytest.mark.parametrize("bearing", (pytest.param(False, marks=pytest.mark.long), True))
def test_compensated_friction_hardly_matters(bearing):
    robot = rubbing(ARM, bearing)
    unaware = px.control.closed_loop(robot, exact(robot), swing, 1e-3, duration=0.4)
    aware = exact(robot, compensate_friction=True)
    compensated = px.control.closed_loop(robot, aware, swing, 1e-3, duration=0.4)
    bare = px.control.closed_loop(ARM, exact(), swing, 1e-3, duration=0.4)
    assert unaware.error > 20 * bare.error
    assert compensated.error < 2 * bare.error


# -- trajectories ----------------------------------------------------------------------------------

TRAJECTORIES = {
    "quintic": px.trajectories.quintic([0.0, 0.0], [0.5, -0.4], 0.02),
    "jumps of acceleration": px.trajectories.trapezoidal([0.0, 0.0], [0.1, -0.04], 5.0, 1000.0),
    "via points": px.trajectories.via_points(
        [[0.0, 0.0], [0.1, 0.2], [0.0, 0.3]], [0.0, 0.01, 0.025]
    ),
}
TRAJECTORIES["legs"] = px.trajectories.Trajectory(
    [*px.trajectories.trapezoidal([0.0, 0.0], [0.5, -0.4], 50.0, 1e4).legs]
    + [*px.trajectories.quintic([0.5, -0.4], [0.3, 0.1], 0.01).legs]
)


@pytest.mark.parametrize("name", TRAJECTORIES)
def test_a_traced_trajectory_is_the_trajectory(name):
    trajectory = TRAJECTORIES[name]
    wanted = reference.Reference(trajectory, ARM)
    assert wanted.traced
    knots = trajectory.knots
    near = [np.nextafter(knots, -1), knots, np.nextafter(knots, 9)]
    t = np.concatenate([*near, np.linspace(-0.01, trajectory.duration + 0.01, 200)])
    found = Motion.of(ARM, wanted.sampled(t))
    for part, expected in zip(found, trajectory(t), strict=True):
        assert (abs(part - expected) <= 1e-13 * abs(expected).max()).all()


def test_many_pieces_are_sampled_and_move_alike(monkeypatch):
    controller = px.control.computed_torque(ARM, *GAINS, "yamakita_one_step_ahead")
    trajectory = TRAJECTORIES["jumps of acceleration"]
    options = {"duration": 0.05, "jitter": [0.0, 0.1], "record": ("q", "reference")}
    traced = px.control.closed_loop(ARM, controller, trajectory, [1e-3, 0.7e-3], **options)
    monkeypatch.setattr(reference, "MOST_PIECES", 0)
    sampled = px.control.closed_loop(ARM, controller, trajectory, [1e-3, 0.7e-3], **options)
    assert difference(traced.q, sampled.q) < 1e-12
    assert difference(traced.reference.qdd, sampled.reference.qdd) < 1e-12
    assert (traced.t == sampled.t).all()


def test_settings_of_a_motion_differ_by_run():
    def turning(t, speed, size):
        angle = speed * t
        slow = -speed * speed
        q = size * px.math.sin(angle)
        return q, size * speed * px.math.cos(angle), slow * q

    speed, size = np.array([1.0, 2.0, 4.0]), np.array([[0.1, 0.2]])
    several = px.control.closed_loop(
        ARM, exact(), turning, 1e-3, duration=0.2, speed=speed, size=size
    )
    for k, own in enumerate(speed):
        alone = px.control.closed_loop(
            ARM, exact(), turning, [1e-3], duration=0.2, speed=own, size=np.array([[0.1, 0.2]])
        )
        assert alone.error == several.error[k]
    grid = px.control.closed_loop(
        ARM, exact(), turning, [[1e-3], [2e-3]], duration=0.2, speed=speed[None], size=size[None]
    )
    assert grid.error.shape == (2, 3) and (grid.error[0] == several.error).all()


# -- runs, records, chance -------------------------------------------------------------------------


def test_a_run_is_the_same_alone_and_in_a_batch():
    q0 = POSTURE + np.linspace(-0.1, 0.1, 11)[:, None]
    period = np.linspace(1e-3, 4e-3, 11)
    options = {"duration": 0.05, "record": ("q", "tau")}
    batch = px.control.closed_loop(ARM, exact(), swing, period, q0=q0, **options)
    for k in (0, 4, 10):
        alone = px.control.closed_loop(ARM, exact(), swing, period[k], q0=q0[k], **options)
        own = len(alone.t)
        assert (batch.t[:own, k] == alone.t).all()
        assert (batch.q[:own, k] == alone.q).all() and (batch.tau[:own, k] == alone.tau).all()
        assert (batch.q[own:, k] == alone.q[-1]).all()
        assert batch.error[k] == alone.error


def test_a_run_without_delay_or_jitter_has_none_beside_runs_that_have():
    options = {"duration": 0.05, "q0": POSTURE, "record": ("q", "tau")}
    others = {"delay": [0.0, 1e-3], "jitter": [0.0, 0.3]}
    batch = px.control.closed_loop(ARM, exact(), swing, 2.3e-3, **others, **options)
    alone = px.control.closed_loop(ARM, exact(), swing, 2.3e-3, **options)
    own = len(alone.t)
    for name in ("t", "q", "tau"):
        assert (getattr(batch, name)[:own, 0] == getattr(alone, name)).all()


def test_a_torque_that_comes_after_the_end_is_not_held():
    options = {"duration": 0.055, "delay": 8e-3, "record": "tau", "q0": POSTURE}
    run = px.control.closed_loop(ARM, exact(), swing, 0.01, **options)
    assert (run.tau[-1] == run.tau[-2]).all() and (run.tau[-2] != run.tau[-3]).all()


def test_a_period_that_jitter_makes_longer_than_the_run_ends_with_it():
    options = {"duration": 0.1, "record": "q", "q0": POSTURE, "seed": 1}
    as_long = px.control.closed_loop(ARM, exact(), swing, 0.1, **options)
    longer = px.control.closed_loop(ARM, exact(), swing, 0.1, jitter=0.5, **options)
    assert longer.t.tolist() == as_long.t.tolist() == [0.0, 0.1]
    assert difference(longer.q, as_long.q) < 1e-15


def test_the_loop_may_be_done_in_pieces(monkeypatch):
    options = {"duration": 0.05, "delay": 0.3e-3, "jitter": 0.3, "missed": 0.2, "every": 3}
    options |= {"q0": POSTURE + np.zeros((3, 1)), "record": ("q", "tau"), "seed": 5}
    at_once = px.control.closed_loop(ARM, exact(), swing, [2e-3, 1e-3, 1e-3], **options)
    monkeypatch.setattr(loop_times, "AT_ONCE", 100)
    pieces = px.control.closed_loop(ARM, exact(), swing, [2e-3, 1e-3, 1e-3], **options)
    for name in ("t", "q", "tau", "error"):
        assert (getattr(at_once, name) == getattr(pieces, name)).all()


def test_records_are_of_samples():
    run = px.control.closed_loop(ARM, exact(), swing, 5e-3, duration=0.052, record="q", every=2)
    assert np.allclose(run.t, [0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.052], atol=1e-15)
    assert run.q.shape == (7, 2) and run.tau is None
    whole = px.control.closed_loop(ARM, exact(), swing, 5e-3, duration=0.052, record="q")
    assert (run.q[:-1] == whole.q[:-1:2]).all() and (run.q[-1] == whole.q[-1]).all()
    wanted = px.control.closed_loop(ARM, exact(), swing, 5e-3, duration=0.052, record="reference")
    found = [part[3] for part in wanted.reference]
    assert np.allclose(found, swing_at(wanted.t[3]), rtol=1e-14)
    nothing = px.control.closed_loop(ARM, exact(), swing, 5e-3, duration=0.052)
    assert nothing.t is None and nothing.error == whole.error
    assert nothing.error >= (1 - 1e-9) * abs(whole.q - wanted.reference.q).max()


def test_chance_is_even_and_of_the_run():
    drawn = chance.uniform(3, chance.JITTER, range(200), range(50), 2)
    assert drawn.shape == (200, 50, 2) and drawn.min() >= 0 and drawn.max() < 1
    assert abs(drawn.mean() - 0.5) < 0.01 and abs(drawn.std() - 12**-0.5) < 0.01
    assert len(np.unique(drawn)) == drawn.size
    assert (chance.uniform(3, chance.JITTER, [7], [9], 2) == drawn[7, 9]).all()
    near = [drawn[1:], drawn[:, 1:], drawn[..., 1:]], [drawn[:-1], drawn[:, :-1], drawn[..., :-1]]
    for a, b in zip(*near, strict=True):
        assert abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) < 0.03


def test_jitter_is_within_its_share_and_missed_steps_are_as_many():
    run = px.control.closed_loop(
        ARM,
        exact(),
        POSTURE,
        1e-3,
        duration=2.0,
        jitter=0.3,
        missed=0.25,
        record="tau",
        q0=POSTURE + 0.1,
    )
    assert (np.diff(run.t) > 0).all() and run.t[-1] == 2.0
    lengths = np.diff(run.t[:-1])
    assert lengths.min() >= 0.7e-3 and lengths.max() <= 1.3e-3
    assert lengths.min() < 0.71e-3 and lengths.max() > 1.29e-3
    moving = run.tau[run.t < 0.5]
    kept = (np.diff(moving, axis=0) == 0).all(-1).mean()
    assert abs(kept - 0.25) < 0.08


# -- lost ------------------------------------------------------------------------------------------


def test_a_lost_run_is_a_result():
    controller = px.control.computed_torque(ARM, *GAINS, "hamilton")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = px.control.closed_loop(
            ARM, controller, swing, [1e-3, 20e-3], duration=2.0, record=("q", "reference")
        )
    assert run.diverged.tolist() == [False, True]
    assert math.isnan(run.diverged_at[0]) and run.error[1] == math.inf
    assert run.error[0] < 0.1 and np.isfinite(run.q[:, 0]).all()
    off = abs(run.q[:, 1] - run.reference.q[:, 1]).max(-1)
    first = run.t[np.flatnonzero(~(off <= 1.0))[0], 1]
    assert first - 20e-3 <= run.diverged_at[1] <= first
    assert "2 runs, 1 diverged" in repr(run)


def test_a_bound_is_passed_when_it_is():
    run = px.control.closed_loop(
        ARM,
        px.control.pd(ARM, 0.0, 0.0),
        [0.0, 0.0],
        1e-3,
        duration=1.0,
        bound=[0.5, 0.1, 100.0],
        record="q",
    )
    assert run.diverged.tolist() == [True, True, False]
    off = abs(run.q[:, 0]).max(-1)
    for k, bound in enumerate((0.5, 0.1)):
        assert run.diverged_at[k] == run.t[np.flatnonzero(off > bound)[0]]
    assert (run.error == run.error[0]).all() and math.isclose(run.error[0], off.max())
    begins_there = {"q0": [0.5, 0.0], "bound": 0.5, "duration": 0.005}
    assert not px.control.closed_loop(
        ARM, px.control.pd(ARM, 0.0, 0.0), [0.0, 0.0], 1e-3, **begins_there
    ).diverged


# -- plants that rub -------------------------------------------------------------------------------


def test_friction_too_stiff_for_the_plant_is_told():
    stiff = ARM.with_drives(
        {"joint2": {"friction": px.robots.Friction(coulomb=5.0, smoothing=1e-4)}}
    )
    with pytest.warns(px.SimulationWarning, match="joint 'joint2' near rest.*plant_step <="):
        px.control.closed_loop(stiff, exact(), POSTURE, 1e-3, duration=2e-3)


def test_a_bearing_that_jams_is_told():
    """Its mass is 1 m off the rail: 20 μ |a| of friction against 2 kg · a, while it brakes."""
    friction = px.robots.Friction(px.robots.LinearBearing(0.2, 0.2), smoothing=0.1)
    joint = px.robots.Joint("slide", "prismatic", axis=(1, 0, 0), friction=friction)
    body = px.robots.Inertia(2.0, (0, 0, 1.0), (0.1,) * 3 + (0,) * 3)
    robot = px.Robot("hung", [joint], [body], [], (0, 0, 0))
    with pytest.warns(px.SimulationWarning) as said:
        px.control.closed_loop(
            robot,
            px.control.pd(robot, 9.0, 0.0),
            [-1.0],
            1e-3,
            duration=4e-3,
            q0=[[-1.1], [0.0]],
            qd0=[1.0],
        )
    assert any("bearings: the torques of 1 of 2 robots" in str(each.message) for each in said)


# -- models that are wrong -------------------------------------------------------------------------


def test_a_model_of_another_robot_is_told_and_a_wrong_model_is_a_use():
    heavy = ARM.with_payload(1.0)
    named = [replace(ARM.joints[0]), replace(ARM.joints[1], name="wrist")]
    other = replace(ARM, name="other", joints=named)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        px.control.closed_loop(ARM, exact(heavy), POSTURE, 1e-3, duration=2e-3)
    with pytest.warns(
        px.SimulationWarning, match="'other' with joint 'wrist', but .* has joint 'joint2'"
    ):
        px.control.closed_loop(ARM, exact(other), POSTURE, 1e-3, duration=2e-3)


# -- bad input -------------------------------------------------------------------------------------


BAD = {
    "period: expected seconds > 0, found 0.0": {"period": 0.0},
    "period: expected seconds > 0, found -0.1": {"period": [0.1, -0.1]},
    "period: expected seconds > 0, found nan": {"period": math.nan},
    "period: expected real numbers": {"period": "soon"},
    "period: expected at most the duration, 0.01 s, found 2": {"period": [1e-3, 2]},
    "delay: expected seconds >= 0, found -1": {"delay": -1.0},
    "delay: expected at most the shortest period, 0.001 s, found 0.002; .*pipelined": {
        "delay": 2e-3
    },
    "delay: expected at most the shortest period, 0.0009": {"delay": 0.95e-3, "jitter": 0.1},
    "jitter: expected a share of the period in": {"jitter": 1.0},
    "missed: expected a probability, found 1.5": {"missed": 1.5},
    "missed: expected bools of shape .samples, ....": {"missed": True},
    "bound: expected an error > 0": {"bound": 0.0},
    "encoder: expected a resolution > 0": {"encoder": 0.0},
    "encoder: expected a resolution.*as 2π/4096.*found 4096": {"encoder": 4096},
    "encoder: expected shape .*2.*found .3": {"encoder": [1e-3] * 3},
    "switch_at: expected seconds, found nan": {"switch_at": math.nan},
    "duration: expected a number > 0, found -1": {"duration": -1.0},
    "duration: give it in seconds": {"duration": None},
    "plant_step: expected a number > 0": {"plant_step": 0.0},
    "q0: expected shape": {"q0": [0.0] * 3},
    "qd0: expected finite numbers, found nan": {"qd0": [0.0, math.nan]},
    "record: expected one of .*found 'energy'": {"record": "energy"},
    "every: expected an integer >= 1": {"every": 0},
    "seed: expected an integer >= 0": {"seed": -1},
    "speed: not a parameter of the robot": {"speed": 3.0},
    "payload: pass it as .*px.payload.robot, 1.0., instead of 2.0": {"payload": 2.0},
    "mass: expected shape": {"mass": [1.0]},
    "batch shapes do not broadcast": {"q0": np.zeros((2, 2)), "period": [1e-3] * 3},
    "period .3,., delay .2,.": {"period": [1e-3] * 3, "delay": [0.0, 1e-4]},
    "batch: expected at least one run, found .0": {"q0": np.zeros((0, 2))},
    "missed: expected a regular array": {"missed": [[0.1], [0.1, 0.2]]},
    "trajectory: expected 2 joints, found 3": {
        "trajectory": px.trajectories.quintic([0.0] * 3, [1.0] * 3, 1.0)
    },
    "trajectory: expected .*posture of 2 numbers, found 'home'": {"trajectory": "home"},
    "trajectory: expected a function of t that returns q, qd and qdd, found 2 parts": {
        "trajectory": lambda t: ([t, t], [1.0, 1.0])
    },
    "returns q, qd and qdd, found a number": {"trajectory": lambda t: px.math.sin(t)},
    "each of 2 numbers, found 1 for q$": {"trajectory": lambda t: [px.math.sin(t)] * 3},
    "each of 2 numbers, found 1 for qd$": {
        "trajectory": lambda t: ([t, t], [1.0], [0.0, 0.0]),
    },
    "each of 2 numbers, found a str for q$": {"trajectory": lambda t: (["t", t],) * 3},
    "trajectory: it must be callable as trajectory.t, speed=speed.": {
        "trajectory": swing,
        "speed": 1.0,
    },
    "controller: expected one of px.control.computed_torque": {"controller": "pd"},
    "controller: expected 2 joints, as the robot has, found 3": {
        "controller": px.control.pd(px.robots.planar(3), 1.0, 1.0)
    },
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_named(message):
    given = {
        "controller": px.control.pd(ARM, 1.0, 1.0),
        "trajectory": POSTURE,
        "period": 1e-3,
        "duration": 0.01,
    }
    with pytest.raises(px.ArgumentError, match=message):
        px.control.closed_loop(ARM, **given | BAD[message])


def test_other_postures_and_motions_compile_nothing(monkeypatch):
    controller = px.control.computed_torque(ARM, *GAINS, "hamilton")

    def error(reference):
        return px.control.closed_loop(
            ARM, controller, reference, 2e-3, duration=0.1, q0=[0.1, 0.2]
        ).error

    def swing(end):
        return px.trajectories.quintic([0.1, 0.2], [end, 0.5], 0.1)

    found = error([0.1, 0.2]), error(swing(0.4))

    def refuse(*_, **__):
        raise AssertionError("compiled")

    monkeypatch.setattr(host, "compile_object", refuse)
    assert error([0.1, 0.2]) == found[0] and error(swing(0.4)) == found[1]
    assert error([0.3, 0.2]) == pytest.approx(0.2) and error(swing(0.9)) > found[1]
    with pytest.raises(AssertionError, match="compiled"):
        error(lambda t: ([0.1, px.math.sin(t)], [0.0, px.math.cos(t)], [0.0, -px.math.sin(t)]))
