"""The report on speculation: what its numbers are made of, and that verdicts follow from them."""

import numpy as np
import paraxis_papers
import pytest
from paraxis_papers.document import markdown
from paraxis_papers.page import report_page
from paraxis_papers.speculation import (
    against_period,
    answers,
    arms,
    best_cuts,
    boundaries,
    buffering,
    claims,
    equal_hardware,
    figures_6_and_7,
    flow_diagrams,
    frozen_posture,
    motions,
    pipelines,
    speeds,
    switched_runs,
    time_steps,
    torque_errors,
)
from paraxis_papers.speculation.arms import (
    BINDER_HERZOG,
    EXACT,
    FIGURE_3,
    NO_ROTORS,
    PLANAR,
    PUMA,
    READINGS,
    ROTORS,
    TABLE_1,
)

import paraxis as px
from paraxis.control.tradeoff.pass_time import PassTime
from paraxis.drawing.figure import draw


def verdict(found):
    return found.outcome


# -- what is measured ------------------------------------------------------------------------------


def test_time_steps_are_those_printed_but_for_table_1():
    rows = {row.quantity: row for row in time_steps.time_step_table().rows}
    printed = {name: row for name, row in rows.items() if row.printed is not None}
    assert [row.printed for row in printed.values()] == [6, 2, 1, 1, 1]
    off = [name for name, row in printed.items() if row.measured != row.printed]
    assert off == [f"3 links, {TABLE_1}"]
    assert rows["6 links, exact"].measured == 12
    assert verdict(claims.time_steps()) == "depends"


def test_figures_1_to_5_are_drawn_from_the_reads():
    """Blocks take the time steps that the paper prints; within a link, ω and ω̇ come first."""
    printed = time_steps.printed("hamilton")["time_steps_3_links"]
    named = {EXACT: "serial", BINDER_HERZOG: "binder_herzog", FIGURE_3: "hamilton"}
    for policy, called in named.items():
        flow = flow_diagrams.block_flow(policy)
        assert max(flow.levels().values()) == printed[called]
        assert len(flow.now | flow.stale) == 7
    levels = flow_diagrams.forward_flow(BINDER_HERZOG).levels()
    assert {name for name, level in levels.items() if level == 1} == {"ω", "ω̇"}
    assert not flow_diagrams.forward_flow(FIGURE_3).now
    drawn = flow_diagrams.flow_diagrams()
    assert len(drawn) == 5 and all("<svg" in each.html for each in drawn)
    assert "F1 → F2" in drawn[1].text.partition("stale")[2]


def test_loops_on_processors_are_proved():
    """On the PUMA with free messages, all proved; the critical path alone says 34, 12 and 9."""
    named = (EXACT, BINDER_HERZOG, TABLE_1)
    for per_link, expected in ((1, (90, 96, 98)), (2, (47, 48, 49)), (4, (34, 24, 25))):
        hardware = equal_hardware.Hardware(per_link, 0)
        found = [equal_hardware.loop_time(PUMA, which, hardware) for which in named]
        assert tuple(each.period for each in found) == expected
        assert all(each.optimal for each in found)
    found = [equal_hardware.loop_time(PUMA, which, equal_hardware.DRAWN) for which in named]
    exact, theirs, ours = found
    assert (theirs.period, ours.period) == (96, 98) and theirs.optimal and ours.optimal
    assert 90 <= exact.bound <= exact.period <= 163  # what a quick list schedule takes


def test_a_claim_on_the_length_of_the_loop_is_of_schedules(monkeypatch):
    for ours, expected in ((1, "confirmed"), (9, "refuted")):
        made_up = {EXACT: 8, BINDER_HERZOG: 8 if ours > 8 else 2, TABLE_1: ours, FIGURE_3: ours}

        def loop_time(name, which, hardware, made_up=made_up):
            return PassTime(made_up[which], made_up[which])

        monkeypatch.setattr(equal_hardware, "loop_time", loop_time)
        assert verdict(claims.shorter_loop()) == verdict(claims.higher_rates()) == expected


