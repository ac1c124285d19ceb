"""The report on friction: what is printed, what follows from it, and what cannot be."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from paraxis_papers.document import MOST_POINTS
from paraxis_papers.friction import curve, profiles, state, table_3_5
from paraxis_papers.friction.arm import arm
from paraxis_papers.friction.counts import bearing_count, motor_count, table_3_3
from paraxis_papers.friction.drive import drive, figure_3_4, figure_3_5
from paraxis_papers.friction.levels import levels_with_friction, puma_tasks
from paraxis_papers.friction.verdicts import verdicts
from paraxis_papers.printed import printed

import paraxis as px
from paraxis.parallel.streamlined.friction_steps import journal

TOLD = printed("dhanaraj")["case_study"]
CURVE = ((0.0, 0.3), (0.1, 0.5), (0.4, 0.8), (1.0, 0.9))
DRIVE = px.robots.Transmission(50.0, CURVE, break_away=2.0, torque_limit=60.0)


def test_the_state_has_the_printed_torques_and_lies_on_the_line():
    found = state.the_state()
    moved = arm(TOLD["offset"]["kinematics"])
    point = px.forward_kinematics(moved, found.q)[:3, 3]
    np.testing.assert_allclose(point, (0.3, found.z, found.z), atol=1e-12)
    rate = px.jacobian(moved, found.q)[3:] @ found.qd
    np.testing.assert_allclose(rate, (0, found.speed, found.speed), atol=1e-12)
    bias = px.bias_acceleration(moved, found.q, found.qd)[3:]
    rise = px.jacobian(moved, found.q)[3:] @ found.qdd + bias
    np.testing.assert_allclose(rise, (0, found.acceleration, found.acceleration), atol=1e-12)
    tau = px.inverse_dynamics(arm(TOLD["offset"]["dynamics"]), found.q, found.qd, found.qdd)
    np.testing.assert_allclose(tau, TOLD["dynamic"], atol=1e-9)
    assert (np.sign(found.qd) == np.sign(TOLD["joint_friction"])).all()


def test_each_reading_has_one_state_that_fits_the_printed_friction():
    found = [(s.reading, round(s.z, 4)) for s in state.states() if s.fits]
    assert found == [("one arm", -0.4197), ("the programs as they stand", 0.454)]
    assert len(state.states()) == 4


def test_one_rising_curve_fits_all_links_in_their_cases():
    assert [case for case, _, _ in curve.points()] == [1, 2, 4]
    loads, efficiencies = zip(*curve.curve(), strict=True)
    assert (np.diff(loads) > 0).all() and (np.diff(efficiencies) > 0).all()
    lossy = arm(TOLD["offset"]["dynamics"], curve.curve(), 0.5)
    for i, joint in enumerate(lossy.joints):  # the printed torque at the joint gives the input
        at_joint, direction = TOLD["at_joint"][i], np.sign(TOLD["joint_friction"][i])
        load = abs(at_joint) / joint.transmission.torque_limit
        efficiency = np.interp(load, loads, efficiencies)
        driving = at_joint * direction > 0
        geared = at_joint / efficiency if driving else at_joint * efficiency
        assert geared + direction * TOLD["break_away"][i] == pytest.approx(TOLD["input"][i])


@pytest.mark.parametrize("length", (0.01, 0.2, 1.0, 100.0))
def test_no_length_gives_the_printed_friction_of_links_two_and_three(length):
    found = [abs(table_3_5.friction_in_bearing(i, length)) for i in range(3)]
    assert found[1] > 5 * abs(TOLD["joint_friction"][1])
    assert found[2] > 3 * abs(TOLD["joint_friction"][2])


def test_the_length_gives_the_printed_friction_of_link_one():
    found = table_3_5.at_the_state(table_3_5.bearing_length()).joint_friction
    assert found[0] == pytest.approx(TOLD["joint_friction"][0])
    for i in range(3):  # by the compiled function as by the formula
        one = table_3_5.friction_in_bearing(i, table_3_5.bearing_length())
        assert one == pytest.approx(found[i])


def test_printed_sums_hold():
    rows = {row.quantity: row for row in table_3_5.identities().rows}
    sums = [row for name, row in rows.items() if "=" in name]
    assert len(sums) == 6
    for row in sums:
        assert row.measured == pytest.approx(row.printed, abs=1.5e-4) and row.note[:3] == "met"


def test_the_profile_passes_the_state():
    z, speed, _ = profiles.profile()(TOLD["time"])
    found = state.the_state()
    assert (z[0], speed[0]) == pytest.approx((found.z, found.speed))
    t, torques, qd = profiles.torques()
    assert len(t) == TOLD["line"]["samples"] and t[-1] == TOLD["line"]["duration"]
    k = int(np.argmin(abs(t - TOLD["time"])))
    assert torques.at_joint[k] == pytest.approx(torques.dynamic[k] + torques.joint_friction[k])
    assert (torques.joint_friction[k] * qd[k] > 0).all()
    assert len(profiles.figures()) == 3


def test_table_3_3_is_met_but_for_the_sums_under_roots():
    rows = {row.quantity: row for row in table_3_3().rows}
    differ = {
        quantity: (row.printed, row.measured)
        for quantity, row in rows.items()
        if not quantity.endswith("traced") and row.printed != row.measured
    }
    assert differ == {"revolute joint, journal bearing: as written": ([15, 5], [15, 7])}
    traced = [row.measured for quantity, row in rows.items() if quantity.endswith("traced")]
    assert traced == [[10, 7], [5, 7], [2, 0], [5, 3], [7, 5]]
    assert bearing_count(journal).sqrt == 2


def test_operations_in_subtasks_are_those_that_are_counted():
    """Of a transmission, whose numbers are constants in both."""
    for interpolation in ("linear", "cubic"):
        drive = replace(DRIVE, interpolation=interpolation)
        stanford = px.load("stanford")
        *others, last = stanford.joints
        lossy = replace(stanford, joints=[*others, replace(last, transmission=drive)], warn=False)
        before, after = (
            px.streamlined_tasks(lossy, friction=friction).program.count().flops
            for friction in (False, True)
        )
        assert after - before == motor_count(drive).flops


def test_levels_with_friction_are_those_of_checked_schedules():
    table = levels_with_friction()
    assert len(table.rows) == 16
    for row in table.rows:
        what, number = row.quantity.split(": ")
        bound = px.schedule(puma_tasks(what), int(number.split()[0])).bound
        assert bound <= row.measured
    one, *_, eight = table.rows[:8]
    assert one.measured == len(puma_tasks("bearings and transmissions"))
    assert eight.measured == puma_tasks("bearings and transmissions").span


def test_verdicts_name_their_thresholds():
    found = {each.claim: each for each in verdicts()}
    marginal = found["friction increases the computational load only marginally"]
    assert marginal.outcome == "refuted" and "Marginally means up to 10%" in marginal.evidence
    assert "more than 10%" in found["friction is significant in robotic mechanisms"].evidence
    assert found["where the torque brakes, joint friction is subtracted (eq. 3.7)"].outcome == (
        "refuted"
    )


def test_the_points_behind_figure_3_4_are_in_its_table():
    rows = figure_3_4().rows(MOST_POINTS)
    assert sum(bool(row[1]) for row in rows) == len(curve.curve()) == 3


def test_the_drive_is_drawn_as_it_computes():
    curves = figure_3_5().curves
    at_joint = max(torque for torque, _ in curves["moving forward"])
    load = at_joint / drive().rated
    share = dict(curve.curve())[load]
    assert dict(curves["moving forward"])[at_joint] == pytest.approx(at_joint / share + 5.5)
    assert dict(curves["moving backward"])[at_joint] == pytest.approx(at_joint * share - 5.5)
    points = figure_3_4().curves
    for name in ("lines between", "monotone cubics between"):
        assert all(a[1] <= b[1] + 1e-12 for a, b in pairwise(points[name])), name
