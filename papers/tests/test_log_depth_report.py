"""The report on dynamics in logarithmic time: verdicts follow from numbers, numbers from runs."""

import json
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import paraxis_papers
import pytest
from paraxis_papers import document
from paraxis_papers.document import markdown
from paraxis_papers.log_depth import (
    accuracy,
    best_serial,
    measured,
    projections,
    responses,
    serial_cost,
    speedups,
    station_arm,
    two_arrays,
    verdicts,
)
from paraxis_papers.log_depth.chains import EQUAL, GENERAL, ROTORS, flops, robot_of
from paraxis_papers.log_depth.forward_costs import (
    BEST,
    CONSTRAINT,
    HALVES,
    added_by_doubling,
    depth_figure,
    depth_table,
)
from paraxis_papers.page import report_page
from paraxis_papers.printed import printed

import paraxis as px
from paraxis.drawing.figure import draw
from paraxis.parallel.two_arrays import links
from paraxis.robots.model import Model

ROOT = Path(__file__).resolve().parents[2]
extended = pytest.mark.skipif(
    np.dtype(np.longdouble).itemsize == 8, reason="long double is double here"
)


# -- what is counted -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [EQUAL, GENERAL])
@pytest.mark.parametrize("algorithm", [BEST, CONSTRAINT])
def test_flops_are_on_a_line_from_which_the_cost_a_link_is_read(kind, algorithm):
    slope = serial_cost.a_link(lambda n: flops(kind, n, algorithm))
    for n in (8, 24):
        assert flops(kind, n, algorithm) == flops(kind, 6, algorithm) + slope * (n - 6)


def test_chains_are_as_general_as_they_are_said_to_be():
    robot = robot_of(ROTORS, 6)
    assert all(joint.rotor_inertia > 0 for joint in robot.joints)
    assert all((body.matrix != 0).all() for body in robot.inertias)
    plain = robot_of(GENERAL, 6)
    assert [joint.placement for joint in plain.joints] == [j.placement for j in robot.joints]


@pytest.mark.parametrize("kind", [EQUAL, GENERAL, ROTORS])
def test_bias_torques_first_give_the_same_accelerations(kind):
    robot = robot_of(kind, 6)
    q, qd, tau = np.random.default_rng(0).normal(size=(3, 6))
    found = serial_cost.accelerations(Model(robot))(q.tolist(), qd.tolist(), tau.tolist())
    expected = px.forward_dynamics(robot, q, qd, tau)
    assert abs(found - expected).max() <= 1e-11 * abs(expected).max()


def test_the_printed_cost_is_not_met():
    told, found = printed("fijany")["serial_cost"], serial_cost.ratios()
    assert all(1 < ratio < told - 1 for ratio in found.values())
    for kind in (EQUAL, GENERAL, ROTORS):
        assert found[f"{kind}, bias torques first"] > found[kind]
    verdict = verdicts.serial_cost()
    assert verdict.outcome == document.NOT_REPRODUCED and str(told) in verdict.claim
    assert verdicts.not_for_one_processor().outcome == document.CONFIRMED


@extended
def test_articulated_bodies_keep_the_most_digits():
    found = accuracy.errors(GENERAL)
    assert min(found, key=found.get) == BEST and found[BEST] > 0
    assert max(found.values()) < 1e-11


def test_the_crossover_of_the_response_is_the_first():
    n = responses.crossover(GENERAL)

    def cheaper(n):
        held, composite = responses.HELD, responses.COMPOSITE
        return responses.response_flops(GENERAL, n, held) < responses.response_flops(
            GENERAL, n, composite
        )

    assert cheaper(n) and not cheaper(n - 1)


# -- verdicts --------------------------------------------------------------------------------------


def test_a_claim_holds_always_never_or_sometimes():
    assert document.judged([True, True]) == document.CONFIRMED
    assert document.judged([False]) == document.REFUTED
    assert document.judged(iter([True, False])) == document.DEPENDS


@pytest.mark.parametrize(
    ("claim", "outcome", "evidence"),
    [
        (verdicts.network, document.DEPENDS, "2 hop times where blocks move"),
        (verdicts.messages_hidden, document.DEPENDS, "1: yes, 4: no, 16: no"),
        (verdicts.computes_less, document.CONFIRMED, "at most 95.8%"),
        (verdicts.six_right_hand_sides, document.CONFIRMED, "0.93 of the time of 7N"),
        (verdicts.equation_63, document.REFUTED, "an inverse is missing"),
        (verdicts.one_matrix_for_both, document.CONFIRMED, "largest entries"),
        (verdicts.projection, document.DEPENDS, "0.73 times in the frame of the link"),
        (verdicts.optimal, document.DEPENDS, "10.3 times for 1,024"),
    ],
)
def test_verdicts(claim, outcome, evidence):
    verdict = claim()
    assert verdict.outcome == outcome and evidence in verdict.evidence