@pytest.fixture
def few_runs(monkeypatch):
    """A sweep of a moment: other conditions than the report's, the same functions."""
    cached = (switched_runs.conditions, switched_runs.outcomes)
    monkeypatch.setattr(switched_runs, "RUNS", 5)
    monkeypatch.setattr(switched_runs, "PERIODS", (1e-3, 8e-3))
    monkeypatch.setattr(switched_runs, "DURATION", 2.0)
    for each in cached:
        each.cache_clear()
    yield
    for each in cached:
        each.cache_clear()


def test_runs_that_are_switched_are_those_of_closed_loop(few_runs):
    drawn = switched_runs.conditions()
    assert drawn.turn.shape == (2, 5)
    for values, ends in (
        (drawn.frequency, switched_runs.FREQUENCIES),
        (drawn.damping, switched_runs.DAMPINGS),
        (drawn.size, switched_runs.SIZES),
        (drawn.rate, switched_runs.RATES),
    ):
        assert ends[0] <= values.min() and values.max() <= ends[1]
    found = switched_runs.outcomes(PLANAR, BINDER_HERZOG)
    assert found.lost.any() and not found.lost.all()
    k, which = (int(i) for i in np.argwhere(~found.lost)[0])
    frequency, damping = drawn.frequency[k, which], drawn.damping[k, which]
    size, rate = drawn.size[k, which], drawn.rate[k, which]

    def motion(t):
        turn = rate * t
        return (
            [size * px.math.sin(turn)] * 3,
            [size * rate * px.math.cos(turn)] * 3,
            [-size * rate**2 * px.math.sin(turn)] * 3,
        )

    arm = px.robots.planar(3)
    law = px.control.computed_torque(arm, frequency**2, 2 * damping * frequency, BINDER_HERZOG)
    run = px.control.closed_loop(
        arm, law, motion, drawn.period[k, which], duration=2.0, switch_at=1.57, plant_step=4e-3
    )
    assert run.error == pytest.approx(found.error[k, which], rel=1e-6)


def test_shares_and_regions_are_of_the_runs(few_runs):
    gone, held = switched_runs.lost(BINDER_HERZOG), ~switched_runs.lost(EXACT)
    which = figures_6_and_7.only_lost(BINDER_HERZOG, EXACT, PLANAR)
    assert (which == gone & held).all() and which.any()
    assert figures_6_and_7.share(which) == round(which.sum() / 10, 2)
    low, high = figures_6_and_7.span(which)
    turns = switched_runs.conditions().turn[which]
    assert turns.min() * 0.9 <= low <= high <= turns.max() * 1.1


def test_quintic_motions_start_and_end_at_rest():
    begin, end = np.array([0.1, -1.0]), np.array([1.1, 0.5])
    for t, place in ((0.0, begin), (2.0, end)):
        q, qd, qdd = motions.quintic(t, begin, end, 2.0)
        np.testing.assert_allclose(q, place, atol=1e-12)
        np.testing.assert_allclose([qd, qdd], 0, atol=1e-12)
    h, t = 1e-5, 0.7
    before, now, after = (motions.quintic(t + k * h, begin, end, 2.0) for k in (-1, 0, 1))
    np.testing.assert_allclose((after[0] - before[0]) / (2 * h), now[1], rtol=1e-8)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), now[2], rtol=1e-7)


