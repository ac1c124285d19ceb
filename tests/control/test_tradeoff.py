"""When stale data are worth it: the arrays are those of schedules, safe periods and runs."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import paraxis as px
from paraxis.control.tradeoff.pass_time import pass_time, stages_of

ARM = px.robots.planar(2)


@pytest.fixture(scope="module")
def found():
    return px.control.stale_data_tradeoff(
        ARM, policies=["binder_herzog", "pipelined"], processors=(1, 2, 8), latency=(0, 20)
    )


def test_exact_control_is_always_among_the_policies(found):
    assert found.policies == ("exact", "binder_herzog", "pipelined")
    assert found.loop_time.shape == (2, 3, 2, 3) == found.error.shape
    assert (found.rate_gain[..., 0] == 1).all()


def test_loop_times_are_of_schedules_and_never_below_their_bounds(found):
    assert (found.loop_bound <= found.loop_time).all()
    assert (np.diff(found.loop_time, axis=1) <= 0).all()  # more processors
    assert (np.diff(found.loop_time, axis=2) >= 0).all()  # slower messages
    assert (found.loop_time[0] <= found.loop_time[1]).all()  # links, bus
    program = px.control.speculate(ARM, "binder_herzog")
    assert found.loop_time[0, 1, 1, 1] == pass_time(program, 2, 20).period
    assert found.loop_time[0, 0, 0, 0] == px.control.speculate(ARM, "exact").count().flops


def test_errors_and_safe_periods_are_those_of_the_loop(found):
    law = px.control.computed_torque(ARM, 100.0, 20.0, "binder_herzog")
    period = found.period[0, 1, 1, 1]
    from paraxis.control.atlas.motion import CYCLE, swaying

    run = px.control.closed_loop(ARM, law, swaying(ARM), period, duration=1.5 * CYCLE, delay=period)
    assert run.error == pytest.approx(found.error[0, 1, 1, 1], rel=1e-6)
    q = swaying(ARM)(0.0)[0]
    at_start = px.control.safe_period(ARM, law, q, delay_share=1.0)
    assert 0 < found.safe_period[1] <= at_start.period


def test_the_answer_names_hardware_and_policy(found):
    with_latency = found.answer(8, 20)
    assert "8 processors and a message latency of 20 flops" in with_latency
    k = found.fastest[0, 2, 1]
    gain = found.rate_gain[0, 2, 1, k]
    assert f"{found.policies[k]} has the highest rate, {gain:.2f} x" in with_latency
    assert "exact control; stale data are not worth it" in found.answer(1, 0)
    assert "on a bus" in found.answer(2, 20, "bus")
    assert len(found.answers) == 12
    with pytest.raises(px.ArgumentError, match="processors: expected one of"):
        found.answer(3, 0)


def test_the_conclusion_counts_the_hardware(found):
    faster, nearer = ((each > 0).sum() for each in (found.fastest, found.most_accurate))
    text = found.conclusion
    assert f"the highest rate on {faster} of 12 kinds of hardware (proved on " in text
    assert f"the least error on {nearer}." in text
    best = found.rate_gain.max()
    assert f"runs at {best:.2f} x the rate of exact control" in text
    assert text in found.to_html()
    one = px.control.stale_data_tradeoff(ARM, policies="exact", processors=2, latency=0)
    assert one.conclusion.startswith("Exact control; stale data are worth it on none of 2 kinds")
    slow = replace(found, flop_time=1.0)
    assert slow.conclusion == "No policy is stable on any of 12 kinds of hardware."


def test_the_page_holds_every_machine(found, tmp_path):
    source = found.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == source and "://" not in source
    data = json.loads(re.search(r'id="data">(.*?)</script>', source, re.DOTALL)[1])["tradeoff"]
    assert np.array_equal(data["loopTime"], found.loop_time)
    assert np.array_equal(data["fastest"], found.fastest)
    assert data["answers"][1][2][1] == found.answer(8, 20, "bus")


def test_the_page_follows_an_atlas(found):
    atlas = px.control.stability_atlas(
        ARM, policies="exact", periods=[1e-3, 2e-3], axes={"gain": [1.0]}
    )
    source = found.to_html(atlas=atlas)
    assert 'id="hardware"' in source and 'id="policy"' in source
    assert source.count("<header>") == 1
    data = json.loads(re.search(r'id="data">(.*?)</script>', source, re.DOTALL)[1])
    assert {"tradeoff", "maps"} <= data.keys()


def test_only_late_torques_make_a_pipeline():
    stages = {
        "exact": 1,
        "pipelined": 2,
        "binder_herzog": 1,
        "vuskovic_output_prediction": 1,
    }
    for policy, expected in stages.items():
        assert stages_of(px.control.speculate(ARM, policy)) == expected
    program = px.control.speculate(ARM, px.control.policy("pipelined", stages=3))
    assert stages_of(program) == 3
    flops = program.count().flops
    assert pass_time(program, 3, 1000).period == flops / 3  # each set by one processor
    assert pass_time(program, 3, 1000).optimal


@pytest.mark.parametrize(
    "wrong",
    [
        {"processors": (2, 1)},
        {"latency": -1},
        *({"networks": names} for names in ("ring", 3, [], ("links", "links"))),
        *({"flop_time": time} for time in (0, 10.0, 1e-30)),
    ],
)
def test_wrong_hardware_is_refused(wrong):
    (name,) = wrong
    with pytest.raises(px.ArgumentError, match=name.rstrip("s")):
        px.control.stale_data_tradeoff(ARM, **{"policies": "exact", "latency": 0, **wrong})
