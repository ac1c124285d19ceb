"""Control loops on threads: whatever their timing, the run is that of the closed loop."""

import numpy as np
import pytest

import paraxis as px

ARM = px.robots.planar(3)


def sway(t):
    """Three joints to and fro."""
    turn = 3.0 * t
    sine, cosine = px.math.sin(turn), px.math.cos(turn)
    return [0.4 * sine] * 3, [1.2 * cosine] * 3, [-3.6 * sine] * 3


@pytest.mark.parametrize("policy", ["exact", "binder_herzog", "hamilton", "hamilton_one_step"])
def test_threads_do_what_the_closed_loop_does(policy):
    law = px.control.computed_torque(ARM, 100.0, 20.0, policy)
    times = {"duration": 0.03}
    run = px.control.threaded_loop(ARM, law, sway, 2e-3, **times, groups=3)
    given = times | {"delay": 2e-3, "plant_step": 1e-3, "missed": run.missed}
    same = px.control.closed_loop(ARM, law, sway, 2e-3, **given, record=("q", "tau"))
    assert len(run.t) == 15 and run.groups == [[0], [1], [2]]
    np.testing.assert_allclose(run.q, same.q[:15], atol=1e-10)
    if not run.missed.any():
        np.testing.assert_allclose(run.tau, same.tau[:15], rtol=1e-8, atol=1e-8)


def test_stale_data_spare_messages_within_a_step():
    sent = {}
    for policy in ("exact", "binder_herzog", "hamilton_one_step"):
        law = px.control.computed_torque(ARM, 100.0, 20.0, policy)
        run = px.control.threaded_loop(ARM, law, np.zeros(3), 1.0, duration=2.0, groups=3)
        sent[policy] = run.values_sent
    assert sent["exact"] > max(sent["binder_herzog"], sent["hamilton_one_step"])


def test_a_step_that_takes_too_long_is_missed():
    law = px.control.computed_torque(ARM, 100.0, 20.0, "binder_herzog")
    run = px.control.threaded_loop(ARM, law, np.zeros(3), 1e-9, duration=3e-9)
    assert run.missed.all() and (run.tau == run.tau[0]).all()


def test_what_threads_in_step_cannot_do_is_refused():
    law = px.control.computed_torque(ARM, 100.0, 20.0, "yamakita_one_step_ahead")
    with pytest.raises(px.ArgumentError, match="looks ahead"):
        px.control.threaded_loop(ARM, law, np.zeros(3), 1e-3, duration=0.1)
    law = px.control.computed_torque(ARM, 100.0, 20.0)
    with pytest.raises(px.ArgumentError, match="period: expected at most the duration"):
        px.control.threaded_loop(ARM, law, np.zeros(3), 1e-3, duration=1e-13)
    for period, rest in (
        (1e-300, {"duration": 1}),
        (1e-3, {"duration": 1e300}),
        (1e-3, {"duration": 1, "plant_step": 1e-9}),
    ):
        with pytest.raises(px.ArgumentError, match="at most 1,000,000 steps"):
            px.control.threaded_loop(ARM, law, np.zeros(3), period, **rest)


def test_a_run_that_is_lost_says_so():
    law = px.control.feed_forward(ARM, 1e5, 1e5)
    run = px.control.threaded_loop(ARM, law, sway, 0.02, duration=4.0, plant_step=0.02)
    assert run.error == np.inf and "diverged: joint values overflowed after" in repr(run)