@pytest.mark.parametrize("policy", [BINDER_HERZOG, "yamakita_one_step_ahead"])
def test_errors_of_torques_step_by_step(policy):
    period, length = 0.1, 1.0
    robot, program = px.robots.planar(3), px.control.speculate(px.robots.planar(3), policy)
    begin, end = (values[0] for values in motions.ends(PLANAR).values())
    names, worst = ("q", "qd", "qdd"), 0.0
    state = program.start(*motions.quintic(0.0, begin, end, length))
    for step in range(11):
        t = period * step
        now = dict(zip(names, motions.quintic(t, begin, end, length), strict=True))
        given = dict(now)
        if "q_ahead" in program.inputs:
            ahead = motions.quintic(t + period, begin, end, length)
            given |= dict(zip((f"{name}_ahead" for name in names), ahead, strict=True))
        result = program.evaluate(**given, **state)
        state = {name: result[output] for name, output in program.carry.items()}
        exact = px.inverse_dynamics(robot, **now)
        worst = max(worst, abs(result["tau"] - exact).max() / max(1, abs(exact).max()))
    found = torque_errors.torque_errors(PLANAR, policy, length, period)
    assert found[0] == pytest.approx(worst, rel=1e-9) and worst > 0.1


def test_slopes_are_powers_of_the_period():
    periods = np.array([1.0, 2.0, 4.0])
    assert against_period.slope(periods, 3 * periods**2) == pytest.approx(2)
    assert against_period.slope(periods, [1.0, 2.0, np.inf]) == pytest.approx(1)
    assert against_period.slope(periods, [np.inf, np.inf, 1.0]) is None


def test_runs_at_equal_hardware_are_those_of_closed_loop():
    hardware = equal_hardware.DRAWN
    found = equal_hardware.errors(PLANAR, TABLE_1, equal_hardware.QUICK, hardware)
    assert found.shape == (len(equal_hardware.EXACT_PERIODS), motions.MOTIONS)
    settings = equal_hardware.motions(PLANAR, equal_hardware.QUICK)
    one = {name: values[1:2] for name, values in settings.items()}
    period = 2e-3 * equal_hardware.period_share(PLANAR, TABLE_1, hardware)
    arm = px.robots.planar(3)
    law = px.control.computed_torque(arm, 100.0, 20.0, TABLE_1)
    times = {"duration": 2.0, "delay": period, "plant_step": 5e-3}
    run = px.control.closed_loop(arm, law, equal_hardware.wave, [period], **times, **one)
    assert run.error == pytest.approx(found[1, 1], rel=1e-6)


@pytest.mark.long
def test_answers_are_of_the_loops_of_the_other_tables():
    found = answers.tradeoff(PLANAR)
    n = arms.arm(PLANAR).n
    for hardware in equal_hardware.HARDWARE[:4]:  # those on links
        at = 0, [n, 2 * n, 4 * n].index(hardware.per_link * n), [0, 10, 50].index(hardware.latency)
        for k, policy in enumerate(arms.COMPARED):
            loop = equal_hardware.loop_time(PLANAR, policy, hardware)
            assert found.loop_time[at][k] <= loop.period  # a schedule for less serves for more
            assert found.loop_bound[at][k] >= loop.bound
    assert f"{(found.fastest > 0).sum()} of 18 kinds" in found.conclusion


def test_the_best_cut_is_stable_at_all_postures():
    arm, found = arms.arm(PLANAR), best_cuts.best(PLANAR, best_cuts.MACHINES[0])
    law = px.control.computed_torque(arm, 100.0, 20.0, found.policy)
    each = [
        px.control.safe_period(arm, law, q, delay_share=1.0).period
        for q in motions.postures(PLANAR, best_cuts.POSTURES)
    ]
    assert found.postures == len(each) == 4 and found.safe_period == pytest.approx(min(each))
    assert found.gain > 1 > found.proved_gain  # stable on slower hardware, if only as scheduled


def test_what_is_safer_depends_on_what_hangs_on_a_link():
    """Of the first posture: heavy links ask for Hamilton's scheme, rotors for the other."""
    for reading in READINGS:
        heavy, light, rotors = (
            frozen_posture.found(name, reading, 0).period
            / frozen_posture.found(name, BINDER_HERZOG, 0).period
            for name in (PLANAR, 0.03, ROTORS)
        )
        assert heavy > 1 > light and rotors < 1