def test_a_number_that_is_met_would_be_confirmed(monkeypatch):
    monkeypatch.setattr(verdicts, "ratios", lambda: {"some links": 3.41})
    assert verdicts.serial_cost().outcome == document.CONFIRMED


@pytest.mark.parametrize(
    ("added", "outcome"), [([32, 32], document.REFUTED), ([40, 80], document.CONFIRMED)]
)
def test_what_combines_in_any_order_is_not_sequential(monkeypatch, added, outcome):
    """By the depth of divide and conquer, which any number of processors may work on."""
    monkeypatch.setattr(verdicts, "added_by_doubling", lambda kind, algorithm: added)
    verdict = verdicts.strictly_sequential()
    assert verdict.outcome == outcome and f"adds {added[-1]} flops" in verdict.evidence


# -- frames to project on --------------------------------------------------------------------------


def random_turn(rng):
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return turn * np.linalg.det(turn)


def test_all_projections_have_the_same_blocks():
    """But for the axes along which the forces that hold a joint are counted."""
    rng, W = np.random.default_rng(5), np.delete(np.eye(6), 2, axis=1)
    seat, common = random_turn(rng), random_turn(rng)
    (c, s), (next_c, next_s) = ((np.cos(x), np.sin(x)) for x in (0.4, -1.1))
    turn, next_turn = (
        np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) for c, s in ((c, s), (next_c, next_s))
    )
    com, arm = rng.normal(size=(2, 3))
    about_com = np.diag(rng.uniform(1, 2, 3))
    inner = rng.normal(size=(6, 6))
    inner, yields = inner @ inner.T, np.zeros(5)
    own = links.inverse_inertia(np.eye(3), com, about_com, 0.5)  # in frame i + 1
    across, link = own @ projections._shift(arm), projections.both(seat)
    before = projections.blocks_before(
        turn, seat, com, about_com, 0.5, inner, across @ W, W, yields
    )
    of_link = projections.blocks_of_link(
        turn, next_turn, link @ own @ link.T, inner, link @ across, W, yields
    )
    there = projections.both(common)
    in_one = projections.blocks_in_one(
        common,
        common @ turn @ seat,
        com,
        arm,
        about_com,
        0.5,
        there @ inner @ there.T,
        W,
        yields,
    )
    for blocks in (of_link, in_one):
        A, B = (
            [np.linalg.svd(each[k : k + 25].reshape(5, 5), compute_uv=False) for k in (0, 25)]
            for each in (before, blocks)
        )
        np.testing.assert_allclose(B, A, rtol=1e-9)


def test_products_are_the_same_in_one_frame():
    rng, W, H = np.random.default_rng(6), np.delete(np.eye(6), 2, axis=1), np.eye(6)[:, 2:3]
    turn, common, arm = random_turn(rng), random_turn(rng), rng.normal(size=3)
    own, handed = rng.normal(size=(6, 6)), rng.normal(size=6)
    tau, next_tau, along = rng.normal(size=(3, 1))
    held, next_held = rng.normal(size=(2, 5))
    here, beyond = projections.both(common), projections.both(common @ turn)
    first = projections.product_turned(
        own, turn, arm, W, H, tau, next_tau, handed, held, next_held, along
    )
    second = projections.product_in_one(
        here @ own @ here.T,
        common @ turn @ arm,
        here @ W,
        here @ H,
        beyond @ W,
        beyond @ H,
        tau,
        next_tau,
        here @ handed,
        held,
        next_held,
        along,
    )
    for part in (slice(6), slice(-1, None)):  # X², q̈, and what the next joint's q̈ takes off
        np.testing.assert_allclose(second[part], first[part], rtol=1e-9)


# -- the space station's arm -----------------------------------------------------------------------


def test_the_arm_of_the_space_station_has_as_many_joints_as_the_paper_says():
    robot = station_arm.station_arm()
    assert robot.n == 25 and len(robot.tips) == 2
    chain = station_arm.working_chain()
    assert chain.n == 18 and not chain.branching and chain.tool().name == "left_hand"
    masses = [sum(body.mass for body in each.inertias) for each in (robot, chain)]
    assert masses[0] == pytest.approx(masses[1])


