"""Adaptive steps of `px.simulate`: how many there may be, how long, and short torques."""

import math
import warnings
from functools import cache

import numpy as np
import pytest

import paraxis as px

DOWN = -math.pi / 2  # where a pendulum hangs at rest


@cache
def pendulum():
    return px.robots.planar(1)


@cache
def level():
    """A rod of inertia 1/3 kg m2, which nothing moves but its motor."""
    return pendulum().with_gravity((0.0, 0.0, 0.0))


def adaptive(robot, q0, qd0=(0.0,), **options):
    return px.simulate(robot, q0, qd0, method="adaptive", **options)


def pulse(begin, end):
    """A torque of 1 N m between two times, that can be traced."""

    def torques(t, q, qd):
        return [px.math.select(t < begin, 0.0, px.math.select(t < end, 1.0, 0.0))]

    return torques


def called(torques):
    """The same as Python on floats."""
    return lambda t, q, qd: [float(torques(float(t), q, qd)[0])]


def after_pulse(begin, end, t):
    """Where it has turned the level rod by a time t after its end."""
    speed = 3.0 * (end - begin)
    return speed * (end - begin) / 2 + speed * (t - end)


# -- attempts --------------------------------------------------------------------------------------


def test_a_robot_that_needs_too_many_attempts_is_told_apart_from_one_that_is_not_finite():
    starts = [[1.0], [DOWN], [math.nan], [0.2]]
    with pytest.warns(px.SimulationWarning) as said:
        run = adaptive(pendulum(), starts, dt=100.0, steps=2, max_attempts=1000)
    texts = [str(each.message) for each in said]
    assert len(texts) == 2
    assert "2 of 4 robots used up all 1,000 attempts" in texts[0] and "robot 0 first" in texts[0]
    assert "simulation failed for 1 of 4 robots, robot 2 first, at step 0" in texts[1]
    assert run.failed_at.tolist() == [1, -1, 0, 1]
    assert np.isnan(run.out_of_attempts_at).tolist() == [False, True, True, False]
    reached = run.out_of_attempts_at[[0, 3]]
    assert ((reached > 5.0) & (reached < 99.0)).all()
    assert np.isnan(run.q[1:, [0, 2, 3]]).all() and np.isfinite(run.q[:, 1]).all()


def test_the_time_it_had_reached_is_where_the_attempts_lead():
    """More attempts get farther, in proportion; enough of them get to the end."""
    options = {"dt": 20.0, "steps": 1}
    with pytest.warns(px.SimulationWarning, match="used up all"):
        few = adaptive(pendulum(), [1.0], max_attempts=200, **options).out_of_attempts_at
        more = adaptive(pendulum(), [1.0], max_attempts=800, **options).out_of_attempts_at
    assert few.shape == () and 3.0 * few < more < 5.0 * few
    enough = adaptive(pendulum(), [1.0], max_attempts=10_000, **options)
    default = adaptive(pendulum(), [1.0], **options)
    assert np.isnan(enough.out_of_attempts_at) and (enough.q == default.q).all()


def test_the_default_limit_is_reported_where_a_dt_is_absurd():
    with pytest.warns(px.SimulationWarning, match="used up all 100,000 attempts .* at 1[0-9]{3}"):
        run = adaptive(pendulum(), [1.0], dt=1e4, steps=1)
    assert run.failed_at == 1 and 1000.0 < run.out_of_attempts_at < 2000.0


@pytest.mark.parametrize("dt", (1e9, 1e15))
def test_a_very_long_dt_is_no_reason_to_give_up_before_the_attempts_are_used(dt):
    with pytest.warns(px.SimulationWarning, match="used up all 500 attempts"):
        run = adaptive(pendulum(), [1.0], dt=dt, steps=1, max_attempts=500)
    assert run.out_of_attempts_at > 5.0


def test_a_called_controller_uses_up_attempts_too():
    def fast(t, q, qd):
        return [1e3 * math.sin(1e4 * float(t))]

    with pytest.warns(px.SimulationWarning, match="used up all 50 attempts"):
        run = adaptive(level(), [0.0], controller=fast, dt=1.0, steps=2, max_attempts=50)
    assert run.failed_at == 1 and 0.0 < run.out_of_attempts_at < 1.0
    assert np.isnan(run.q[1:]).all()


def test_fixed_steps_have_no_attempts():
    assert px.simulate(level(), [0.0], [1.0], dt=0.1, steps=1).out_of_attempts_at is None


# -- lengths ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", (lambda f: f, called), ids=("traced", "called"))
@pytest.mark.parametrize("begin", (0.5, 3.5, 5.5))
def test_a_torque_of_four_seconds_within_ten_is_not_missed(begin, way):
    """Nothing moves before it, so that nothing asks for a short step."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.SimulationWarning)
        run = adaptive(level(), [0.0], controller=way(pulse(begin, begin + 4)), dt=10.0, steps=1)
    assert abs(run.q[-1, 0] - after_pulse(begin, begin + 4, 10.0)) < 1e-4


def test_the_largest_step_finds_what_is_shorter():
    """50 ms in the fourth of 10 s: free steps pass over it, those of at most 50 ms do not."""
    options = {"controller": pulse(33.31, 33.36), "dt": 10.0, "steps": 4}
    assert adaptive(level(), [0.0], **options).q[-1, 0] == 0.0
    run = adaptive(level(), [0.0], max_step=0.05, **options)
    assert abs(run.q[-1, 0] - after_pulse(33.31, 33.36, 40.0)) < 1e-4


def test_no_step_is_longer_than_the_largest():
    """Nodes of a step lie at 0, 1/5, ..., 1: a controller that is called sees how far apart."""
    times = []

    def nothing(t, q, qd):
        times.append(float(t))
        return [0.0]

    with pytest.warns(px.SimulationWarning, match="uncompiled"):
        adaptive(level(), [0.0], controller=nothing, dt=1.0, steps=2, max_step=0.125)
    assert times[-1] == 2.0 and np.diff(times).max() <= 0.125
    assert len(times) < 7 * (16 + 20) + 1


def test_a_largest_step_changes_nothing_where_steps_are_shorter():
    options = {"dt": 0.5, "steps": 2}
    free, bound = (adaptive(pendulum(), [1.0], **options, **more) for more in ({}, {"max_step": 9}))
    assert free.q.tobytes() == bound.q.tobytes() and free.qd.tobytes() == bound.qd.tobytes()


@pytest.mark.parametrize(
    "options, words",
    [
        ({"max_step": 0.0}, "max_step: expected a number > 0, found 0.0"),
        ({"max_step": math.nan}, "max_step: expected a number > 0"),
        ({"max_step": 1e-6}, "max_step: 1e-06 s needs at least 1e.06 steps in a dt of 1 s"),
        ({"max_step": 0.1, "method": "rk4"}, "max_step is for method 'adaptive' only"),
        ({"max_attempts": 0}, "max_attempts: expected an integer >= 1"),
        ({"max_attempts": 0.5}, "max_attempts: expected an integer"),
    ],
)
def test_limits_that_make_no_sense_are_refused(options, words):
    options = {"method": "adaptive", "dt": 1.0, "steps": 1} | options
    with pytest.raises(px.ArgumentError, match=words):
        px.simulate(level(), [0.0], [0.0], **options)