def test_a_puma_without_rotors_is_not_safer_by_hamiltons_scheme():
    """So rotors alone do not decide: its links get lighter towards the hand."""
    theirs = frozen_posture.found(NO_ROTORS, BINDER_HERZOG, 0).period
    assert not any(joint.rotor_inertia for joint in arms.arm(NO_ROTORS).joints)
    assert all(frozen_posture.found(NO_ROTORS, each, 0).period < theirs for each in READINGS)


def test_a_predicted_boundary_is_where_simulation_finds_it():
    for policy in (BINDER_HERZOG, FIGURE_3):
        found = boundaries.boundary(policy, boundaries.CASES[1])
        assert abs(found.off) <= boundaries.ASKED
        law = arms.control(PLANAR, policy, 20.0, 0.7)
        safe = px.control.safe_period(px.robots.planar(3), law, boundaries.CASES[1][0])
        assert found.predicted == safe.period


# -- verdicts follow from numbers ------------------------------------------------------------------


def made_up_losses(monkeypatch, **shares):
    """Let each policy lose the first so many of all conditions, or none; of all arms alike."""
    total = switched_runs.conditions().turn

    def lost(policy, name=PLANAR):
        share = shares.get(getattr(policy, "name", policy), 0.0)
        return (np.arange(total.size) < share * total.size).reshape(total.shape)

    monkeypatch.setattr(claims, "lost", lost)
    monkeypatch.setattr(figures_6_and_7, "lost", lost)


@pytest.mark.parametrize(
    ("theirs", "ours", "lower", "remains"),
    [
        (0.5, 0.0, "confirmed", "confirmed"),
        (0.5, 0.25, "confirmed", "depends"),
        (0.25, 0.5, "refuted", "refuted"),
    ],
)
def test_who_is_lost_decides(monkeypatch, theirs, ours, lower, remains):
    made_up_losses(monkeypatch, **{BINDER_HERZOG: theirs}, **dict.fromkeys(READINGS, ours))
    assert verdict(claims.lost_at_lower_rates()) == lower
    found = claims.hamilton_remains_stable()
    assert verdict(found) == remains
    assert f"{TABLE_1} {max(0.0, 1 - ours / theirs):.0%}" in found.evidence


def test_high_rates_are_judged_by_short_periods_only(monkeypatch):
    turn = switched_runs.conditions().turn
    high = turn < figures_6_and_7.EDGES[1]
    for where, expected in ((high, "refuted"), (~high, "confirmed")):
        monkeypatch.setattr(claims, "lost", lambda policy, where=where: where)
        assert verdict(claims.all_hold_at_high_rates()) == expected


def test_other_claims_on_losses(monkeypatch):
    made_up_losses(monkeypatch, yamakita_buffered=1.0, binder_herzog=1.0, pipelined=0.5)
    assert verdict(claims.buffering_diverges()) == "confirmed"
    assert verdict(claims.better_convergence()) == "confirmed"
    assert "lost in 50%" in claims.same_as_pipelines().evidence
    made_up_losses(monkeypatch, hamilton=0.5, yamakita_buffered=0.25)
    assert verdict(claims.buffering_diverges()) == "depends"
    assert verdict(claims.better_convergence()) == "depends"


@pytest.mark.parametrize(
    ("rate", "expected"), [(0.9, "refuted"), (0.0, "confirmed"), (-0.1, "confirmed")]
)
def test_marginal_is_what_does_not_decay(monkeypatch, rate, expected):
    monkeypatch.setattr(claims, "rate_of_decay", lambda name, which: rate)
    assert verdict(claims.marginally_stable()) == expected


@pytest.mark.parametrize(
    ("simulated", "expected"), [(1.04, "confirmed"), (1.06, "refuted"), (0.0, "refuted")]
)
def test_boundaries_are_to_be_within_what_is_asked(monkeypatch, simulated, expected):
    monkeypatch.setattr(
        boundaries, "boundary", lambda policy, case: boundaries.Boundary(1.0, simulated)
    )
    assert verdict(claims.predicted_boundaries()) == expected