@pytest.mark.long
def test_the_plan_of_the_space_stations_arm():
    assert station_arm.carried_out_error() < 1e-8
    assert verdicts.station().outcome == document.DEPENDS
    assert verdicts.other_joints().outcome == document.CONFIRMED


# -- the best serial program -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", [EQUAL, GENERAL])
def test_articulated_bodies_find_the_motion_of_a_pinned_arm(kind):
    robot = best_serial.pinned_arm(kind, 6)
    state = np.random.default_rng(0).normal(size=(3, 6))
    found = best_serial.by_articulated_bodies(robot)(*state.tolist())
    expected = px.constrained_forward_dynamics(robot, *state, px.Contact.pinned()).qdd
    assert abs(np.array(found) - expected).max() <= 1e-11 * abs(expected).max()


def test_their_flops_are_on_a_line():
    exact = best_serial._articulated_flops
    assert best_serial.articulated_flops(EQUAL, 16) == exact(EQUAL, 16)


def test_the_plan_is_slower_than_the_best_serial_program_of_a_short_arm():
    """N = 8: over its own algorithm on one processor it is twice as fast."""
    assert px.parallel.two_array_plan(8).speedup == pytest.approx(2.41, abs=0.01)
    assert speedups.over_best(GENERAL, 8) == pytest.approx(0.59, abs=0.01)
    assert speedups.over_best(GENERAL, 8, "left out") == pytest.approx(0.79, abs=0.01)


@pytest.mark.parametrize(("own", "outcome"), [(3.9, document.CONFIRMED), (4.1, document.REFUTED)])
def test_a_little_speedup_is_less_than_half_the_processors(monkeypatch, own, outcome):
    monkeypatch.setattr(verdicts, "plan", lambda n, arrays: SimpleNamespace(speedup=own))
    monkeypatch.setattr(verdicts, "over_best", lambda kind, n, arrays: 0.5)
    verdict = verdicts.limited_speedup()
    assert verdict.outcome == outcome and "less than N/2 decides" in verdict.evidence


@pytest.mark.long
def test_the_first_chain_that_wins():
    for columns in speedups.WAYS:
        n = speedups.first_to_win(GENERAL, columns)
        assert speedups.over_best(GENERAL, n - 1, columns) <= 1
        assert speedups.over_best(GENERAL, n, columns) > 1
    assert verdicts.significant_speedup().outcome == document.DEPENDS
    assert verdicts.limited_speedup().outcome == document.CONFIRMED


# -- what was measured -----------------------------------------------------------------------------


def made_up(times_by_length, crossovers=None):
    """Results as the benchmark writes them; nothing was measured of inverse dynamics."""
    row = {"sliding": 0.0}
    return {
        "machine": {
            "date": "2026-01-02",
            "cores": 2,
            "cpu": "some CPU",
            "memory_gib": 8.0,
            "pin": "4",
        },
        "rows": [
            row
            | {
                "n": n,
                "forward_dynamics": {"ns_a_link": times, "error": dict.fromkeys(times, 1e-15)},
                "inverse_dynamics": {"ns_a_link": {}, "error": {}},
                "memory_mib": {name: 100 + n for name in times},
            }
            for n, times in times_by_length.items()
        ],
        "crossovers": {"forward_dynamics": crossovers or {}},
        "pinocchio_ends": {"links": 8, "reason": "of memory"},
    }


def test_tables_are_made_of_what_the_benchmark_wrote(monkeypatch):
    times = {64: {"pinocchio": 30.0, "serial": 20.0, "scan": 40.0}, 128: {"scan": 10.0, "odd": 5.0}}
    pairs = {
        "scan over serial": {"from": None, "ratios": {"64": 0.5}},
        "odd over scan": {"from": 128, "ratios": {"128": 2.0}},
    }
    monkeypatch.setattr(measured, "results", lambda: made_up(times, pairs))
    short, long = measured.time_table("forward_dynamics").rows
    assert (short.quantity, short.measured) == ("N = 2⁶", 40.0)
    assert "0.75 times as fast as Pinocchio, 30" in short.note
    assert long.note == ""
    (order,) = measured.order_table().rows
    assert (order.quantity, order.measured) == ("N = 2⁷, forward dynamics, odd", 5.0)
    assert order.note == "0.5 times the 10 of the scan"
    never, faster = measured.crossover_table().rows
    assert never.measured is None and "not at the longest chain of both, 2⁶" in never.note
    assert faster.measured == 128 and "2.00 times as fast, at N = 2⁷" in faster.note
    assert measured.bytes_a_link() == 2**20
    curves = measured.time_figure("forward_dynamics").curves
    assert curves == {
        "Pinocchio": [(64, 30.0)],
        "Paraxis serial": [(64, 20.0)],
        "Paraxis scan": [(64, 40.0), (128, 10.0)],
        "odd": [(128, 5.0)],
    }
    assert "2026-01-02" in measured.where() and "some CPU" in measured.where()