def test_relative_stability_is_that_of_safe_periods(monkeypatch):
    for ratio, expected in ((2.0, "confirmed"), (1.2, "refuted")):  # greater is not much greater
        monkeypatch.setattr(claims, "ratios", lambda name, which, r=ratio: np.array([r, r]))
        assert verdict(claims.greater_relative_stability()) == expected
    monkeypatch.setattr(claims, "ratios", lambda name, which: np.array([2.0, 0.5]))
    assert verdict(claims.greater_relative_stability()) == "depends"


@pytest.mark.parametrize(("power", "expected"), [(1.0, "confirmed"), (2.0, "refuted")])
def test_linear_is_a_slope_of_one(monkeypatch, power, expected):
    for name, periods in (("torques", against_period.LONG), ("positions", against_period.SHORT)):
        errors = [period**power for period in periods]
        monkeypatch.setattr(against_period, name, lambda *which, errors=errors: errors)
    assert verdict(claims.errors_are_linear()) == expected


def test_equal_hardware_is_judged_by_who_is_nearer(monkeypatch):
    for won, slow, quick in ((True, "refuted", "confirmed"), (False, "confirmed", "refuted")):
        monkeypatch.setattr(equal_hardware, "wins", lambda *which, won=won: np.array([[won]]))
        assert verdict(claims.serial_better_when_slow()) == slow
        assert verdict(claims.stale_better_when_quick()) == quick


def test_better_convergence_is_asked_of_arms_with_and_without_rotors(monkeypatch):
    """Hamilton's is lost less often without rotors and more often with them: it depends."""
    shape = switched_runs.conditions().turn.shape

    def lost(policy, name=PLANAR):
        ours = policy in READINGS
        return np.full(shape, ours if name == ROTORS else not ours)

    monkeypatch.setattr(claims, "lost", lost)
    found = claims.better_convergence()
    assert verdict(found) == "depends" and "rotor" in found.evidence


@pytest.mark.parametrize(("error", "expected"), [(0.04, "confirmed"), (0.16, "refuted")])
def test_small_errors_are_small_not_smaller(monkeypatch, error, expected):
    monkeypatch.setattr(
        speeds, "torques", lambda name, which, *_: error * (1 if which == claims.OUTPUT else 9)
    )
    made_up_losses(monkeypatch)
    assert verdict(claims.output_prediction_is_good()) == expected


def test_thresholds_stand_beside_the_verdicts_they_decide(monkeypatch):
    made_up_losses(monkeypatch, binder_herzog=0.5)
    evidence = claims.high_frequency_dynamics().evidence
    assert "above 1.58 rad/s" in evidence and "2 times as many" in evidence


def test_pipelines_of_one_and_two_stages_are_policies_with_names():
    assert pipelines.pipeline(1) == EXACT and pipelines.pipeline(2) == "pipelined"
    assert px.control.speculate(px.robots.planar(3), pipelines.pipeline(3)).carry.keys() == {
        "torque_1",
        "torque_2",
    }
    assert px.control.policy("pipelined") == px.control.policy("pipelined", stages=2)


# -- the whole -------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_whole_report():
    report = paraxis_papers.report("speculation")
    assert len(report.verdicts) == len(claims.CLAIMS)
    assert {verdict(each) for each in report.verdicts} == {"confirmed", "refuted", "depends"}
    assert len(report.references) == 7
    assert all(draw(figure, width) for figure in report.figures for width in (360, 960))
    assert "<svg" in report_page(report, "1.0")
    assert markdown(report).count("## ") == 2 + len(report.parts)


@pytest.mark.long
def test_the_example_is_one_in_which_only_binder_and_herzog_lose_the_arm():
    at = figures_6_and_7.example()
    assert switched_runs.lost(BINDER_HERZOG)[at]
    assert not any(switched_runs.lost(reading)[at] for reading in READINGS)
    lost, held = figures_6_and_7.example_figures()
    assert lost.curves["actual"][-1][0] < held.curves["actual"][-1][0] == switched_runs.DURATION
    joints = buffering.lost_joints()
    assert joints.sum() == pytest.approx(1)