def test_the_report_has_the_results_of_the_benchmark():
    found = measured.results()
    date.fromisoformat(found["machine"]["date"])
    kept = ROOT / "benchmarks/results/chains.json"
    if kept.exists():
        assert json.loads(kept.read_text()) == found, "copy it: see bench in the Makefile"
    lengths = [row["n"] for row in measured.rows()]
    assert lengths == sorted(lengths) and lengths[0] == 64
    for function in measured.FUNCTIONS:
        rows = measured.time_table(function).rows
        assert len(rows) == len(found["rows"])
        times = [row[function]["ns_a_link"]["scan"] for row in measured.rows()]
        assert [row.measured for row in rows[: len(times)]] == [round(time, 1) for time in times]
    worst = max(row["forward_dynamics"]["error"]["scan"] for row in found["rows"])
    shown = {row.quantity: row.measured for row in measured.accuracy_table().rows}
    assert shown["forward dynamics, Paraxis scan"] == pytest.approx(worst, rel=0.5)
    assert min(shown.values()) >= 0 and max(shown.values()) < 1


# -- the whole -------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_whole_report():
    report = paraxis_papers.report("log-depth")
    assert {verdict.outcome for verdict in report.verdicts} == {*document.OUTCOMES}
    assert len(report.verdicts) == len(verdicts.CLAIMS)
    assert all(draw(figure, width) for figure in report.figures for width in (360, 960))
    assert "<svg" in report_page(report, "1.0")
    headings = len(report.parts) + 2  # the verdicts and the references
    assert markdown(report).count("## ") == headings
    titles = [part.title for part in report.parts]
    for table, figure in (
        (depth_table(), depth_figure()),
        (measured.accuracy_table(), measured.error_figure()),
    ):
        assert titles.index(figure.title) == titles.index(table.title) + 1


@pytest.mark.long
def test_depth_grows_by_the_same_with_every_doubling():
    for kind in (EQUAL, GENERAL):
        assert len(set(added_by_doubling(kind, HALVES))) == 1
    assert verdicts.strictly_sequential().outcome == document.REFUTED
    assert verdicts.logarithmic_depth().outcome == document.CONFIRMED
    assert verdicts.logarithmic_plan().outcome == document.CONFIRMED
    assert verdicts.step_two_overlapped().outcome == document.DEPENDS
    assert verdicts.factors_along_the_chain().outcome == document.CONFIRMED


def test_the_tables_say_what_the_plans_do(monkeypatch):
    for name in ("SIZES", "CURVE", "NETWORKS", "FEWER"):
        monkeypatch.setattr(two_arrays, name, (4, 8))
    network, cubes, allocations, overlap, processors, fewer = two_arrays.two_array_tables()
    on_cubes = {row.quantity: row.measured for row in cubes.rows}
    plan = px.parallel.two_array_plan(8, word_time=4, network="hypercube")
    assert on_cubes["N = 8, a word 4"] == plan.makespan
    shared = {row.quantity: row.measured for row in fewer.rows}
    assert shared["N = 8, 2 in each array"] < 1 < shared["N = 8, 8 in each array"]
    found = {row.quantity: row.measured for row in processors.rows}
    assert found["N = 8, 2N, the paper's plan"] == px.parallel.two_array_plan(8).makespan
    assert [row.measured for row in network.rows if "shuffled" in row.quantity] == [4, 6]
    notes = {row.quantity: row.note for row in allocations.rows}
    assert notes["N = 8, second allocation, a word 1"].startswith("hidden")
    assert notes["N = 8, first allocation, a word 1"].startswith("not hidden")
    slack = {row.quantity: row.measured for row in overlap.rows}
    assert slack["N = 4, one array for Λ⁻¹, free messages"] > 0
    assert slack["N = 4, one array for Λ⁻¹, a word 1, a message 100"] < 0
    startup = slack["N = 8, startup of a message"]
    assert px.parallel.two_array_plan(8, word_time=1, startup=startup).slack >= 0
    assert px.parallel.two_array_plan(8, word_time=1, startup=startup + 1).slack < 0
    curves = two_arrays.time_figure().curves
    assert curves["N processors"][1] == (8, px.parallel.two_array_plan(8, arrays=1).makespan)
